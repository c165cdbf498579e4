/* causes.c - see causes.h. A cause is taken from a row's reason: what stands before it of the case
 * and the kernel, and behind it of the place, goes; numbers become "#". What the harness takes a
 * wrong result for ("It looks like this: …") is the whole of it. */
#include "causes.h"
#include "base/alloc.h"
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_BLOCK 1024 /* threads */

static const char looks_like[] = "It looks like this: ";
static const char unknown[] = "results are wrong, and nothing says why";

static bool starts(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

/* Behind "On the case NAME: ", "On a hidden case (KIND): " or "FINDING on the case NAME: ", and
 * the kernel's name. */
static const char *behind_the_case(const char *s, const char *variant)
{
    static const char *const cases[] = {"On the case ", "On a hidden case ", " on the case ",
                                        " on a hidden case "};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found = strstr(s, cases[i]), *colon = strstr(s, ": ");
        if (found && colon && found < colon) {
            s = colon + 2;
            break;
        }
    }
    size_t n = strlen(or_empty(variant));
    return n && !strncmp(s, variant, n) && starts(s + n, ": ") ? s + n + 2 : s;
}

/* Where a launch failed, what stands behind CUDA's own words for it. */
static const char *behind_the_error(const char *s)
{
    const char *code = strstr(s, "(cudaError"), *end = code ? strstr(code, "). ") : NULL;
    return starts(s, "the launch failed") && end && end[3] ? end + 3 : s;
}

/* Up to the address or " (line 12)" or " (the case …" at the end. */
static size_t before_the_place(const char *s)
{
    size_t n = strlen(s);
    const char *open = strrchr(s, '('), *at = strstr(s, " at 0x");
    at = at ? at : strstr(s, " at byte ");
    if (at)
        return (size_t)(at - s);
    if (open && open > s && (starts(open, "(line ") || starts(open, "(the case ")))
        n = (size_t)(open - s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '.'))
        n--;
    return n;
}

/* 12, 0x2000, 1.5e+3 and 1,000 are "#"; the 4 of float4 stays. */
static void add_without_numbers(struct text *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        bool word = i && (isalnum((unsigned char)s[i - 1]) || s[i - 1] == '_');
        if (!isdigit((unsigned char)s[i]) || word) {
            text_bytes(out, s + i++, 1);
            continue;
        }
        text_add(out, "#");
        while (i < n && (isalnum((unsigned char)s[i]) ||
                         (strchr(".,+", s[i]) && i + 1 < n && isdigit((unsigned char)s[i + 1]))))
            i++;
    }
}

/* ", in[1004], of 1004 elements" behind an address: of which array, and how many elements beyond
 * its end; less than 0: within. False: no array is named. */
static bool find_array(const char *place, const char **name, size_t *length, long long *beyond)
{
    const char *comma = strstr(place, ", "), *open = comma ? strchr(comma, '[') : NULL;
    const char *of = open ? strstr(open, "], of ") : NULL;
    if (!of || strchr(comma + 2, ',') < open)
        return false;
    *name = comma + 2;
    *length = (size_t)(open - *name);
    *beyond = strtoll(open + 1, NULL, 10) - strtoll(of + strlen("], of "), NULL, 10);
    return true;
}

static void add_array(struct text *out, const char *place)
{
    const char *name;
    size_t length;
    long long beyond;
    if (!find_array(place, &name, &length, &beyond))
        return;
    text_addf(out, " %s ", beyond >= 0 ? "beyond the end of" : "of");
    text_bytes(out, name, length);
}

/* "illegal address: read of 4 bytes at 0x…, in[1004], of 1004 elements" or "…, 0 bytes after a
 * 4004-byte block": as a thread of the last block has it, whichever array it comes to first, and
 * whether it reads or writes. */
static bool has_no_guard(const char *s, const char *place)
{
    const char *of = strstr(s, " of "), *comma = strstr(place, ", "), *name;
    long long bytes = of ? strtoll(of + strlen(" of "), NULL, 10) : 0, beyond = -1;
    size_t length;
    char *end;
    if (!starts(s, "illegal address: ") || bytes <= 0 || !comma)
        return false;
    if (!find_array(place, &name, &length, &beyond)) {
        beyond = strtoll(comma + 2, &end, 10);
        beyond = end > comma + 2 && starts(end, " bytes after a ") ? beyond / bytes : -1;
    }
    return beyond >= 0 && beyond < LARGEST_BLOCK;
}

void cause_of_row(const struct verdict_row *row, struct text *out)
{
    const char *s = behind_the_case(or_empty(row->why), row->variant);
    const char *found = strstr(s, looks_like);
    if (row->kind == ROW_GATE) {
        text_add(out, or_empty(row->title)); /* a condition: what it counted is the example */
        return;
    }
    s = found ? found + strlen(looks_like) : behind_the_error(s);
    size_t n = before_the_place(s);
    if (strstr(s, ": no kernel \""))
        text_add(out, "the kernel is not in the file");
    else if (!found && strstr(s, " results are wrong"))
        text_add(out, unknown);
    else if (!found && has_no_guard(s, s + n))
        text_add(out, "no guard: an address just beyond the end of an array");
    else {
        add_without_numbers(out, s, n);
        add_array(out, s + n);
    }
}

/* The first complaint of the compiler, behind "FILE(LINE): ". */
static void cause_of_compiler(const char *log, struct text *out)
{
    const char *s = strstr(log, "error: ");
    s = s ? s + strlen("error: ") : log;
    text_add(out, "not compiled: ");
    text_bytes(out, s, strcspn(s, "\n"));
}

static struct cause *cause_with(struct causes *c, const char *text, const char *example)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->v[i].text, text))
            return &c->v[i];
    c->v = xrealloc(c->v, (size_t)(c->n + 1) * sizeof(*c->v));
    c->v[c->n] = (struct cause){.text = xstrdup(text), .example = xstrdup(or_empty(example))};
    return &c->v[c->n++];
}

static void add_check(struct cause *c, const char *title)
{
    if (!*or_empty(title) || (c->checks && strstr(c->checks, title)))
        return;
    char *both = c->checks ? xformat("%s, %s", c->checks, title) : xstrdup(title);
    free(c->checks);
    c->checks = both;
}

static void add_student(struct cause *c, int student)
{
    if (c->n && c->students[c->n - 1] == student)
        return;
    c->students = xrealloc(c->students, (size_t)(c->n + 1) * sizeof(*c->students));
    c->students[c->n++] = student;
}

/* What is wrong with a kernel's results, and nothing says why, its findings may say. */
static bool is_explained(const struct verdict *v, const struct verdict_row *row)
{
    for (int i = 0; i < v->nrows; i++) {
        const struct verdict_row *r = &v->rows[i];
        if (r->status == STATUS_FAIL && r->kind == ROW_CHECKS && r->variant && row->variant &&
            !strcmp(r->variant, row->variant))
            return true;
    }
    return false;
}

void causes_add(struct causes *c, int student, const struct verdict *v, const char *source)
{
    struct text t = {0};
    if (v && v->status != VERDICT_GRADED) {
        if (v->status == VERDICT_NOT_COMPILED && *or_empty(v->log))
            cause_of_compiler(v->log, &t);
        else
            text_add(&t, verdict_word(v->status));
        add_student(cause_with(c, text_str(&t), or_empty(v->message)), student);
    }
    for (int i = 0; v && v->status == VERDICT_GRADED && i < v->nrows; i++) {
        const struct verdict_row *row = &v->rows[i];
        if (row->status != STATUS_FAIL)
            continue;
        text_free(&t);
        if (still_to_write(v, row, source))
            text_add(&t, "still to be written: its TODO stands");
        else
            cause_of_row(row, &t);
        if (!strcmp(text_str(&t), unknown) && is_explained(v, row))
            continue;
        struct cause *found = cause_with(c, text_str(&t), row->why);
        add_student(found, student);
        add_check(found, row->title);
    }
    text_free(&t);
}

void causes_sort(struct causes *c)
{
    for (int i = 1; i < c->n; i++) { /* stable; a class has some dozens */
        struct cause x = c->v[i];
        int k = i;
        for (; k && c->v[k - 1].n < x.n; k--)
            c->v[k] = c->v[k - 1];
        c->v[k] = x;
    }
}

void causes_free(struct causes *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->v[i].text);
        free(c->v[i].example);
        free(c->v[i].checks);
        free(c->v[i].students);
    }
    free(c->v);
    *c = (struct causes){0};
}
