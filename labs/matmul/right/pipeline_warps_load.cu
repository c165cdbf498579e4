// Right: half of the warps multiply, the others load the next tile but one into registers and store it
// to one of two stages when that is empty. They tell each other by named barriers (bar.sync and
// bar.arrive with a number), one for each stage that is full and one for each that is empty.
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
enum { FULL = 1, EMPTY = 3 }; // names of barriers: of the first stage, and the next of the second

static __device__ void wait(int name)
{
    asm volatile("bar.sync %0, 128;" ::"r"(name) : "memory");
}
static __device__ void tell(int name)
{
    asm volatile("bar.arrive %0, 128;" ::"r"(name) : "memory");
}
static __device__ void load(float (&x)[ROWS * S / T], float (&y)[COLS * S / T], const float *a,
                            const float *b, int m, int n, int k, int row0, int col0, int k0, int t)
{
#pragma unroll
    for (int j = 0; j < ROWS * S / T; j++) {
        int r = row0 + (t + j * T) / S, i = k0 + (t + j * T) % S;
        x[j] = r < m && i < k ? a[(long long)r * k + i] : 0;
    }
#pragma unroll
    for (int j = 0; j < COLS * S / T; j++) {
        int i = k0 + (t + j * T) / COLS, c = col0 + (t + j * T) % COLS;
        y[j] = i < k && c < n ? b[(long long)i * n + c] : 0;
    }
}
static __device__ void store(stage &s, const float (&x)[ROWS * S / T], const float (&y)[COLS * S / T],
                             int t)
{
#pragma unroll
    for (int j = 0; j < ROWS * S / T; j++)
        s.a[(t + j * T) % S][(t + j * T) / S] = x[j];
#pragma unroll
    for (int j = 0; j < COLS * S / T; j++)
        s.b[(t + j * T) / COLS][(t + j * T) % COLS] = y[j];
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
    int tid = threadIdx.y * 8 + threadIdx.x, t = tid % T, tx = t % 8, ty = t / 8;
    int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS, tiles = (k + S - 1) / S;

    if (tid >= T) {
        float x[ROWS * S / T], y[COLS * S / T];
        for (int i = 0; i < tiles; i++) {
            load(x, y, a, b, m, n, k, row0, col0, i * S, t);
            if (i >= 2)
                wait(EMPTY + i % 2);
            store(s[i % 2], x, y, t);
            tell(FULL + i % 2);
        }
        return;
    }
    float sum[16][8] = {};
    for (int i = 0; i < tiles; i++) {
        wait(FULL + i % 2);
        multiply(sum, s[i % 2], tx, ty);
        if (i + 2 < tiles)
            tell(EMPTY + i % 2);
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
