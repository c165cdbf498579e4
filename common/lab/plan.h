/* plan.h - launch plans: made, checked, and as bytes, so that they can be sent into a sandbox.
 *
 *   ┌──────────┬─────────┬────────────────────────┬───────┬────────────┬─────────┬───────┬───────┐
 *   │ "WLPLAN" │ version │ nbuffers, nsteps, nops │ bytes │ buffers …  │ steps … │ ops … │ "END" │
 *   │ 6 bytes  │ u16     │ memory, … ranks  6×u32 │ 2×f64 │ name, role │ kernel  │ kind  │       │
 *   └──────────┴─────────┴────────────────────────┴───────┴────────────┴─────────┴───────┴───────┘
 * All little endian; names are 64 bytes, padded with NULs. Whoever reads one trusts
 * nothing in it: plan_read() checks every field before it is used.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "lab.h"

#define PLAN_VERSION    7
#define PLAN_MAX_BYTES  (1ull << 38) /* of one buffer */
#define PLAN_MAX_PACKED (64u << 10)  /* no plan is more bytes when written */

/* The lab's plan for a variant, checked: by the record, but for what the case forces. False with
 * a reason in err, which ends in "…" where there was more. */
bool plan_make(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
               const struct launch_record *r, const struct device_limits *d, struct plan *p,
               char *err, size_t errsize);
/* The kernel that comes first; "no kernel". */
const char *plan_kernel(const struct plan *p);
/* Arguments of a transform's step. */
enum fft_arg { FFT_IN, FFT_OUT, FFT_ROWS, FFT_COLUMNS, FFT_DIRECTION /* -1 or 1 */, FFT_ARGS };
/* Bytes of buffer b; of all of them. */
size_t plan_buffer_bytes(const struct plan *p, int b);
uint64_t plan_bytes(const struct plan *p);

/* *out is allocated here, freed by the caller. Returns its size. */
size_t plan_write(const struct plan *p, unsigned char **out);
/* False with a reason in err. */
bool plan_read(const void *data, size_t size, struct plan *p, char *err, size_t errsize);
/* Everything a launch relies on: ranges, indices, names. d may be NULL: any device. */
bool plan_check(const struct plan *p, const struct device_limits *d, char *err, size_t errsize);

#endif
