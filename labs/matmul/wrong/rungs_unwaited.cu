// The tensor rungs, each with one wait left out: but for
// mm_cluster's, whose blocks do not wait for each other at the end, and mm_persistent's third tile, results
// are right here all the same.
// only: mm_tma mm_wgmma mm_roles mm_persistent mm_store mm_cluster
// expect: tma-clean=fail wgmma-clean=fail roles-clean=fail persistent-clean=fail store-clean=fail
// expect: cluster-ok=fail cluster-clean=fail persistent-ok=fail persistent-used=any
// hint: tma-clean: under way
// hint: wgmma-clean: missing wgmma.fence
// hint: roles-clean: nothing orders the two
// hint: persistent-ok: did not come to an end
// hint: persistent-clean: nothing orders the two
// hint: store-clean: missing proxy fence
// hint: cluster-ok: a barrier.cluster before its end
// hint: cluster-clean: which has ended
// score: 5
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>

#define TG_M 128 // rows of a tile
#define TG_S 64  // of k at a time: a row of a's tile is 128 bytes
#define TG_A (TG_M * TG_S * 2)
#define TG_B (TG_S * 64 * 2) // bytes of 64 columns

#define MA_STAGES 3
#define MA_BYTES  (TG_A + 2 * TG_B) // of a stage
#define MA_SHARED (MA_STAGES * MA_BYTES)

extern __shared__ __align__(1024) unsigned char tiles[];

// Where chunk q of row r lies.
static __device__ unsigned chunk_at(int r, int q)
{
    return r * 128 + (q ^ r % 8) * 16;
}

// Tiles of c are numbered in bands of 16 rows of tiles, down each column: blocks that run at the
// same time share rows of a and columns of b, which then come from L2.
static __device__ void tile_place(int t, int down, int across, int &row, int &col)
{
    const int most = 16;
    int band = t / (most * across), left = down - band * most, rows = left < most ? left : most;

    t -= band * most * across;
    row = band * most + t % rows;
    col = t / rows;
}

static __device__ int tiles_of(int extent, int side)
{
    return (extent + side - 1) / side;
}

static __device__ void multiply_mma(float (&sum)[4][8][4], unsigned at, int warp, int lane)
{
    unsigned sb = at + TG_A + warp % 2 * TG_B;

#pragma unroll
    for (int i = 0; i < TG_S; i += 16) {
        unsigned af[4][4], bf[4][4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            ldmatrix_x4(af[v],
                        at + chunk_at(warp / 2 * 64 + v * 16 + lane % 16, i / 8 + lane / 16));
            ldmatrix_x4_trans(bf[v], sb + chunk_at(i + lane % 16, v * 2 + lane / 16));
        }
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 8; x++)
                mma_m16n8k16_f16(sum[y][x], af[y], bf[x / 2][x % 2 * 2], bf[x / 2][x % 2 * 2 + 1]);
    }
}

// Two neighbours of a row.
static __device__ void store2(float *c, int m, int n, int row, int col, float x, float y)
{
    if (row >= m || col >= n)
        return;
    if (n % 2 == 0) {
        *reinterpret_cast<float2 *>(&c[row * n + col]) = make_float2(x, y);
        return;
    }
    c[row * n + col] = x;
    if (col + 1 < n)
        c[row * n + col + 1] = y;
}

static __device__ void store_mma(float *c, const float (&sum)[4][8][4], int m, int n, int row0,
                                 int col0, int warp, int lane)
{
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 8; x++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                store2(c, m, n, row0 + warp / 2 * 64 + y * 16 + h * 8 + lane / 4,
                       col0 + warp % 2 * 64 + x * 8 + lane % 4 * 2, sum[y][x][h * 2],
                       sum[y][x][h * 2 + 1]);
}

// ---- 7: tiles by tensor map ---------------------------------------------------------
// One thread asks for a whole tile, zeros past the edges included; an mbarrier counts its bytes. A
// row of a and b must be a multiple of 16 bytes from here on.

LAUNCH(mm_tma, 128, 1, 1, MA_SHARED);
TENSOR(mm_tma) = {.tile = {TG_M, 128},
                  .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                          {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};

// a's tile and `halves` times 64 columns of b's, from k0 on.
static __device__ void fetch_tiles(unsigned to, const CUtensorMap *a, const CUtensorMap *b,
                                   int row0, int col0, int k0, int halves, mbarrier *full)
{
    mbarrier_arrive_expect_tx(full, TG_A + halves * TG_B);
    tensor_load_2d(to, a, k0, row0, full);
#pragma unroll
    for (int h = 0; h < halves; h++)
        tensor_load_2d(to + TG_A + h * TG_B, b, col0 + h * 64, k0, full);
}

KERNEL mm_tma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              float *c, int m, int n, int k)
{
    __shared__ mbarrier full[MA_STAGES];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, row0, col0;
    unsigned at = shared_address(tiles);
    float sum[4][8][4] = {};

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, 128), row0, col0);
    row0 *= TG_M;
    col0 *= 128;
    if (tid == 0) {
        for (int s = 0; s < MA_STAGES; s++)
            mbarrier_init(&full[s], 1);
        fence_mbarrier_init();
        for (int s = 0; s < MA_STAGES - 1 && s * TG_S < k; s++)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, s * TG_S, 2, &full[s]);
    }
    __syncthreads();
    for (int i = 0; i * TG_S < k; i++) {
        int ahead = i + MA_STAGES - 1, s = ahead % MA_STAGES;

        mbarrier_wait(&full[i % MA_STAGES], i / MA_STAGES % 2);
        __syncthreads(); // nobody reads the stage before it
        if (tid == 0) // the last two are asked for, and nobody waits for them
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, ahead * TG_S, 2, &full[s]);
        multiply_mma(sum, at + i % MA_STAGES * MA_BYTES, warp, lane);
    }
    store_mma(c, sum, m, n, row0, col0, warp, lane);
}

// ---- 8: wgmma -----------------------------------------------------------------------
// Two groups of four warps have 64 rows each. Their operands stay in shared memory, where
// descriptors say how they lie: no fragment passes through registers.

LAUNCH(mm_wgmma, 256, 1, 1, MA_SHARED);
TENSOR(mm_wgmma) = {.tile = {TG_M, 128},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};

// A group's 64 rows and columns 8 x + {0, 1} … of its sums.
template <int n_sums>
static __device__ void store_group(float *c, const float (&sum)[n_sums], int m, int n, int row0,
                                   int col0)
{
    int t = threadIdx.x % 128, row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;

#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int x = 0; x < n_sums / 4; x++)
            if (row + h * 8 < m && col + x * 8 < n)
                *reinterpret_cast<float2 *>(&c[(row + h * 8) * n + col + x * 8]) =
                    make_float2(sum[x * 4 + h * 2], sum[x * 4 + h * 2 + 1]);
}

KERNEL mm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                float *c, int m, int n, int k)
{
    __shared__ mbarrier full[MA_STAGES];
    int tid = threadIdx.x, group = tid / 128, row0, col0;
    unsigned at = shared_address(tiles);
    float sum[64] = {};

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, 128), row0, col0);
    row0 *= TG_M;
    col0 *= 128;
    if (tid == 0) {
        for (int s = 0; s < MA_STAGES; s++)
            mbarrier_init(&full[s], 1);
        fence_mbarrier_init();
        for (int s = 0; s < MA_STAGES && s * TG_S < k; s++)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, s * TG_S, 2, &full[s]);
    }
    __syncthreads();
    for (int i = 0; i * TG_S < k; i++) {
        int ahead = i + MA_STAGES, s = i % MA_STAGES;
        unsigned sa = at + s * MA_BYTES + group * (TG_A / 2), sb = at + s * MA_BYTES + TG_A;

        mbarrier_wait(&full[s], i / MA_STAGES % 2);
#pragma unroll
        for (int j = 0; j < TG_S / 16; j++)
            wgmma_m64n128k16_f16<1>(sum, wgmma_descriptor_128(sa + j * 32, 16),
                                    wgmma_descriptor_128(sb + j * 2048, TG_B), 1);
        wgmma_commit_group();
        wgmma_wait_group<0>();
        __syncthreads(); // nobody reads this stage any more
        if (tid == 0 && ahead * TG_S < k)
            fetch_tiles(at + s * MA_BYTES, &a, &b, row0, col0, ahead * TG_S, 2, &full[s]);
    }
    store_group(c, sum, m, n, row0 + group * 64, col0);
}

// ---- 9: a warp that fetches, two groups that multiply --------------------------------
// Nobody waits for the whole block any more: a stage has a barrier "full", at which its bytes are
// counted, and one "empty", at which both groups arrive when they have done with it. The fetching
// group gives registers to the others, so that the tile can be 128 x 256.

#define RO_N      256
#define RO_STAGES 4
#define RO_BYTES  (TG_A + RO_N / 64 * TG_B) // of a stage
#define RO_SHARED (RO_STAGES * RO_BYTES)
#define RO_T      384 // two groups that multiply, one that fetches

struct ring {
    mbarrier full[RO_STAGES], empty[RO_STAGES];
};

static __device__ void ring_init(struct ring &r, int arrivals)
{
    for (int s = 0; s < RO_STAGES; s++) {
        mbarrier_init(&r.full[s], 1);
        mbarrier_init(&r.empty[s], arrivals);
    }
    fence_mbarrier_init();
}

// Fetches all steps of a tile; `i` counts the steps of all tiles.
template <bool waits = true>
static __device__ void produce(struct ring &r, const CUtensorMap *a, const CUtensorMap *b, int row0,
                               int col0, int k, int &i)
{
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;

        if (waits || k0) // at first it is
            mbarrier_wait(&r.empty[s], i / RO_STAGES % 2 ^ 1);
        fetch_tiles(shared_address(tiles) + s * RO_BYTES, a, b, row0, col0, k0, RO_N / 64,
                    &r.full[s]);
    }
}

// Gives a stage back, to each block of the cluster.
static __device__ void give_back(mbarrier &empty, unsigned blocks)
{
    if (blocks == 1 && threadIdx.x % 128 == 0)
        mbarrier_arrive(&empty);
    if (blocks > 1 && threadIdx.x % 128 < blocks)
        mbarrier_arrive_remote(&empty, threadIdx.x % 128);
}

// Multiplies them. A stage is given back when the next one's products are under way, so that the
// tensor cores always have some.
template <int late = 1>
static __device__ void consume(struct ring &r, float (&sum)[RO_N / 2], int group, int k, int &i,
                               unsigned blocks = 1)
{
#pragma unroll
    for (int j = 0; j < RO_N / 2; j++)
        sum[j] = 0;
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;
        unsigned at = shared_address(tiles) + s * RO_BYTES;

        mbarrier_wait(&r.full[s], i / RO_STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < TG_S / 16; j++)
            wgmma_m64n256k16_f16<1>(sum, wgmma_descriptor_128(at + group * (TG_A / 2) + j * 32, 16),
                                    wgmma_descriptor_128(at + TG_A + j * 2048, TG_B), 1);
        wgmma_commit_group();
        wgmma_wait_group<1>();
        if (k0 || !late)
            give_back(r.empty[(i - late) % RO_STAGES], blocks);
    }
    wgmma_wait_group<0>();
    if (late)
        give_back(r.empty[(i - 1) % RO_STAGES], blocks);
}

LAUNCH(mm_roles, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_roles) = {.tile = {TG_M, RO_N},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             int m, int n, int k)
{
    __shared__ struct ring r;
    int group = threadIdx.x / 128, row0, col0, i = 0;

    tile_place(blockIdx.x, tiles_of(m, TG_M), tiles_of(n, RO_N), row0, col0);
    row0 *= TG_M;
    col0 *= RO_N;
    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        if (threadIdx.x % 128 == 0)
            produce(r, &a, &b, row0, col0, k, i);
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        consume<0>(r, sum, group, k, i); // gives stages back while their products are on their way
        store_group(c, sum, m, n, row0 + group * 64, col0);
    }
}

// ---- 10: blocks that stay -----------------------------------------------------------
// One block a multiprocessor takes every so-many-th tile: while two groups store one tile, the
// third fetches the next.

LAUNCH(mm_persistent, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_persistent) = {.tile = {TG_M, RO_N},
                         .persistent = 1,
                         .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                                 {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  float *c, int m, int n, int k)
{
    __shared__ struct ring r;
    int down = tiles_of(m, TG_M), across = tiles_of(n, RO_N), group = threadIdx.x / 128;
    int row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x; t < down * across && threadIdx.x % 128 == 0; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            produce<false>(r, &a, &b, row * TG_M, col * RO_N, k, i); // a tile's first stage
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x; t < down * across; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            consume(r, sum, group, k, i);
            store_group(c, sum, m, n, row * TG_M + group * 64, col * RO_N);
        }
    }
}

// ---- 11: stores by tensor map -------------------------------------------------------
// A group puts 32 columns of its sums into shared memory at a time and has them copied from there,
// while it writes the next 32 beside them. The copy leaves out what lies past the edges.

#define ST_BYTES (64 * 32 * 4) // one of a group's two places

template <bool told = true>
static __device__ void store_tiles(const CUtensorMap *c, const float (&sum)[RO_N / 2], int group,
                                   int row0, int col0)
{
    int t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4;
    unsigned at = RO_STAGES * RO_BYTES + group * 2 * ST_BYTES;

#pragma unroll
    for (int x = 0; x < RO_N; x += 32) {
        unsigned to = at + x / 32 % 2 * ST_BYTES;

        if (t == 0)
            bulk_wait_group_read<1>(); // the copy before the last has read this place
        named_barrier_sync(1 + group, 128);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int r = row + j % 2 * 8, from = x / 2 + j / 2 * 4 + j % 2 * 2;
            float2 v = {sum[from], sum[from + 1]};
            *reinterpret_cast<float2 *>(tiles + to + chunk_at(r, j / 2 * 2 + t % 4 / 2) +
                                        t % 2 * 8) = v;
        }
        if (told)
            fence_proxy_async();
        named_barrier_sync(1 + group, 128);
        if (t == 0) {
            tensor_store_2d(c, col0 + x, row0, shared_address(tiles) + to);
            bulk_commit_group();
        }
    }
}

LAUNCH(mm_store, RO_T, 1, 1, RO_SHARED + 4 * ST_BYTES);
TENSOR(mm_store) = {.tile = {TG_M, RO_N},
                    .persistent = 1,
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B},
                            {2, TENSOR_F32, {32, 64}, SWIZZLE_128B, PROMOTE_NONE}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_store(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
    __shared__ struct ring r;
    int down = tiles_of(m, TG_M), across = tiles_of(n, RO_N), group = threadIdx.x / 128;
    int row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2);
    __syncthreads();
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x; t < down * across && threadIdx.x % 128 == 0; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            produce(r, &a, &b, row * TG_M, col * RO_N, k, i);
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x; t < down * across; t += gridDim.x) {
            tile_place(t, down, across, row, col);
            consume(r, sum, group, k, i);
            store_tiles<false>(&c, sum, group, row * TG_M + group * 64, col * RO_N);
        }
        if (threadIdx.x % 128 == 0)
            bulk_wait_group_read<0>(); // a block's shared memory goes with it
    }
}

// ---- 12: clusters of two ------------------------------------------------------------
// Two blocks, one above the other, need the same tile of b: each fetches half of it, into both. So
// a stage may be overwritten when the groups of both blocks have done with it. It saves a third of
// what L2 delivers, which is not what the kernel waits for: times stay as they were.

#define CL_BLOCKS 2

static __device__ void produce_shared(struct ring &r, const CUtensorMap *a, const CUtensorMap *b,
                                      int row0, int col0, int k, unsigned rank, int &i)
{
    for (int k0 = 0; k0 < k; k0 += TG_S, i++) {
        int s = i % RO_STAGES;
        unsigned to = shared_address(tiles) + s * RO_BYTES;

        mbarrier_wait(&r.empty[s], i / RO_STAGES % 2 ^ 1);
        mbarrier_arrive_expect_tx(&r.full[s], RO_BYTES); // both halves come here
        tensor_load_2d(to, a, k0, row0, &r.full[s]);
#pragma unroll
        for (int j = 0; j < RO_N / 64 / CL_BLOCKS; j++) {
            int h = rank * (RO_N / 64 / CL_BLOCKS) + j;
            tensor_load_2d_multicast(to + TG_A + h * TG_B, b, col0 + h * 64, k0, &r.full[s],
                                     (1 << CL_BLOCKS) - 1);
        }
    }
}

LAUNCH(mm_cluster, RO_T, 1, 1, RO_SHARED + 4 * ST_BYTES);
TENSOR(mm_cluster) = {.tile = {TG_M, RO_N},
                      .cluster = CL_BLOCKS,
                      .persistent = 1,
                      .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                              {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B},
                              {2, TENSOR_F32, {32, 64}, SWIZZLE_128B, PROMOTE_NONE}}};
KERNEL CLUSTER(CL_BLOCKS) __launch_bounds__(RO_T, 1)
    mm_cluster(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               const __grid_constant__ CUtensorMap c, int m, int n, int k)
{
    __shared__ struct ring r;
    int pairs = tiles_of(m, CL_BLOCKS * TG_M), across = tiles_of(n, RO_N), rank = cluster_ctarank();
    int group = threadIdx.x / 128, row, col, i = 0;

    if (threadIdx.x == 0)
        ring_init(r, 2 * CL_BLOCKS);
    cluster_sync(); // the other block's barriers are there
    if (group == 2) {
        setmaxnreg_dec<40>();
        for (int t = blockIdx.x / CL_BLOCKS; t < pairs * across && threadIdx.x % 128 == 0;
             t += gridDim.x / CL_BLOCKS) {
            tile_place(t, pairs, across, row, col);
            produce_shared(r, &a, &b, (row * CL_BLOCKS + rank) * TG_M, col * RO_N, k, rank, i);
        }
    } else {
        float sum[RO_N / 2];

        setmaxnreg_inc<232>();
        for (int t = blockIdx.x / CL_BLOCKS; t < pairs * across; t += gridDim.x / CL_BLOCKS) {
            tile_place(t, pairs, across, row, col);
            consume(r, sum, group, k, i, CL_BLOCKS);
            store_tiles(&c, sum, group, (row * CL_BLOCKS + rank) * TG_M + group * 64, col * RO_N);
        }
        if (threadIdx.x % 128 == 0)
            bulk_wait_group_read<0>();
    }
}
