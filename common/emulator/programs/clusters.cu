/* Clusters of blocks: cooperative groups' cluster, shared memory of other blocks (loads, stores,
 * atomics), clusters in two dimensions, of a size given at launch, and in a cooperative launch. */
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { THREADS = 96, BINS = 256, VALUES = 1 << 14 };

/* Each block reads what its right neighbour wrote. */
__global__ void __cluster_dims__(4, 1, 1) ring(int *out)
{
    __shared__ int mine[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;

    mine[t] = (int)(1000 * blockIdx.x + t);
    cluster.sync();
    int *next = cluster.map_shared_rank(mine, (rank + 1) % cluster.num_blocks());
    out[blockIdx.x * THREADS + t] = next[t] + (cluster.query_shared_rank(next) == rank ? 1 << 30 : 0);
    cluster.sync(); /* nobody's memory goes before it is read */
}

/* Cooperative groups' histogram: the bins lie spread over the blocks of a cluster. */
__global__ void histogram(const int *values, int n, unsigned *bins)
{
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned blocks = cluster.num_blocks(), size = BINS / blocks;

    for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (unsigned i = cg::this_grid().thread_rank(); i < (unsigned)n; i += cg::this_grid().size()) {
        unsigned bin = (unsigned)values[i] % BINS;

        atomicAdd(cluster.map_shared_rank(part, bin / size) + bin % size, 1);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * size + i], part[i]);
}

/* Every block tells block 0 of its cluster where it is. */
__global__ void __cluster_dims__(2, 3, 1) places(int *out)
{
    __shared__ int told[6];
    cg::cluster_group cluster = cg::this_cluster();
    dim3 at = cluster.block_index();

    cluster.sync();
    if (threadIdx.x == 0)
        cluster.map_shared_rank(told, 0)[cluster.block_rank()] =
            (int)(100 * blockIdx.y + 10 * at.y + at.x + 1000 * (blockIdx.x - at.x));
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 6)
        out[(blockIdx.y / 3 * (gridDim.x / 2) + blockIdx.x / 2) * 6 + threadIdx.x] =
            told[threadIdx.x];
}

/* Arrive early, work, wait late; some threads leave before. */
__global__ void __cluster_dims__(2, 1, 1) split_barrier(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x >= 64)
        return;
    if (threadIdx.x == 0)
        mine = (int)blockIdx.x + 5;
    cluster.barrier_arrive();
    int work = 0;
    for (int i = 0; i < (int)(threadIdx.x + 10 * cluster.block_rank()); i++)
        work += i;
    cluster.barrier_wait();
    int other = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = other + (work < 0);
}

__global__ void __cluster_dims__(2, 1, 1) both(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0) {
        mine = (int)blockIdx.x;
        atomicAdd(out, 1);
    }
    cg::this_grid().sync();
    int all = *(volatile int *)out;
    if (threadIdx.x == 0)
        out[1 + blockIdx.x] = 100 * all + *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync();
}

__global__ void __cluster_dims__(16, 1, 1) sixteen() {}
__global__ void __cluster_dims__(4, 1, 1) four() {}
__global__ void any() {}
static cudaError_t launched(void (*kernel)(), unsigned grid, unsigned cluster)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a = {};

    c.gridDim = dim3(grid);
    c.blockDim = dim3(THREADS);
    c.attrs = &a;
    c.numAttrs = 1;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = cluster; /* 0, 0, 0: not given */
    a.val.clusterDim.y = a.val.clusterDim.z = cluster ? 1 : 0;
    cudaError_t e = cudaLaunchKernelExC(&c, (const void *)kernel, NULL);
    cudaGetLastError();
    return e;
}

static int failures;
static void expect(const char *what, bool good)
{
    if (!good)
        printf("wrong: %s (%s)\n", what, cudaGetErrorName(cudaGetLastError()));
    failures += !good;
}

int main()
{
    int *out, *values;
    unsigned *bins, want[BINS] = {};

    cudaMallocManaged(&out, 4096 * sizeof(int));
    cudaMallocManaged(&values, VALUES * sizeof(int));
    cudaMallocManaged(&bins, BINS * sizeof(unsigned));

    ring<<<8, THREADS>>>(out);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < THREADS; t++)
            good &= out[b * THREADS + t] == 1000 * (b / 4 * 4 + (b + 1) % 4) + t;
    expect("ring", good);

    for (int i = 0; i < VALUES; i++)
        want[(values[i] = (int)(i * 2654435761u >> 7)) % BINS]++;
    for (unsigned size = 1; size <= 8; size *= 2) {
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute a = {};
        c.gridDim = dim3(16);
        c.blockDim = dim3(THREADS);
        c.dynamicSmemBytes = BINS / size * sizeof(unsigned);
        a.id = cudaLaunchAttributeClusterDimension;
        a.val.clusterDim.x = size;
        a.val.clusterDim.y = a.val.clusterDim.z = 1;
        c.attrs = &a;
        c.numAttrs = 1;
        cudaMemset(bins, 0, BINS * sizeof(unsigned));
        good = cudaLaunchKernelEx(&c, histogram, (const int *)values, (int)VALUES, bins) ==
                   cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess;
        for (int i = 0; i < BINS; i++)
            good &= bins[i] == want[i];
        expect("histogram", good);
    }

    places<<<dim3(4, 6), 32>>>(out);
    good = cudaDeviceSynchronize() == cudaSuccess;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 6; r++)
            good &= out[6 * c + r] ==
                    100 * (c / 2 * 3 + r / 2) + 10 * (r / 2) + r % 2 + 1000 * (c % 2 * 2);
    expect("places", good);

    split_barrier<<<6, THREADS>>>(out);
    good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 6 * 64; i++)
        good &= out[i] == (i / 64 ^ 1) + 5;
    expect("split barrier", good);

    void *args[] = {&out};
    cudaMemset(out, 0, 64);
    good = cudaLaunchCooperativeKernel((const void *)both, dim3(6), dim3(THREADS), args, 0, 0) ==
               cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess;
    for (int b = 0; b < 6; b++)
        good &= out[1 + b] == 600 + (b ^ 1);
    expect("cooperative", good);

    const cudaError_t wrong = cudaErrorInvalidClusterSize;
    ring<<<6, THREADS>>>(out);
    expect("a grid that is no multiple", cudaGetLastError() == wrong);
    expect("compiled for 4, none given", launched(four, 8, 0) == cudaSuccess);
    expect("compiled for 4, 4 given", launched(four, 8, 4) == cudaSuccess);
    expect("compiled for 4, 2 given", launched(four, 8, 2) == wrong);
    expect("compiled for 4, 1 given", launched(four, 8, 1) == wrong);
    expect("none given, none compiled", launched(any, 6, 0) == cudaSuccess);
    expect("4 given to 6 blocks", launched(any, 6, 4) == wrong);
    expect("16 given", launched(any, 16, 16) == wrong);
    expect("compiled for 16", launched(sixteen, 16, 0) == wrong);
    cudaFuncSetAttribute(sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    expect("16 allowed", launched(sixteen, 16, 0) == cudaSuccess);
    expect("the end", cudaDeviceSynchronize() == cudaSuccess);

    cudaFree(out);
    cudaFree(values);
    cudaFree(bins);

    printf("%s\n", failures ? "FAILED" : "ok");
    return failures != 0;
}
