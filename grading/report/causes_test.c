/* causes_test.c - a class's failed checks by cause, and who passes what. */
#include "causes.h"
#include "rates.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NO_GUARD "no guard: an address just beyond the end of an array"

static const struct {
    const char *why, *cause;
} reasons[] = {
    {"On the case small: 447 of 1023 results are wrong; first out[1]: expected 2.5, got -nan. It "
     "looks like this: no guard at the last block. (line 110)",
     "no guard at the last block"},
    {"On the case one: 3 of 9 results are wrong; first out[1]: expected 2.5, got 1.",
     "results are wrong, and nothing says why"},
    {"On a hidden case (any length): it stopped at an address out of bounds.",
     "it stopped at an address out of bounds"},
    {"On the case one: soa: the launch failed: an illegal memory access was encountered "
     "(cudaErrorIllegalAddress). illegal address: write of 4 bytes at 0x20000003d604, 0 bytes "
     "after a 4-byte block (allocation 20). (line 65)",
     NO_GUARD},
    {"fault on the case tail: illegal address: write of 4 bytes at 0x20000000afa4, 0 bytes after a "
     "4004-byte block from cudaMalloc (allocation 4) (line 65)",
     NO_GUARD},
    {"shared-race on the case small: race in shared memory: reads 4 bytes at byte 1056 of 'tile'",
     "race in shared memory: reads # bytes"},
    {"On the case dot: f.cu: no kernel \"tile\". Did you mean tiel? The file has tiel.",
     "the kernel is not in the file"},
    {"On the case dot: soa: writes in[1004], of 1,001 float4.", "writes in[#], of # float4"},
    {"fault on the case tail: illegal address: read of 4 bytes at 0x200000405bb0, in[1004], of "
     "1004 "
     "elements. (line 34)",
     NO_GUARD},
    {"fault on the case tail: illegal address: write of 4 bytes at 0x200000405bb0, out[1010], of "
     "1004 elements. (line 34)",
     NO_GUARD},
    {"fault on the case tail: illegal address: read of 4 bytes at 0x200000405bb0, in[90004], of "
     "1004 elements. (line 34)",
     "illegal address: read of # bytes beyond the end of in"},
    {"fault on the case tail: illegal address: read of 4 bytes at 0x200000405bb0, in[-1], of 1004 "
     "elements. (line 34)",
     "illegal address: read of # bytes of in"},
    {"fault on the case tail: illegal address: read of 4 bytes at 0x200000405bb0, 90000 bytes "
     "after "
     "a 4-byte block (allocation 20). (line 34)",
     "illegal address: read of # bytes"},
    {"fault on the case tail: race: reads 4 bytes at 0x200000405bb0, out[3], of 1004 elements",
     "race: reads # bytes of out"},
    {"", ""},
};

Test(causes, of_a_reason)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        struct text t = {0};
        struct verdict_row row = {.kind = ROW_CORRECT, .variant = (char *)"soa"};
        row.why = (char *)reasons[i].why;
        cause_of_row(&row, &t);
        cr_expect_str_eq(text_str(&t), reasons[i].cause);
        text_free(&t);
    }
}

Test(causes, a_gate_is_its_title)
{
    struct text t = {0};
    struct verdict_row row = {.kind = ROW_GATE, .title = (char *)"Loads use sectors whole"};
    row.why = (char *)"Counted 16,384 sectors, expected at most 2166.4 (the case aligned).";
    cause_of_row(&row, &t);
    cr_expect_str_eq(text_str(&t), "Loads use sectors whole");
    text_free(&t);
}

static void add_row(struct verdict *v, const char *id, enum row_status status, const char *why)
{
    struct verdict_row row = verdict_row_new();
    verdict_put(&row.id, id);
    verdict_put(&row.title, id);
    verdict_put(&row.why, why);
    row.status = status;
    verdict_add_row(v, row);
}

/* One cause in two checks of one student is one student; blocked rows have none. */
Test(causes, a_class)
{
    static const char guard[] =
        "On the case a: 1 of 2 results are wrong. It looks like this: no guard.";
    struct verdict two = {.status = VERDICT_GRADED}, one = two, none = two;
    struct verdict broken = {.status = VERDICT_NOT_COMPILED,
                             .log = (char *)"f.cu(3): error: a brace\nf.cu(4): error: b"};
    struct causes c = {0};
    struct pass_rates r = {0};
    enum row_status s;
    add_row(&one, "first", STATUS_FAIL, "On the case a: something else.");
    add_row(&one, "second", STATUS_BLOCKED, guard);
    add_row(&two, "first", STATUS_FAIL, guard);
    add_row(&two, "third", STATUS_FAIL, guard);
    add_row(&none, "second", STATUS_PASS, "");
    const struct verdict *class[] = {&one, &two, &none, &broken, NULL, &two};
    for (int i = 0; i < 6; i++) {
        causes_add(&c, i, class[i], NULL);
        pass_rates_add(&r, class[i]);
    }
    causes_sort(&c);
    cr_assert_eq(c.n, 3);
    cr_expect_str_eq(c.v[0].text, "no guard");
    cr_expect_eq(c.v[0].n, 2);
    cr_expect(c.v[0].students[0] == 1 && c.v[0].students[1] == 5);
    cr_expect_str_eq(c.v[0].checks, "first, third");
    cr_expect_str_eq(c.v[0].example, guard);
    cr_expect_str_eq(c.v[1].text, "something else");
    cr_expect_str_eq(c.v[2].text, "not compiled: a brace");

    cr_assert_eq(r.n, 3);
    cr_expect_eq(r.graded, 4);
    cr_expect(cell_of(&r, 0, 0, &s) && s == STATUS_FAIL);
    cr_expect(cell_of(&r, 0, 1, &s) && s == STATUS_BLOCKED);
    cr_expect(!cell_of(&r, 0, 2, &s), "the third check was first seen later");
    cr_expect(!cell_of(&r, 1, 1, &s) && cell_of(&r, 1, 2, &s) && s == STATUS_FAIL);
    cr_expect(!cell_of(&r, 2, 0, &s) && cell_of(&r, 2, 1, &s) && s == STATUS_PASS);
    cr_expect(!cell_of(&r, 3, 0, &s) && !cell_of(&r, 4, 0, &s));
    cr_expect_eq(r.v[0].passed + r.v[2].passed, 0);
    pass_rates_free(&r);
    causes_free(&c);
    verdict_drop_rows(&one);
    verdict_drop_rows(&two);
    verdict_drop_rows(&none);
}

/* Of one kernel the skeleton's text stands; another one's wrong results have a race beside them. */
Test(causes, what_is_still_to_be_written_and_what_a_finding_says)
{
    static const char wrong[] =
        "On the case a: 1 of 2 results are wrong; first out[0]: expected 1.";
    static const char source[] =
        "KERNEL tree_2(int *x)\n{\n    // TODO\n}\nKERNEL tree_4(int *x) {}\n";
    struct verdict v = {.status = VERDICT_GRADED, .lab = (char *)"reduction_uses"};
    struct causes c = {0};
    add_row(&v, "two", STATUS_FAIL, wrong);
    add_row(&v, "four", STATUS_FAIL, wrong);
    add_row(&v, "four-clean", STATUS_FAIL, "shared-race on the case a: race in shared memory");
    verdict_put(&v.rows[0].variant, "tree_2");
    verdict_put(&v.rows[1].variant, "tree_4");
    verdict_put(&v.rows[2].variant, "tree_4");
    v.rows[2].kind = ROW_CHECKS;
    causes_add(&c, 0, &v, source);
    cr_assert_eq(c.n, 2);
    cr_expect_str_eq(c.v[0].text, "still to be written: its TODO stands");
    cr_expect_str_eq(c.v[0].checks, "two");
    cr_expect_str_eq(c.v[1].text, "race in shared memory");
    causes_free(&c);
    causes_add(&c, 0, &v, NULL);
    cr_expect_str_eq(c.v[0].text, "results are wrong, and nothing says why");
    causes_free(&c);
    verdict_drop_rows(&v);
}
