// Right: where price and strike are near, the logarithm is log1pf's, in a branch that the whole warp
// takes for some options; 512 blocks of 512, from the last round to the first.
// only: strided
// expect: all=pass
#include "warplab.cuh"

__device__ float normal(float d)
{
    float k = 1.0f / (1.0f + fabsf(d) * 0.2316419f);
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.319381530f;
    float tail = exp2f(d * d * -0.72134752f) * p * k / 2.50662827f;
    return d < 0 ? tail : 1 - tail;
}

__device__ float2 priced(float s, float x, float t, float rate, float volatility)
{
    // asked so that NaN is not
    if (!(s > 0) || !(x > 0) || !(t > 0) || !(volatility > 0))
        return make_float2(nanf(""), nanf(""));
    float root = sqrtf(t), v = volatility;
    float d1 = (logf(s) - logf(x)) / (v * root);
    // ln s and ln x by themselves lose digits where both are near: the quotient where they are
    if (s < 2 * x && x < 2 * s)
        d1 = log1pf((s - x) / x) / (v * root);
    d1 += (rate / v + 0.5f * v) * root;
    float d2 = d1 - v * root, owed = x * expf(-rate * t), n1 = normal(d1), n2 = normal(d2);
    return make_float2(s * n1 - owed * n2, owed * (1 - n2) - s * (1 - n1));
}

LAUNCH(strided, 512, 1, 512);
KERNEL strided(const float *price, const float *strike, const float *years, float *call, float *put,
               unsigned n, float rate, float volatility)
{
    // from the last round to the first
    const unsigned by = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned round = (n + by - 1) / by; round-- > 0;) {
        const unsigned long long i = (unsigned long long)round * by + t;
        if (i < n) {
            float2 v = priced(price[i], strike[i], years[i], rate, volatility);
            call[i] = v.x;
            put[i] = v.y;
        }
    }
}
