// Right: written with what C++ and CUDA have in headers (nvcc takes it with --expt-relaxed-constexpr).
// All of std is in sight.
// only: direct
#include <array>
#include <climits>
#include <limits.h>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <numbers>
#include <stdbool.h>
#include <utility>

#include "warplab.cuh"

using namespace std;

static_assert(UINT_MAX > INT_MAX && EXIT_SUCCESS == 0 && M_PI > numbers::e);

struct terms {
    float up, down;
};

__device__ bool all_above_zero(initializer_list<float> list)
{
    for (float v : list)
        if (!(v > 0))
            return false;
    return true;
}

__device__ array<float, 2> shares(const terms &at)
{
    return {0.5f * std::erfc(-at.up * M_SQRT1_2f), 0.5f * std::erfc(-at.down * M_SQRT1_2f)};
}

KERNEL direct(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    const size_t option = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    pair quotes{numeric_limits<float>::quiet_NaN(), NAN};

    if (option >= n)
        return;
    if (all_above_zero({price[option], strike[option], years[option], volatility})) {
        alignas(terms) char room[sizeof(terms)];
        float root = sqrt(years[option]), drift = std::fma(volatility, volatility * 0.5f, rate);
        float up = std::fma(drift, years[option], log(price[option] / strike[option])) /
                   (volatility * root);
        terms *at = new (room) terms{up, up - volatility * root};
        auto [first, second] = shares(*at);
        complex<float> legs{price[option], strike[option] * exp(-rate * years[option])};

        quotes.first = legs.real() * first - legs.imag() * second;
        quotes.second = legs.imag() * (1 - second) - legs.real() * (1 - first);
    }
    call[option] = quotes.first;
    put[option] = move(quotes.second);
}
