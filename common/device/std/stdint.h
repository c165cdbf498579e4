/* stdint.h - for NVRTC, which brings no C library headers; nvcc never sees this folder. */
#ifndef WARPLAB_STD_STDINT_H
#define WARPLAB_STD_STDINT_H
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
#define INT32_MIN  (-2147483647 - 1)
#define INT32_MAX  2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN  (-9223372036854775807l - 1)
#define INT64_MAX  9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#endif
