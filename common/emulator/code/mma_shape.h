/* mma_shape.h - what a matrix instruction works on: made by lower_matrix.c, read by exec/ops/mma.c.
 */
#ifndef EMULATOR_MMA_SHAPE_H
#define EMULATOR_MMA_SHAPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mma_shape {
    uint32_t m, n, k;
    unsigned a_type, b_type, c_type, d_type; /* enum ptx_type */
    uint32_t na, nb, nc, nd;                 /* registers a lane; nd also of a load or store */
    uint32_t rows, cols, element_bytes;      /* load, store */
    bool row_major, store, accumulator;
    bool a_col, b_col;     /* wmma.mma: the fragments hold columns, not rows; wgmma: memory does */
    bool a_neg, b_neg;     /* wgmma */
    bool exclusive;        /* b1: xor, not and */
    uint8_t stride_shift;  /* load of narrow elements: from them to words */
    _Atomic uint64_t cost; /* of a load or store in shared memory: exec/ops/fragment.c */
};

#endif
