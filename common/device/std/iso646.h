/* iso646.h - empty: C++ has these operators (see stdint.h here). */
#ifndef WARPLAB_STD_ISO646_H
#define WARPLAB_STD_ISO646_H

#endif
