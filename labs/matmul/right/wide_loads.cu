// Right: 16-byte loads of a where its rows allow it, and of b, of which a thread has four neighbouring
// columns.
// only: mm_coalesced mm_registers
// expect: all=pass
#include "warplab.cuh"

#define V 4

// The words of row from col on, four at once where they lie right, zero from ncols on.
static __device__ float4 load4(const float *__restrict__ row, int col, int ncols)
{
    float4 v = {0, 0, 0, 0};

    if (ncols % 4 == 0 && col < ncols)
        return __ldg(reinterpret_cast<const float4 *>(row + col));
    if (col + 0 < ncols)
        v.x = row[col + 0];
    if (col + 1 < ncols)
        v.y = row[col + 1];
    if (col + 2 < ncols)
        v.z = row[col + 2];
    if (col + 3 < ncols)
        v.w = row[col + 3];
    return v;
}

LAUNCH(mm_coalesced, 32, 8, 1);
KERNEL mm_coalesced(const float *__restrict__ a, const float *__restrict__ b,
                    float *__restrict__ c, int m, int n, int k)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, i = 0;
    float sum = 0;

    if (row >= m || col >= n)
        return;
    for (; i + 4 <= k; i += 4) {
        float4 av = load4(a + row * k, i, k);
        const float *bv = b + i * n + col;
        sum += av.x * bv[0] + av.y * bv[n] + av.z * bv[2 * n] + av.w * bv[3 * n];
    }
    for (; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

LAUNCH(mm_registers, 32, 4, V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = (blockIdx.y * 4 + threadIdx.y) * V, col0 = (blockIdx.x * 32 + threadIdx.x) * V;
    float sum[V][V] = {};

    if (row0 >= m || col0 >= n)
        return;
    for (int i = 0; i < k; i++) {
        float4 bv = load4(b + i * n, col0, n);
#pragma unroll
        for (int y = 0; y < V; y++) {
            float av = row0 + y < m ? a[(row0 + y) * k + i] : 0;
            sum[y][0] += av * bv.x;
            sum[y][1] += av * bv.y;
            sum[y][2] += av * bv.z;
            sum[y][3] += av * bv.w;
        }
    }
#pragma unroll
    for (int y = 0; y < V; y++)
#pragma unroll
        for (int x = 0; x < V; x++)
            if (row0 + y < m && col0 + x < n)
                c[(row0 + y) * n + col0 + x] = sum[y][x];
}
