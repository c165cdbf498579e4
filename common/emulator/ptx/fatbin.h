/* fatbin.h - finds PTX text and register counts in what a CUDA program embeds.
 *
 * Interface: fatbin_open() takes any pointer a runtime is handed (the wrapper that
 * __cudaRegisterFatBinary receives, a fatbin container, a cubin, PTX text), unpacks the
 * PTX that suits a device, and copies everything out: the input need not outlive the call.
 * fatbin_close() releases it. Every failure has its own status and a line for a person.
 *
 * Damaged input is an error, never a crash, as long as the bytes that its headers
 * promise can be read; with a known length nothing past it is read.
 *
 * Not here: what the PTX means (ptx.h). Not modelled: running machine code.
 */
#ifndef EMULATOR_FATBIN_H
#define EMULATOR_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_status {
    FATBIN_OK,
    FATBIN_NO_PTX,      /* only machine code: cudaErrorNoKernelImageForDevice */
    FATBIN_LTO_ONLY,    /* only NVVM IR for link-time optimisation: likewise */
    FATBIN_TOO_NEW,     /* PTX, but all of it for devices newer than sm: likewise */
    FATBIN_COMPRESSION, /* PTX in a compression that is not known: cudaErrorInvalidKernelImage */
    FATBIN_DAMAGED,     /* cudaErrorInvalidKernelImage */
    FATBIN_UNKNOWN,     /* neither fatbin, cubin nor PTX: cudaErrorInvalidKernelImage */
    FATBIN_EMPTY,       /* a fatbin without any code (-rdc's link stub): not an error to register */
    FATBIN_MEMORY,      /* cudaErrorMemoryAllocation */
};

/* Registers per thread of one kernel, read from machine code; or, of PTX text, from the lines that
 * it begins with: "// registers: NAME COUNT", which say what machine code of it would need. */
struct fatbin_kernel {
    char *name; /* as in PTX: mangled */
    uint32_t registers;
};

struct fatbin {
    enum fatbin_status status;
    char message[512]; /* "" when status is FATBIN_OK; else one line, says what to do */

    /* One PTX module per translation unit (more than one only with -rdc=true), in link
     * order, each NUL-terminated: the arguments of emu_module_load(). */
    const char **texts;
    size_t *lengths; /* without the NUL */
    int ntexts;
    uint32_t ptx_sm; /* architecture of the first text (75, 90, ...); 0 for bare PTX text */

    /* Kernels of the cubin that fits the device best, if there is one. Registers are
     * exact for cubin_sm; for another architecture they are that compiler's choice. */
    struct fatbin_kernel *kernels;
    uint32_t nkernels;
    uint32_t cubin_sm; /* 0: no cubin, and kernels are of the text's first lines */
};

/* Reads image for a device of compute capability sm (90 for 9.0). length is the number of
 * bytes at image, or 0 when the caller was given none: then PTX must be NUL-terminated and
 * fatbins are measured by their own headers. Returns out->status; *out is always valid and
 * always to be passed to fatbin_close(). A wrapper (magic 0x466243B1) holds pointers into
 * this process and is followed only with length 0. */
enum fatbin_status fatbin_open(const void *image, size_t length, uint32_t sm, struct fatbin *out);
void fatbin_close(struct fatbin *f);

/* Registers per thread of the kernel named, 0 when the cubin does not say. */
uint32_t fatbin_registers(const struct fatbin *f, const char *name);

#endif
