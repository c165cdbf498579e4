/* text_test.c - what is cut has a mark, and no character is cut in two. */
#include "text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(text, cut_with_a_mark)
{
    static const struct {
        const char *text;
        size_t most;
        const char *cut;
    } rows[] = {{"", 0, ""},
                {"abc", 3, "abc"},
                {"abcd", 3, "abc…"},
                {"ab\xc3\xa9", 4, "ab\xc3\xa9"},
                {"ab\xc3\xa9", 3, "ab…"},
                {"\xf0\x9f\x90\xad!", 3, "…"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *s = cut_copy(rows[i].text, rows[i].most);
        cr_assert_str_eq(s, rows[i].cut, "row %zu: %s", i, s);
        free(s);
    }
}

Test(text, columns_of_characters)
{
    static const struct {
        const char *text, *column;
    } rows[] = {{"", "    "},
                {"ab", "ab  "},
                {"abcd", "abcd"},
                {"abcde", "abc…"},
                {"\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9  "},
                {"abc\xc3\xa9\xc3\xa9", "abc…"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct text t = {0};
        text_column(&t, rows[i].text, 4);
        cr_assert_str_eq(t.s, rows[i].column, "row %zu: \"%s\"", i, t.s);
        text_free(&t);
    }
}

Test(text, a_word_for_the_shell)
{
    static const struct {
        const char *word, *shown;
    } rows[] = {
        {"labs/a-1.cu", "labs/a-1.cu"},
        {"my file.cu", "'my file.cu'"},
        {"it's", "'it'\\''s'"},
        {"'", "''\\'''"},
        {"$(rm x)", "'$(rm x)'"},
        {"", "''"},
        {"f\xc3\xbcr.cu", "'f\xc3\xbcr.cu'"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct text t = {0};

        text_shell(&t, rows[i].word);
        cr_expect_str_eq(t.s, rows[i].shown, "%s", rows[i].word);
        text_free(&t);
    }
}

Test(text, a_word_of_a_list)
{
    static const char list[] = " reduce1  reduce10 clear ";

    cr_expect(text_lists(list, "reduce1", 7) && text_lists(list, "clear", 5));
    cr_expect(text_lists(list, "reduce10(int)", 8), "of a longer text");
    cr_expect(!text_lists(list, "reduce", 6) && !text_lists(list, "reduce100", 9));
    cr_expect(!text_lists("", "clear", 5) && !text_lists(NULL, "clear", 5));
}

/* A short word that differs in all letters is another one. */
Test(text, near_is_what_was_misspelt)
{
    static const struct {
        const char *word, *known;
        bool near;
    } rows[] = {
        {"xyz", "aos", false},        {"aso", "aos", true},
        {"ao", "aos", false},         {"AOS", "aos", true},
        {"scael", "scale", true},     {"sec", "sectors", false},
        {"sektors", "sectors", true}, {"strode_33", "stride_33", true},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned best = TEXT_FAR;

        cr_expect_eq(text_near(rows[i].word, rows[i].known, &best), rows[i].near, "%s, %s",
                     rows[i].word, rows[i].known);
        cr_expect_eq(best < TEXT_FAR, rows[i].near);
    }
    cr_expect_eq(text_distance("scael", "scale"), 1);
    cr_expect_eq(text_distance("", "abc"), 3);
    cr_expect_eq(text_distance("kitten", "sitting"), 3);
}
