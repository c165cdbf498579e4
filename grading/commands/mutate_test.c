/* mutate_test.c - the mutation tool's own parts: what is changed, and what a change reaches. */
#include "mutate.h"
#include "mutate_code.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool makes(const struct mutant *v, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(v[i].text, text))
            return true;
    return false;
}

Test(mutate, a_program_is_the_same_or_another)
{
    struct code a = code_of("\177ELF\0a", 6), b = code_of("\177ELF\0b", 6),
                c = code_of("\177ELF\0a", 6);
    char *other = code_changes(&a, &b), *same = code_changes(&a, &c);
    cr_assert_str_eq(other, "*");
    cr_assert_str_eq(same, "");
    free(other);
    free(same);
    code_free(&a);
    code_free(&b);
    code_free(&c);
}

Test(mutate, changes_code_and_nothing_else)
{
    static const char source[] = "// i < n\n"
                                 "LAUNCH(f, 128, 1, 1);\n"
                                 "#define N (1 + 2)\n"
                                 "if (i < n)\n"
                                 "    out[i] = \"a < b\"; /* < */\n"
                                 "__syncthreads();\n";
    int n;
    struct mutant *v = mutants_of(source, &n);
    cr_expect(makes(v, n, "if (i <= n)"));
    cr_expect(makes(v, n, "out[i + 1] = \"a < b\"; /* < */"));
    cr_expect(makes(v, n, ";"), "the barrier is dropped");
    cr_expect_eq(n, 3, "%d", n);
    mutants_free(v, n);
}

static char *changes(const char *from, const char *to)
{
    struct code a = code_of(from, strlen(from)), b = code_of(to, strlen(to));
    char *all = code_changes(&a, &b);
    code_free(&a);
    code_free(&b);
    return all;
}

#define F(body) ".visible .entry f(\n.param .u32 p\n)\n{\n" body "\n}\n"
#define G(body) ".visible .entry g(\n)\n{\n" body "\n}\n"

Test(mutate, says_which_kernels_a_change_reaches)
{
    static const struct {
        const char *from, *to, *want;
    } rows[] = {
        {F("ret;") G("ret;"), F("ret;") G("ret;"), ""},
        {F("ret;") G("ret;"), F("ret;") G("bra X;"), "g "},
        {F("ret;") G("ret;"), F("exit;") G("bra X;"), "f g "},
        {F("ret;") G("ret;"), F("ret;"), "g "},
        {"\t.loc 1 2 3\n" F("\t.loc\t1 2 3\nret;"), "// remark\n" F("\t.loc\t1 9 3\n\nret;"), ""},
        {F("ret;") ".file 1 \"a\"\n.section .debug_str\n{\nx\n}\n",
         F("ret;") ".section .debug_str\n{\ny\n}\n", ""},
        {".global .u32 n = 1;\n" F("ret;"), ".global .u32 n = 2;\n" F("ret;"), "*"},
        {".global .u32 n = 1;\n" F("ret;"), F("ret;"), "*"},
        {".global .u32 n = 1;\n" F("ld n;") G("ret;"), ".global .u32 n = 2;\n" F("ld n;") G("ret;"),
         "f "},
        {".global .u32 n = 1;\n" F("ld n;") G("ld nn;"), F("ld n;") G("ld nn;"), "f "},
        {".global .u32 n = 1;\n.global .u64 at = n;\n" F("ld n;"),
         ".global .u32 n = 2;\n.global .u64 at = n;\n" F("ld n;"), "*"},
        {".visible .global .b8 g_launch[2] = {1, 2};\n" F("ret;") G("ret;"),
         ".visible .global .b8 g_launch[2] = {1, 3};\n" F("ret;") G("ret;"), "g "},
        {".global .u32 _Z1n = 1;\n" F("ret;") G("ret;"),
         ".global .u32 _Z1n = 2;\n" F("ret;") G("bra X;"), "g "},
        {".func h()\n{\nret;\n}\n" F("ret;"), ".func h()\n{\nexit;\n}\n" F("ret;"), "*"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *got = changes(rows[i].from, rows[i].to);
        cr_expect_str_eq(got, rows[i].want, "row %zu: \"%s\"", i, got);
        free(got);
    }
}
