/* scout.c - sizes at which something turns out as in no run, or large ones at which a few blocks
 * write something wrong (seeking.h).
 *
 * Of sizes of any scale, all that is large or small together among them, a few blocks run, and the
 * emulator keeps how their instructions turn out (emulator/exec/outcomes.h). Where one does as in
 * no run there has been, the least size at which it does is run whole, and others beside it are
 * tried: however a kernel finds out which size it has, something has to turn out otherwise there,
 * but for a smooth function of the size that spoils results by itself. What a few blocks write at
 * large sizes is compared for that.
 */
#include "seeking.h"
#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCOUTS = 32,                /* sizes of which a few blocks are looked at, */
    SCOUTS_AGAIN = 12,          /* of code that was looked at for another type or operation, and */
    SCOUTS_MORE = 16,           /* for each at which something is new, */
    MOST_MET = 8,               /* which runs whole */
    MOST_SCOUT_STEPS = 3 << 20, /* for all of them, and for those beside */
    LIGHT = 1 << 19,            /* bytes that one goes through, and */
    HEAVY = 1 << 22,            /* the largest */
    MOST_OWN = 2, /* of the lab's own cases, of which a few blocks' results are compared, */
    LARGES = MOST_OWN + 1 + EXTENTS, /* and sizes besides */
    MOST_LARGE_STEPS = 6 << 20,      /* for all of them */
    LARGE = 1 << 24,                 /* bytes of such a case's data, */
    LARGER_BYTES = 1 << 26,          /* and of one that is larger than all that are marked, */
    LARGER_STEPS = 1 << 24,          /* which may take so many, */
    LARGER_FEW = 1 << 18,            /* a few of its blocks these */
};

/* A size of which a few blocks have run, and how their instructions turned out. */
struct scouted {
    struct lab_case c;
    char *turns;
};

static char *turns_at(struct search *s, const struct lab_case *c)
{
    const struct marking *m = s->m;
    return session_outcomes(m->s, s->variant, c,
                            case_seed(m->e->lab, c, s->variant->name, &m->draw, 0), s->blank);
}

/* Is it of the variant, and right, and the first of its case? */
static bool tells(const struct search *s, int at)
{
    const struct session *x = s->m->s;
    const struct run *r = x->runs[at];
    bool again = false;
    for (int k = 0; k < at && !again; k++)
        again = x->runs[k]->variant == r->variant && session_same_size(&x->runs[k]->c, &r->c);
    return !again && r->variant == s->variant && !r->check && r->result.end == RUN_OK;
}

/* Of sizes that have been scouted, those at which something turned out as in no run before. */
static int drop_known(const struct turns *known, struct scouted *of, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (turns_news(known, of[i].turns))
            of[kept++] = of[i];
        else
            free(of[i].turns);
    }
    return kept;
}

/* The largest run that has not told yet how things turn out; -1: there is none. */
static int largest_untold(struct search *s)
{
    const struct session *x = s->m->s;
    int most = -1;
    s->told = xrealloc(s->told, (size_t)(x->nruns + 1) * sizeof(*s->told));
    for (; s->ntold < x->nruns; s->ntold++)
        s->told[s->ntold] = !tells(s, s->ntold);
    for (int i = 0; i < x->nruns; i++)
        if (!s->told[i] &&
            (most < 0 || seek_work(s, &x->runs[i]->c) > seek_work(s, &x->runs[most]->c)))
            most = i;
    return most;
}

/* The same, of all runs there have been. */
static int drop_known_from_runs(struct search *s, struct scouted *of, int n)
{
    n = drop_known(&s->known, of, n);
    for (int most; n && (most = largest_untold(s)) >= 0;) {
        s->told[most] = true;
        char *turns = turns_at(s, &s->m->s->runs[most]->c);
        turns_add(&s->known, turns);
        free(turns);
        n = drop_known(&s->known, of, n);
    }
    return n;
}

/* Extents that are drawn. */
static unsigned extents_of(const struct search *s)
{
    unsigned of = 0;
    for (int i = 0; i < EXTENTS; i++)
        of |= (unsigned)(s->most[i] > 0 && !(i == PARAM && s->nparams)) << i;
    return of;
}

/* Some extents large, of the last part of their scale and as large as they may be together, the
 * others from a part of it on. */
static void draw_corner(struct search *s, unsigned large, double last, double small,
                        struct lab_case *c)
{
    for (int i = 0; i < EXTENTS; i++) {
        double least = fmax(s->least[i], 1), u = seek_random(s);
        if (s->most[i] <= 0)
            continue;
        u = large >> i & 1 ? 1 - last * u : small + 0.4 * u * (1 - small);
        seek_set_extent(c, i,
                        i == PARAM && s->nparams
                            ? seek_some_extent(s, i)
                            : floor(least * pow(fmax(s->most[i] / least, 1), u)));
    }
    double much = fmax(seek_work(s, c) / s->work, 1);
    for (int i = 0; i < EXTENTS; i++)
        if (large & extents_of(s) & 1u << i)
            seek_set_extent(
                c, i,
                fmax(floor(seek_extent(c, i) / pow(much, 1. / __builtin_popcount(large))),
                     s->least[i]));
    for (int i = 0; i < EXTENTS; i++)
        if (s->most[i] > 0)
            seek_set_extent(c, i, seek_rounded(s->of, i, seek_extent(c, i)));
    make_prime(s->of, c);
}

/* Halves the largest extent until it takes so many bytes at most. False: there is no such size. */
static bool make_light(struct search *s, struct lab_case *c, uint64_t most)
{
    const unsigned drawn = extents_of(s);
    for (int turn = 0; turn < 64 && seek_applies(s, c); turn++) {
        if (session_bytes(s->m->s, s->variant, c, false) <= most)
            return seek_work(s, c) <= s->work;
        int largest = -1;
        for (int i = 0; i < EXTENTS; i++)
            if (drawn >> i & 1 && (largest < 0 || seek_extent(c, i) > seek_extent(c, largest)))
                largest = i;
        if (largest < 0 || seek_extent(c, largest) <= fmax(s->least[largest], 1))
            return false;
        double v = fmax(floor(seek_extent(c, largest) / 2), s->least[largest]);
        seek_set_extent(c, largest, seek_rounded(s->of, largest, v));
        make_prime(s->of, c);
    }
    return false;
}

/* One of the sizes at which something new came up, with another extent: rather a large one, as
 * these are the least of their kind. */
static bool draw_beside(struct search *s, int met, struct lab_case *c)
{
    *c = s->cases[s->nseen - 1 - (int)(seek_random(s) * met)];
    int i = (int)(seek_random(s) * EXTENTS);
    while (s->most[i] <= 0)
        i = (i + 1) % EXTENTS;
    double least = fmax(s->least[i], 1), scale = sqrt(seek_random(s));
    double most = s->work * fmax(seek_extent(c, i), 1) / fmax(seek_work(s, c), 1);
    double v = i == PARAM && s->nparams
                   ? seek_some_extent(s, i)
                   : least * pow(fmax(fmin(most, s->most[i]) / least, 1), scale);
    seek_set_extent(c, i, seek_rounded(s->of, i, floor(v)));
    make_prime(s->of, c);
    return seek_extent(c, i) <= s->most[i] && make_light(s, c, 4 * LIGHT);
}

/* Corners first, then any size. */
static bool draw_scout(struct search *s, int turn, struct lab_case *c)
{
    const unsigned drawn = extents_of(s), corners = 1u << __builtin_popcount(drawn);
    unsigned large = 0;
    *c = s->base;
    for (int i = 0, bit = 0; i < EXTENTS; i++)
        if (drawn >> i & 1)
            large |= (unsigned)(turn >> bit++ & 1) << i;
    if ((unsigned)turn < 2 * corners)
        draw_corner(s, large, (unsigned)turn < corners ? 0.02 : 0.25, 0, c);
    else if (!seek_draw(s, c))
        return false;
    return make_light(s, c, (unsigned)turn == corners - 1 ? HEAVY : LIGHT);
}

/* Makes *c smaller, one extent after the other, while as much is new. */
static void shrink(struct search *s, struct lab_case *c, char **turns)
{
    const struct turns *known = &s->known;
    int news = turns_news(known, *turns);
    for (int i = 0; i < EXTENTS; i++)
        for (int turn = 0; turn < 3 && extents_of(s) >> i & 1; turn++) {
            struct lab_case less = *c;
            double least = fmax(s->least[i], 1), v = seek_extent(c, i);
            double part = turn ? 0.5 : 0.1;
            seek_set_extent(&less, i, seek_rounded(s->of, i, floor(fmax(least, v * part))));
            make_prime(s->of, &less);
            if (seek_extent(&less, i) >= v || !seek_applies(s, &less))
                break;
            char *now = turns_at(s, &less);
            bool kept = turns_news(known, now) >= news;
            if (kept) {
                *c = less;
                free(*turns);
                *turns = now;
            } else {
                free(now);
            }
        }
}

/* May it take more? */
static bool may_scout(const struct search *s)
{
    return s->m->s->taken - s->began < MOST_SCOUT_STEPS;
}

static int scout_any(struct search *s, struct scouted of[SCOUTS])
{
    int n = 0;
    s->again = false;
    for (int turn = 0; turn < (s->again ? SCOUTS_AGAIN : SCOUTS) && may_scout(s); turn++)
        if (draw_scout(s, turn, &of[n].c)) {
            of[n].turns = turns_at(s, &of[n].c);
            s->again = n ? s->again : turns_knows(&s->known, of[n].turns);
            n++;
        }
    return n;
}

/* Where something is new: the least such size runs whole. False when the row is settled. */
static bool meet(struct search *s, struct scouted *x)
{
    bool ran;
    if (!turns_news(&s->known, x->turns))
        return true;
    shrink(s, &x->c, &x->turns);
    turns_add(&s->known, x->turns);
    return seek_try(s, &x->c, false, &ran);
}

/* ---- results of a few blocks ---- */

static bool few_wrong(struct search *s, const struct lab_case *c)
{
    const struct marking *m = s->m;
    return session_bytes(m->s, s->variant, c, true) <= LARGE &&
           session_few_wrong(m->s, s->variant, c,
                             case_seed(m->e->lab, c, s->variant->name, &m->draw, 0));
}

static bool is_run(const struct search *s, const struct lab_case *c)
{
    const struct session *x = s->m->s;
    for (int i = 0; i < x->nruns; i++)
        if (x->runs[i]->variant == s->variant && session_same_size(&x->runs[i]->c, c))
            return true;
    return false;
}

/* By what the largest run took, would it take less than so many steps, and than a launch may? */
static bool would_take_less(const struct search *s, const struct run *largest,
                            const struct lab_case *c, double most)
{
    const struct outputs *o = &largest->outputs;
    double steps = fmax((double)o->steps, (double)o->counters.inst_executed),
           more = seek_work(s, c) / fmax(seek_work(s, &largest->c), 1),
           limit = s->m->s->o->steps ? 0.9 * (double)s->m->s->o->steps : INFINITY;
    return steps * fmax(more, 1) < fmin(limit, most);
}

static bool would_end(const struct search *s, const struct run *largest, const struct lab_case *c)
{
    return would_take_less(s, largest, c, INFINITY);
}

/* The lab's largest cases of the kind that no row runs and that are light enough. */
static int choose_own(struct search *s, const struct run *largest, struct lab_case of[MOST_OWN])
{
    const struct lab *l = s->m->e->lab;
    int n = 0;
    for (int i = 0; i < l->ncases; i++) {
        const struct lab_case *c = &l->cases[i];
        if (c->dtype != s->base.dtype || c->op != s->base.op || !seek_applies(s, c) ||
            is_run(s, c) || !would_end(s, largest, c) ||
            session_bytes(s->m->s, s->variant, c, true) > LARGE)
            continue;
        int at = n;
        while (at && seek_work(s, &of[at - 1]) < seek_work(s, c))
            at--;
        if (at == MOST_OWN)
            continue;
        n += n < MOST_OWN;
        memmove(&of[at + 1], &of[at], (size_t)(n - 1 - at) * sizeof(of[0]));
        of[at] = *c;
    }
    return n;
}

/* Those, and sizes with one or all extents as large as may be; of code that was looked at, the
 * last. */
static int choose_large(struct search *s, const struct run *largest, struct lab_case of[LARGES])
{
    int n = s->again ? 0 : choose_own(s, largest, of);
    const unsigned drawn = extents_of(s);
    for (unsigned large = drawn; large; large = (large - 1) & drawn) {
        struct lab_case c = s->base;
        if (large != drawn && __builtin_popcount(large) > 1)
            continue;
        draw_corner(s, large, 0.02, 0.5, &c);
        if (make_light(s, &c, large == drawn ? HEAVY : HEAVY / 2) && !is_run(s, &c))
            of[n++] = c;
        if (s->again)
            break;
    }
    return n;
}

/* The largest run of the kind whose results a few blocks may be asked for again, or NULL. */
static const struct run *largest_run(const struct search *s)
{
    const struct session *x = s->m->s;
    const struct run *largest = NULL;
    for (int i = 0; i < x->nruns; i++) {
        const struct run *r = x->runs[i];
        if (tells(s, i) && r->c.dtype == s->base.dtype && r->c.op == s->base.op &&
            (!largest || seek_work(s, &r->c) > seek_work(s, &largest->c)) &&
            session_bytes(s->m->s, s->variant, &r->c, true) <= LARGE)
            largest = r;
    }
    return largest;
}

/* Where what a few blocks write is wrong, though at the largest size that was run it is right: that
 * size runs whole. False when the row is settled. */
static bool scout_results(struct search *s)
{
    struct lab_case of[LARGES];
    const struct run *largest = largest_run(s);
    if (largest && !s->asked_apart) {
        s->asked_apart = true;
        s->apart = largest->plan->ranks < 2 && !few_wrong(s, &largest->c);
    }
    if (!largest || !s->apart)
        return true;
    int n = choose_large(s, largest, of);
    s->began = s->m->s->taken;
    for (int i = 0; i < n && s->m->s->taken - s->began < MOST_LARGE_STEPS; i++) {
        bool ran;
        if (would_end(s, largest, &of[i]) && few_wrong(s, &of[i]))
            return seek_try(s, &of[i], true, &ran);
    }
    return true;
}

/* The largest run of all that were right, of the type and operation. */
static const struct run *largest_right(const struct search *s)
{
    const struct session *x = s->m->s;
    const struct run *largest = NULL;
    for (int i = 0; i < x->nruns; i++) {
        const struct run *r = x->runs[i];
        if (r->variant == s->variant && r->result.end == RUN_OK && r->c.dtype == s->base.dtype &&
            r->c.op == s->base.op && (!largest || seek_work(s, &r->c) > seek_work(s, &largest->c)))
            largest = r;
    }
    return largest;
}

/* May the case, which is larger than all that are marked, run whole? */
static bool may_run_larger(struct search *s, const struct run *largest, const struct lab_case *c)
{
    uint64_t before = s->m->s->taken;
    if (session_bytes(s->m->s, s->variant, c, true) > LARGER_BYTES ||
        !would_take_less(s, largest, c, LARGER_STEPS))
        return false;
    free(turns_at(s, c));
    return s->m->s->taken - before < LARGER_FEW;
}

/* Where sizes beyond all that are marked turn out otherwise, the least of these runs whole. False
 * when the row is settled. */
static bool scout_larger(struct search *s)
{
    const struct run *largest = largest_right(s);
    const unsigned drawn = extents_of(s) & ~(1u << PARAM);
    bool right = true;
    if (!largest)
        return true;
    s->blank = true;
    char *turns = turns_at(s, &largest->c);
    turns_add(&s->known, turns);
    free(turns);
    for (unsigned of = drawn; right && of; of = (of - 1) & drawn) {
        struct scouted x = {0};
        bool one = __builtin_popcount(of) == 1, ran = false;
        if ((!one && of != drawn) ||
            !seek_larger(s->m->s, s->variant, &largest->c, of, one ? LARGER : LARGER_ALL, &x.c))
            continue;
        x.turns = turns_at(s, &x.c);
        if (turns_news(&s->known, x.turns)) {
            shrink(s, &x.c, &x.turns);
            turns_add(&s->known, x.turns);
            if (may_run_larger(s, largest, &x.c))
                right = seek_try(s, &x.c, true, &ran);
            if (ran)
                s->m->s->sought[s->m->s->nsought - 1].larger = true;
        }
        free(x.turns);
    }
    s->blank = false;
    return right;
}

/* Other sizes for each type and operation, and the next submission. */
static uint64_t first_random(const struct search *s)
{
    const struct marking *m = s->m;
    char *label = xformat("%s/%s/%s/%s/sought", m->e->lab->name, m->row->id, s->of->name,
                          m->draw.secret ? m->draw.submission : "practice");
    uint64_t r = secret_draw(m->draw.secret ? m->draw.secret : "", label);
    free(label);
    return r;
}

bool scout(struct search *s)
{
    struct scouted of[SCOUTS];
    uint64_t before_it = s->random;
    s->random = first_random(s);
    s->began = s->m->s->taken;
    int n = drop_known_from_runs(s, of, scout_any(s, of)), before = s->nseen, met = 0;
    bool right = true;
    s->began = s->m->s->taken;
    for (int i = 0; i < n; i++) {
        right = right && (met == MOST_MET || meet(s, &of[i]));
        met = s->nseen - before;
        free(of[i].turns);
    }
    for (int turn = 0; right && met < MOST_MET && turn < SCOUTS_MORE * met && may_scout(s);
         turn++, met = s->nseen - before) {
        struct scouted x = {0};
        if (!draw_beside(s, met, &x.c))
            continue;
        x.turns = turns_at(s, &x.c);
        right = meet(s, &x);
        free(x.turns);
    }
    right = right && scout_results(s) && scout_larger(s);
    s->random = before_it;
    return right;
}
