/* hold.h - private to this folder: streams held up by a kernel that waits for the host or for other
 * kernels, and what was issued behind it; and all streams, where what is issued is done late.
 */
#ifndef EMULATOR_HOLD_H
#define EMULATOR_HOLD_H

#include "cudart.h"

/* Work that is done when it is its turn, in its stream; args are a copy. False: it is not over. */
typedef bool (*hold_fn)(cudaStream_t stream, void *args);

/* Is the stream held, or all work late? Then the work is done later, and this is its number; 0: do
 * it now. */
uint64_t hold_later(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes);
/* The same, whether the stream is held or not, after work of that number, if that is not done. */
uint64_t hold_after(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes,
                    uint64_t number);
/* Of a call that waits for it: later only if the stream is held. */
uint64_t hold_behind(cudaStream_t stream, hold_fn fn, const void *args, size_t bytes);
/* A launch of the stream that was parked. */
struct parked {
    struct launch *launch;
    struct emu_launch shape;
    double begin_us;
};
void hold_launch(cudaStream_t stream, hold_fn go_on, const struct parked *p);
/* A parked launch goes on until it is over, as here and now it must; alone: with nothing else
 * between. */
cudaError_t hold_finish(struct launch *l, struct emu_result *result, bool alone);
bool hold_has(cudaStream_t stream); /* its work is not done */
bool hold_waits(uint64_t number);   /* nor is this */
/* All that can go on does so, up to where it only waits again. */
void hold_go_on(void);
/* All that has not ended is left: the program ends, and its kernels go. */
void hold_drop(void);
/* Until the stream's work, or this piece of it, is done; NULL: all of the process. What nobody can
 * help ends with cudaErrorLaunchTimeout. */
void hold_wait(cudaStream_t stream);
void hold_wait_number(uint64_t number);
void hold_wait_all(void);
/* From now on all work is late: done when something waits for it (inject.c). */
void hold_be_late(void);
bool hold_is_late(void);
/* As hold_has(), for a call that asks: what is late is done if it is asked for often enough. */
bool hold_query(cudaStream_t stream);
void hold_query_number(uint64_t number);
/* Other processes may write what kernels wait for. */
void hold_not_alone(void);
/* What a call of that name means to what is held. */
void hold_enter(const char *function);

#endif
