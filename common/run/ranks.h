/* ranks.h - a plan of several ranks: each has a device of its own, with a place for every buffer.
 *
 * Part of exec.c. Rank r is device r; on the emulator there are as many as a plan asks for. What
 * ranks add up goes through NCCL, which is found when it is needed; one rank needs none. Guards are
 * the first rank's.
 */
#ifndef RUN_RANKS_H
#define RUN_RANKS_H

#include "exec.h"

/* How many there are: at least 1. */
int ranks_of(const struct exec *e);
/* Their devices, memory and NCCL; all but the first rank's. False with a message. */
bool ranks_open(struct exec *e);
/* Where a rank has buffer b. */
char *rank_data(const struct exec *e, int rank, int b);
/* Calls from now on are that rank's device's. */
bool rank_use(struct exec *e, int rank);
/* Copies an input to the others, as the first one has it. */
bool ranks_upload(struct exec *e, int b, const void *host);
/* Fills buffer b of the others. */
bool ranks_poison(struct exec *e, int b, int value);
/* OP_SUM: each rank's elements become the sum of all ranks'. */
bool ranks_sum(struct exec *e, const struct plan_op *o);
/* OP_FETCH: the first rank's elements become those of rank o->rank. */
cudaError_t ranks_fetch(struct exec *e, const struct plan_op *o);
/* Waits for all devices; the first one's are the calls from now on. */
cudaError_t ranks_wait(struct exec *e);
void ranks_close(struct exec *e);

#endif
