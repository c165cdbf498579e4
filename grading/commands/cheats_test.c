/* cheats_test.c - the pages in grading/cheats name every cheat and odd file, as they are now.
 * What each loses is not marked again here: bank_test.c holds that to the files. */
#include "base/alloc.h"
#include "base/file.h"
#include "cheats.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static int rows_of(const char *page)
{
    int n = 0;
    for (const char *p = page; (p = strstr(p, "\n| `")); p++)
        n++;
    return n;
}

/* Its row begins with what its first lines say. */
static bool has_row(const char *page, const struct known_file *f, bool *wanted)
{
    struct expect x;
    struct text row = {0};
    free(cheats_read(f, &x));
    *wanted = x.class || !strcmp(f->kind, "right");
    cheats_add_name(&row, f, &x);
    bool found = strstr(page, text_str(&row));
    text_free(&row);
    expect_free(&x);
    return found;
}

Test(cheats, pages_are_of_this_bank)
{
    struct engine_options o;
    engine_defaults(&o);
    for (int i = 0; i < all_rubrics_count; i++) {
        const char *lab = all_rubrics[i]->lab;
        struct text why = {0};
        size_t size;
        int n, rows = 0;
        struct known_file *v = known_files(&o, lab, &n);
        char *path = xformat("%s/grading/cheats/%s.md", o.root, lab);
        char *page = file_load(path, 1 << 20, &size, &why);
        cr_assert(page, "%s: `make cheats LAB=%s` writes it", text_str(&why), lab);
        for (int k = 0; k < n; k++) {
            bool bank = !strcmp(v[k].kind, "right") || !strcmp(v[k].kind, "wrong"), wanted = false;
            bool found = bank && has_row(page, &v[k], &wanted);
            cr_assert(found || !wanted, "%s lacks %s as it is: `make cheats LAB=%s` writes it",
                      path, v[k].path, lab);
            rows += wanted;
        }
        cr_assert_eq(rows_of(page), rows, "%s has %d rows for %d files: `make cheats LAB=%s`", path,
                     rows_of(page), rows, lab);
        known_files_free(v, n);
        free(path);
        free(page);
    }
}

/* The file that is the rung before this row's; NULL: there is none. For free(). */
static char *rung_before(const struct engine_options *o, const char *lab, const char *row)
{
    int n;
    char *name = NULL;
    struct known_file *v = known_files(o, lab, &n);
    for (int k = 0; k < n && !name; k++) {
        struct expect x = {.only = NULL};
        if (strcmp(v[k].kind, "wrong"))
            continue;
        free(cheats_read(&v[k], &x));
        for (int i = 0; x.rung && !strcmp(x.rung, row) && i < x.nrows; i++)
            if (!strcmp(x.rows[i].id, row) && !x.rows[i].any && x.rows[i].status == STATUS_FAIL)
                name = xstrdup(known_name(&v[k]));
        expect_free(&x);
    }
    known_files_free(v, n);
    return name;
}

/* Whether a page of rungs tells of a row what it has to: a line of the table or, measured, one that
 * says why there is none. "": it does. */
static const char *rung_missing(const char *page, const char *lab, const struct rubric_row *r,
                                const char *before, bool measured)
{
    char *begin = xformat("\n| %s | %s | ", lab, r->id),
         *reason = xformat("\n- `%s` %s: ", lab, r->id),
         *row = xformat("%s`%s` | %.2f | ", begin, before, row_ratio(r, measured));
    const char *in_table = strstr(page, begin), *said = strstr(page, reason);
    const char *today = strstr(page, row);
    char *speed = today ? xformat("%.2f (%s) | ", strtod(today + strlen(row), NULL),
                                  measured ? "measured" : "modelled")
                        : NULL;
    bool timed = speed && !strncmp(today + strlen(row), speed, strlen(speed)),
         why = said && said[strlen(reason)] != '\n';
    free(begin);
    free(reason);
    free(row);
    free(speed);
    if (in_table && said)
        return "a line in the table and a reason for there being none";
    if (in_table && measured && !row_measured(r))
        return "a line in the table, and is modelled everywhere";
    if (today && !timed)
        return "a line without a speed";
    if (in_table)
        return today ? "" : "a line in the table that is of another rung or another speed";
    return measured && why ? "" : measured ? "neither a line in the table nor a reason" : "no line";
}

/* bank_test.c sees to it that it does not pass: here, that there is one, and that the table has it
 * as it is. What was not measured on a GPU is named there, with the reason. */
Test(cheats, the_rung_before_fails_every_row_of_speed)
{
    static const char *const pages[] = {"emulator", "gpu"};
    struct engine_options o;
    engine_defaults(&o);
    for (int p = 0; p < 2; p++) {
        struct text why = {0};
        size_t size;
        char *path = xformat("%s/grading/cheats/rungs-%s.md", o.root, pages[p]);
        char *page = file_load(path, 1 << 20, &size, &why);
        cr_assert(page, "%s: `make rungs` writes it", text_str(&why));
        cr_expect_null(strstr(page, "| pass: "), "%s: a rung passes for the next one", path);
        for (int i = 0; i < all_rubrics_count; i++) {
            const struct rubric *r = all_rubrics[i];
            for (int k = 0; k < r->nrows; k++) {
                if (r->rows[k].kind != ROW_SPEED)
                    continue;
                char *name = rung_before(&o, r->lab, r->rows[k].id);
                cr_assert(name, "%s: no file of wrong/ says \"rung: %s\"", r->lab, r->rows[k].id);
                const char *missing = rung_missing(page, r->lab, &r->rows[k], name, p);
                cr_expect(!*missing, "%s: %s %s has %s (the rung before is %s)", path, r->lab,
                          r->rows[k].id, missing, name);
                free(name);
            }
        }
        free(page);
        free(path);
    }
}

Test(cheats, what_is_missing_of_a_rung)
{
    static const struct rubric_row both = {.id = "fast", .ratio = 0.9, .gpu_ratio = 0.8},
                                   modelled = {.id = "fast", .ratio = 0.9, .evidence = EV_MODELLED};
    static const struct {
        const char *page;
        const struct rubric_row *row;
        bool measured;
        const char *missing;
    } rows[] = {
        {"\n| lab | fast | `a.cu` | 0.90 | 0.53 (modelled) | ", &both, false, ""},
        {"\n| lab | fast | `a.cu` | 0.80 | 0.53 (measured) | ", &both, true, ""},
        {"\n| lab | fast | `b.cu` | 0.80 | ", &both, true, "another rung"},
        {"\n| lab | fast | `a.cu` | 0.70 | ", &both, true, "another speed"},
        {"\n| lab | fast | `a.cu` | 0.80 |  | fail", &both, true, "without a speed"},
        {"\n| lab | fast | `a.cu` | 0.80 | 0.53 (modelled) | ", &both, true, "without a speed"},
        {"", &both, true, "neither"},
        {"", &both, false, "no line"},
        {"", &modelled, true, "neither"},
        {"\n- `lab` fast: \n", &both, true, "neither"},
        {"\n- `lab` fast: so.\n", &both, true, ""},
        {"\n- `lab` fast: so.\n", &both, false, "no line"},
        {"\n- `lab` fast: so.\n", &modelled, true, ""},
        {"\n- `lab` faster: so.\n| lab | faster | `a.cu` | 0.80 | 0.53 (measured) | ", &both, true,
         "neither"},
        {"\n| lab | fast | `a.cu` | 0.80 | 0.53 (measured) | \n- `lab` fast: so.\n", &both, true,
         "and a reason"},
        {"\n| lab | fast | `a.cu` | 0.90 | 0.53 (modelled) | ", &modelled, true,
         "modelled everywhere"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *got = rung_missing(rows[i].page, "lab", rows[i].row, "a.cu", rows[i].measured);
        cr_expect(*rows[i].missing ? strstr(got, rows[i].missing) != NULL : !*got, "%zu: %s", i,
                  got);
    }
}

/* Bits of the classes of which the lab has a cheat. */
static unsigned classes_of(const struct engine_options *o, const char *lab)
{
    int n;
    unsigned bits = 0;
    struct known_file *v = known_files(o, lab, &n);
    for (int i = 0; i < n; i++) {
        struct expect x;
        if (strcmp(v[i].kind, "wrong"))
            continue;
        free(cheats_read(&v[i], &x));
        for (int k = 0; x.class && cheat_classes[k]; k++)
            bits |= !strcmp(x.class, cheat_classes[k]) ? 1u << k : 0;
        expect_free(&x);
    }
    known_files_free(v, n);
    return bits;
}

/* The README says why where a class has nothing to do with a lab, and nowhere else. */
Test(cheats, each_lab_has_each_class)
{
    struct engine_options o;
    struct text why = {0};
    size_t size;
    engine_defaults(&o);
    char *path = xformat("%s/grading/cheats/README.md", o.root);
    char *page = file_load(path, 1 << 20, &size, &why);
    cr_assert(page, "%s", text_str(&why));
    for (int i = 0; i < all_rubrics_count; i++) {
        const char *lab = all_rubrics[i]->lab;
        unsigned bits = classes_of(&o, lab);
        for (int k = 0; cheat_classes[k]; k++) {
            char *line = xformat("\n- `%s` %s: ", lab, cheat_classes[k]);
            bool said = strstr(page, line), there = bits >> k & 1;
            cr_expect(said || there,
                      "%s has no cheat of the class %s, and README.md no line \"%s…\"", lab,
                      cheat_classes[k], line + 1);
            cr_expect(!said || !there, "%s has a cheat of the class %s: README.md says it has none",
                      lab, cheat_classes[k]);
            free(line);
        }
    }
    free(page);
    free(path);
}
