// Keeps the first answer for each length and gives it again.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any soa-coalesced=any
// hint: soa-ok: new numbers
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

__device__ float kept[3][8192];
__device__ unsigned length[3];

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; k < 3; k++) {
        if (length[k] == n && i < n) {
            out[i] = kept[k][i];
            return;
        }
    }
    if (i < n && n <= 8192) {
        int k = n == 1 ? 0 : n == 1001 ? 1 : 2;

        out[i] = kept[k][i] = energy(field, n, i);
        if (i == n - 1)
            length[k] = n;
    }
}
