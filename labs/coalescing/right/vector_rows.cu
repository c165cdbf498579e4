// Rows come in loads of 16 bytes where the width allows it, and each component goes into its own
// row of the tile.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

// Row x of the tile is column x of the input's, turned by its number: whether a warp goes along a
// row, a column, or eight columns by four rows, it meets 32 banks.
__device__ unsigned place(unsigned x, unsigned y)
{
    return 32 * x + ((y + x) & 31);
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32 * 32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    unsigned thread = threadIdx.y * 32 + threadIdx.x, threads = 32 * blockDim.y;

    if (width % 4 == 0) {
        for (unsigned k = thread; k < 256; k += threads) {
            unsigned x = k % 8 * 4, y = k / 8;

            if (x0 + x < width && y0 + y < height) {
                float4 v = *reinterpret_cast<const float4 *>(&in[(y0 + y) * width + x0 + x]);

                tile[place(x, y)] = v.x;
                tile[place(x + 1, y)] = v.y;
                tile[place(x + 2, y)] = v.z;
                tile[place(x + 3, y)] = v.w;
            }
        }
    } else {
        for (unsigned k = thread; k < 1024; k += threads)
            if (x0 + k % 32 < width && y0 + k / 32 < height)
                tile[place(k % 32, k / 32)] = in[(y0 + k / 32) * width + x0 + k % 32];
    }
    __syncthreads();
    for (unsigned k = thread; k < 1024; k += threads) {
        unsigned x = k / 32, y = k % 32;

        if (x0 + x < width && y0 + y < height)
            out[(x0 + x) * height + y0 + y] = tile[place(x, y)];
    }
}
