/* known_test.c - faults as edits of the solution: the made file, and what cannot be one. */
#include "expect.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char solution[] = "a(1);\nb(2);\n\nc(b(2), 3);\n";

static const struct {
    const char *edit, *made, *why;
} edits[] = {
    {"// it is wrong\n// expect: x=fail\n- a(1);\n+ a(2);\n",
     "// it is wrong\n// expect: x=fail\n\na(2);\nb(2);\n\nc(b(2), 3);\n", NULL},
    {"- a(1);\n- b(2);\n-\n+ z();\n- , 3\n+ , 4\n\n", "\nz();\nc(b(2), 4);\n", NULL},
    {"- a(1);\n+\n", "\n\nb(2);\n\nc(b(2), 3);\n", NULL},
    {"- b(2)\n+ b(3)\n", NULL, "not once in the solution: \"b(2)\""},
    {"- d();\n+ e();\n", NULL, "not once in the solution: \"d();\""},
    {"+ e();\n", NULL, "not once in the solution: \"\""},
    {"// nothing\n", NULL, "not once in the solution: \"\""},
    {"- a(1);\n* a(2);\n", NULL, "not understood: \"* a(2);\""},
};

Test(known, edits_make_files)
{
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        struct text all = {0}, why = {0};
        text_addf(&all, "# first\n\n## one\n%s\n## last\n- a(1);\n+ b();\n", edits[i].edit);
        char *made = edited_source(solution, all.s, "one", &why);
        if (edits[i].made)
            cr_expect(made && !strcmp(made, edits[i].made), "%s: %s", edits[i].edit, made);
        else
            cr_expect(!made && !strcmp(text_str(&why), edits[i].why), "%s: %s", edits[i].edit,
                      text_str(&why));
        free(made);
        text_free(&all);
        text_free(&why);
    }
}

Test(known, an_edit_that_is_not_there_is_told)
{
    struct text why = {0};
    cr_assert_null(edited_source(solution, "\n## one\n- a(1);\n+\n", "on", &why));
    cr_assert_str_eq(why.s, "there is no ## on");
    text_free(&why);
}
