/* tensor_map.h - a tensor map of the emulator's: what cuTensorMapEncodeTiled makes
 * (runtime/driver_entry.c) and tensor copies read (ops/tensor_copy.c). Opaque to programs, as a
 * GPU's own, which is another.
 */
#ifndef EMULATOR_TENSOR_MAP_H
#define EMULATOR_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_MARK  0x3170616dul /* "map1" */
#define TENSOR_RANK      5
#define TENSOR_BOX       256 /* elements of a box along a dimension, at most */
#define TENSOR_STEP      8   /* and from one to the next */
#define TENSOR_CHUNK     16  /* bytes, that swizzling leaves together */

struct tensor_map {
    uint32_t mark;
    uint8_t type, rank, swizzle, fill_nan; /* type: CUtensorMapDataType; swizzle: 0 to 3 */
    uint64_t address;
    uint32_t last[TENSOR_RANK];       /* the extent less one */
    uint64_t stride[TENSOR_RANK - 1]; /* bytes, of dimensions 1 to 4 */
    uint16_t box[TENSOR_RANK];
    uint8_t step[TENSOR_RANK];
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

#define TENSOR_TYPES 13
static inline uint32_t tensor_type_bytes(unsigned type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}
/* Are type, rank, swizzle and box such as there are? */
static inline bool tensor_map_known(const struct tensor_map *m)
{
    bool known = m->type < TENSOR_TYPES && m->rank >= 1 && m->rank <= TENSOR_RANK && m->swizzle < 4;
    for (int d = 0; d < TENSOR_RANK; d++)
        known = known && m->box[d] >= 1 && m->box[d] <= TENSOR_BOX && m->step[d] >= 1 &&
                m->step[d] <= TENSOR_STEP;
    return known;
}
/* Of a known one: bytes of a box's row, and from row to row in shared memory. */
static inline uint32_t tensor_row(const struct tensor_map *m)
{
    return m->box[0] * tensor_type_bytes(m->type);
}
static inline uint32_t tensor_pitch(const struct tensor_map *m)
{
    return m->swizzle ? (uint32_t)TENSOR_CHUNK << m->swizzle : tensor_row(m);
}
/* Of a known one: are its rows whole chunks, not wider than the swizzle, and the box no larger than
 * so many bytes? */
static inline bool tensor_map_fits(const struct tensor_map *m, uint32_t most)
{
    uint32_t row = tensor_row(m);
    uint64_t bytes = row;
    for (int d = 1; d < TENSOR_RANK; d++)
        bytes *= m->box[d];
    return row % TENSOR_CHUNK == 0 && row <= tensor_pitch(m) && bytes <= most;
}
/* Elements of a box along dimension d; the step of the innermost does not count. */
static inline uint32_t tensor_box(const struct tensor_map *m, uint32_t d)
{
    return d == 0 ? m->box[0] : (m->box[d] + m->step[d] - 1u) / m->step[d];
}

#endif
