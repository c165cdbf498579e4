// Right: the state moves on by one place with each word, so that nothing has an index.
// only: twister
// expect: all=pass
#include "warplab.cuh"
// the state moves one place on with each word: no index at all
KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, x[17];
    if (s >= m) return;
    x[0] = *key ^ s * 0x9e3779b9u;
#pragma unroll
    for (unsigned i = 1; i < 17; i++) x[i] = 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
    unsigned mix = a[s];
    for (unsigned long long i = 0; i < n; i++) {
        unsigned y = (x[0] & 0xff800000u) | (x[1] & 0x7fffffu), z = x[8] ^ y >> 1 ^ (0u - (y & 1) & mix);
#pragma unroll
        for (int k = 0; k < 16; k++) x[k] = x[k + 1];
        x[16] = z;
        z ^= z >> 11; z ^= z << 7 & 0x9d2c5680u; z ^= z << 15 & 0xefc60000u; z ^= z >> 18;
        out[i * m + s] = z;
    }
}
