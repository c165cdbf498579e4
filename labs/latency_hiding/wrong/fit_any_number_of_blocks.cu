// An SM holds so many blocks at most, however small they are: forgotten.
// only: blocks_fit
// expect: fit-ok=fail
// hint: fit-ok: Four limits
#include "warplab.cuh"

struct facts {
    unsigned threads, registers, shared;
    unsigned sm_threads, sm_blocks;
    unsigned sm_registers, register_unit;
    unsigned sm_shared, shared_unit;
    unsigned shared_reserved;
};

__device__ unsigned round_up(unsigned x, unsigned unit)
{
    return (x + unit - 1) / unit * unit;
}

KERNEL blocks_fit(const facts *of, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    facts f = of[i];
    unsigned warps = (f.threads + 31) / 32;
    unsigned registers = warps * round_up(32 * f.registers, f.register_unit);
    unsigned shared = round_up(f.shared + f.shared_reserved, f.shared_unit);
    unsigned fit = f.sm_threads / 32 / warps;

    fit = min(fit, f.sm_registers / registers);
    if (shared)
        fit = min(fit, f.sm_shared / shared);
    out[i] = fit;
}
