/* tensor.h - tensor maps that a student's record asks for (device/tensor.cuh), as arguments of a
 * plan; run/maps.c encodes them. */
#ifndef LAB_TENSOR_H
#define LAB_TENSOR_H

#include "lab.h"

/* The launch of a tensor kernel that makes m x n outputs: a row of blocks, one for each tile, as
 * many as make whole clusters; of a persistent one as many as the device has multiprocessors. */
bool tensor_grid(const struct lab_variant *v, const struct launch_record *r,
                 const struct device_limits *d, uint64_t m, uint64_t n, struct plan_step *s,
                 char *err, size_t errsize);
/* Makes those arguments of the plan's kernels tensor maps that the record names. */
bool tensor_maps(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
                 const struct tensor_record *r, struct plan *p, char *err, size_t errsize);
/* Can argument i of a step, ARG_TENSOR, be encoded? By the driver's rules, in words. */
bool tensor_check(const struct plan *p, int step, int i, char *err, size_t errsize);

#endif
