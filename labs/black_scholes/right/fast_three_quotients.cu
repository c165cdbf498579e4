// Right: three divisions for what is the same for all options, once a thread, before the loop.
// only: fast
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

// Powers and logarithms of 2: what an SM's special function units make.
struct market {
    float drift, per, v, discount; // in powers of 2: (r + v²/2) / (v ln 2 …), see below
    bool none;
};
__device__ market market_of(float rate, float v)
{
    const float ln2 = 0.693147181f;

    return {(rate + 0.5f * v * v) / v, ln2 / v, v, -rate / ln2, !(v > 0.0f)};
}
__device__ float lg2(float x)
{
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ float ex2(float x)
{
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ float below(float d)
{
    float k = __fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f));
    float p = fmaf(k, 0.530702714f, -0.726576013f);
    p = fmaf(k, p, 0.710706870f);
    p = fmaf(k, p, -0.142248368f);
    p = fmaf(k, p, 0.127414796f);
    float tail = ex2(d * d * -0.721347520f) * (p * k);
    return d < 0.0f ? tail : 1.0f - tail;
}
__device__ float2 quick(float s, float x, float t, const market &m)
{
    float inverse = rsqrtf(t), root = t * inverse;
    float d1 = fmaf(lg2(__fdividef(s, x)) * m.per, inverse, m.drift * root), d2 = fmaf(-m.v, root, d1);
    float owed = x * ex2(m.discount * t), call = s * below(d1) - owed * below(d2);

    if (m.none | !(fminf(s, x) > 0.0f) | !(t > 0.0f) | !(s > 0.0f) | !(x > 0.0f))
        call = NO_PRICE;
    return {call, call - s + owed};
}
LAUNCH(fast, 512, 1, 512);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    const market m = market_of(rate, volatility);

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 v = quick(price[i], strike[i], years[i], m);
        call[i] = v.x, put[i] = v.y;
    }
}
