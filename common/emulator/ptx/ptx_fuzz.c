/* ptx_fuzz.c - libFuzzer target: no text crashes, hangs or exhausts ptx_parse().
 * Built and run by `make fuzz`. What is worth keeping goes to testdata/fuzz/ptx, which
 * ptx_test.c replays.
 */
#include "ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse((const char *)data, size, &error);
    for (uint32_t i = 0; m && i < m->nfuncs; i++) {
        for (uint32_t j = 0; j < m->funcs[i]->ninsns; j++) {
            char opcode[128];
            ptx_opcode_text(m, &m->funcs[i]->insns[j], opcode, sizeof(opcode));
        }
    }
    ptx_free(m);
    return 0;
}
