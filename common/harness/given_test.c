/* given_test.c - which changes are of amounts that stand as the lab gives them. */
#include "diagnosing.h"

#include <criterion/criterion.h>
#include <string.h>

static const char given[] = "#define EACH 4\nSCHEDULE(x)\n{\n    s.chunks = 8;\n}\n";

Test(given, amounts_that_are_the_lab_s)
{
    static const struct {
        const char *text;
        bool is;
    } rows[] = {
        {"#define EACH 4\n", true},       {"#define EACH 6\n", false},
        {"{\n    s.chunks = 8;\n", true}, {"{\n    s.chunks = 4;\n", false},
        {"#define AT(i) 4\n", false},     {"    const int a = 4;\n", false},
    };

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        char text[64];
        strcpy(text, rows[k].text);
        struct edit v = {.at = strcspn(text, "0123456789"), .length = 1, .with = (char[]){"2"}};
        struct edits e = {.text = text, .v = &v, .n = 1};

        cr_expect_eq(is_given(&e, 0, given), rows[k].is, "%s", text);
    }
}
