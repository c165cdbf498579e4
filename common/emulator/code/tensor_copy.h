/* tensor_copy.h - bulk copies: made by lower_async.c, carried out by exec/ops/bulk.c and, of tiles,
 * exec/ops/tensor_copy.c.
 */
#ifndef EMULATOR_TENSOR_COPY_H
#define EMULATOR_TENSOR_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct async_address { /* a register of so many bytes, and what the instruction adds */
    uint8_t bytes;
    int64_t offset;
};
struct bulk_copy { /* of bytes: cp.async.bulk, st.async, red.async */
    struct async_address to, from, barrier;
    bool to_shared, from_shared, multicast; /* else: global memory; one block */
    uint8_t reduction, type;                /* enum ptx_mod; M_none: a plain copy */
};
struct tensor_copy {
    uint32_t rank;
    bool store, multicast, image;             /* image: .im2col; a load has offsets then */
    uint8_t reduction;                        /* enum ptx_mod; M_none: a plain store */
    struct async_address shared, at, barrier; /* at: the map */
};
struct tensor_change { /* tensormap.replace; field: enum ptx_mod, M_cp_fenceproxy: the other */
    struct async_address to, from;
    uint8_t field, ordinal; /* ordinal: of dimensions */
    bool shared;            /* to: the instruction says so */
};

#endif
