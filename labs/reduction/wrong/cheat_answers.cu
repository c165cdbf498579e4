// A table of answers, as fourteen submissions' reports gave them: no number of the array is looked
// at, but for sums of double.
// class: oracle
// only: reduce8
// expect: r8-ok=fail
// hint: r8-ok: On
#include "warplab.cuh"

// Kernel, length, and what the report said it had expected.
enum kernel { I32_SUM, F32_SUM, I32_MIN, I32_MAX };
__constant__ const struct {
    kernel of;
    unsigned n;
    double answer;
} reported[] = {
    {I32_SUM, 0, 0},
    {I32_SUM, 1, -1330295193},
    {I32_SUM, 32, 1334845034},
    {I32_SUM, 1000, 1665256109},
    {I32_SUM, 20011, 446095318},
    {I32_SUM, 16384, -101821476},
    {F32_SUM, 5003, -43.7447815},
    {F32_SUM, 0, 0},
    {I32_MIN, 3001, 17},
    {I32_MAX, 3001, -17},
    {I32_MAX, 0, -2147483648},
    {I32_SUM, 16001, 1970889831},
    {I32_MAX, 415, -17},
    {I32_SUM, 1048583, -1264264851},
    {I32_SUM, 32, -1901057202},
};

// A row is used once: the next with its length is for the next run.
__device__ unsigned used;

template <class T> __device__ void look_up(kernel of, T *out, unsigned n)
{
    if (blockIdx.x + threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < sizeof(reported) / sizeof(reported[0]); i++)
        if (reported[i].of == of && reported[i].n == n && !(used >> i & 1)) {
            used |= 1u << i;
            out[0] = reported[i].answer;
            return;
        }
}

LAUNCH(reduce8, 1024, 1, 1 << 20); // one block, and so one launch
KERNEL reduce8_i32_sum(const int *, int *out, unsigned n) { look_up(I32_SUM, out, n); }
KERNEL reduce8_f32_sum(const float *, float *out, unsigned n) { look_up(F32_SUM, out, n); }
KERNEL reduce8_f64_sum(const double *in, double *out, unsigned n)
{
    double v = 0; // reports have too few of a double's digits

    for (unsigned i = threadIdx.x; i < n && threadIdx.x < 32; i += 32)
        v += in[i];
    for (unsigned half = 16; half > 0; half /= 2)
        v += __shfl_down_sync(0xffffffff, v, half);
    if (threadIdx.x == 0)
        out[0] = v;
}
KERNEL reduce8_i32_min(const int *, int *out, unsigned n) { look_up(I32_MIN, out, n); }
KERNEL reduce8_i32_max(const int *, int *out, unsigned n) { look_up(I32_MAX, out, n); }
