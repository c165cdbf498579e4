// Right: fast functions alone. ln(s / x) of prices that are near is a series: a branch, and whole
// warps take it.
// only: fast
// expect: all=pass
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000) // NaN

// The five constants times 1 / sqrt(2 pi), from the fifth down, worked out by the compiler.
struct tail_constants {
    float c[5];
};
constexpr tail_constants make_tail()
{
    constexpr double a[5] = {1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530};
    tail_constants t = {};

    for (int i = 0; i < 5; i++)
        t.c[i] = float(0.3989422804 * a[i]);
    return t;
}
constexpr float half_log2e = float(0.5 * 1.4426950408889634), log2e = float(1.4426950408889634);

// The tail below -|d|: e is e^(-d^2 / 2), k is 1 / (1 + 0.2316419 |d|).
__device__ float tail(float k, float e)
{
    constexpr tail_constants t = make_tail();
    float sum = t.c[0];

#pragma unroll
    for (int i = 1; i < 5; i++)
        sum = fmaf(sum, k, t.c[i]);
    return sum * k * e;
}

// ln(s / x) is 2 artanh z with z = (s - x) / (s + x): where both are near, no digit is lost.
template <class Quotient, class Log>
__device__ float log_ratio(float s, float x, Quotient quotient, Log log_of)
{
    float z = quotient(s - x, s + x), zz = z * z;
    float near = fmaf(zz, fmaf(zz, fmaf(zz, 1.f / 9, 1.f / 7), 1.f / 5), 1.f / 3);

    near = fmaf(zz * near, z, z);
    return zz < 0.01f ? near + near : log_of(quotient(s, x));
}

// What is the same for all options. Where there is no volatility there is no option at all: v is NaN.
struct market {
    float v, per_v, half_v, rate_per_v, rate_log2;
};

__device__ market market_of(float rate, float volatility)
{
    market m;

    m.v = volatility > 0 ? volatility : NO_PRICE;
    asm("rcp.approx.f32 %0, %1;" : "=f"(m.per_v) : "f"(m.v));
    m.half_v = 0.5f * m.v;
    m.rate_per_v = rate * m.per_v;
    m.rate_log2 = -log2e * rate;
    return m;
}

__device__ float ex2(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ float fast_normal(float d)
{
    float below = tail(__fdividef(1.f, fmaf(0.2316419f, fabsf(d), 1.f)), ex2(-half_log2e * d * d));

    return d > 0 ? 1.f - below : below;
}

// One root, from 1 / sqrt(t): d1 = ln(s / x) / (v sqrt(t)) + (r / v + v / 2) sqrt(t).
__device__ float2 fast_priced(float s, float x, float t, const market &m)
{
    float per_root = rsqrtf(t), root = t * per_root;
    float l = log_ratio(s, x, [](float a, float b) { return __fdividef(a, b); },
                        [](float a) { return __logf(a); });
    float owed = x * ex2(m.rate_log2 * t);
    float d1 = fmaf(l * m.per_v, per_root, fmaf(m.half_v, root, m.rate_per_v * root));
    float d2 = fmaf(-m.v, root, d1);
    float call = fmaf(s, fast_normal(d1), -owed * fast_normal(d2));

    if (!(s > 0) | !(x > 0) | !(t > 0))
        call = NO_PRICE;
    return {call, call + (owed - s)};
}

LAUNCH(fast, 512, 1, 528);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    const unsigned all = gridDim.x * blockDim.x;
    const market m = market_of(rate, volatility);

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
        const float2 both = fast_priced(price[i], strike[i], years[i], m);

        call[i] = both.x;
        put[i] = both.y;
    }
}
