/* testing.h - launches a small PTX kernel in a test: RUN(.body = "…") fills out and result.
 *
 * Criterion runs each test in a process of its own, so a test may set WARPLAB_* before its
 * first launch. Every kernel has one parameter, a buffer of 4096 zeroed words.
 */
#ifndef EMULATOR_EXEC_TESTING_H
#define EMULATOR_EXEC_TESTING_H

#include "launch.h"
#include "emulator/base/error.h"
#include "emulator/base/mem.h"
#include <criterion/criterion.h>
#include <stdio.h>

#define WORDS 4096

struct program {
    const char *target;               /* NULL: sm_80 */
    const char *before;               /* functions and variables */
    const char *body;                 /* %t, %cta, %out are set; %r0-9, %d0-9, %f0-3, %p0-3 free */
    const char *attribute;            /* of the entry: .maxntid … */
    uint32_t grid, block, shared;     /* 0: one block, one warp, nothing */
    uint32_t grid_yz[2], block_yz[2]; /* 0: 1 */
    bool cooperative;
    uint32_t registers; /* as machine code would say; 0: it says nothing */
    uint32_t needed;    /* as text says of machine code; 0: likewise */
};
static uint32_t *out; /* the buffer after the last launch */
static struct emu_result result;

static const char prologue[] =
    ".reg .b32 %t, %cta, %r<10>;\n.reg .b64 %out, %mine, %d<10>;\n.reg .f32 %f<4>;\n"
    ".reg .pred %p<4>;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %cta, %ctaid.x;\n"
    "mul.wide.u32 %mine, %t, 4;\nadd.u64 %mine, %out, %mine;\n";

static uint32_t or_one(uint32_t n)
{
    return n ? n : 1;
}

static cudaError_t launch(struct program p)
{
    static char text[1 << 17];
    const char *texts[] = {text};
    struct emu_module *m;
    struct mem_alloc *a = mem_alloc(WORDS * 4, 256, MEM_DEVICE, NULL);
    int n = snprintf(text, sizeof(text),
                     ".version 8.0\n.target %s\n.address_size 64\n.file 1 \"k.cu\"\n%s\n"
                     ".visible .entry k(.param .u64 out) %s\n{\n%s%s\nret;\n}\n",
                     p.target ? p.target : "sm_80", p.before ? p.before : "",
                     p.attribute ? p.attribute : "", prologue, p.body);
    size_t lengths[] = {(size_t)n};

    cr_assert_lt((size_t)n, sizeof(text));
    out = (uint32_t *)a->host;
    cudaError_t e = emu_module_load(texts, lengths, 1, "test", &m);
    if (e != cudaSuccess)
        return e;
    if (p.registers)
        emu_func_set_registers(emu_module_func(m, "k"), p.registers);
    if (p.needed)
        emu_func_set_needed(emu_module_func(m, "k"), p.needed);
    struct emu_launch l = {
        .func = emu_module_func(m, "k"),
        .grid = {p.grid ? p.grid : 1, or_one(p.grid_yz[0]), or_one(p.grid_yz[1])},
        .block = {p.block ? p.block : 32, or_one(p.block_yz[0]), or_one(p.block_yz[1])},
        .shared_bytes = p.shared,
        .cooperative = p.cooperative,
        .params = &a->addr};
    return emu_launch(&l, &result);
}
#define RUN(...)                                                                                   \
    do {                                                                                           \
        cudaError_t error_ = launch((struct program){__VA_ARGS__});                                \
        cr_assert_eq(error_, cudaSuccess, "error %d: %s", error_, emu_error_text());               \
    } while (0)

#endif
