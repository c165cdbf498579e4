// Asks what is not above 0 by <=, which NaN never is, and then keeps numbers in their range by fmaxf, which drops a NaN.
// only: direct
// expect: direct-none=fail
// hint: direct-none: with NaN
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

__device__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.3989422804f * expf(-0.5f * d * d) *
                 (k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

    return d > 0 ? 1.0f - tail : tail;
}

__device__ float2 priced(float s, float x, float t, float rate, float volatility)
{
    if (s <= 0 || x <= 0 || t <= 0 || volatility <= 0)
        return {NO_PRICE, NO_PRICE};
    s = fmaxf(s, 1e-20f);
    x = fmaxf(x, 1e-20f);
    t = fmaxf(t, 1e-20f);
    float spread = volatility * sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float below1 = normal(d1), below2 = normal(d1 - spread), owed = x * expf(-rate * t);
    return {s * below1 - owed * below2, owed * (1.0f - below2) - s * (1.0f - below1)};
}

KERNEL direct(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float2 v = priced(price[i], strike[i], years[i], rate, volatility);

        call[i] = v.x;
        put[i] = v.y;
    }
}
