// Right: two points a round. Where a share is odd the key is loaded again, behind the loop.
// only: many_sum many_chunks
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

KERNEL many(const unsigned *key, i64 *out, unsigned first, unsigned count, unsigned n,
            unsigned rank, unsigned ranks)
{
    part mine = share(n, rank, ranks);

    for (unsigned j = blockIdx.x * blockDim.x + threadIdx.x; j < count;
         j += gridDim.x * blockDim.x) {
        unsigned a = 0, b = 0, i = mine.first, set = first + j;

        for (; i + 1 < mine.end; i += 2) {
            a += in_ball(key, i, set);
            b += in_ball(key, i + 1, set);
        }
        if (i < mine.end)
            a += in_ball(key, i, set);
        out[j] = (i64)a + b;
    }
}

SCHEDULE(many_sum)
{
    s.memory = RESIDENT;
    s.chunks = 1;
    s.kernel(0, 0);
    s.sum(0, 0);
};

SCHEDULE(many_chunks)
{
    s.memory = RESIDENT;
    s.chunks = 2;
    s.kernel(0, 0);
    s.record(0, 0);
    s.kernel(0, 1);
    s.wait(1, 0);
    s.sum(1, 0);
    s.sum(0, 1);
};
