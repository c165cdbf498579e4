/* export_test.c - marks as other systems read them: each cell in its column. */
#include "export.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static char verdict[] =
    "{\"status\":\"graded\",\"title\":\"T\",\"message\":\"Late.\",\"rows\":["
    "{\"id\":\"a\",\"title\":\"is right\",\"kind\":\"correct\",\"evidence\":\"emulator\","
    "\"status\":\"pass\",\"points\":4,\"max\":4},"
    "{\"id\":\"b\",\"title\":\"is fast\",\"kind\":\"gate\",\"evidence\":\"counted\","
    "\"status\":\"fail\",\"points\":0,\"max\":2,\"why\":\"Too many sectors.\",\"hint\":\"Turn "
    "it.\"}]}";
static const struct mark ann = {.student = "s1",
                                .person = "Ann \"A\" Lee",
                                .email = "ann@x.edu",
                                .login = "alee",
                                .section = "B",
                                .alias = "q",
                                .lab = "lab1",
                                .verdict = verdict,
                                .status = VERDICT_GRADED,
                                .score = 4,
                                .max = 6,
                                .mark = 3.5,
                                .lateness_days = 1,
                                .rule = "1 day late"};

static const struct {
    const char *format, *says;
} rows[] = {
    {"moodle", "\nParticipant s1,\"Ann \"\"A\"\" Lee\",ann@x.edu,3.5,6,-,\"Late.\n"
               "is fast: Too many sectors.\nHint: Turn it.\n1 day late\"\n"},
    {"canvas", "\n    Points Possible,,,,,6\n\"Ann \"\"A\"\" Lee\",s1,,alee,B,3.5\n"},
    {"csv", "\ns1,\"Ann \"\"A\"\" Lee\",lab1,graded,4,6,3.5,1,1 day late\n"},
    {"junit", "<testsuite name=\"s1\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
              "  <testcase classname=\"lab1\" name=\"is right\" time=\"0\"></testcase>\n"
              "  <testcase classname=\"lab1\" name=\"is fast\" time=\"0\"><failure "
              "message=\"Too many sectors.\nHint: Turn it.\"/></testcase>\n"},
};

Test(export, each_cell_in_its_column)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct export_format *f = export_format_named(rows[i].format);
        struct text out = {0};
        cr_assert(f && f->marks, "%s", rows[i].format);
        f->marks(&ann, 1, &(struct export_options){.title = "Lab 1 (4711)"}, &out);
        cr_expect(strstr(text_str(&out), rows[i].says), "%s: no\n%s\nin\n%s", rows[i].format,
                  rows[i].says, text_str(&out));
        text_free(&out);
    }
}

static struct mark nobody(enum verdict_status status)
{
    struct mark m = ann;
    m.verdict = (char *)"{\"status\":\"missing\"}";
    m.status = status;
    m.missing = status == VERDICT_MISSING;
    m.needs_human = status == VERDICT_UNREADABLE;
    m.score = m.mark = m.lateness_days = 0;
    return m;
}

/* Who handed in nothing, or nothing that can be read, has no 0 in any column of any form, until
 * the instructor says so. */
Test(export, none_is_no_zero)
{
    static const struct {
        enum verdict_status status;
        const char *format;
        bool zero;
        const char *says;
    } cells[] = {
        {VERDICT_MISSING, "csv", false, ",lab1,missing,,6,,0,"},
        {VERDICT_MISSING, "csv", true, ",lab1,missing,0,6,0,0,"},
        {VERDICT_UNREADABLE, "csv", false, ",lab1,unreadable,,6,,0,"},
        {VERDICT_UNREADABLE, "csv", true, ",lab1,unreadable,,6,,0,"},
        {VERDICT_FAILED, "csv", false, ",lab1,failed,,6,"},
        {VERDICT_MISSING, "anonymous", false, "\"score\":null,\"max\":6.0,\"mark\":null"},
        {VERDICT_MISSING, "anonymous", true, "\"score\":0.0,\"max\":6.0,\"mark\":0.0"},
        {VERDICT_UNREADABLE, "anonymous", true, "\"score\":null,\"max\":6.0,\"mark\":null"},
        {VERDICT_MISSING, "canvas", false, ",alee,B,\n"},
        {VERDICT_MISSING, "canvas", true, ",alee,B,0\n"},
        {VERDICT_UNREADABLE, "canvas", true, ",alee,B,\n"},
        {VERDICT_MISSING, "moodle", false, "ann@x.edu,,6,"},
        {VERDICT_MISSING, "moodle", true, "ann@x.edu,0,6,"},
        {VERDICT_UNREADABLE, "moodle", true, "ann@x.edu,,6,"},
    };
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        const struct mark m = nobody(cells[i].status);
        struct text out = {0};
        export_format_named(cells[i].format)
            ->marks(&m, 1,
                    &(struct export_options){.title = "L (1)", .missing_zero = cells[i].zero},
                    &out);
        cr_expect(strstr(text_str(&out), cells[i].says), "%s: no %s in\n%s", cells[i].format,
                  cells[i].says, text_str(&out));
        text_free(&out);
    }
}
