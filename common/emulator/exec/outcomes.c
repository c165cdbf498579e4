/* outcomes.c - how the instructions of a launch turn out (outcomes.h). */
#include "outcomes.h"
#include "base/alloc.h"
#include "base/mix.h"
#include "base/text.h"
#include "disturb.h"
#include "turns.h"

#include <stdlib.h>
#include <string.h>

static struct text said; /* launches that are watched come one after the other */

static enum ptx_type type_written(const struct ptx_func *f, const struct ptx_insn *p)
{
    return f->regs[p->operands[0].reg].type;
}

/* Bytes of a lane; 0: a predicate. */
static uint32_t width_of(const struct ptx_func *f, const struct ptx_insn *p)
{
    return ptx_type_bits(type_written(f, p)) / 8;
}

bool outcomes_watches(const struct emu_func *f, const struct insn *in, const struct ptx_insn *p)
{
    static const enum ptx_op only_read[] = {OP_bar, OP_barrier, OP_nanosleep, OP_brx, OP_call};
    for (size_t k = 0; k < sizeof(only_read) / sizeof(only_read[0]); k++)
        if (p->op == only_read[k])
            return false;
    if (!p->noperands || p->operands[0].kind != OPD_REG || in->dst >> SEL_SHIFT != SEL_REG)
        return false;
    uint32_t width = width_of(f->ptx, p);
    return width <= 8 && in->dst + (width ? width * WARP : sizeof(uint32_t)) <= f->frame_bytes;
}

static uint8_t outcome_of_predicate(uint32_t is, uint32_t lanes)
{
    return (uint8_t)((lanes & ~is ? OUTCOME_ZERO : 0) | (lanes & is ? OUTCOME_ABOVE : 0));
}

/* Of rows of words, as most are, in one go: no lane waits for another, so that they go side by
 * side. */
static uint8_t outcome_of_words(const int32_t *row, uint32_t lanes)
{
    uint32_t zero = 0, above = 0, below = 0, on[WARP];
    for (uint32_t i = 0; i < WARP; i++)
        on[i] = 0 - (lanes >> i & 1);
    for (uint32_t i = 0; i < WARP; i++) {
        zero |= row[i] == 0 ? on[i] : 0;
        above |= row[i] > 0 ? on[i] : 0;
        below |= row[i] < 0 ? on[i] : 0;
    }
    return (uint8_t)((zero ? OUTCOME_ZERO : 0) | (above ? OUTCOME_ABOVE : 0) |
                     (below ? OUTCOME_BELOW : 0));
}

static uint8_t outcome_of_numbers(const uint8_t *row, uint32_t width, uint32_t lanes)
{
    if (width == 4)
        return outcome_of_words((const int32_t *)(const void *)row, lanes);
    uint8_t all = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t v = 0;
        memcpy(&v, row + (uint32_t)__builtin_ctz(m) * width, width);
        all |= (uint8_t)(!v                         ? OUTCOME_ZERO
                         : v >> (8 * width - 1) & 1 ? OUTCOME_BELOW
                                                    : OUTCOME_ABOVE);
    }
    return all;
}

/* Nothing is left to be seen of it: it runs as ever, until the next launch. */
static const struct insn *watched_enough(struct warp *w, struct emu_func *f, const struct insn *in)
{
    handler own = disturb_own(in);
    f->insns[in - f->insns].fn = own;
    f->disturbed = DISTURBED_IN_PART;
    return own(w, in);
}

const struct insn *outcomes_watched(struct warp *w, const struct insn *in)
{
    struct emu_func *f = w->cur->frame->func;
    const struct ptx_insn *p = &f->ptx->insns[in->site->index];
    uint8_t **kept = &w->block->launch->outcomes[f->index];
    if (!*kept)
        *kept = xcalloc(f->ptx->ninsns + 1, 1);
    uint8_t *now = &(*kept)[in->site->index];
    uint32_t width = width_of(f->ptx, p), lanes = disturb_lanes(w, in);
    const uint8_t *row = place(w, in->dst);
    if (*now ==
        (width ? OUTCOME_ZERO | OUTCOME_ABOVE | OUTCOME_BELOW : OUTCOME_ZERO | OUTCOME_ABOVE))
        return watched_enough(w, f, in);
    const struct insn *next = disturb_own(in)(w, in);
    if (next != in + 1) /* it waits, or the launch failed */
        return next;
    if (width)
        *now |= outcome_of_numbers(row, width, lanes);
    else
        *now |= outcome_of_predicate(*(const uint32_t *)(const void *)row, lanes);
    return next;
}

/* ---- which blocks ---- */

static void add_block(struct launch *l, uint64_t at)
{
    int k = l->nfew;
    while (k && l->few[k - 1] > at)
        k--;
    if (k && l->few[k - 1] == at)
        return;
    memmove(&l->few[k + 1], &l->few[k], (size_t)(l->nfew - k) * sizeof(l->few[0]));
    l->few[k] = at;
    l->nfew++;
}

/* A place on the diagonal, in one part of four. Who compares results, or checks, looks at others
 * each time. */
static uint64_t on_diagonal(const struct launch *l, uint64_t n, int part)
{
    if (!(l->disturb >> DISTURB_few & 1))
        return n * (uint64_t)(part + 1) / 5;
    uint64_t from = n * (uint64_t)part / 4, to = n * (uint64_t)(part + 1) / 4;
    return to > from ? from + mix64(turns_now() + (uint64_t)part) % (to - from) : from;
}

/* Corners, and on a diagonal. */
void outcomes_choose_blocks(struct launch *l)
{
    uint64_t n[3];
    if (l->cooperative)
        return;
    for (int k = 0; k < 3; k++)
        n[k] = l->grid[k] / l->cluster[k];
    const uint64_t rows = n[1] * n[2];
    for (int turn = 0; turn < LAUNCH_FEW; turn++) {
        uint64_t x = turn < 4 ? (turn & 1) * (n[0] - 1) : on_diagonal(l, n[0], turn - 4);
        uint64_t y = turn < 4 ? (uint64_t)(turn >> 1) * (rows - 1) : on_diagonal(l, rows, turn - 4);
        add_block(l, y * n[0] + x);
    }
}

void outcomes_begin(struct launch *l)
{
    l->outcomes = xcalloc(l->module->nfuncs, sizeof(*l->outcomes));
}

void outcomes_end(struct launch *l)
{
    for (uint32_t k = 0; k < l->module->nfuncs; k++) {
        const uint8_t *kept = l->outcomes[k];
        if (kept)
            text_addf(&said, "%s %u ", l->func->info.name, k);
        for (uint32_t i = 0; kept && i < l->module->funcs[k]->ptx->ninsns; i++)
            text_addf(&said, "%c", '0' + kept[i]);
        if (kept)
            text_addf(&said, "\n");
        free(l->outcomes[k]);
    }
    free(l->outcomes);
    l->outcomes = NULL;
}

char *outcomes_take(void)
{
    return text_take(&said);
}
