// A tile without padding, its columns read by addresses of the cluster's shared memory, which is the block's
// own.
// class: elsewhere
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: bank conflicts
#include "warplab.cuh"

__device__ float at(const float *word)
{
    unsigned own = (unsigned)__cvta_generic_to_shared(word), place;
    float v = 0;

#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(place) : "r"(own));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(place) : "memory");
#endif
    return v;
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (x0 + tx < width && y0 + y < height)
            tile[y][tx] = in[(y0 + y) * width + x0 + tx];
    __syncthreads();
    for (unsigned x = threadIdx.y; x < 32; x += 8)
        if (x0 + x < width && y0 + tx < height)
            out[(x0 + x) * height + y0 + tx] = at(&tile[tx][x]);
}
