/* plan.h - private to this folder: a plan, and its data on the way to a transform and back. */
#ifndef EMULATOR_FFT_PLAN_H
#define EMULATOR_FFT_PLAN_H

#include "cufft_api.h"
#include "emulator/runtime/step.h"
#include "transform.h"

enum { MOST_RANK = 3 };

/* Where input or output lies. Element (x, y, z) of batch b is number
 *     b dist + ((x embed[1] + y) embed[2] + z) stride
 * of its kind, real or complex. embed[0] is not looked at. */
struct layout {
    cufft_long embed[MOST_RANK], stride, dist;
};

struct plan {
    bool made;
    cufftType type;
    int rank;
    cufft_long n[MOST_RANK]; /* ranks below 3: ones first */
    cufft_long batch;
    bool advanced; /* false: data are packed, and what is in place and real is padded */
    struct layout in, out;
    cudaStream_t stream;
    bool own_work, no_auto; /* work was allocated here; is not to be */
    void *work;
    size_t work_size;
    struct transform *along[MOST_RANK];
};

bool type_is_real(cufftType t); /* on one side */
bool type_is_double(cufftType t);
bool type_is_known(cufftType t);
/* Reads, transforms and writes all batches; false after a fault. */
bool plan_run(const struct plan *p, struct warplab_step *step, void *in, void *out, bool inverse);
unsigned plan_passes(const struct plan *p); /* kernels that a GPU would take */

#endif
