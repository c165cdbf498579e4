/* bank_test.c - every kernel whose verdict is known gets it: the labs' solutions and skeletons,
 * wrong/ and right/. A parameter is some files of a lab: they share what the reference ran, as a
 * class does. A failure names the file. */
#include "expect.h"
#include "base/alloc.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES = 128, /* at most: a lab whole, as yet */
    TURNS = 5    /* all right files under a second secret would take some minutes */
};

struct bank_part {
    char lab[64];
    int first;
};

ParameterizedTestParameters(bank, verdict)
{
    struct engine_options o;
    int n, parts = 0;
    engine_defaults(&o);
    struct known_file *v = known_files(&o, NULL, &n);
    struct bank_part *all = cr_malloc((size_t)(n + 1) * sizeof(*all));
    for (int i = 0, first = 0; i < n; i++) {
        if (strcmp(v[i].lab, v[first].lab))
            first = i;
        if ((i - first) % FILES)
            continue;
        all[parts].first = i - first;
        snprintf(all[parts++].lab, sizeof(all->lab), "%s", v[i].lab);
    }
    known_files_free(v, n);
    return cr_make_param_array(struct bank_part, all, (size_t)parts);
}

static void check_file(struct engine *e, struct engine_options *o, const struct known_file *f)
{
    struct text t = {0};
    int bad = expect_file(e, o, f->path, f->kind, &t);
    cr_expect_eq(bad, 0, "%s, secret \"%s\":\n%s", f->path, o->secret, text_str(&t));
    text_free(&t);
}

/* What is right is so under any secret: one of the file's own draws other cases. */
static void check_again(struct engine *e, struct engine_options *o, const struct known_file *f)
{
    const char *first = o->secret;
    char *own = xformat("%s %s", first, strrchr(f->path, '/') + 1);
    o->secret = own;
    check_file(e, o, f);
    o->secret = first;
    free(own);
}

static bool is_right(const struct known_file *f)
{
    return !strcmp(f->kind, "right") || !strcmp(f->kind, "solution");
}

ParameterizedTest(struct bank_part *part, bank, verdict, .timeout = 1200)
{
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    int n;
    engine_defaults(&o);
    o.secret = "selftest-secret";
    cr_assert(engine_open(&e, part->lab, &o, &why), "%s", text_str(&why));
    struct known_file *v = known_files(&o, part->lab, &n);
    cr_assert_lt(part->first, n);
    for (int i = part->first; i < n && i < part->first + FILES; i++) {
        check_file(&e, &o, &v[i]);
        if (is_right(&v[i]) && (i + n) % TURNS == 0) /* a new file moves the turns on */
            check_again(&e, &o, &v[i]);
    }
    known_files_free(v, n);
    engine_close(&e);
}

static bool is_cheat(const struct known_file *f)
{
    struct expect x;
    struct text why = {0};
    char *source;
    size_t n;
    cr_assert(known_source(f->path, &source, &n, &why) && expect_parse(source, &x, &why), "%s: %s",
              f->path, text_str(&why));
    bool cheat = x.class != NULL && !strcmp(f->kind, "wrong");
    expect_free(&x);
    free(source);
    text_free(&why);
    return cheat;
}

/* Over all labs: at least so many that are after points not their own, and that are odd and right.
 * What each may earn, and that it keeps what it has earned, the test of verdicts asserts. */
Test(bank, has_cheats_and_odd_right_files)
{
    enum { CHEATS = 60, ODD = 40 };
    struct engine_options o;
    int n, cheats = 0, odd = 0;
    engine_defaults(&o);
    struct known_file *v = known_files(&o, NULL, &n);
    for (int k = 0; k < n; k++) {
        cheats += is_cheat(&v[k]);
        odd += !strcmp(v[k].kind, "right");
    }
    known_files_free(v, n);
    cr_expect_geq(cheats, CHEATS, "%d cheats", cheats);
    cr_expect_geq(odd, ODD, "%d odd files that are right", odd);
}

Test(bank, is_large_enough)
{
    struct engine_options o;
    int n;
    engine_defaults(&o);
    for (int i = 0; i < all_rubrics_count; i++) {
        struct known_file *v = known_files(&o, all_rubrics[i]->lab, &n);
        int wrong = 0, right = 0;
        for (int k = 0; k < n; k++) {
            wrong += !strcmp(v[k].kind, "wrong");
            right += !strcmp(v[k].kind, "right");
        }
        known_files_free(v, n);
        cr_assert_geq(wrong, 12, "%s has %d wrong kernels", all_rubrics[i]->lab, wrong);
        cr_assert_geq(right, 3, "%s has %d right kernels", all_rubrics[i]->lab, right);
    }
}
