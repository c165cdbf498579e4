/* export.c - writes what Gradescope, Canvas, Moodle, Autolab, PrairieLearn, GitHub Classroom
 * and JUnit readers import. See export.h; field names are those of the systems' own documents.
 */
#include "export.h"
#include "base/alloc.h"
#include "base/text.h"

#include "base/csv.h"
#include "grading/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void dump(json_t *o, struct text *out)
{
    char *s = json_dumps(o, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    text_add(out, s);
    text_add(out, "\n");
    free(s);
    json_decref(o);
}

static bool passed(const json_t *row)
{
    return !strcmp(json_text(row, "status"), "pass");
}

/* What a student reads about one row. */
static char *row_feedback(const json_t *row)
{
    const char *hint = passed(row) ? "" : json_text(row, "hint");
    return xformat("%s%s%s", json_text(row, "why"), *hint ? "\nHint: " : "", hint);
}

static char *whole_feedback(const json_t *v)
{
    return xformat("%s%s%s", json_text(v, "message"), *json_text(v, "message") ? "\n" : "",
                   json_text(json_object_get(v, "compile"), "log"));
}

/* ---- one verdict ---- */

void export_gradescope(const json_t *v, struct text *out)
{
    json_t *o = json_object(), *tests = json_array(), *row;
    char *text = whole_feedback(v);
    size_t i;
    json_object_set_new(o, "score", json_real(json_double(v, "score")));
    json_object_set_new(o, "output", json_string(text));
    json_object_set_new(o, "output_format", json_string("text"));
    json_object_set_new(o, "test_output_format", json_string("text"));
    json_object_set_new(o, "test_name_format", json_string("text"));
    json_object_set_new(o, "visibility", json_string("visible"));
    json_object_set_new(o, "stdout_visibility", json_string("hidden"));
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        json_t *t = json_object();
        char *feedback = row_feedback(row), number[24];
        snprintf(number, sizeof(number), "%zu", i + 1);
        json_object_set_new(t, "score", json_real(json_double(row, "points")));
        json_object_set_new(t, "max_score", json_real(json_double(row, "max")));
        json_object_set_new(t, "status", json_string(passed(row) ? "passed" : "failed"));
        json_object_set_new(t, "name", json_string(json_text(row, "title")));
        json_object_set_new(t, "number", json_string(number));
        json_object_set_new(t, "output", json_string(feedback));
        json_object_set_new(t, "tags", json_pack("[s]", json_text(row, "kind")));
        json_object_set_new(t, "visibility", json_string("visible"));
        json_array_append_new(tests, t);
        free(feedback);
    }
    json_object_set_new(o, "tests", tests);
    free(text);
    dump(o, out);
}

void export_autolab(const json_t *v, struct text *out)
{
    json_t *scores = json_object(), *row;
    size_t i;
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        json_object_set_new(scores, json_text(row, "id"), json_real(json_double(row, "points")));
    }
    json_t *o = json_pack("{s:o,s:[f]}", "scores", scores, "scoreboard", json_double(v, "score"));
    char *s = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
    text_add(out, s);
    text_add(out, "\n");
    free(s);
    json_decref(o);
}

void export_prairielearn(const json_t *v, struct text *out)
{
    json_t *tests = json_array(), *row;
    char *text = whole_feedback(v);
    double max = json_double(v, "max");
    const char *status = json_text(v, "status");
    bool gradable =
        strcmp(status, "failed") && strcmp(status, "unreadable") && strcmp(status, "missing");
    size_t i;
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        char *feedback = row_feedback(row);
        json_array_append_new(
            tests, json_pack("{s:s,s:s,s:f,s:f,s:s,s:s}", "name", json_text(row, "id"),
                             "description", json_text(row, "title"), "points",
                             json_double(row, "points"), "max_points", json_double(row, "max"),
                             "message", json_text(row, "status"), "output", feedback));
        free(feedback);
    }
    dump(json_pack("{s:b,s:f,s:s,s:s,s:[],s:o}", "gradable", gradable, "score",
                   max > 0 ? json_double(v, "score") / max : 0.0, "message",
                   json_text(v, "message"), "output", text, "images", "tests", tests),
         out);
    free(text);
}

static void base64(const char *s, size_t n, struct text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t w = (uint32_t)(unsigned char)s[i] << 16 |
                     (left > 1 ? (uint32_t)(unsigned char)s[i + 1] << 8 : 0) |
                     (left > 2 ? (unsigned char)s[i + 2] : 0);
        char q[4] = {digits[w >> 18], digits[w >> 12 & 63], left > 1 ? digits[w >> 6 & 63] : '=',
                     left > 2 ? digits[w & 63] : '='};
        text_bytes(out, q, 4);
    }
}

void export_classroom(const json_t *v, struct text *out)
{
    json_t *tests = json_array(), *row;
    bool graded = !strcmp(json_text(v, "status"), "graded"), all = graded;
    size_t i;
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        char *feedback = row_feedback(row);
        json_t *line = json_object_get(row, "line");
        bool ok = passed(row), error = !strcmp(json_text(row, "status"), "error");
        all = all && ok;
        json_t *t = json_pack("{s:s,s:s,s:s,s:s,s:s,s:i,s:f,s:f}", "name", json_text(row, "title"),
                              "status",
                              ok      ? "pass"
                              : error ? "error"
                                      : "fail",
                              "message", feedback, "test_code", json_text(row, "id"), "filename",
                              json_text(v, "file"), "line_no", (int)json_integer_value(line),
                              "duration", 0.0, "score", json_double(row, "points"));
        json_array_append_new(tests, t);
        free(feedback);
    }
    json_t *o = json_pack("{s:i,s:s,s:f,s:o}", "version", 1, "status",
                          !graded ? "error"
                          : all   ? "pass"
                                  : "fail",
                          "max_score", json_double(v, "max"), "tests", tests);
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

/* The title keeps its id: an unmatched one would make a new assignment. */
void export_canvas(const struct mark *v, int n, const char *title, struct text *out)
{
    static const char *const header[] = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
    double max = 0;
    for (int k = 0; k < 5; k++)
        csv_put(out, header[k]);
    csv_put(out, title);
    csv_end(out);
    for (int i = 0; i < n; i++)
        max = fmax(max, v[i].max);
    csv_put(out, "    Points Possible");
    text_add(out, ",,,,");
    put_number(out, max);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        csv_put(out, v[i].person);
        csv_put(out, v[i].student);
        csv_put(out, "");
        csv_put(out, v[i].login);
        csv_put(out, v[i].section);
        if (v[i].verdict && !v[i].needs_human)
            put_number(out, v[i].mark);
        else
            csv_put(out, ""); /* no mark yet: the import leaves the cell alone */
        csv_end(out);
    }
}

static char *comment_of(const struct mark *m)
{
    json_error_t bad;
    json_t *v = m->verdict ? json_loads(m->verdict, 0, &bad) : NULL, *row;
    struct text t = {0};
    size_t i;
    text_add(&t, json_text(v, "message"));
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        if (passed(row))
            continue;
        char *feedback = row_feedback(row);
        text_addf(&t, "%s%s: %s", t.length ? "\n" : "", json_text(row, "title"), feedback);
        free(feedback);
    }
    if (m->rule && strcmp(m->rule, "as marked"))
        text_addf(&t, "%s%s", t.length ? "\n" : "", m->rule);
    json_decref(v);
    return t.s ? t.s : xstrdup("");
}

void export_moodle(const struct mark *v, int n, struct text *out)
{
    static const char *const header[] = {"Identifier",       "Full name",
                                         "Email address",    "Grade",
                                         "Maximum Grade",    "Last modified (grade)",
                                         "Feedback comments"};
    for (int k = 0; k < 7; k++)
        csv_put(out, header[k]);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        char *id = xformat("Participant %s", v[i].student), *comment = comment_of(&v[i]);
        csv_put(out, id);
        csv_put(out, v[i].person);
        csv_put(out, v[i].email);
        if (v[i].verdict && !v[i].needs_human)
            put_number(out, v[i].mark);
        else
            csv_put(out, "");
        put_number(out, v[i].max);
        csv_put(out, "-");
        csv_put(out, comment);
        csv_end(out);
        free(id);
        free(comment);
    }
}

void export_csv(const struct mark *v, int n, struct text *out)
{
    static const char *const header[] = {"ID",  "Name", "Lab",       "Status", "Score",
                                         "Max", "Mark", "Days late", "Rule"};
    for (int k = 0; k < 9; k++)
        csv_put(out, header[k]);
    csv_end(out);
    for (int i = 0; i < n; i++) {
        const char *words[] = {v[i].student, v[i].person, v[i].lab,
                               v[i].status ? v[i].status : "not marked yet"};
        const double numbers[] = {v[i].score, v[i].max, v[i].mark, v[i].lateness_days};
        for (int k = 0; k < 4; k++)
            csv_put(out, words[k]);
        for (int k = 0; k < 4; k++)
            put_number(out, numbers[k]);
        csv_put(out, v[i].rule);
        csv_end(out);
    }
}

static void junit_case(const struct mark *m, const json_t *row, struct text *out)
{
    const char *status = json_text(row, "status");
    char *feedback = row_feedback(row);
    text_add(out, "  <testcase classname=\"");
    html_escape(out, m->lab);
    text_add(out, "\" name=\"");
    html_escape(out, json_text(row, "title"));
    text_add(out, "\" time=\"0\">");
    const char *element = passed(row)                  ? NULL
                          : !strcmp(status, "error")   ? "error"
                          : !strcmp(status, "skipped") ? "skipped"
                                                       : "failure";
    if (element) {
        text_addf(out, "<%s message=\"", element);
        html_escape(out, feedback);
        text_add(out, "\"/>");
    }
    text_add(out, "</testcase>\n");
    free(feedback);
}

void export_junit(const struct mark *v, int n, struct text *out)
{
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < n; i++) {
        json_error_t bad;
        json_t *verdict = v[i].verdict ? json_loads(v[i].verdict, 0, &bad) : NULL,
               *rows = json_object_get(verdict, "rows"), *row;
        size_t k, failures = 0, errors = 0, skipped = 0, tests = json_array_size(rows);
        json_array_foreach(rows, k, row)
        {
            const char *status = json_text(row, "status");
            errors += !strcmp(status, "error");
            skipped += !strcmp(status, "skipped");
            failures +=
                strcmp(status, "error") && strcmp(status, "skipped") && strcmp(status, "pass");
        }
        bool none = tests == 0;
        text_add(out, " <testsuite name=\"");
        html_escape(out, v[i].student);
        text_addf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                  none ? 1 : tests, failures, none ? 1 : errors, skipped);
        json_array_foreach(rows, k, row)
        {
            junit_case(&v[i], row, out);
        }
        if (none) {
            text_add(out, "  <testcase classname=\"");
            html_escape(out, v[i].lab);
            text_add(out, "\" name=\"submission\"><error message=\"");
            html_escape(out, verdict ? json_text(verdict, "message") : "not marked yet");
            text_add(out, "\"/></testcase>\n");
        }
        text_add(out, " </testsuite>\n");
        json_decref(verdict);
    }
    text_add(out, "</testsuites>\n");
}

void export_anonymous(const struct mark *v, int n, struct text *out)
{
    for (int i = 0; i < n; i++) {
        json_error_t bad;
        json_t *verdict = v[i].verdict ? json_loads(v[i].verdict, 0, &bad) : NULL, *row,
               *rows = json_array();
        size_t k;
        json_array_foreach(json_object_get(verdict, "rows"), k, row)
        {
            json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f}", "id", json_text(row, "id"),
                                                  "status", json_text(row, "status"), "points",
                                                  json_double(row, "points"), "max",
                                                  json_double(row, "max")));
        }
        json_t *o =
            json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:f,s:o}", "student", v[i].alias, "lab", v[i].lab,
                      "status", v[i].status ? v[i].status : "", "score", v[i].score, "max",
                      v[i].max, "mark", v[i].mark, "days_late", v[i].lateness_days, "rows", rows);
        char *s = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
        text_addf(out, "%s\n", s);
        free(s);
        json_decref(o);
        json_decref(verdict);
    }
}
