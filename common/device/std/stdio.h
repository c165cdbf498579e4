/* stdio.h - for NVRTC, which knows printf without it (see stdint.h here). */
#ifndef WARPLAB_STD_STDIO_H
#define WARPLAB_STD_STDIO_H
#define EOF    (-1)
#define BUFSIZ 8192
#endif
