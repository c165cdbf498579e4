/* html.c - the pages of html.h. Marks are drawn as SVG; colour never stands alone. */
#include "html.h"

#include "grading/mark/picture.h"
#include "base/alloc.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>";
static const char style[] =
    "</title><style>"
    ":root{--ink:#1b1f24;--soft:#5d6772;--line:#d8dde3;--good:#1a7f37;--bad:#b42318;--part:#8a6100;"
    "--bar:#9db7d8;--me:#1f5fae}"
    "body{font:16px/1.5 "
    "system-ui,sans-serif;color:var(--ink);background:#fff;max-width:60rem;margin:2rem "
    "auto;padding:0 1rem}"
    "h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}"
    ".soft{color:var(--soft)}.score{font-size:2.2rem;margin:.5rem 0 0}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:."
    "4rem .6rem;border-bottom:1px solid var(--line)}"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".pass{color:var(--good)}.fail,.error{color:var(--bad)}.blocked,.inconclusive,.skipped{color:"
    "var(--part)}"
    "pre{background:#f5f7f9;border:1px solid "
    "var(--line);padding:.7rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:"
    ".85rem}"
    "svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}"
    "td{overflow-wrap:anywhere}td.k{white-space:nowrap}summary{cursor:pointer}figure{margin:.6rem "
    "0}figcaption{font-size:.85rem;color:var(--soft)}"
    "code{overflow-wrap:anywhere}@media(max-width:40rem){th,td{padding:.3rem}td.k{white-space:"
    "normal;overflow-wrap:normal}body{margin:1rem auto}}"
    ".picture .still{fill:#eef1f4}.picture .sector{fill:#fde9c9;stroke:#b45309;stroke-width:1.5}"
    ".picture .lane{fill:var(--me)}.picture .clash{fill:var(--bad)}"
    ".picture .mid{text-anchor:middle}"
    ".source{display:grid;grid-template-columns:auto "
    "1fr;font:.8rem/1.45 ui-monospace,monospace;border:1px solid var(--line);margin:.5rem 0}"
    ".source i{font-style:normal;color:var(--soft);text-align:right;padding:0 .6rem;"
    "background:#f5f7f9}.source code{white-space:pre-wrap;padding:0 .6rem}"
    ".source .at{background:#fff4e5}.source .said{grid-column:2;font-family:system-ui,sans-serif;"
    "background:#fff4e5;padding:.1rem .6rem .4rem 1.6rem}"
    ".matrix{overflow:auto}.matrix td,.matrix th{padding:.1rem .45rem;white-space:nowrap}"
    ".matrix .c{text-align:center}"
    ".picture .number{font-size:9px;fill:#fff;text-anchor:middle}"
    "</style></head><body>\n";

void html_escape(struct text *out, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '&':
            text_add(out, "&amp;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        case '\'':
            text_add(out, "&#39;");
            break;
        default:
            text_bytes(out, (unsigned char)*s < 0x20 && *s != '\n' && *s != '\t' ? "?" : s, 1);
        }
    }
}

/* From anywhere: made printable first, then escaped. */
static void add_safe(struct text *out, const char *s)
{
    struct text t = {0};
    text_printable(&t, or_empty(s), strlen(or_empty(s)), true);
    html_escape(out, text_str(&t));
    text_free(&t);
}

static void open_page(struct text *out, const char *title)
{
    text_add(out, head);
    add_safe(out, title);
    text_add(out, style);
}

/* ---- distribution: bars of tenths of the full marks; `mine` < 0: nobody's place ---- */

enum { BINS = 10, BAR_W = 52, PLOT_H = 110 };

/* Who has none is not shown as if it were 0. */
static void add_number_if(struct text *out, bool given, double v)
{
    if (given)
        text_addf(out, "%.4g", v);
    else
        text_add(out, "–");
}

static int bin_of(double mark, double max)
{
    int k = max > 0 ? (int)(BINS * mark / max) : 0;
    return k < 0 ? 0 : k >= BINS ? BINS - 1 : k;
}

static void add_distribution(struct text *out, const struct mark *v, int n, double max, double mine)
{
    int bins[BINS] = {0}, most = 1, total = 0;
    for (int i = 0; i < n; i++) {
        if (!mark_counts(&v[i], false))
            continue;
        int k = bin_of(v[i].mark, max);
        most = ++bins[k] > most ? bins[k] : most;
        total++;
    }
    text_addf(out,
              "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"Distribution of "
              "%d marks\">",
              BINS * BAR_W + 20, PLOT_H + 40, BINS * BAR_W + 20, total);
    for (int k = 0; k < BINS; k++) {
        int height = bins[k] * PLOT_H / most, x = 10 + k * BAR_W;
        bool me = mine >= 0 && bin_of(mine, max) == k;
        text_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>", x,
                  PLOT_H + 15 - height, BAR_W - 4, height, me ? "#1f5fae" : "#9db7d8");
        text_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.3g%s</text>",
                  x + BAR_W / 2 - 2, PLOT_H + 30, max * k / BINS, k == BINS - 1 ? "+" : "");
        if (bins[k])
            text_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d%s</text>",
                      x + BAR_W / 2 - 2, PLOT_H + 11 - height, bins[k], me ? " (you)" : "");
    }
    text_add(out, "</svg>\n");
}

/* ---- a student's page ---- */

/* source: the page has the file, and line numbers are links. */
static void add_row(struct text *out, const struct verdict_row *row, bool source)
{
    const struct status_words *w = status_words(row->status);
    text_add(out, "<tr><td class=\"k ");
    html_escape(out, w->word);
    text_add(out, "\">");
    html_escape(out, w->said);
    text_add(out, "</td><td class=\"n\">");
    if (row->max > 0)
        text_addf(out, "%.4g / %.4g", row->points, row->max);
    else
        text_add(out, "-"); /* it carries none */
    text_add(out, "</td><td><strong>");
    add_safe(out, row->title);
    text_add(out, "</strong><br>");
    add_safe(out, row->why);
    if (*or_empty(row->hint)) {
        text_add(out, "<br><em>Hint: ");
        add_safe(out, row->hint);
        text_add(out, "</em>");
    }
    text_add(out, " <span class=\"soft\">(");
    add_safe(out, evidence_word(row->evidence));
    text_add(out, ")</span>");
    if (source && row->line && !status_loses_nothing(row->status))
        text_addf(out, " <a href=\"#line%lld\">see line %lld</a>", (long long)row->line,
                  (long long)row->line);
    picture_svg(row->picture, out);
    text_add(out, "</td></tr>\n");
}

static void open_run(struct text *out, const struct verdict_run *run, const char *class)
{
    text_add(out, "<tr><td class=\"k\">");
    add_safe(out, run->variant);
    text_add(out, "</td><td class=\"k\">");
    add_safe(out, run->case_name); /* a hidden case's name says nothing of its size */
    text_addf(out, "</td><td%s>", class);
}

static void add_mismatches(struct text *out, const struct verdict_run *run)
{
    if (!run->nfirst)
        return;
    open_run(out, run, "");
    for (int i = 0; i < run->nfirst; i++) {
        text_addf(out, "[%lld] expected ", (long long)run->first[i].index);
        add_safe(out, run->first[i].expected);
        text_add(out, ", got ");
        add_safe(out, run->first[i].got);
        text_add(out, "<br>");
    }
    text_add(out, "</td></tr>\n");
}

static int64_t counter_of(const struct verdict_run *run, const char *name)
{
    for (int i = 0; i < run->ncounters; i++)
        if (!strcmp(run->counters[i].name, name))
            return run->counters[i].value;
    return 0;
}

static void add_counters(struct text *out, const struct verdict_run *run)
{
    static const char *const shown[] = {"inst_executed",
                                        "global_ld_requests",
                                        "global_ld_sectors",
                                        "global_st_requests",
                                        "global_st_sectors",
                                        "shared_ld_wavefronts",
                                        "shared_ld_bank_conflicts",
                                        "shared_st_bank_conflicts",
                                        "divergent_branches",
                                        "barriers"};
    open_run(out, run, " class=\"soft\"");
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        int64_t value = counter_of(run, shown[i]);
        if (value)
            text_addf(out, "%s %lld; ", shown[i], (long long)value);
    }
    text_add(out, "</td></tr>\n");
}

static void add_runs(struct text *out, const struct verdict *v, bool mismatches)
{
    size_t rows = 0;
    struct text t = {0};
    for (int i = 0; i < v->nruns; i++) {
        size_t before = t.length;
        if (mismatches)
            add_mismatches(&t, &v->runs[i]);
        else if (v->runs[i].correct && v->runs[i].ncounters)
            add_counters(&t, &v->runs[i]);
        rows += t.length > before;
    }
    if (rows && mismatches)
        text_addf(out,
                  "<h2>First wrong results</h2><table><tr><th>variant</th><th>case</th><th>index, "
                  "expected, got</th></tr>\n%s</table>\n",
                  t.s);
    else if (rows)
        text_addf(out,
                  "<details><summary>What was counted, run by run (%zu)</summary><table><tr><th>"
                  "variant</th><th>case</th><th>counters</th></tr>\n%s</table></details>\n",
                  rows, t.s);
    text_free(&t);
}

static void add_details(struct text *out, const struct verdict *v)
{
    if (*or_empty(v->log)) {
        text_add(out, "<h2>The compiler says</h2><pre>");
        add_safe(out, v->log);
        text_add(out, "</pre>\n");
    }
    add_runs(out, v, true);
    if (*or_empty(v->output)) {
        text_add(out, "<h2>Printed by the device</h2><pre>");
        add_safe(out, v->output);
        text_add(out, "</pre>\n");
        if (v->output_dropped)
            text_addf(out, "<p class=\"soft\">%lld more bytes are not shown.</p>\n",
                      (long long)v->output_dropped);
    }
    add_runs(out, v, false);
}

/* ---- the source, with what was said of its lines ---- */

enum { MOST_LINES = 3000 };

static void add_said_of(struct text *out, const struct verdict *v, int64_t line)
{
    for (int i = 0; i < v->nrows; i++) {
        const struct verdict_row *row = &v->rows[i];
        if (row->line != line || status_loses_nothing(row->status))
            continue;
        text_addf(out, "<div class=\"said\"><strong class=\"%s\">",
                  status_words(row->status)->word);
        add_safe(out, row->title);
        text_add(out, "</strong>: ");
        add_safe(out, row->why);
        text_add(out, "</div>");
    }
    for (const char *s = or_empty(v->log); *s; s += strcspn(s, "\n"), s += *s == '\n') {
        char *said = xformat("%.*s", (int)strcspn(s, "\n"), s), *at = strchr(said, '(');
        if (at && strtoll(at + 1, NULL, 10) == line && strstr(at, "): ")) {
            text_add(out, "<div class=\"said\"><strong class=\"fail\">the compiler</strong>: ");
            add_safe(out, strstr(at, "): ") + 3);
            text_add(out, "</div>");
        }
        free(said);
    }
}

/* Up to the line's end; a CR before it, and a lone CR as some editors write, are ends, too. */
static size_t line_length(const char *s)
{
    return strcspn(s, "\r\n");
}

static void add_source(struct text *out, const struct verdict *v, const char *source)
{
    struct text said = {0};
    if (!source || !*source)
        return;
    text_add(out, "<h2>Your file, and what was found where</h2><div class=\"source\">\n");
    for (int64_t line = 1; *source && line <= MOST_LINES; line++) {
        size_t n = line_length(source);
        char *text = xformat("%.*s", (int)n, source);
        add_said_of(&said, v, line);
        text_addf(out, "<i%s id=\"line%lld\">%lld</i><code%s>", said.length ? " class=\"at\"" : "",
                  (long long)line, (long long)line, said.length ? " class=\"at\"" : "");
        add_safe(out, text);
        text_addf(out, "</code>%s\n", text_str(&said));
        text_free(&said);
        free(text);
        source += n;
        source += source[0] == '\r' && source[1] == '\n' ? 2 : *source != '\0';
    }
    text_add(out, "</div>\n");
    if (*source)
        text_addf(out, "<p class=\"soft\">Lines after the %dth are not shown.</p>\n", MOST_LINES);
}

void html_student(const struct mark *m, const struct verdict *v, const char *source,
                  const struct mark *all, int n, struct text *out)
{
    static const struct verdict none;
    v = v ? v : &none;
    open_page(out, v->title);
    text_add(out, "<h1>");
    add_safe(out, v->title);
    text_add(out, "</h1><p class=\"soft\">");
    add_safe(out, *m->person ? m->person : m->student);
    text_add(out, ", file ");
    add_safe(out, m->original);
    text_add(out, "</p><p class=\"score\">");
    add_number_if(out, mark_counts(m, false), m->mark);
    text_addf(out, " <span class=\"soft\">of %.4g</span></p><p>", m->max);
    add_safe(out, m->verdict ? m->rule : "not marked yet");
    text_add(out, "</p>\n");
    if (*or_empty(v->message)) {
        text_add(out, "<p><strong>");
        add_safe(out, v->message);
        text_add(out, "</strong></p>\n");
    }
    if (v->nrows)
        text_add(out, "<table><tr><th>result</th><th class=\"n\">points</th><th>check</th></tr>\n");
    for (int i = 0; i < v->nrows; i++)
        add_row(out, &v->rows[i], source && *source);
    if (v->nrows)
        text_add(out, "</table>\n");
    text_add(out, "<h2>Your place among the class's marks</h2>\n");
    add_distribution(out, all, n, m->max, mark_counts(m, false) ? m->mark : -1);
    add_details(out, v);
    add_source(out, v, source);
    text_add(out, "<p class=\"soft\">Made on ");
    add_safe(out, v->device);
    text_add(out, " (");
    add_safe(out, v->backend);
    text_addf(out, "), run %lld; file ", (long long)m->run);
    add_safe(out, m->hash ? m->hash : "-");
    text_add(out, ".</p></body></html>\n");
}

/* ---- the class ---- */

static void add_pass_rates(struct text *out, const struct pass_rates *r)
{
    text_add(out, "<h2>Who passes what</h2><table><tr><th class=\"n\"></th><th>check</th><th "
                  "class=\"n\">pass</th><th></th></tr>\n");
    for (int i = 0; i < r->n; i++) {
        int k = r->v[i].passed;
        text_addf(out, "<tr><td class=\"n\">%d</td><td>", i + 1);
        add_safe(out, r->v[i].title);
        text_addf(out,
                  "</td><td class=\"n\">%d of %d</td><td><svg width=\"160\" height=\"14\" "
                  "aria-hidden=\"true\"><rect width=\"160\" height=\"14\" "
                  "fill=\"#eef1f4\"/><rect width=\"%d\" height=\"14\" "
                  "fill=\"#9db7d8\"/></svg></td></tr>\n",
                  k, r->graded, r->graded ? 160 * k / r->graded : 0);
    }
    text_add(out, "</table>\n");
}

static void add_link(struct text *out, const struct mark *m)
{
    text_add(out, "<a href=\"");
    html_escape(out, m->alias);
    text_add(out, ".html\">");
    add_safe(out, m->student);
    text_add(out, "</a>");
}

/* A row a student, a column a check. Colour never stands alone. */
static void add_matrix(struct text *out, const struct mark *all, int n, const struct pass_rates *r)
{
    static const char *const signs[] = {
        [STATUS_PASS] = "\xe2\x9c\x93",    [STATUS_FAIL] = "\xe2\x9c\x97",
        [STATUS_BLOCKED] = "\xc2\xb7",     [STATUS_INCONCLUSIVE] = "?",
        [STATUS_SKIPPED] = "\xe2\x80\x93", [STATUS_ERROR] = "!"};
    if (!r->n)
        return;
    text_add(out,
             "<h2>Student by check</h2><p class=\"soft\">\xe2\x9c\x93 passed, \xe2\x9c\x97 failed, "
             "\xc2\xb7 not looked at, ? a person must say, \xe2\x80\x93 not to be had here, ! the "
             "grader could not. Columns are the checks above.</p><div "
             "class=\"matrix\"><table><tr><th>student</th>");
    for (int k = 0; k < r->n; k++)
        text_addf(out, "<th class=\"c\">%d</th>", k + 1);
    text_add(out, "</tr>\n");
    for (int i = 0; i < n && i < r->nslowest; i++) {
        text_add(out, "<tr><td>");
        add_link(out, &all[i]);
        text_add(out, "</td>");
        for (int k = 0; k < r->n; k++) {
            enum row_status s;
            if (cell_of(r, i, k, &s))
                text_addf(out, "<td class=\"c %s\">%s</td>", status_words(s)->word, signs[s]);
            else
                text_add(out, "<td></td>");
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table></div>\n");
}

/* ---- causes ---- */

static void add_causes(struct text *out, const struct mark *all, const struct causes *c)
{
    if (!c->n)
        return;
    text_add(out, "<h2>By cause</h2><table><tr><th class=\"n\">students</th><th>what was "
                  "found</th></tr>\n");
    for (int i = 0; i < c->n; i++) {
        const struct cause *x = &c->v[i];
        text_addf(out, "<tr><td class=\"n\">%d</td><td><strong>", x->n);
        add_safe(out, x->text);
        text_add(out, "</strong>");
        if (x->checks) {
            text_add(out, "<br>");
            add_safe(out, x->checks);
        }
        if (*x->example) {
            text_add(out, "<br><span class=\"soft\">as in: ");
            add_safe(out, x->example);
            text_add(out, "</span>");
        }
        text_add(out, "<details><summary>who</summary>");
        for (int k = 0; k < x->n; k++) {
            text_add(out, k ? ", " : "");
            add_link(out, &all[x->students[k]]);
        }
        text_add(out, "</details></td></tr>\n");
    }
    text_add(out, "</table>\n");
}

/* ---- the slowest ---- */

enum { SLOWEST = 5 };

/* The index of the slowest that is faster than `below` ms; -1: no more. */
static int next_slowest(const struct pass_rates *r, double below)
{
    int found = -1;
    double most = 0;
    for (int i = 0; i < r->nslowest; i++) {
        if (r->slowest[i] > most && r->slowest[i] < below) {
            most = r->slowest[i];
            found = i;
        }
    }
    return found;
}

static void add_slowest(struct text *out, const struct mark *all, const struct pass_rates *r)
{
    double below = INFINITY;
    if (next_slowest(r, below) < 0)
        return;
    text_add(out, "<h2>The slowest</h2><table><tr><th>id</th><th>name</th><th class=\"n\">modelled "
                  "ms of the slowest run</th></tr>\n");
    for (int k = 0; k < SLOWEST; k++) {
        int i = next_slowest(r, below);
        if (i < 0)
            break;
        below = r->slowest[i];
        text_add(out, "<tr><td>");
        add_safe(out, all[i].student);
        text_add(out, "</td><td>");
        add_safe(out, all[i].person);
        text_addf(out, "</td><td class=\"n\">%.4g</td></tr>\n", below);
    }
    text_add(out, "</table>\n");
}

static void add_student_row(struct text *out, const struct mark *m)
{
    text_add(out, "<tr><td>");
    add_link(out, m);
    text_add(out, "</td><td>");
    add_safe(out, m->person);
    text_add(out, "</td><td class=\"n\">");
    add_number_if(out, mark_has_score(m, false), m->score);
    text_add(out, "</td><td class=\"n\">");
    add_number_if(out, mark_counts(m, false), m->mark);
    text_add(out, "</td><td>");
    add_safe(out, mark_status(m, "not marked yet"));
    if (m->rule && strcmp(m->rule, "as marked")) {
        text_add(out, "; ");
        add_safe(out, m->rule);
    }
    if (m->needs_human)
        text_add(out, " <strong class=\"fail\">needs a person</strong>");
    text_add(out, "</td></tr>\n");
}

void html_class(const struct mark *all, int n, const struct pass_rates *r, const struct causes *c,
                struct text *out)
{
    double max = 0, sum = 0;
    int marked = 0, human = 0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, all[i].max);
        sum += mark_counts(&all[i], false) ? all[i].mark : 0;
        marked += mark_counts(&all[i], false);
        human += all[i].needs_human;
    }
    open_page(out, "Class");
    text_add(out, "<h1>");
    add_safe(out, n ? all[0].lab : "no lab");
    text_addf(out,
              "</h1><p>%d students, %d have a mark, mean %.3g of %.4g; %d need a person.</p>\n", n,
              marked, marked ? sum / marked : 0, max, human);
    add_distribution(out, all, n, max, -1);
    add_causes(out, all, c);
    add_pass_rates(out, r);
    add_matrix(out, all, n, r);
    text_add(out, "<h2>Students</h2><table><tr><th>id</th><th>name</th><th "
                  "class=\"n\">score</th><th class=\"n\">mark</th><th>status</th></tr>\n");
    for (int pass = 0; pass < 2; pass++) /* those who need a person first */
        for (int i = 0; i < n; i++)
            if (all[i].needs_human == (pass == 0))
                add_student_row(out, &all[i]);
    text_add(out, "</table>\n");
    add_slowest(out, all, r);
    text_add(out, "</body></html>\n");
}
