// Lanes read four words apart, so that four of them want each bank; a quarter of the lanes reads after the
// other, so that none of a load meet there.
// class: dilution
// only: conv_multi
// expect: multi-banks=fail
// hint: multi-banks: wavefronts
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

// A quarter of the lanes after the other: eight lanes that read four words apart do not meet.
static __device__ float in_quarters(const float *word)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(word), lane = threadIdx.x % 32;
    float v = 0;

#pragma unroll
    for (unsigned q = 0; q < 32; q += 8)
        asm volatile("{ .reg .pred p; .reg .b32 a; sub.u32 a, %1, %2; setp.lt.u32 p, a, 8; "
                     "@p ld.shared.f32 %0, [%3]; }"
                     : "+f"(v)
                     : "r"(lane), "r"(q), "r"(at)
                     : "memory");
    return v;
}

#define OUTPUTS 4
#define TILE    (BLOCK * OUTPUTS)

LAUNCH(conv_multi, BLOCK, 1, OUTPUTS);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[TILE + MAX_WIDTH + 1]; // whole float4 to the end
    int first = blockIdx.x * TILE, i = first + threadIdx.x * OUTPUTS;
    const float *mine = tile + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {}, window[OUTPUTS];
    int j = 0;

    load_tile(tile, in, first, TILE + width, n + width - 1); // one more: float4 is read whole
    __syncthreads();
    if (i >= n)
        return;
    for (int o = 0; o < OUTPUTS; o++)
        window[o] = in_quarters(&mine[o]);
    for (; j < width; j++) {
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += conv_weights[j] * window[o];
        for (int o = 0; o < OUTPUTS - 1; o++)
            window[o] = window[o + 1];
        window[OUTPUTS - 1] = in_quarters(&mine[OUTPUTS + j]);
    }

    if (i + OUTPUTS <= n) { // out starts on 16 bytes and i is a multiple of 4
        float4 v = {sum[0], sum[1], sum[2], sum[3]};
        *reinterpret_cast<float4 *>(&out[i]) = v;
        return;
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < n)
            out[i + o] = sum[o];
}
