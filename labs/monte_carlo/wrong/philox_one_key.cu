// All ten rounds have the first one's key.
// only: philox
// expect: philox-ok=fail
// hint: philox-ok: after one round
#include "warplab.cuh"

__device__ uint4 philox_words(uint4 c, unsigned k0, unsigned k1)
{
#pragma unroll
    for (unsigned r = 0; r < 10; r++) {
        unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k0, (unsigned)b,
                       (unsigned)(a >> 32) ^ c.w ^ k1, (unsigned)a);
    }
    return c;
}

KERNEL philox(const unsigned *key, const uint4 *counters, uint4 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = philox_words(counters[i], key[0], key[1]);
}
