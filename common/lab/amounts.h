/* amounts.h - the numbers of a case and its plan that conditions, table columns and predictions
 * may name beside counters: n m k param elem bytes flops launches blocks threads warps,
 * and of a schedule: bytes_in bytes_out copies streams sums fetches.
 */
#ifndef LAB_AMOUNTS_H
#define LAB_AMOUNTS_H

#include "lab.h"

struct amounts {
    double n, m, k, param, elem; /* of the case; elem: bytes of an element */
    double bytes, flops;         /* by the lab's formulas */
    double launches;
    double blocks, threads, warps; /* of all launches together */
    double bytes_in, bytes_out;    /* that are copied to the device and back */
    double copies, streams;
    double sums, fetches; /* of ranks, over their links */
};
struct amounts amounts_of(const struct lab_case *c, const struct plan *p);
/* False when there is none of that name. */
bool amount_named(const struct amounts *a, const char *name, double *value);

#endif
