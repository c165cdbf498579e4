// Right: a guard for each number, exact functions, doubles at the end: one block is slower than it
// could be, and the switch takes it all the same.
// only: price_block price_blocks price_switch
// expect: all=pass
#include "warplab.cuh"
#include <cfloat>

// A round is an operator on a counter and its key.
struct encryption {
    uint4 c;
    uint2 k;

    __device__ encryption &operator++()
    {
        const unsigned high = __umulhi(c.z, 0xcd9e8d57), other = __umulhi(c.x, 0xd2511f53);

        c = make_uint4(high ^ c.y ^ k.x, c.z * 0xcd9e8d57, other ^ c.w ^ k.y, c.x * 0xd2511f53);
        k.x += 0x9e3779b9, k.y += 0xbb67ae85;
        return *this;
    }
};
static __device__ uint4 philox_words(uint4 c, unsigned k0, unsigned k1)
{
    encryption e{c, {k0, k1}};

    ++ ++ ++ ++ ++ ++ ++ ++ ++ ++e;
    return e.c;
}

// A word as a number above 0, so that there is a logarithm, and at most 1.
__device__ float uniform(unsigned word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

static __device__ float2 box_muller(unsigned first, unsigned second)
{
    const float u = uniform(first), v = uniform(second), ln = logf(u);
    float2 n;

    sincospif(v + v, &n.x, &n.y);
    const float r = __fsqrt_rn(fmaxf(-(ln + ln), 0.f));

    n.x *= r, n.y *= r;
    return n;
}

struct option {
    float price, strike, years, rate, volatility;
};
struct sums {
    float sum, squares; // of payoffs
};

// The sums of all threads of a block, for its thread 0. It is complete: lab reduction.
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

// Of one path, that z moves. In powers of 2; what is the same for all paths the compiler takes out of the loops.
__device__ void add_path(sums &s, option o, float z)
{
    constexpr float per_ln2 = 1.44269504f;
    const float half = o.volatility * o.volatility / 2, more = (o.rate - half) * o.years * per_ln2;
    const float end = o.price * exp2f(more + o.volatility * per_ln2 * sqrtf(o.years) * z);
    const float above = end > o.strike ? end - o.strike : 0.f;

    s.sum += above;
    s.squares += above * above;
}

// Up to here floats; the two numbers that come out are made of doubles.
__device__ float2 price_of(option o, sums s, unsigned n)
{
    const float all[5] = {o.price, o.strike, o.years, o.volatility, o.rate};
    bool good = true;

#pragma unroll
    for (int i = 0; i < 5; i++)
        good &= fabsf(all[i]) <= FLT_MAX && (i == 4 || all[i] > 0); // neither is true of NaN
    if (!good)
        return make_float2(NAN, NAN);

    const double off = exp(-(double)o.rate * o.years), sum = s.sum, mean = sum / n;
    const double spread = fmax(s.squares - sum * mean, 0.0) / ((double)n - 1) / n; // of one path 0 / 0

    return make_float2((float)(off * mean), n == 1 ? NAN : (float)(1.96 * off * sqrt(spread)));
}

// Four paths a counter, of which there may be fewer at the end. f is given each number that there is.
template <class F> __device__ void draw(const unsigned *key, unsigned q, unsigned o, unsigned n, F f)
{
    const uint4 w = philox_words(make_uint4(q, 0, o, 0), key[0], key[1]);
    const float2 one = box_muller(w.x, w.y), two = box_muller(w.z, w.w);
    const float z[4] = {one.x, one.y, two.x, two.y};
    const unsigned left = n - 4 * q;

#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        if (j < left)
            f(z[j]);
}

KERNEL price_block(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    const unsigned quads = n / 4 + (n % 4 > 0);
    const option o = options[blockIdx.x];
    sums s = {0, 0};

    for (unsigned q = threadIdx.x; q < quads; q += blockDim.x)
        draw(key, q, blockIdx.x, n, [&](float z) { add_path(s, o, z); });
    s = block_sum(s);
    if (!threadIdx.x)
        out[blockIdx.x] = price_of(o, s, n);
}

// Rounds of the whole option's threads; every other round goes the other way.
KERNEL price_blocks(const unsigned *key, const option *options, sums *partial, unsigned n,
                    unsigned first)
{
    const unsigned o = first + blockIdx.y, all = gridDim.x * blockDim.x, quads = (n + 3) / 4;
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const option mine = options[o];
    sums s = {0, 0};

    for (unsigned begin = 0; begin < quads; begin += all, t = all - 1 - t)
        if (begin + t < quads)
            draw(key, begin + t, o, n, [&](float z) { add_path(s, mine, z); });
    s = block_sum(s);
    if (threadIdx.x == 0)
        partial[o * gridDim.x + blockIdx.x] = s;
}

KERNEL price_sum(const option *options, const sums *partial, float2 *out, unsigned n,
                 unsigned blocks)
{
    sums s = {0, 0};

    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) {
        const sums p = partial[blockIdx.x * blocks + b];

        s.sum += p.sum;
        s.squares += p.squares;
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(options[blockIdx.x], s, n);
}

LAUNCH(price_switch, 256, 1, 1 << 15);
