/* verify.h - one variant on one case: made, run, compared. */
#ifndef HARNESS_VERIFY_H
#define HARNESS_VERIFY_H

#include "run/exec.h"
#include "report.h"

/* Host data of one case: kept from variant to variant, as making it can take longer than
 * the run. */
struct dataset {
    const struct lab_case *input; /* NULL: empty */
    uint64_t seed;
    int nbuffers;
    struct lab_buffer buffers[LAB_MAX_BUFFERS];
    void *data[LAB_MAX_BUFFERS]; /* of input buffers */
};
void dataset_make(struct dataset *d, const struct lab *lab, const struct plan *p,
                  const struct lab_case *c, uint64_t seed);
void dataset_free(struct dataset *d);

struct verify {
    const struct lab *lab;
    const struct machine *machine;
    const struct module *module;
    uint64_t seed;
    bool check;   /* the checker watches: exact buffers, nothing poisoned */
    bool profile; /* only launch: Nsight Compute counts, nothing is compared */
    struct dataset data;
    char message[2048]; /* why the last one failed: several lines */
    cudaError_t error;  /* the CUDA error behind it, if any */
};

uint64_t case_seed(const struct lab_case *c, uint64_t run_seed);
/* Fills r (all but the speedups). False with v->message when the variant fails. */
bool verify_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                    const struct launch_record *record, struct result *r);
/* Times a variant that passed, on a GPU. False likewise: also when outputs are wrong after
 * the last timed run. */
bool time_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                  const struct launch_record *record, int reps, struct result *r);
void verify_free(struct verify *v);

#endif
