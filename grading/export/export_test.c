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
