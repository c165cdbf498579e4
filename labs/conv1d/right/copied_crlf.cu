// Right: inputs come by asynchronous copies, zeros past the end; lines end in CR LF.
// only: conv_shared conv_const
// expect: all=pass
// conv1d.cu - the reference: out[i] = sum over j < width of weights[j] * in[i + j].
//
// conv3_naive   1  the lecture's first version: the mean of three neighbours
// conv3_shared  2  the lecture's second: the block's 130 inputs through shared memory
// conv_naive    3  any width, everything from global memory
// conv_shared   4  inputs through shared memory: the tile and a halo of width - 1
// conv_const    5  as 4, with the weights in constant memory
// conv_multi    6  as 5, with four outputs a thread and a window of inputs in registers
//
// in has n + width - 1 elements, out has n; width is at most 255.
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// ---- the lecture's kernels, with a guard for the tail -------------------------------

LAUNCH(conv3_naive, BLOCK, 1, 1);
KERNEL conv3_naive(const float *in, const float *weights, float *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float result = 0;

    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        result += in[i + j];
    out[i] = result / 3.f;
}

LAUNCH(conv3_shared, BLOCK, 1, 1);
KERNEL conv3_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float support[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float result = 0;

    if (i < n + 2)
        support[threadIdx.x] = in[i];
    if (threadIdx.x < 2 && i + BLOCK < n + 2)
        support[BLOCK + threadIdx.x] = in[i + BLOCK];
    __syncthreads();
    if (i >= n) // only now: every thread of the block must reach the barrier
        return;
    for (int j = 0; j < 3; j++)
        result += support[threadIdx.x + j];
    out[i] = result / 3.f;
}

// ---- any width ----------------------------------------------------------------------

LAUNCH(conv_naive, BLOCK, 1, 1);
KERNEL conv_naive(const float *in, const float *weights, float *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * in[i + j];
    out[i] = sum;
}

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
    {
        unsigned to = (unsigned)__cvta_generic_to_shared(tile + j), bytes = first + j < total ? 4 : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + (bytes ? first + j : 0)), "r"(bytes) : "memory");
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

// ---- weights in constant memory -----------------------------------------------------
// The harness finds this array by its name and fills it before the kernel runs. All lanes
// of a warp want the same weight at the same time, which is what constant memory is for.

__constant__ __align__(16) float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

// ---- several outputs a thread -------------------------------------------------------
// Thread t makes outputs 16 t … 16 t + 15 of its block's 1024. For weights j … j + 15 they need
// inputs 16 t + j … 16 t + j + 30, of which it has the first 16 from the round before. So a round
// reads 16 inputs, 16 weights, and does 256 multiply-adds, where conv_const reads 256 of each. Both
// come as float4; weights are read so seldom that constant memory keeps up at any width.
//
// In the tile a thread's 16 words are a row of 20: lanes that read 16 words apart would all meet in
// two groups of banks, 20 words apart no two of eight neighbours do. Outputs go back through the
// tile, so that a warp stores neighbouring float4, too.

#define OUTPUTS 16
#define THREADS 64
#define TILE    (THREADS * OUTPUTS)
#define ROW     (OUTPUTS + 4)
#define ROWS    (THREADS + (MAX_WIDTH + OUTPUTS - 1) / OUTPUTS)
#define FURTHER (THREADS / (OUTPUTS / 4) * ROW / 4) // float4 in the tile that THREADS of them take

// Where float4 number q of the block's inputs, or outputs, lies in the tile.
static __device__ float4 *place(float *tile, unsigned q)
{
    return reinterpret_cast<float4 *>(&tile[q / (OUTPUTS / 4) * ROW + q % (OUTPUTS / 4) * 4]);
}

static __device__ void load_row(float x[OUTPUTS], const float *row)
{
#pragma unroll
    for (int q = 0; q < OUTPUTS; q += 4)
        *reinterpret_cast<float4 *>(&x[q]) = *reinterpret_cast<const float4 *>(&row[q]);
}

// The products of one weight with the inputs that begin at x.
static __device__ void add(float sum[OUTPUTS], float weight, const float *x)
{
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        sum[o] += weight * x[o];
}

static __device__ void add_four(float sum[OUTPUTS], const float *weights, const float *x)
{
    float4 w = *reinterpret_cast<const float4 *>(weights);

    add(sum, w.x, x);
    add(sum, w.y, x + 1);
    add(sum, w.z, x + 2);
    add(sum, w.w, x + 3);
}

LAUNCH(conv_multi, THREADS, 1, OUTPUTS);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[ROWS * ROW];
    unsigned first = blockIdx.x * TILE, total = n + width - 1; // past 2^31 in the last block
    int rows = THREADS + (width + OUTPUTS - 1) / OUTPUTS, j = 0;
    float *mine = &tile[threadIdx.x * ROW];
    float sum[OUTPUTS] = {}, x[2 * OUTPUTS];

    // All but the last block have a float4 for each of their threads, OUTPUTS / 4 times, and
    // nothing to ask: of narrow weights every instruction counts. in starts on 16 bytes.
    bool inside = first + TILE <= total;
#pragma unroll
    for (int r = 0; inside && r < OUTPUTS / 4; r++)
        place(tile, threadIdx.x)[r * FURTHER] =
            reinterpret_cast<const float4 *>(&in[first])[r * THREADS + threadIdx.x];
    for (int q = (inside ? TILE / 4 : 0) + threadIdx.x; q < rows * (OUTPUTS / 4); q += THREADS) {
        unsigned i = first + 4 * q;
        float4 v = {0, 0, 0, 0};

        if (i + 4 <= total) {
            v = *reinterpret_cast<const float4 *>(&in[i]);
        } else {
            v.x = i < total ? in[i] : 0;
            v.y = i + 1 < total ? in[i + 1] : 0;
            v.z = i + 2 < total ? in[i + 2] : 0;
        }
        *place(tile, q) = v;
    }
    __syncthreads();
    load_row(x, mine);
#pragma unroll 2
    for (; j + OUTPUTS <= width; j += OUTPUTS) {
        mine += ROW;
        load_row(x + OUTPUTS, mine);
#pragma unroll
        for (int k = 0; k < OUTPUTS; k += 4)
            add_four(sum, &conv_weights[j + k], x + k);
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            x[o] = x[OUTPUTS + o];
    }
    if (j < width) { // at most 15 weights are left, of which three are no whole float4
        load_row(x + OUTPUTS, mine + ROW);
#pragma unroll
        for (int k = 0; k < OUTPUTS; k += 4) {
            if (j + k + 4 <= width) {
                add_four(sum, &conv_weights[j + k], x + k);
                continue;
            }
#pragma unroll
            for (int d = 0; d < 3; d++)
                if (j + k + d < width)
                    add(sum, conv_weights[j + k + d], x + k + d);
        }
    }

    __syncthreads(); // nobody reads inputs any more
#pragma unroll
    for (int q = 0; q < OUTPUTS / 4; q++)
        place(tile, threadIdx.x * (OUTPUTS / 4))[q] = *reinterpret_cast<float4 *>(&sum[4 * q]);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < OUTPUTS / 4; r++) {
        unsigned q = r * THREADS + threadIdx.x, i = first + 4 * q;
        float4 v = place(tile, threadIdx.x)[r * FURTHER];

        if (first + TILE <= n || i + 4 <= n) { // out starts on 16 bytes
            *reinterpret_cast<float4 *>(&out[i]) = v;
        } else {
            if (i < n)
                out[i] = v.x;
            if (i + 1 < n)
                out[i + 1] = v.y;
            if (i + 2 < n)
                out[i + 2] = v.z;
        }
    }
}
