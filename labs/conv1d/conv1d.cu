// conv1d.cu - out[i] = sum over j < width of weights[j] * in[i + j]. Yours to write.
//
// Given, to measure: conv3_naive and conv3_shared (the lecture's, width 3) and conv_naive
// (any width). Yours: conv_shared, conv_const, conv_multi.
//
// in has n + width - 1 elements, out has n; width is 1 to 255, n any number. Past the end of
// in there is nothing to read.
//
// LAUNCH(kernel, threads a block, 1, outputs a thread).
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

// ---- 4: inputs through shared memory ------------------------------------------------

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    // TODO: __shared__ float tile[BLOCK + MAX_WIDTH - 1]. Bring the inputs that the block's
    // outputs need: BLOCK of them and a halo of width - 1 more, which may be longer than the
    // block. Let all threads fetch, wait, and only then add up. Who may leave before the
    // barrier?
}

// ---- 5: weights in constant memory --------------------------------------------------
// The harness finds this array by its name and fills it before the kernel runs.

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    // TODO: conv_shared with conv_weights[j] for weights[j].
}

// ---- 6: several outputs a thread ----------------------------------------------------

#define OUTPUTS 4
#define TILE    (BLOCK * OUTPUTS)

LAUNCH(conv_multi, BLOCK, 1, OUTPUTS);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    // TODO: thread t makes OUTPUTS neighbouring outputs. Two neighbours share all but one of
    // their inputs: keep what you have read in registers and use it OUTPUTS times. Watch the
    // banks: which words do the 32 lanes read at the same time?
}
