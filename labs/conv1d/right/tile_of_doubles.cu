// Right: products and sums of doubles, which the tile keeps, too; in conv_const in a union with the words
// as they came.
// only: conv_shared conv_const
// expect: all=pass
#include "warplab.cuh"
#define BLOCK 128

static __device__ __forceinline__ void load(double *tile, const float *__restrict__ in, int first, int count,
                                            int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? (double)__ldg(&in[first + j]) : 0.0;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ double tile[BLOCK + 254];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    double sum = 0;

    load(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum = fma((double)weights[j], tile[threadIdx.x + j], sum);
    out[i] = (float)sum;
}

__constant__ float conv_weights[255];
union word {
    double d;
    struct {
        float value;
        unsigned next;
    } f;
};

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ word tile[BLOCK + 254];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    double sum = 0;

    for (int j = threadIdx.x; j < BLOCK + width - 1; j += BLOCK)
        tile[j].d = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    if (i < n) {
        for (int j = 0; j < width; j++)
            sum += tile[threadIdx.x + j].d * conv_weights[j];
        out[i] = (float)sum;
    }
}
