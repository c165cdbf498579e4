/* math.h - for NVRTC (see stdint.h here), which knows the functions for float and double without
 * it: the constants, and the names in std with what C++ makes of integers and of mixed arguments.
 * Not libcu++'s, whose sqrt(float) stands beside NVRTC's: after `using namespace std;` neither
 * could be called. nvcc has all of it without an include. */
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

namespace warplab_std
{
template <class T> inline constexpr bool integer = false;
#define TYPE(...) template <> inline constexpr bool integer<__VA_ARGS__> = true;
// clang-format off
TYPE(bool) TYPE(char) TYPE(signed char) TYPE(unsigned char) TYPE(short) TYPE(unsigned short)
TYPE(int) TYPE(unsigned) TYPE(long) TYPE(unsigned long) TYPE(long long) TYPE(unsigned long long)
#undef TYPE
template <class T> inline constexpr bool number = integer<T>;
// clang-format on
template <> inline constexpr bool number<float> = true;
template <> inline constexpr bool number<double> = true;
} // namespace warplab_std

namespace std
{
using ::abs, ::isfinite, ::isinf, ::isnan, ::signbit;
using ::acos, ::acosf, ::acosh, ::acoshf, ::asin, ::asinf, ::asinh, ::asinhf, ::atan, ::atanf,
    ::atan2, ::atan2f, ::atanh, ::atanhf, ::cbrt, ::cbrtf, ::ceil, ::ceilf, ::copysign, ::copysignf,
    ::cos, ::cosf, ::cosh, ::coshf, ::erf, ::erff, ::erfc, ::erfcf, ::exp, ::expf, ::exp2, ::exp2f,
    ::expm1, ::expm1f, ::fabs, ::fabsf, ::fdim, ::fdimf, ::floor, ::floorf, ::fma, ::fmaf, ::fmax,
    ::fmaxf, ::fmin, ::fminf, ::fmod, ::fmodf, ::frexp, ::frexpf, ::hypot, ::hypotf, ::ilogb,
    ::ilogbf, ::ldexp, ::ldexpf, ::lgamma, ::lgammaf, ::llrint, ::llrintf, ::llround, ::llroundf,
    ::log, ::logf, ::log10, ::log10f, ::log1p, ::log1pf, ::log2, ::log2f, ::logb, ::logbf, ::lrint,
    ::lrintf, ::lround, ::lroundf, ::modf, ::modff, ::nan, ::nanf, ::nearbyint, ::nearbyintf,
    ::nextafter, ::nextafterf, ::pow, ::powf, ::remainder, ::remainderf, ::remquo, ::remquof,
    ::rint, ::rintf, ::round, ::roundf, ::scalbln, ::scalblnf, ::scalbn, ::scalbnf, ::sin, ::sinf,
    ::sinh, ::sinhf, ::sqrt, ::sqrtf, ::tan, ::tanf, ::tanh, ::tanhf, ::tgamma, ::tgammaf, ::trunc,
    ::truncf;
using ::float_t, ::double_t;

// Where NVRTC's own fits, that is called.
#define OF_INTEGER(type, name)                                                                     \
    template <class T>                                                                             \
    requires warplab_std::integer<T> __device__ type name(T x)                                     \
    {                                                                                              \
        return ::name((double)x);                                                                  \
    }
#define ONE(name) OF_INTEGER(double, name)
#define TWO(name)                                                                                  \
    template <class T, class U>                                                                    \
    requires(warplab_std::number<T> && warplab_std::number<U>) __device__ double name(T x, U y)    \
    {                                                                                              \
        return ::name((double)x, (double)y);                                                       \
    }
#define AND(type, name)                                                                            \
    template <class T>                                                                             \
    requires warplab_std::integer<T> __device__ double name(T x, type y)                           \
    {                                                                                              \
        return ::name((double)x, y);                                                               \
    }
// clang-format off
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(ceil) ONE(cos)
ONE(cosh) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(expm1) ONE(fabs) ONE(floor) ONE(lgamma) ONE(log)
ONE(log10) ONE(log1p) ONE(log2) ONE(logb) ONE(nearbyint) ONE(rint) ONE(round) ONE(sin) ONE(sinh)
ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma) ONE(trunc) TWO(atan2) TWO(copysign) TWO(fdim) TWO(fmax)
TWO(fmin) TWO(fmod) TWO(hypot) TWO(nextafter) TWO(pow) TWO(remainder) OF_INTEGER(int, ilogb)
OF_INTEGER(long, lrint) OF_INTEGER(long, lround) OF_INTEGER(long long, llrint)
OF_INTEGER(long long, llround) OF_INTEGER(bool, isfinite) OF_INTEGER(bool, isinf)
OF_INTEGER(bool, isnan) OF_INTEGER(bool, signbit) AND(int *, frexp) AND(int, ldexp) AND(int, scalbn)
AND(long, scalbln)
#undef OF_INTEGER
#undef ONE
#undef TWO
#undef AND
    // clang-format on
    template <class T, class U>
requires(warplab_std::number<T> &&warplab_std::number<U>) __device__ double remquo(T x, U y, int *q)
{
    return ::remquo((double)x, (double)y, q);
}
template <class T, class U, class V>
requires(warplab_std::number<T> &&warplab_std::number<U> &&warplab_std::number<V>) __device__
    double fma(T x, U y, V z)
{
    return ::fma((double)x, (double)y, (double)z);
}
template <class T, class U, class V>
requires(warplab_std::number<T> &&warplab_std::number<U> &&warplab_std::number<V>) __device__
    double hypot(T x, U y, V z)
{
    return ::norm3d((double)x, (double)y, (double)z);
}
inline __device__ float hypot(float x, float y, float z)
{
    return ::norm3df(x, y, z);
}

// What nvcc leaves to the host.
template <class T>
requires warplab_std::number<T> __device__ bool isnormal(T x)
{
    double size = ::fabs((double)x);

    return size >= (sizeof(x - 1.f) == 4 ? 1.17549435082228751e-38 : 2.2250738585072014e-308) &&
           size < HUGE_VAL;
}
template <class T>
requires warplab_std::number<T> __device__ int fpclassify(T x)
{
    return ::isnan((double)x)   ? FP_NAN
           : ::isinf((double)x) ? FP_INFINITE
           : x == 0             ? FP_ZERO
           : isnormal(x)        ? FP_NORMAL
                                : FP_SUBNORMAL;
}
#define COMPARE(name, is)                                                                          \
    template <class T, class U>                                                                    \
    requires(warplab_std::number<T> && warplab_std::number<U>) __device__ bool name(T x, U y)      \
    {                                                                                              \
        return is;                                                                                 \
    }
COMPARE(isgreater, x > y)
COMPARE(isgreaterequal, x >= y)
COMPARE(isless, x < y)
COMPARE(islessequal, x <= y)
COMPARE(islessgreater, x<y || x> y)
COMPARE(isunordered, x != x || y != y)
#undef COMPARE
} // namespace std
using std::pow, std::remquo;
#endif
