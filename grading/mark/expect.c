/* expect.c - reads what a kernel of the bank must get, and compares. See expect.h. */
#include "expect.h"
#include "base/alloc.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool bad_line(struct text *why, const char *what, const char *line)
{
    text_addf(why, "%s: \"%s\"", what, line);
    return false;
}

/* "r3-ok=fail r3-clean=any" or "compile=fail" or "all=pass" */
static bool parse_rows(struct expect *e, char *list, struct text *why)
{
    char *save = NULL;
    for (char *word = strtok_r(list, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        char *equals = strchr(word, '=');
        enum row_status status;
        bool any = equals && !strcmp(equals + 1, "any");
        if (!equals || !(any || status_of(equals + 1, &status)) || e->nrows == EXPECT_MAX)
            return bad_line(why, "expect: not ROW=STATUS", word);
        *equals = 0;
        if (!strcmp(word, "compile")) {
            e->compile_fails = !any && status == STATUS_FAIL;
        } else if (strcmp(word, "all")) {
            e->rows[e->nrows].id = xstrdup(word);
            e->rows[e->nrows].any = any;
            e->rows[e->nrows++].status = any ? STATUS_PASS : status;
        } else if (any || status != STATUS_PASS) {
            return bad_line(why, "expect: all=pass is the only one", equals + 1);
        }
    }
    return true;
}

/* "r3-ok: last element" */
static bool parse_hint(struct expect *e, char *text, struct text *why)
{
    char *colon = strchr(text, ':');
    if (!colon || e->nhints == EXPECT_MAX)
        return bad_line(why, "hint: not ROW: TEXT", text);
    *colon = 0;
    e->hints[e->nhints].id = xstrdup(text);
    e->hints[e->nhints++].text = xstrdup(colon + 1 + strspn(colon + 1, " "));
    return true;
}

const char *const cheat_classes[] = {
    "dilution",     "elsewhere", "no-evidence", "only-where-looked",
    "known-inputs", "oracle",    "names",       NULL};

static bool parse_class(struct expect *e, const char *word, struct text *why)
{
    int k = 0;
    while (cheat_classes[k] && strcmp(cheat_classes[k], word))
        k++;
    if (!cheat_classes[k])
        return bad_line(why, "class: none of README.md's", word);
    free(e->class);
    e->class = xstrdup(word);
    return true;
}

static void add_prose(struct expect *e, const char *line)
{
    char *longer = e->prose ? xformat("%s %s", e->prose, line) : xstrdup(line);
    free(e->prose);
    e->prose = longer;
}

static bool parse_line(struct expect *e, char *line, struct text *why)
{
    enum { ONLY, EXPECT, HINT, SCORE, CLASS, AFTER, RUNG, NKEYS };
    static const char *const keys[NKEYS] = {
        "only:", "expect:", "hint:", "score:", "class:", "after:", "rung:"};
    char **const texts[NKEYS] = {[ONLY] = &e->only, [AFTER] = &e->after, [RUNG] = &e->rung};
    size_t k = 0;
    line += strspn(line, " \t");
    while (k < NKEYS && strncmp(line, keys[k], strlen(keys[k])))
        k++;
    if (k == NKEYS) {
        add_prose(e, line);
        return true;
    }
    char *value = line + strlen(keys[k]);
    value += strspn(value, " \t");
    if (texts[k]) {
        free(*texts[k]);
        *texts[k] = xstrdup(value);
    } else if (k == SCORE) {
        char *end;
        e->score = strtod(value, &end);
        e->has_score = true;
        return end != value || bad_line(why, "score: not a number", value);
    }
    return k == EXPECT  ? parse_rows(e, value, why)
           : k == HINT  ? parse_hint(e, value, why)
           : k == CLASS ? parse_class(e, value, why)
                        : true;
}

bool expect_parse(const char *source, struct expect *e, struct text *why)
{
    *e = (struct expect){.only = NULL};
    source += strncmp(source, "\xef\xbb\xbf", 3) ? 0 : 3; /* a byte-order mark */
    while (!strncmp(source, "//", 2)) {
        size_t n = strcspn(source, "\r\n");
        char *line = xformat("%.*s", (int)(n - 2), source + 2);
        bool ok = parse_line(e, line, why);
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
    free(e->prose);
    free(e->class);
    free(e->only);
    free(e->after);
    free(e->rung);
    for (int i = 0; i < e->nrows; i++)
        free(e->rows[i].id);
    for (int i = 0; i < e->nhints; i++) {
        free(e->hints[i].id);
        free(e->hints[i].text);
    }
    *e = (struct expect){.only = NULL};
}

/* ---- comparing ---- */

static const struct verdict_row *row_of(const struct verdict *v, const char *id)
{
    for (int i = 0; i < v->nrows; i++)
        if (!strcmp(v->rows[i].id, id))
            return &v->rows[i];
    return NULL;
}

/* Where e says it of the row: the index in e->rows; -1: it says nothing. */
static int expected_of(const struct expect *e, const char *id)
{
    for (int i = 0; i < e->nrows; i++)
        if (!strcmp(e->rows[i].id, id))
            return i;
    return -1;
}

static const char *expected_word(const struct expect *e, int k)
{
    return k < 0            ? status_words(STATUS_PASS)->word
           : e->rows[k].any ? "any"
                            : status_words(e->rows[k].status)->word;
}

static bool is_expected(const struct expect *e, int k, enum row_status got)
{
    if (k < 0)
        return status_loses_nothing(got) || (got == STATUS_BLOCKED && e->nrows);
    return e->rows[k].any || e->rows[k].status == got;
}

static int compare_rows(const struct expect *e, const struct verdict *v, struct text *out)
{
    int bad = 0;
    for (int i = 0; i < v->nrows; i++) {
        const struct verdict_row *row = &v->rows[i];
        int k = expected_of(e, row->id);
        if (is_expected(e, k, row->status))
            continue;
        text_addf(out, "  %s is %s, not %s: %s\n", row->id, status_words(row->status)->word,
                  expected_word(e, k), or_empty(row->why));
        bad++;
    }
    for (int k = 0; k < e->nrows; k++) {
        if (!row_of(v, e->rows[k].id)) {
            text_addf(out, "  there is no row %s to be %s\n", e->rows[k].id, expected_word(e, k));
            bad++;
        }
    }
    return bad;
}

static int compare_hints(const struct expect *e, const struct verdict *v, struct text *out)
{
    int bad = 0;
    for (int k = 0; k < e->nhints; k++) {
        const struct verdict_row *row = row_of(v, e->hints[k].id);
        char *feedback = !strcmp(e->hints[k].id, "compile")
                             ? xformat("%s", or_empty(v->log))
                             : xformat("%s\n%s", or_empty(row ? row->why : NULL),
                                       or_empty(row ? row->hint : NULL));
        if (!strcasestr(feedback, e->hints[k].text)) {
            text_addf(out, "  %s's feedback lacks \"%s\": %s\n", e->hints[k].id, e->hints[k].text,
                      feedback);
            bad++;
        }
        free(feedback);
    }
    return bad;
}

int expect_compare(const struct expect *e, const struct verdict *v, struct text *out)
{
    enum verdict_status want = e->compile_fails ? VERDICT_NOT_COMPILED : VERDICT_GRADED;
    if (v->status != want) {
        text_addf(out, "  it is %s, not %s: %s\n%s", verdict_word(v->status), verdict_word(want),
                  or_empty(v->message), or_empty(v->log));
        return 1;
    }
    int bad = (e->compile_fails ? 0 : compare_rows(e, v, out)) + compare_hints(e, v, out);
    if (e->has_score && !(fabs(v->score - e->score) < 1e-9)) {
        text_addf(out, "  the score is %g, not %g\n", v->score, e->score);
        bad++;
    }
    return bad;
}

/* Nothing is done in it: no row of it is worth a point. */
static int compare_skeleton(const struct verdict *v, struct text *out)
{
    if (v->status == VERDICT_GRADED && v->score == 0)
        return 0;
    text_addf(out, "  the skeleton is %s with %g of %g points: %s\n", verdict_word(v->status),
              v->score, v->max, or_empty(v->message));
    return 1;
}

int expect_file(struct engine *e, struct engine_options *o, const char *path, const char *kind,
                struct text *out)
{
    char *source;
    size_t n;
    struct expect x = {.only = NULL};
    struct text why = {0};
    if (!known_source(path, &source, &n, &why)) {
        text_addf(out, "  %s\n", why.s);
        text_free(&why);
        return 1;
    }
    bool bank = !strcmp(kind, "wrong") || !strcmp(kind, "right");
    if (bank && !expect_parse(source, &x, &why)) {
        text_addf(out, "  %s\n", why.s);
        text_free(&why);
        free(source);
        expect_free(&x);
        return 1;
    }
    const char *only = o->only;
    o->only = x.only ? x.only : only;
    struct verdict *v = engine_mark(e, path, source, n);
    o->only = only;
    int bad = !strcmp(kind, "skeleton") ? compare_skeleton(v, out) : expect_compare(&x, v, out);
    if (!strcmp(kind, "wrong") && !x.nrows && !x.compile_fails) {
        text_add(out, "  it is among the wrong ones but expects nothing\n");
        bad++;
    }
    if (!strcmp(kind, "right") && (x.nrows || x.compile_fails)) {
        text_add(out, "  it is among the right ones but expects less than all to pass\n");
        bad++;
    }
    verdict_free(v);
    expect_free(&x);
    free(source);
    return bad;
}
