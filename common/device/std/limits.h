/* limits.h - for NVRTC (see stdint.h here): libcu++'s, whose header says each only once; its long
 * ones have other types than nvcc's. */
#ifndef WARPLAB_STD_LIMITS_H
#define WARPLAB_STD_LIMITS_H
#include <cuda/std/climits>
#undef LONG_MAX
#undef LONG_MIN
#undef ULONG_MAX
#undef ULLONG_MAX
#define LONG_MAX   0x7fffffffffffffffl
#define LONG_MIN   (-LONG_MAX - 1)
#define ULONG_MAX  0xffffffffffffffffUL
#define ULLONG_MAX 0xffffffffffffffffULL
#define MB_LEN_MAX 16
#endif
