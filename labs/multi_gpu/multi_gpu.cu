// multi_gpu.cu - one problem on several GPUs. Yours to complete.
//
// Each rank has a GPU, and carries out the same kernels and the same schedule as the others; what
// differs is `rank`. README.md of this folder says what each is about, schedule.cuh what a step is.
//
//   s.memory = RESIDENT          the data lies on every rank's device already
//   s.chunks = 2                 pieces of the results, of as many each
//   s.kernel(stream, chunk)      every rank works on its share, for the results of the chunk
//   s.sum(stream, chunk)         every rank gets the sum of all ranks' results (ncclAllReduce)
//   s.gather(stream, chunk)      rank 0 fetches the others' results, and add_parts adds them up
//   s.record(stream, event), s.wait(stream, event)     order between streams
#include "warplab.cuh"
#include "schedule.cuh"

typedef long long i64;

// ---- given: leave it as it is ----

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

// TODO 1: rank's share of n elements, from first on, up to and without end:
//     first = n * rank / ranks,  end = n * (rank + 1) / ranks,  rounded down
// n is up to 2^31.
static __device__ part share(unsigned n, unsigned rank, unsigned ranks)
{
    return {0, 0};
}

// Given: what share() says of n, rank and ranks, asked for i.
KERNEL shares(const unsigned *asked, part *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = share(asked[3 * i], asked[3 * i + 1], asked[3 * i + 2]);
}

// TODO 2: sums[b] is how many points of the rank's share, of those that block b looks at, lie in
// the ball (set 0). The blocks of the grid have the whole share between them, whatever their number.
KERNEL ball(const unsigned *key, i64 *sums, unsigned n, unsigned rank, unsigned ranks)
{
    if (threadIdx.x == 0)
        sums[blockIdx.x] = -1;
}

// TODO 2: out[j] is the sum of what all ranks found for it, parts[r * m + j] of rank r, for j up to m.
KERNEL add_parts(const i64 *parts, i64 *out, unsigned m, unsigned ranks)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < m)
        out[j] = -1;
}

// TODO 4: as ball, with the elements of in.
KERNEL vector(const int *in, i64 *sums, unsigned n, unsigned rank, unsigned ranks)
{
    if (threadIdx.x == 0)
        sums[blockIdx.x] = -1;
}

// TODO 5: out[j] is how many points of the rank's share of set first + j lie in the ball, for j up
// to count: a thread has one set, and takes its points one after another.
KERNEL many(const unsigned *key, i64 *out, unsigned first, unsigned count, unsigned n,
            unsigned rank, unsigned ranks)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < count)
        out[j] = -1;
}

// ---- 2: given. Rank 0 fetches what the others found, one after another ----
SCHEDULE(ball_gather)
{
    s.memory = RESIDENT;
    s.chunks = 1;
    s.kernel(0, 0);
    s.gather(0, 0);
};

// ---- 3: all ranks meet in one sum ----
SCHEDULE(ball_sum)
{
    // TODO 3
};

// ---- 4: the same, of a vector ----
SCHEDULE(vector_sum)
{
    // TODO 4
};

// ---- 5: many results, fetched by rank 0 ----
SCHEDULE(many_gather)
{
    // TODO 5
};

// ---- 6: many results, in one sum ----
SCHEDULE(many_sum)
{
    // TODO 6
};

// ---- 7: in chunks: while a chunk is summed, the next one is worked on ----
SCHEDULE(many_chunks)
{
    // TODO 7
};
