/* compiler_log_test.c - what is shown of a compiler's log. */
#include "compiler_log.h"

#include <criterion/criterion.h>

static void expect(const char *log, unsigned left, const char *words)
{
    struct text t = {0};

    cr_expect_eq(compiler_log_first(&t, log), left);
    cr_expect_str_eq(text_str(&t), words);
    text_free(&t);
}

#define CALL                                                                                       \
    "a.cu:7: error: no instance of overloaded function\n"                                          \
    "            argument types are: (int)\n"                                                      \
    "      f(3);\n"                                                                                \
    "      ^\n"
#define NOTES "Note: one\nNote: two\nNote: three\nNote: four\nNote: five\nNote: six\n\n"

Test(compiler_log, short_ones_are_whole)
{
    expect("", 0, "");
    expect(CALL, 0, CALL);
    expect(CALL "Note: one\n\n1 error\n", 0, CALL "Note: one\n\n1 error\n");
}

Test(compiler_log, of_a_long_one_the_first_error)
{
    expect("a.cu:2: warning: unused\n  int x;\n" CALL NOTES "1 error\n", 10,
           CALL "… and 10 more lines");
    expect(CALL NOTES CALL "2 errors\n", 12, CALL "… and 1 more error, 12 more lines");
    expect(CALL NOTES CALL CALL "3 errors", 16, CALL "… and 2 more errors, 16 more lines");
}

Test(compiler_log, without_an_error_all_of_it)
{
    expect(NOTES NOTES "a.cu:2: warning: no error here\n", 0,
           NOTES NOTES "a.cu:2: warning: no error here\n");
}
