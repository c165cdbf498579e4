// Right: powers are stored, and divided where they lie.
// only: softmax_block
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

struct Sum {
    static __device__ float neutral() { return 0; }
    static __device__ float apply(float a, float b) { return a + b; }
};
struct Most {
    static __device__ float neutral() { return -1.0f / 0.0f; }
    static __device__ float apply(float a, float b) { return fmaxf(a, b); }
};

// What the threads of a block bring, reduced: all of them get it. May be called again.
template <class Op, class T> __device__ T of_block(T v)
{
    __shared__ T s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] = Op::apply(s[tid], s[tid + left]);
        __syncthreads();
    }
    v = s[0];
    __syncthreads(); // before the next one writes there
    return v;
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float most = Most::neutral(), sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = of_block<Most>(most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK) {
        float e = expf(x[i] - most);
        out[blockIdx.x * n + i] = e;
        sum += e;
    }
    sum = of_block<Sum>(sum);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] /= sum;
}
