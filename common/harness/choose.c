/* choose.c - which kernels and cases a run is about (program.h). */
#include "base/alloc.h"
#include "base/text.h"
#include "lab/dtype.h"
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_list(const char *list, const char *a, const char *b)
{
    char *copy = xstrdup(list), *rest = copy, *word;
    bool found = false;

    while ((word = strsep(&rest, ",")))
        found |= !strcmp(word, a) || (b && !strcmp(word, b));
    free(copy);
    return found;
}

static bool known_word(const struct run *r, const char *word, bool variant)
{
    for (int i = 0; variant && i < r->lab->nvariants; i++) {
        const struct lab_variant *v = &r->lab->variants[i];

        if (!strcmp(word, v->name) || (v->number && !strcmp(word, v->number)))
            return true;
    }
    for (int i = 0; !variant && i < r->lab->ncases; i++) {
        if (!strcmp(word, r->lab->cases[i].name))
            return true;
    }
    return false;
}

/* Kernel or case i; NULL behind the last. */
static const char *name_of(const struct run *r, bool variant, int i)
{
    if (i >= (variant ? r->lab->nvariants : r->lab->ncases))
        return NULL;
    return variant ? r->lab->variants[i].name : r->lab->cases[i].name;
}

/* The name that is nearest; NULL: all are other words. */
static const char *nearest_name(const struct run *r, const char *word, bool variant)
{
    const char *nearest = NULL, *name;
    unsigned best = TEXT_FAR;

    for (int i = 0; (name = name_of(r, variant, i)); i++) {
        if (text_near(word, name, &best))
            nearest = name;
    }
    return nearest;
}

/* A kernel of no variant's own name may have a record: it is not looked at, and nobody expects it.
 */
void tell_unused_records(const struct run *r)
{
    static const char end[] = "_launch";

    for (int i = 0; i < r->module.nvariables; i++) {
        size_t length = strlen(r->module.variables[i]), stem = length - strlen(end);

        if (length <= strlen(end) || strcmp(r->module.variables[i] + stem, end))
            continue;
        char *name = xformat("%.*s", (int)stem, r->module.variables[i]);
        const char *like = nearest_name(r, name, true);
        if (!known_word(r, name, true) && !module_has_kernel(&r->module, name))
            printf("%s: LAUNCH(%s, …) is ignored: the lab has no such kernel%s%s%s\n",
                   r->module.path, name, like ? ". Did you mean " : "", like ? like : "",
                   like ? "?" : "");
        free(name);
    }
}

static void refuse_word(const struct run *r, const char *word, bool variant)
{
    const char *near = nearest_name(r, word, variant);

    fprintf(stderr, "%s: no %s called \"%s\"; it has:", r->lab->name, variant ? "kernel" : "case",
            word);
    for (int i = 0; variant && i < r->lab->nvariants; i++)
        fprintf(stderr, " %s (%s)", r->lab->variants[i].name,
                r->lab->variants[i].number ? r->lab->variants[i].number : "-");
    for (int i = 0; !variant && i < r->lab->ncases; i++)
        fprintf(stderr, "%s '%s'", i ? "," : "", r->lab->cases[i].name);
    fputs(variant ? "\n" : "\nA size of your own: N=1000 (--n 1000)\n", stderr);
    fflush(stderr);
    if (near)
        printf("next: make run LAB=%s %s='%s'\n", r->lab->name, variant ? "KERNEL" : "CASE", near);
    else
        printf("next: make run LAB=%s ARGS=--list says what each is\n", r->lab->name);
}

static void check_list(const struct run *r, const char *list, bool variant)
{
    char *copy = xstrdup(list ? list : ""), *rest = list ? copy : NULL, *word;
    bool known = true;

    while (known && (word = strsep(&rest, ","))) {
        known = known_word(r, word, variant);
        if (!known)
            refuse_word(r, word, variant);
    }
    free(copy);
    if (!known)
        exit(2);
}

void choose_variants(struct run *r)
{
    r->variants = xzalloc((size_t)r->lab->nvariants * sizeof(*r->variants));
    check_list(r, r->o.kernels, true);
    for (int i = 0; i < r->lab->nvariants; i++) {
        const struct lab_variant *v = &r->lab->variants[i];

        r->variants[i].chosen = !r->o.kernels || in_list(r->o.kernels, v->name, v->number);
        r->variants[i].record = v->record;
    }
}

/* A case asked for by name runs on either machine. Checks watch every access, on a GPU too
 * (compute-sanitizer): there the emulator's sizes do. */
static bool wants_case(const struct run *r, const struct lab_case *c)
{
    if (r->o.cases)
        return in_list(r->o.cases, c->name, NULL);
    if (c->flags & (r->machine.emulator || r->o.check ? CASE_GPU_ONLY : CASE_EMULATOR_ONLY))
        return false;
    if (r->o.quick && !(c->flags & CASE_QUICK))
        return false;
    if (r->o.untimed && (c->flags & CASE_TIME))
        return false;
    return c->flags & (r->o.check ? CASE_CHECK : CASE_CHECK | CASE_TIME);
}

bool own_case(const struct run_options *o)
{
    return o->has_n || o->has_m || o->has_k || o->has_param || o->has_dtype;
}

static bool chosen_applies(const struct run *r, const struct lab_case *c)
{
    for (int v = 0; v < r->lab->nvariants; v++) {
        if (r->variants[v].chosen && (!r->lab->applies || r->lab->applies(&r->lab->variants[v], c)))
            return true;
    }
    return false;
}

/* Has any of the lab's cases of the chosen kernels a param? A transposition has no stride. */
static bool knows_param(const struct run *r)
{
    bool known = false;

    for (int i = 0; i < r->lab->ncases && !known; i++)
        known = r->lab->cases[i].param && chosen_applies(r, &r->lab->cases[i]);
    return known;
}

/* All that was asked for: two such runs are two experiments. "n=16777216 width=72" */
static char *own_name(const struct run *r, const struct lab_case *c)
{
    const struct run_options *o = &r->o;
    struct text t = {0};

    text_addf(&t, "n=%" PRIu64, c->n);
    if (o->has_m)
        text_addf(&t, " m=%" PRIu64, c->m);
    if (o->has_k)
        text_addf(&t, " k=%" PRIu64, c->k);
    if (o->has_param && knows_param(r))
        text_addf(&t, " %s=%" PRId64, r->lab->param_name ? r->lab->param_name : "param", c->param);
    return text_take(&t);
}

/* The case on the command line is like the first timed one (or --case) of the chosen kernels
 * otherwise. */
static struct lab_case make_own_case(struct run *r)
{
    const struct run_options *o = &r->o;
    struct lab_case c = r->lab->cases[0];
    bool found = false;

    for (int i = 0; i < r->lab->ncases && !found; i++) {
        const struct lab_case *x = &r->lab->cases[i];

        found = o->cases ? in_list(o->cases, x->name, NULL)
                         : (x->flags & CASE_TIME) && (!o->has_dtype || x->dtype == o->dtype) &&
                               chosen_applies(r, x);
        if (found)
            c = *x;
    }
    if (o->has_n) {
        c.m = c.m == c.n ? o->n : c.m; /* square stays square */
        c.k = c.k == c.n ? o->n : c.k;
        c.n = o->n;
    }
    c.m = o->has_m ? o->m : c.m;
    c.k = o->has_k ? o->k : c.k;
    c.param = o->has_param ? o->param : c.param;
    c.dtype = o->has_dtype ? o->dtype : c.dtype;
    c.flags = CASE_CHECK | CASE_TIME;
    c.name = r->own_name = own_name(r, &c);
    return c;
}

/* Who names a case is told why it cannot be run. */
static bool has_devices(const struct run *r, const struct lab_case *c)
{
    return r->o.cases || !r->lab->ranks || r->lab->ranks(c) <= r->machine.devices;
}

void choose_cases(struct run *r)
{
    int left_out = 0;

    r->cases = xzalloc((size_t)(r->lab->ncases + 1) * sizeof(*r->cases));
    check_list(r, r->o.cases, false);
    if (own_case(&r->o)) {
        r->cases[r->ncases++] = make_own_case(r);
        return;
    }
    for (int i = 0; i < r->lab->ncases; i++) {
        if (!wants_case(r, &r->lab->cases[i]))
            continue;
        if (has_devices(r, &r->lab->cases[i]))
            r->cases[r->ncases++] = r->lab->cases[i];
        else
            left_out++;
    }
    if (left_out)
        printf("%s: %d cases left out: they need more GPUs than the %d that %s here. The emulator "
               "has them (BACKEND=emulator)\n",
               r->lab->name, left_out, r->machine.devices, r->machine.devices == 1 ? "is" : "are");
    for (int i = 0; i < r->ncases && r->o.cases; i++)
        r->cases[i].flags |= CASE_CHECK | CASE_TIME; /* asked for by name: told about */
}
