/* math.h - the constants: NVRTC knows the functions without it (see stdint.h here). libcu++'s cmath
 * defines two of them again. */
#ifndef WARPLAB_STD_MATH_H
#define WARPLAB_STD_MATH_H
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fffffff)
#endif
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL  __longlong_as_double(0x7ff0000000000000)
#endif
