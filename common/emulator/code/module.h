/* module.h - loaded PTX: its functions and variables.
 *
 * Errors are cudaError_t; the text that helps a person comes through emu_error_text(). All calls
 * are thread safe.
 */
#ifndef EMULATOR_MODULE_H
#define EMULATOR_MODULE_H

#include <driver_types.h> /* cudaError_t */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu_module;
struct emu_func;

struct emu_func_info {
    const char *name;
    uint32_t shared_bytes; /* static */
    uint32_t const_bytes;
    uint32_t local_bytes;     /* per thread */
    uint32_t registers;       /* per thread */
    bool registers_estimated; /* true: from PTX liveness; false: from machine code */
    uint32_t max_threads;     /* per block, from .maxntid or the device's limit */
    uint32_t reqntid[3];      /* 0 when not given */
    uint32_t ptx_version;     /* 90 */
    uint32_t nparams;
    uint32_t param_bytes; /* all parameters, laid out as the launch wants them */
    const uint32_t *param_offset, *param_size; /* bytes, nparams each */
};

/* Loads PTX text (one module; several translation units linked with -rdc are passed
 * together, ntexts > 1). On failure returns the error a GPU's driver gives
 * (cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion, …) and prints the located reason
 * once on stderr; emu_error_text() keeps it. `name` names the program in messages. */
cudaError_t emu_module_load(const char *const *texts, const size_t *lengths, int ntexts,
                            const char *name, struct emu_module **out);
/* The same for a device other than 0: with variables of its own, but for managed ones, which are
 * those of `first`, the module loaded from the same texts; NULL: none is. */
cudaError_t emu_module_load_on(unsigned device, struct emu_module *first, const char *const *texts,
                               const size_t *lengths, int ntexts, const char *name,
                               struct emu_module **out);
/* `to` frees the managed variables that both have when it is unloaded; `from` does no more. */
void emu_module_hand_over(struct emu_module *from, struct emu_module *to);
void emu_module_unload(struct emu_module *m);

struct emu_func *emu_module_func(struct emu_module *m, const char *name); /* NULL: none */
uint32_t emu_module_func_count(struct emu_module *m);
struct emu_func *emu_module_func_at(struct emu_module *m, uint32_t i); /* entries only */
const struct emu_func_info *emu_func_info(struct emu_func *f);
/* Address and size of a .global/.const variable. False: no such variable. */
bool emu_module_var(struct emu_module *m, const char *name, uint64_t *addr, uint64_t *size,
                    bool *managed);
/* What the variables of all loaded modules hold, those in constant memory aside, one after the
 * other: copied to `to`, or taken from `from`, where these are not NULL. How many bytes it is. */
size_t emu_variables(void *to, const void *from);
/* Variables of all modules hold again what they were loaded with. While nothing runs. */
void emu_modules_renew(void);
/* Registers from machine code's metadata, when the runtime found a cubin beside the PTX. */
void emu_func_set_registers(struct emu_func *f, uint32_t registers);
/* Those that machine code of it would need, where there is none: a launch of more than there are is
 * refused. All else goes by the estimate. */
void emu_func_set_needed(struct emu_func *f, uint32_t registers);

/* Registers a thread, in blocks of so many: an estimate leaves room for one block, as ptxas would
 * have spilled. Of a function that was lowered. */
uint32_t emu_registers(const struct emu_func *f, uint32_t block_threads);
/* Registers that each thread has when the kernel begins, where setmaxnreg changes that; 0: ptxas
 * would leave it out. */
uint32_t emu_entry_registers(const struct emu_func *f);
/* Blocks of f that fit one SM of the device profile. */
uint32_t emu_occupancy(struct emu_func *f, uint32_t block_threads, uint32_t dynamic_shared,
                       const char **limiter);
uint32_t emu_registers_known(const struct emu_func *f); /* 0: they are estimated */
/* The same of what is known, where an estimate of registers is no limit: what refuses a launch. */
uint32_t emu_occupancy_known(struct emu_func *f, uint32_t block_threads, uint32_t dynamic_shared,
                             const char **limiter);

/* From now on fn is told of each function that is about to be freed: it and its sites are to be
 * forgotten. For those above who remember places; at most 4, at the program's start. */
void module_watch(void (*fn)(const struct emu_func *f));

#endif
