/* compile_program.c - a whole CUDA program with the toolkit's nvcc (compile.h).
 *
 * For the emulator PTX alone is made of the kernels, and of one architecture, which takes half the
 * time; host code is not optimised, as it is not by nvcc unasked. nvcc needs a C++ compiler of the
 * host's; where that is missing, the log says what to install.
 */
#include "compile.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_MAX = 64 << 20 };

static char *nvcc_of(const struct compile_request *r)
{
    const char *include = compile_headers(r);
    size_t n = include ? strlen(include) : 0;

    return n > 8 && !strcmp(include + n - 8, "/include")
               ? xformat("%.*s/bin/nvcc", (int)n - 8, include)
               : xstrdup("nvcc");
}

static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    bool found = false;

    for (const char *p = path ? path : ""; *p && !found; p += strcspn(p, ":"), p += *p == ':') {
        char *file = xformat("%.*s/%s", (int)strcspn(p, ":"), p, program);
        found = !access(file, X_OK);
        free(file);
    }
    return found;
}

/* NULL: nothing is missing that can be seen beforehand. */
static const char *missing(const char *nvcc)
{
    if (strchr(nvcc, '/') ? access(nvcc, X_OK) != 0 : !in_path(nvcc))
        return "a whole program is compiled with nvcc, which is not in this CUDA toolkit: install "
               "the package cuda-nvcc (or nvidia-cuda-nvcc from PyPI)";
    if (!in_path("g++"))
        return "nvcc needs a C++ compiler for a program's host code, and there is no g++: install "
               "it (apt-get install g++)";
    return NULL;
}

/* Of -arch=compute_90a nvcc makes PTX for compute_90 as well, and compiles all of it twice. */
static char *architecture(const char *arch)
{
    return !strncmp(arch, "compute", 7) ? xformat("-gencode=arch=%s,code=%s", arch, arch)
                                        : xformat("-arch=%s", arch);
}

bool compile_program(const struct compile_request *r, struct compiled *out)
{
    char *nvcc = nvcc_of(r);
    struct text log = {0};
    const char *lacks = missing(nvcc);
    char *folder = lacks ? NULL : make_temporary_dir();

    *out = (struct compiled){0};
    if (!folder) {
        out->no_compiler = lacks;
        out->log = lacks ? xformat("%s: %s", r->path, lacks)
                         : xformat("%s: no folder can be made in TMPDIR (else /tmp): %s", r->path,
                                   strerror(errno));
        free(nvcc);
        return false;
    }
    char *program = xformat("%s/program", folder), *arch = architecture(r->arch);
    char *argv[] = {nvcc,    "-std=c++17", "-g", "-lineinfo",     arch, "-cudart", "shared", "-o",
                    program, "-x",         "cu", (char *)r->path, NULL};
    int status = call_program(argv, false, &log, &log);
    out->log = compile_readable(text_str(&log));
    if (status == 0 && file_read(program, IMAGE_MAX, &out->image, &out->size))
        out->image = NULL;
    if (!out->image && !*out->log) {
        free(out->log);
        out->log = xformat("%s: nvcc ended with status %d and said nothing", r->path, status);
    }
    unlink(program);
    rmdir(folder);
    text_free(&log), free(arch), free(program), free(folder), free(nvcc);
    return out->image != NULL;
}
