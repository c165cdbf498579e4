// Right: logarithm and powers of base 2, one reciprocal for both polynomials, and one density: S phi(d1) = X e^(-rT) phi(d2).
// only: fast
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

__device__ float powers(float k)
{
    return k * (0.127414796f + k * (-0.142248368f + k * (0.710706870f + k * (-0.726576013f + k * 0.530702714f))));
}

struct market {
    float rate, volatility, drift, per_spread; // drift: r + v²/2; per_spread: 1 / v
};

__device__ market market_of(float rate, float volatility)
{
    if (!(volatility > 0))
        volatility = NO_PRICE;
    return {rate, volatility, rate + 0.5f * volatility * volatility, 1.0f / volatility};
}

__device__ float2 priced_fast(float s, float x, float t, const market &m)
{
    float per_root = rsqrtf(t);
    float d1 = (0.69314718f * __log2f(__fdividef(s, x)) + m.drift * t) * (m.per_spread * per_root);
    float d2 = d1 - m.volatility * t * per_root;
    float owed = x * exp2f(-1.44269504f * m.rate * t);
    float a = fmaf(0.2316419f, fabsf(d1), 1.0f), b = fmaf(0.2316419f, fabsf(d2), 1.0f), both = __fdividef(1.0f, a * b);
    float density = s * exp2f(-0.72134752f * d1 * d1);
    float tail1 = density * powers(b * both), tail2 = density * powers(a * both);
    float call = (d1 > 0 ? s - tail1 : tail1) - (d2 > 0 ? owed - tail2 : tail2);

    if (!(s > 0 && x > 0 && t > 0))
        call = NO_PRICE;
    return {call, call - s + owed};
}

LAUNCH(fast, 256, 1, 1024);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    market m = market_of(rate, volatility);

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 v = priced_fast(price[i], strike[i], years[i], m);

        call[i] = v.x;
        put[i] = v.y;
    }
}
