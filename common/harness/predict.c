/* predict.c - what a student expected before the run, beside what was counted (report.h).
 *
 * predict.txt holds lines "key = number", one a key; "?" or nothing after the = is no answer yet;
 * # starts a comment. Keys are the lab's.
 */
#include "report.h"
#include "base/alloc.h"
#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *s)
{
    s += strspn(s, " \t\r");
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return s;
}

static int prediction_index(const struct lab *lab, const char *key)
{
    for (int i = 0; i < lab->npredictions; i++) {
        if (!strcmp(lab->predictions[i].key, key))
            return i;
    }
    return -1;
}

static const char *nearest_key(const struct lab *lab, const char *key)
{
    const char *nearest = NULL;
    unsigned best = TEXT_FAR;

    for (int i = 0; i < lab->npredictions; i++) {
        if (text_near(key, lab->predictions[i].key, &best))
            nearest = lab->predictions[i].key;
    }
    return nearest;
}

/* "copy.1" is no key, but of this kernel there are some: their names. For free(). */
static char *keys_of_kernel(const struct lab *lab, const char *key)
{
    size_t n = 0;
    struct text t = {0};

    while (isalnum((unsigned char)key[n]) || key[n] == '_')
        n++;
    for (int i = 0; i < lab->npredictions; i++) {
        const struct lab_prediction *q = &lab->predictions[i];

        if (strlen(q->variant) == n && !strncmp(q->variant, key, n))
            text_addf(&t, "%s%s", t.length ? ", " : "", q->key);
    }
    return text_take(&t);
}

static void print_unknown(FILE *out, const struct lab *lab, const char *key)
{
    const char *like = nearest_key(lab, key);
    char *of_kernel = keys_of_kernel(lab, key);

    if (like)
        fprintf(out, ". Did you mean %s?\n", like);
    else if (*of_kernel)
        fprintf(out, "; of that kernel it asks %s\n", of_kernel);
    else
        fprintf(out, "; make run LAB=%s ARGS=--list names what it asks\n", lab->name);
    free(of_kernel);
}

/* A count in full: whoever predicted 1572864 is to see that it was that. */
static int digits(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? 15 : 6;
}

/* One line into answers. False when it is not understood. */
static bool read_line(FILE *out, const struct lab *lab, const char *path, int number, char *line,
                      double *answers)
{
    char *key, *end;

    line[strcspn(line, "#")] = '\0';
    if (!*trim(line))
        return true;
    char *equals = strchr(line, '=');
    if (!equals) {
        fprintf(out, "%s:%d: expected \"key = number\"\n", path, number);
        return false;
    }
    *equals = '\0';
    key = trim(line);
    char *value = trim(equals + 1);
    int i = prediction_index(lab, key);
    if (i < 0) {
        fprintf(out, "%s:%d: this lab asks nothing called \"%s\"", path, number, key);
        print_unknown(out, lab, key);
        return false;
    }
    if (!*value || !strcmp(value, "?"))
        return true;
    double answer = strtod(value, &end);
    if (*end || !isfinite(answer)) {
        fprintf(out, "%s:%d: \"%s\" is not a number: write 12, 0.25 or 1e6\n", path, number, value);
        return false;
    }
    if (!isnan(answers[i])) {
        fprintf(out, "%s:%d: %s has an answer already, %.*g: strike one of them out\n", path,
                number, key, digits(answers[i]), answers[i]);
        return false;
    }
    answers[i] = answer;
    return true;
}

/* The case of this name, or one of a student's own that is the same. */
static bool is_case(const struct lab *lab, const struct lab_case *c, const char *name)
{
    bool is = !strcmp(c->name, name);

    for (int i = 0; i < lab->ncases && !is; i++) {
        const struct lab_case *x = &lab->cases[i];

        is = !strcmp(x->name, name) && x->n == c->n && x->m == c->m && x->k == c->k &&
             x->param == c->param && x->dtype == c->dtype && x->op == c->op &&
             !((x->flags ^ c->flags) & CASE_SPECIAL);
    }
    return is;
}

static const struct entry *find(const struct report *p, const struct lab_prediction *q)
{
    for (int i = 0; i < p->n; i++) {
        const struct entry *r = &p->results[i];

        if (!strcmp(r->variant->name, q->variant) && is_case(p->lab, r->input, q->case_name))
            return r;
    }
    return NULL;
}

static void print_one(FILE *out, const struct report *p, const struct lab_prediction *q,
                      double answer)
{
    const struct entry *r = find(p, q);
    char err[160] = "";
    double fact = r ? entry_value(r, q->expression, err, sizeof(err)) : NAN;
    bool right = fabs(answer - fact) <= fmax(q->tolerance * fabs(fact), 1e-9);
    const char *code = !colours(out) ? "" : right ? "\033[32m" : "\033[33m";

    fprintf(out, "  %-60s you %12.*g", q->question, digits(answer), answer);
    if (r && (r->wrong || r->verdict != VERDICT_PASS))
        fprintf(out, "  (not yet: %s is not right)\n", q->variant);
    else if (isnan(fact))
        fprintf(out, "  (%s)\n", !r ? "not part of this run" : "no counters in this run");
    else
        fprintf(out, "  was %12.*g  %s%s%s\n", digits(fact), fact, code,
                right ? "yes" : "look again", *code ? "\033[0m" : "");
}

int predict_print(FILE *out, const struct report *p, const char *path)
{
    struct text why = {0};
    size_t size;
    int number = 0, answered = 0;
    bool ok = true;

    char *file = file_load(path, 1 << 20, &size, &why);
    text_free(&why);
    if (!file)
        return 0;
    double *answers = xzalloc((size_t)p->lab->npredictions * sizeof(*answers));
    for (int i = 0; i < p->lab->npredictions; i++)
        answers[i] = NAN;
    for (char *rest = file, *line; (line = strsep(&rest, "\n"));)
        ok &= read_line(out, p->lab, path, ++number, line, answers);
    for (int i = 0; i < p->lab->npredictions; i++) {
        if (isnan(answers[i]))
            continue;
        if (!answered++)
            fprintf(out, "\nPredictions (%s):\n", path);
        print_one(out, p, &p->lab->predictions[i], answers[i]);
    }
    free(answers);
    free(file);
    return ok ? answered : -1;
}
