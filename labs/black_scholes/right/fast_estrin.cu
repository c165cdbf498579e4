// Right: fast functions alone, the polynomial by Estrin's scheme, and a guard of five comparisons:
// about one in eight more instructions than the solution has.
// only: fast
// expect: all=pass
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

struct once { float rate, volatility, drift, per_spread; };
__device__ float below(float d)
{
    float k = __fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f)), k2 = k * k;
    float sum = fmaf(k2, fmaf(k2, 0.530702714f, fmaf(-0.726576013f, k, 0.710706870f)),
                     fmaf(-0.142248368f, k, 0.127414796f));
    float tail = __expf(-0.5f * d * d) * (sum * k);
    return d > 0 ? 1.0f - tail : tail;
}
__device__ float2 quick(float s, float x, float t, once m)
{
    float r = rsqrtf(t), d1 = fmaf(m.drift, t, __logf(__fdividef(s, x))) * (m.per_spread * r);
    float d2 = fmaf(-m.volatility * t, r, d1), owed = x * __expf(-m.rate * t);
    float call = fmaf(s, below(d1), -owed * below(d2));
    if (!(fminf(s, x) > 0) || !(t > 0) || s != s || x != x)
        call = NO_PRICE;
    return {call, call + (owed - s)};
}
__device__ once prepared(float rate, float v)
{
    v = v > 0 ? v : NO_PRICE;
    return {rate, v, fmaf(v * 0.5f, v, rate), __frcp_rn(v)};
}
LAUNCH(fast, 128, 1, 1980);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    once m = prepared(rate, volatility);
    const unsigned by = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += by) {
        float2 v = quick(price[i], strike[i], years[i], m);
        call[i] = v.x;
        put[i] = v.y;
    }
}
