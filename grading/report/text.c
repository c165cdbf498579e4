/* text.c - a verdict as text for a terminal. See report.h. */
#include "report.h"
#include "base/alloc.h"
#include "base/compiler_log.h"
#include "grading/mark/cases.h"
#include "lab/todo.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 8 };

const char *json_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

double json_double(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

/* Words of s filled into lines, each after INDENT spaces. */
static void add_filled(struct text *out, const char *label, const char *s)
{
    size_t column = INDENT + strlen(label);
    text_addf(out, "%*s%s", INDENT, "", label);
    while (*s) {
        size_t space = strspn(s, " "), word = strcspn(s + space, " \n");
        bool break_line = s[0] == '\n' || (column > INDENT && column + space + word > WIDTH);
        if (break_line) {
            text_addf(out, "\n%*s", INDENT, "");
            column = INDENT;
            s += s[0] == '\n' ? 1 : space;
            continue;
        }
        text_bytes(out, s, space + word);
        column += space + word;
        s += space + word;
    }
    text_add(out, "\n");
}

/* ---- rows ---- */

static void add_line(const char *mark, const char *colour, double points, double max,
                     const char *title, struct text *out)
{
    text_addf(out, "%s%s%s  %5.4g /%5.4g  %s\n", colour, mark, *colour ? "\033[0m" : "", points,
              max, title);
}

static void add_row(const struct verdict_row *row, const struct text_look *look, struct text *out)
{
    const struct status_words *w = status_words(row->status);
    char *title =
        xformat("%s%s", or_empty(row->title), row->evidence == EVIDENCE_RECORD ? " *" : "");

    add_line(w->mark, look->colours ? w->colour : "", row->points, row->max, title, out);
    free(title);
    if (row->status == STATUS_PASS || (row->status == STATUS_BLOCKED && !look->detail))
        return;
    add_filled(out, "", or_empty(row->why));
    if (*or_empty(row->hint))
        add_filled(out, "Hint: ", row->hint);
}

/* What the stars mean. */
static void add_record_note(const struct verdict *v, struct text *out)
{
    for (int i = 0; i < v->nrows; i++) {
        if (v->rows[i].evidence != EVIDENCE_RECORD)
            continue;
        text_add(out, "* by the runtime's own record, in the program's address space\n");
        return;
    }
}

static bool given_and_right(const struct verdict_row *row)
{
    return row->status == STATUS_PASS && !(row->max > 0);
}

static bool same_kernel(const struct verdict_row *a, const struct verdict_row *b)
{
    return a->variant && b->variant && !strcmp(a->variant, b->variant);
}

bool still_to_write(const struct verdict *v, const struct verdict_row *row, const char *source)
{
    const struct lab *lab = lab_named(or_empty(v->lab));
    const struct lab_variant *kernel = lab ? variant_named(lab, or_empty(row->variant)) : NULL;

    if (!kernel || !source)
        return false;
    for (int i = 0; i < v->nrows; i++) {
        if (same_kernel(&v->rows[i], row) && v->rows[i].status == STATUS_PASS)
            return false;
    }
    enum written w = written_of(source, kernel);
    return w == WRITTEN_NOT || w == WRITTEN_PARTLY || (w == WRITTEN_NONE && kernel->optional);
}

static void add_given(const struct verdict *v, struct text *out)
{
    struct text title = {0};
    int n = 0;

    for (int i = 0; i < v->nrows; i++)
        n += given_and_right(&v->rows[i]);
    if (n)
        text_addf(&title, "What was given is still right (%d row%s)", n, n == 1 ? "" : "s");
    if (n)
        add_line(status_words(STATUS_PASS)->mark, "", 0, 0, title.s, out);
    text_free(&title);
}

/* A kernel's rows: in the lab's order, which is the handout's. A rubric may begin with what is
 * given, and needs kernels that come later in it. */
static bool is_of(const struct verdict_row *row, const struct lab_variant *kernel)
{
    return row->variant && !strcmp(row->variant, kernel->name);
}

const char *first_failed(const struct verdict *v)
{
    const struct lab *lab = lab_named(or_empty(v->lab));

    for (int k = 0; lab && k < lab->nvariants; k++) {
        for (int i = 0; i < v->nrows; i++) {
            if (v->rows[i].status == STATUS_FAIL && is_of(&v->rows[i], &lab->variants[k]))
                return lab->variants[k].name;
        }
    }
    return NULL;
}

static void add_to_write(const struct verdict *v, const struct text_look *look, struct text *out)
{
    const struct lab *lab = lab_named(or_empty(v->lab));
    struct text names = {0};
    double max = 0;

    for (int k = 0; lab && k < lab->nvariants; k++) {
        const char *name = lab->variants[k].name;

        for (int i = 0; i < v->nrows; i++) {
            const struct verdict_row *row = &v->rows[i];

            if (!is_of(row, &lab->variants[k]) || !still_to_write(v, row, look->source))
                continue;
            max += row->max;
            if (name)
                text_addf(&names, "%s%s", names.length ? ", " : "", name);
            name = NULL;
        }
    }
    if (names.length) {
        add_line(status_words(STATUS_BLOCKED)->mark, "", 0, max, "Still to be written:", out);
        add_filled(out, "", names.s);
    }
    text_free(&names);
}

static void add_rows_in_brief(const struct verdict *v, const struct text_look *look,
                              struct text *out)
{
    add_given(v, out);
    for (int i = 0; i < v->nrows; i++) {
        if (!given_and_right(&v->rows[i]) && !still_to_write(v, &v->rows[i], look->source))
            add_row(&v->rows[i], look, out);
    }
    add_to_write(v, look, out);
}

static void add_log(const char *log, bool whole, struct text *out)
{
    if (!*log)
        return;
    text_add(out, "The compiler says:\n");
    if (whole)
        text_add(out, log);
    else if (compiler_log_first(out, log))
        text_add(out, ": DETAIL=1 shows them");
    if (out->s[out->length - 1] != '\n')
        text_add(out, "\n");
}

void report_text(const struct verdict *v, const struct text_look *look, struct text *out)
{
    text_addf(out, "%s (%s)\n", or_empty(v->title), or_empty(v->lab));
    if (*or_empty(v->message))
        text_addf(out, "%s: %s\n", verdict_word(v->status), v->message);
    add_log(or_empty(v->log), look->detail, out);
    for (int i = 0; i < v->nrows && look->detail; i++)
        add_row(&v->rows[i], look, out);
    if (!look->detail)
        add_rows_in_brief(v, look, out);
    add_record_note(v, out);
    text_addf(out, "score %.4g of %.4g%s\n", v->score, v->max,
              v->needs_human ? " (a person has to look at it)" : "");
}
