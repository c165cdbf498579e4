/* stdint.h - for NVRTC, which brings no C library headers; nvcc never sees this folder. libcu++'s
 * types, so that both can be included. Its names come into std one by one: with all of cuda::std
 * there, `using namespace std;` would find two of what NVRTC has, too. */
#ifndef WARPLAB_STD_STDINT_H
#define WARPLAB_STD_STDINT_H
#include <limits.h>
#include <cuda/std/cstdint>
#define WCHAR_MIN      (-2147483647 - 1)
#define WCHAR_MAX      2147483647
#define SIG_ATOMIC_MIN (-2147483647 - 1)
#define SIG_ATOMIC_MAX 2147483647
#define WINT_MIN       0u
#define WINT_MAX       4294967295u
#endif
