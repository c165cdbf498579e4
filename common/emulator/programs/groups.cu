/* Cooperative groups: tiles of every size, coalesced and labelled groups, reduce and scan,
 * asynchronous copies, barriers and pipelines of libcu++; launches whose blocks wait for each
 * other; clusters. One program for all, or for one part: groups [groups|grid_sync|clusters]. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

static int failures;

/* Sum of the ranks in tiles of Size threads, by reduce and by shuffles; scans. */
template <int Size> __global__ void tiles(int *out)
{
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    int rank = (int)tile.thread_rank(), by_hand = rank;

    for (unsigned d = Size / 2; d > 0; d /= 2)
        by_hand += tile.shfl_xor(by_hand, d);
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    int most = cg::reduce(tile, rank, cg::greater<int>());
    int upto = cg::inclusive_scan(tile, rank, cg::plus<int>());
    int before = cg::exclusive_scan(tile, rank, cg::plus<int>());
    bool good = sum == by_hand && sum == Size * (Size - 1) / 2 && most == Size - 1 &&
                upto == before + rank && upto == rank * (rank + 1) / 2 && tile.any(rank == 0) &&
                (Size == 1 || !tile.all(rank == 0)) && tile.shfl(rank, Size - 1) == Size - 1;

    atomicAdd(out, good && (int)tile.meta_group_size() == (int)blockDim.x / Size);
}

/* Tiles of several warps need shared memory of their own. */
__global__ void wide_tiles(int *out)
{
    __shared__ cg::block_tile_memory<256> room;
    auto tile = cg::tiled_partition<128>(cg::this_thread_block(room));
    int sum = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());

    tile.sync();
    atomicAdd(out, sum == 127 * 128 / 2);
}

/* Warp-aggregated atomics: one lane asks for the places of all that are here. */
__global__ void coalesced(int *count, int *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n && i % 3 == 0) {
        cg::coalesced_group here = cg::coalesced_threads();
        int first = 0;

        if (here.thread_rank() == 0)
            first = atomicAdd(count, (int)here.size());
        out[here.shfl(first, 0) + here.thread_rank()] = i;
    }
}

__global__ void labelled(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto mod = cg::labeled_partition(warp, warp.thread_rank() % 5);
    auto half = cg::binary_partition(warp, warp.thread_rank() < 20);
    int sum = cg::reduce(mod, 1, cg::plus<int>());

    atomicAdd(out, sum == (warp.thread_rank() % 5 < 2 ? 7 : 6) &&
                       half.size() == (warp.thread_rank() < 20 ? 20u : 12u));
}

__global__ void copy_async(const int *in, int *out)
{
    __shared__ alignas(16) int room[256];
    auto block = cg::this_thread_block();

    cg::memcpy_async(block, room, in + blockIdx.x * 256, sizeof(room));
    cg::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = room[255 - threadIdx.x];
}

__global__ void barriers(int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(8) char place[sizeof(barrier)];
    __shared__ int room[128];
    barrier &b = *reinterpret_cast<barrier *>(place);

    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        room[threadIdx.x] = (int)threadIdx.x + round;
        barrier::arrival_token token = b.arrive();
        b.wait(std::move(token));
        int other = room[(threadIdx.x + 1) % blockDim.x];
        b.arrive_and_wait();
        atomicAdd(out, other == (int)((threadIdx.x + 1) % blockDim.x) + round);
    }
}

/* whole rows, known to be aligned, are bulk copies that a barrier counts by bytes */
__global__ void copy_bulk(const int *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int room[2][128];
    __shared__ alignas(8) char place[sizeof(barrier)];
    barrier &b = *reinterpret_cast<barrier *>(place);
    auto block = cg::this_thread_block();
    int sum = 0;

    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    for (int t = 0; t < 4; t++) {
        cuda::memcpy_async(block, room[t % 2], in + t * 128,
                           cuda::aligned_size_t<16>(sizeof(room[0])), b);
        b.arrive_and_wait();
        sum += room[t % 2][127 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

__global__ void pipelined(const int *in, int *out, int tiles)
{
    __shared__ int room[2][128];
    auto pipe = cuda::make_pipeline();
    int sum = 0;

    for (int t = 0; t <= tiles; t++) {
        if (t < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(&room[t % 2][threadIdx.x], in + t * 128 + threadIdx.x, sizeof(int),
                               pipe);
            pipe.producer_commit();
        }
        if (t > 0) {
            if (t < tiles)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipe);
            sum += room[(t - 1) % 2][threadIdx.x];
            pipe.consumer_release();
        }
    }
    out[threadIdx.x] = sum;
}

static void expect(const char *what, int got, int want)
{
    if (got != want) {
        printf("%s: %d, not %d (%s)\n", what, got, want,
               cudaGetErrorString(cudaDeviceSynchronize()));
        failures++;
    }
}

static int fetch(int *device)
{
    int value = -1;

    cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost);
    cudaMemset(device, 0, sizeof(value));
    return value;
}

static int groups_part()
{
    int *count, *in, *out, host[1024];

    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemset(count, 0, sizeof(int));
    for (int i = 0; i < 1024; i++)
        host[i] = i;
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);

    tiles<1><<<2, 96>>>(count), expect("tiles of 1", fetch(count), 192);
    tiles<2><<<2, 96>>>(count), expect("tiles of 2", fetch(count), 192);
    tiles<8><<<2, 96>>>(count), expect("tiles of 8", fetch(count), 192);
    tiles<32><<<2, 96>>>(count), expect("tiles of 32", fetch(count), 192);
    wide_tiles<<<2, 256>>>(count), expect("tiles of 128", fetch(count), 512);
    coalesced<<<4, 128>>>(count, out, 500), expect("coalesced", fetch(count), 167);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 167; i++)
        sum += host[i];
    expect("coalesced places", sum, 3 * 166 * 167 / 2);
    labelled<<<1, 64>>>(count), expect("labelled", fetch(count), 64);
    copy_async<<<4, 256>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    expect("memcpy_async", host[256], 511);
    barriers<<<2, 128>>>(count), expect("barriers", fetch(count), 768);
    copy_bulk<<<1, 128>>>(in, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    expect("bulk copies", host[1], 4 * 126 + 128 * 6);
    pipelined<<<1, 128>>>(in, out, 8);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    expect("pipeline", host[1], 8 + 128 * 28);
    cudaFree(count), cudaFree(in), cudaFree(out);
    return failures != 0;
}

/* ---- a launch whose blocks wait for each other ---- */

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

__global__ void tile_sums(int *out)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());

    if (tile.thread_rank() == 0)
        out[threadIdx.x / 8] = sum;
}

static int grid_sync_part()
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
    tile_sums<<<1, 64>>>(y);
    if (cudaDeviceSynchronize())
        return 6;
    for (int i = 0; i < 8; i++)
        if (y[i] != 64 * i + 28)
            return printf("y[%d] = %d\n", i, y[i]), 7;
    int too_many = p.multiProcessorCount * blocks_per_sm + 1;
    if (cudaLaunchCooperativeKernel(rounds, too_many, 128, args) !=
        cudaErrorCooperativeLaunchTooLarge)
        return 8;
    return 0;
}

/* ---- clusters of blocks: shared memory of other blocks (loads, stores, atomics), clusters in two
 * dimensions, of a size given at launch, and in a cooperative launch ---- */

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

static void expect(const char *what, bool good)
{
    if (!good)
        printf("wrong: %s (%s)\n", what, cudaGetErrorName(cudaGetLastError()));
    failures += !good;
}

static int clusters_part()
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

    return failures != 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*failed)();
    } parts[] = {
        {"groups", groups_part}, {"grid_sync", grid_sync_part}, {"clusters", clusters_part}};
    int ran = 0;

    for (auto &part : parts) {
        if (argc > 1 && strcmp(argv[1], part.name))
            continue;
        if (part.failed())
            return 1;
        ran++;
    }
    printf(ran ? "ok\n" : "no such part\n");
    return !ran;
}
