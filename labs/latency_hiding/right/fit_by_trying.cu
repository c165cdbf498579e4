// Right: puts block after block on the SM until one does not fit.
// only: blocks_fit
// expect: all=pass
#include "warplab.cuh"

struct facts {
    unsigned threads, registers, shared;
    unsigned sm_threads, sm_blocks;
    unsigned sm_registers, register_unit;
    unsigned sm_shared, shared_unit;
    unsigned shared_reserved;
};

KERNEL blocks_fit(const facts *of, unsigned *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const facts &f = of[i];
        unsigned warps = f.threads / 32 + (f.threads % 32 != 0);
        unsigned a_warp = 32 * f.registers, bytes = f.shared + f.shared_reserved, blocks = 0;

        while (a_warp % f.register_unit)
            a_warp++;
        if (bytes % f.shared_unit)
            bytes += f.shared_unit - bytes % f.shared_unit;
        while (blocks < f.sm_blocks && (blocks + 1) * warps * 32 <= f.sm_threads &&
               (blocks + 1) * warps * a_warp <= f.sm_registers &&
               (blocks + 1) * bytes <= f.sm_shared)
            blocks++;
        out[i] = blocks;
    }
}
