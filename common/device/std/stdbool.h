/* stdbool.h - for NVRTC (see stdint.h here): C++ has bool. */
#ifndef WARPLAB_STD_STDBOOL_H
#define WARPLAB_STD_STDBOOL_H
#define __bool_true_false_are_defined 1
#endif
