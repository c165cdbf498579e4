// Two chains and two walks at a time, one pair after the other: half of what is asked for.
// class: no-evidence
// only: steps_4 walk_4
// expect: steps-overlap=fail walk-overlap=fail
// hint: steps-overlap: how many of them could start
// hint: walk-overlap: after the first walk's first step
// score: 6
#include "warplab.cuh"

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned first = i; i < threads && first < 4 * threads; first += 2 * threads) {
        unsigned second = first + threads;
        float a = first < n ? x[first] : 0, add_a = first < n ? c[first] : 0;
        float b = second < n ? x[second] : 0, add_b = second < n ? c[second] : 0;

        for (unsigned s = 0; s < k; s++) {
            a = __fmaf_rn(a, a, add_a);
            b = __fmaf_rn(b, b, add_b);
        }
        if (first < n)
            out[first] = a;
        if (second < n)
            out[second] = b;
    }
}

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned first = i; i < threads && first < 4 * threads; first += 2 * threads) {
        unsigned second = first + threads, a = first % m, b = second % m;

        for (unsigned s = 0; s < k; s++) {
            a = next[a];
            b = next[b];
        }
        if (first < n)
            out[first] = a;
        if (second < n)
            out[second] = b;
    }
}
