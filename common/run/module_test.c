/* module_test.c - what is said of a kernel that is not there. */
#include "module.h"

#include <criterion/criterion.h>
#include <string.h>

static const char image[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                            ".visible .entry reduce3()\n{\n    ret;\n}\n"
                            ".visible .entry sums()\n{\n    ret;\n}\n"
                            ".visible .entry _Z5scalePi()\n{\n    ret;\n}\n"
                            ".visible .entry sum()\n{\n    ret;\n}\n";

#define NEAR(name) ". Did you mean " name "? The file has" HAS
#define HAS        " reduce3 sums _Z5scalePi sum."

static const struct {
    const char *name, *says;
} rows[] = {
    {"reduce1", ". The file has" HAS}, /* another kernel */
    {"reduceX", NEAR("reduce3")},
    {"reduce33", NEAR("reduce3")},
    {"reduce", NEAR("reduce3")},
    {"redice4", NEAR("reduce3")},
    {"sums3", NEAR("sums")},
    {"sum3", NEAR("sums")},
    {"sumabc", NEAR("sums")},
    {"sumabcd", ". The file has" HAS},
    {"scale", "; _Z5scalePi has a C++ name: declare it with KERNEL"},
};

static void says(const struct module *m, const char *name, const char *what)
{
    struct text said = {0}, want = {0};

    cr_assert_not(module_kernel(m, name, &said));
    text_addf(&want, "k.cu: no kernel \"%s\"%s", name, what);
    cr_expect_str_eq(text_str(&said), text_str(&want));
    text_free(&said);
    text_free(&want);
}

Test(module, names_what_is_near)
{
    struct module m;
    struct text why = {0};

    cr_assert(module_load(&m, "k.cu", image, sizeof(image), &why), "%s", text_str(&why));
    cr_assert(module_kernel(&m, "sum", &why));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        says(&m, rows[i].name, rows[i].says);
    module_unload(&m);
}

Test(module, without_kernels)
{
    static const char none[] = ".version 9.0\n.target sm_75\n.address_size 64\n";
    struct module m;
    struct text why = {0};

    cr_assert(module_load(&m, "k.cu", none, sizeof(none), &why), "%s", text_str(&why));
    says(&m, "sum", "; it must be declared KERNEL(sum) at file level");
    module_unload(&m);
}
