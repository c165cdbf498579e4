// black_scholes.cu - the prices of calls and puts, and what the whole waits for. Yours to complete.
//
// An option is the right to buy (call) or to sell (put) a share of price S in T years for the strike
// X. README.md of this folder has the formulas. A kernel gets n options as three arrays (price,
// strike, years), the rate r and the volatility v of them all, and writes two prices each.
//
// Where a price, strike, time or the volatility is not above 0, or is NaN, there is no option: both
// results are NaN, and never a number.
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

// TODO: N(d), the chance that a standard normal number is below d, by the five-term polynomial. Floats
// alone: 0.5 is a double, 0.5f is not; sqrt() of a double takes another unit than sqrtf().
__device__ float normal(float d)
{
    return d;
}

// TODO: the prices of a call (x) and a put (y), from N.
__device__ float2 priced(float s, float x, float t, float rate, float volatility)
{
    return {normal(s), normal(x)};
}

// ---- 1: an option a thread ----
KERNEL direct(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    // TODO 1
}

// ---- 2: a fixed grid; each thread's options are a whole grid apart ----
// LAUNCH: threads a block, 1, blocks of the grid (at most 1024). The lecture's grid; does it fill
// this GPU?
LAUNCH(strided, 256, 1, 128);
KERNEL strided(const float *price, const float *strike, const float *years, float *call, float *put,
               unsigned n, float rate, float volatility)
{
    // TODO 2
}

// ---- 3: the same with fast functions: __logf, __expf, __fdividef, rsqrtf ----
LAUNCH(fast, 256, 1, 128);
KERNEL fast(const float *price, const float *strike, const float *years, float *call, float *put,
            unsigned n, float rate, float volatility)
{
    // TODO 3
}

// ---- 4: four options a thread, each array in one load or store of 16 bytes ----
LAUNCH(vector, 256);
KERNEL vector(const float *price, const float *strike, const float *years, float *call, float *put,
              unsigned n, float rate, float volatility)
{
    // TODO 4
}

// ---- 5 to 7: kernel 2, and the way there and back. A copy in is one of each of three arrays, a
// copy out of two ----
// 5: given. Ordinary memory, one piece
SCHEDULE(pageable)
{
    s.memory = PAGEABLE;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

// 6: the same from pinned memory
SCHEDULE(pinned)
{
    // TODO 6
};

// 7: in chunks over several streams
SCHEDULE(overlap)
{
    // TODO 7
};
