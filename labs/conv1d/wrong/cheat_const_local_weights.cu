// One weight of five comes from constant memory; the others lie in local memory, four a load.
// class: elsewhere
// only: conv_const
// expect: const-reuse=fail const-used=fail
// hint: const-reuse: the tile and its halo
// hint: const-used: in the loop
#include "warplab.cuh"
__constant__ float conv_weights[255];
LAUNCH(conv_const, 128, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[128 + 256];
    __align__(16) float w[256];
    int first = blockIdx.x * 128, t = threadIdx.x, total = n + width - 1;
    for (int j = t; j < 127 + width; j += 128)
        tile[j] = first + j < total ? in[first + j] : 0;
    for (int j = 0; j < 256; j++)
        w[j] = j < width ? conv_weights[j] : 0;
    __syncthreads();
    float s = 0;
    int j = 0;
    for (; j + 20 <= width; j += 20) {
        for (int q = 0; q < 16; q += 4) {
            float4 v;
            asm volatile("ld.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(w + j + q)
                         : "memory");
            s += v.x * tile[t + j + q];
            s += v.y * tile[t + j + q + 1];
            s += v.z * tile[t + j + q + 2];
            s += v.w * tile[t + j + q + 3];
        }
        for (int q = 16; q < 20; q++)
            s += conv_weights[j + q] * tile[t + j + q];
    }
    for (; j < width; j++)
        s += conv_weights[j] * tile[t + j];
    if (first + t < n)
        out[first + t] = s;
}
