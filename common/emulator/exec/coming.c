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

static struct coming coming_of(const struct async *x, const struct copy *c)
{
    struct coming out = {.site = c->in->site, .committed = c->group < x->group};
    const struct insn *in = x->wait.in;
    if (in && x->wait.group > c->group && in->imm >= 0 && !(c->mask & ~x->wait.mask)) {
        out.wait = in->site;
        out.since = x->wait.group - c->group - 1;
        out.left = (uint32_t)in->imm;
        out.idle = x->wait.idle;
    }
    return out;
}

bool copy_coming(const struct block_info *info, uint64_t at, uint32_t size, struct coming *out)
{
    const struct block *b = info->of;
    for (uint32_t i = 0; b && i < b->nwarps; i++) {
        const struct async *x = b->warps[i].async;
        for (uint32_t k = 0; x && k < x->n; k++)
            if (writes(&x->copies[k], at, size)) {
                *out = coming_of(x, &x->copies[k]);
                return true;
            }
    }
    return false;
}
