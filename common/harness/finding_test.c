/* finding_test.c - which of the checker's findings is told first, and how. */
#include "finding.h"
#include "base/alloc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define AT(kind, line, message)                                                                    \
    "{\"kind\":\"" kind "\",\"file\":\"/tmp/x/mine.cu\",\"line\":" #line                           \
    ",\"kernel\":\"k\",\"block\":[1,0,0],\"thread\":[2,3,0],\"message\":\"" message "\"}\n"
#define RACE(kind, distance, line, other, update)                                                  \
    "{\"kind\":\"" kind "\",\"file\":\"mine.cu\",\"line\":" #line                                  \
    ",\"kernel\":\"k\",\"distance\":\"" distance "\",\"update\":" #update                          \
    ",\"other\":{\"line\":" #other "},\"message\":\"race " distance " " #line "\"}\n"

#define UNORDERED(line, other, message)                                                            \
    "{\"kind\":\"shared-race\",\"file\":\"mine.cu\",\"line\":" #line                               \
    ",\"kernel\":\"k\",\"other\":{\"line\":" #other "},\"message\":\"" message "\"}\n"

static struct text t;

static const char *put(const char *lines, int most, bool each_kind)
{
    text_free(&t);
    return findings_put(&t, lines, "labs/x/mine.cu", most, each_kind);
}

/* One thread more than there are elements; and one for which that cannot be. */
Test(finding, one_thread_too_many)
{
    const char *one = AT("fault", 7,
                         "illegal address: read of 4 bytes at 0x1000, 0 bytes after a 1032-byte "
                         "block from cudaMalloc (allocation 1)"),
               *more = AT("fault", 7,
                          "illegal address: read of 4 bytes at 0x1000, 0 bytes after a 1036-byte "
                          "block from cudaMalloc (allocation 1)");

    put(one, 1, true); /* 256 + 2 */
    cr_expect(strstr(t.s, "it is thread 258 of all, and there are elements 0 to 257"), "%s", t.s);
    put(more, 1, true);
    cr_expect_null(strstr(t.s, "of all"), "%s", t.s);
    text_free(&t);
}

Test(finding, where_and_who)
{
    cr_expect_str_eq(put(AT("fault", 7, "illegal address"), 2, false), "out-of-bounds");
    cr_expect_str_eq(t.s, "  labs/x/mine.cu:7: k block (1,0,0) thread (2,3,0): illegal address\n");
    cr_expect_null(put("", 2, false));
    cr_expect_null(t.s);
}

Test(finding, another_file_keeps_its_name)
{
    put("{\"kind\":\"fault\",\"file\":\"help.h\",\"line\":3,\"kernel\":\"k\",\"message\":\"m\"}\n",
        1, false);
    cr_expect_str_eq(t.s, "  help.h:3: k: m\n");
}

/* A kernel of C++'s has its source's name; what belongs to none has nothing before it. */
Test(finding, names_of_cpp_and_of_none)
{
    put("{\"kind\":\"fault\",\"file\":\"a.cu\",\"line\":3,\"kernel\":\"_Z5saxpyjfPKfPf\","
        "\"message\":\"m\"}\n"
        "{\"kind\":\"fault\",\"file\":\"a.cu\",\"line\":4,\"kernel\":\"_Z99x\",\"message\":\"m\"}\n"
        "{\"kind\":\"leak\",\"message\":\"leak: 4 bytes\"}\n",
        3, false);
    cr_expect_str_eq(t.s, "  a.cu:3: saxpy: m\n  a.cu:4: _Z99x: m\n  leak: 4 bytes\n");
}

/* A race across warps before one inside a warp, before what was read and never written. */
Test(finding, what_matters_most_comes_first)
{
    const char *all = AT("uninitialised-read", 9, "read of memory never written")
        RACE("shared-race", "warp", 5, 6, false) RACE("shared-race", "block", 7, 8, false);

    cr_expect_str_eq(put(all, 3, false), "race");
    char *block = strstr(t.s, "race block 7"), *warp = strstr(t.s, "race warp 5");
    cr_assert(block && warp && strstr(t.s, "never written"), "%s", t.s);
    cr_expect(block < warp && warp < strstr(t.s, "never written"), "%s", t.s);
}

/* Who does not come to a barrier is ordered with nobody: the race follows from it. */
Test(finding, a_barrier_comes_before_the_races_that_follow)
{
    static const char *const barriers[] = {AT("fault", 1, "deadlock: the others never come"),
                                           AT("barrier-divergence", 1, "m"),
                                           AT("barrier-exited", 1, "m")};

    for (int i = 0; i < 3; i++) {
        char *all = xformat("%s%s", RACE("shared-race", "block", 7, 8, false), barriers[i]);

        cr_expect_str_eq(put(all, 2, true), "barrier");
        free(all);
    }
}

Test(finding, so_many_and_how_many_more)
{
    const char *all =
        AT("fault", 1, "address") AT("barrier-exited", 2, "b") AT("uninitialised-read", 3, "c");

    put(all, 2, false);
    cr_expect(strstr(t.s, ":1: ") && strstr(t.s, ":2: ") && !strstr(t.s, ":3: "), "%s", t.s);
    cr_expect(strstr(t.s, "  … and 1 more\n"), "who lists them has CHECK=1: %s", t.s);
    put(all, 2, true);
    cr_expect(strstr(t.s, "  … and 1 more; CHECK=1 lists them\n"), "%s", t.s);
    put(all, 3, false);
    cr_expect_not(strstr(t.s, "more;"), "%s", t.s);
}

/* What one missing barrier shows on several lines is told once. */
Test(finding, one_of_a_kind)
{
    const char *all = RACE("shared-race", "block", 7, 8, false)
        RACE("shared-race", "block", 7, 9, false) AT("uninitialised-read", 3, "c");

    put(all, 5, true);
    cr_expect(strstr(t.s, "race block 7") && strstr(t.s, ":3: "), "%s", t.s);
    cr_expect(strstr(t.s, "and 1 more"), "%s", t.s);
}

/* The five kernels of a template show the same lines, either first. */
Test(finding, the_same_lines_are_told_once)
{
    put(RACE("shared-race", "block", 7, 8, false) RACE("shared-race", "block", 8, 7, false), 5,
        false);
    cr_expect_not(strchr(strchr(t.s, '\n') + 1, '\n'), "%s", t.s);
}

Test(finding, causes)
{
    cr_expect_str_eq(put(RACE("shared-race", "block", 7, 7, true), 1, false), "atomic");
    cr_expect_str_eq(put(RACE("global-race", "grid", 7, 7, false), 1, false), "collision");
    cr_expect_str_eq(put(AT("fault", 1, "misaligned address"), 1, false), "misaligned");
    cr_expect_str_eq(put(AT("fault", 1, "deadlock: the others never come"), 1, false), "barrier");
    cr_expect_str_eq(put(AT("uninitialised-read", 1, "reads in[3]"), 1, false), "unfilled");
    cr_expect_str_eq(put(AT("uninitialised-read", 1, "byte 4 of 's'"), 1, false), "uninitialised");
    cr_expect_str_eq(
        put(RACE("shared-race", "block", 7, 8, false) AT("async-overwrite", 1, "m"), 2, false),
        "async");
    cr_expect_null(put(AT("leak", 1, "m"), 1, false), "nothing that makes a result wrong");
}

Test(finding, lines_of_the_first)
{
    int lines[2];

    cr_expect(findings_lines(AT("uninitialised-read", 9, "c")
                                 RACE("shared-race", "block", 7, 8, false),
                             "labs/x/mine.cu", lines));
    cr_expect(lines[0] == 7 && lines[1] == 8);
    cr_expect(findings_lines(AT("uninitialised-read", 9, "c"), "labs/x/mine.cu", lines));
    cr_expect(lines[0] == 9 && lines[1] == 9);
    cr_expect_not(findings_lines(AT("uninitialised-read", 9, "c"), "labs/x/other.cu", lines));
    cr_expect_not(findings_lines("", "labs/x/mine.cu", lines));
}

Test(finding, a_race_among_others)
{
    cr_expect(
        findings_race(AT("uninitialised-read", 9, "c") RACE("shared-race", "block", 7, 8, false)));
    cr_expect_not(
        findings_race(AT("uninitialised-read", 9, "c") RACE("global-race", "block", 7, 8, false)));
    cr_expect_not(findings_race(NULL));
}

/* A place that two threads store to, and one that nobody does: no atomic would help. */
Test(finding, places_that_are_not_each_thread_s_own)
{
    const char *race =
        AT("shared-race", 7,
           "race: writes 1 bytes at byte 3 of 'order' (256 bytes); two threads store "
           "to one place at one line: has each a place of its own, or an atomic?");

    put(race, 2, true);
    cr_expect(strstr(t.s, "or an atomic?"), "%s", t.s);
    char *both = xformat("%s%s", race,
                         AT("uninitialised-read", 9,
                            "read of memory never written: reads 1 bytes at byte 8 of 'order' (256 "
                            "bytes)"));
    cr_expect_str_eq(put(both, 2, true), "race");
    cr_expect(strstr(t.s, "at one line: byte 3 of 'order' is stored more than once, byte 8 by "
                          "nobody") &&
                  !strstr(t.s, "atomic"),
              "%s", t.s);
    free(both);
    both = xformat("%s%s", race,
                   AT("uninitialised-read", 9, "reads 1 bytes at byte 8 of 'other' (256 bytes)"));
    put(both, 2, true);
    cr_expect(strstr(t.s, "or an atomic?"), "%s", t.s);
    free(both);
}

/* The place is made of what another variable holds, which races with who stores it there. */
Test(finding, a_race_comes_before_the_places_made_of_it)
{
    static const char both[] =
        AT("shared-race", 7,
           "race: writes 1 bytes at byte 3 of 'order' (256 bytes); two threads store "
           "to one place at one line: has each a place of its own, or an atomic?")
            UNORDERED(5, 7, "race: writes 4 bytes at byte 28 of 'begin' (128 bytes); a barrier?")
                AT("uninitialised-read", 9,
                   "read of memory never written: reads 1 bytes at byte 8 of 'order' (256 bytes)");

    cr_expect_str_eq(put(both, 1, true), "race");
    cr_expect(strstr(t.s, "byte 28 of 'begin'") && !strstr(t.s, "'order'"), "%s", t.s);
    put(both, 3, true);
    cr_expect(!strstr(t.s, "not each thread's own"), "%s", t.s);
}

/* An address that the same thread may have read where nothing was written. */
Test(finding, what_was_read_unwritten_comes_before_an_address)
{
    const char *all = AT("fault", 9, "illegal address: read of 4 bytes")
        AT("uninitialised-read", 8, "reads 1 bytes at byte 0 of 's' (8 bytes of shared memory)");

    cr_expect_str_eq(put(all, 2, true), "uninitialised");
    cr_expect(strstr(t.s, ":8: ") < strstr(t.s, ":9: "), "%s", t.s);
    all = AT("fault", 9, "illegal address: read of 4 bytes")
        AT("uninitialised-read", 8, "reads 1 bytes at byte 0 of a 4-byte block");
    cr_expect_str_eq(put(all, 2, true), "out-of-bounds");
}

/* Shared memory that was read before it was stored: whether it ever is, where its block has ended.
 */
Test(finding, what_is_stored_later)
{
#define UNSTORED(member)                                                                           \
    "{\"kind\":\"uninitialised-read\",\"file\":\"mine.cu\",\"line\":8,\"kernel\":\"k\"," member    \
    "\"message\":\"reads 1 bytes; does every element get stored before it is read?\"}\n"
    put(UNSTORED("\"stored\":\"later\","), 1, true);
    cr_expect(strstr(t.s, "reads 1 bytes; it is stored later, so it is read too early\n"), "%s",
              t.s);
    put(UNSTORED("\"stored\":\"changed\","), 1, true);
    cr_expect(strstr(t.s, "reads 1 bytes; nothing sets it before: "), "%s", t.s);
    put(UNSTORED("\"stored\":\"never\","), 1, true);
    cr_expect(strstr(t.s, "reads 1 bytes; its block never stores it: "), "%s", t.s);
    put(UNSTORED(""), 1, true);
    cr_expect(strstr(t.s, "does every element get stored"), "%s", t.s);
#undef UNSTORED
}

#define MADE(line, how)                                                                            \
    "{\"kind\":\"nan\",\"kernel\":\"k\",\"file\":\"/x/a.cu\",\"line\":" #line                      \
    ",\"opcode\":\"sub.f32\",\"message\":\"NaN made: " how "\"}\n"

/* The line that makes them, in words: of several lines nobody knows which, nor of none. */
Test(finding, a_nan_is_told_by_what_makes_it)
{
    struct text words = {0};

    cr_assert(findings_put_nan(&words, MADE(7, "sub.f32 of -inf and -inf"), "a.cu"));
    cr_expect_str_eq(words.s, "  a.cu:7: the first NaN is made here, as the difference of -inf and "
                              "-inf\n");
    text_free(&words);
    cr_expect_not(findings_put_nan(
        &words, MADE(0, "lg2.approx.f32 of -inf") MADE(7, "sub.f32 of -inf and -inf"), "a.cu"));
    cr_expect_not(findings_put_nan(
        &words, MADE(7, "sub.f32 of -inf and -inf") MADE(5, "sub.f32 of inf and inf"), "a.cu"));
    cr_expect_not(findings_put_nan(&words, MADE(0, "lg2.approx.f32 of -inf"), "a.cu"));
    cr_expect_not(findings_put_nan(&words, "", "a.cu"));
    text_free(&words);
}

/* What is told elsewhere, of another thread of it and with more words, is not told twice. */
Test(finding, what_is_told_already_is_left_out)
{
    struct text lines = {0};

    put(AT("shared-race", 7, "race in shared memory: reads 4 bytes")
            AT("shared-race", 8, "race in shared memory: reads 4 bytes")
                AT("fault", 7, "illegal address: read of 4 bytes"),
        3, false);
    text_add(&lines, t.s);
    findings_drop(&lines, "  labs/x/mine.cu:7: k block (0,0,0) thread (9,0,0): race in shared "
                          "memory: reads 4 bytes; with a barrier it is right\n");
    cr_expect_str_eq(
        lines.s,
        "  labs/x/mine.cu:8: k block (1,0,0) thread (2,3,0): race in shared memory: reads 4 bytes\n"
        "  labs/x/mine.cu:7: k block (1,0,0) thread (2,3,0): illegal address: read of 4 bytes\n");
    findings_drop(&lines, "");
    cr_expect(strstr(lines.s, ":8: ") && strstr(lines.s, ":7: "));
    text_free(&lines);
}

/* Where a change was found, what was seen stays, and what may be missing is not asked for. */
Test(finding, questions_are_left_out)
{
    struct text lines = {0};

    text_add(&lines,
             "  mine.cu:7: k: race; a GPU may; a barrier missing? If not, an index; or two?\n"
             "  mine.cu:8: k: unequal: is one in a branch?\n"
             "  mine.cu:9: k: byte 7 (more than -1: is it negative?), but it has 4; why?\n"
             "  and 1 more\n");
    findings_drop_questions(&lines);
    cr_expect_str_eq(lines.s, "  mine.cu:7: k: race; a GPU may\n"
                              "  mine.cu:8: k: unequal\n"
                              "  mine.cu:9: k: byte 7 (more than -1), but it has 4\n"
                              "  and 1 more\n");
    text_free(&lines);
}
