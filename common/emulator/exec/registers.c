/* registers.c - setmaxnreg: the registers that a block's warps give back, and take.
 *
 * PTX ISA, setmaxnreg: what .dec gives back is there for whoever asks by .inc, which waits until
 * there is enough. A block has no more at first than its warps have, and a warp that ends gives
 * nothing back (so it is on an H200).
 * Not modelled: what a register that was given back held is still there.
 */
#include "exec.h"

const struct insn *registers_set(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    uint32_t had = w->registers, n = (uint32_t)in->imm;
    if (in->sub == M_inc && n > had + b->spare) {
        path_wait(w->cur, in, REGISTERS_WAIT);
        w->cur = NULL;
        return warp_next_path(w);
    }
    if (in->sub == M_inc ? n <= had : n >= had)
        return in + 1;
    w->registers = n;
    b->spare += had - n;
    for (uint32_t k = 0; n < had && k < b->nwarps; k++)
        warp_look_again(&b->warps[k], REGISTERS_WAIT);
    return in + 1;
}
