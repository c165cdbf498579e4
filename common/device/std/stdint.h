/* stdint.h - for NVRTC, which brings no C library headers; nvcc never sees this folder. libcu++'s
 * types, so that both can be included. */
#ifndef WARPLAB_STD_STDINT_H
#define WARPLAB_STD_STDINT_H
#include <cuda/std/cstdint>
#endif
