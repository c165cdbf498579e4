/* others.c - cases that a row does not name, and is looked at on all the same: those on which rows
 * of results compare its variant. */
#include "marking.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"
#include "lab/amounts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Warp instructions of a run that is checked unasked, and of a row's further hidden ones together.
 */
enum { MOST_CHECKED = 1000000, MOST_FURTHER = MOST_CHECKED };

/* Does a row compare the variant's results on this case, which the row in hand does not name? */
static bool only_compared(const struct marking *m, const char *name)
{
    const struct rubric *b = m->e->rubric;
    for (int k = 0; k < b->nrows && !word_in(m->row->cases, name); k++)
        if (b->rows[k].kind == ROW_CORRECT && b->rows[k].cases &&
            !strcmp(b->rows[k].variant, m->row->variant) && word_in(b->rows[k].cases, name))
            return true;
    return false;
}

/* Adds the case to those that are checked, unless it would take too long. */
static int check_too(struct marking *m, const char *name, uint64_t most, struct marked_case *out)
{
    int n;
    struct marked_case *c = named_cases(m->e->lab, m->e->rubric, m->row, name, &m->draw, &n);
    *out = c[0];
    free(c);
    const struct run *r = marking_run(m, out, 0, false);
    bool ended = r->result.end == RUN_OK || r->result.end == RUN_WRONG;
    return ended && r->outputs.counters.inst_executed <= most;
}

static double waits_of(const struct run *r)
{
    const struct counters *c = &r->outputs.counters;
    struct amounts a = amounts_of(&r->c, r->plan);
    return a.warps > 0 ? (double)(c->barriers + c->warp_syncs) / a.warps : INFINITY;
}

/* How often a warp waits for others in that of the row's own runs where it does so least. */
static double least_waits(struct marking *m)
{
    int n;
    struct marked_case *c = row_cases(m->e->lab, m->e->rubric, m->row, &m->draw, &n);
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        const struct run *r = marking_run(m, &c[i], 0, true);
        least = r->result.end == RUN_OK ? fmin(least, waits_of(r)) : least;
    }
    free(c);
    return least;
}

static bool waits_less(struct marking *m, const char *name, double least)
{
    struct marked_case c;
    if (!case_named(m->e->lab, m->e->rubric, m->row->variant, name, &m->draw, &c))
        return false;
    const struct run *r = marking_run(m, &c, 0, false);
    return r->result.end == RUN_OK && waits_of(r) < 0.999 * least;
}

/* Has the code barriers that some arrive at without waiting, or that are not for all threads? How
 * often warps wait says nothing then. */
static bool waits_in_part(const struct session *s)
{
    if (!s->image || memmem(s->image, s->image_bytes, ".arrive", strlen(".arrive")))
        return true;
    const char *end = s->image + s->image_bytes; /* ends with a 0 */
    for (const char *p = s->image; p < end; p += strlen(p) + 1)
        for (const char *at = p; (at = strstr(at, "bar")) != NULL; at++) {
            const char *stop = at + strcspn(at, ";\n"), *comma = strchr(at, ',');
            bool waits = !strncmp(at, "bar.sync", 8) || !strncmp(at, "barrier.sync", 12);
            if (waits && *stop == ';' && comma && comma < stop)
                return true;
        }
    return false;
}

/* Of the hidden cases on which results are only compared some, of which the first follows from
 * secret and submission (in practice it is the first), and all in which warps wait less often for
 * each other than in those that the row names; all, where not all warps wait for all, and the
 * solution's do. */
static int check_hidden(struct marking *m, struct marked_case *out)
{
    const struct rubric *b = m->e->rubric;
    const char *of[64];
    int n = 0;
    for (int i = 0; i < b->nhidden && n < 64; i++)
        if (only_compared(m, b->hidden[i].name))
            of[n++] = b->hidden[i].name;
    if (!n)
        return 0;
    char *label = xformat("%s/%s/%s/checked", m->e->lab->name, m->row->id, m->draw.submission);
    int drawn = m->draw.secret ? (int)(secret_draw(m->draw.secret, label) % (uint64_t)n) : 0;
    free(label);
    int kept = 0;
    uint64_t left = MOST_FURTHER;
    bool all = waits_in_part(m->s) && !waits_in_part(engine_reference(m->e));
    double least = all ? INFINITY : least_waits(m);
    for (int i = 0; i < n; i++) {
        const char *name = of[(drawn + i) % n];
        bool less = waits_less(m, name, least);
        if (!check_too(m, name, less || !i ? MOST_CHECKED : left, &out[kept]))
            continue;
        uint64_t taken = marking_run(m, &out[kept++], 0, false)->outputs.counters.inst_executed;
        left -= !i || less ? 0 : taken;
    }
    return kept;
}

/* Of the others all that are small, and those in which warps wait less often. */
static int check_public(struct marking *m, const struct lab_case *c, int ncases, double least,
                        struct marked_case *out)
{
    int n = 0;
    for (int i = 0; i < ncases; i++) {
        bool only = only_compared(m, c[i].name);
        int kept = only ? check_too(m, c[i].name, MOST_CHECKED / 20, &out[n]) : 0;
        if (only && !kept && waits_less(m, c[i].name, least))
            kept = check_too(m, c[i].name, MOST_CHECKED, &out[n]);
        n += kept;
    }
    return n;
}

/* Of those that its own conditions single out all that do not take too long. Larger ones than all
 * that are marked are for gates. */
static int check_sought(struct marking *m, struct marked_case *out)
{
    int n = 0;
    for (int i = 0; i < m->s->nsought; i++) {
        const struct sought *x = &m->s->sought[i];
        if (x->larger || strcmp(x->variant->name, m->row->variant))
            continue;
        out[n] = sought_case(m, x);
        const struct run *r = marking_run(m, &out[n], 0, false);
        n += r->outputs.counters.inst_executed <= MOST_CHECKED;
    }
    return n;
}

/* A row of checks looks at cases of other rows, too; returns how many. */
int others_checked(struct marking *m, bool hidden, struct marked_case *out)
{
    const struct rubric *b = m->e->rubric;
    const struct lab *l = m->e->lab;
    if (m->row->kind != ROW_CHECKS || !m->row->cases || l->program)
        return 0;
    if (hidden) {
        int kept = check_sought(m, out);
        return kept + (m->draw.secret ? check_hidden(m, out + kept) : 0);
    }
    double least = least_waits(m);
    int n = check_public(m, b->cases, b->ncases, least, out);
    n += check_public(m, l->cases, l->ncases, least, out + n);
    return n + (m->draw.secret ? 0 : check_hidden(m, out + n)); /* practice hides nothing */
}

/* Where the kernel need not be right, and the technique is asked for if it is. */
static void gated_if_right(struct marking *m, bool hidden)
{
    int n;
    struct marked_case *c =
        named_cases(m->e->lab, m->e->rubric, m->row, m->row->if_right, &m->draw, &n);
    for (int i = 0; i < n && m->out.status == STATUS_PASS; i++)
        if (!c[i].kind == !hidden && marking_run(m, &c[i], 0, false)->result.end == RUN_OK)
            mark_gate_on(m, &c[i], false);
    free(c);
}

/* Is a size that the kernel singles out one that the row's own cases might have had? */
static bool is_as_drawn(const struct marking *m, const struct lab_case *c)
{
    const struct rubric *b = m->e->rubric;
    for (int i = 0; i < b->nhidden; i++) {
        const char *name = b->hidden[i].name;
        if ((word_in(m->row->cases, name) ||
             (m->row->if_right && word_in(m->row->if_right, name))) &&
            could_draw(m->e->lab, b, &b->hidden[i], c))
            return true;
    }
    return false;
}

/* At sizes that the kernel singles out: as at the row's own that it could have drawn, else as at
 * any. */
static void gated_where_sought(struct marking *m)
{
    for (int i = 0; i < m->s->nsought && m->out.status == STATUS_PASS; i++) {
        struct marked_case c = sought_case(m, &m->s->sought[i]);
        if (strcmp(m->s->sought[i].variant->name, m->row->variant))
            continue;
        if (is_as_drawn(m, &c.c)) {
            if (marking_run(m, &c, 0, false)->result.end == RUN_OK)
                mark_gate_on(m, &c, false);
        } else if (m->row->elsewhere != HERE_ONLY || (m->row->larger > 0 && m->s->sought[i].larger))
            mark_gate_elsewhere(m, &c);
    }
}

/* A gate is looked at on all cases that the variant's results are compared on, too. */
void others_gated(struct marking *m, bool hidden)
{
    const struct rubric *b = m->e->rubric;
    const char *gate = m->row->gate;
    if (m->row->if_right)
        gated_if_right(m, hidden);
    if (!gate || gate_on_times(gate) || m->e->lab->program)
        return;
    if (hidden)
        gated_where_sought(m);
    if (m->row->elsewhere == HERE_ONLY)
        return;
    for (int i = 0; i < b->nrows; i++) {
        const struct rubric_row *r = &b->rows[i];
        if (r->kind != ROW_CORRECT || strcmp(r->variant, m->row->variant))
            continue;
        int n;
        struct marked_case *c = row_cases(m->e->lab, b, r, &m->draw, &n);
        for (int k = 0; k < n && m->out.status == STATUS_PASS; k++)
            if (!c[k].kind == !hidden && !word_in(m->row->cases, c[k].c.name))
                mark_gate_elsewhere(m, &c[k]);
        free(c);
    }
}
