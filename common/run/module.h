/* module.h - a student's compiled file on the device: its kernels and launch records. */
#ifndef HARNESS_MODULE_H
#define HARNESS_MODULE_H

#include "lab/lab.h"

#include <cuda_runtime_api.h>

struct module {
    char *path; /* for messages: what was compiled or loaded */
    cudaLibrary_t library;
    char **kernels; /* names found in the image; empty for a fatbin */
    int nkernels;
};

/* Loads PTX text (with its NUL), a cubin or a fatbin. False with a reason in err. */
bool module_load(struct module *m, const char *path, const void *image, size_t size, char *err,
                 size_t errsize);
void module_unload(struct module *m);

/* Names of the kernels in PTX text or an ELF file, allocated. 0 for other images. */
int module_names(const void *image, size_t size, char ***names);

/* NULL with a message that lists what there is and the nearest name. */
cudaKernel_t module_kernel(const struct module *m, const char *name, char *err, size_t errsize);
bool module_has_kernel(const struct module *m, const char *name);
/* True when all kernels that the variant needs are there. */
bool module_has_variant(const struct module *m, const struct lab_variant *v, char *err,
                        size_t errsize);

/* The variant's launch record: the file's LAUNCH() as record_clamp() leaves it, or the default.
 * False with a reason in err when the record cannot be used. */
bool module_record(const struct module *m, const struct lab_variant *v, struct launch_record *out,
                   char *note, size_t notesize, char *err, size_t errsize);

#endif
