/* tensor_map.h - a tensor map of the emulator's: what cuTensorMapEncodeTiled and Im2col make
 * (runtime/driver_entry.c), tensormap.replace changes (ops/tensor_change.c) and tensor copies read
 * (ops/tensor_copy.c). Opaque to programs, as a GPU's own, which is another.
 *
 * Interleaved (NC/8HWC8, NC/16HWC16): slices of 16 or 32 bytes of channels are what coordinates
 * count, dimension 0 is the width, the last but one the slices, of which a copy moves one. Of an
 * image (im2col): box[0] channels of `pixels` pixels, from one to the next in the part of the
 * image that low and high leave (counted from its first and last pixel), then in the next row of
 * it, and so on to the next image.
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
#define TENSOR_SPACE     3   /* dimensions of an image, at most */
#define TENSOR_PIXELS    1024

struct tensor_map {
    uint32_t mark;
    uint8_t type, rank, swizzle, fill_nan; /* type: CUtensorMapDataType; swizzle: 0 to 3 */
    uint64_t address;
    uint32_t last[TENSOR_RANK];       /* the extent less one; UINT32_MAX: no copy takes it */
    uint64_t stride[TENSOR_RANK - 1]; /* bytes, of dimensions 1 to 4 */
    uint16_t box[TENSOR_RANK];
    uint8_t step[TENSOR_RANK];
    uint8_t interleave, image; /* 0, 1: 16, 2: 32 bytes; bool */
    uint16_t pixels;
    int16_t low[TENSOR_SPACE], high[TENSOR_SPACE];
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

#define TENSOR_TYPES 13
static inline uint32_t tensor_type_bytes(unsigned type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}
/* Which dimension is an image's d-th. */
static inline uint32_t tensor_space(const struct tensor_map *m, uint32_t d)
{
    return m->interleave ? d : d + 1;
}
static inline bool tensor_image_known(const struct tensor_map *m)
{
    bool known = m->image == 1 && m->rank >= 3 && m->pixels >= 1 && m->pixels <= TENSOR_PIXELS;
    for (int d = 0; known && d < m->rank - 2; d++)
        known = (int32_t)m->last[tensor_space(m, d)] + m->high[d] >= m->low[d];
    return known;
}
/* Slices of 32 bytes lie at multiples of that. */
static inline bool tensor_map_aligned(const struct tensor_map *m)
{
    bool aligned = m->interleave < 2 || m->address % 32 == 0;
    for (int d = 0; d + 1 < m->rank; d++)
        aligned = aligned && (m->interleave < 2 || m->stride[d] % 32 == 0);
    return aligned;
}
/* Are type, rank, layout and box such as there are? */
static inline bool tensor_map_known(const struct tensor_map *m)
{
    bool known = m->type < TENSOR_TYPES && m->rank >= 1 && m->rank <= TENSOR_RANK &&
                 m->swizzle < 4 && m->interleave < 3 && (!m->interleave || m->rank >= 3) &&
                 (!m->image || tensor_image_known(m)) && tensor_map_aligned(m);
    for (int d = 0; d < TENSOR_RANK; d++)
        known = known && m->box[d] >= 1 && m->box[d] <= TENSOR_BOX && m->step[d] >= 1 &&
                m->step[d] <= TENSOR_STEP;
    return known;
}
/* Of a known one: bytes that a coordinate counts along dimension 0. */
static inline uint32_t tensor_unit(const struct tensor_map *m)
{
    return m->interleave ? (uint32_t)TENSOR_CHUNK * m->interleave : tensor_type_bytes(m->type);
}
/* Elements of a box along dimension d; the step of the innermost does not count, where it is of
 * elements. */
static inline uint32_t tensor_box(const struct tensor_map *m, uint32_t d)
{
    if (m->interleave && d == m->rank - 2u)
        return 1;
    return d == 0 && !m->interleave ? m->box[0] : (m->box[d] + m->step[d] - 1u) / m->step[d];
}
/* Bytes that lie side by side: a box's row, a pixel's channels; or a slice, of images and where
 * there are steps from one to the next. */
static inline bool tensor_by_slices(const struct tensor_map *m)
{
    return m->interleave && (m->image || m->step[0] > 1);
}
static inline uint32_t tensor_row(const struct tensor_map *m)
{
    return (tensor_by_slices(m) ? 1 : m->box[0]) * tensor_unit(m);
}
static inline uint32_t tensor_rows(const struct tensor_map *m)
{
    uint32_t n = tensor_by_slices(m) ? tensor_box(m, 0) : 1;
    for (uint32_t d = 1; d < m->rank; d++)
        n *= tensor_box(m, d);
    return m->image ? m->pixels : n;
}
/* From row to row in shared memory. */
static inline uint32_t tensor_pitch(const struct tensor_map *m)
{
    return m->swizzle && !m->interleave ? (uint32_t)TENSOR_CHUNK << m->swizzle : tensor_row(m);
}
/* Of a known one: are its rows whole chunks, not wider than the swizzle, and the box no larger than
 * so many bytes? Of an interleaved one that is asked of elements, too, as if it were not. */
static inline bool tensor_map_fits(const struct tensor_map *m, uint32_t most)
{
    uint32_t row = m->box[0] * tensor_type_bytes(m->type);
    uint64_t bytes = m->image ? (uint64_t)row * m->pixels : row;
    for (int d = 1; d < TENSOR_RANK; d++)
        bytes *= m->box[d];
    return row % TENSOR_CHUNK == 0 && bytes <= most && (m->interleave || row <= tensor_pitch(m));
}

#endif
