// async.cu - measures how long a block waits for what goes on beside it: the barrier of a cluster,
// mbarriers, here and in another block, bulk copies and tiles by tensor map, and wgmma.
//
//   nvcc -O3 -gencode arch=compute_90a,code=sm_90a -std=c++17 -I../../device -o async async.cu &&
//   ./async >async-h200.txt
//
// All by clock64() of one thread, in cycles; copies are from data that L2 holds. Three runs, the
// least counts.
#include <algorithm>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include "tensor.cuh"

enum { TURNS = 64, ROWS = 4096, COLUMNS = 64 }; // of the tensor: rows of 128 bytes

static long long *cycles;
static char *data;

// ---- barriers ----

__global__ void cluster_barriers(long long *t)
{
    cluster_sync();
    long long a = clock64();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++)
        cluster_sync();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *t = clock64() - a;
}

// One thread and another throw a ball: of the same block (warps 0 and 1), or of a cluster of two.
__global__ void ball(long long *t, int remote)
{
    __shared__ mbarrier here[2];
    unsigned rank = cluster_ctarank(), warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        mbarrier_init(&here[0], 1);
        mbarrier_init(&here[1], 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (remote)
        cluster_sync();
    unsigned me = remote ? rank : warp;
    if (threadIdx.x % 32 == 0 && (!remote || warp == 0)) {
        long long a = clock64();
#pragma unroll 1
        for (int i = 0; i < TURNS; i++) {
            if (me == 1)
                mbarrier_wait(&here[1], i & 1);
            if (remote)
                mbarrier_arrive_remote(&here[!me], !me);
            else
                mbarrier_arrive(&here[!me]);
            if (me == 0)
                mbarrier_wait(&here[0], i & 1);
        }
        if (me == 0 && blockIdx.x == 0)
            *t = clock64() - a;
    }
    if (remote)
        cluster_sync();
}

// What one thread needs for arrivals that nobody waits for.
__global__ void arrivals(long long *t)
{
    __shared__ mbarrier b;
    mbarrier_init(&b, 1);
    fence_mbarrier_init();
    long long a = clock64();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
        mbarrier_arrive(&b);
        mbarrier_wait(&b, i & 1);
    }
    *t = clock64() - a;
}

// ---- copies ----

static __device__ inline void bulk_load(unsigned to, const void *from, unsigned bytes, mbarrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

enum { BULK, TILES, MULTICAST };

// AHEAD copies of so many bytes are under way, each waited for before the next one into its place.
// t[0]: all turns; t[1]: the first copy alone. All numbers are of the code, and powers of two: a
// division would take as long as a copy.
template <int KIND, unsigned BYTES, unsigned AHEAD>
__global__ void copies(const __grid_constant__ CUtensorMap map, const char *from, long long *t)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ mbarrier full[8];
    unsigned at = shared_address(room), rank = KIND == MULTICAST ? cluster_ctarank() : 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++)
            mbarrier_init(&full[i], 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (KIND == MULTICAST)
        cluster_sync();
    if (threadIdx.x == 0) {
        long long first = 0, a = clock64();
#pragma unroll 1
        for (unsigned i = 0; i < TURNS + AHEAD; i++) {
            unsigned slot = i % AHEAD;
            if (i >= AHEAD)
                mbarrier_wait(&full[slot], (i / AHEAD - 1) & 1);
            if (i == AHEAD)
                first = clock64() - a;
            if (i < TURNS) {
                unsigned to = at + slot * BYTES;
                unsigned row = (blockIdx.x * 8 + i) % (ROWS * 128 / BYTES) * (BYTES / 128);
                mbarrier_arrive_expect_tx(&full[slot], BYTES);
                if (KIND == BULK)
                    bulk_load(to, from + row * 128, BYTES, &full[slot]);
                else if (KIND == TILES)
                    tensor_load_2d(to, &map, 0, row, &full[slot]);
                else // each block of two fetches one half for both
                    tensor_load_2d_multicast(to + rank * BYTES / 2, &map, 0, row + rank * BYTES / 256, &full[slot], 3);
            }
        }
        if (blockIdx.x == 0) {
            t[0] = clock64() - a;
            t[1] = first;
        }
    }
    if (KIND == MULTICAST)
        cluster_sync();
}

// A tile stored: until it was read, until it is there.
__global__ void stores(const __grid_constant__ CUtensorMap map, long long *t)
{
    extern __shared__ __align__(1024) char room[];
    unsigned at = shared_address(room);
    long long read = 0, all = 0;
    for (int i = 0; i < TURNS; i++) {
        long long a = clock64();
        tensor_store_2d(&map, 0, i * 8 % ROWS, at);
        bulk_commit_group();
        bulk_wait_group_read<0>();
        long long b = clock64();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        all += clock64() - a;
        read += b - a;
    }
    t[0] = all;
    t[1] = read;
}

// A warp's plain load of words side by side, for comparison.
__global__ void plain(const char *from, long long *t)
{
    unsigned at = 0;
    long long a = clock64();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++)
        at += __ldcg((const unsigned *)(from + at) + i * 32 + threadIdx.x);
    long long b = clock64();
    if (threadIdx.x == 0)
        *t = b - a + (at != 0);
}

// ---- wgmma ----

// `each` products a group, waited for when `left` more groups are under way.
template <int N, int EACH, int LEFT> __global__ void __launch_bounds__(384) products(long long *t)
{
    extern __shared__ __align__(1024) char room[];
    unsigned at = shared_address(room);
    float d[N / 2] = {};
    for (unsigned i = threadIdx.x; i < 16384; i += blockDim.x)
        ((unsigned *)room)[i] = 0;
    fence_proxy_async();
    __syncthreads();
    unsigned long long x = wgmma_descriptor_128(at, 1024), y = wgmma_descriptor_128(at + 16384, 1024);
    long long a = clock64();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if constexpr (N == 64)
                wgmma_m64n64k16_f16<0>(d, x + 2 * (j % 4), y + 2 * (j % 4), 1);
            else if constexpr (N == 128)
                wgmma_m64n128k16_f16<0>(d, x + 2 * (j % 4), y + 2 * (j % 4), 1);
            else
                wgmma_m64n256k16_f16<0>(d, x + 2 * (j % 4), y + 2 * (j % 4), 1);
        wgmma_commit_group();
        wgmma_wait_group<LEFT>();
    }
    wgmma_wait_group<0>();
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    __syncthreads();
    if (threadIdx.x == 0)
        t[0] = clock64() - a + (sum == 12345);
}

// ---- printing ----

template <class F> static void print(const char *name, double turns, F launch)
{
    double least[2] = {1e30, 1e30};
    long long t[2];
    for (int k = 0; k < 3; k++) {
        launch();
        cudaMemcpy(t, cycles, sizeof(t), cudaMemcpyDeviceToHost);
        least[0] = std::min(least[0], (double)t[0]);
        least[1] = std::min(least[1], (double)t[1]);
    }
    printf("%s %.1f cycles", name, least[0] / turns);
    if (least[1])
        printf(", %.1f", least[1]);
    printf("\n");
    cudaMemset(cycles, 0, 16);
}

template <class... A> static void launch(void (*f)(A...), unsigned blocks, unsigned threads, unsigned shared,
                                         unsigned cluster, A... a)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute of[1];
    cudaFuncSetAttribute((const void *)f, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    if (cluster > 8)
        cudaFuncSetAttribute((const void *)f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    of[0].id = cudaLaunchAttributeClusterDimension;
    of[0].val.clusterDim.x = cluster;
    of[0].val.clusterDim.y = of[0].val.clusterDim.z = 1;
    c.gridDim = blocks, c.blockDim = threads, c.dynamicSmemBytes = shared;
    c.attrs = of, c.numAttrs = cluster > 1;
    cudaError_t e = cudaLaunchKernelEx(&c, f, a...);
    if (e)
        printf("%s ", cudaGetErrorString(e));
}

typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(unsigned rows)
{
    CUtensorMap m = {};
    cuuint64_t size[2] = {COLUMNS, ROWS}, pitch[1] = {128};
    cuuint32_t box[2] = {COLUMNS, rows}, one[2] = {1, 1};
    void *f = NULL;
    cudaDriverEntryPointQueryResult said;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &said);
    if (!f || ((encoder)f)(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, size, pitch, box, one,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("no tensor map\n");
    return m;
}

template <int KIND, unsigned BYTES, unsigned AHEAD> static void print_copies(unsigned blocks)
{
    static const char *const names[] = {"bulk copy", "tile", "tile for two"};
    char name[100];
    CUtensorMap m = map_of(KIND == MULTICAST ? BYTES / 256 : BYTES > 128 ? BYTES / 128 : 1);
    snprintf(name, sizeof(name), "%s of %u bytes, %u ahead, %u blocks:", names[KIND], BYTES, AHEAD, blocks);
    print(name, TURNS, [=] {
        launch(copies<KIND, BYTES, AHEAD>, blocks, 32u, AHEAD * BYTES + 1024, KIND == MULTICAST ? 2u : 1u, m,
               (const char *)data, cycles);
    });
}

template <int N> static void print_products(void)
{
    for (unsigned groups = 1; groups <= 2; groups++) {
        char name[100];
        snprintf(name, sizeof(name), "wgmma m64n%dk16, %u groups, 1 waited for:", N, groups);
        print(name, TURNS, [=] { launch(products<N, 1, 0>, 1, 128 * groups, 65536, 1, cycles); });
        snprintf(name, sizeof(name), "wgmma m64n%dk16, %u groups, 4 waited for:", N, groups);
        print(name, TURNS, [=] { launch(products<N, 4, 0>, 1, 128 * groups, 65536, 1, cycles); });
        snprintf(name, sizeof(name), "wgmma m64n%dk16, %u groups, 4, the 4 before waited for:", N, groups);
        print(name, TURNS, [=] { launch(products<N, 4, 1>, 1, 128 * groups, 65536, 1, cycles); });
    }
}

int main()
{
    cudaMalloc(&data, ROWS * COLUMNS * 2);
    cudaMemset(data, 0, ROWS * COLUMNS * 2);
    cudaMalloc(&cycles, 16);
    cudaMemset(cycles, 0, 16);
    for (unsigned cluster : {2u, 4u, 8u, 16u})
        for (unsigned threads : {32u, 128u, 384u, 1024u}) {
            char name[100];
            snprintf(name, sizeof(name), "barrier.cluster, %u blocks of %u threads:", cluster, threads);
            print(name, TURNS, [=] { launch(cluster_barriers, cluster, threads, 0, cluster, cycles); });
        }
    print("mbarrier, arrival and wait by itself:", TURNS, [] { launch(arrivals, 1, 1, 0, 1, cycles); });
    print("mbarrier, ball to another warp:", 2 * TURNS, [] { launch(ball, 1, 64, 0, 1, cycles, 0); });
    print("mbarrier, ball to another block:", 2 * TURNS, [] { launch(ball, 2, 32, 0, 2, cycles, 1); });
    print("ld.global.cg, 128 bytes:", TURNS, [] { launch(plain, 1, 32, 0, 1, (const char *)data, cycles); });
    print_copies<BULK, 128, 1>(1);
    print_copies<BULK, 1024, 1>(1);
    print_copies<BULK, 4096, 1>(1);
    print_copies<BULK, 16384, 1>(1);
    print_copies<BULK, 32768, 1>(1);
    print_copies<TILES, 1024, 1>(1);
    print_copies<TILES, 4096, 1>(1);
    print_copies<TILES, 16384, 1>(1);
    print_copies<TILES, 32768, 1>(1);
    for (unsigned blocks : {1u, 132u}) {
        print_copies<BULK, 16384, 2>(blocks);
        print_copies<TILES, 16384, 2>(blocks);
        print_copies<BULK, 16384, 4>(blocks);
        print_copies<TILES, 16384, 4>(blocks);
    }
    for (unsigned blocks : {2u, 132u}) {
        print_copies<MULTICAST, 16384, 1>(blocks);
        print_copies<MULTICAST, 16384, 4>(blocks);
    }
    print("tile of 8 rows stored (then: read):", TURNS, [] {
        launch(stores, 1, 1, 4096, 1, map_of(8), cycles);
    });
    print_products<64>();
    print_products<128>();
    print_products<256>();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
