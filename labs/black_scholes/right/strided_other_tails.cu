// Right: the put from the other two tails, as the handout's formula has it: N four times an option.
// only: strided
// expect: all=pass
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

// the polynomial by Estrin, the constant 1 / sqrt(2 pi) worked out by the compiler from its square
__device__ float normal(float d)
{
    constexpr float a1 = 0.319381530f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
                    a5 = 1.330274429f;
    const float away = fabsf(d), k = __frcp_rn(fmaf(0.2316419f, away, 1.0f)), k2 = k * k;
    const float sum = fmaf(k2, fmaf(k2, a5, fmaf(a4, k, a3)), fmaf(a2, k, a1)) * k;
    const float tail = expf(-0.5f * away * away) * sum * 0.3989422804f;
    return signbit(d) ? tail : 1.0f - tail;
}

__device__ float2 priced(float s, float x, float t, float rate, float volatility)
{
    const bool is = s > 0 && x > 0 && t > 0 && volatility > 0;
    float2 v = {NO_PRICE, NO_PRICE};
    if (is) {
        const float spread = volatility * sqrtf(t), drift = fmaf(0.5f * volatility, volatility, rate);
        const float d1 = fmaf(drift, t, logf(s / x)) / spread, d2 = d1 - spread;
        const float owed = x * expf(-(rate * t));
        // what a put takes are the other tails
        v.x = s * normal(d1) - owed * normal(d2);
        v.y = owed * normal(-d2) - s * normal(-d1);
    }
    return v;
}

LAUNCH(strided, 256, 1, 1024);
KERNEL strided(const float *price, const float *strike, const float *years, float *call, float *put,
               unsigned n, float rate, float volatility)
{
    const unsigned by = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    // pointers walk; how often is known before
    unsigned times = (n - t + by - 1) / by;
    price += t, strike += t, years += t, call += t, put += t;
    do {
        float2 v = priced(*price, *strike, *years, rate, volatility);
        *call = v.x;
        *put = v.y;
        price += by, strike += by, years += by, call += by, put += by;
    } while (--times);
}
