/* module_test.c - what is said of a kernel that is not there. */
#include "module.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char image[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                            ".visible .entry reduce3()\n{\n    ret;\n}\n"
                            ".visible .entry sums()\n{\n    ret;\n}\n"
                            ".visible .entry _Z5scalePi()\n{\n    ret;\n}\n"
                            ".visible .entry sum(\n.param .u64 .ptr .align 1 sum_param_0,\n.param "
                            ".f32 sum_param_1,\n.param .align 4 .b8 sum_param_2[8],\n.param .s32 "
                            "sum_param_3,\n.param .f64 sum_param_4\n)\n{\n    ret;\n}\n";

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
    {"sumabc", ". The file has" HAS}, /* half of it is another word */
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

/* One of a function's own, an array, records of LAUNCH(): only lines that declare. */
static const char with_variables[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 count;\n"
    ".global .align 4 .b8 table[8] = {1, 0, 0, 0, 2};\n"
    ".global .align 4 .u32 _ZZ1kE3own = 3;\n"
    ".const .align 4 .u32 fixed;\n"
    ".visible .entry k()\n{\n\t.reg .b32 %r<2>;\n\tld.global.u32 %r1, [count];\n\tret;\n}\n";

Test(module, knows_parameters)
{
    struct module m;
    struct text why = {0};

    cr_assert(module_load(&m, "k.cu", image, sizeof(image), &why), "%s", text_str(&why));
    cr_expect_str_eq(module_parameters(&m, "sum"), "uf?ud");
    cr_expect_str_eq(module_parameters(&m, "reduce3"), "");
    cr_expect_null(module_parameters(&m, "none"));
    cr_expect(module_is_wide(&m, "sum"));
    cr_expect_not(module_is_wide(&m, "none"));
    module_unload(&m);
}

Test(module, keeps_what_variables_hold)
{
    static const char *const names[] = {"count", "table", "_ZZ1kE3own"};
    struct module m;
    struct text why = {0};
    size_t size;

    cr_assert(module_load(&m, "k.cu", with_variables, sizeof(with_variables), &why), "%s",
              text_str(&why));
    cr_assert_eq(m.nvariables, 3);
    for (int i = 0; i < 3; i++)
        cr_expect_str_eq(m.variables[i], names[i]);

    int *before = module_state(&m, &size), *after = module_state(&m, &size);
    cr_assert_eq(size, 16);
    cr_expect(before[0] == 0 && before[1] == 1 && before[2] == 2 && before[3] == 3);
    cr_expect_null(module_changed(&m, before, after));
    after[2] = 7;
    cr_expect_str_eq(module_changed(&m, before, after), "table");
    module_set_state(&m, after);
    free(before);
    before = module_state(&m, &size);
    cr_expect_eq(before[2], 7);
    free(before);
    free(after);
    module_unload(&m);
}

Test(module, without_kernels)
{
    static const char none[] = ".version 9.0\n.target sm_75\n.address_size 64\n";
    struct module m;
    struct text why = {0};

    cr_assert(module_load(&m, "k.cu", none, sizeof(none), &why), "%s", text_str(&why));
    says(&m, "sum", "; it must be declared KERNEL sum(…) at file level");
    module_unload(&m);
}
