// A tile without a word to spare, its words stored down the columns, all lanes in one bank: by
// st.async, which is no store. What is stored without conflicts beside it nobody reads.
// class: elsewhere
// only: transpose_padded
// expect: padded-banks=fail
// hint: padded-banks: Elements of a column are one
#include "warplab.cuh"
#define TILE 32
#define STEP 8
__device__ unsigned sh(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
LAUNCH(transpose_padded, TILE, STEP, TILE / STEP);
KERNEL __cluster_dims__(1, 1, 1) transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE * TILE];
    __shared__ volatile float unused[TILE * TILE];
    __shared__ __align__(8) unsigned long long bar;
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;
    int w = min(TILE, n - (int)blockIdx.x * TILE), h = min(TILE, m - y);
    if (tx + ty == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sh(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(&bar)), "r"(4 * w * h));
    }
    __syncthreads();
    for (int r = ty; r < TILE; r += STEP)
        if (y + r < m && x < n) {
            float v = in[(y + r) * n + x];
            unused[r * TILE + tx] = v;
            // down a column of the tile: 32 lanes, one bank
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(sh(&tile[tx * TILE + r])), "r"(__float_as_uint(v)), "r"(sh(&bar)) : "memory");
        }
    asm volatile("{ .reg .pred p; a: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra a; }" ::"r"(sh(&bar)) : "memory");
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = ty; r < TILE; r += STEP)
        if (y + r < n && x < m) out[(y + r) * m + x] = tile[r * TILE + tx];
}
