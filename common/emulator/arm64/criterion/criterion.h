/* criterion.h - what the unit tests use of Criterion, where its runner cannot start.
 *
 * Criterion starts each test through ptrace, which qemu-user does not have. `make test-arm64`
 * finds this header first; tests_main.c runs each test in a forked process. An assertion ends
 * its test, an expectation counts; both print where they failed.
 */
#ifndef ARM64_CRITERION_H
#define ARM64_CRITERION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arm64_test {
    const char *suite, *name;
    void (*run)(void); /* NULL: a suite's own row, with its init and fini */
    void (*init)(void), (*fini)(void);
    unsigned timeout; /* seconds, 0: the default */
    struct arm64_test *next;
};
void arm64_add(struct arm64_test *t);
void arm64_failed(const char *file, int line, int fatal, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void arm64_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void arm64_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define ARM64_ROW(suite_, name_, function, ...)                                                    \
    __attribute__((constructor)) static void add_##suite_##_##name_(void)                          \
    {                                                                                              \
        static struct arm64_test t = {                                                             \
            .suite = #suite_, .name = #name_, .run = function, ##__VA_ARGS__};                     \
        arm64_add(&t);                                                                             \
    }
#define Test(suite_, name_, ...)                                                                   \
    static void test_##suite_##_##name_(void);                                                     \
    ARM64_ROW(suite_, name_, test_##suite_##_##name_, ##__VA_ARGS__)                               \
    static void test_##suite_##_##name_(void)
#define TestSuite(suite_, ...) ARM64_ROW(suite_, of_suite, NULL, ##__VA_ARGS__)

#define ARM64_CHECK(fatal, right, what, ...)                                                       \
    ((right) ? (void)0 : arm64_failed(__FILE__, __LINE__, fatal, what, " " __VA_ARGS__))
#define cr_expect(x, ...)          ARM64_CHECK(0, x, #x, __VA_ARGS__)
#define cr_assert(x, ...)          ARM64_CHECK(1, x, #x, __VA_ARGS__)
#define cr_expect_not(x, ...)      ARM64_CHECK(0, !(x), "not " #x, __VA_ARGS__)
#define cr_assert_not(x, ...)      ARM64_CHECK(1, !(x), "not " #x, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)    ARM64_CHECK(0, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)    ARM64_CHECK(1, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)   ARM64_CHECK(0, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)   ARM64_CHECK(1, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)    ARM64_CHECK(0, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)    ARM64_CHECK(1, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)   ARM64_CHECK(0, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)   ARM64_CHECK(1, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)    ARM64_CHECK(0, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)    ARM64_CHECK(1, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)   ARM64_CHECK(0, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)   ARM64_CHECK(1, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_null(x, ...)     ARM64_CHECK(0, (x) == NULL, #x " is NULL", __VA_ARGS__)
#define cr_assert_null(x, ...)     ARM64_CHECK(1, (x) == NULL, #x " is NULL", __VA_ARGS__)
#define cr_expect_not_null(x, ...) ARM64_CHECK(0, (x) != NULL, #x " is not NULL", __VA_ARGS__)
#define cr_assert_not_null(x, ...) ARM64_CHECK(1, (x) != NULL, #x " is not NULL", __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)                                                                \
    ARM64_CHECK(0, strcmp(a, b) == 0, #a " is the text " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)                                                                \
    ARM64_CHECK(1, strcmp(a, b) == 0, #a " is the text " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...)                                                           \
    ARM64_CHECK(0, fabs((a) - (b)) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                           \
    ARM64_CHECK(1, fabs((a) - (b)) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_assert_fail(...) ARM64_CHECK(1, 0, "failed", __VA_ARGS__)
#define cr_skip_test(...)   arm64_skip(" " __VA_ARGS__)
#define cr_log_info         arm64_log

#define cr_expect_arr_eq(a, b, n, ...)                                                             \
    ARM64_CHECK(0, memcmp(a, b, n) == 0, #a " == " #b, __VA_ARGS__)

#endif
