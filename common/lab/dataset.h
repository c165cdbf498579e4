/* dataset.h - the inputs of one case from a seed, on the host. */
#ifndef LAB_DATASET_H
#define LAB_DATASET_H

#include "job.h"
#include "lab.h"

/* Kept from variant to variant, as making it can take longer than the run: making it again for
 * the same case (the same pointer), seed and inputs does nothing. */
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

/* The plan on these inputs. The job is valid as long as both are. */
struct job dataset_job(const struct dataset *d, const struct plan *p, const struct job_options *o);

#endif
