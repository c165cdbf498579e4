/* late.h - what a block stores reaches other blocks late (DISTURB_late).
 *
 * What a block leaves in global memory by atomics and by stores that are no plain ones, loads of
 * other blocks see only when they have looked there up to LATE_LOOKS times, or when the block has
 * executed a fence wider than .cta or a release since, or when its grid has ended. A GPU may be as
 * late (PTX ISA, memory consistency model): who hands something on without a fence has others
 * compute with what was there before. Atomics find what is there.
 *
 * Not late: plain stores, since who reads one without an order races, which the checks tell; what
 * asynchronous copies and loads of matrices bring. A fence of one thread does for its whole block.
 * One host thread runs all blocks.
 */
#ifndef EMULATOR_LATE_H
#define EMULATOR_LATE_H

#include "exec.h"

enum { LATE_LOOKS = 4 };

/* What loads are shown instead of what is there, while one is carried out. */
struct late_look {
    uint32_t n;
    struct {
        struct late_word *word;
        uint32_t *host, now;
    } shown[WARP * 8]; /* 32 bytes a lane */
};

bool late_watches(const struct ptx_insn *p, const struct insn *in);
/* Of those: as long as nothing is late, only what stores does anything. */
bool late_matters(const struct launch *l, const struct ptx_insn *p, const struct insn *in);
/* Around such an instruction, of a launch that is so disturbed. Of its lanes, `global` access that
 * memory, each at[lane]; 0 for what accesses none. */
void late_begin(struct warp *w, const struct insn *in, const struct ptx_insn *p, uint32_t global,
                const uint64_t at[WARP], struct late_look *x);
void late_end(struct late_look *x);
void late_free(struct launch *l);

#endif
