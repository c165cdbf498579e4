// Right: a guard for each path, which makes one block slower, and the switch no other.
// only: price_block price_blocks price_switch
// expect: all=pass
#include "warplab.cuh"

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

// Above 0, so that there is a logarithm.
__device__ float uniform(unsigned word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

// Normals by the special-function unit: not as near where r is nearly 0, and many times as fast.
// The angle is taken from -pi to pi, where its sine is best.
__device__ float2 quick_pair(unsigned first, unsigned second)
{
    const float step = 0x1p-32f * 6.2831853f;
    float r, s, c;

    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(-2 * __logf(uniform(first))));
    __sincosf((float)(int)second * step + step / 2, &s, &c);
    return make_float2(r * s, r * c);
}

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

// Of the paths of option `of`, those whose quads are `first`, `first` + `step` and so on.
__device__ sums simulate(const unsigned *key, option o, unsigned of, unsigned n, unsigned first,
                         unsigned step)
{
    unsigned k0 = key[0], k1 = key[1];
    walk w = walk_of(o);
    sums s = {0, 0};

    for (unsigned q = first; 4 * q < n; q += step) {
        uint4 words = philox_words(make_uint4(q, 0, of, 0), k0, k1);
        float2 a = quick_pair(words.x, words.y), b = quick_pair(words.z, words.w);
        float z[4] = {a.x, a.y, b.x, b.y};

#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if (4 * q + j < n)
                add_path(s, w, z[j]);
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

LAUNCH(price_switch, 256, 1, 24576);
