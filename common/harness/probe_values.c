/* probe_values.c - values that show which digits of them get lost on the way (probing.h). */
#include "probing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct lossy_value {
    unsigned types; /* 1 << DT_… */
    double first, second;
    double like; /* what comes out when that is lost */
    const char *cause, *what;
} lossy_values[] = {
/* clang-format off */
#define INTEGERS (1 << DT_I32 | 1 << DT_U32)
#define FLOATS   (1 << DT_F32 | 1 << DT_F64)
#define NUMBERS  (FLOATS | 1 << DT_F16)
    /* types        first,        second, like     cause */
    {~0u,           1,            0,      0,       NULL, NULL}, /* these must be right for the others */
    {~0u,           1,            1,      0,       NULL, NULL}, /* to mean what they say */
    {~0u,           3,            0,      0,       NULL, NULL},
    {~0u,           5,            2,      0,       NULL, NULL},
    {INTEGERS,      257,          0,      1,       "type", "more than 8 bits get lost"},
    {INTEGERS,      65537,        0,      1,       "type", "more than 16 bits get lost"},
    {INTEGERS,      16777217,     0,      0x1p24,  "type", "it went through a float, which keeps 24 bits"},
    {INTEGERS,      16777216,     1,      0x1p24,  "type", "the sum went through a float, which keeps 24 bits"},
    {1 << DT_I32,   -3,           0,      3,       "sign", "the sign is lost"},
    {NUMBERS,       0.5,          0,      0,       "type", "what is behind the point is lost, as in an integer"},
    {NUMBERS,       -3,           0,      3,       "sign", "the sign is lost"},
    {FLOATS,        1 + 0x1p-12,  0,      1,       "precision", "it went through a half, or another type of few digits"},
    {FLOATS,        0x1p40,       0,      INFINITY, "precision", "it is too large for a type on its way"},
    {FLOATS,        4096,         1,      4096,    "precision", "the sum is kept in a type of few digits"},
    {1 << DT_F64,   1 + 0x1p-30,  0,      1,       "precision", "it went through a float, which keeps 24 bits"},
    {1 << DT_F64,   0x1p30,       1,      0x1p30,  "precision", "the sum is kept in a float, which keeps 24 bits"},
    {1 << DT_F16,   2048,         1,      2048,    "precision", "the sum is kept in a half, which keeps 11 bits"},
    /* clang-format on */
};

/* Two elements that the sum takes factor f of its terms from, and how often it takes each. */
struct two {
    struct lab_factor at[2];
    double times[2];
    int n;
};

static struct two two_places(const struct probe *p, int f)
{
    struct two w = {.n = 0};
    struct lab_term t;

    for (uint64_t k = 0; w.n < 2 && probe_term(p, k, &t); k++) {
        if (f < t.nfactors && (!w.n || t.factor[f].index != w.at[0].index))
            w.at[w.n++] = t.factor[f];
    }
    for (uint64_t k = 0; probe_term(p, k, &t); k++) {
        for (int i = 0; i < w.n; i++)
            w.times[i] += f < t.nfactors && t.factor[f].index == w.at[i].index ? t.times : 0;
    }
    return w;
}

static void tell_value(struct probe *p, const struct two *w, const struct lossy_value *v,
                       double got, double want)
{
    char *first = probe_element_name(p, w->at[0].buffer, w->at[0].index),
         *name = probe_output_name(p);
    struct text t = {0};

    text_addf(&t, "with %s = %.10g", first, v->first);
    if (v->second != 0)
        text_addf(&t, ", %s[%" PRIu64 "] = %.10g", probe_buffer(p, w->at[1].buffer)->name,
                  w->at[1].index, v->second);
    bool like = got == v->like * w->times[0];
    p->d->example |= !like;
    diagnosis_add(p->d, like ? v->cause : "function",
                  "%s and the rest of %s 0, %s is %.10g instead of %.10g%s%s", t.s,
                  probe_buffer(p, w->at[0].buffer)->name, name, got, want, like ? ": " : "",
                  like ? v->what : "");
    text_free(&t);
    free(first);
    free(name);
}

/* Values of one factor, the other is one. */
static bool probe_factor_values(struct probe *p, int f)
{
    struct two w = two_places(p, f);

    for (size_t i = 0; w.n && i < sizeof(lossy_values) / sizeof(lossy_values[0]); i++) {
        const struct lossy_value *v = &lossy_values[i];
        int b = w.at[0].buffer;

        if (!(v->types >> probe_buffer(p, b)->dtype & 1) || (v->second != 0 && w.n < 2))
            continue;
        probe_fill(p, b, 0);
        probe_put(p, b, w.at[0].index, v->first);
        if (v->second != 0)
            probe_put(p, b, w.at[1].index, v->second);
        double want = w.times[0] * v->first + w.times[1] * v->second, got = probe_look(p);
        double digits = probe_buffer(p, b)->dtype == DT_F64 ? 1e-15 : 1e-7;
        if (p->broken || fabs(got - want) <= (want == floor(want) ? 0 : digits * fabs(want)))
            continue;
        if (v->cause)
            tell_value(p, &w, v, got, want);
        return v->cause;
    }
    return false;
}

bool probe_values(struct probe *p)
{
    struct lab_term t;
    bool told = false;

    if (p->made != MADE_SUM || !probe_term(p, 0, &t))
        return false;
    for (int f = 0; f < t.nfactors && !told && !p->broken; f++) {
        told = probe_factor_values(p, f);
        probe_fill(p, t.factor[f].buffer, 1);
    }
    return told;
}
