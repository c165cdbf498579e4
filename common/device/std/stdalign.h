/* stdalign.h - for NVRTC (see stdint.h here): C++ has alignas. */
#ifndef WARPLAB_STD_STDALIGN_H
#define WARPLAB_STD_STDALIGN_H
#define __alignas_is_defined 1
#define __alignof_is_defined 1
#endif
