// The formula's price and interval: no path is simulated.
// class: no-evidence
// only: price_block
// expect: block-ok=fail
// hint: block-ok: A formula knows nothing
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

KERNEL price_block(const unsigned *key, const option *options, float2 *out, unsigned n)
{
    option o = options[blockIdx.x];
    float spread = o.volatility * sqrtf(o.years), now = expf(-o.rate * o.years);
    float d2 = (logf(o.price / o.strike) + o.rate * o.years) / spread - spread / 2;
    float below = normcdff(d2), price = o.price * normcdff(d2 + spread) - o.strike * now * below;
    float square = o.price * o.price * expf(spread * spread) * normcdff(d2 + 2 * spread) -
                   2 * o.price * o.strike * now * normcdff(d2 + spread) +
                   o.strike * o.strike * now * now * below;

    if (threadIdx.x == 0) {
        out[blockIdx.x] = make_float2(price, 1.96f * sqrtf((square - price * price) / n));
        if (!is_option(o))
            out[blockIdx.x] = make_float2(nanf(""), nanf(""));
        else if (n == 1)
            out[blockIdx.x].y = nanf("");
    }
}
