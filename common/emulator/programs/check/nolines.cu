/* nolines.cu - right programs built without -lineinfo, and for sm_80: --check must find nothing.
 *
 * CUB's merge reads an element past a tile and does not use it. Inlined into this kernel,
 * and without lines, nothing says that the read is CUB's. bfloat16's atomicAdd is a loop
 * of compare-and-swap in CUDA's own header where the device has no instruction for it.
 * A variable that is read where it was set is loaded where it was not, too, and a word is loaded
 * whole where one bit-field of it is set.
 */
#include "expect.h"
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda_bf16.h>

__global__ void sort(int *p)
{
    using Sort = cub::WarpMergeSort<int, 4, 32>;
    __shared__ Sort::TempStorage s[2];
    int x[4];

    for (int i = 0; i < 4; i++)
        x[i] = (threadIdx.x * 4 + i) * 7919 % 1000;
    Sort(s[threadIdx.x / 32]).Sort(x, [](int a, int b) { return a < b; });
    for (int i = 0; i < 4; i++)
        p[threadIdx.x * 4 + i] = x[i];
}

__global__ void add(__nv_bfloat16 *one, __nv_bfloat162 *two)
{
    atomicAdd(one, __float2bfloat16(1));
    atomicAdd(two, __floats2bfloat162_rn(1, 2));
}

__device__ __noinline__ bool maybe(int *to, int x)
{
    if (x & 1)
        *to = x;
    return x & 1;
}

/* The compiler loads v for every thread and chooses afterwards. */
__global__ void set_or_not(int *p)
{
    int v;

    p[threadIdx.x] = maybe(&v, p[threadIdx.x]) ? v : -1;
}

struct bits {
    unsigned low : 3, high : 29;
};

/* Storing a bit-field loads those beside it, and puts them back. */
__global__ void set_bits(int *p, bits *b)
{
    __shared__ bits s[64];
    volatile bits v;

    s[threadIdx.x].low = p[threadIdx.x];
    b[threadIdx.x].low = p[threadIdx.x];
    v.low = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1].low + b[threadIdx.x].low + v.low;
}

int main()
{
    int *a = written(4096), *b = written(4096);

    sort<<<1, 64>>>(a);
    add<<<2, 64>>>((__nv_bfloat16 *)b, (__nv_bfloat162 *)(b + 1));
    set_or_not<<<1, 64>>>(a);
    set_bits<<<1, 64>>>(a, (bits *)unwritten(256));
    return expectations();
}
