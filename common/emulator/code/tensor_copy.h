/* tensor_copy.h - a copy of a tile: made by lower_async.c, carried out by exec/ops/tensor_copy.c.
 */
#ifndef EMULATOR_TENSOR_COPY_H
#define EMULATOR_TENSOR_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct tensor_copy {
    uint32_t rank;
    bool store;
    uint8_t reduction;                  /* enum ptx_mod; M_none: a plain store */
    int64_t shared_at, map_at, barrier; /* what the instruction adds to the registers */
};

#endif
