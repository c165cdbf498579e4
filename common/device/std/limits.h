/* limits.h - for NVRTC (see stdint.h here). */
#ifndef WARPLAB_STD_LIMITS_H
#define WARPLAB_STD_LIMITS_H
#define CHAR_BIT   8
#define INT_MIN    (-2147483647 - 1)
#define INT_MAX    2147483647
#define UINT_MAX   4294967295u
#define LLONG_MIN  (-9223372036854775807ll - 1)
#define LLONG_MAX  9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif
