// Step 3 as five kernels of a macro, without a template: static shared memory, an operation each.
// only: reduce3
// expect: all=pass
#include "warplab.cuh"

#include <float.h>
#include <limits.h>

#define ADD(a, b)     ((b) + (a))
#define LESSER(a, b)  ((b) < (a) ? (b) : (a))
#define GREATER(a, b) ((b) > (a) ? (b) : (a))

LAUNCH(reduce3, 256, 1, 1);
#define REDUCE(name, T, neutral, OP)                                                               \
    KERNEL name(const T *in, T *out, unsigned n)                                                   \
    {                                                                                              \
        __shared__ T s[1024];                                                                      \
        const unsigned t = threadIdx.x;                                                            \
        s[t] = (unsigned long long)blockIdx.x * blockDim.x + t >= n                                \
                   ? (neutral)                                                                     \
                   : *(in + blockIdx.x * blockDim.x + t);                                          \
        unsigned working = blockDim.x;                                                             \
        while (working > 1) {                                                                      \
            working >>= 1;                                                                         \
            __syncthreads();                                                                       \
            if (t < working) {                                                                     \
                T a = s[t], b = s[t + working];                                                    \
                s[t] = OP(a, b);                                                                   \
            }                                                                                      \
        }                                                                                          \
        if (t == 0)                                                                                \
            out[blockIdx.x] = *s;                                                                  \
    }
REDUCE(reduce3_i32_sum, int, 0, ADD)
REDUCE(reduce3_f32_sum, float, 0.0f, ADD)
REDUCE(reduce3_f64_sum, double, 0.0, ADD)
REDUCE(reduce3_i32_min, int, INT_MAX, LESSER)
REDUCE(reduce3_i32_max, int, INT_MIN, GREATER)
