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
