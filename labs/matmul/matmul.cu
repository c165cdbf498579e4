// matmul.cu - c = a * b; a is m x k, b is k x n, c is m x n, all row-major. Yours to write.
//
// mm_naive is complete: read it, run it, keep its figures. Then write the steps below it in
// order, each from the one before; README.md says what each is about. m, n and k are any
// numbers, 1 and odd ones too (k may be 0: then c is all zeros). For m or n = 0 nothing is
// launched. Each matrix has fewer than 2^31 elements, so int is enough for an index.
//
// LAUNCH(kernel, threads in x, threads in y, V): the harness launches enough blocks that
// blocks of (x * V) columns by (y * V) rows cover c. Keep it in step with your constants.
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>
#include <mma.h>

// ---- 0: as the lecture prints it. Given. --------------------------------------------
// Here alone, blocks count rows along x and columns along y.

LAUNCH(mm_naive, 32, 32, 1);
KERNEL mm_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// ---- 0b: let a warp read neighbouring words -----------------------------------------

LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: which of row and col should threadIdx.x, which counts the lanes of a warp,
    // belong to? (Blocks now count columns along x and rows along y.)
}

// ---- 1: V x V outputs a thread, in registers ----------------------------------------

#define REG_V 4

LAUNCH(mm_registers, 32, 8, REG_V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: sum[REG_V][REG_V] starts at zero. For each i < k, load REG_V values of a's column i and REG_V of b's row i into
    // registers, then add all REG_V * REG_V products. Which REG_V rows and columns does a
    // thread take, so that a warp still reads neighbouring words of b? What do you load
    // where the tile hangs over the edge?
}

// ---- 2a: an L x L tile in shared memory ---------------------------------------------

#define SH_L 32

LAUNCH(mm_shared, SH_L, SH_L, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: two tiles, __shared__ float sa[SH_L][SH_L] and sb[SH_L][SH_L]. For each stretch
    // of SH_L values of k, every thread brings one element of each tile, then uses SH_L of
    // each. Where do the two barriers go, and what does each of them keep apart?
}

// ---- 2: both ------------------------------------------------------------------------

#define TL_V    4
#define TL_SIDE 16               // threads a side
#define TL_L    (TL_SIDE * TL_V) // a block makes TL_L x TL_L outputs
#define TL_S    16               // and takes TL_S steps of k at a time
#define TL_T    (TL_SIDE * TL_SIDE)

LAUNCH(mm_tiled, TL_SIDE, TL_SIDE, TL_V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: tiles sa[TL_S][TL_L], where sa[i][r] is row r's step i, and sb[TL_S][TL_L].
    // Cooperative fetching: TL_T threads bring TL_L * TL_S elements of each. Let thread t
    // bring elements t, t + TL_T, … in an order that suits global memory, whoever uses them
    // afterwards. Then multiply from shared memory as in step 1.
}

// ---- 3: 16-byte loads ---------------------------------------------------------------

// Given: four neighbours of a row from column col (a multiple of 4) on, zero from ncols on.
[[maybe_unused]] static __device__ float4 load4(const float *row, int col, int ncols)
{
    float4 v = {0, 0, 0, 0};

    if (ncols % 4 == 0) { // then every row starts on 16 bytes, and col < ncols means all four
        if (col < ncols)
            v = *reinterpret_cast<const float4 *>(row + col);
        return v;
    }
    v.x = col + 0 < ncols ? row[col + 0] : 0;
    v.y = col + 1 < ncols ? row[col + 1] : 0;
    v.z = col + 2 < ncols ? row[col + 2] : 0;
    v.w = col + 3 < ncols ? row[col + 3] : 0;
    return v;
}

LAUNCH(mm_vector, 8, 8, 8);
KERNEL mm_vector(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: step 2 with 8 x 8 outputs a thread. Fetch with load4; read both tiles in shared
    // memory as float4. (A float4 must lie on 16 bytes: __align__(16), and row lengths that
    // are multiples of 4.)
}

// ---- 4: double buffering ------------------------------------------------------------

LAUNCH(mm_pipeline, 8, 8, 8);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    // TODO: two sets of tiles, of 16 steps of k or more. Start loading the next tile into
    // registers, multiply the present one, then put the registers down in the other set.
    // One barrier a tile is enough: why?
}

// ---- 5: tensor cores ----------------------------------------------------------------
// Inputs are halves, sums are floats. LAUNCH's last number is the side of a block's tile.

#define TC_L 64
#define TC_S 32
#define TC_T 128

// Given: eight neighbours of a row from column col (a multiple of 8) on, zero from ncols on.
[[maybe_unused]] static __device__ uint4 load8(const half *row, int col, int ncols)
{
    union {
        uint4 all;
        unsigned short h[8];
    } v = {{0, 0, 0, 0}};

    if (ncols % 8 == 0) {
        if (col < ncols)
            v.all = *reinterpret_cast<const uint4 *>(row + col);
        return v.all;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (col + i < ncols)
            v.h[i] = __half_as_ushort(row[col + i]);
    return v.all;
}

LAUNCH(mm_tensor, TC_T, 1, TC_L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;

    // TODO: a warp makes 32 x 32 outputs in four fragments,
    //     fragment<accumulator, 16, 16, 16, float> sum[2][2];
    // filled with zeros. Tiles __align__(32) half sa[TC_L][TC_S + 8] and sb[TC_S][TC_L + 8].
    // For each TC_S steps of k: fetch the tiles with load8, then for each 16 of them load two
    // fragments of each tile and do four mma_sync. At the end store_matrix_sync, straight to
    // c where all 16 x 16 outputs exist and n % 4 == 0, and elsewhere by way of a little
    // shared array of floats, one 16 x 16 for each warp.
}

// ---- from 6 on: the tensor cores' own road --------------------------------------------
// tensor.cuh has the instructions, one a function, by their PTX names. TENSOR(kernel) says how
// large a tile of c is (rows, columns): blocks are numbered along x alone, one for each tile, or,
// of a persistent kernel, one for each multiprocessor. It also says which arguments are tensor
// maps: their number, type, box (elements of a row, rows), swizzle and what L2 fetches. Where maps
// are used, n and k are multiples of 8, and neither is 0.
//
// Tiles lie in shared memory in rows of 128 bytes, swizzled: chunk q (16 bytes) of row r is at
// chunk q ^ r % 8 of its row.

#define TG_M 128 // rows of a tile
#define TG_S 64  // of k at a time: a row of a's tile is 128 bytes
#define TG_A (TG_M * TG_S * 2)
#define TG_B (TG_S * 64 * 2) // bytes of 64 columns of b

#define MA_STAGES 3
#define MA_BYTES  (TG_A + 2 * TG_B) // of a stage: 128 columns
#define MA_SHARED (MA_STAGES * MA_BYTES)

extern __shared__ __align__(1024) unsigned char tiles[];

// Given: tiles of c are numbered in bands of 16 rows of tiles, down each column, so that blocks
// that run at the same time share rows of a and columns of b.
[[maybe_unused]] static __device__ void tile_place(int t, int down, int across, int &row, int &col)
{
    const int most = 16;
    int band = t / (most * across), left = down - band * most, rows = left < most ? left : most;

    t -= band * most * across;
    row = band * most + t % rows;
    col = t / rows;
}

// ---- 6: mma.sync --------------------------------------------------------------------

LAUNCH(mm_mma, 128, 1, 1, MA_SHARED);
TENSOR(mm_mma) = {.tile = {TG_M, 128}};
KERNEL mm_mma(const half *a, const half *b, float *c, int m, int n, int k)
{
    // TODO: four warps of 64 x 64 outputs, float sum[4][8][4]. Stages of 64 steps of k, three of
    // them: cp_async_16 brings a chunk (or zeros), cp_async_commit ends a stage, and
    // cp_async_wait<1> waits for all but the last. From a stage ldmatrix_x4 takes 16 x 16 of a,
    // ldmatrix_x4_trans 16 x 16 of b. Where n or k is no multiple of 8, use load8.
}

// ---- 7: tiles by tensor map ----------------------------------------------------------

LAUNCH(mm_tma, 128, 1, 1, MA_SHARED);
TENSOR(mm_tma) = {.tile = {TG_M, 128},
                  .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                          {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL mm_tma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              float *c, int m, int n, int k)
{
    // TODO: as before, but one thread asks for a whole stage: mbarrier_arrive_expect_tx with its
    // bytes, then tensor_load_2d for a's tile and for each 64 columns of b's. All wait at the
    // stage's mbarrier; its parity changes each time the stage comes round.
}

// ---- 8: wgmma -------------------------------------------------------------------------

LAUNCH(mm_wgmma, 256, 1, 1, MA_SHARED);
TENSOR(mm_wgmma) = {.tile = {TG_M, 128},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL mm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                float *c, int m, int n, int k)
{
    // TODO: two groups of four warps, 64 rows each, float sum[64]. For each 16 steps of k one
    // wgmma_m64n128k16_f16<1> with two descriptors (wgmma_descriptor_128): a's 16 steps are 32
    // bytes further, b's 16 rows 2048, and its second 64 columns TG_B. wgmma_fence before the
    // first, wgmma_commit_group and wgmma_wait_group<0> behind the last.
}

// ---- 9: roles -------------------------------------------------------------------------

#define RO_N      256
#define RO_STAGES 4
#define RO_BYTES  (TG_A + RO_N / 64 * TG_B) // of a stage
#define RO_SHARED (RO_STAGES * RO_BYTES)
#define RO_T      384 // two groups that multiply, one that fetches

LAUNCH(mm_roles, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_roles) = {.tile = {TG_M, RO_N},
                    .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                            {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             int m, int n, int k)
{
    // TODO: a stage has two mbarriers: full (its bytes) and empty (both groups are done with it).
    // The third group does setmaxnreg_dec<40>, and one thread of it fetches all stages; the others
    // do setmaxnreg_inc<232> and wgmma_m64n256k16_f16. No __syncthreads in the loop.
}

// ---- 10: blocks that stay ---------------------------------------------------------------

LAUNCH(mm_persistent, RO_T, 1, 1, RO_SHARED);
TENSOR(mm_persistent) = {.tile = {TG_M, RO_N},
                         .persistent = 1,
                         .map = {{0, TENSOR_F16, {TG_S, TG_M}, SWIZZLE_128B, PROMOTE_256B},
                                 {1, TENSOR_F16, {64, TG_S}, SWIZZLE_128B, PROMOTE_256B}}};
KERNEL __launch_bounds__(RO_T, 1)
    mm_persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  float *c, int m, int n, int k)
{
    // TODO: block i takes tiles i, i + gridDim.x, …; the stages go on from one tile to the next.
}

// ---- 11: stores by tensor map -----------------------------------------------------------

#define ST_BYTES (64 * 32 * 4) // 64 rows of 32 sums: one of a group's two places

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
    // TODO: 32 columns of a group's sums at a time into shared memory, fence_proxy_async, a
    // named_barrier_sync of the group, and one thread's tensor_store_2d and bulk_commit_group.
    // Before a place is written again: bulk_wait_group_read<1>.
}

// ---- 12: clusters of two ----------------------------------------------------------------

#define CL_BLOCKS 2

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
    // TODO: two blocks, one above the other, each fetch half of b's tile into both
    // (tensor_load_2d_multicast). A stage is empty when the groups of both blocks have said so, at
    // both (mbarrier_arrive_remote). cluster_sync once the barriers are there, and at the end.
}
