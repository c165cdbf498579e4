/* follow.h - where values have been: who stored a byte of shared memory, and how long ago what a
 * register holds was loaded from global memory.
 *
 * For launches that disturb `others`, `ahead` or `at_once` alone: other ones have b->writers and
 * w->held NULL. Not followed: values in functions that are called, where `at_once` takes what
 * is loaded; copies that a warp asks for which computes nothing itself. Of a value put together
 * from several loads the first one's time holds.
 */
#ifndef EMULATOR_EXEC_FOLLOW_H
#define EMULATOR_EXEC_FOLLOW_H

#include "exec.h"

/* Forgets what the block before left; makes room where the launch needs it. */
void follow_start(struct block *b);

/* ---- shared memory ---- */
/* thread: 1 for the first of the block; 0: nobody in particular, who is another for all. */
void writers_note(struct block *b, uint32_t thread, uint64_t at, uint32_t size);
/* Did another store a part of it last? */
bool writers_others(const struct block *b, uint32_t thread, uint64_t at, uint32_t size);

/* ---- registers ---- */
/* A value loaded, or copied, when the warp had executed `since` floating-point instructions, and
 * needed `now`: is it of a class that is disturbed? */
bool follow_disturbs(const struct launch *l, uint64_t since, uint64_t now);
/* What has waited for `in` to use it, and is to be disturbed: told to `flip`. */
typedef void (*flip_register)(struct warp *w, const struct insn *in, uint32_t place, uint32_t width,
                              uint32_t size, uint32_t element, uint32_t lanes);
void follow_uses(struct warp *w, const struct insn *in, uint32_t mask, flip_register flip);
/* After `in`: what it loaded from global memory (lanes `loaded`, at places) is on its way, what it
 * moved goes on, what it wrote over is gone. */
struct written { /* by an instruction */
    uint32_t n, places[16];
    uint32_t width, size; /* bytes of a register, and of what was brought into it */
};
void follow_results(struct warp *w, const struct insn *in, uint32_t mask, uint32_t loaded,
                    const struct written *x);
/* ---- copies that an mbarrier waits for ---- */
/* The bytes that this launch is to disturb where a wait says so: asked for by a lane of w when it
 * had executed `since` floating-point instructions, there when the mbarrier, which lies at an
 * offset of shared memory, has left its phase. */
void flights_note(struct warp *w, uint64_t mbarrier, uint32_t phase, uint64_t to, uint32_t bytes,
                  uint64_t since);
/* w has waited for the mbarrier, which is in this phase: what came meanwhile is used from now on.
 */
void flights_land(struct warp *w, const struct insn *in, uint64_t mbarrier, uint32_t phase);
/* By register of f: may it hold what was loaded from global memory? Allocated. */
bool *follow_registers(const struct ptx_func *f);
/* Does p read or write one of these? */
bool follow_touches(const struct ptx_func *f, const struct ptx_insn *p, const bool *held);

#endif
