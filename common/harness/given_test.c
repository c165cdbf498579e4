/* given_test.c - which changes are of amounts that stand as the lab gives them. */
#include "diagnosing.h"

#include <criterion/criterion.h>
#include <string.h>

static const char given[] = "#define EACH 4\nLAUNCH(f, 8);\nSCHEDULE(x)\n{\n"
                            "    s.chunks = 8;\n}\n";

Test(given, amounts_that_are_the_lab_s)
{
    static const struct {
        const char *text;
        bool given, own;
    } rows[] = {
        {"#define EACH 4\n", true, false},       {"#define EACH 6\n", false, false},
        {"{\n    s.chunks = 8;\n", true, false}, {"{\n    s.chunks = 4;\n", false, false},
        {"#define AT(i) 4\n", false, false},     {"    const int a = 4;\n", false, false},
        {"#define EA 4\n", false, true},         {"enum { EACH = 4 };\n", false, true},
        {"LAUNCH(f, 4);\n", false, false},       {"LAUNCH(ff, 4);\n", false, true},
    };

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        char text[64];
        strcpy(text, rows[k].text);
        struct edit v = {.at = strcspn(text, "0123456789"), .length = 1, .with = (char[]){"2"}};
        struct edits e = {.text = text, .v = &v, .n = 1};

        cr_expect_eq(is_given(&e, 0, given), rows[k].given, "%s", text);
        cr_expect_eq(is_own_amount(&e, 0, given), rows[k].own, "%s", text);
    }
}
