/* Cooperative groups: a launch whose blocks wait for each other, a tile's reduction. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void rounds(int *x, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();

    for (int step = 1; step < n; step *= 2) { /* each reads what another block wrote */
        int other = x[(i + step) % n];
        grid.sync();
        x[i] += other;
        grid.sync();
    }
}

__global__ void tiles(int *out)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());

    if (tile.thread_rank() == 0)
        out[threadIdx.x / 8] = sum;
}

int main()
{
    int n = 1024, blocks_per_sm = 0, *x, *y;
    cudaDeviceProp p;

    if (cudaGetDeviceProperties(&p, 0) || !p.cooperativeLaunch)
        return 1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, rounds, 128, 0) ||
        blocks_per_sm < 1)
        return 2;
    if (cudaMallocManaged(&x, n * sizeof(int)) || cudaMallocManaged(&y, 8 * sizeof(int)))
        return 3;
    for (int i = 0; i < n; i++)
        x[i] = 1;
    void *args[] = {&x, &n};
    if (cudaLaunchCooperativeKernel(rounds, n / 128, 128, args) || cudaDeviceSynchronize())
        return 4;
    for (int i = 0; i < n; i++)
        if (x[i] != n)
            return printf("x[%d] = %d\n", i, x[i]), 5;
    tiles<<<1, 64>>>(y);
    if (cudaDeviceSynchronize())
        return 6;
    for (int i = 0; i < 8; i++)
        if (y[i] != 64 * i + 28)
            return printf("y[%d] = %d\n", i, y[i]), 7;
    int too_many = p.multiProcessorCount * blocks_per_sm + 1;
    if (cudaLaunchCooperativeKernel(rounds, too_many, 128, args) !=
        cudaErrorCooperativeLaunchTooLarge)
        return 8;
    printf("ok\n");
    return 0;
}
