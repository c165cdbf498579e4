/* faults_test.c - what tests_main.c has to see: each of these ends badly in another way, but the
 * last two. Built with sanitizers. */
#include <criterion/criterion.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int one = 1;

Test(faults, leaks)
{
    void *volatile lost = malloc(7);
    lost = NULL;
    cr_assert_null(lost);
}

Test(faults, runs_past_a_buffer)
{
    char *p = malloc(7);
    p[6 + one] = 1;
    free(p);
}

Test(faults, overflows)
{
    volatile int x = INT_MAX;
    x = x + one;
}

Test(faults, ends_early)
{
    exit(0);
}

Test(faults, ends_earlier)
{
    _exit(0);
}

Test(faults, is_killed)
{
    raise(SIGKILL);
}

Test(faults, waits_for_ever)
{
    pause();
}

Test(faults, expects_in_vain)
{
    cr_expect_eq(one, 2);
}

Test(faults, expects_another_text)
{
    const char *got = one ? "what it is" : "";
    cr_expect_str_eq(got, "what it is not");
}

Test(faults, asserts_in_vain)
{
    cr_assert(one == 2, "%d", one);
}

Test(faults, a_child_expects_in_vain)
{
    if (fork() == 0) {
        cr_expect_eq(one, 2);
        _exit(0);
    }
    wait(NULL);
}

Test(right, passes)
{
    cr_assert_eq(one, 1);
}

Test(right, is_skipped)
{
    cr_skip_test("on purpose");
}
