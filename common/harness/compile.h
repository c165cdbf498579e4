/* compile.h - a .cu file to PTX or machine code, device code alone (NVRTC); or a whole one to a
 * program (nvcc). */
#ifndef HARNESS_COMPILE_H
#define HARNESS_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#define COMPILE_MAX_INCLUDES 8

struct compile_request {
    const char *path; /* read, and named in messages and line information */
    const char *arch; /* EMULATOR_ARCH: PTX, for the emulator; "sm_90": machine code */
    /* Folders for #include, tried before the course's own and the toolkit's. */
    const char *includes[COMPILE_MAX_INCLUDES];
    int nincludes;
    bool no_default_includes;
    bool registers; /* PTX that begins with a line "// registers: NAME COUNT" a kernel, of what it
                     * needs in machine code: that is made, too, in as much time again and more */
    bool quick;     /* to worse code, in a third of the time or less: results alone are looked at */
    /* The toolkit's headers, unless WARPLAB_CUDA_INCLUDE names them: CUDA_INCLUDE, but where the
     * program itself is to name no folder of this machine. */
    const char *toolkit;
};

struct compiled {
    char *image; /* PTX text with its NUL, or an ELF file; NULL after a failure */
    size_t size;
    char *log;        /* never NULL; messages as file:line: … */
    bool no_compiler; /* there is none here: the log says what to install */
    bool late;        /* it took too long */
};

/* True when it compiled; warnings may still be in the log. */
bool compile_cuda(const struct compile_request *r, struct compiled *out);
/* This text in the file's place, which is not read. One try: what needs textures, surfaces or the
 * device runtime is no program. */
bool compile_source_text(const struct compile_request *r, const char *source, struct compiled *out);
/* … in so many seconds of processor time, in a process of its own: the compiler may unroll a loop
 * for ever. */
bool compile_source_within(const struct compile_request *r, const char *source, int seconds,
                           struct compiled *out);
/* The file with its host code, to an executable file's bytes, linked with the shared CUDA runtime:
 * by the toolkit's nvcc and the compilers that it finds in PATH. */
bool compile_program(const struct compile_request *r, struct compiled *out);
/* The folder of the toolkit's headers; NULL: none is known. */
const char *compile_headers(const struct compile_request *r);
/* Of machine code, a line a kernel as above, for free(). */
char *compiled_registers(const void *image, size_t size);
/* A compiler's log with "file(12): …" as editors look for it, "file:12: …". */
char *compile_readable(const char *log);
void compiled_free(struct compiled *c);

#endif
