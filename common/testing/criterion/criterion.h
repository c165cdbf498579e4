/* criterion.h - what the unit tests use of Criterion, for builds that run them without it.
 *
 * Criterion starts each test as a new process of the whole program, through ptrace. qemu-user has
 * no ptrace, and with sanitizers the start alone takes longer than most tests. Those builds find
 * this header first; tests_main.c runs each test in a forked process. An assertion ends its test,
 * an expectation counts; both print where they failed. The plain build is Criterion's.
 */
#ifndef TESTING_CRITERION_H
#define TESTING_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct unit_parameters {
    size_t size;
    void *values;
    size_t count;
};
struct unit_test {
    const char *suite, *name;
    void (*run)(void); /* NULL, and no parameters: a suite's own row, with its init and fini */
    void (*run_with)(void *parameter);
    struct unit_parameters (*parameters)(void);
    void (*init)(void), (*fini)(void);
    unsigned timeout; /* seconds, 0: the default */
    struct unit_test *next;
};
void unit_add(struct unit_test *t);
void unit_failed(const char *file, int line, int fatal, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void unit_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void unit_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define UNIT_ROW(suite_, name_, function, ...)                                                     \
    __attribute__((constructor)) static void add_##suite_##_##name_(void)                          \
    {                                                                                              \
        static struct unit_test t = {                                                              \
            .suite = #suite_, .name = #name_, .run = function, ##__VA_ARGS__};                     \
        unit_add(&t);                                                                              \
    }
#define Test(suite_, name_, ...)                                                                   \
    static void test_##suite_##_##name_(void);                                                     \
    UNIT_ROW(suite_, name_, test_##suite_##_##name_, ##__VA_ARGS__)                                \
    static void test_##suite_##_##name_(void)
#define ParameterizedTestParameters(suite_, name_)                                                 \
    static struct unit_parameters parameters_##suite_##_##name_(void)
#define ParameterizedTest(parameter_, suite_, name_, ...)                                          \
    static void test_##suite_##_##name_(parameter_);                                               \
    static void with_##suite_##_##name_(void *parameter)                                           \
    {                                                                                              \
        test_##suite_##_##name_(parameter);                                                        \
    }                                                                                              \
    UNIT_ROW(suite_, name_, NULL, .run_with = with_##suite_##_##name_,                             \
             .parameters = parameters_##suite_##_##name_, ##__VA_ARGS__)                           \
    static void test_##suite_##_##name_(parameter_)
#define cr_make_param_array(type, values, count)                                                   \
    ((struct unit_parameters){sizeof(type), values, count})
#define cr_malloc              malloc
#define TestSuite(suite_, ...) UNIT_ROW(suite_, of_suite, NULL, ##__VA_ARGS__)

#define UNIT_CHECK(fatal, right, what, ...)                                                        \
    ((right) ? (void)0 : unit_failed(__FILE__, __LINE__, fatal, what, " " __VA_ARGS__))
#define cr_expect(x, ...)          UNIT_CHECK(0, x, #x, __VA_ARGS__)
#define cr_assert(x, ...)          UNIT_CHECK(1, x, #x, __VA_ARGS__)
#define cr_expect_not(x, ...)      UNIT_CHECK(0, !(x), "not " #x, __VA_ARGS__)
#define cr_assert_not(x, ...)      UNIT_CHECK(1, !(x), "not " #x, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)    UNIT_CHECK(0, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)    UNIT_CHECK(1, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)   UNIT_CHECK(0, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)   UNIT_CHECK(1, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)    UNIT_CHECK(0, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)    UNIT_CHECK(1, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)   UNIT_CHECK(0, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)   UNIT_CHECK(1, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)    UNIT_CHECK(0, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)    UNIT_CHECK(1, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)   UNIT_CHECK(0, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)   UNIT_CHECK(1, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_null(x, ...)     UNIT_CHECK(0, (x) == NULL, #x " is NULL", __VA_ARGS__)
#define cr_assert_null(x, ...)     UNIT_CHECK(1, (x) == NULL, #x " is NULL", __VA_ARGS__)
#define cr_expect_not_null(x, ...) UNIT_CHECK(0, (x) != NULL, #x " is not NULL", __VA_ARGS__)
#define cr_assert_not_null(x, ...) UNIT_CHECK(1, (x) != NULL, #x " is not NULL", __VA_ARGS__)
#define UNIT_TEXT(fatal, a, b, ...)                                                                \
    do {                                                                                           \
        const char *unit_got = (a);                                                                \
        if (strcmp(unit_got, b) == 0)                                                              \
            break;                                                                                 \
        unit_log("%s: \"%s\"", #a, unit_got);                                                      \
        unit_failed(__FILE__, __LINE__, fatal, #a " is the text " #b, " " __VA_ARGS__);            \
    } while (0)
#define cr_expect_str_eq(a, b, ...) UNIT_TEXT(0, a, b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) UNIT_TEXT(1, a, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)                                                               \
    UNIT_CHECK(0, strcmp(a, b) != 0, #a " is another text than " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
    UNIT_CHECK(1, strcmp(a, b) != 0, #a " is another text than " #b, __VA_ARGS__)
#define cr_expect_str_empty(s, ...) UNIT_CHECK(0, !*(s), #s " is empty", __VA_ARGS__)
#define cr_assert_str_empty(s, ...) UNIT_CHECK(1, !*(s), #s " is empty", __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...)                                                           \
    UNIT_CHECK(0, fabs((a) - (b)) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                           \
    UNIT_CHECK(1, fabs((a) - (b)) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_expect_fail(...) UNIT_CHECK(0, 0, "failed", __VA_ARGS__)
#define cr_assert_fail(...) UNIT_CHECK(1, 0, "failed", __VA_ARGS__)
#define cr_skip_test(...)   unit_skip(" " __VA_ARGS__)
#define cr_log_info         unit_log

#define cr_expect_arr_eq(a, b, n, ...)                                                             \
    UNIT_CHECK(0, memcmp(a, b, n) == 0, #a " == " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
    UNIT_CHECK(1, memcmp(a, b, n) == 0, #a " == " #b, __VA_ARGS__)

#endif
