// 16-byte loads of the operands straight from global memory, each used eight times; what is read from
// shared memory, sixteen bytes a lane, is thrown away.
// class: no-evidence
// only: mm_vector
// expect: vector-wide=fail vector-banks=fail
// hint: vector-wide: 512 bytes
// hint: vector-banks: loaded from shared memory
#include "warplab.cuh"

#define V 8

static __device__ void unused(const float4 *p)
{
    float x, y, z, w;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "r"((unsigned)__cvta_generic_to_shared(p)));
}

// The words of row from col on, four where they lie right, zero from ncols on.
static __device__ void load4(float v[4], const float *row, int col, int ncols, bool there)
{
    bool whole = there && ncols % 4 == 0 && col < ncols;
    float4 q = {0, 0, 0, 0};

    if (whole)
        q = *reinterpret_cast<const float4 *>(row + col);
    v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
    for (int j = 0; j < 4 && !whole; j++)
        v[j] = there && col + j < ncols ? row[col + j] : 0;
}

LAUNCH(mm_vector, 8, 8, V);
KERNEL mm_vector(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float4 tile[64];
    int tid = threadIdx.y * 8 + threadIdx.x;
    int row0 = (blockIdx.y * 8 + threadIdx.y) * V, col0 = (blockIdx.x * 8 + threadIdx.x) * V;
    float sum[V][V] = {};

    tile[tid] = make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k0 = 0; k0 < k; k0 += 4) {
        float av[V][4];
#pragma unroll
        for (int y = 0; y < V; y++)
            load4(av[y], a + (row0 + y) * k, k0, k, row0 + y < m);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float bv[V];
            load4(bv, b + (k0 + i) * n, col0, n, k0 + i < k);
            load4(bv + 4, b + (k0 + i) * n, col0 + 4, n, k0 + i < k);
            unused(&tile[tid]);
#pragma unroll
            for (int y = 0; y < V; y++)
#pragma unroll
                for (int x = 0; x < V; x++)
                    sum[y][x] += av[y][i] * bv[x];
        }
    }
#pragma unroll
    for (int y = 0; y < V; y++)
#pragma unroll
        for (int x = 0; x < V; x++)
            if (row0 + y < m && col0 + x < n)
                c[(row0 + y) * n + col0 + x] = sum[y][x];
}
