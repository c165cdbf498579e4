/* run_fuzz.c - libFuzzer target: no PTX that is read makes the rest of the emulator crash or
 * hang. Loads it, launches each kernel with pointers to a small buffer and a limit of steps;
 * by the text's length with and without checks and dynamic shared memory; some texts are
 * surveyed first, as `warprun --support` does. See fuzz.mk.
 */
#include "emulator/base/mem.h"
#include "emulator/check/check.h"
#include "emulator/check/findings.h"
#include "emulator/exec/exec.h"
#include <stdlib.h>
#include <string.h>

#define PARAMETERS 4352 /* bytes, CUDA's limit */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    setenv("WARPLAB_STEPS", "3000", 1);
    setenv("WARPLAB_THREADS", "1", 1);
    return 0;
}

static void launch(struct emu_func *f, uint64_t buffer, uint32_t dynamic)
{
    static uint64_t params[PARAMETERS / 8 + 1];
    const struct emu_func_info *info = emu_func_info(f);
    const uint32_t *cluster = f->ptx->reqnctapercluster;
    struct emu_launch l = {.func = f, .grid = {2, 1, 1}, .block = {40, 1, 1}, .params = params};

    for (size_t i = 0; i < sizeof(params) / sizeof(*params); i++)
        params[i] = buffer;
    for (int i = 0; i < 3 && info->reqntid[0]; i++)
        l.block[i] = info->reqntid[i] ? info->reqntid[i] : 1;
    for (int i = 0; i < 3 && cluster[0] && cluster_size(cluster) <= 16; i++)
        l.grid[i] *= cluster[i] ? cluster[i] : 1;
    l.shared_bytes = dynamic;
    if (info->param_bytes <= PARAMETERS && info->shared_bytes < 1 << 20 &&
        info->local_bytes < 1 << 16)
        emu_launch(&l, NULL);
}

static void note(void *arg, const struct emu_func *f, const struct ptx_insn *in, const char *why)
{
    (void)arg, (void)f, (void)in, (void)why;
}

static void survey(const char *text, size_t size)
{
    struct emu_module *m;

    if (emu_module_load(&text, &size, 1, "fuzz", &m) != cudaSuccess)
        return;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->ptx->has_body)
            lower_survey(m->funcs[i], note, NULL);
    emu_module_unload(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct emu_module *m;

    check_set(size % 2);
    if (size / 4 % 2)
        survey(text, size);
    if (emu_module_load(&text, &size, 1, "fuzz", &m) != cudaSuccess)
        return 0;
    struct mem_alloc *a = mem_alloc(4096, 256, MEM_DEVICE, NULL);
    for (uint32_t i = 0; a && i < emu_module_func_count(m) && i < 8; i++)
        launch(emu_module_func_at(m, i), a->addr, size / 2 % 2 ? 512 : 0);
    emu_module_unload(m);
    mem_reset(0);
    findings_clear();
    return 0;
}
