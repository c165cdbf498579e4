extern "C" __global__ void scale(float *p) { p[threadIdx.x] *= 2; }
