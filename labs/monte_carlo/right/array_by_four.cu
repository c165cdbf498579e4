// Right: four numbers a load, and the sum as a tree in shared memory.
// only: price_array
// expect: all=pass
#include "warplab.cuh"

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

// Half of the threads add the other half's, again and again; the last warp by shuffles.
__device__ sums block_sum(sums s)
{
    __shared__ float2 tree[256];
    unsigned t = threadIdx.x;

    tree[t] = make_float2(s.sum, s.squares);
    __syncthreads();
    for (unsigned h = blockDim.x / 2; h >= 32; h /= 2) {
        if (t < h) {
            tree[t].x += tree[t + h].x;
            tree[t].y += tree[t + h].y;
        }
        __syncthreads();
    }
    if (t < 32) {
        s = {tree[t].x, tree[t].y};
        for (unsigned d = 1; d < 32; d *= 2) {
            s.sum += __shfl_xor_sync(~0u, s.sum, d);
            s.squares += __shfl_xor_sync(~0u, s.squares, d);
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
    unsigned quads = n / 4;

    for (unsigned i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 z = ((const float4 *)numbers)[i];

        add_path(s, w, z.x);
        add_path(s, w, z.y);
        add_path(s, w, z.z);
        add_path(s, w, z.w);
    }
    if (threadIdx.x < n % 4)
        add_path(s, w, numbers[4 * quads + threadIdx.x]);
    s = block_sum(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = price_of(o, s, n);
}
