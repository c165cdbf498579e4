// Right: a warp counts its points by votes, and numbers them in 64 bits.
// only: ball_gather ball_sum
#include "warplab.cuh"
#include "schedule.cuh"

typedef long long i64;

// ---- given ----

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

__device__ unsigned long long square(unsigned word)
{
    return (unsigned long long)(word >> 1) * (word >> 1);
}

// Is point `point` of set `set` in the ball: 1, or 0.
__device__ unsigned in_ball(const unsigned *key, unsigned point, unsigned set)
{
    uint4 w = philox_words(make_uint4(point, 0, set, 0), key[0], key[1]);

    return square(w.x) + square(w.y) + square(w.z) + square(w.w) < 1ull << 62;
}

// The sum of all threads of a block, for its thread 0: lab reduction.
__device__ i64 block_sum(i64 sum)
{
    __shared__ i64 of_warp[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    sum = lane < blockDim.x / 32 ? of_warp[lane] : 0;
    for (unsigned d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    return sum;
}

KERNEL total(const i64 *sums, i64 *out, unsigned blocks)
{
    i64 sum = 0;

    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x)
        sum += sums[b];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

// ---- shares ----

struct part {
    unsigned first, end;
};

// n = q ranks + r, so n rank / ranks is q rank, and r rank / ranks rounded down: products of 64 bits
// at most, and one division of these for both ends, as (rank + 1) r is only r more.
__device__ part share(unsigned n, unsigned rank, unsigned ranks)
{
    const unsigned q = n / ranks, r = n - q * ranks;
    const unsigned long long over = (unsigned long long)r * rank, down = over / ranks;
    const unsigned left = (unsigned)(over - down * ranks); // of the division
    const unsigned first = q * rank + (unsigned)down;

    // r < ranks: the next end is at most one whole more
    return {first, first + q + (left + (unsigned long long)r >= ranks)};
}

// Points are counted warp by warp: a vote says which lanes found one, and lane 0 keeps the number.
KERNEL ball(const unsigned *key, i64 *sums, unsigned n, unsigned rank, unsigned ranks)
{
    const part mine = share(n, rank, ranks);
    const unsigned threads = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
    const unsigned long long end = mine.end;
    unsigned found = 0;

    // of a warp's 32 points the first decides whether it goes on
    for (unsigned long long i = (unsigned long long)mine.first + blockIdx.x * blockDim.x + threadIdx.x;
         i - lane < end; i += threads)
        found += __popc(__ballot_sync(~0u, i < end && in_ball(key, (unsigned)i, 0)));

    const i64 all = block_sum(lane == 0 ? found : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

KERNEL add_parts(const i64 *parts, i64 *out, unsigned m, unsigned ranks)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    i64 sum = 0;

    if (j >= m)
        return;
    for (unsigned r = 0; r < ranks; r++)
        sum += parts[(unsigned long long)r * m + j];
    out[j] = sum;
}

// ---- schedules ----

SCHEDULE(ball_gather)
{
    s.memory = RESIDENT;
    s.chunks = 1;
    s.kernel(0, 0);
    s.gather(0, 0);
};

SCHEDULE(ball_sum)
{
    s.memory = RESIDENT;
    s.chunks = 1;
    s.kernel(0, 0);
    s.sum(0, 0);
};
