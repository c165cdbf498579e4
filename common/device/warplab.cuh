/* warplab.cuh - what a lab's .cu includes.
 *
 * KERNEL(name)   a kernel the harness can find: C linkage, void
 * LAUNCH(name, block, items)
 *                the launch record of kernel `name`: threads per block and elements each
 *                thread handles. It is data: the harness reads it and computes the grid.
 *
 * The file is compiled for the device alone (NVRTC, or nvcc): there is no host code in it.
 */
#ifndef WARPLAB_CUH
#define WARPLAB_CUH

#ifdef __CUDACC_RTC__
// nvcc has these without an include.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#endif

struct launch_record {
    unsigned block_x, block_y; /* threads per block */
    unsigned items;            /* elements per thread; a lab's handout says of what */
    unsigned shared_bytes;     /* dynamic shared memory, 0 when static */
};

#define KERNEL extern "C" __global__ void
#define LAUNCH(kernel, ...) \
    extern "C" __device__ const struct launch_record kernel##_launch = {__VA_ARGS__}

#endif
