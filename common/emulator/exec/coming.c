/* coming.c - copies (cp.async) that a block's warps have asked for and not waited for (events.h).
 */
#include "exec.h"
#include "ops/copies.h"

static bool writes(const struct copy *c, uint64_t at, uint32_t size)
{
    for (uint32_t m = c->mask; m; m &= m - 1) {
        uint64_t to = c->to[__builtin_ctz(m)];
        if (at < to + c->size && to < at + size)
            return true;
    }
    return false;
}

const struct site *copy_coming(const struct block_info *info, uint64_t at, uint32_t size)
{
    const struct block *b = info->of;
    for (uint32_t i = 0; b && i < b->nwarps; i++) {
        const struct async *x = b->warps[i].async;
        for (uint32_t k = 0; x && k < x->n; k++)
            if (writes(&x->copies[k], at, size))
                return x->copies[k].in->site;
    }
    return NULL;
}
