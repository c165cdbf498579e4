/* move.h - what an operation does to the ranks' memory: types, reductions, copies. */
#ifndef EMULATOR_NCCL_MOVE_H
#define EMULATOR_NCCL_MOVE_H

#include "clique.h"

/* Bytes of an element; 0: there is no such type. */
size_t type_bytes(ncclDataType_t type);
/* Carries out a collective, ops[rank] of each, and ends their steps. */
void move_collective(struct op *const *ops, int nranks);
/* Likewise a send and its receive. */
void move_pair(struct op *send, struct op *receive);

#endif
