/* driver_entry.c - the one function of the driver that programs without the driver ask for:
 * cuTensorMapEncodeTiled, by cudaGetDriverEntryPoint*.
 *
 * What it refuses it refuses as an H200's driver does (580.159), and for maps that the emulator
 * has no copies for (interleaved ones) it says so.
 */
#include "cudart.h"
#include "emulator/exec/tensor_map.h"
#include <string.h>

enum { CU_SUCCESS = 0, CU_INVALID_VALUE = 1, CU_NOT_SUPPORTED = 801 }; /* CUresult */
enum { FIRST_FLOAT = 6, PROMOTIONS = 4, INTERLEAVES = 3 };

struct wanted {
    uint32_t type, rank;
    uint64_t address;
    const uint64_t *extent, *stride;
    const uint32_t *box, *step;
    uint32_t interleave, swizzle, promotion, fill;
};
/* What the map need not remember, or cannot hold. */
static bool good(const struct wanted *x)
{
    if (x->type >= TENSOR_TYPES || x->rank < 1 || x->rank > TENSOR_RANK || x->address % 16 ||
        x->interleave >= INTERLEAVES || (x->interleave && x->rank < 3) ||
        x->promotion >= PROMOTIONS || x->fill > (x->type >= FIRST_FLOAT))
        return false;
    for (uint32_t d = 0; d < x->rank; d++) {
        bool stride = d + 1 >= x->rank || (x->stride[d] % 16 == 0 && x->stride[d] < 1ull << 40);
        if (x->extent[d] < 1 || x->extent[d] > 1ull << 32 || !stride)
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
                           .address = x->address};
    for (uint32_t d = 0; d < TENSOR_RANK; d++) {
        bool has = d < x->rank;
        m.last[d] = has ? (uint32_t)(x->extent[d] - 1) : 0;
        m.box[d] = has ? (uint16_t)(x->box[d] <= TENSOR_BOX ? x->box[d] : 0) : 1;
        m.step[d] = has ? (uint8_t)(x->step[d] <= TENSOR_STEP ? x->step[d] : 0) : 1;
        if (d + 1 < x->rank)
            m.stride[d] = x->stride[d];
    }
    return m;
}
static unsigned encode_tiled(void *out, uint32_t type, uint32_t rank, void *address,
                             const uint64_t *extent, const uint64_t *stride, const uint32_t *box,
                             const uint32_t *step, uint32_t interleave, uint32_t swizzle,
                             uint32_t promotion, uint32_t fill)
{
    const struct wanted x = {type,       rank,    (uintptr_t)address, extent, stride, box, step,
                             interleave, swizzle, promotion,          fill};
    if (!out || !extent || !box || !step || (rank > 1 && !stride) || !good(&x))
        return CU_INVALID_VALUE;
    const struct tensor_map m = map_of(&x);
    if (!tensor_map_known(&m))
        return CU_INVALID_VALUE;
    if (interleave) {
        emu_fail(cudaErrorNotSupported,
                 "cuTensorMapEncodeTiled: interleaved maps: not supported by the emulator");
        return CU_NOT_SUPPORTED;
    }
    if (!tensor_map_fits(&m, device_profile()->shared_per_block_optin))
        return CU_INVALID_VALUE;
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, &m, sizeof(m));
    return CU_SUCCESS;
}

static cudaError_t entry_point(const char *symbol, void **out,
                               enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !out)
        return cudaErrorInvalidValue;
    bool here = !strcmp(symbol, "cuTensorMapEncodeTiled");
    *out = here ? (void *)(uintptr_t)encode_tiled : NULL;
    if (status)
        *status = here ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (here)
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
