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

/* bank_test.c sees to it that it does not pass: here, that there is one, and that the table has it.
 * On a GPU some were tried: what the page has of them is of today's rows. */
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
                unsigned on = r->rows[k].evidence ? r->rows[k].evidence : EV_MODELLED | EV_MEASURED;
                if (r->rows[k].kind != ROW_SPEED || !(on & (p ? EV_MEASURED : EV_MODELLED)))
                    continue;
                char *name = rung_before(&o, r->lab, r->rows[k].id);
                cr_assert(name, "%s: no file of wrong/ says \"rung: %s\"", r->lab, r->rows[k].id);
                char *row = xformat("\n| %s | %s | `%s` | %.2f | ", r->lab, r->rows[k].id, name,
                                    row_ratio(&r->rows[k], p));
                char *begin = xformat("\n| %s | %s | ", r->lab, r->rows[k].id);
                cr_expect(strstr(page, row) || (p && !strstr(page, begin)), "%s lacks%s", path,
                          row);
                free(begin);
                free(row);
                free(name);
            }
        }
        free(page);
        free(path);
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
