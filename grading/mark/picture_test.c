/* picture_test.c - pictures show what the submission's own run did, and what was counted. */
#include "engine.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "expect.h"
#include "grading/report/html.h"
#include "picture.h"
#include "grading/report/report.h"
#include "marked.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dividing a request, as plots/trace.py does it for handouts ---- */

static const struct pattern {
    const char *name;
    uint32_t mask;
    unsigned size, start, step;
    int sectors, passes;
} patterns[] = {
    {"neighbours", 0xffffffff, 4, 0, 4, 4, 1},  {"off by one word", 0xffffffff, 4, 4, 4, 5, 1},
    {"every other", 0xffffffff, 4, 0, 8, 8, 2}, {"a row apart", 0xffffffff, 4, 0, 128, 32, 32},
    {"33 words", 0xffffffff, 4, 0, 132, 32, 1}, {"half a warp", 0x0000ffff, 4, 0, 4, 2, 1},
    {"bytes", 0xffffffff, 1, 0, 1, 1, 1},       {"one word", 0xffffffff, 4, 64, 0, 1, 1},
    {"doubles", 0xffffffff, 8, 0, 8, 8, 2},     {"doubles, 2", 0xffffffff, 8, 0, 16, 16, 4},
    {"vectors", 0xffffffff, 16, 0, 16, 16, 4},  {"vectors, 2", 0xffffffff, 16, 0, 32, 32, 8},
    {"last lane", 0x80000000, 4, 28, 4, 1, 1},
};
enum { NPATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

static int addresses(const struct pattern *p, uint64_t at[32])
{
    int n = 0;
    for (unsigned i = 0; i < 32; i++)
        if (p->mask >> i & 1)
            at[n++] = p->start + i * p->step;
    return n;
}

Test(picture, requests_divide)
{
    for (int i = 0; i < NPATTERNS; i++) {
        const struct pattern *p = &patterns[i];
        uint64_t at[32];
        addresses(p, at);
        cr_expect_eq(picture_sectors(p->mask, at, p->size), p->sectors, "%s: %d sectors", p->name,
                     picture_sectors(p->mask, at, p->size));
        cr_expect_eq(picture_passes(p->mask, at, p->size), p->passes, "%s: %d passes", p->name,
                     picture_passes(p->mask, at, p->size));
    }
}

Test(picture, as_in_the_handouts, .timeout = 30)
{
    struct engine_options o;
    struct text program = {0};
    engine_defaults(&o);
    text_addf(&program, "python3 -c \"import sys; sys.path.insert(0, '%s/plots')\nimport trace\n",
              o.root);
    for (int i = 0; i < NPATTERNS; i++) {
        uint64_t at[32];
        int n = addresses(&patterns[i], at);
        text_addf(&program, "a = {'mask': %u, 'size': %u, 'addresses': [", patterns[i].mask,
                  patterns[i].size);
        for (int k = 0; k < n; k++)
            text_addf(&program, "%llu,", (unsigned long long)at[k]);
        text_add(&program, "]}\nprint(len(trace.sectors(a)), len(trace.wavefronts(a)))\n");
    }
    text_add(&program, "\"");
    FILE *f = popen(program.s, "r");
    cr_assert(f);
    for (int i = 0; i < NPATTERNS; i++) {
        int sectors = -1, passes = -1;
        cr_assert_eq(fscanf(f, "%d %d", &sectors, &passes), 2, "trace.py said nothing");
        cr_expect_eq(sectors, patterns[i].sectors, "%s: %d sectors", patterns[i].name, sectors);
        cr_expect_eq(passes, patterns[i].passes, "%s: %d passes", patterns[i].name, passes);
    }
    pclose(f);
    text_free(&program);
}

/* ---- from a submission to its page ---- */

static json_t *mark_wrong(const char *lab, const char *file)
{
    struct engine_options o;
    struct engine e;
    struct expect x;
    struct text why = {0};
    char *source;
    size_t n;
    engine_defaults(&o);
    char *path = xformat("%s/labs/%s/wrong/%s", o.root, lab, file);
    cr_assert_eq(file_read_no_link(path, 1 << 20, &source, &n), 0, "%s", path);
    cr_assert(expect_parse(source, &x, &why));
    o.only = x.only;
    cr_assert(engine_open(&e, lab, &o, &why), "%s", text_str(&why));
    json_t *v = marked(&e, file, source, n);
    engine_close(&e);
    expect_free(&x);
    free(source);
    free(path);
    return v;
}

static json_t *row_with_picture(const json_t *v)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(v, "rows"), i, row)
    {
        bool failed_gate =
            !strcmp(json_text(row, "status"), "fail") && !strcmp(json_text(row, "kind"), "gate");
        cr_assert(!json_object_get(row, "picture") || failed_gate, "%s", json_text(row, "id"));
        if (json_object_get(row, "picture"))
            return row;
    }
    cr_assert_fail("no row has a picture");
    return NULL;
}

static int count(const char *s, const char *part)
{
    int n = 0;
    for (; (s = strstr(s, part)); s++)
        n++;
    return n;
}

static char *page_of(const json_t *v)
{
    struct text page = {0};
    char *why = NULL;
    struct verdict *verdict = verdict_of_json(v, &why);
    cr_assert(verdict, "%s", why);
    struct mark m = {.student = "s",
                     .person = "",
                     .login = "",
                     .email = "",
                     .alias = "a",
                     .original = "f.cu",
                     .lab = "l",
                     .rule = "as marked",
                     .verdict = "",
                     .status = VERDICT_GRADED,
                     .max = 20};
    html_student(&m, verdict, NULL, &m, 1, &page);
    verdict_free(verdict);
    return page.s;
}

#define INT(o, key) json_integer_value(json_object_get(o, key))

/* Each lane stores to a line of its own: 32 lanes, 32 sectors, as was counted a request. */
Test(picture, sectors_of_a_store, .timeout = 60)
{
    json_t *v = mark_wrong("coalescing", "tile_writes_columns.cu"), *row = row_with_picture(v),
           *p = json_object_get(row, "picture");
    cr_assert_str_eq(json_text(p, "kind"), "sectors");
    cr_assert_str_eq(json_text(p, "what"), "store");
    cr_assert_eq(INT(p, "units"), 32);
    cr_assert_eq(INT(p, "least"), 4);
    cr_assert_eq(json_double(row, "counted"), 128 * 96);
    cr_assert_eq(INT(p, "line"), INT(row, "line"));
    cr_assert(strstr(json_text(p, "text"), "tile[dy][tx]"), "%s", json_text(p, "text"));
    char *page = page_of(v);
    cr_assert_eq(count(page, "<svg class=\"picture\""), 1);
    cr_assert_eq(count(page, "<rect class=\"lane\""), 32);
    cr_assert_eq(count(page, "<rect class=\"sector\""), 32);
    cr_assert_eq(count(page, "<rect class=\"still\""), 3 * 32);
    cr_assert(strstr(page, "32 lanes of 4 bytes each move 32 sectors"));
    free(page);
    /* lines from the lowest up, whichever lane has it */
    json_t *at = json_object_get(p, "at"), *back = json_array();
    for (size_t i = json_array_size(at); i-- > 0;)
        json_array_append(back, json_array_get(at, i));
    json_object_set_new(p, "at", back);
    page = page_of(v);
    long long before = -1;
    int lines = 0;
    for (const char *s = page; (s = strstr(s, "<text class=\"soft\" x=\"0\" y=\"")); s++) {
        long long byte;
        if (sscanf(s, "<text class=\"soft\" x=\"0\" y=\"%*d\">%lld<", &byte) != 1)
            continue;
        cr_assert_gt(byte, before);
        before = byte;
        lines++;
    }
    cr_assert_eq(lines, 32);
    free(page);
    json_decref(v);
}

/* Two lanes a pass in two banks: sixteen passes, of which one is needed. */
Test(picture, banks_with_conflicts, .timeout = 60)
{
    json_t *v = mark_wrong("bank_conflicts", "padded_by_16.cu"), *row = row_with_picture(v),
           *p = json_object_get(row, "picture");
    cr_assert_str_eq(json_text(p, "kind"), "banks");
    cr_assert_eq(INT(p, "units"), 16);
    cr_assert_eq(INT(p, "least"), 1);
    char *page = page_of(v);
    cr_assert_eq(count(page, "<rect class=\"lane\""), 2);
    cr_assert_eq(count(page, "<rect class=\"clash\""), 30);
    cr_assert_eq(count(page, "by a conflict<"), 15);
    free(page);
    json_decref(v);
}

/* Four kinds of work in a warp: some rows with a quarter of the lanes, 32 boxes each. */
Test(picture, lanes_of_a_warp, .timeout = 60)
{
    json_t *v = mark_wrong("divergence", "place_mixed.cu"), *row = row_with_picture(v),
           *p = json_object_get(row, "picture"), *path;
    int quarter = 0, lanes = 0;
    size_t i;
    cr_assert_str_eq(json_text(p, "kind"), "lanes");
    json_array_foreach(json_object_get(p, "paths"), i, path)
    {
        int n = __builtin_popcount((uint32_t)json_integer_value(json_array_get(path, 0)));
        quarter += n == 8;
        lanes += n;
    }
    cr_assert_eq(quarter, 4);
    char *page = page_of(v);
    cr_assert_eq(count(page, "<rect class=\"lane\""), lanes);
    cr_assert_eq(count(page, "<rect class=\"lane\"") + count(page, "<rect class=\"still\""),
                 32 * (int)json_array_size(json_object_get(p, "paths")));
    free(page);
    json_decref(v);
}

/* Addresses are another run's, the picture is the same: verdicts stay equal byte for byte. */
Test(picture, same_again, .timeout = 60)
{
    json_t *v = mark_wrong("coalescing", "tile_writes_columns.cu"),
           *w = mark_wrong("coalescing", "tile_writes_columns.cu");
    cr_assert(json_equal(v, w));
    json_decref(v);
    json_decref(w);
}

/* A trace comes from the box: odd ones make no picture, or a small one, and no harm. */
Test(picture, odd_traces)
{
    static const char *const none[] = {
        "",
        "\n\n",
        "[]\n{",
        "{\"event\":\"access\"}\n",
        "{\"event\":\"access\",\"space\":\"global\",\"kind\":\"load\",\"size\":4,\"mask\":\"3\","
        "\"addresses\":[1]}\n",
        "{\"event\":\"access\",\"space\":\"global\",\"kind\":\"load\",\"size\":4000,\"mask\":\"1\","
        "\"addresses\":[1]}\n",
        "{\"event\":\"access\",\"space\":\"global\",\"kind\":\"<b>\",\"size\":4,\"mask\":\"1\","
        "\"addresses\":[1]}\n",
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        cr_assert(!picture_of(none[i], "global_ld_sectors", 3, "a\nb\n"), "%s", none[i]);
    static const char odd[] =
        "{\"site\":-5,\"line\":3}\n{\"site\":99999999,\"line\":3}\n"
        "{\"event\":\"access\",\"space\":\"global\",\"kind\":\"load\",\"size\":16,\"mask\":"
        "\"3\",\"site\":-7,\"addresses\":[-1,\"x\"]}\n{\"event\":\"acc";
    struct text out = {0};
    json_t *p = picture_of(odd, "global_ld_sectors", 7, "a\n<script>alert(1)</script>");
    picture_svg(p, &out);
    cr_assert(!strstr(text_str(&out), "<script"));
    json_decref(p);
    p = json_pack("{s:s,s:i,s:s,s:i,s:i,s:[i]}", "kind", "sectors", "line", 2, "text",
                  "</code><script>", "size", 4, "mask", 1, "at", 0);
    picture_svg(p, &out);
    cr_assert(strstr(out.s, "&lt;script&gt;") && !strstr(out.s, "<script"));
    json_decref(p);
    cr_assert(!picture_of("{\"event\":\"path\",\"warp\":77,\"mask\":\"1\"}\n", "divergent_branches",
                          1, ""));
    cr_assert(!picture_of(odd, "barriers", 7, ""));
    text_free(&out);
}

/* ---- the rest of a page ---- */

Test(page, says_what_each_row_is_and_what_is_left_out)
{
    static const char text[] =
        "{\"status\":\"graded\",\"title\":\"T\",\"output\":\"hello\",\"output_dropped\":123,"
        "\"rows\":[{\"id\":\"a\",\"title\":\"is right\",\"kind\":\"correct\","
        "\"evidence\":\"emulator\",\"status\":\"inconclusive\",\"points\":1.5,\"max\":4,"
        "\"why\":\"w\",\"hint\":\"h\"}]}";
    json_t *v = json_loads(text, 0, NULL);
    char *page = page_of(v);
    cr_assert(strstr(page, "<td class=\"k inconclusive\">inconclusive</td>"
                           "<td class=\"n\">1.5 / 4</td><td><strong>is right</strong><br>w"
                           "<br><em>Hint: h</em>"),
              "%s", page);
    cr_assert(strstr(page, "<pre>hello</pre>"), "%s", page);
    cr_assert(strstr(page, "123 more bytes are not shown"), "%s", page);
    free(page);
    json_decref(v);
}
