// Right, but the place of the oldest word is known at run time only: the state is in local memory.
// only: twister
// expect: twister-registers=fail
// hint: twister-registers: Registers have no index
#include "warplab.cuh"

// Every index is known when the loop is unrolled: the words stay in registers.
KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, x[17];

    if (s >= m)
        return;
    x[0] = key[0] ^ s * 0x9e3779b9;
    for (unsigned i = 1; i < 17; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    for (unsigned j = 0, at = 0; j < n; j++, at = (at + 1) % 17) {
        unsigned y = (x[at] & 0xff800000) | (x[(at + 1) % 17] & 0x7fffff);

        x[at] = x[(at + 8) % 17] ^ (y >> 1) ^ (y & 1 ? a[s] : 0);
        y = x[at];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        out[j * m + s] = y ^ (y >> 18);
    }
}
