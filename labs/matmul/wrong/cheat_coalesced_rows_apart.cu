// The lanes stay a row apart, but each makes eight outputs of its row, so that there are few sectors a
// product. Words are shared in registers, which is the next kernel's step.
// class: no-evidence
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: One output a thread
#include "warplab.cuh"

#define V 8

LAUNCH(mm_coalesced, 32, 8, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    long t = ((long)blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;
    int groups = (n + V - 1) / V, strips = (m + 31) / 32;
    long w = t / 32;
    int lane = t % 32;
    long nw = (long)gridDim.x * gridDim.y * 8;
    for (; w < (long)groups * strips; w += nw) {
        int row = (int)(w % strips) * 32 + lane, col = (int)(w / strips) * V;
        if (row >= m)
            continue;
        float s[V] = {};
        for (int i = 0; i < k; i++) {
            float x = a[row * k + i];
#pragma unroll
            for (int v = 0; v < V; v++)
                if (col + v < n)
                    s[v] += x * b[i * n + col + v];
        }
#pragma unroll
        for (int v = 0; v < V; v++)
            if (col + v < n)
                c[row * n + col + v] = s[v];
    }
}
