/* cmd_cheats.c - grade cheats: what each known cheat of a lab loses, as a page of Markdown.
 *
 * `make cheats` keeps the pages in grading/cheats; cheats_test.c says when one is stale.
 */
#include "args.h"
#include "cheats.h"
#include "commands.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A cell of a table: an upright bar would end it. */
static void add_cell(struct text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '|')
            text_add(t, "\\");
        text_bytes(t, *s == '\n' ? " " : s, 1);
    }
}

void cheats_add_name(struct text *t, const struct known_file *f, const struct expect *x)
{
    text_addf(t, "| `%s` | %s%s", known_name(f), or_empty(x->class), x->class ? " | " : "");
    add_cell(t, or_empty(x->prose));
    text_add(t, " |");
}

/* The rows that were lost, each with what decided, but for those that follow from another. */
static void add_losses(struct text *t, const struct verdict *v)
{
    const char *between = " ";
    if (v->status != VERDICT_GRADED)
        text_add(t, " all: it does not compile");
    for (int i = 0; i < v->nrows; i++) {
        const struct verdict_row *r = &v->rows[i];
        if (status_loses_nothing(r->status) || r->status == STATUS_BLOCKED)
            continue;
        text_addf(t, "%s**%s**: ", between, r->id);
        add_cell(t, or_empty(r->why));
        between = "<br>";
    }
    text_addf(t, " | %g of %g |\n", v->score, v->max);
}

static bool as_expected(const struct known_file *f, const struct expect *x, const struct verdict *v)
{
    struct text t = {0};
    bool ok = !expect_compare(x, v, &t);
    if (!ok)
        fprintf(stderr, "grade: %s does not get its verdict:\n%s", f->path, text_str(&t));
    text_free(&t);
    return ok;
}

/* A row for the file, where it belongs into one of the tables; false: it is not what it says. */
static bool add_file(struct engine *e, struct engine_options *o, const struct known_file *f,
                     struct text *cheats, struct text *right)
{
    struct expect x;
    char *source = cheats_read(f, &x);
    bool ok = true;
    if (!strcmp(f->kind, "right")) {
        cheats_add_name(right, f, &x);
        text_add(right, "\n");
    } else if (x.class) {
        o->only = x.only;
        struct verdict *v = engine_mark(e, f->path, source, strlen(source));
        ok = as_expected(f, &x, v);
        cheats_add_name(cheats, f, &x);
        add_losses(cheats, v);
        verdict_free(v);
    }
    expect_free(&x);
    free(source);
    return ok;
}

char *cheats_read(const struct known_file *f, struct expect *x)
{
    char *source;
    size_t n;
    struct text why = {0};
    if (!known_source(f->path, &source, &n, &why))
        die("%s: %s", f->path, text_str(&why));
    if (!expect_parse(source, x, &why))
        die("%s: %s", f->path, text_str(&why));
    return source;
}

static error_t parse_lab(int key, char *arg, struct argp_state *state)
{
    const char **lab = state->input;
    if (key == 'l')
        *lab = arg;
    else if (key == ARGP_KEY_END && !*lab)
        argp_usage(state);
    else if (key != ARGP_KEY_END)
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static void print_page(const char *lab, const struct text *cheats, const struct text *right)
{
    printf("# %s: what was tried\n"
           "Written by `make cheats LAB=%s`; [README](README.md) says what the classes are. Cheats "
           "are in [wrong](../../labs/%s/wrong), the others in [right](../../labs/%s/right).\n\n"
           "| cheat | class | what it does | what it loses, and why | keeps |\n"
           "| --- | --- | --- | --- | --- |\n%s\n"
           "Odd but right, and full marks:\n\n| file | what is odd |\n| --- | --- |\n%s",
           lab, lab, lab, lab, text_str(cheats), text_str(right));
}

int cmd_cheats(int argc, char **argv)
{
    static const struct argp_option options[] = {{"lab", 'l', "LAB", 0, "The lab", 0}, {0}};
    static const struct argp argp = {
        options, parse_lab, "", "Marks a lab's cheats and prints what each loses, as Markdown.",
        0,       0,         0};
    struct engine_options o;
    struct engine e;
    struct text cheats = {0}, right = {0};
    const char *lab = NULL;
    int n, bad = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &lab);
    engine_defaults(&o);
    o.secret = "selftest-secret";
    if (!sandbox_or_refuse(&o, false))
        return 2;
    open_engine(&e, lab, &o);
    struct known_file *v = known_files(&o, lab, &n);
    for (int i = 0; i < n; i++)
        if (!strcmp(v[i].kind, "right") || !strcmp(v[i].kind, "wrong"))
            bad += !add_file(&e, &o, &v[i], &cheats, &right);
    if (!bad)
        print_page(lab, &cheats, &right);
    text_free(&cheats);
    text_free(&right);
    known_files_free(v, n);
    engine_close(&e);
    return bad > 0;
}
