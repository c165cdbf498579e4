// Kernels alone, as the other labs want them: this one is a program.
// expect: compile=fail
// hint: compile: main
__global__ void saxpy(unsigned n, float a, const float *x, float *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
