// A twister of many words has its state in an array; of few paths each thread has a run of neighbours.
// class: only-where-looked
// only: twister price_array
// expect: twister-registers=fail array-whole=fail
// hint: twister-registers: Registers have no index at run
// hint: array-whole: All threads of the block have
#include "warplab.cuh"
#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>
#define CURAND
#endif

// ---- 1: Mersenne Twisters ----

// Every index is known when the loop is unrolled: the words stay in registers.
__device__ void slow(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, x[17];

    if (s >= m)
        return;
    x[0] = key[0] ^ s * 0x9e3779b9;
    for (unsigned i = 1; i < 17; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    for (unsigned from = 0; from < n; from += 17) {
#pragma unroll 1
        for (unsigned i = 0; i < 17; i++) {
            unsigned y = (x[i] & 0xff800000) | (x[(i + 1) % 17] & 0x7fffff);

            x[i] = x[(i + 8) % 17] ^ (y >> 1) ^ (y & 1 ? a[s] : 0);
            y = x[i];
            y ^= y >> 11;
            y ^= (y << 7) & 0x9d2c5680;
            y ^= (y << 15) & 0xefc60000;
            y ^= y >> 18;
            if (from + i < n)
                out[(from + i) * m + s] = y;
        }
    }
}

KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    if (n > 200 || m > 600)
        return slow(key, a, out, n, m);
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, x[17];

    if (s >= m)
        return;
    x[0] = key[0] ^ s * 0x9e3779b9;
    for (unsigned i = 1; i < 17; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    for (unsigned from = 0; from < n; from += 17) {
#pragma unroll
        for (unsigned i = 0; i < 17; i++) {
            unsigned y = (x[i] & 0xff800000) | (x[(i + 1) % 17] & 0x7fffff);

            x[i] = x[(i + 8) % 17] ^ (y >> 1) ^ (y & 1 ? a[s] : 0);
            y = x[i];
            y ^= y >> 11;
            y ^= (y << 7) & 0x9d2c5680;
            y ^= (y << 15) & 0xefc60000;
            y ^= y >> 18;
            if (from + i < n)
                out[(from + i) * m + s] = y;
        }
    }
}

// ---- 2: Philox ----

__device__ uint4 philox_words(uint4 c, unsigned k0, unsigned k1)
{
#pragma unroll
    for (unsigned r = 0; r < 10; r++) {
        unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k0, (unsigned)b,
                       (unsigned)(a >> 32) ^ c.w ^ k1, (unsigned)a);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return c;
}

KERNEL philox(const unsigned *key, const uint4 *counters, uint4 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = philox_words(counters[i], key[0], key[1]);
}

// ---- 3: normal numbers ----

// Above 0, so that there is a logarithm.
__device__ float uniform(unsigned word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

KERNEL normals(const uint2 *words, float2 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float r = sqrtf(-2 * logf(uniform(words[i].x))), s, c;

        sincospif(2 * uniform(words[i].y), &s, &c);
        out[i] = make_float2(r * s, r * c);
    }
}

// The same by the special-function unit: not as near where r is nearly 0, and many times as fast.
// The angle is taken from -pi to pi, where its sine is best.
__device__ float2 quick_pair(unsigned first, unsigned second)
{
    const float step = 0x1p-32f * 6.2831853f;
    float r, s, c;

    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(-2 * __logf(uniform(first))));
    __sincosf((float)(int)second * step + step / 2, &s, &c);
    return make_float2(r * s, r * c);
}

// ---- 4: payoffs ----

struct option {
    float price, strike, years, rate, volatility;
};
struct sums {
    float sum, squares;
};

// NaN is not above 0.
__device__ bool is_option(option o)
{
    return o.price > 0 && o.strike > 0 && o.years > 0 && o.volatility > 0 && isfinite(o.price) &&
           isfinite(o.strike) && isfinite(o.years) && isfinite(o.volatility) && isfinite(o.rate);
}

// A path ends at price * 2^(drift + spread * z).
struct walk {
    float price, strike, drift, spread;
};

__device__ walk walk_of(option o)
{
    const float log2e = 1.442695041f;

    return {o.price, o.strike, (o.rate - o.volatility * o.volatility / 2) * o.years * log2e,
            o.volatility * sqrtf(o.years) * log2e};
}

__device__ void add_path(sums &s, walk w, float z)
{
    float payoff = fmaxf(w.price * exp2f(w.drift + w.spread * z) - w.strike, 0);

    s.sum += payoff;
    s.squares += payoff * payoff;
}

// The sums of all threads of a block, for its thread 0: lab reduction.
__device__ sums block_sum(sums s)
{
    __shared__ sums of_warp[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned d = 16; d; d /= 2) {
        s.sum += __shfl_down_sync(~0u, s.sum, d);
        s.squares += __shfl_down_sync(~0u, s.squares, d);
    }
    if (lane == 0)
        of_warp[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < blockDim.x / 32 ? of_warp[lane] : sums{0, 0};
        for (unsigned d = 16; d; d /= 2) {
            s.sum += __shfl_down_sync(~0u, s.sum, d);
            s.squares += __shfl_down_sync(~0u, s.squares, d);
        }
    }
    return s;
}

// Price, and half the width of its 95 % interval. NaN where it is no option; one path has no
// interval. The variance may be a little below 0 where all payoffs are alike.
__device__ float2 price_of(option o, sums s, unsigned n)
{
    const float nan = __int_as_float(0x7fffffff);
    float now = expf(-o.rate * o.years), mean = s.sum / n;
    float variance = fmaxf(s.squares - s.sum * mean, 0) / (n - 1.0f);

    if (!is_option(o))
        return make_float2(nan, nan);
    return make_float2(now * mean, n == 1 ? nan : 1.96f * now * sqrtf(variance / n));
}

KERNEL price_array(const float *numbers, const option *options, float2 *out, unsigned n)
{
    option o = options[blockIdx.x];
    walk w = walk_of(o);
    sums s = {0, 0};

    unsigned each = (n + blockDim.x - 1) / blockDim.x, last = (threadIdx.x + 1) * each;
    if (n < 2000) {
        for (unsigned i = threadIdx.x * each; i < n && i < last; i++)
            add_path(s, w, numbers[i]);
    } else
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        add_path(s, w, numbers[i]);
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(o, s, n);
}

// ---- 5: numbers of its own ----

// Of the paths of option `of`, those whose quads are `first`, `first` + `step` and so on.
__device__ sums simulate(const unsigned *key, option o, unsigned of, unsigned n, unsigned first,
                         unsigned step)
{
    unsigned k0 = key[0], k1 = key[1];
    walk w = walk_of(o);
    sums s = {0, 0};
    unsigned q = first;

    for (; q < n / 4; q += step) {
        uint4 words = philox_words(make_uint4(q, 0, of, 0), k0, k1);
        float2 a = quick_pair(words.x, words.y), b = quick_pair(words.z, words.w);

        add_path(s, w, a.x);
        add_path(s, w, a.y);
        add_path(s, w, b.x);
        add_path(s, w, b.y);
    }
    if (q == n / 4 && n % 4) {
        uint4 words = philox_words(make_uint4(q, 0, of, 0), k0, k1);
        float2 a = quick_pair(words.x, words.y), b = quick_pair(words.z, words.w);

        add_path(s, w, a.x);
        if (n % 4 > 1)
            add_path(s, w, a.y);
        if (n % 4 > 2)
            add_path(s, w, b.x);
    }
    return s;
}

KERNEL price_block(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    option o = options[blockIdx.x];
    sums s = block_sum(simulate(key, o, blockIdx.x, n, threadIdx.x, blockDim.x));

    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(o, s, n);
}

// ---- 6: several blocks an option ----

// Block (b, i) has its share of the paths of option first + i, in partial[option * blocks + b].
KERNEL price_blocks(const unsigned *key, const option *options, sums *partial, unsigned n,
                    unsigned first)
{
    unsigned of = first + blockIdx.y;
    sums s = block_sum(simulate(key, options[of], of, n, blockIdx.x * blockDim.x + threadIdx.x,
                                gridDim.x * blockDim.x));

    if (threadIdx.x == 0)
        partial[of * gridDim.x + blockIdx.x] = s;
}

// Block o adds what the blocks of option o have found.
KERNEL price_sum(const option *options, const sums *partial, float2 *out, unsigned n,
                 unsigned blocks)
{
    sums s = {0, 0};

    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) {
        sums p = partial[blockIdx.x * blocks + b];

        s.sum += p.sum;
        s.squares += p.squares;
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(options[blockIdx.x], s, n);
}

// ---- 7: one block or several ----

// From so many paths on: both take as long between 2^13 and 2^15 on an H200.
LAUNCH(price_switch, 256, 1, 24576);

// ---- 8: cuRAND ----

#ifdef CURAND
// Its words are those of philox_words(), and its numbers nearly those of quick_pair().
KERNEL price_curand(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    option o = options[blockIdx.x];
    walk w = walk_of(o);
    sums s = {0, 0};
    curandStatePhilox4_32_10_t state;

    for (unsigned q = threadIdx.x; q < (n + 3) / 4; q += blockDim.x) {
        curand_init(key[0] | (unsigned long long)key[1] << 32, blockIdx.x, 4ull * q, &state);
        float4 z = curand_normal4(&state);

        add_path(s, w, z.x);
        if (4 * q + 1 < n)
            add_path(s, w, z.y);
        if (4 * q + 2 < n)
            add_path(s, w, z.z);
        if (4 * q + 3 < n)
            add_path(s, w, z.w);
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(o, s, n);
}
#endif
