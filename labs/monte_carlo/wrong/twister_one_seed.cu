// All twisters begin with the same words.
// only: twister
// expect: twister-ok=fail
// hint: twister-ok: first 18 words
#include "warplab.cuh"

// Every index is known when the loop is unrolled: the words stay in registers.
KERNEL twister(const unsigned *key, const unsigned *a, unsigned *out, unsigned n, unsigned m)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x, x[17];

    if (s >= m)
        return;
    x[0] = key[0];
    for (unsigned i = 1; i < 17; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> 30)) + i;
    for (unsigned from = 0; from < n; from += 17) {
#pragma unroll
        for (unsigned i = 0; i < 17; i++) {
            unsigned y = (x[i] & 0xff800000) | (x[(i + 1) % 17] & 0x7fffff);

            x[i] = x[(i + 8) % 17] ^ (y >> 1) ^ (y & 1 ? a[s] : 0);
            y = x[i];
            y ^= y >> 11;
            y ^= (y << 7) & 0x9d2c5680;
            y ^= (y << 15) & 0xefc60000;
            y ^= y >> 18;
            if (from + i < n)
                out[(from + i) * m + s] = y;
        }
    }
}
