// Right: the wave numbers come from shared memory here, too.
// only: solve_fused
// expect: all=pass
#include "warplab.cuh"

LAUNCH(solve_fused, 32, 16);

KERNEL solve_fused(float2 *c, const float *kx, const float *ky, unsigned n, unsigned m, float scale)
{
    __shared__ float across[32], down[16];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned waves = n / 2 + 1;

    if (threadIdx.y == 0 && x < waves)
        across[threadIdx.x] = kx[x];
    if (threadIdx.x == 0 && y < m)
        down[threadIdx.y] = ky[y];
    __syncthreads();
    if (x >= waves || y >= m)
        return;
    float a = across[threadIdx.x], b = down[threadIdx.y], square = a * a + b * b;
    float by = square > 0 ? -scale / square : 0;
    float2 wave = c[y * waves + x];

    c[y * waves + x] = make_float2(by * wave.x, by * wave.y);
}
