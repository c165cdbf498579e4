/* seek.c - sizes that a kernel treats in a way of its own.
 *
 * A kernel that is right only where it is looked tells sizes apart. Two searches find those that no
 * case has had:
 *
 * By comparisons. On a few small runs the emulator keeps which comparisons have the same operands
 * in all threads (emulator/exec/compared.h). Where one of the two follows from the case's extents,
 * or from a product of them, and the other does not change, it is known at any size how it will
 * turn out. Of many sizes, up to the greatest that the row's hidden cases draw, those are run at
 * which it turns out as in no case before: first what comes up and was always the same, along the
 * way that led there, then the regions that the comparisons make together, the largest first. What
 * a kernel compares only there is known from then on.
 *
 * By trial, however it finds out: scout.c.
 */
#include "seeking.h"
#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KINDS = 4,    /* types and operations that are looked at in a row */
    MOST_SOUGHT = 12,  /* of each */
    MOST_TAKEN = 256,  /* comparisons of a run */
    MOST_DRAWN = 2000, /* sizes, of which one is run */
    SMALL = 100,       /* an extent of the runs that are looked at first, about */
    ENOUGH = 1 << 16,  /* work of a case that is sought, about */
};

double seek_extent(const struct lab_case *c, int i)
{
    return i == 0 ? (double)c->n : i == 1 ? (double)c->m : i == 2 ? (double)c->k : (double)c->param;
}

void seek_set_extent(struct lab_case *c, int i, double v)
{
    if (i == 0)
        c->n = (uint64_t)v;
    else if (i == 1)
        c->m = (uint64_t)v;
    else if (i == 2)
        c->k = (uint64_t)v;
    else
        c->param = (int64_t)v;
}

bool seek_larger(struct session *x, const struct lab_variant *v, const struct lab_case *from,
                 unsigned extents, int times, struct lab_case *c)
{
    enum { MOST_BYTES = 1 << 28, MOST_COPIED = 1 << 24 }; /* of data that nobody makes */
    const uint64_t most = v->has_schedule ? MOST_COPIED : MOST_BYTES;
    bool any = false;
    for (int i = 0; i < EXTENTS; i++)
        any |= extents >> i & 1 && seek_extent(from, i) > 1;
    for (; any && times > 1; times /= 2) {
        *c = *from;
        for (int i = 0; i < EXTENTS; i++)
            if (extents >> i & 1)
                seek_set_extent(c, i, seek_extent(from, i) * times);
        if (session_bytes(x, v, c, true) <= most)
            return true;
    }
    return false;
}

static double product(const struct lab_case *c, unsigned of)
{
    double p = 1;
    for (int i = 0; i < EXTENTS; i++)
        p *= of >> i & 1 ? seek_extent(c, i) : 1;
    return p;
}

/* Of what the row draws. */
double seek_work(const struct search *s, const struct lab_case *c)
{
    unsigned drawn = 0;
    for (int i = 0; i < EXTENTS; i++)
        drawn |= (unsigned)(s->most[i] > 0) << i;
    return product(c, drawn);
}

/* ---- what a row may ask for ---- */

static void widen(struct search *s, int i, double least, double most)
{
    if (most <= 0)
        return;
    s->least[i] = s->most[i] > 0 ? fmin(s->least[i], least) : least;
    s->most[i] = fmax(s->most[i], most);
}

static void take_hidden(struct search *s, const struct hidden_case *h)
{
    widen(s, 0, (double)h->n_min, (double)h->n_max);
    widen(s, 1, (double)h->m_min, (double)h->m_max);
    widen(s, 2, (double)h->k_min, (double)h->k_max);
    widen(s, PARAM, (double)h->param_min, (double)h->param_max);
    for (int i = 0; i < h->params.n && s->nparams < MOST_PARAMS; i++) {
        s->params[s->nparams++] = h->params.v[i];
        widen(s, PARAM, (double)h->params.v[i], (double)h->params.v[i]);
    }
    s->hidden[s->nhidden++] = h;
}

static void take_row(struct search *s)
{
    const struct rubric *r = s->m->e->rubric;
    s->hidden = xcalloc((size_t)r->nhidden + 1, sizeof(struct hidden_case *));
    for (int i = 0; i < r->nhidden; i++)
        if (s->m->row->cases && word_in(s->m->row->cases, r->hidden[i].name))
            take_hidden(s, &r->hidden[i]);
    for (int i = 0; i < s->nhidden; i++) {
        struct marked_case c;
        if (case_named(s->m->e->lab, r, s->variant->name, s->hidden[i]->name, &s->m->draw, &c))
            s->work = fmax(s->work, 4 * seek_work(s, &c.c));
    }
    s->work = fmax(s->work, 1 << 20);
    const char *extents = s->m->e->lab->extents;
    for (int i = 0; i < EXTENTS; i++)
        if (extents && strchr(extents, "nmkp"[i]) && s->most[i] > 0)
            s->least[i] = fmin(s->least[i], 1);
    for (int i = 0; i < s->nhidden; i++)
        if (s->hidden[i]->param_max)
            s->nparams = 0; /* any between */
}

double seek_rounded(const struct hidden_case *h, int i, double v)
{
    const uint64_t by[EXTENTS] = {h->multiple, h->m_multiple, h->k_multiple, 1};
    return by[i] > 1 ? ceil(v / (double)by[i]) * (double)by[i] : v;
}

/* ---- runs whose comparisons are kept ---- */

static const struct condition *same_place(const struct point *p, const struct condition *c)
{
    for (int i = 0; i < p->n; i++)
        if (p->all[i].at == c->at && !strcmp(p->all[i].kernel, c->kernel))
            return &p->all[i];
    return NULL;
}

/* Is it compared in one of the first n runs? */
static bool is_known(const struct search *s, int n, const struct condition *c)
{
    for (int i = 0; i < n; i++)
        if (same_place(&s->points[i], c))
            return true;
    return false;
}

/* Of a kernel that is launched several times the first. What comes from the box is not believed to
 * be of any form. */
static void read_comparisons(struct point *p, const char *text)
{
    p->all = xcalloc(MOST_TAKEN, sizeof(*p->all));
    for (const char *line = text; line && *line && p->n < MOST_TAKEN;) {
        struct condition c;
        if (sscanf(line, "%63s %u %7s %3s %lf %lf", c.kernel, &c.at, c.type, c.relation, &c.a,
                   &c.b) == 6 &&
            isfinite(c.a) && isfinite(c.b) && !same_place(p, &c))
            p->all[p->n++] = c;
        line = strchr(line, '\n');
        line += line ? 1 : 0;
    }
}

bool seek_applies(const struct search *s, const struct lab_case *c)
{
    const struct lab *l = s->m->e->lab;
    return !l->applies || l->applies(s->variant, c);
}

static void add_point(struct search *s, const struct lab_case *c)
{
    struct marking *m = s->m;
    if (s->npoints == MOST_POINTS || !seek_applies(s, c))
        return;
    char *text = session_compared(m->s, s->variant, c,
                                  case_seed(m->e->lab, c, s->variant->name, &m->draw, 0));
    struct point *p = &s->points[s->npoints];
    *p = (struct point){.c = *c};
    if (text) {
        read_comparisons(p, text);
        s->npoints++;
    }
    free(text);
}

/* Three small sizes, all extents apart. */
static void look_first(struct search *s)
{
    static const double parts[3][EXTENTS] = {
        {0.71, 0.83, 0.57, 0.31}, {0.97, 0.61, 0.89, 0.17}, {0.53, 1.03, 0.73, 0.43}};
    for (int turn = 0; turn < 3; turn++) {
        struct lab_case c = s->base;
        for (int i = 0; i < EXTENTS; i++) {
            double v = fmax(floor(parts[turn][i] * SMALL), s->least[i] + turn);
            if (i == PARAM && s->nparams)
                seek_set_extent(&c, i, (double)s->params[turn % s->nparams]);
            else if (s->most[i] > 0)
                seek_set_extent(&c, i, seek_rounded(s->of, i, fmin(v, s->most[i])));
        }
        make_prime(s->of, &c);
        add_point(s, &c);
    }
}

/* Three sizes beside a run in which something is compared that was not in others. */
static void look_beside(struct search *s)
{
    const struct point *p = &s->points[s->npoints - 1];
    bool news = false;
    for (int i = 0; i < p->n && !news; i++)
        news = !is_known(s, s->npoints - 1, &p->all[i]);
    struct lab_case at = p->c;
    for (int turn = 0; news && turn < 3; turn++) {
        static const double away[3][EXTENTS] = {{1, 4, 2, 3}, {5, 1, 3, 2}, {-1, -2, 1, 4}};
        struct lab_case c = at;
        for (int i = 0; i < EXTENTS; i++) {
            double v = seek_extent(&at, i) + seek_rounded(s->of, i, 1) * away[turn][i];
            if (i == PARAM && s->nparams)
                continue;
            if (s->most[i] > 0 && v >= s->least[i] && v <= s->most[i])
                seek_set_extent(&c, i, v);
        }
        make_prime(s->of, &c);
        add_point(s, &c);
    }
}

/* ---- what decides ---- */

static bool holds(const struct condition *c, double a, double b)
{
    return !strcmp(c->relation, "eq")   ? a == b
           : !strcmp(c->relation, "ne") ? a != b
           : !strcmp(c->relation, "lt") ? a < b
           : !strcmp(c->relation, "le") ? a <= b
           : !strcmp(c->relation, "gt") ? a > b
                                        : a >= b;
}

/* Unsigned, a difference below 0 is near the end of its range. */
static double span_of(const struct condition *c)
{
    return *c->type == 's' || *c->type == 'f' ? 0
           : strstr(c->type, "16")            ? 0x1p16
           : strstr(c->type, "32")            ? 0x1p32
                                              : 0x1p64;
}

static double as_signed(const struct condition *c, double v)
{
    double span = span_of(c);
    return span && v >= span / 2 ? v - span : v;
}

static double as_is(const struct condition *c, double v)
{
    double span = span_of(c);
    return span && v < 0 ? v + span : v;
}

static double side(const struct condition *c, bool left)
{
    return as_signed(c, left ? c->a : c->b);
}

/* Does slope * product + at_0 say what this side was in all runs, and was the other always the
 * same? */
static bool explains(const struct search *s, const struct decision *d)
{
    double slack = fabs(d->slope) == 1 ? 0 : 1;
    for (int i = 0; i < s->npoints; i++) {
        const struct condition *now = same_place(&s->points[i], &d->c);
        if (now && (side(now, !d->left) != side(&d->c, !d->left) ||
                    fabs(d->slope * product(&s->points[i].c, d->of) + d->at_0 -
                         side(now, d->left)) > slack))
            return false;
    }
    return true;
}

/* A line through two runs; through all, or one that is surely none by chance. */
static bool fits(const struct search *s, struct decision *d)
{
    const struct point *first = NULL, *other = NULL;
    int apart = 0;
    for (int i = 0; i < s->npoints; i++) {
        const struct point *p = &s->points[i];
        if (!same_place(p, &d->c))
            continue;
        first = first ? first : p;
        if (product(&p->c, d->of) != product(&first->c, d->of)) {
            other = p;
            apart++;
        }
    }
    if (!apart)
        return false;
    double e = product(&first->c, d->of), y = side(same_place(first, &d->c), d->left);
    d->slope = (side(same_place(other, &d->c), d->left) - y) / (product(&other->c, d->of) - e);
    d->at_0 = y - d->slope * e;
    return d->slope != 0 && (apart > 1 || fabs(d->slope) == 1) && explains(s, d);
}

/* The simplest that fits. */
static bool find_decision(const struct search *s, const struct condition *c, struct decision *d)
{
    unsigned drawn = 0;
    for (int i = 0; i < EXTENTS; i++)
        drawn |= (unsigned)(s->most[i] > 0) << i;
    for (int factors = 1; factors <= 3; factors++)
        for (unsigned of = 1; of < PRODUCTS; of++)
            for (int left = 0; left < 2; left++) {
                *d = (struct decision){.c = *c, .left = left, .of = of};
                if (!(of & ~drawn) && __builtin_popcount(of) == factors && fits(s, d))
                    return true;
            }
    return false;
}

static void find_decisions(struct search *s)
{
    s->ndecisions = 0;
    for (int p = 0; p < s->npoints; p++)
        for (int i = 0; i < s->points[p].n && s->ndecisions < MOST_DECISIONS; i++) {
            const struct condition *c = &s->points[p].all[i];
            if (!is_known(s, p, c) && find_decision(s, c, &s->decisions[s->ndecisions]))
                s->ndecisions++;
        }
}

static double root_of(const struct decision *d)
{
    return (side(&d->c, !d->left) - d->at_0) / d->slope;
}

static bool turns_out(const struct decision *d, const struct lab_case *at)
{
    double v = as_is(&d->c, round(d->slope * product(at, d->of) + d->at_0)),
           fixed = d->left ? d->c.b : d->c.a;
    return d->left ? holds(&d->c, v, fixed) : holds(&d->c, fixed, v);
}

/* Was it compared in this run, as predicted: what it was there, 0 or 1; -1: it was not. */
static int turned_out(const struct point *p, const struct decision *d)
{
    return same_place(p, &d->c) ? turns_out(d, &p->c) : -1;
}

/* What leads to a decision: what turned out the same in all runs in which it came up, and otherwise
 * in one in which it did not. */
static bool leads_to(const struct search *s, const struct decision *k, const struct decision *d,
                     int *is)
{
    bool same = true, otherwise = false;
    *is = -1;
    for (int p = 0; p < s->npoints; p++)
        if (same_place(&s->points[p], &d->c)) {
            int now = turned_out(&s->points[p], k);
            same = same && now >= 0 && (*is < 0 || now == *is);
            *is = now;
        }
    for (int p = 0; p < s->npoints; p++)
        otherwise |= !same_place(&s->points[p], &d->c) && turned_out(&s->points[p], k) != *is;
    return same && otherwise;
}

static void find_ways(struct search *s)
{
    memset(s->of_product, 0, sizeof(s->of_product));
    for (int i = 0; i < s->ndecisions; i++) {
        struct decision *d = &s->decisions[i];
        s->of_product[d->of] |= (uint64_t)1 << i;
        d->way = d->way_is = 0;
        for (int k = 0, is; k < s->ndecisions; k++)
            if (k != i && leads_to(s, &s->decisions[k], d, &is)) {
                d->way |= (uint64_t)1 << k;
                d->way_is |= (uint64_t)is << k;
            }
    }
}

/* How all decisions turn out, as bits. */
static uint64_t signature_of(const struct search *s, const struct lab_case *at)
{
    uint64_t g = 0;
    for (int i = 0; i < s->ndecisions; i++)
        g |= (uint64_t)turns_out(&s->decisions[i], at) << i;
    return g;
}

/* Has a case been run in which these turn out so? */
static bool was_seen(const struct search *s, uint64_t bits, uint64_t are)
{
    for (int i = 0; i < s->nseen; i++)
        if ((s->seen[i] & bits) == (are & bits))
            return true;
    return false;
}

/* How much there is in x that none of those seen had: what comes up and turns out otherwise, then
 * how those of one product turn out together. */
static double news_of(const struct search *s, uint64_t x)
{
    double news = 0;
    for (int i = 0; i < s->ndecisions; i++) {
        const struct decision *d = &s->decisions[i];
        uint64_t with = (uint64_t)1 << i | d->way;
        news += (x & d->way) == d->way_is && !was_seen(s, with, x) ? 1e6 : 0;
    }
    for (unsigned of = 1; of < PRODUCTS; of++)
        news += was_seen(s, s->of_product[of], x) ? 0 : 1e4;
    return news;
}

/* ---- sizes ---- */

double seek_random(struct search *s) /* 0 to 1 */
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->random >> 11) * 0x1p-53;
}

/* Any size of any scale, or one where something is decided. */
double seek_some_extent(struct search *s, int i)
{
    int at = (int)(seek_random(s) * (s->ndecisions + 1));
    if (i == PARAM && s->nparams)
        return (double)s->params[(int)(seek_random(s) * s->nparams)];
    double least = fmax(s->least[i], 1);
    if (at < s->ndecisions && s->decisions[at].of == 1u << i && seek_random(s) < 0.7)
        return round(root_of(&s->decisions[at]) + 2 * seek_random(s) - 1);
    if (s->least[i] <= 0 && seek_random(s) < 0.05)
        return s->least[i];
    return floor(least * pow(fmax(s->most[i] / least, 1), seek_random(s)));
}

/* Makes one extent such that a product is where something is decided. */
static void meet_product(struct search *s, struct lab_case *c)
{
    if (!s->ndecisions)
        return;
    const struct decision *d = &s->decisions[(int)(seek_random(s) * s->ndecisions)];
    int i = (int)(seek_random(s) * (s->nparams ? PARAM : EXTENTS));
    double others = product(c, d->of & ~(1u << i));
    if (d->of >> i & 1 && __builtin_popcount(d->of) > 1 && others > 0)
        seek_set_extent(c, i, fmax(round(root_of(d) / others + 2 * seek_random(s) - 1), 0));
}

/* False: it may not be asked for. */
bool seek_draw(struct search *s, struct lab_case *c)
{
    for (int i = 0; i < EXTENTS; i++)
        if (s->most[i] > 0)
            seek_set_extent(c, i, seek_some_extent(s, i));
    if (seek_random(s) < 0.5)
        meet_product(s, c);
    for (int i = 0; i < EXTENTS; i++) {
        if (s->most[i] <= 0)
            continue;
        double v = seek_rounded(s->of, i, seek_extent(c, i));
        if (!(v >= s->least[i] && v <= s->most[i]))
            return false;
        seek_set_extent(c, i, v);
    }
    make_prime(s->of, c);
    return seek_work(s, c) <= s->work;
}

/* How far from what is enough to say something of a technique; the first case is the least. */
static double oddity(const struct search *s, const struct lab_case *c)
{
    double work = fmax(seek_work(s, c), 1);
    return s->nseen ? fabs(log(work / ENOUGH)) : work;
}

struct drawn {
    uint64_t signature;
    int turn;
    struct lab_case c;
};

static int by_signature(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    return x->signature != y->signature ? (x->signature < y->signature ? -1 : 1)
                                        : x->turn - y->turn;
}

/* Of many sizes one with most news; of those with the same one of which most were drawn. False:
 * there is none. */
static bool next_size(struct search *s, struct lab_case *best)
{
    struct drawn *d = xcalloc(MOST_DRAWN, sizeof(*d));
    int n = 0;
    double most = 0;
    for (int i = 0; i < MOST_DRAWN; i++) {
        d[n].c = s->base;
        if (seek_draw(s, &d[n].c)) {
            d[n].signature = signature_of(s, &d[n].c);
            d[n].turn = n;
            n++;
        }
    }
    qsort(d, (size_t)n, sizeof(*d), by_signature);
    for (int i = 0, k; i < n; i = k) {
        int at = i;
        for (k = i + 1; k < n && d[k].signature == d[i].signature; k++)
            at = oddity(s, &d[k].c) < oddity(s, &d[at].c) ? k : at;
        double news = news_of(s, d[i].signature) + (k - i);
        if (news > most && !was_seen(s, UINT64_MAX, d[i].signature)) {
            most = news;
            *best = d[at].c;
        }
    }
    free(d);
    return most > 0;
}

/* ---- one more case ---- */

static char *name_of(const struct search *s, const struct lab_case *c)
{
    static const char *const names[EXTENTS] = {"n", "m", "k", "param"};
    struct text t = {0};
    for (int i = 0; i < EXTENTS; i++)
        if (s->most[i] > 0)
            text_addf(&t, "%s%s=%.0f", t.length ? "," : "", names[i], seek_extent(c, i));
    return text_take(&t);
}

struct marked_case sought_case(const struct marking *m, const struct sought *x)
{
    const char *kind = "a size that its own conditions single out";
    return (struct marked_case){.c = x->c, .kind = m->draw.secret ? kind : NULL};
}

static void add_seen(struct search *s, const struct lab_case *c)
{
    s->cases = xrealloc(s->cases, (size_t)(s->nseen + 1) * sizeof(*s->cases));
    s->seen = xrealloc(s->seen, (size_t)(s->nseen + 1) * sizeof(*s->seen));
    s->cases[s->nseen++] = *c;
}

/* Does our own take a good part of what a launch may? Then who takes more need not come to an end.
 */
static bool takes_long(struct marking *m, const struct run *r)
{
    enum { TIMES = 8 };
    struct run *ours = marking_reference(m, r);
    const struct counters *c = &ours->outputs.counters;
    if (ours->result.end == RUN_ENDLESS)
        ours->result.end = RUN_NOT_TRIED; /* as below */
    return ours->result.end != RUN_OK ||
           TIMES * (c->inst_executed + c->tensor_flop / 32) > r->steps;
}

/* Is the kernel right there? False, and settled, when not. */
bool seek_try(struct search *s, struct lab_case *c, bool large, bool *ran)
{
    struct marking *m = s->m;
    c->name = session_keeps(m->s, name_of(s, c));
    add_seen(s, c);
    struct marked_case x = sought_case(m, &(struct sought){s->variant, *c, false});
    *ran = false;
    if (!seek_applies(s, &x.c))
        return true;
    struct run *r = marking_run(m, &x, 0, false);
    if (r->result.end == RUN_ENDLESS && (large || takes_long(m, r)))
        r->result.end = RUN_NOT_TRIED; /* nor are runs to come held back for it */
    enum run_end end = r->result.end;
    if (end == RUN_WRONG || end == RUN_ERROR || end == RUN_ENDLESS || end == RUN_INPUT_CHANGED) {
        marking_fail_on(m, r, &x, "");
        return false;
    }
    *ran = end == RUN_OK;
    if (*ran)
        session_sought(m->s, s->variant, &x.c);
    return true;
}

/* The same, and what the kernel compares there. */
static bool try_case(struct search *s, struct lab_case *c)
{
    bool ran, right = seek_try(s, c, false, &ran);
    int before = s->npoints;
    if (ran)
        add_point(s, c);
    if (s->npoints > before)
        look_beside(s);
    return right;
}

static void clear_points(struct search *s)
{
    for (int p = 0; p < s->npoints; p++)
        free(s->points[p].all);
    s->npoints = 0;
}

/* False when the row is settled. */
static bool seek_of(struct search *s)
{
    bool right = true;
    struct lab_case next;
    s->nseen = 0;
    look_first(s);
    for (int i = 0; right && i < MOST_SOUGHT; i++) {
        find_decisions(s);
        find_ways(s);
        for (int k = 0; k < s->nseen; k++)
            s->seen[k] = signature_of(s, &s->cases[k]);
        if (!s->ndecisions || !next_size(s, &next))
            break;
        right = try_case(s, &next);
    }
    right = right && scout(s);
    clear_points(s);
    return right;
}

void seek(struct marking *m)
{
    struct search s = {.m = m, .variant = variant_named(m->e->lab, m->row->variant), .random = 1};
    struct lab_case kinds[MOST_KINDS];
    int nkinds = 0;
    bool right = s.variant && !m->e->lab->program;
    if (right)
        take_row(&s);
    for (int i = 0; right && i < s.nhidden && nkinds < MOST_KINDS; i++) {
        struct marked_case c;
        bool known = false;
        s.of = s.hidden[i];
        if (!case_named(m->e->lab, m->e->rubric, s.variant->name, s.of->name, &m->draw, &c))
            continue;
        for (int k = 0; k < nkinds; k++)
            known |= kinds[k].dtype == c.c.dtype && kinds[k].op == c.c.op;
        if (!known) {
            s.base = kinds[nkinds++] = c.c;
            right = seek_of(&s);
        }
    }
    free(s.hidden);
    free(s.cases);
    free(s.seen);
    free(s.told);
    turns_free(&s.known);
}
