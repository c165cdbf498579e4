// One output a thread. A lane loads one word of the row, and hands it to the others by a reduction
// to which they add nothing: half of the loads, no shuffle, and no word used twice from a register.
// class: elsewhere
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: exchanges
// hint: registers-reuse4: global_ld_bytes, expected at most
#include "warplab.cuh"

LAUNCH(mm_registers, 32, 8, 1);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
    float sum = 0;

    if (row >= m) // the whole warp
        return;
    for (int k0 = 0; k0 < k; k0 += 32) {
        float mine = k0 + lane < k ? a[row * k + k0 + lane] : 0;
        for (int i = 0; i < 32 && k0 + i < k; i++) {
            unsigned word = __reduce_or_sync(~0u, lane == i ? __float_as_uint(mine) : 0);
            sum += __uint_as_float(word) * (col < n ? b[(k0 + i) * n + col] : 0);
        }
    }
    if (col < n)
        c[row * n + col] = sum;
}
