/* text_test.c - a verdict as a terminal shows it, in brief and in detail. */
#include "report.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "KERNEL mm_naive(int m) {}\n"
                             "// TODO\nKERNEL mm_coalesced(int m) {}\n"
                             "// TODO\nKERNEL mm_registers(int m) {}\n"
                             "KERNEL mm_shared(int m) {}\n"
                             "// TODO\nKERNEL mm_tiled(int m) {}\n";

static const struct {
    const char *variant, *title;
    enum row_status status;
    double max;
} rows[] = {
    {"mm_naive", "given 1", STATUS_PASS, 0},        {"mm_naive", "given 2", STATUS_PASS, 0},
    {"mm_registers", "title 5", STATUS_FAIL, 0.5},  {"mm_coalesced", "title 3", STATUS_FAIL, 1},
    {"mm_coalesced", "title 4", STATUS_BLOCKED, 2}, {"mm_shared", "title 6", STATUS_FAIL, 4},
    {"mm_shared", "title 7", STATUS_BLOCKED, 4},    {"mm_tiled", "title 8", STATUS_PASS, 4},
    {"mm_tiled", "title 9", STATUS_FAIL, 4},
};

static char *told(bool detail, const char *text)
{
    struct verdict v = {.max = 23.5, .score = 4};
    struct text t = {0};

    verdict_put(&v.lab, "matmul");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct verdict_row row = verdict_row_new();

        verdict_put(&row.variant, rows[i].variant);
        verdict_put(&row.title, rows[i].title);
        verdict_put(&row.why, "because");
        row.status = rows[i].status;
        row.max = rows[i].max;
        verdict_add_row(&v, row);
    }
    cr_expect_str_eq(first_failed(&v), "mm_coalesced", "the lab's order, not the rubric's");
    report_text(&v, &(struct text_look){.detail = detail, .source = text}, &t);
    free(v.lab);
    verdict_drop_rows(&v);
    return text_take(&t);
}

static int lines_of(const char *text)
{
    int n = 0;

    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

/* A kernel with a row that passes is written, whatever stands in the file. */
Test(text_report, in_brief)
{
    char *text = told(false, source);

    cr_expect(strstr(text, "What was given is still right (2 rows)\n"), "%s", text);
    cr_expect(strstr(text, "      0 /  3.5  Still to be written:\n"
                           "        mm_coalesced, mm_registers\n"),
              "%s", text);
    cr_expect(strstr(text, "title 6\n        because\n") && strstr(text, "title 7\n") &&
                  !strstr(text, "title 7\n        because") && strstr(text, "title 9\n"),
              "%s", text);
    cr_expect_eq(lines_of(text), 11, "%s", text);
    free(text);
}

Test(text_report, in_detail_every_row_has_its_reason)
{
    char *text = told(true, source);

    cr_expect(strstr(text, "title 4\n        because\n") && strstr(text, "given 2\n"), "%s", text);
    cr_expect_null(strstr(text, "Still to be written"), "%s", text);
    cr_expect_eq(lines_of(text), 2 + 9 + 6, "%s", text);
    free(text);
}

Test(text_report, without_a_source_nothing_is_to_be_written)
{
    char *text = told(false, NULL);

    cr_expect(strstr(text, "title 3\n        because\n"), "%s", text);
    cr_expect_null(strstr(text, "Still to be written"), "%s", text);
    free(text);
}

/* What rests on the runtime's word alone says so. */
Test(text_report, marks_the_runtimes_own_record)
{
    struct verdict v = {.max = 2};
    struct text t = {0};

    for (int i = 0; i < 2; i++) {
        struct verdict_row row = verdict_row_new();
        verdict_put(&row.title, i ? "freed" : "results");
        row.evidence = i ? EVIDENCE_RECORD : EVIDENCE_EMULATOR;
        row.status = STATUS_PASS;
        row.max = 1;
        verdict_add_row(&v, row);
    }
    report_text(&v, &(struct text_look){.detail = true}, &t);
    cr_assert(strstr(t.s, "results\n") && strstr(t.s, "freed *\n"), "%s", t.s);
    cr_assert(strstr(t.s, "* by the runtime's own record"), "%s", t.s);
    verdict_drop_rows(&v);
    text_free(&t);
}
