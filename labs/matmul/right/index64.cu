// Right: indices of 64 bits, read-only loads, k from its end to its start, 2 x 2 outputs a thread in
// mm_shared.
// only: mm_coalesced mm_registers mm_shared
// expect: all=pass
#include "warplab.cuh"

typedef long long idx;

LAUNCH(mm_coalesced, 128, 1, 1);
KERNEL mm_coalesced(const float *__restrict__ a, const float *__restrict__ b,
                    float *__restrict__ c, int m, int n, int k)
{
    idx row = (idx)blockIdx.y * blockDim.y + threadIdx.y;
    idx col = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= m || col >= n)
        return;
    for (idx i = k - 1; i >= 0; i--)
        sum = fmaf(__ldg(&b[i * n + col]), __ldg(&a[row * k + i]), sum);
    c[row * n + col] = sum;
}

#define V 5

LAUNCH(mm_registers, 32, 2, V);
KERNEL mm_registers(const float *__restrict__ a, const float *__restrict__ b,
                    float *__restrict__ c, int m, int n, int k)
{
    idx row0 = (idx)blockIdx.y * 2 * V + threadIdx.y, col0 = (idx)blockIdx.x * 32 * V + threadIdx.x;
    float sum[V][V] = {};

    for (idx i = k - 1; i >= 0; i--) {
        float av[V], bv[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            av[v] = row0 + v * 2 < m ? __ldg(&a[(row0 + v * 2) * k + i]) : 0;
            bv[v] = col0 + v * 32 < n ? __ldg(&b[i * n + col0 + v * 32]) : 0;
        }
#pragma unroll
        for (int j = 0; j < V * V; j++)
            sum[j / V][j % V] += av[j / V] * bv[j % V];
    }
#pragma unroll
    for (int j = 0; j < V * V; j++)
        if (row0 + j / V * 2 < m && col0 + j % V * 32 < n)
            c[(row0 + j / V * 2) * n + col0 + j % V * 32] = sum[j / V][j % V];
}

#define L 32

LAUNCH(mm_shared, 16, 16, 2); // 2 x 2 outputs a thread
KERNEL mm_shared(const float *__restrict__ a, const float *__restrict__ b,
                 float *__restrict__ c, int m, int n, int k)
{
    __shared__ float sa[L][L + 1], sb[L][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    idx row0 = (idx)blockIdx.y * L, col0 = (idx)blockIdx.x * L;
    float sum[4] = {};

    for (int k0 = 0; k0 < k; k0 += L) {
        for (int j = tid; j < L * L; j += 256) {
            int r = j / L, i = j % L;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
            sb[r][i] = k0 + r < k && col0 + i < n ? b[(idx)(k0 + r) * n + col0 + i] : 0;
        }
        __syncthreads();
        for (int i = L - 1; i >= 0; i--)
#pragma unroll
            for (int o = 0; o < 4; o++)
                sum[o] += sa[ty + o / 2 * 16][i] * sb[i][tx + o % 2 * 16];
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < 4; o++) {
        idx row = row0 + ty + o / 2 * 16, col = col0 + tx + o % 2 * 16;
        if (row < m && col < n)
            c[row * n + col] = sum[o];
    }
}
