/* driver_entry.c - the functions of the driver that programs without the driver ask for:
 * cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, by cudaGetDriverEntryPoint*.
 *
 * What they refuse they refuse as an H200's driver does (580.159).
 */
#include "cudart.h"
#include "emulator/exec/tensor_map.h"
#include <string.h>

enum { CU_SUCCESS = 0, CU_INVALID_VALUE = 1 }; /* CUresult */
enum { FIRST_FLOAT = 6, PROMOTIONS = 4, INTERLEAVES = 3 };

struct wanted {
    uint32_t type, rank;
    uint64_t address;
    const uint64_t *extent, *stride;
    const uint32_t *box, *step; /* box: of an image so many channels, and its pixels */
    uint32_t interleave, swizzle, promotion, fill;
    const int *low, *high; /* of an image */
};
/* What the map need not remember, or cannot hold. */
static bool good(const struct wanted *x)
{
    uint32_t unit = x->interleave == 2 ? 32 : 16;
    if (x->type >= TENSOR_TYPES || x->rank < 1 || x->rank > TENSOR_RANK || x->address % unit ||
        x->interleave >= INTERLEAVES || ((x->interleave || x->low) && x->rank < 3) ||
        x->promotion >= PROMOTIONS || x->fill > (x->type >= FIRST_FLOAT))
        return false;
    for (uint32_t d = 0; d < x->rank; d++) {
        bool stride = d + 1 >= x->rank || (x->stride[d] % unit == 0 && x->stride[d] < 1ull << 40);
        if (x->extent[d] < 1 || x->extent[d] > 1ull << 32 || !stride)
            return false;
    }
    return true;
}
/* The corners of an image lie in 16, 8 or 5 bits, as it has 1, 2 or 3 dimensions. */
static bool good_corners(const struct wanted *x)
{
    static const int most[TENSOR_SPACE] = {32767, 127, 15};
    for (uint32_t d = 0; d + 2 < x->rank; d++) {
        int n = most[x->rank - 3];
        if (x->low[d] < -n - 1 || x->low[d] > n || x->high[d] < -n - 1 || x->high[d] > n)
            return false;
    }
    return true;
}
/* A box, step or swizzle that is too much becomes one that is not known. */
static struct tensor_map map_of(const struct wanted *x)
{
    struct tensor_map m = {.mark = TENSOR_MAP_MARK,
                           .type = (uint8_t)x->type,
                           .rank = (uint8_t)x->rank,
                           .swizzle = (uint8_t)(x->swizzle < 4 ? x->swizzle : UINT8_MAX),
                           .fill_nan = (uint8_t)x->fill,
                           .address = x->address,
                           .interleave = (uint8_t)x->interleave,
                           .image = x->low != NULL};
    for (uint32_t d = 0; d < TENSOR_RANK; d++) {
        bool has = d < x->rank;
        bool box = has && (d == 0 || !m.image);
        m.last[d] = has ? (uint32_t)(x->extent[d] - 1) : 0;
        m.box[d] = box ? (uint16_t)(x->box[d] <= TENSOR_BOX ? x->box[d] : 0) : 1;
        m.step[d] = has ? (uint8_t)(x->step[d] <= TENSOR_STEP ? x->step[d] : 0) : 1;
        if (d + 1 < x->rank)
            m.stride[d] = x->stride[d];
    }
    for (uint32_t d = 0; m.image && d + 2 < x->rank; d++) {
        m.low[d] = (int16_t)x->low[d];
        m.high[d] = (int16_t)x->high[d];
    }
    if (m.image)
        m.pixels = (uint16_t)(x->box[1] <= TENSOR_PIXELS ? x->box[1] : 0);
    return m;
}
static unsigned encode(void *out, const struct wanted *x)
{
    if (!out || !x->extent || !x->box || !x->step || (x->rank > 1 && !x->stride) || !good(x) ||
        (x->low && !good_corners(x)))
        return CU_INVALID_VALUE;
    const struct tensor_map m = map_of(x);
    if (!tensor_map_known(&m) || !tensor_map_fits(&m, device_profile()->shared_per_block_optin))
        return CU_INVALID_VALUE;
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, &m, sizeof(m));
    return CU_SUCCESS;
}
static unsigned encode_tiled(void *out, uint32_t type, uint32_t rank, void *address,
                             const uint64_t *extent, const uint64_t *stride, const uint32_t *box,
                             const uint32_t *step, uint32_t interleave, uint32_t swizzle,
                             uint32_t promotion, uint32_t fill)
{
    return encode(out, &(struct wanted){type, rank, (uintptr_t)address, extent, stride, box, step,
                                        interleave, swizzle, promotion, fill, NULL, NULL});
}
static unsigned encode_im2col(void *out, uint32_t type, uint32_t rank, void *address,
                              const uint64_t *extent, const uint64_t *stride, const int *low,
                              const int *high, uint32_t channels, uint32_t pixels,
                              const uint32_t *step, uint32_t interleave, uint32_t swizzle,
                              uint32_t promotion, uint32_t fill)
{
    if (!low || !high)
        return CU_INVALID_VALUE;
    const uint32_t box[2] = {channels, pixels};
    return encode(out, &(struct wanted){type, rank, (uintptr_t)address, extent, stride, box, step,
                                        interleave, swizzle, promotion, fill, low, high});
}

static void *function_of(const char *name)
{
    if (!strcmp(name, "cuTensorMapEncodeTiled"))
        return (void *)(uintptr_t)encode_tiled;
    if (!strcmp(name, "cuTensorMapEncodeIm2col"))
        return (void *)(uintptr_t)encode_im2col;
    return NULL;
}
static cudaError_t entry_point(const char *symbol, void **out,
                               enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !out)
        return cudaErrorInvalidValue;
    *out = function_of(symbol);
    if (status)
        *status = *out ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (*out)
        return cudaSuccess;
    return emu_fail(cudaErrorNotSupported, "%s, of the driver API: not supported by the emulator",
                    symbol);
}
/* Functions of the driver are the same whatever version is asked for, and whatever stream is the
 * default. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **out, unsigned int version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)version, (void)flags;
    return rt_leave(rt_enter() ?: entry_point(symbol, out, status));
}
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return rt_leave(rt_enter() ?: entry_point(symbol, out, status));
}
