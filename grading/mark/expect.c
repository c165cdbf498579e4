/* expect.c - reads what a kernel of the bank must get, and compares. See expect.h. */
#include "expect.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"

#include "grading/intake/submissions.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool bad_line(char *err, size_t size, const char *what, const char *line)
{
    snprintf(err, size, "%s: \"%.100s\"", what, line);
    return false;
}

static bool status_known(const char *s)
{
    return word_in("pass fail blocked inconclusive skipped error any", s);
}

/* "r3-ok=fail r3-clean=any" or "compile=fail" or "all=pass" */
static bool parse_rows(struct expect *e, char *list, char *err, size_t size)
{
    char *save = NULL;
    for (char *word = strtok_r(list, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        char *equals = strchr(word, '=');
        if (!equals || !status_known(equals + 1) || e->nrows == EXPECT_MAX)
            return bad_line(err, size, "expect: not ROW=STATUS", word);
        *equals = 0;
        if (!strcmp(word, "compile")) {
            e->compile_fails = !strcmp(equals + 1, "fail");
        } else if (strcmp(word, "all")) {
            snprintf(e->rows[e->nrows].id, sizeof(e->rows[0].id), "%s", word);
            snprintf(e->rows[e->nrows++].status, sizeof(e->rows[0].status), "%s", equals + 1);
        } else if (strcmp(equals + 1, "pass")) {
            return bad_line(err, size, "expect: all=pass is the only one", equals + 1);
        }
    }
    return true;
}

/* "r3-ok: last element" */
static bool parse_hint(struct expect *e, char *text, char *err, size_t size)
{
    char *colon = strchr(text, ':');
    if (!colon || e->nhints == EXPECT_MAX)
        return bad_line(err, size, "hint: not ROW: TEXT", text);
    *colon = 0;
    snprintf(e->hints[e->nhints].id, sizeof(e->hints[0].id), "%s", text);
    e->hints[e->nhints++].text = xstrdup(colon + 1 + strspn(colon + 1, " "));
    return true;
}

static bool parse_line(struct expect *e, char *line, char *err, size_t size)
{
    static const char *const keys[] = {"only:", "expect:", "hint:", "score:"};
    size_t k = 0;
    line += strspn(line, " \t");
    while (k < 4 && strncmp(line, keys[k], strlen(keys[k])))
        k++;
    if (k == 4)
        return true; /* prose */
    char *value = line + strlen(keys[k]);
    value += strspn(value, " \t");
    if (k == 0) {
        free(e->only);
        e->only = xstrdup(value);
    } else if (k == 3) {
        char *end;
        e->score = strtod(value, &end);
        e->has_score = true;
        return end != value || bad_line(err, size, "score: not a number", value);
    }
    return k == 1   ? parse_rows(e, value, err, size)
           : k == 2 ? parse_hint(e, value, err, size)
                    : true;
}

bool expect_parse(const char *source, struct expect *e, char *err, size_t size)
{
    *e = (struct expect){.only = NULL};
    while (!strncmp(source, "//", 2)) {
        size_t n = strcspn(source, "\r\n");
        char *line = xformat("%.*s", (int)(n - 2), source + 2);
        bool ok = parse_line(e, line, err, size);
        free(line);
        if (!ok)
            return false;
        source += n;
        source += strspn(source, "\r");
        source += *source == '\n';
    }
    return true;
}

void expect_free(struct expect *e)
{
    free(e->only);
    for (int i = 0; i < e->nhints; i++)
        free(e->hints[i].text);
    *e = (struct expect){.only = NULL};
}

/* ---- comparing ---- */

static const char *get(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static json_t *row_of(const json_t *verdict, const char *id)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(verdict, "rows"), i,
                       row) if (!strcmp(get(row, "id"), id)) return row;
    return NULL;
}

static const char *expected_of(const struct expect *e, const char *id)
{
    for (int i = 0; i < e->nrows; i++)
        if (!strcmp(e->rows[i].id, id))
            return e->rows[i].status;
    return NULL;
}

static int compare_rows(const struct expect *e, const json_t *verdict, struct text *out)
{
    int bad = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(verdict, "rows"), i, row)
    {
        const char *want = expected_of(e, get(row, "id")), *got = get(row, "status");
        bool fine = want ? !strcmp(want, "any") || !strcmp(want, got)
                         : !strcmp(got, "pass") || !strcmp(got, "skipped") ||
                               (!strcmp(got, "blocked") && e->nrows);
        if (!fine) {
            text_addf(out, "  %s is %s, not %s: %s\n", get(row, "id"), got, want ? want : "pass",
                      get(row, "why"));
            bad++;
        }
    }
    for (int k = 0; k < e->nrows; k++) {
        if (!row_of(verdict, e->rows[k].id)) {
            text_addf(out, "  there is no row %s to be %s\n", e->rows[k].id, e->rows[k].status);
            bad++;
        }
    }
    return bad;
}

static int compare_hints(const struct expect *e, const json_t *verdict, struct text *out)
{
    int bad = 0;
    for (int k = 0; k < e->nhints; k++) {
        json_t *row = row_of(verdict, e->hints[k].id);
        char *feedback = !strcmp(e->hints[k].id, "compile")
                             ? xformat("%s", get(json_object_get(verdict, "compile"), "log"))
                             : xformat("%s\n%s", get(row, "why"), get(row, "hint"));
        if (!strcasestr(feedback, e->hints[k].text)) {
            text_addf(out, "  %s's feedback lacks \"%s\": %s\n", e->hints[k].id, e->hints[k].text,
                      feedback);
            bad++;
        }
        free(feedback);
    }
    return bad;
}

int expect_compare(const struct expect *e, const json_t *verdict, struct text *out)
{
    const char *status = get(verdict, "status"),
               *want = e->compile_fails ? "not compiled" : "graded";
    if (strcmp(status, want)) {
        text_addf(out, "  it is %s, not %s: %s\n%s", status, want, get(verdict, "message"),
                  get(json_object_get(verdict, "compile"), "log"));
        return 1;
    }
    int bad =
        (e->compile_fails ? 0 : compare_rows(e, verdict, out)) + compare_hints(e, verdict, out);
    double score = json_number_value(json_object_get(verdict, "score"));
    if (e->has_score && !(fabs(score - e->score) < 1e-9)) {
        text_addf(out, "  the score is %g, not %g\n", score, e->score);
        bad++;
    }
    return bad;
}

static int compare_skeleton(const json_t *v, struct text *out)
{
    double score = json_number_value(json_object_get(v, "score")),
           max = json_number_value(json_object_get(v, "max"));
    if (!strcmp(get(v, "status"), "graded") && score < max)
        return 0;
    text_addf(out, "  the skeleton is %s with %g of %g points: %s\n", get(v, "status"), score, max,
              get(v, "message"));
    return 1;
}

int expect_file(struct engine *e, struct engine_options *o, const char *path, const char *kind,
                struct text *out)
{
    char *source, err[256];
    size_t n;
    struct expect x = {.only = NULL};
    if (file_read_no_link(path, SUBMISSION_MAX_BYTES, &source, &n)) {
        text_addf(out, "  cannot be read\n");
        return 1;
    }
    bool bank = !strcmp(kind, "wrong") || !strcmp(kind, "right");
    if (bank && !expect_parse(source, &x, err, sizeof(err))) {
        text_addf(out, "  %s\n", err);
        free(source);
        expect_free(&x);
        return 1;
    }
    const char *only = o->only;
    o->only = x.only ? x.only : only;
    json_t *v = engine_mark(e, path, source, n);
    o->only = only;
    int bad = !strcmp(kind, "skeleton") ? compare_skeleton(v, out) : expect_compare(&x, v, out);
    if (!strcmp(kind, "wrong") && !x.nrows && !x.compile_fails) {
        text_add(out, "  it is among the wrong ones but expects nothing\n");
        bad++;
    }
    json_decref(v);
    expect_free(&x);
    free(source);
    return bad;
}

/* ---- finding them ---- */

static void add_files(struct known_file **v, int *n, const struct engine_options *o,
                      const char *lab, const char *kind, const char *pattern)
{
    char *full = xformat("%s/%s", o->root, pattern);
    glob_t g;
    if (!glob(full, 0, NULL, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            *v = xrealloc(*v, (size_t)(*n + 1) * sizeof(**v));
            (*v)[(*n)++] = (struct known_file){xstrdup(lab), xstrdup(g.gl_pathv[i]), kind};
        }
    }
    globfree(&g);
    free(full);
}

struct known_file *known_files(const struct engine_options *o, const char *lab, int *n)
{
    static const struct {
        const char *kind, *pattern; /* %1$s: the lab */
        int on;                     /* 1: the emulator alone, 2: a GPU alone, 3: both */
    } kinds[] = {{"solution", "solutions/%1$s/%1$s.cu", 3},
                 {"skeleton", "labs/%1$s/%1$s.cu", 1},
                 {"right", "labs/%1$s/right/*.cu", 3},
                 {"wrong", "labs/%1$s/wrong/*.cu", 1},
                 {"wrong", "grading/threats/gpu/%1$s/*.cu", 2}};
    struct known_file *v = NULL;
    int on = o->measure ? 2 : 1;
    *n = 0;
    for (int i = 0; i < all_rubrics_count; i++) {
        const char *name = all_rubrics[i]->lab;
        for (size_t k = 0; k < 5 && (!lab || !strcmp(lab, name)); k++) {
            char pattern[256];
            if (!(kinds[k].on & on))
                continue;
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(pattern, sizeof(pattern), kinds[k].pattern, name);
            add_files(&v, n, o, name, kinds[k].kind, pattern);
        }
    }
    return v;
}

void known_files_free(struct known_file *v, int n)
{
    for (int i = 0; i < n; i++) {
        free(v[i].lab);
        free(v[i].path);
    }
    free(v);
}
