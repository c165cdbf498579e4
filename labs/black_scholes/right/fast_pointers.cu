// Right: five pointers walk, and rounds are counted: more for a thread to set up than an index.
// only: fast
#include "warplab.cuh"

#define NO_PRICE __int_as_float(0x7fc00000)

struct market {
    float drift, volatility, per_volatility, decay;
    bool open;

    __device__ market(float rate, float v)
        : drift((rate + 0.5f * v * v) * 1.44269504f), volatility(v),
          per_volatility(0.693147181f / v), decay(-1.44269504f * rate), open(v > 0)
    {
    }
    // k times the polynomial in it, over the root of 2 pi
    static __device__ float tail(float d)
    {
        constexpr float bell = 0.3989422804f;
        const float k = __fdividef(1.f, fmaf(0.2316419f, fabsf(d), 1.f));
        float y = bell * 1.330274429f;

        y = fmaf(y, k, bell * -1.821255978f);
        y = fmaf(y, k, bell * 1.781477937f);
        y = fmaf(y, k, bell * -0.356563782f);
        y = fmaf(y, k, bell * 0.319381530f);
        return y * k;
    }
    static __device__ float power(float a)
    {
        float y;

        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
        return y;
    }
    __device__ float2 price(float s, float x, float t) const
    {
        const float inverse = rsqrtf(t), spread = volatility * (t * inverse);
        const float far = fmaf(drift, t, __log2f(__fdividef(s, x)));
        const float d1 = far * (per_volatility * inverse), d2 = d1 - spread;
        const float owed = x * power(decay * t), bell = s * power(d1 * d1 * -0.72134752f);
        const float a = bell * tail(d1), b = bell * tail(d2);
        const float gain = (d1 > 0 ? s - a : a) - (d2 > 0 ? owed - b : b);

        return open && s > 0 && x > 0 && t > 0 ? make_float2(gain, gain - s + owed)
                                               : make_float2(NO_PRICE, NO_PRICE);
    }
};

LAUNCH(fast, 192, 1, 1320);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    const unsigned all = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const market now(rate, volatility);
    unsigned left = (n - 1 - i) / all + 1;

    price += i, strike += i, years += i, call += i, put += i;
    do {
        const float2 both = now.price(*price, *strike, *years);

        *call = both.x;
        *put = both.y;
        price += all, strike += all, years += all, call += all, put += all;
    } while (--left);
}
