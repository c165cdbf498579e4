// A block is one warp, whose lanes read what others brought without a barrier. The line before the
// kernel says that it is the toolkit's, in which no such race is looked for.
// class: names
// only: mm_shared
// expect: shared-clean=fail shared-reuse=fail
// hint: shared-clean: race in shared memory
// hint: shared-reuse: one output a thread
#include "warplab.cuh"

#define V 4
#define S 16

#line 1 "/usr/include/cooperative_groups.h"
LAUNCH(mm_shared, 8, 4, V); // 32 columns, 16 rows
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[16][S], sb[S][32];
    int tx = threadIdx.x, ty = threadIdx.y, lane = ty * 8 + tx;
    int row0 = blockIdx.y * 16, col0 = blockIdx.x * 32;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = lane; j < 16 * S; j += 32) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int i = 0; i < S; i++)
            sb[i][lane] = k0 + i < k && col0 + lane < n ? b[(k0 + i) * n + col0 + lane] : 0;
        for (int y = 0; y < V; y++)
            for (int x = 0; x < V; x++)
                for (int i = 0; i < S; i++) {
                    volatile float *left = &sa[ty + 4 * y][i], *right = &sb[i][tx + 8 * x];
                    sum[y][x] += *left * *right;
                }
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + 4 * y, col = col0 + tx + 8 * x;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
