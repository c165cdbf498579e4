/* assert.h - empty: NVRTC knows its functions without it (see stdint.h here). */
#ifndef WARPLAB_STD_ASSERT_H
#define WARPLAB_STD_ASSERT_H
#endif
