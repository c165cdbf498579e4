/* source.h - where in the sources an instruction comes from.
 *
 * Interface: site_locate() fills in a site's place. An instruction that came from a header of
 * the toolkit (cooperative groups, CUB, Thrust, libcu++, intrinsics), or from the labs' tensor.cuh,
 * belongs to the line that called it: the place of the innermost call that is in no such header.
 * Where in the header is kept beside it. site_text() puts both into words.
 */
#ifndef EMULATOR_SOURCE_H
#define EMULATOR_SOURCE_H

#include "base/text.h"
#include "emulator/ptx/ptx.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in the program: one per PTX instruction, the same pointer every time. */
struct site {
    uint32_t ptx_line;
    uint32_t line, column; /* source; 0 when there is no line information */
    const char *file;      /* NULL likewise */
    /* Where in such a header, when file:line is the place that it was inlined at;
     * NULL and 0 otherwise. */
    const char *inner_file;
    uint32_t inner_line;
    const char *opcode;     /* "ld.shared.u32" */
    uint32_t index;         /* dense, unique in the function */
    bool store;             /* st */
    bool load;              /* ld, ldu, ldmatrix */
    bool atomic, cas;       /* atom, red; with .cas */
    bool returns;           /* atomic: what it finds is used, or is not what it leaves (.exch) */
    bool arrives;           /* at a barrier, without waiting there: bar.arrive, mbarrier.arrive */
    bool approximate;       /* .approx, .full */
    bool early;             /* a load whose value goes into selp alone: maybe not the program's */
    bool put_back;          /* a load of bits around a bit-field, which are stored as they were */
    bool product;           /* wgmma */
    bool proxy;             /* of the asynchronous proxy: wgmma, bulk and tensor copies */
    bool sends;             /* an element to shared memory: st.async, red.async */
    bool held;              /* what it reads of shared memory is read up to a wait for its group */
    bool mbarrier, sets_up; /* mbarrier.…; with .init */
    bool is_async;          /* has .async */
};

void site_locate(const struct ptx_module *m, const struct ptx_loc *loc, struct site *s);
/* True for a header that comes with the CUDA toolkit or the host's compiler. */
bool source_is_toolkit(const char *path);
/* The instruction is a library's own: CUB's, Thrust's, or of a header of the toolkit. */
bool site_of_a_library(const char *kernel, const struct site *s);
/* Adds a file's name, for messages: without what a terminal would act on, and of a very long one
 * "…" and the end. */
void source_put(struct text *t, const char *path);
/* "saxpy.cu:12" or "saxpy.cu:12 (in reduce.h:113)" or, without line information, "PTX line 80";
 * "" when s is NULL. Files of the user's with their folders. For free(). */
char *site_text(const struct site *s);
/* The same place for PTX text that could not be parsed: from the .loc before that line; "" when
 * there is none. For free(). */
char *source_before(const char *text, size_t length, uint32_t ptx_line);

#endif
