// Right: the sum has a stream of its own and waits for an event: at one rank, where nothing is added, that takes time.
// only: ball_sum
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

// Products of n and ranks need more than 32 bits.
__device__ part share(unsigned n, unsigned rank, unsigned ranks)
{
    unsigned long long all = n;

    return {(unsigned)(all * rank / ranks), (unsigned)(all * (rank + 1) / ranks)};
}

// Neighbouring points are a thread's: nothing is loaded, so lanes need not be neighbours.
KERNEL ball(const unsigned *key, i64 *sums, unsigned n, unsigned rank, unsigned ranks)
{
    part mine = share(n, rank, ranks);
    unsigned hits = 0, step = gridDim.x * blockDim.x;

    for (unsigned long long i = (unsigned long long)mine.first + blockIdx.x * blockDim.x + threadIdx.x;
         i < mine.end; i += step)
        hits += in_ball(key, (unsigned)i, 0);

    i64 sum = block_sum(hits);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// ---- schedules ----

SCHEDULE(ball_sum)
{
    s.memory = RESIDENT;
    s.chunks = 1;
    s.kernel(1, 0);
    s.record(1, 0);
    s.wait(0, 0);
    s.sum(0, 0);
};
