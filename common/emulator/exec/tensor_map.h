/* tensor_map.h - a tensor map of the emulator's: what cuTensorMapEncodeTiled makes
 * (runtime/driver_entry.c) and tensor copies read (ops/tensor_copy.c). Opaque to programs, as a
 * GPU's own, which is another.
 */
#ifndef EMULATOR_TENSOR_MAP_H
#define EMULATOR_TENSOR_MAP_H

#include <stdint.h>

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_MARK  0x3170616dul /* "map1" */
#define TENSOR_RANK      5

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
/* Elements of a box along dimension d; the step of the innermost does not count. */
static inline uint32_t tensor_box(const struct tensor_map *m, uint32_t d)
{
    return d == 0 ? m->box[0] : (m->box[d] + m->step[d] - 1u) / m->step[d];
}

#endif
