// Loads four where fewer are left.
// only: vector
// expect: vector-ok=fail vector-none=fail vector-clean=fail vector-wide=blocked
// hint: vector-ok: the last three
// hint: vector-none: NaN
// hint: vector-clean: CHECK=1
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

__device__ float normal_fast(float d)
{
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float tail = __expf(-0.5f * d * d) *
                 (k * (0.127414796f + k * (-0.142248368f + k * (0.710706870f + k * (-0.726576013f + k * 0.530702714f)))));

    return d > 0 ? 1.0f - tail : tail;
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
    float d1 = (__logf(__fdividef(s, x)) + m.drift * t) * (m.per_spread * per_root);
    float d2 = d1 - m.volatility * t * per_root;
    float owed = x * __expf(-m.rate * t), below1 = normal_fast(d1), below2 = normal_fast(d2);
    float call = s * below1 - owed * below2;

    if (!(s > 0 && x > 0 && t > 0))
        call = NO_PRICE;
    return {call, call - s + owed};
}

LAUNCH(vector, 256);
KERNEL vector(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    market m = market_of(rate, volatility);

    if (i < n) {
        float4 s = *reinterpret_cast<const float4 *>(price + i);
        float4 x = *reinterpret_cast<const float4 *>(strike + i);
        float4 t = *reinterpret_cast<const float4 *>(years + i);
        float2 a = priced_fast(s.x, x.x, t.x, m), b = priced_fast(s.y, x.y, t.y, m);
        float2 c = priced_fast(s.z, x.z, t.z, m), d = priced_fast(s.w, x.w, t.w, m);

        *reinterpret_cast<float4 *>(call + i) = {a.x, b.x, c.x, d.x};
        *reinterpret_cast<float4 *>(put + i) = {a.y, b.y, c.y, d.y};
    } else {
        for (; i < n; i++) {
            float2 v = priced_fast(price[i], strike[i], years[i], m);

            call[i] = v.x;
            put[i] = v.y;
        }
    }
}
