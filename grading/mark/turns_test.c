/* turns_test.c - what is new in how things turned out. */
#include "turns.h"
#include <criterion/criterion.h>

Test(turns, news)
{
    struct turns x = {0};
    cr_expect_eq(turns_news(&x, "k 0 1320\n"), 4);
    turns_add(&x, "k 0 1320\n");
    cr_expect_eq(turns_news(&x, "k 0 1320\n"), 0);
    cr_expect_eq(turns_news(&x, "k 0 1327\n"), 3);
    cr_expect_eq(turns_news(&x, "k 1 0001\nother 0 4\n"), 2);
    turns_add(&x, "k 0 2007\nk 1 0001\n");
    cr_expect_eq(turns_news(&x, "k 0 3327\nk 1 0001\n"), 0);
    cr_expect_eq(turns_news(&x, "k 1 1001\n"), 1);
    turns_free(&x);
}

Test(turns, knows)
{
    struct turns x = {0};
    cr_expect_not(turns_knows(&x, "k 0 1\n"));
    cr_expect_not(turns_knows(&x, ""));
    turns_add(&x, "k 0 1\nk 1 1\n");
    cr_expect(turns_knows(&x, "k 0 7\n"));
    cr_expect(turns_knows(&x, "k 0 7\nk 1 2\n"));
    cr_expect_not(turns_knows(&x, "k 0 7\nk 2 1\n"));
    cr_expect_not(turns_knows(&x, "k 0 7\nother 0 1\n"));
    turns_free(&x);
}

/* What comes from the box is not believed to be of any form. */
Test(turns, anything)
{
    struct turns x = {0};
    turns_add(&x, "k 0 1\n");
    static const char *const texts[] = {"",       "\n",      "k",       "k 0",
                                        "k 0 \n", "k x 1\n", "k 0 9\n", "\n\n 1"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_expect_eq(turns_news(&x, texts[i]), 0, "%zu", i);
        turns_add(&x, texts[i]);
    }
    cr_expect_eq(turns_news(&x, NULL), 0);
    cr_expect_eq(turns_news(&x, "k 0 3333\n"), 7); /* of the longer text, too */
    turns_free(&x);
}
