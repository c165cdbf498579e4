/* todo_test.c - which kernels of a text are still to be written. */
#include "todo.h"

#include <criterion/criterion.h>

static const char source[] =
    "/* TODO: of the file { and of nobody */\n"
    "#define TWICE(f) KERNEL f##_i32(int *x) { f(x); \\\n    }}}\n"
    "struct given { int x; };\n"
    "KERNEL done(int *x)\n{\n    x[0] = '{' + 1'000; // it's \"}\n}\n"
    "// TODO 2: above\nLAUNCH(above, 128);\nKERNEL above(int *x) { done (x); }\n"
    "template <class T> __device__ void stem(T *x)\n{\n    { const char *s = \"}\"; }\n    // "
    "TODO\n}\n"
    "TWICE(stem)\n"
    "KERNEL caller(int *x) { above(x); /* TODOS */ }\n"
    "// TODO\nstatic __device__ int help() { return 0; }\nKERNEL helped(int *x) { x[0] = help(); "
    "}\n"
    "KERNEL next(int *x) {}\n"
    "// TODO: later() is not there\n";

Test(todo, stands_or_not)
{
    static const struct {
        const char *kernels;
        enum written expected;
    } rows[] = {
        {"given", WRITTEN_NONE},
        {"done", WRITTEN},
        {"above", WRITTEN_PARTLY},
        {"stem_i32", WRITTEN_NOT},
        {"stem_i32_sum stem_f32", WRITTEN_NOT},
        {"done stem_i32", WRITTEN_NOT},
        {"done above", WRITTEN_PARTLY},
        {"done later", WRITTEN},
        {"caller", WRITTEN},
        {"call", WRITTEN_NONE},
        {"later", WRITTEN_NONE},
        {"helped", WRITTEN_PARTLY},
        {"next", WRITTEN},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lab_variant v = {.name = "other", .kernels = rows[i].kernels};

        cr_expect_eq(written_of(source, &v), rows[i].expected, "%s", rows[i].kernels);
    }
    cr_expect_eq(written_of(source, &(struct lab_variant){.name = "above"}), WRITTEN_PARTLY);
    cr_expect_eq(written_of("KERNEL cut(", &(struct lab_variant){.name = "cut"}), WRITTEN_NONE);
}

Test(todo, a_schedule_is_written_with_its_kernel)
{
    static const char text[] = "KERNEL work(int *x) {}\n"
                               "SCHEDULE(done)\n{\n    s.kernel(0, 0);\n};\n"
                               "// TODO SCHEDULE(open)\n"
                               "SCHEDULE(open)\n{\n    // TODO 2\n};\n"
                               "SCHEDULE(after)\n{\n};\n";
    struct lab_variant v = {.name = "done", .kernels = "work", .has_schedule = true};

    cr_expect_eq(written_of(text, &v), WRITTEN);
    v.name = "open";
    cr_expect_eq(written_of(text, &v), WRITTEN_PARTLY);
    v.has_schedule = false;
    cr_expect_eq(written_of(text, &v), WRITTEN);
    v = (struct lab_variant){.name = "after", .kernels = "work", .has_schedule = true};
    cr_expect_eq(written_of(text, &v), WRITTEN);
}

/* A given schedule has a kernel that is not: that is what to write. */
Test(todo, what_to_write)
{
    static const char text[] = "// TODO: x\nKERNEL work(int *x) {}\n"
                               "SCHEDULE(given)\n{\n    s.kernel(0, 0);\n};\n"
                               "KERNEL done(int *x) {}\n"
                               "template <class T> void step(T *x)\n{\n    // TODO\n}\n";
    struct lab_variant v = {.name = "given", .kernels = "done work", .has_schedule = true};
    size_t n;
    const char *name = kernel_to_write(text, &v, &n);

    cr_assert(name && n == 4 && !strncmp(name, "work", n));
    v.kernels = "done step_i32";
    cr_expect_null(kernel_to_write(text, &v, &n));
}
