// Right: half of the warps multiply, the others do nothing but ask for copies; they tell each other by
// mbarriers when a stage is full, and when it is empty again. How fast that is, is not the point: modelled
// at 0.60 of the reference, it is the slowest that is right.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"

#define COLS 64
#define ROWS 128
#define S    16
#define T    64 // threads that fetch, and as many that multiply: 16 x 8 outputs each

struct stage {
    float a[S][ROWS + 4], b[S][COLS];
};

static __device__ unsigned there(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void await(unsigned long long *bar, unsigned parity)
{
    unsigned over;

    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(there(bar)), "r"(parity) : "memory");
    while (!over);
}
static __device__ void copy(float *to, const float *from, const float *base, bool in)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(there(to)), "l"(in ? from : base),
                 "r"(in ? 4 : 0) : "memory");
}
static __device__ void fetch(stage &s, const float *a, const float *b, int m, int n, int k, int row0,
                             int col0, int k0, int t)
{
    for (int j = t; j < ROWS * S; j += T) {
        int r = row0 + j / S, i = k0 + j % S;
        copy(&s.a[j % S][j / S], a + (long long)r * k + i, a, r < m && i < k);
    }
    for (int j = t; j < COLS * S; j += T) {
        int i = k0 + j / COLS, c = col0 + j % COLS;
        copy(&s.b[j / COLS][j % COLS], b + (long long)i * n + c, b, i < k && c < n);
    }
}
static __device__ void multiply(float (&sum)[16][8], const stage &s, int tx, int ty)
{
#pragma unroll
    for (int i = 0; i < S; i++) {
        float x[16], y[8];
#pragma unroll
        for (int j = 0; j < 16; j += 4)
            *(float4 *)(x + j) = *(const float4 *)&s.a[i][ty * 4 + j * 8];
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)(y + j) = *(const float4 *)&s.b[i][tx * 4 + j * 8];
#pragma unroll
        for (int r = 0; r < 16; r++)
#pragma unroll
            for (int c = 0; c < 8; c++)
                sum[r][c] += x[r] * y[c];
    }
}

LAUNCH(mm_pipeline, 8, 16, 8);
KERNEL __launch_bounds__(128) mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) stage s[2];
    __shared__ unsigned long long full[2], empty[2];
    int tid = threadIdx.y * 8 + threadIdx.x, t = tid % T, tx = t % 8, ty = t / 8;
    int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS, tiles = (k + S - 1) / S;
    float sum[16][8] = {};

    if (tid < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(there(&full[tid])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(there(&empty[tid])) : "memory");
    }
    __syncthreads();
    if (tid >= T) {
        for (int i = 0; i < tiles; i++) {
            if (i >= 2)
                await(&empty[i % 2], i / 2 % 2 ^ 1);
            fetch(s[i % 2], a, b, m, n, k, row0, col0, i * S, t);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(there(&full[i % 2])) : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        return;
    }
    for (int i = 0; i < tiles; i++) {
        await(&full[i % 2], i / 2 % 2);
        multiply(sum, s[i % 2], tx, ty);
        asm volatile("{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%0]; }" ::"r"(there(&empty[i % 2])) : "memory");
    }
#pragma unroll
    for (int r = 0; r < 16; r++)
#pragma unroll
        for (int x = 0; x < 8; x++) {
            int row = row0 + ty * 4 + r / 4 * 32 + r % 4, col = col0 + tx * 4 + x / 4 * 32 + x % 4;
            if (row < m && col < n)
                c[(long long)row * n + col] = sum[r][x];
        }
}
