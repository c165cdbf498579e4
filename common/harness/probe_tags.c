/* probe_tags.c - which element a copy holds, and which factors are multiplied (probing.h): each
 * element is its own place, a digit to the base of 256 at a time.
 */
#include "probing.h"

#include <math.h>
#include <stdlib.h>

/* A copy: one element, nothing added. */
bool probe_copy(struct probe *p, const struct lab_term *one)
{
    int b = one->factor[0].buffer;
    uint64_t belongs = one->factor[0].index, n = probe_buffer(p, b)->count, at = 0;
    char *name = probe_output_name(p), *there, *other;
    double digit[3];

    probe_fill(p, b, 0);
    double none = probe_look(p);
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < n; i++)
            probe_put(p, b, i, (double)((i + 1) >> 8 * k & 0xff));
        digit[k] = probe_look(p);
        if (digit[k] >= 0 && digit[k] <= 255 && digit[k] == floor(digit[k]))
            at |= (uint64_t)digit[k] << 8 * k;
    }
    there = probe_element_name(p, b, belongs);
    bool constant = digit[0] == none && digit[1] == none && digit[2] == none;
    if (p->broken || at == belongs + 1 || n >> 24) {
        at = 0;
    } else if (at && at <= n && !constant && none == 0) {
        probe_fill(p, b, 0);
        probe_put(p, b, at - 1, 7);
        if (probe_look(p) == 7) {
            other = probe_element_name(p, b, at - 1);
            diagnosis_add(p->d, "wrong-element", "%s holds %s in place of %s", name, other, there);
            free(other);
        } else {
            at = 0;
        }
    } else if (constant) {
        diagnosis_add(p->d, "constant", "%s is %.9g, whatever %s holds: it is no copy of %s", name,
                      none, probe_buffer(p, b)->name, there);
        at = 1;
    } else {
        at = 0;
    }
    free(there);
    free(name);
    return at;
}

/* ---- products: which factor goes with which ---- */

/* Three digits of the place of what is multiplied with the one element of `ones` that is set. */
static bool partner(struct probe *p, int tagged, uint64_t *at)
{
    uint64_t n = probe_buffer(p, tagged)->count;

    *at = 0;
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < n; i++)
            probe_put(p, tagged, i, (double)((i + 1) >> 8 * k & 0xff));
        double digit = probe_look(p);
        if (p->broken || !(digit >= 0 && digit <= 255) || fabs(digit - round(digit)) > 1e-3)
            return false;
        *at |= (uint64_t)round(digit) << 8 * k;
    }
    return *at <= n && n < 1 << 24;
}

static bool tell_pair(struct probe *p, const struct lab_term *t, uint64_t at)
{
    const struct lab_factor *one = &t->factor[1], *other = &t->factor[0];
    char *name = probe_output_name(p), *set = probe_element_name(p, one->buffer, one->index);
    char *belongs = probe_element_name(p, other->buffer, other->index), *there = NULL;

    if (at) {
        there = probe_element_name(p, other->buffer, at - 1);
        diagnosis_add(p->d, "wrong-pair", "in %s, %s is multiplied by %s in place of %s", name, set,
                      there, belongs);
    } else {
        diagnosis_add(p->d, "left-out", "in %s, %s is multiplied by nothing; %s belongs there",
                      name, set, belongs);
    }
    free(name);
    free(set);
    free(belongs);
    free(there);
    return true;
}

bool probe_pairs(struct probe *p)
{
    struct lab_term t;
    uint64_t at;

    for (uint64_t k = 0; k < MOST_PAIRS && probe_term(p, k, &t) && t.nfactors == 2; k++) {
        probe_fill(p, t.factor[1].buffer, 0);
        probe_put(p, t.factor[1].buffer, t.factor[1].index, 1);
        if (!partner(p, t.factor[0].buffer, &at) || p->broken)
            return false;
        if (at != t.factor[0].index + 1)
            return tell_pair(p, &t, at);
    }
    return false;
}
