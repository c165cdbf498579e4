/* options.h - the environment variables WARPLAB_*, and warprun's flags, which set them. */
#ifndef EMULATOR_OPTIONS_H
#define EMULATOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct emu_options {
    int threads;    /* WARPLAB_THREADS; 0: all cores */
    int devices;    /* WARPLAB_DEVICES: how many alike there are at first */
    uint64_t steps; /* WARPLAB_STEPS: warp instructions of a launch, slow ones as several; 0: any */
    bool check;     /* WARPLAB_CHECK */
    /* WARPLAB_LIBRARIES=0: what CUB, Thrust and the toolkit's headers do is held to the rules,
     * too: a file's own #line and .loc say where its code comes from, which the grader does not
     * believe. */
    bool libraries;
    const char *profile; /* WARPLAB_PROFILE: file, .csv or .json; NULL: none */
    const char *device;  /* WARPLAB_DEVICE: profile name */
    const char *record;  /* WARPLAB_RECORD: file for runtime/record.c; NULL: none */
    const char *disturb; /* WARPLAB_DISTURB: classes of base/disturb.h; NULL: none */
    const char *fail;    /* WARPLAB_FAIL: calls that are to fail (runtime/inject.c); NULL: none */
    bool sample;         /* WARPLAB_SAMPLE=0: no sample of accesses for the time model, whose
                            times are then too long (benchmarks); counters are always on */
};
/* WARPLAB_HIDDEN=1: these variables are read when the library is loaded and taken out of the
 * environment, so that a program cannot know by them which run it is in. */
const struct emu_options *emu_options(void); /* read once from the environment */
/* How many devices there are; at least that many from now on. */
int emu_devices(int at_least);

#endif
