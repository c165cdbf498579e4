/* right.cu - programs that order their accesses properly: --check must find nothing.
 *
 * The classic patterns, among them those that a simpler race detector accuses: the last
 * block's reduction, grid-wide barriers, flags, locks, decoupled look-back.
 */
#include "expect.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <mma.h>

namespace cg = cooperative_groups;

__global__ void reduce(const int *in, int *out)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;

    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void reduce_last_warp(const int *in, int *out)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        int x = v[t];

        for (int d = 32; d > 0; d >>= 1) {
            x += v[t + d < 64 ? t + d : t];
            __syncwarp();
            v[t] = x;
            __syncwarp();
        }
    }
    if (t == 0)
        *out = s[0];
}

__global__ void warp_sums(const int *in, int *out)
{
    int x = in[threadIdx.x];

    for (int d = 16; d > 0; d >>= 1)
        x += __shfl_down_sync(~0u, x, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(out, x);
}

__global__ void tiles(const int *in, int *out)
{
    __shared__ int tile[2][64];
    int sum = 0;

    for (int step = 0; step < 4; step++) { /* double buffer: one barrier a step */
        tile[step & 1][threadIdx.x] = in[step * 64 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; i++)
            sum += tile[step & 1][i];
    }
    out[threadIdx.x] = sum;
}

__global__ void histogram(const int *in, int *out)
{
    __shared__ int bins[16];

    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__device__ bool raised;
__device__ uchar4 four;
__device__ short two;

/* Everyone raises the same flag; bytes side by side belong to different threads. */
__global__ void same_value_and_bytes(int *flag, unsigned char *bytes)
{
    __shared__ int any;

    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    if (threadIdx.x & 1)
        any = 1;
    *flag = 1;
    raised = true;
    four = make_uchar4(1, 2, 3, 4);
    two = -2;
    bytes[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        flag[1 + blockIdx.x] = any;
}

__device__ unsigned ticket;

__global__ void last_block(const int *in, int *partial, int *out)
{
    __shared__ bool last;
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        if (threadIdx.x < gridDim.x)
            atomicAdd(&sum, partial[threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 0)
            *out = sum;
    }
}

__global__ void grid_rounds(int *data, int *other)
{
    cg::grid_group grid = cg::this_grid();
    unsigned n = grid.size(), i = grid.thread_rank();

    for (int round = 0; round < 4; round++) {
        other[(i + 37) % n] = data[i] + 1;
        grid.sync();
        data[(i + 91) % n] = other[i];
        grid.sync();
    }
}

__global__ void flag_volatile(int *data, volatile int *flag)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        while (!*flag)
            ;
        __threadfence();
        data[1] = data[0];
    }
}

__global__ void flag_atomic_ref(int *data, int *flag)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);

    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = 42;
        f.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        while (!f.load(cuda::memory_order_acquire))
            ;
        data[1] = data[0];
    }
}

__global__ void spin_lock(int *lock, int *counter)
{
    for (bool done = false; !done;) { /* every lane for itself */
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

/* Exclusive prefix of the blocks' sums, each block looking back at its predecessors. */
__global__ void look_back(const int *in, int *out, volatile int *state, int *sums, int *prefixes)
{
    __shared__ int before;
    int b = blockIdx.x, sum;

    if (threadIdx.x == 0) {
        sum = in[b];
        sums[b] = sum;
        __threadfence();
        state[b] = 1;
        before = 0;
        for (int k = b - 1; k >= 0; k--) {
            int s;

            while (!(s = state[k]))
                ;
            __threadfence();
            before += s == 2 ? prefixes[k] : sums[k];
            if (s == 2)
                break;
        }
        prefixes[b] = before + sum;
        __threadfence();
        state[b] = 2;
    }
    __syncthreads();
    out[b * blockDim.x + threadIdx.x] = before + threadIdx.x;
}

/* One thread of each block waits for the last block, which starts when the emulator has given
 * the others up; the rest of its warp may come to the barrier without it. */
__global__ void wait_for_the_last(int *data, int *flag)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    int at = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1)
            ready.store(1, cuda::memory_order_release);
        else
            while (!ready.load(cuda::memory_order_acquire))
                ;
    }
    if (blockIdx.x & 1)
        data[at] = at;
    __syncthreads();
    if (!(blockIdx.x & 1))
        data[at] = at;
    __syncthreads();
}

__global__ void count_up(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
}

/* Keeps the odd numbers, in place: a block writes where earlier ones have read, and knows that
 * they have from a relaxed count alone, as in CUB and Thrust. counts[b] is 1 + the sum up to b. */
__global__ void compact_in_place(int *data, int *counts)
{
    __shared__ int kept, before;
    int t = threadIdx.x, b = blockIdx.x, mine = data[b * blockDim.x + t], place = 0;

    if (t == 0)
        kept = before = 0;
    __syncthreads();
    if (mine & 1)
        place = atomicAdd(&kept, 1);
    __syncthreads();
    if (t == 0) {
        if (b > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> last(counts[b - 1]);
            int sum;

            while (!(sum = last.load(cuda::memory_order_relaxed)))
                ;
            before = sum - 1;
        }
        cuda::atomic_ref<int, cuda::thread_scope_device> own(counts[b]);
        own.store(before + kept + 1, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (mine & 1)
        data[before + place] = mine + 2;
}

__global__ void tiles_of_eight(const int *in, int *out)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x, base = t & ~7u;

    s[t] = in[t];
    for (int d = 4; d > 0; d >>= 1) {
        int x;

        tile.sync();
        x = s[base + ((t + d) & 7)];
        tile.sync();
        s[t] += x;
    }
    out[t] = s[t];
}

__global__ void producer_consumer(const int *in, int *out)
{
    __shared__ int buffer[32];

    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 2, 64;" ::: "memory"); /* empty */
            buffer[threadIdx.x] = in[i * 32 + threadIdx.x];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[i * 32 + threadIdx.x - 32] = buffer[threadIdx.x - 32];
        }
    }
}

__global__ void locals(const int *in, int *out)
{
    int a[8];

    for (int i = 0; i < 8; i++)
        a[(i + in[threadIdx.x]) & 7] = i;
    out[threadIdx.x] = a[threadIdx.x & 7];
}

struct padded {
    double d;
    int i;
    char c;
};

__global__ void padding(const padded *in, padded *out)
{
    __shared__ padded s[32];

    s[threadIdx.x].d = in[threadIdx.x].d;
    s[threadIdx.x].i = 1;
    s[threadIdx.x].c = 2;
    out[threadIdx.x] = s[threadIdx.x];
}

/* Plain and collective accesses with a barrier between, collective ones without; rows of 40
 * halves, as padding against bank conflicts makes them. */
__global__ void matrices(const half *in, float *out)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half s[32][40];
    __shared__ __align__(32) float c[16][20];
    fragment<matrix_a, 16, 16, 16, half, row_major> f;
    fragment<matrix_b, 16, 16, 16, half, col_major> g;
    fragment<accumulator, 16, 16, 16, float> sum;

    fill_fragment(sum, 0.0f);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 32; i++)
            s[i][threadIdx.x] = in[(round * 32 + i) * 32 + threadIdx.x];
        __syncwarp();
        for (int k = 0; k < 32; k += 16) {
            load_matrix_sync(f, &s[0][k], 40);
            load_matrix_sync(g, &s[16][k], 40);
            mma_sync(sum, f, g, sum);
        }
        __syncwarp();
        store_matrix_sync(&c[0][0], sum, 20, mem_row_major);
        load_matrix_sync(sum, &c[0][0], 20, mem_row_major);
        store_matrix_sync(&c[0][0], sum, 20, mem_row_major);
        __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
        __syncwarp();
        for (int i = threadIdx.x; i < 256; i += 32)
            out[i] = c[i % 16][i / 16];
        __syncthreads();
    }
    store_matrix_sync(out + 256, sum, 16, mem_col_major);
}

/* The programming guide's atomicAdd for double, and its like: a plain read, then swaps only if
 * the word is still what was read. */
__device__ double add(double *a, double x)
{
    unsigned long long *p = (unsigned long long *)a, old = *p, was;

    do {
        was = old;
        old = atomicCAS(p, was, __double_as_longlong(x + __longlong_as_double(was)));
    } while (was != old);
    return __longlong_as_double(old);
}

__global__ void compare_and_swap(double *sum, int *most)
{
    __shared__ double s;
    int x = blockIdx.x * 64 + threadIdx.x, old;

    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    add(&s, 1);
    add(sum, 1);
    do /* reads again each time */
        old = *most;
    while (atomicCAS(most, old, old > x ? old : x) != old);
    __syncthreads();
    if (threadIdx.x == 0)
        add(sum, s);
}

__global__ void moved_by_the_warp(const half *in, unsigned *out)
{
    __shared__ __align__(16) half s[8][8];
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x % 8][0]), v;

    for (int i = 0; i < 2; i++) {
        s[threadIdx.x / 4][threadIdx.x % 4 * 2] = in[threadIdx.x * 2];
        s[threadIdx.x / 4][threadIdx.x % 4 * 2 + 1] = in[threadIdx.x * 2 + 1];
        __syncwarp();
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(at) : "memory");
        asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%1], {%0};" : : "r"(v), "r"(at) : "memory");
        __syncwarp();
    }
    out[threadIdx.x] = v;
}

int main()
{
    int *a = written(65536), *b = written(65536), *c = written(4096), *d = unwritten(65536);
    int *zero = written(4096), *more = written(4096);
    void *grid_args[] = {&a, &b};

    reduce<<<8, 256>>>(a, b);
    reduce_last_warp<<<1, 64>>>(a, b);
    warp_sums<<<8, 256>>>(a, c);
    tiles<<<1, 64>>>(a, b);
    histogram<<<8, 128>>>(a, c);
    same_value_and_bytes<<<8, 128>>>(c, (unsigned char *)b);
    last_block<<<8, 128>>>(a, d, b);
    cudaLaunchCooperativeKernel((void *)grid_rounds, dim3(4), dim3(128), grid_args, 0, 0);
    flag_volatile<<<2, 32>>>(a, zero);
    flag_atomic_ref<<<2, 32>>>(a, zero + 1);
    spin_lock<<<4, 64>>>(zero + 2, zero + 3);
    look_back<<<16, 64>>>(a, b, zero + 16, d, d + 1024);
    wait_for_the_last<<<256, 64>>>(a, zero + 68);
    count_up<<<16, 64>>>(a);
    compact_in_place<<<16, 64>>>(a, zero + 32);
    tiles_of_eight<<<1, 64>>>(a, b);
    producer_consumer<<<1, 64>>>(a, more);
    locals<<<1, 32>>>(a, b);
    padding<<<1, 32>>>((padded *)a, (padded *)d);
    matrices<<<1, 32>>>((half *)a, (float *)b);
    moved_by_the_warp<<<1, 32>>>((half *)a, (unsigned *)b);
    compare_and_swap<<<4, 64>>>((double *)(zero + 64), zero + 66);
    return expectations();
}
