// Right: barriers by cooperative groups, the body in a template and a lambda, threads that have no
// output doing their part of the fetching all the same.
// only: mm_coalesced mm_shared
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <typename Left, typename Right>
static __device__ float dot(int k, Left left, Right right)
{
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += right(i) * left(i);
    return sum;
}

LAUNCH(mm_coalesced, 16, 16, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    dim3 at = cg::this_thread_block().thread_index(), block = cg::this_thread_block().group_index();
    int row = block.y * 16 + at.y, col = block.x * 16 + at.x;

    if (row < m && col < n)
        c[row * n + col] = dot(
            k, [=](int i) { return a[row * k + i]; }, [=](int i) { return b[i * n + col]; });
}

template <int L> static __device__ void product(const float *a, const float *b, float *c, int m,
                                                int n, int k)
{
    __shared__ float sa[L][L], sb[L][L];
    cg::thread_block block = cg::this_thread_block();
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        block.sync();
        sum += dot(L, [&](int i) { return sa[ty][i]; }, [&](int i) { return sb[i][tx]; });
        block.sync();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

LAUNCH(mm_shared, 32, 32, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    product<32>(a, b, c, m, n, k);
}
