// Right: a's tile comes in two boxes of 64 rows, the second of which may have few that exist.
// only: mm_roles
// expect: all=pass
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>

#define TG_M 128 // rows of a tile
#define TG_S 64  // of k at a time: a row of a's tile is 128 bytes
#define TG_A (TG_M * TG_S * 2)
#define TG_B (TG_S * 64 * 2) // bytes of 64 columns

#define RO_N      256
#define RO_STAGES 4
#define RO_BYTES  (TG_A + RO_N / 64 * TG_B) // of a stage
#define RO_SHARED (RO_STAGES * RO_BYTES)
#define RO_T      384 // two groups that multiply, one that fetches

extern __shared__ __align__(1024) unsigned char tiles[];

struct ring {
    mbarrier full[RO_STAGES], empty[RO_STAGES];
};

static __device__ void produce(struct ring &r, const CUtensorMap *a, const CUtensorMap *b, int row0,
                               int col0, int k)
{
    for (int k0 = 0, i = 0; k0 < k; k0 += TG_S, i++) {
        const int s = i % RO_STAGES;
        const unsigned to = shared_address(tiles) + s * RO_BYTES;
        mbarrier *full = &r.full[s];

        mbarrier_wait(&r.empty[s], i / RO_STAGES % 2 ^ 1); // at first it is
        mbarrier_arrive_expect_tx(full, RO_BYTES);
        tensor_load_2d(to, a, k0, row0, full);
        tensor_load_2d(to + TG_A / 2, a, k0, row0 + TG_M / 2, full);
#pragma unroll
        for (int h = 0; h < RO_N / 64; h++)
            tensor_load_2d(to + TG_A + h * TG_B, b, col0 + h * 64, k0, full);
    }
}

// A stage is given back when the next one's products are under way.
static __device__ void consume(struct ring &r, float (&sum)[RO_N / 2], int group, int k)
{
    int i = 0;

    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        const int s = i % RO_STAGES;
        const unsigned at = shared_address(tiles) + s * RO_BYTES;

        mbarrier_wait(&r.full[s], i / RO_STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < TG_S / 16; j++)
            wgmma_m64n256k16_f16<1>(sum, wgmma_descriptor_128(at + group * (TG_A / 2) + j * 32, 16),
                                    wgmma_descriptor_128(at + TG_A + j * 2048, TG_B), 1);
        wgmma_commit_group();
        wgmma_wait_group<1>();
        if (k0 && threadIdx.x % 128 == 0)
            mbarrier_arrive(&r.empty[(i - 1) % RO_STAGES]);
    }
    wgmma_wait_group<0>();
}

// A group's 64 rows and columns 8 x + {0, 1} … of its sums.
static __device__ void store_group(float *c, const float (&sum)[RO_N / 2], int m, int n, int row0,
                                   int col0)
{
    const int t = threadIdx.x % 128, row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int x = 0; x < RO_N / 8; x++)
            if (row + h * 8 < m && col + x * 8 < n)
                *reinterpret_cast<float2 *>(&c[(row + h * 8) * n + col + x * 8]) =
                    make_float2(sum[x * 4 + h * 2], sum[x * 4 + h * 2 + 1]);
}

LAUNCH(mm_roles, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_roles) = {.tile = {TG_M, RO_N},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M / 2}, SWIZZLE_128B, PROMOTE_128B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             int m, int n, int k)
{
    __shared__ struct ring r;
    const int group = threadIdx.x / 128, across = (n + RO_N - 1) / RO_N;
    const int row0 = blockIdx.x / across * TG_M, col0 = blockIdx.x % across * RO_N;

    if (threadIdx.x == 0) {
        for (int s = 0; s < RO_STAGES; s++) {
            mbarrier_init(&r.full[s], 1);
            mbarrier_init(&r.empty[s], 2);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        if (threadIdx.x % 128 == 0)
            produce(r, &a, &b, row0, col0, k);
    } else {
        float sum[RO_N / 2] = {};

        setmaxnreg_inc<232>();
        consume(r, sum, group, k);
        store_group(c, sum, m, n, row0 + group * 64, col0);
    }
}
