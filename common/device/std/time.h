/* time.h - for NVRTC, which knows clock and clock_t without it (see stdint.h here). */
#ifndef WARPLAB_STD_TIME_H
#define WARPLAB_STD_TIME_H
#define CLOCKS_PER_SEC 1000000l
typedef long long int time_t; // as in libcu++
#endif
