// Right: chains in structures, walks in a std::array, loops by templates and lambdas; neighbouring
// numbers a thread.
// only: steps_4 walk_4 copy_4
// expect: all=pass
#include "warplab.cuh"
#include <array>
struct chain { float x, c; };
template <int N, class F> static __device__ __forceinline__ void times(F f)
{
    if constexpr (N > 0) { times<N - 1>(f); f(N - 1); }
}
KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned q = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= q) return;
    chain a[4];
    times<4>([&](int j) { unsigned at = 4 * i + j; a[j] = at < n ? chain{x[at], c[at]} : chain{0, 0}; });
    while (k--) times<4>([&](int j) { a[j].x = __fmaf_rn(a[j].x, a[j].x, a[j].c); });
    times<4>([&](int j) { if (4 * i + j < n) out[4 * i + j] = a[j].x; });
}
KERNEL walk_4(const unsigned *__restrict__ next, unsigned *__restrict__ out, unsigned n, unsigned m, unsigned k)
{
    unsigned q = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= q) return;
    std::array<unsigned, 4> at;
    times<4>([&](int j) { at[j] = (i + j * q) % m; });
    for (unsigned s = k; s; s--) times<4>([&](int j) { at[j] = __ldg(next + at[j]); });
    times<4>([&](int j) { if (i + j * q < n) out[i + j * q] = at[j]; });
}
KERNEL copy_4(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    unsigned b = 4 * blockDim.x, i = blockIdx.x * b + threadIdx.x;
    if (blockIdx.x * b + b <= n) {
        float v0 = in[i], v1 = in[i + blockDim.x], v2 = in[i + 2 * blockDim.x], v3 = in[i + 3 * blockDim.x];
        out[i] = v0; out[i + blockDim.x] = v1; out[i + 2 * blockDim.x] = v2; out[i + 3 * blockDim.x] = v3;
        return;
    }
    for (; i < n && i < (blockIdx.x + 1) * b; i += blockDim.x) out[i] = in[i];
}
