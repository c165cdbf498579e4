/* Programs that are called. */
#include "process.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

static int shell(const char *script, bool alone, struct text *out, struct text *err)
{
    return call_program((char *[]){"sh", "-c", (char *)script, NULL}, alone, out, err);
}

Test(process, prints_and_ends_as_it_does)
{
    struct text out = {0}, err = {0};

    cr_expect_eq(shell("echo words; echo no >&2; cat; exit 3", false, &out, &err), 3);
    cr_expect_str_eq(text_str(&out), "words\n");
    cr_expect_str_eq(text_str(&err), "no\n");
    cr_expect_eq(shell("kill -9 $$", false, &out, &err), 128 + 9);
    cr_expect_eq(call_program((char *[]){"no such program", NULL}, false, &out, &err), NO_PROGRAM);
    text_free(&out);
    text_free(&err);
}

Test(process, both_into_one_in_their_order)
{
    struct text all = {0};

    cr_expect_eq(shell("echo a; echo b >&2; echo c", false, &all, &all), 0);
    cr_expect_str_eq(text_str(&all), "a\nb\nc\n");
    text_free(&all);
}

Test(process, more_than_a_pipe_holds_on_either)
{
    struct text out = {0}, err = {0};

    cr_expect_eq(shell("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero", false, &out, &err),
                 0);
    cr_expect(out.length == 300000 && err.length == 300000);
    text_free(&out);
    text_free(&err);
}

Test(process, alone_is_a_group_of_its_own)
{
    const char *own_group = "test $(cut -d' ' -f5 /proc/$$/stat) = $$";
    struct text t = {0};

    cr_expect_eq(shell(own_group, true, &t, &t), 0);
    cr_expect_eq(shell(own_group, false, &t, &t), 1);
    text_free(&t);
}
