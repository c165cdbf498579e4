/* module.h - a student's compiled file on the device: its kernels and launch records. */
#ifndef RUN_MODULE_H
#define RUN_MODULE_H

#include "base/text.h"
#include "lab/lab.h"
#include "lab/record.h"

#include <cuda_runtime_api.h>

struct module {
    char *path; /* for messages: what was compiled or loaded */
    cudaLibrary_t library;
    char **kernels; /* names found in the image; empty for a fatbin */
    int nkernels;
    char **parameters; /* … of PTX: a letter for each of its parameters (module_parameters()) */
    bool *wide;        /* … of PTX: it has no register of less than 32 bits, and calls nothing */
    char **variables;  /* __device__ variables in PTX, those of CUDA's headers and records too */
    int nvariables;
    const void *program; /* a whole program (program.h), an executable file's bytes; else NULL */
    size_t program_size;
};

/* Loads PTX text (with its NUL), a cubin or a fatbin. False with a reason. */
bool module_load(struct module *m, const char *path, const void *image, size_t size,
                 struct text *why);
void module_unload(struct module *m);
/* On the emulator, of PTX: may a block of some kernel's launch record have more registers than
 * there are? What machine code of it needs is to be asked of the compiler then. */
bool module_is_tight(const struct module *m);

/* Names of the kernels in PTX text or an ELF file, allocated. 0 for other images. */
int module_names(const void *image, size_t size, char ***names);

/* NULL with a message that lists what there is and the nearest name. */
cudaKernel_t module_kernel(const struct module *m, const char *name, struct text *why);
/* Bytes of all __device__ variables of PTX, one after another; *size of them, for free(). */
void *module_state(const struct module *m, size_t *size);
/* Writes them back. */
void module_set_state(const struct module *m, const void *state);
/* The first that differs; NULL: none does. */
const char *module_changed(const struct module *m, const void *before, const void *after);
/* Of each parameter of a kernel in PTX: u a whole number or pointer, f a float, d a double, ?
 * others. NULL where nothing is known. */
const char *module_parameters(const struct module *m, const char *kernel);
/* Is it known that a kernel has no number of less than 32 bits? */
bool module_is_wide(const struct module *m, const char *kernel);
bool module_has_kernel(const struct module *m, const char *name);
/* The first of a variant's kernels that is not there, for free(); NULL: all are. */
char *module_lacks(const struct module *m, const struct lab_variant *v);
/* What `name` may have been misspelt as: no name of `known`, which has spaces between them. */
const char *module_like(const struct module *m, const char *name, const char *known);
void module_put_like(const struct module *m, const char *name, const char *like, struct text *t);
void module_put_names(const struct module *m, struct text *t);

/* What the file gives as the variant's launch record. */
enum record_state module_given(const struct module *m, const char *variant,
                               struct launch_record *given);
/* What it gives as the variant's schedule. */
enum record_state module_schedule(const struct module *m, const char *variant, struct schedule *s);
/* The variant's launch record: the file's LAUNCH() as record_clamp() leaves it, or the default; and
 * its schedule, into *s, where it has one. False with a reason when one cannot be used. */
bool module_record(const struct module *m, const struct lab_variant *v, struct launch_record *out,
                   struct schedule *s, struct text *note, struct text *why);

#endif
