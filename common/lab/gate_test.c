/* gate_test.c - conditions and what their names mean. */
#include "gate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static bool lookup(void *user, const char *name, double *value)
{
    static const struct {
        const char *name;
        double value;
    } known[] = {{"a", 8}, {"b", 2}, {"zero", 0}, {"ref.a", 4}, {"conflicts", 30}, {"loads", 15}};
    (void)user;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!strcmp(name, known[i].name)) {
            *value = known[i].value;
            return true;
        }
    }
    return false;
}

/* Conflicts a load: 0 of 10, 30 of 4, none of none, 0 of 1; the reference has one with 1 of 2. */
static const double mine[4][2] = {{0, 10}, {30, 4}, {0, 0}, {0, 1}}, theirs[1][2] = {{1, 2}};

static long instructions(void *user, bool ref)
{
    (void)user;
    return ref ? 1 : 4;
}

static bool of_instruction(void *user, bool ref, long i, const char *name, double *value)
{
    (void)user;
    if (strcmp(name, "conflicts") != 0 && strcmp(name, "loads") != 0)
        return false;
    *value = (ref ? theirs : mine)[i][name[0] == 'l'];
    return true;
}

static bool influence(void *user, bool ref, const char *what, double *value)
{
    (void)user;
    *value = ref ? 1 : 0.03;
    return !strcmp(what, "shared_ld");
}

static const struct gate_world world = {.lookup = lookup,
                                        .instructions = instructions,
                                        .of_instruction = of_instruction,
                                        .influence = influence};

Test(gate, conditions)
{
    static const struct {
        const char *text;
        bool ok;
        double left;
    } rows[] = {
        {"a / b <= 4", true, 4},
        {"a / b < 4", false, 4},
        {"a - b - b == 4", true, 4},
        {"a / b / b == 2", true, 2},
        {"a + b * 3 == 14", true, 14},
        {"(a + b) * 3 >= 31", false, 30},
        {"-a <= -8", true, -8},
        {"a <= 8 && b <= 1", false, 2},
        {"a <= 7 && b <= 1", false, 8},
        {"a <= 8 && b <= 2 && b == 2", true, 2},
        {"a <= 2 * ref.a", true, 8},
        {"zero / zero <= 1", false, NAN},
        {"a / zero <= 1e300", false, INFINITY},
        {"a / zero >= 1", false, INFINITY},
        {"a <= 1 / zero", false, 8},
        {"a < b / zero", false, 8},
        {"a > -1 / zero", false, 8},
        {"a <= zero / zero", false, 8},
        {"a <= 8 && b <= 1 / zero", false, 2},
        {"min(a, b) == 2", true, 2},
        {"max(a, b) + min(1, b) == 9", true, 9},
        {"min(a, zero / zero) <= 1", false, NAN},
        {"min(zero / zero, a) <= 1", false, NAN},
        {"max ( min(a, 3), -b ) == 3", true, 3},
        {"ceil(a / 3) * b == 6", true, 6},
        {"ceil(zero / zero) <= 1", false, NAN},
        {"conflicts / loads <= 2", true, 2}, /* on average */
        {"worst(conflicts / loads) <= 2", false, 7.5},
        {"worst(conflicts / loads) <= b * ref.worst(conflicts / loads)", false, 7.5},
        {"ref.worst(conflicts / loads) == 0.5", true, 0.5},
        {"worst(min(loads, a)) == 8", true, 8}, /* a is the run's */
        {"worst(loads / zero) <= 1", false, NAN},
        {"influence(shared_ld) >= 0.9", false, 0.03},
        {"ref.influence( shared_ld ) >= 0.9", true, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct gate_result g = gate_eval(rows[i].text, &world);
        cr_assert(!g.error, "%s: %s", rows[i].text, g.error);
        cr_assert(g.ok == rows[i].ok, "%s", rows[i].text);
        cr_assert(rows[i].left == g.left || (isnan(g.left) && isnan(rows[i].left)), "%s is %g",
                  rows[i].text, g.left);
        gate_free(&g);
    }
}

static int asked;
static bool counting(void *user, bool ref, const char *what, double *value)
{
    (void)user, (void)ref, (void)what;
    asked++;
    *value = 1;
    return true;
}

/* Runs are made only for what may still decide. */
Test(gate, what_comes_after_a_failure_is_not_asked_for)
{
    struct gate_world w = world;
    w.influence = counting;
    w.instructions = NULL;
    struct gate_result g = gate_eval("a <= 7 && influence(x) >= 1 && worst(loads) <= 1", &w);
    cr_expect(!g.ok && !g.error && g.left == 8 && asked == 0, "%s", g.error);
    gate_free(&g);
    g = gate_eval("a <= 8 && influence(x) >= 1", &w);
    cr_expect(g.ok && asked == 1);
    gate_free(&g);
    w.without_influence = true;
    g = gate_eval("influence(x) >= 2 && a <= 8", &w);
    cr_expect(g.ok && asked == 1);
    gate_free(&g);
    g = gate_eval("influence(x) >= 2 && a <= 7", &w);
    cr_expect(!g.ok && g.left == 8 && asked == 1);
    gate_free(&g);
    w.without_influence = false;
    w.every = true;
    g = gate_eval("a <= 7 && influence(x) >= 1 && worst(loads) <= 1", &w);
    cr_expect(g.error && asked == 2);
    gate_free(&g);
}

static bool within_twice(void *user, const struct gate_result *r)
{
    (void)user;
    return r->op[0] == '<' && r->left <= 2 * r->right;
}

/* A comparison that does not hold may be good enough; no instruction is asked for. */
Test(gate, what_does_not_hold_may_be_eased)
{
    struct gate_world w = world;
    w.instructions = NULL;
    w.without_worst = true;
    w.eased = within_twice;
    struct gate_result g = gate_eval("a <= 5 && worst(loads) <= 1 && a >= 8", &w);
    cr_expect(g.ok && !g.error, "%s", g.error);
    gate_free(&g);
    g = gate_eval("worst(loads) <= 1 && a <= 3", &w);
    cr_expect(!g.ok && g.left == 8 && g.right == 3);
    gate_free(&g);
    g = gate_eval("a >= 9", &w);
    cr_expect(!g.ok);
    gate_free(&g);
}

/* What decided is told: its two sides, the counter named first, the worst instruction. */
Test(gate, what_decided)
{
    struct gate_result g =
        gate_eval("a <= 8 &&  max(worst(conflicts/loads), b)<=2 * ref.a - 1 && b == 1", &world);
    cr_assert_str_eq(g.left_text, "max(worst(conflicts/loads), b)");
    cr_assert_str_eq(g.right_text, "2 * ref.a - 1");
    cr_assert_str_eq(g.first_name, "conflicts");
    cr_assert_str_eq(g.op, "<=");
    cr_assert_eq(g.right, 7);
    cr_assert_eq(g.worst, 1);
    gate_free(&g);
    g = gate_eval("3 <= a", &world);
    cr_assert_str_empty(g.first_name);
    cr_assert_eq(g.worst, -1);
    gate_free(&g);
}

Test(gate, mistakes)
{
    static const char *const wrong[] = {"",
                                        "a",
                                        "a <=",
                                        "a <= 1 &&",
                                        "a <= 1 b",
                                        "nonsense <= 1",
                                        "(a <= 1",
                                        "a ** 2 <= 1",
                                        "a <= 1 || b <= 1",
                                        "min(a) <= 1",
                                        "min(a, b <= 1",
                                        "mean(a, b) <= 1",
                                        "worst(nonsense) <= 1",
                                        "worst(worst(loads)) <= 1",
                                        "worst(loads <= 1",
                                        "worst() <= 1",
                                        "influence(nonsense) >= 1",
                                        "influence(shared_ld >= 1",
                                        "worst(influence(shared_ld)) >= 1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct gate_result g = gate_eval(wrong[i], &world);
        cr_assert(g.error && !g.ok, "\"%s\" was accepted", wrong[i]);
        gate_free(&g);
    }
}

/* Where nothing is known of instructions, worst() is a mistake and no value. */
Test(gate, no_instructions)
{
    const struct gate_world bare = {.lookup = lookup};
    struct gate_result g = gate_eval("worst(loads) <= 1e9", &bare);
    cr_assert(g.error && !g.ok);
    gate_free(&g);
}

/* Any length, as long as it is not nested; and texts come through whole. */
Test(gate, long_ones)
{
    char deep[5000], wide[5000] = "a";
    for (int i = 0; i < 1000; i++)
        strcat(wide, " + a");
    size_t n = strlen(wide);
    strcat(wide, " <= 8008");
    struct gate_result g = gate_eval(wide, &world);
    cr_assert(g.ok, "%s", g.error);
    cr_assert_eq(strlen(g.left_text), n);
    gate_free(&g);
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = 0;
    g = gate_eval(deep, &world);
    cr_assert(g.error);
    gate_free(&g);
}

Test(gate, values)
{
    char *why;
    cr_assert_eq(gate_value("a / 2", &world, &why), 4);
    cr_assert_null(why);
    cr_assert(isnan(gate_value("a / nonsense", &world, &why)));
    cr_assert(strstr(why, "unknown name nonsense"));
    free(why);
}
