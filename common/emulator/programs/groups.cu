/* Cooperative groups: tiles of every size, coalesced and labelled groups, reduce and scan,
 * asynchronous copies, barriers and pipelines of libcu++. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

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

static int failures;

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

int main()
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
    if (!failures)
        printf("ok\n");
    return failures != 0;
}
