/* wrong.cu - each kernel has one fault, and --check finds exactly that.
 *
 * Built with nvcc -lineinfo -cudart shared, run on the emulator with checks on. A row of
 * the table names the kernel, the kind of finding and the source line marked "here".
 */
#include "expect.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <mma.h>

/* ---- shared memory ---- */

__global__ void reverse_without_barrier(int *out)
{
    __shared__ int s[128];

    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[127 - threadIdx.x]; HERE(reverse)
}

__global__ void reduce_barrier_in_wrong_place(int *out)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x;

    s[t] = t;
    __syncthreads();
    for (unsigned d = 64; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d]; HERE(reduce)
    } /* __syncthreads() belongs into the loop */
    if (t == 0)
        *out = s[0];
}

/* The lecture's unrolled last warp: volatile is no synchronisation. */
__global__ void last_warp_volatile(int *out)
{
    __shared__ int s[64];
    volatile int *v = s;
    unsigned t = threadIdx.x;

    s[t] = t;
    __syncthreads();
    if (t < 32)
        v[t] += v[t + 32];
    if (t < 16)
        v[t] += v[t + 16]; HERE(volatile_warp)
    if (t < 32)
        out[t] = t;
}

/* Two warps, each with a value of its own: bytes of it that differ are told from those that
 * do not. */
__global__ void two_values_one_byte(int *out)
{
    __shared__ uchar2 s;

    s = make_uchar2(1, (unsigned char)(threadIdx.x / 32)); HERE(two_bytes)
    __syncthreads();
    out[threadIdx.x] = s.y;
}

__global__ void two_values_one_place(int *out)
{
    __shared__ int s;

    s = threadIdx.x & 1; HERE(two_values)
    __syncthreads();
    out[threadIdx.x] = s;
}

__global__ void syncwarp_is_not_syncthreads(int *out)
{
    __shared__ int s[64];

    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[63 - threadIdx.x]; HERE(syncwarp)
}

__global__ void tile_of_next_step(const int *in, int *out)
{
    __shared__ int tile[64];
    int sum = 0;

    for (int step = 0; step < 4; step++) {
        tile[threadIdx.x] = in[step * 64 + threadIdx.x]; HERE(tile)
        __syncthreads();
        for (int i = 0; i < 64; i++)
            sum += tile[i];
    } /* a second __syncthreads() is missing */
    out[threadIdx.x] = sum;
}

__global__ void atomic_and_plain(int *out)
{
    __shared__ int n;

    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, 1);
    out[threadIdx.x] = n; HERE(atomic_and_plain)
}

__global__ void arrive_without_wait(int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(8) char place[sizeof(barrier)];
    __shared__ int s[64];
    barrier &b = *reinterpret_cast<barrier *>(place);

    if (threadIdx.x == 0)
        init(&b, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = (int)threadIdx.x;
    (void)b.arrive();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; HERE(arrive)
}

/* ---- matrices ---- */

using tile16 = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
using left16 = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half,
                                      nvcuda::wmma::row_major>;

/* Whichever lane stored the element: none may read it before a __syncwarp(). */
__global__ void read_what_the_warp_stored(int *out)
{
    __shared__ __align__(32) float s[256];
    tile16 f;

    nvcuda::wmma::fill_fragment(f, 1.0f);
    nvcuda::wmma::store_matrix_sync(s, f, 16, nvcuda::wmma::mem_row_major);
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        out[i] = (int)s[i]; HERE(warp_stored)
}

__global__ void load_what_threads_stored(int *out)
{
    __shared__ __align__(32) half s[256];
    left16 f;

    for (unsigned i = 0; i < 8; i++)
        s[threadIdx.x * 8 + i] = __float2half(1.0f);
    nvcuda::wmma::load_matrix_sync(f, s, 16); HERE(warp_loads)
    out[threadIdx.x] = (int)__half2float(f.x[0]);
}

/* The tile is read; what is to be read next must not be stored yet. */
__global__ void store_where_threads_read(int *out)
{
    __shared__ __align__(32) float s[256];
    tile16 f;

    for (unsigned i = threadIdx.x; i < 256; i += 32)
        s[i] = 1;
    __syncwarp();
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        out[i] = (int)s[i];
    nvcuda::wmma::fill_fragment(f, 2.0f);
    nvcuda::wmma::store_matrix_sync(s, f, 16, nvcuda::wmma::mem_row_major); HERE(warp_stores)
}

__global__ void rows_of_17_floats(int *out)
{
    tile16 f;

    nvcuda::wmma::fill_fragment(f, 1.0f);
    nvcuda::wmma::store_matrix_sync((float *)out, f, 17, nvcuda::wmma::mem_row_major); HERE(pitch)
}

__global__ void matrix_off_by_8_bytes(int *out)
{
    tile16 f;

    nvcuda::wmma::fill_fragment(f, 1.0f);
    nvcuda::wmma::store_matrix_sync((float *)out + 2, f, 16, nvcuda::wmma::mem_row_major); HERE(start)
}

__global__ void matrix_for_each_thread(const half *in, int *out)
{
    left16 f;

    nvcuda::wmma::load_matrix_sync(f, in + threadIdx.x * 16, 16); HERE(each_thread)
    out[threadIdx.x] = (int)__half2float(f.x[0]);
}

__global__ void matrix_for_half_a_warp(const half *in, int *out)
{
    left16 f;

    if (threadIdx.x < 16) {
        nvcuda::wmma::load_matrix_sync(f, in, 16); HERE(half_a_warp)
        out[threadIdx.x] = (int)__half2float(f.x[0]);
    }
}

/* ---- global memory ---- */

__global__ void sum_without_atomic(int *out)
{
    if (threadIdx.x == 0)
        *out += blockIdx.x; HERE(plain_sum)
}

__global__ void shift_in_place(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, next = 0;

    if (i + 1 < n)
        next = data[i + 1];
    __syncthreads();
    data[i] = next; HERE(shift)
}

__device__ unsigned ticket;

__global__ void last_block_without_fence(int *partial, int *out)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; /* __threadfence() before */
    }
    __syncthreads();
    /* all of them: whichever block is last, what it reads is not its own alone */
    for (unsigned i = 0; last && threadIdx.x == 0 && i < gridDim.x; i++)
        *out += partial[i]; HERE(last_block)
}

__global__ void flag_without_fence(int *data, volatile int *flag)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        *flag = 1; /* __threadfence() before */
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!*flag)
            ;
        data[1] = data[0]; HERE(flag)
    }
}

/* A relaxed store says that reads are over, not that writes have arrived. */
__global__ void flag_relaxed(int *data, int *flag)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        f.store(1, cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!f.load(cuda::memory_order_relaxed))
            ;
        data[1] = data[0]; HERE(flag_relaxed)
    }
}

/* Another block writes where this one still reads, with nothing in between. */
__global__ void compact_without_waiting(int *data)
{
    int mine = data[blockIdx.x * blockDim.x + threadIdx.x];

    __syncthreads();
    if (blockIdx.x > 0)
        data[threadIdx.x] = mine + 1; HERE(compact)
}

/* ---- never written ---- */

__global__ void copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x]; HERE(copy)
}

__global__ void shared_half_filled(int *out)
{
    __shared__ int s[64];

    if (threadIdx.x < 32)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; HERE(half)
}

__global__ void local_half_filled(int *out, int n)
{
    int a[16];

    for (int i = 0; i < n; i++)
        a[i * 2 & 15] = i;
    out[threadIdx.x] = a[threadIdx.x & 15]; HERE(local)
}

/* ---- barriers ---- */

/* Only a compare-and-swap would notice that somebody else came first. */
__global__ void look_then_add(int *p)
{
    if (threadIdx.x < 40 && *p < 100)
        atomicAdd(p, 1); HERE(look_add)
}

/* Some swap; the others only look. */
__global__ void some_swap(int *p, int *out)
{
    int old = p[threadIdx.x & 1];

    if (threadIdx.x & 32)
        atomicCAS(&p[threadIdx.x & 1], old, old + 1); HERE(some_swap)
    out[threadIdx.x] = old;
}

__global__ void barrier_in_a_branch(int *out)
{
    if (threadIdx.x & 1) {
        __syncthreads(); HERE(branch)
        out[threadIdx.x] = 1;
    } else {
        __syncthreads();
        out[threadIdx.x] = 0;
    }
}

__global__ void return_before_barrier(int *out, int n)
{
    if ((int)threadIdx.x >= n)
        return;
    __syncthreads(); HERE(early)
    out[threadIdx.x] = 1;
}

int main()
{
    int *a = written(4096), *b = written(4096), *c = unwritten(4096);

    EXPECT(1, reverse, "shared-race", reverse_without_barrier<<<1, 128>>>(a));
    EXPECT(1, reduce, "shared-race", reduce_barrier_in_wrong_place<<<1, 128>>>(a));
    EXPECT(1, volatile_warp, "shared-race", last_warp_volatile<<<1, 64>>>(a));
    EXPECT(1, two_values, "shared-race", two_values_one_place<<<1, 64>>>(a));
    EXPECT(1, two_bytes, "shared-race", two_values_one_byte<<<1, 64>>>(a));
    EXPECT(1, syncwarp, "shared-race", syncwarp_is_not_syncthreads<<<1, 64>>>(a));
    EXPECT(1, tile, "shared-race", tile_of_next_step<<<1, 64>>>(a, b));
    EXPECT(1, atomic_and_plain, "shared-race", atomic_and_plain<<<1, 64>>>(a));
    EXPECT(1, arrive, "shared-race", arrive_without_wait<<<1, 64>>>(a));
    EXPECT(1, warp_stored, "shared-race", read_what_the_warp_stored<<<1, 32>>>(a));
    EXPECT(1, warp_loads, "shared-race", load_what_threads_stored<<<1, 32>>>(a));
    EXPECT(1, warp_stores, "shared-race", store_where_threads_read<<<1, 32>>>(a));
    EXPECT(1, pitch, "wmma-operands", rows_of_17_floats<<<1, 32>>>(a));
    EXPECT(1, start, "wmma-operands", matrix_off_by_8_bytes<<<1, 32>>>(a));
    EXPECT(1, each_thread, "wmma-operands", matrix_for_each_thread<<<1, 32>>>((half *)a, b));
    EXPECT(1, half_a_warp, "wmma-operands", matrix_for_half_a_warp<<<1, 32>>>((half *)a, b));
    EXPECT(1, plain_sum, "global-race", sum_without_atomic<<<4, 32>>>(a));
    EXPECT(1, shift, "global-race", shift_in_place<<<4, 64>>>(a, 256));
    EXPECT(1, last_block, "global-race", last_block_without_fence<<<4, 32>>>(a, b));
    EXPECT(1, flag, "global-race", flag_without_fence<<<2, 32>>>(a, b));
    EXPECT(1, flag_relaxed, "global-race", flag_relaxed<<<2, 32>>>(a, b + 1));
    EXPECT(1, compact, "global-race", compact_without_waiting<<<2, 32>>>(a));
    EXPECT(1, look_add, "global-race", look_then_add<<<1, 64>>>(b + 8));
    EXPECT(1, some_swap, "global-race", some_swap<<<1, 64>>>(b + 10, a));
    EXPECT(1, copy, "uninitialised-read", copy<<<1, 32>>>(c, a));
    EXPECT(1, half, "uninitialised-read", shared_half_filled<<<1, 64>>>(a));
    EXPECT(1, local, "uninitialised-read", local_half_filled<<<1, 32>>>(a, 8));
    EXPECT(2, branch, "barrier-divergence", barrier_in_a_branch<<<1, 64>>>(a));
    EXPECT(1, early, "barrier-exited", return_before_barrier<<<1, 64>>>(a, 40));
    return expectations();
}
