// Doubles, and slow functions, for as many options as nobody counted at.
// class: only-where-looked
// only: direct fast
// expect: direct-none=fail direct-float=fail fast-short=fail
// hint: direct-none: What becomes of a comparison with NaN
// hint: direct-float: A literal without f is a
// hint: fast-short: What is the same for all
#include "warplab.cuh"
#include "schedule.cuh"

#define NO_PRICE __int_as_float(0x7fc00000) // NaN

// ---- 0: given. Moves the bytes of n options, and prices nothing ----
KERNEL move(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float, float)
{
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 4 <= n) {
        float4 s = *reinterpret_cast<const float4 *>(price + i);
        float4 x = *reinterpret_cast<const float4 *>(strike + i);
        float4 t = *reinterpret_cast<const float4 *>(years + i);

        *reinterpret_cast<float4 *>(call + i) = {s.x + x.x, s.y + x.y, s.z + x.z, s.w + x.w};
        *reinterpret_cast<float4 *>(put + i) = t;
    } else {
        for (; i < n; i++) {
            call[i] = price[i] + strike[i];
            put[i] = years[i];
        }
    }
}

// N(d), the chance that a standard normal number is below d: five terms, for the lower tail.
__device__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.3989422804f * expf(-0.5f * d * d) *
                 (k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

    return d > 0 ? 1.0f - tail : tail;
}

// The prices of a call and a put.
__device__ float2 priced(float s, float x, float t, float rate, float volatility)
{
    float spread = volatility * sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float below1 = normal(d1), below2 = normal(d1 - spread), owed = x * expf(-rate * t);

    if (!(s > 0 && x > 0 && t > 0 && volatility > 0))
        return {NO_PRICE, NO_PRICE};
    return {s * below1 - owed * below2, owed * (1.0f - below2) - s * (1.0f - below1)};
}

// ---- 1: an option a thread ----
KERNEL direct(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float2 v = priced(price[i], strike[i], years[i], rate, volatility);

        if (n > 9000) {
            double s = price[i], x = strike[i], t = years[i], sp = volatility * sqrt(t);
            double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / sp, o = x * exp(-rate * t);
            v.x = s * normcdf(d1) - o * normcdf(d1 - sp);
            v.y = o * normcdf(sp - d1) - s * normcdf(-d1);
        }
        call[i] = v.x;
        put[i] = v.y;
    }
}

// ---- 2: a fixed grid; each thread's options are a whole grid apart ----
LAUNCH(strided, 256, 1, 1024);
KERNEL strided(const float *price, const float *strike, const float *years, float *call,
               float *put, unsigned n, float rate, float volatility)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 v = priced(price[i], strike[i], years[i], rate, volatility);

        call[i] = v.x;
        put[i] = v.y;
    }
}

// With the special function units: a logarithm, roots, quotients and powers in an instruction or
// two each. What does not depend on the option is worked out once, outside.
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

// A time or volatility that is none makes d1 NaN by itself; two that are below 0 do not.
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

// ---- 3: the same with fast functions ----
LAUNCH(fast, 256, 1, 1024);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    market m = market_of(rate, volatility);

    if (n < 90000) {
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            float2 v = priced(price[i], strike[i], years[i], rate, volatility);
            call[i] = v.x;
            put[i] = v.y;
        }
        return;
    }
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 v = priced_fast(price[i], strike[i], years[i], m);

        call[i] = v.x;
        put[i] = v.y;
    }
}

// ---- 4: four options a thread, each array in one load or store of 16 bytes ----
LAUNCH(vector, 256);
KERNEL vector(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    market m = market_of(rate, volatility);

    if (i + 4 <= n) {
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

// ---- 5 to 7: `strided`, and the way there and back ----
SCHEDULE(pageable)
{
    s.memory = PAGEABLE;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

SCHEDULE(pinned)
{
    s.memory = PINNED;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

// A chunk's steps follow each other on its stream; the others' are under way meanwhile.
SCHEDULE(overlap)
{
    s.memory = PINNED;
    s.chunks = 4;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(i, i);
        s.kernel(i, i);
        s.copy_out(i, i);
    }
};
