/* math.h - empty: NVRTC knows its functions without it (see stdint.h here). */
#ifndef WARPLAB_STD_MATH_H
#define WARPLAB_STD_MATH_H
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fffffff)
#endif
