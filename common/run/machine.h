/* machine.h - what is under the harness: a GPU, or the emulator and its counters. */
#ifndef HARNESS_MACHINE_H
#define HARNESS_MACHINE_H

#include "lab/counter.h"
#include "lab/lab.h"

#include <cuda_runtime_api.h>

struct machine {
    bool emulator;
    char device[256], arch[16]; /* arch: what to compile for, "sm_90" or "compute_90" */
    struct device_limits limits;
    size_t memory_bytes, l2_bytes;
    double clock_mhz;                /* highest SM clock */
    double peak_gbps;                /* DRAM: memory clock × 2 × bus width / 8 */
    double peak_l1_gbps, peak_flops; /* what no kernel can pass: see machine.c */
};

/* False with a reason that says what to do next. */
bool machine_open(struct machine *m, char *err, size_t errsize);
/* SM clock now, MHz, from NVML; 0 when it cannot tell. */
double machine_clock_now(void);
bool machine_error_is_sticky(cudaError_t e);
void machine_revive(void); /* resets the device after such an error; a GPU may stay lost */

/* ---- the emulator's own calls; none of them does anything on a GPU ---- */
void emulator_reset(void);
void emulator_counters(struct counters *out);
double emulator_modelled_ms(void);
double emulator_occupancy(void);
const char *emulator_bound(void);
void emulator_set_steps(uint64_t steps);
void emulator_set_check(bool on);
size_t emulator_findings(void);
const char *emulator_finding(size_t i); /* one JSON object */

#endif
