// Right: one thread has the tile brought by a bulk copy, which an mbarrier waits for; the rest of it comes
// word by word.
// only: conv_shared
// expect: all=pass
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[BLOCK + MAX_WIDTH + 8];
    __shared__ __align__(8) unsigned long long bar;
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x, count = BLOCK + width - 1,
        total = n + width - 1;
    int have = total - first < count ? total - first : count, whole = have / 4 * 4;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar),
             d = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(b) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(b),
                     "r"(whole * 4)
                     : "memory");
        if (whole)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                         "[%1], %2, [%3];" ::"r"(d),
                         "l"(in + first), "r"(whole * 4), "r"(b)
                         : "memory");
    }
    for (int j = whole + threadIdx.x; j < count; j += BLOCK)
        tile[j] = j < have ? in[first + j] : 0;
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" ::"r"(b)
        : "memory");
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
