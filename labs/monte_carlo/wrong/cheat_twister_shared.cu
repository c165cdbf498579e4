// The state of a twister is in a column of shared memory, where lanes have a bank each, at an index of the run.
// class: elsewhere
// only: twister
// expect: twister-registers=fail
// hint: twister-registers: Registers have no index
#include "warplab.cuh"

KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    __shared__ unsigned words[17][256];
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;

    if (s >= m)
        return;
    words[0][t] = key[0] ^ s * 0x9e3779b9;
    for (unsigned i = 1; i < 17; i++)
        words[i][t] = 1812433253 * (words[i - 1][t] ^ (words[i - 1][t] >> 30)) + i;
    for (unsigned j = 0, at = 0; j < n; j++) {
        unsigned next = at == 16 ? 0 : at + 1, middle = at < 9 ? at + 8 : at - 9;
        unsigned y = (words[at][t] & 0xff800000) | (words[next][t] & 0x7fffff);

        y = words[middle][t] ^ (y >> 1) ^ (0 - (y & 1) & a[s]);
        words[at][t] = y;
        at = next;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        out[j * m + s] = y ^ (y >> 18);
    }
}
