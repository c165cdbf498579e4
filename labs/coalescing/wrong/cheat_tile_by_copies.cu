// No kernel of the file's turns anything: the device's runtime copies each row to a column, in which nobody
// counts sectors.
// class: elsewhere
// only: transpose_shared
// expect: compile=fail
// hint: compile: cudaMemcpy2DAsync is called and not defined
#include "warplab.cuh"

extern "C" __device__ int cudaMemcpy2DAsync(void *to, unsigned long long to_pitch, const void *from,
                                            unsigned long long from_pitch, unsigned long long width,
                                            unsigned long long height, int kind, void *stream);

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y)
        return;
    for (unsigned y = 0; y < height; y++)
        cudaMemcpy2DAsync(out + y, 4ull * height, in + y * width, 4, 4, width, 3, 0);
}
