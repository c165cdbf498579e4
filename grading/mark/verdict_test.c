/* verdict_test.c - a verdict goes to JSON and back whole, and what is none is refused. */
#include "verdict.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Every member there is, as verdict_text() writes them: sorted and compact. */
static const char whole[] =
    "{\"backend\":\"emulator\",\"compile\":{\"log\":\"a warning\",\"ok\":true},"
    "\"device\":\"d\",\"file\":\"f.cu\",\"gpu\":\"g\",\"gpu_version\":\"gv\","
    "\"lab\":\"l\",\"length\":12,\"max\":3.0,\"message\":\"m\",\"needs_human\":true,"
    "\"output\":\"printed\\n\",\"output_dropped\":3,"
    "\"rows\":[{\"case\":\"c\",\"clocks_mhz\":[1000,1980],\"counted\":-1.0,"
    "\"evidence\":\"measured\",\"expression\":\"a <= b\",\"finding\":{\"kind\":\"race\"},"
    "\"hint\":\"h\",\"id\":\"r-1\",\"kind\":\"speed\",\"limit\":0.75,\"line\":7,\"max\":2.0,"
    "\"picture\":{\"kind\":\"lanes\"},\"points\":1.5,\"reference_samples\":[0.25,-1.0],"
    "\"samples\":[0.125,0.5],\"status\":\"inconclusive\",\"title\":\"t\",\"variant\":\"v\","
    "\"why\":\"w\"},"
    "{\"evidence\":\"emulator and GPU\",\"id\":\"r-2\",\"kind\":\"correct\",\"max\":1.0,"
    "\"points\":0.0,\"status\":\"blocked\",\"title\":\"t2\",\"variant\":\"v\",\"why\":\"w2\"}],"
    "\"runs\":[{\"block_x\":128,\"block_y\":1,\"bound\":\"DRAM\",\"case\":\"c\",\"check\":true,"
    "\"compared\":9,\"correct\":false,\"counters\":{\"barriers\":3},\"dtype\":\"f32\","
    "\"end\":\"bad launch record\",\"findings\":[{\"kind\":\"race\"}],"
    "\"first\":[{\"expected\":\"1\",\"got\":\"nan\",\"index\":4}],\"hidden\":false,\"items\":2,"
    "\"k\":0,\"m\":0,"
    "\"modelled_ms\":0.125,\"n\":9,\"occupancy\":0.5,\"param\":-3,"
    "\"seed\":\"fedcba9876543210\",\"variant\":\"v\",\"why\":\"y\",\"wrong\":1}],"
    "\"score\":1.5,\"secret\":null,\"source\":\"5e\",\"status\":\"graded\",\"title\":\"T\","
    "\"tools\":\"x\",\"version\":\"1\"}";

Test(verdict, whole_and_back)
{
    char *why = NULL;
    struct verdict *v = verdict_read(whole, strlen(whole), &why);
    cr_assert(v, "%s", why);
    cr_assert_eq(v->rows[0].status, STATUS_INCONCLUSIVE);
    cr_assert_eq(v->rows[1].evidence, EVIDENCE_BOTH);
    cr_assert_eq(v->runs[0].end, RUN_RECORD);
    char *text = verdict_text(v, 0);
    cr_assert_str_eq(text, whole);
    free(text);
    verdict_free(v);
}

Test(verdict, unknown_words_are_refused)
{
    static const char *const none[] = {
        "",
        "[]",
        "{}",
        "{\"status\":\"splendid\"}",
        "{\"status\":\"graded\",\"rows\":[{\"kind\":\"gate\",\"evidence\":\"counted\"}]}",
        ("{\"status\":\"graded\",\"rows\":[{\"kind\":\"gate\",\"evidence\":\"counted\","
         "\"status\":\"passed\"}]}"),
        "{\"status\":\"graded\",\"runs\":[{\"end\":\"fine\"}]}",
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        char *why = NULL;
        cr_assert(!verdict_read(none[i], strlen(none[i]), &why), "%s", none[i]);
        cr_assert(why && *why, "%s", none[i]);
        free(why);
    }
}

Test(verdict, texts_are_printable)
{
    char *field = NULL;
    verdict_put(&field, "a\x1b[31m\xff\n");
    cr_assert_str_eq(field, "a\\x1b[31m\\xff\n");
    verdict_put(&field, field); /* of itself: nothing is escaped twice */
    cr_assert_str_eq(field, "a\\x1b[31m\\xff\n");
    free(field);
}

Test(verdict, each_status_has_its_words)
{
    for (int i = STATUS_PASS; i <= STATUS_ERROR; i++) {
        const struct status_words *w = status_words((enum row_status)i);
        enum row_status back;
        cr_assert(w->word && w->said && w->colour && strlen(w->mark) == 4);
        cr_assert(status_of(w->word, &back) && (int)back == i, "%s", w->word);
    }
}
