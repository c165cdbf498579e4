/* maps.c - encodes tensor maps with the driver's cuTensorMapEncodeTiled, which the runtime hands
 * out without one being linked with it (maps.h). */
#include "maps.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned encode_tiled(void *map, unsigned type, uint32_t rank, void *address,
                              const uint64_t *extent, const uint64_t *stride, const uint32_t *box,
                              const uint32_t *step, unsigned interleave, unsigned swizzle,
                              unsigned promotion, unsigned fill);

struct maps {
    unsigned char of[LAB_MAX_STEPS][LAB_MAX_ARGS][MAP_BYTES];
};

static encode_tiled *encoder(struct exec *e)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *at = NULL;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &at, 12000,
                                                         cudaEnableDefault, &found);

    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || !at) {
        exec_fail(e, error, "the driver has no cuTensorMapEncodeTiled");
        return NULL;
    }
    return (encode_tiled *)(uintptr_t)at;
}

static bool encode(struct exec *e, encode_tiled *f, int i, int a)
{
    /* CUtensorMapDataType of an enum dtype */
    static const unsigned types[DT_COUNT] = {[DT_I32] = 3, [DT_U32] = 2, [DT_F32] = 7, [DT_F64] = 8,
                                             [DT_F16] = 6, [DT_I64] = 5, [DT_BF16] = 9};
    const struct plan_arg *x = &e->plan->steps[i].args[a];
    const struct lab_buffer *b = &e->plan->buffers[x->buffer];
    const uint64_t extent[2] = {x->offset, b->count / x->offset};
    const uint64_t stride[1] = {x->offset * dtype_size(b->dtype)};
    const uint32_t box[2] = {x->v.box.width, x->v.box.height}, step[2] = {1, 1};
    _Alignas(64) unsigned char map[MAP_BYTES];
    unsigned result = f(map, types[b->dtype], 2, e->data[x->buffer], extent, stride, box, step, 0,
                        x->v.box.swizzle, x->v.box.promotion, 0);

    memcpy(e->maps->of[i][a], map, sizeof(map));
    return !result || exec_fail(e, cudaSuccess,
                                "%s: the driver refuses the tensor map of argument %d (%s): %u",
                                e->plan->steps[i].kernel, a, b->name, result);
}

bool maps_open(struct exec *e)
{
    encode_tiled *f = NULL;

    for (int i = 0; i < e->plan->nsteps; i++)
        for (int a = 0; a < e->plan->steps[i].nargs; a++) {
            if (e->plan->steps[i].args[a].kind != ARG_TENSOR)
                continue;
            if (!e->maps)
                e->maps = xzalloc(sizeof(*e->maps));
            if (!f && !(f = encoder(e)))
                return false;
            if (!encode(e, f, i, a))
                return false;
        }
    return true;
}

void *maps_argument(struct exec *e, int i, int a)
{
    return e->maps->of[i][a];
}

void maps_close(struct exec *e)
{
    free(e->maps);
}
