/* probe_extreme.c - the least and the greatest of elements (probing.h). */
#include "base/alloc.h"
#include "probing.h"

#include <math.h>
#include <stdlib.h>

#define MOST_PLANTED 1200

static bool tell_no_element(struct probe *p, double all, double got)
{
    const char *what = p->made == MADE_MIN ? "minimum" : "maximum";

    if (got == all || p->broken)
        return false;
    /* Whatever else comes into it, a maximum is not below the elements, nor a minimum above. */
    if (p->made == MADE_MIN ? got > all : got < all)
        diagnosis_add(p->d, "function",
                      "the %s of elements that are all %.9g comes out as %.9g, which is %s: is it "
                      "the %s of two that is kept?",
                      what, all, got, got < all ? "less" : "more",
                      got < all ? "smaller" : "greater");
    else
        diagnosis_add(p->d, "neutral",
                      "the %s of elements that are all %.9g comes out as %.9g, which is none of "
                      "them: what do threads bring that have no element, and lanes that have no "
                      "warp's result?",
                      what, all, got);
    return true;
}

/* Elements that are all one further from 0: what comes out moves by more than one, or is another
 * number that moves as well. Something is added to them. */
static bool tell_added(struct probe *p, int b, double usual)
{
    double further = usual + (usual > 0 ? 1 : -1);

    probe_fill(p, b, further);
    double next = probe_look(p);
    probe_fill(p, b, usual);
    double got = probe_look(p);

    if (p->broken || got == usual || fabs(next - got) < 1)
        return false;
    char *name = probe_output_name(p);
    diagnosis_add(
        p->d, "function",
        "with all elements %.0f, %s is %.10g, and with all %.0f it is %.10g: something is "
        "added to them, and the %s is one of them",
        usual, name, got, further, next, p->made == MADE_MIN ? "minimum" : "maximum");
    free(name);
    return true;
}

/* The greatest comes out where the least should, or the other way round. */
static bool tell_opposite(struct probe *p, int b)
{
    uint64_t n = probe_buffer(p, b)->count;

    if (n < 2)
        return false;
    probe_fill(p, b, 1000);
    probe_put(p, b, 0, 900);
    probe_put(p, b, n - 1, 1100);
    double got = probe_look(p), opposite = p->made == MADE_MIN ? 1100 : 900;
    if (p->broken || got != opposite)
        return false;
    char *name = probe_output_name(p);
    diagnosis_add(p->d, "function", "of 900, 1000 and 1100, %s is %.9g: the %s, not the %s", name,
                  got, p->made == MADE_MIN ? "greatest" : "least",
                  p->made == MADE_MIN ? "least" : "greatest");
    free(name);
    return true;
}

/* Whether all elements being one value gives that value. */
bool probe_neutral(struct probe *p, int b)
{
    static const double values[] = {1000, -1000, 2147483600, -2147483600};

    if (tell_added(p, b, 1000) || tell_added(p, b, -1000) || tell_opposite(p, b))
        return true;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        probe_fill(p, b, values[i]);
        double got = probe_look(p);
        if (tell_no_element(p, values[i], got))
            return true;
    }
    return false;
}

bool probe_extreme(struct probe *p, int b)
{
    uint64_t n = probe_buffer(p, b)->count, unseen = 0;
    double usual = p->made == MADE_MIN ? 1000 : -1000, extreme = usual / 10;
    struct text t = {0};

    if (n > MOST_PLANTED)
        return false;
    uint64_t *index = xcalloc(n, sizeof(*index));
    probe_fill(p, b, usual);
    for (uint64_t i = 0; i < n && !p->broken; i++) {
        probe_put(p, b, i, extreme);
        if (probe_look(p) != extreme)
            index[unseen++] = i;
        probe_put(p, b, i, usual);
    }
    if (unseen && !p->broken) {
        probe_say(&t, p, b, index, unseen);
        diagnosis_add(p->d, "left-out",
                      "a %s planted at one place at a time is not found at %s: not looked at",
                      p->made == MADE_MIN ? "minimum" : "maximum", t.s);
    }
    text_free(&t);
    free(index);
    return unseen && !p->broken;
}

static void tell_planted(struct probe *p, int b, const uint64_t *index, uint64_t n, double one,
                         double zero, double got)
{
    struct text t = {0};
    char *name = probe_output_name(p);

    probe_say(&t, p, b, index, n);
    if (got == zero)
        diagnosis_add(p->d, "left-out",
                      "%s takes nothing of %s: with all elements %.10g and one of these %.10g it "
                      "is %.10g",
                      name, t.s, zero, one, got);
    else
        diagnosis_add(p->d, "times",
                      "%s takes %s more than once: with all elements %.10g and one of these %.10g "
                      "it is %.10g",
                      name, t.s, zero, one, got);
    free(name);
    text_free(&t);
}

/* Of neutral elements and another one that one comes, wherever it is. */
bool probe_planted(struct probe *p)
{
    double one, zero, other = NAN;
    struct lab_term t;
    uint64_t n = 0, *index = xcalloc(MOST_PLANTED, sizeof(*index));
    bool ok = p->lab->unit && p->lab->unit(p->x->variant, &p->s.input, p->o, &one, &zero) &&
              probe_term(p, 0, &t);
    int b = ok ? t.factor[0].buffer : 0;

    if (ok)
        probe_fill(p, b, zero);
    ok = ok && probe_look(p) == zero; /* else what it starts with is another thing */
    for (uint64_t k = 0; ok && k < MOST_PLANTED && probe_term(p, k, &t) && !p->broken; k++) {
        probe_put(p, b, t.factor[0].index, one);
        double got = probe_look(p);
        probe_put(p, b, t.factor[0].index, zero);
        if (got == one || (n && got != other))
            continue;
        other = got;
        index[n++] = t.factor[0].index;
    }
    ok = ok && n && !p->broken;
    if (ok)
        tell_planted(p, b, index, n, one, zero, other);
    free(index);
    return ok;
}
