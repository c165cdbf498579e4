/* machine.h - what is under a run: a GPU, or the emulator. run/machine.c finds it out. */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include "lab.h"
#include "wire.h"

/* The emulator has the instructions that only cc 9.0 has, too: 90a. */
#define EMULATOR_ARCH "compute_90a"

struct machine {
    bool emulator;
    char device[256], version[128]; /* version: of the emulator, or of driver and runtime */
    char arch[16];                  /* what to compile for, "sm_90a" or EMULATOR_ARCH */
    struct device_limits limits;
    int devices; /* like the first one; the emulator has as many as a plan may ask for */
    uint64_t memory_bytes, l2_bytes;
    double clock_mhz;                /* highest SM clock */
    double peak_gbps;                /* DRAM: memory clock × 2 × bus width / 8; 0: not known */
    double peak_l1_gbps, peak_flops; /* what no kernel can pass: see run/machine.c */
};

bool machine_write(const struct wire *w, const struct machine *m);
/* False when the pipe ends or the limits are none that a device has. */
bool machine_read(const struct wire *w, struct machine *m);

#endif
