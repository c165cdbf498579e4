/* stdlib.h - for NVRTC, which knows malloc, free and abs without it (see stdint.h here): what
 * glibc's has beside functions. */
#ifndef WARPLAB_STD_STDLIB_H
#define WARPLAB_STD_STDLIB_H
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     2147483647
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned u_int32_t;
namespace std
{
using ::abs, ::labs, ::llabs, ::malloc, ::free, ::size_t;
}
#endif
