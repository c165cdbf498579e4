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
    cheats_add_name(&row, f->path, &x);
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
