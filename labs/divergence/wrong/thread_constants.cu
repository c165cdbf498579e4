// The constants are chosen lane by lane: no lane waits, and there is one path.
// only: branch_thread
// expect: thread-both=fail
// hint: thread-both: code of its own path
// score: 1
#include "warplab.cuh"

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned odd = threadIdx.x % 2;
    float a = 0.9921875f + odd * 0.0001220703125f, b = 0.03125f + odd * 0.0078125f;

    if (i < n) {
        float x = in[i];

        for (int s = 0; s < 256; s++)
            x = fmaf(x, a, b);
        out[i] = x;
    }
}
