/* export.c - writes what Gradescope, Canvas, Moodle, Autolab, PrairieLearn, GitHub Classroom
 * and JUnit readers import. See export.h; field names are those of the systems' own documents.
 */
#include "export.h"
#include "base/alloc.h"
#include "base/text.h"

#include "base/csv.h"
#include "grading/report/report.h"

#include <math.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

static void dump(json_t *o, size_t flags, struct text *out)
{
    char *s = json_dumps(o, flags | JSON_PRESERVE_ORDER);
    text_add(out, s);
    text_add(out, "\n");
    free(s);
    json_decref(o);
}

static bool passed(const struct verdict_row *row)
{
    return row->status == STATUS_PASS;
}

/* What a student reads about one row. */
static char *row_feedback(const struct verdict_row *row)
{
    const char *hint = passed(row) ? "" : or_empty(row->hint);
    return xformat("%s%s%s", or_empty(row->why), *hint ? "\nHint: " : "", hint);
}

static char *whole_feedback(const struct verdict *v)
{
    const char *message = or_empty(v->message);
    return xformat("%s%s%s", message, *message ? "\n" : "", or_empty(v->log));
}

/* ---- one verdict ---- */

static json_t *gradescope_test(const struct verdict_row *row, int number)
{
    char *feedback = row_feedback(row), *at = xformat("%d", number);
    json_t *t = json_pack("{s:f,s:f,s:s,s:s,s:s,s:s,s:[s],s:s}", "score", row->points, "max_score",
                          row->max, "status", passed(row) ? "passed" : "failed", "name",
                          or_empty(row->title), "number", at, "output", feedback, "tags",
                          row_kind_name(row->kind), "visibility", "visible");
    free(feedback);
    free(at);
    return t;
}

static void export_gradescope(const struct verdict *v, struct text *out)
{
    char *text = whole_feedback(v);
    json_t *tests = json_array();
    for (int i = 0; i < v->nrows; i++)
        json_array_append_new(tests, gradescope_test(&v->rows[i], i + 1));
    dump(json_pack("{s:f,s:s,s:s,s:s,s:s,s:s,s:s,s:o}", "score", v->score, "output", text,
                   "output_format", "text", "test_output_format", "text", "test_name_format",
                   "text", "visibility", "visible", "stdout_visibility", "hidden", "tests", tests),
         JSON_INDENT(1), out);
    free(text);
}

static void export_autolab(const struct verdict *v, struct text *out)
{
    json_t *scores = json_object();
    for (int i = 0; i < v->nrows; i++)
        json_object_set_new(scores, or_empty(v->rows[i].id), json_real(v->rows[i].points));
    dump(json_pack("{s:o,s:[f]}", "scores", scores, "scoreboard", v->score), JSON_COMPACT, out);
}

static json_t *prairielearn_test(const struct verdict_row *row)
{
    char *feedback = row_feedback(row);
    json_t *t = json_pack("{s:s,s:s,s:f,s:f,s:s,s:s}", "name", or_empty(row->id), "description",
                          or_empty(row->title), "points", row->points, "max_points", row->max,
                          "message", status_words(row->status)->word, "output", feedback);
    free(feedback);
    return t;
}

static void export_prairielearn(const struct verdict *v, struct text *out)
{
    char *text = whole_feedback(v);
    json_t *tests = json_array();
    bool gradable = v->status != VERDICT_FAILED && v->status != VERDICT_UNREADABLE &&
                    v->status != VERDICT_MISSING;
    for (int i = 0; i < v->nrows; i++)
        json_array_append_new(tests, prairielearn_test(&v->rows[i]));
    dump(json_pack("{s:b,s:f,s:s,s:s,s:[],s:o}", "gradable", gradable, "score",
                   v->max > 0 ? v->score / v->max : 0.0, "message", or_empty(v->message), "output",
                   text, "images", "tests", tests),
         JSON_INDENT(1), out);
    free(text);
}

static void base64(const char *s, size_t n, struct text *out)
{
    char *raw = xmalloc(BASE64_ENCODE_RAW_LENGTH(n));
    base64_encode_raw(raw, n, (const uint8_t *)s);
    text_bytes(out, raw, BASE64_ENCODE_RAW_LENGTH(n));
    free(raw);
}

static json_t *classroom_test(const struct verdict *v, const struct verdict_row *row)
{
    char *feedback = row_feedback(row);
    json_t *t = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:i,s:f,s:f}", "name", or_empty(row->title), "status",
        passed(row)                   ? "pass"
        : row->status == STATUS_ERROR ? "error"
                                      : "fail",
        "message", feedback, "test_code", or_empty(row->id), "filename", or_empty(v->file),
        "line_no", (int)row->line, "duration", 0.0, "score", row->points);
    free(feedback);
    return t;
}

static void export_classroom(const struct verdict *v, struct text *out)
{
    json_t *tests = json_array();
    bool graded = v->status == VERDICT_GRADED, all = graded;
    for (int i = 0; i < v->nrows; i++) {
        all = all && passed(&v->rows[i]);
        json_array_append_new(tests, classroom_test(v, &v->rows[i]));
    }
    json_t *o = json_pack("{s:i,s:s,s:f,s:o}", "version", 1, "status",
                          !graded ? "error"
                          : all   ? "pass"
                                  : "fail",
                          "max_score", v->max, "tests", tests);
    char *s = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
    base64(s, strlen(s), out);
    text_add(out, "\n");
    free(s);
    json_decref(o);
}

/* ---- a class ---- */

static void put_number(struct text *out, double v)
{
    char s[32];
    snprintf(s, sizeof(s), "%.10g", v);
    csv_put(out, s);
}

static void put_row(struct text *out, const char *const *cells, int n)
{
    for (int i = 0; i < n; i++)
        csv_put(out, cells[i]);
}

/* The import leaves an empty cell alone. */
static void put_if(struct text *out, bool given, double v)
{
    if (given)
        put_number(out, v);
    else
        csv_put(out, "");
}

static void put_mark(struct text *out, const struct mark *m, const struct export_options *o)
{
    put_if(out, mark_counts(m, o->missing_zero), m->mark);
}

/* The title keeps its id: an unmatched one would make a new assignment. */
static void export_canvas(const struct mark *v, int n, const struct export_options *o,
                          struct text *out)
{
    static const char *const header[] = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
    double max = 0;
    put_row(out, header, 5);
    csv_put(out, o->title);
    csv_end(out);
    for (int i = 0; i < n; i++)
        max = fmax(max, v[i].max);
    csv_put(out, "    Points Possible");
    text_add(out, ",,,,");
    put_number(out, max);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        put_row(out, (const char *const[]){v[i].person, v[i].student, "", v[i].login, v[i].section},
                5);
        put_mark(out, &v[i], o);
        csv_end(out);
    }
}

static char *comment_of(const struct mark *m)
{
    struct verdict *v = mark_verdict(m);
    struct text t = {0};
    text_add(&t, v ? or_empty(v->message) : "");
    for (int i = 0; v && i < v->nrows; i++) {
        if (passed(&v->rows[i]))
            continue;
        char *feedback = row_feedback(&v->rows[i]);
        text_addf(&t, "%s%s: %s", t.length ? "\n" : "", or_empty(v->rows[i].title), feedback);
        free(feedback);
    }
    if (m->rule && strcmp(m->rule, "as marked"))
        text_addf(&t, "%s%s", t.length ? "\n" : "", m->rule);
    verdict_free(v);
    return text_take(&t);
}

static void export_moodle(const struct mark *v, int n, const struct export_options *o,
                          struct text *out)
{
    static const char *const header[] = {"Identifier",       "Full name",
                                         "Email address",    "Grade",
                                         "Maximum Grade",    "Last modified (grade)",
                                         "Feedback comments"};
    put_row(out, header, 7);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        char *id = xformat("Participant %s", v[i].student), *comment = comment_of(&v[i]);
        put_row(out, (const char *const[]){id, v[i].person, v[i].email}, 3);
        put_mark(out, &v[i], o);
        put_number(out, v[i].max);
        put_row(out, (const char *const[]){"-", comment}, 2);
        csv_end(out);
        free(id);
        free(comment);
    }
}

static void export_csv(const struct mark *v, int n, const struct export_options *o,
                       struct text *out)
{
    static const char *const header[] = {"ID",  "Name", "Lab",       "Status", "Score",
                                         "Max", "Mark", "Days late", "Rule"};
    put_row(out, header, 9);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        const char *words[] = {v[i].student, v[i].person, v[i].lab,
                               mark_status(&v[i], "not marked yet")};
        put_row(out, words, 4);
        put_if(out, mark_has_score(&v[i], o->missing_zero), v[i].score);
        put_number(out, v[i].max);
        put_mark(out, &v[i], o);
        put_number(out, v[i].lateness_days);
        csv_put(out, v[i].rule);
        csv_end(out);
    }
}

enum junit { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED };

static enum junit junit_of(const struct verdict_row *row)
{
    return row->status == STATUS_PASS      ? JUNIT_PASSED
           : row->status == STATUS_ERROR   ? JUNIT_ERROR
           : row->status == STATUS_SKIPPED ? JUNIT_SKIPPED
                                           : JUNIT_FAILURE;
}

/* time: its attribute, or "". */
static void junit_case(struct text *out, const char *lab, const char *name, const char *time,
                       enum junit end, const char *message)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    text_add(out, "  <testcase classname=\"");
    html_escape(out, lab);
    text_add(out, "\" name=\"");
    html_escape(out, name);
    text_addf(out, "\"%s>", time);
    if (elements[end]) {
        text_addf(out, "<%s message=\"", elements[end]);
        html_escape(out, message);
        text_add(out, "\"/>");
    }
    text_add(out, "</testcase>\n");
}

static void junit_rows(struct text *out, const struct mark *m, const struct verdict *v)
{
    for (int i = 0; i < v->nrows; i++) {
        char *feedback = row_feedback(&v->rows[i]);
        junit_case(out, m->lab, or_empty(v->rows[i].title), " time=\"0\"", junit_of(&v->rows[i]),
                   feedback);
        free(feedback);
    }
}

static void export_junit(const struct mark *v, int n, const struct export_options *o,
                         struct text *out)
{
    (void)o;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < n; i++) {
        struct verdict *verdict = mark_verdict(&v[i]);
        int ends[4] = {0}, rows = verdict ? verdict->nrows : 0;
        for (int k = 0; k < rows; k++)
            ends[junit_of(&verdict->rows[k])]++;
        ends[JUNIT_ERROR] += !rows;
        text_add(out, " <testsuite name=\"");
        html_escape(out, v[i].student);
        text_addf(out, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
                  rows ? rows : 1, ends[JUNIT_FAILURE], ends[JUNIT_ERROR], ends[JUNIT_SKIPPED]);
        if (rows)
            junit_rows(out, &v[i], verdict);
        else
            junit_case(out, v[i].lab, "submission", "", JUNIT_ERROR,
                       verdict ? or_empty(verdict->message) : "not marked yet");
        text_add(out, " </testsuite>\n");
        verdict_free(verdict);
    }
    text_add(out, "</testsuites>\n");
}

static json_t *number_if(bool given, double v)
{
    return given ? json_real(v) : json_null();
}

static json_t *anonymous_rows(const struct verdict *v)
{
    json_t *rows = json_array();
    for (int i = 0; v && i < v->nrows; i++) {
        const struct verdict_row *r = &v->rows[i];
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f}", "id", or_empty(r->id), "status",
                                              status_words(r->status)->word, "points", r->points,
                                              "max", r->max));
    }
    return rows;
}

static void export_anonymous(const struct mark *v, int n, const struct export_options *o,
                             struct text *out)
{
    for (int i = 0; i < n; i++) {
        struct verdict *verdict = mark_verdict(&v[i]);
        dump(json_pack("{s:s,s:s,s:s,s:o,s:f,s:o,s:f,s:o}", "student", v[i].alias, "lab", v[i].lab,
                       "status", mark_status(&v[i], ""), "score",
                       number_if(mark_has_score(&v[i], o->missing_zero), v[i].score), "max",
                       v[i].max, "mark", number_if(mark_counts(&v[i], o->missing_zero), v[i].mark),
                       "days_late", v[i].lateness_days, "rows", anonymous_rows(verdict)),
             JSON_COMPACT, out);
        verdict_free(verdict);
    }
}

const struct export_format export_formats[] = {
    /* name, what for, of one verdict, of a class, wants: lab, title */
    {"gradescope", "results.json of an autograder", export_gradescope, NULL, false, false},
    {"autolab", "the last line that an autograder prints", export_autolab, NULL, false, false},
    {"prairielearn", "results.json of an external grader", export_prairielearn, NULL, false, false},
    {"classroom", "the step output \"result\" of a GitHub workflow", export_classroom, NULL, false,
     false},
    {"canvas", "a gradebook's column", NULL, export_canvas, true, true},
    {"moodle", "an offline grading worksheet", NULL, export_moodle, true, false},
    {"csv", "everything, for a spreadsheet", NULL, export_csv, false, false},
    {"junit", "JUnit XML", NULL, export_junit, false, false},
    {"anonymous", "a JSON line a student, nameless", NULL, export_anonymous, false, false},
    {0}};

const struct export_format *export_format_named(const char *name)
{
    for (const struct export_format *f = export_formats; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}
