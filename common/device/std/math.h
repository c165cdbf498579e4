/* math.h - for NVRTC (see stdint.h here), which knows the functions for float and double without
 * it: the constants, and cmath's functions. nvcc has all of it without an include. */
#ifndef WARPLAB_STD_MATH_H
#define WARPLAB_STD_MATH_H
#include <stdlib.h>
#pragma nv_diag_suppress 47 // libcu++'s cmath and complex define INFINITY and NAN again
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fffffff)
#endif
#define HUGE_VALF        __int_as_float(0x7f800000)
#define HUGE_VAL         __longlong_as_double(0x7ff0000000000000)
#define MAXFLOAT         3.40282346638528859812e+38f
#define MATH_ERRNO       1
#define MATH_ERREXCEPT   2
#define math_errhandling 0
#define FP_ILOGB0        (-2147483647 - 1)
#define FP_ILOGBNAN      (-2147483647 - 1)
#define FP_NAN           0
#define FP_INFINITE      1
#define FP_ZERO          2
#define FP_SUBNORMAL     3
#define FP_NORMAL        4
#define M_E              2.7182818284590452354
#define M_LOG2E          1.4426950408889634074
#define M_LOG10E         0.43429448190325182765
#define M_LN2            0.69314718055994530942
#define M_LN10           2.30258509299404568402
#define M_PI             3.14159265358979323846
#define M_PI_2           1.57079632679489661923
#define M_PI_4           0.78539816339744830962
#define M_1_PI           0.31830988618379067154
#define M_2_PI           0.63661977236758134308
#define M_2_SQRTPI       1.12837916709551257390
#define M_SQRT2          1.41421356237309504880
#define M_SQRT1_2        0.70710678118654752440
#define M_Ef             2.7182818284590452354f
#define M_LOG2Ef         1.4426950408889634074f
#define M_LOG10Ef        0.43429448190325182765f
#define M_LN2f           0.69314718055994530942f
#define M_LN10f          2.30258509299404568402f
#define M_PIf            3.14159265358979323846f
#define M_PI_2f          1.57079632679489661923f
#define M_PI_4f          0.78539816339744830962f
#define M_1_PIf          0.31830988618379067154f
#define M_2_PIf          0.63661977236758134308f
#define M_2_SQRTPIf      1.12837916709551257390f
#define M_SQRT2f         1.41421356237309504880f
#define M_SQRT1_2f       0.70710678118654752440f
#define M_El             2.7182818284590452354l
#define M_LOG2El         1.4426950408889634074l
#define M_LOG10El        0.43429448190325182765l
#define M_LN2l           0.69314718055994530942l
#define M_LN10l          2.30258509299404568402l
#define M_PIl            3.14159265358979323846l
#define M_PI_2l          1.57079632679489661923l
#define M_PI_4l          0.78539816339744830962l
#define M_1_PIl          0.31830988618379067154l
#define M_2_PIl          0.63661977236758134308l
#define M_2_SQRTPIl      1.12837916709551257390l
#define M_SQRT2l         1.41421356237309504880l
#define M_SQRT1_2l       0.70710678118654752440l

typedef float float_t;
typedef double double_t;

#include <cmath>
#endif
