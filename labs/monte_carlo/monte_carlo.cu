// monte_carlo.cu - options priced by chance. Yours to complete.
//
// README.md of this folder says what each kernel is about. price_loop (6a) launches your
// price_blocks once for each option; price_curand (8) is complete, and is skipped where cuRAND's
// headers are not installed.
//
// twister       words of many Mersenne Twisters, a thread each
// philox        words of Philox4x32-10, a thread a counter
// normals       normal numbers, by Box and Muller
// price_array   European calls by numbers in memory, a block an option
// price_block   by numbers of its own, a block an option
// price_blocks  the same by several blocks an option, all options in one launch
// price_sum     their sums into prices
// price_switch  which of the two, by the paths of an option
// price_curand  as price_block, with cuRAND's generator
#include "warplab.cuh"
#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>
#define CURAND
#endif

// ---- 1: Mersenne Twisters ----

// TODO 1: thread s has twister s of m: out[j * m + s] is its word j, of n. Its 17 words of state
// begin with x[0] = key[0] ^ s * 0x9e3779b9, then
//     x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i
// and each step replaces the oldest of them, x[0], by
//     y = upper 9 bits of x[0] and lower 23 bits of x[1]
//     x[17] = x[8] ^ (y >> 1) ^ (a[s] where y is odd)
// after which x[1] is the oldest. What is put out is x[17], tempered:
//     y ^= y >> 11;  y ^= (y << 7) & 0x9d2c5680;  y ^= (y << 15) & 0xefc60000;  y ^= y >> 18
KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x;

    if (s < m)
        for (unsigned j = 0; j < n; j++)
            out[j * m + s] = 0;
}

// ---- 2: Philox ----

// TODO 2: ten rounds. One makes of the counter c and the key k0, k1
//     x = upper half of 0xcd9e8d57 * c.z, ^ c.y ^ k0        y = lower half of 0xcd9e8d57 * c.z
//     z = upper half of 0xd2511f53 * c.x, ^ c.w ^ k1        w = lower half of 0xd2511f53 * c.x
// and after each k0 grows by 0x9e3779b9, k1 by 0xbb67ae85.
static __device__ uint4 philox_words(uint4 c, unsigned k0, unsigned k1)
{
    return c;
}

KERNEL philox(const unsigned *key, const uint4 *counters, uint4 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = philox_words(counters[i], key[0], key[1]);
}

// ---- 3: normal numbers ----

// A word as a number above 0, so that there is a logarithm, and at most 1.
__device__ float uniform(unsigned word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

// TODO 3: of two words u = uniform(first), v = uniform(second):
//     r = sqrt(-2 ln u),  x = r sin(2 pi v),  y = r cos(2 pi v)
static __device__ float2 box_muller(unsigned first, unsigned second)
{
    return make_float2(0, 0);
}

KERNEL normals(const uint2 *words, float2 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = box_muller(words[i].x, words[i].y);
}

// ---- 4: payoffs ----

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

// Of one path, that z moves:
//     end = price * exp((rate - volatility^2 / 2) * years + volatility * sqrt(years) * z)
//     payoff = end - strike, or 0 where that is less
__device__ void add_path(sums &s, option o, float z)
{
    s.sum += 0; // TODO 4
    s.squares += 0;
}

// TODO 4: what n payoffs come to: x is the price, exp(-rate * years) times their mean; y is half
// the width of its 95 % interval, exp(-rate * years) * 1.96 * sqrt(variance / n) with
//     variance = (squares - sum * sum / n) / (n - 1)
// Both are NaN where a price, strike, time or volatility is not above 0, or where any of the five
// is not finite; y is NaN of a single path.
__device__ float2 price_of(option o, sums s, unsigned n)
{
    return make_float2(s.sum, s.squares);
}

// TODO 4: block o prices option o, by the n numbers.
KERNEL price_array(const float *numbers, const option *options, float2 *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = make_float2(-1, -1);
}

// ---- 5: numbers of its own ----

// TODO 5: block o prices option o, and draws its numbers itself. Paths 4 q to 4 q + 3 take the
// numbers of philox_words({q, 0, o, 0}, key): its first two words make two of them (x, then y), its
// last two the other two. n need not be a multiple of 4.
KERNEL price_block(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = make_float2(-1, -1);
}

// ---- 6: several blocks an option ----

// TODO 6: gridDim.x blocks share the paths of option first + blockIdx.y. Block b of option o leaves
// its sums in partial[o * gridDim.x + b].
KERNEL price_blocks(const unsigned *key, const option *options, sums *partial, unsigned n,
                    unsigned first)
{
    unsigned o = first + blockIdx.y;

    if (threadIdx.x == 0)
        partial[o * gridDim.x + blockIdx.x] = {0, 0};
}

// TODO 6: block o adds what the `blocks` blocks of option o have left, and prices it.
KERNEL price_sum(const option *options, const sums *partial, float2 *out, unsigned n,
                 unsigned blocks)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = make_float2(-1, -1);
}

// ---- 7: one block or several ----

// TODO 7: from how many paths on do several blocks an option take less time than one? 8192 is what
// was measured in 2008 (of paths divided by options).
LAUNCH(price_switch, 256, 1, 8192);

// ---- 8: cuRAND ----

#ifdef CURAND
// Its words are those of philox_words(), its numbers nearly yours.
KERNEL price_curand(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    option o = options[blockIdx.x];
    sums s = {0, 0};
    curandStatePhilox4_32_10_t state;

    for (unsigned q = threadIdx.x; q < (n + 3) / 4; q += blockDim.x) {
        curand_init(key[0] | (unsigned long long)key[1] << 32, blockIdx.x, 4ull * q, &state);
        float4 z = curand_normal4(&state);

        add_path(s, o, z.x);
        if (4 * q + 1 < n)
            add_path(s, o, z.y);
        if (4 * q + 2 < n)
            add_path(s, o, z.z);
        if (4 * q + 3 < n)
            add_path(s, o, z.w);
    }
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(o, s, n);
}
#endif
