// Right: a thread loads its column's wave number before it asks whether it has a row; of low planes few have.
// only: solve_fused
#include "warplab.cuh"

LAUNCH(solve_fused, 32, 8, 4);
KERNEL solve_fused(float2 *__restrict__ c, const float *__restrict__ kx, const float *__restrict__ ky,
                   unsigned n, unsigned m, float scale)
{
    unsigned columns = n / 2 + 1, x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = 4 * blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= columns)
        return;

    float2 waves[4];
    float of_x = kx[x], of_y[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        if (y + r * blockDim.y < m) {
            waves[r] = c[(y + r * blockDim.y) * columns + x];
            of_y[r] = ky[y + r * blockDim.y];
        }
#pragma unroll
    for (int r = 0; r < 4; r++)
        if (unsigned row = y + r * blockDim.y; row < m) {
            float by = row + x ? -scale * __frcp_rn(of_x * of_x + of_y[r] * of_y[r]) : 0;

            c[row * columns + x] = make_float2(waves[r].x * by, waves[r].y * by);
        }
}
