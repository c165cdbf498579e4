// All values go through shared memory, by st.async, which is no store; lanes add eight each, and four
// of the five shuffles carry the sum from lane to lane.
// class: elsewhere
// only: reduce8
// expect: r8-gate=fail
// hint: r8-gate: How many values does a warp
#include "warplab.cuh"
struct Sum { template <class T> static __device__ T neutral(T) { return 0; } template <class T> static __device__ T apply(T a, T b) { return a + b; } };
struct Min { static __device__ int neutral(int) { return 2147483647; } static __device__ int apply(int a, int b) { return a < b ? a : b; } };
struct Max { static __device__ int neutral(int) { return -2147483647 - 1; } static __device__ int apply(int a, int b) { return a > b ? a : b; } };
__device__ unsigned sh(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void send(void *to, int v, void *b) { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(sh(to)), "r"(v), "r"(sh(b)) : "memory"); }
__device__ void send(void *to, float v, void *b) { send(to, __float_as_int(v), b); }
__device__ void send(void *to, double v, void *b) { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(sh(to)), "l"(__double_as_longlong(v)), "r"(sh(b)) : "memory"); }
LAUNCH(reduce8, 256, 1, 0);
// a warp's values into shared memory, where lanes add eight each; the shuffles pass the sum on
template <class Op, class T> __device__ T warp_sum(T v, T *mine, unsigned lane)
{
    T s = Op::neutral(T());
    for (unsigned k = 0; k < 8; k++) s = Op::apply(s, mine[lane % 4 * 8 + k]);
    for (unsigned d = 1; d < 32; d *= 2) {
        T o = __shfl_xor_sync(~0u, s, d);
        if (d < 4) s = Op::apply(s, o);
        else s = o;
    }
    return s;
}
template <class Op, class T> __device__ void reduce8(const T *in, T *out, unsigned n)
{
    __shared__ __align__(16) T all[1024];
    __shared__ T of_warp[32];
    __shared__ __align__(8) unsigned long long bar;
    unsigned t = threadIdx.x, lane = t % 32, w = t / 32;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sh(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(&bar)), "r"((unsigned)sizeof(T) * blockDim.x));
    }
    __syncthreads();
    T v = Op::neutral(T());
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v = Op::apply(v, in[i]);
    send(&all[t], v, &bar);
    asm volatile("{ .reg .pred p; a: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra a; }" ::"r"(sh(&bar)) : "memory");
    v = warp_sum<Op>(v, all + 32 * w, lane);
    if (lane == 0) of_warp[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < blockDim.x / 32 ? of_warp[lane] : Op::neutral(T());
        for (unsigned d = 16; d; d /= 2) v = Op::apply(v, __shfl_down_sync(~0u, v, d));
        if (lane == 0) out[blockIdx.x] = v;
    }
}
#define CLUSTER KERNEL __cluster_dims__(1, 1, 1)
#define KERNELS(f)                                                                                 \
    CLUSTER f##_i32_sum(const int *in, int *out, unsigned n) { f<Sum>(in, out, n); }                \
    CLUSTER f##_f32_sum(const float *in, float *out, unsigned n) { f<Sum>(in, out, n); }            \
    CLUSTER f##_f64_sum(const double *in, double *out, unsigned n) { f<Sum>(in, out, n); }          \
    CLUSTER f##_i32_min(const int *in, int *out, unsigned n) { f<Min>(in, out, n); }                \
    CLUSTER f##_i32_max(const int *in, int *out, unsigned n) { f<Max>(in, out, n); }
KERNELS(reduce8)
