/* follow.h - where values have been: who stored a byte of shared memory, and how long ago what a
 * register holds was loaded from global memory.
 *
 * For launches that disturb `others`, `ahead`, `at_once`, `again`, `straight` or `parked` alone:
 * other ones have b->writers and w->held NULL. For `parked` it is followed, too, what is computed
 * of a value, until it meets another one. Not followed: values through local memory, and as
 * arguments and results of functions that are called; to store them there is a use. Of a value put
 * together from several loads the first one's time holds.
 *
 * Time is the floating-point instructions that a warp has executed, or at a barrier or mbarrier
 * the most that one of those who had arrived there had: its clock. Who waits for others has come
 * as far as they had. So a warp that fetches for others, and computes nothing itself, has theirs:
 *
 *     multiplies   tile 0        | arrives at empty, 512   waits for full, 1024 |
 *     fetches      waits for empty, clock 512 | asks for tile 2 |    512 floats flown
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
/* Of a call of f: nothing is held yet. Allocated. */
struct held *follow_frame(const struct emu_func *f);
uint64_t follow_clock(const struct warp *w, const struct insn *in);
/* Has it computed nothing, but heard of others who have? */
bool follow_fetches(const struct warp *w);
/* w, at `in`, waited for those who had come as far as that; returns its clock from now on. */
uint64_t follow_hears(struct warp *w, const struct insn *in, uint64_t heard);
/* w arrives at a barrier in this phase: *heard is what is known there. */
void follow_tells(struct warp *w, const struct insn *in, uint64_t barrier, uint32_t phase,
                  uint64_t *heard);
/* A value loaded, or copied, when the warp's clock was `since`, and needed `now`: is it of a class
 * that is disturbed? */
bool follow_disturbs(const struct launch *l, uint64_t since, uint64_t now);
/* Does one of these classes ask for when a load is used? */
bool follow_loads(unsigned classes);
/* What w loads now it loads again, after it has used something, and that is disturbed. */
bool follow_again(const struct warp *w);
/* What has waited for `in` to use it, and is to be disturbed: told to `flip`. */
typedef void (*flip_register)(struct warp *w, const struct insn *in, uint32_t place, uint32_t width,
                              uint32_t size, uint32_t element, uint32_t lanes);
void follow_uses(struct warp *w, const struct insn *in, uint32_t mask, flip_register flip);
#define NOT_HANDED UINT64_MAX
/* After `in`, which follow_uses() was asked of: bytes of shared memory that it stored into. */
void follow_stored(struct warp *w, uint64_t to, uint32_t bytes);
/* After `in`: what it loaded from global memory (lanes `loaded`, at places) is on its way, what it
 * moved goes on, what it wrote over is gone. */
struct written { /* by an instruction */
    uint32_t n, places[16];
    uint32_t width, size; /* bytes of a register, and of what was brought into it */
    bool apart;           /* lanes loaded from different addresses */
};
void follow_results(struct warp *w, const struct insn *in, uint32_t mask, uint32_t loaded,
                    const struct written *x);
/* ---- copies that a barrier waits for ---- */
/* Which: an mbarrier at an offset of shared memory, a barrier of the block, or none yet: w has got
 * them, and will say so at the next that it arrives at. */
#define FLIGHT_BARRIER (1ull << 40)
#define FLIGHT_HELD    (1ull << 41)
/* The bytes that this launch is to disturb where a wait says so: asked for by w when its clock was
 * `since`, there when the barrier has left its phase. */
void flights_note(struct warp *w, uint64_t barrier, uint32_t phase, uint64_t to, uint32_t bytes,
                  uint64_t since);
/* w has waited for the mbarrier, which is in this phase: what came meanwhile is used from now on,
 * or, where w fetches for others, from when they hear of it. */
void flights_land(struct warp *w, const struct insn *in, uint64_t mbarrier, uint32_t phase);
/* All have come to this barrier of the block. */
void flights_pass(struct block *b, uint32_t id);
/* By register of f: may it hold what was loaded from global memory? Allocated. */
bool *follow_registers(const struct ptx_func *f, unsigned classes);
/* Does p read or write one of these? */
bool follow_touches(const struct ptx_func *f, const struct ptx_insn *p, const bool *held);

#endif
