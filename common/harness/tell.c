/* tell.c - what a run found out, in words, tables and records (program.h). */
#include "base/alloc.h"
#include "base/file.h"
#include "finding.h"
#include "lab/todo.h"
#include "ncu.h"
#include "program.h"
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FINDINGS 10 /* shown */

char *source_path(const struct run *r)
{
    const char *name = r->lab->name;

    if (r->o.file || r->o.module)
        return xstrdup(r->o.file ? r->o.file : r->o.module);
    return xformat("%s/%s/%s/%s.cu", course_root(), r->o.solution ? "solutions" : "labs", name,
                   name);
}

const char *short_path(const char *path)
{
    size_t n = strlen(course_root());

    return !strncmp(path, course_root(), n) && path[n] == '/' ? path + n + 1 : path;
}

void print_command(const struct run *r, const char *kernel, bool check)
{
    printf("make run LAB=%s", r->lab->name);
    if (kernel && !r->lab->program)
        printf(" KERNEL=%s", kernel);
    if (r->o.file) {
        struct text word = {0};

        text_shell(&word, r->o.file);
        printf(" FILE=%s", word.s);
        text_free(&word);
    }
    if (r->o.solution)
        printf(" SOLUTION=1");
    printf("%s", check ? " CHECK=1" : "");
}

static void add_number(struct text *args, const char *name, bool given, uint64_t value)
{
    if (given)
        text_addf(args, "%s--%s %" PRIu64, args->length ? " " : "", name, value);
}

/* What was asked for beside the lab's own cases: a kernel may be wrong there alone. */
static void print_cases(const struct run *r)
{
    const struct run_options *o = &r->o;
    struct text args = {0}, word = {0};

    if (o->has_n)
        printf(" N=%" PRIu64, o->n);
    if (o->cases) {
        text_shell(&word, o->cases);
        printf(" CASE=%s", word.s);
    }
    add_number(&args, "rows", o->has_m, o->m);
    add_number(&args, "inner", o->has_k, o->k);
    add_number(&args, "param", o->has_param, (uint64_t)o->param);
    add_number(&args, "seed", o->seed != OPTIONS_SEED, o->seed);
    if (o->has_dtype)
        text_addf(&args, "%s--dtype %s", args.length ? " " : "", dtype_name(o->dtype));
    if (args.length)
        printf(" ARGS='%s'", args.s);
    text_free(&args);
    text_free(&word);
}

int variant_index(const struct run *r, const struct lab_variant *v)
{
    return (int)(v - r->lab->variants);
}

/* A variant that failed anywhere gets no time, whatever the emulator modelled. */
static void drop_times_of_failures(struct run *r)
{
    for (int i = 0; i < r->report.n; i++) {
        struct entry *x = &r->report.results[i];

        x->wrong = r->variants[variant_index(r, x->variant)].failures;
        if (x->wrong)
            x->time = (struct timing){0};
    }
}

bool still_to_write(const struct run *r, int v)
{
    return r->variants[v].open;
}

/* With what was told of this one, others are right, too, of which no more is told. */
static void print_like(const struct run *r, int v)
{
    const char *before = "  With the same change these are right, too, on all inputs that were "
                         "tried: ";

    for (int i = 0; i < r->lab->nvariants; i++) {
        const char *as = r->variants[i].why.as;

        if (!as || strcmp(as, r->lab->variants[v].name) != 0)
            continue;
        printf("%s%s", before, r->lab->variants[i].name);
        before = ", ";
    }
    if (*before == ',')
        putchar('\n');
}

/* … and others call that function, too, and stay wrong. */
static void print_despite(const struct run *r, int v)
{
    struct text t = {0};
    int n = 0;

    for (int i = 0; i < r->lab->nvariants; i++) {
        const char *of = r->variants[i].why.despite;

        if (of && !strcmp(of, r->lab->variants[v].name) && r->variants[i].failures)
            text_addf(&t, "%s%s", n++ ? ", " : "", r->lab->variants[i].name);
    }
    if (n)
        printf(
            "  %s, which call%s the function with that line, too, stay%s wrong with the change\n",
            t.s, n > 1 ? "" : "s", n > 1 ? "" : "s");
    text_free(&t);
}

static bool is_told(const struct run *r, int v)
{
    return r->variants[v].failures && !still_to_write(r, v) && !r->variants[v].why.as;
}

/* Of a variant before this one the very same was told: which; -1: of none. */
static int told_before(const struct run *r, int v)
{
    const char *words = text_str(&r->variants[v].why.words);

    for (int i = 0; i < v && *words; i++) {
        if (is_told(r, i) && !strcmp(text_str(&r->variants[i].why.words), words))
            return i;
    }
    return -1;
}

/* … and it goes wrong in the same way, on the same cases: nothing is left to be told of it. */
static bool is_same(const struct run *r, int v)
{
    const struct variant_state *s = &r->variants[v];
    int before = told_before(r, v);
    const struct variant_state *first = before < 0 ? NULL : &r->variants[before];

    return first && first->on == s->on && first->failures == s->failures && !s->faulted &&
           !strcmp(first->message, s->message);
}

static void print_same(const struct run *r, int v)
{
    const char *before = "  The very same is wrong in ", *kernel = r->lab->variants[v].kernels;
    bool shared = kernel && !strchr(kernel, ' ');

    for (int i = v + 1; i < r->lab->nvariants; i++) {
        const struct lab_variant *of = &r->lab->variants[i];

        if (!is_told(r, i) || told_before(r, i) != v || !is_same(r, i))
            continue;
        printf("%s%s", before, of->name);
        shared = shared && of->kernels && !strcmp(of->kernels, kernel);
        before = ", ";
    }
    if (*before == ',' && shared)
        printf(": all of these run the kernel %s\n", kernel);
    else if (*before == ',')
        putchar('\n');
}

/* Who has asked for checks need not be told to. */
static void print_words(const struct run *r, const char *words)
{
    const char *lists = r->o.check ? strstr(words, finding_check_lists) : NULL;

    if (lists)
        printf("%.*s%s", (int)(lists - words), words, lists + strlen(finding_check_lists));
    else
        fputs(words, stdout);
}

static bool is_told_as(const struct variant_state *s, const char *cause)
{
    return s->why.cause && !strcmp(s->why.cause, cause);
}

static void print_failure(const struct run *r, int v)
{
    const struct variant_state *s = &r->variants[v];
    const char *name = r->lab->variants[v].name;
    int like = told_before(r, v);

    bool ends = is_told_as(s, "compared"); /* its results are right */
    if (s->follows) {
        printf("%s%s%s is not run: %s", colours(stdout) ? "\033[31m" : "", name,
               colours(stdout) ? "\033[0m" : "", s->message);
        return;
    }
    printf("%s%s%s %s ", colours(stdout) ? "\033[31m" : "", name, colours(stdout) ? "\033[0m" : "",
           ends             ? "does not end as it should"
           : s->why.refused ? "is not run"
                            : "is wrong");
    if (s->failures > 1)
        printf("in %llu of %llu cases, such as %s: %s", (unsigned long long)s->failures,
               (unsigned long long)(s->failures + s->passes), s->on->name, s->message);
    else
        printf("on case %s: %s", s->on->name, s->message);
    if (like >= 0)
        printf("  all that is said of %s holds here, too\n", r->lab->variants[like].name);
    else
        print_words(r, text_str(&s->why.words));
    print_like(r, v);
    print_despite(r, v);
    print_same(r, v);
    /* The launch that failed is the last that was made: of the first all has been said. */
    if (s->faulted && s->failures > 1)
        printf("  On case %s its launch failed. Until that is mended %s is not run on the cases "
               "that are left.\n",
               s->failed[s->failures - 1]->name, name);
    else if (s->faulted)
        printf("  Until that is mended %s is not run on the cases that are left.\n", name);
}

/* A paragraph a kernel that is wrong; one line for all that are still to be written. */
static void print_failures(const struct run *r)
{
    const char *before = "Still to be written, their TODO stands: ";

    for (int v = 0; v < r->lab->nvariants; v++) {
        if (is_told(r, v) && !is_same(r, v))
            print_failure(r, v);
    }
    for (int v = 0; v < r->lab->nvariants; v++) {
        if (!still_to_write(r, v))
            continue;
        printf("%s%s", before, r->lab->variants[v].name);
        before = ", ";
    }
    if (*before == ',')
        putchar('\n');
}

/* ---- findings of the emulator's checker ---- */

static void print_findings(struct run *r)
{
    struct text t = {0};
    char *path = source_path(r);

    if (r->machine.emulator && r->o.check) {
        findings_put(&t, r->verify.findings.s, short_path(path), MAX_FINDINGS, false);
        for (int v = 0; v < r->lab->nvariants; v++)
            findings_drop(&t, text_str(&r->variants[v].why.words));
        fputs(text_str(&t), stdout);
        if (r->verify.nfindings)
            r->failed++;
        else
            printf("Checks: no bad access, no race, no barrier in divergent code.\n");
    }
    text_free(&t);
    free(path);
}

/* ---- telling ---- */

void print_list(const struct lab *lab)
{
    printf("%s: %s\n\nvariants\n", lab->name, lab->title);
    for (int i = 0; i < lab->nvariants; i++)
        printf("  %-4s %-16s %s\n", lab->variants[i].number ? lab->variants[i].number : "",
               lab->variants[i].name, lab->variants[i].what ? lab->variants[i].what : "");
    printf("\ncases (c: checked, t: timed, q: in a plain make, G: GPU only, E: emulator only)\n");
    for (int i = 0; i < lab->ncases; i++) {
        const struct lab_case *c = &lab->cases[i];

        printf("  %-24s %s %c%c%c%c%c n=%llu m=%llu k=%llu param=%lld\n", c->name,
               dtype_name(c->dtype), c->flags & CASE_CHECK ? 'c' : '-',
               c->flags & CASE_TIME ? 't' : '-', c->flags & CASE_QUICK ? 'q' : '-',
               c->flags & CASE_GPU_ONLY ? 'G' : '-', c->flags & CASE_EMULATOR_ONLY ? 'E' : '-',
               (unsigned long long)c->n, (unsigned long long)c->m, (unsigned long long)c->k,
               (long long)c->param);
    }
    if (lab->npredictions)
        printf("\nfor labs/%s/predict.txt, lines \"key = number\"\n", lab->name);
    for (int i = 0; i < lab->npredictions; i++)
        printf("  %-24s %s\n", lab->predictions[i].key, lab->predictions[i].question);
}

static bool write_record(const struct report *p, const char *path,
                         bool (*write)(const struct report *, const char *, struct text *))
{
    struct text why = {0};
    bool ok = !path || write(p, path, &why);

    if (!ok)
        fprintf(stderr, "%s\n", why.s);
    text_free(&why);
    return ok;
}

/* Of a lab that has no schedules there is none. */
static bool write_timeline(struct run *r)
{
    struct text all = {0}, why = {0};
    bool ok = true;

    if (r->timeline.length) {
        timeline_head(&all, r->report.command);
        text_add(&all, r->timeline.s);
        ok = file_save(r->o.timeline, all.s, all.length, &why);
    }
    if (!ok)
        fprintf(stderr, "%s\n", why.s);
    text_free(&all);
    text_free(&why);
    return ok;
}

/* Whole runs leave their record where plots look; parts only where asked to. */
bool write_records(struct run *r)
{
    bool whole = !r->o.kernels && !r->o.cases && !own_case(&r->o) && !r->o.no_records &&
                 !r->o.file && !r->o.module && !r->o.check;
    char *base = xformat("%s/build/records%s/%s-%s", course_root(), r->o.solution ? "" : "/mine",
                         r->lab->name, r->machine.emulator ? "emulator" : "gpu");
    char *csv = xformat("%s.csv", base), *json = xformat("%s.json", base);
    bool ok = true;

    if (r->report.n) {
        ok &= write_record(&r->report, r->o.csv ? r->o.csv : whole ? csv : NULL, records_csv);
        ok &= write_record(&r->report, r->o.json ? r->o.json : whole ? json : NULL, records_json);
    }
    ok &= write_timeline(r);
    free(base);
    free(csv);
    free(json);
    return ok;
}

static void print_predictions(struct run *r)
{
    char *path = r->o.predictions ? xstrdup(r->o.predictions)
                                  : xformat("%s/labs/%s/predict.txt", course_root(), r->lab->name);
    bool asks = r->lab->npredictions && !r->o.check;

    if (asks && r->o.solution && !r->o.predictions) {
        if (!access(path, R_OK))
            printf(
                "\nPredictions (%s) are looked at when your own file runs: without SOLUTION=1.\n",
                short_path(path));
    } else if (asks && predict_print(stdout, &r->report, path) < 0) {
        printf("(The run goes by kernels: it is right or wrong without such lines.)\n");
    }
    free(path);
}

/* Of the chosen kernels. */
struct tally {
    int right, wrong, open, missing, all;
    const char *first_wrong, *first_open;
};

static struct tally count_kernels(const struct run *r)
{
    struct tally t = {0};

    for (int v = r->lab->nvariants - 1; v >= 0; v--) {
        const struct variant_state *s = &r->variants[v];
        const char *name = r->lab->variants[v].name;

        if (still_to_write(r, v))
            t.open++, t.first_open = name;
        else if (s->failures)
            t.wrong++, t.first_wrong = name;
        t.right += !s->failures && s->passes;
        t.missing += s->missing;
    }
    t.all = t.right + t.wrong + t.open + t.missing;
    return t;
}

/* A program has one name, and several places to be written. */
static bool print_todo_line(const struct run *r)
{
    const char *todo = r->lab->program && r->source ? strstr(r->source, "TODO") : NULL;
    int line = 1;

    for (const char *p = r->source; todo && p < todo; p++)
        line += *p == '\n';
    if (todo)
        printf("write what the TODO in line %d asks for, then ", line);
    return todo;
}

/* A schedule may be given, and its kernel still to be written. */
static void print_to_write(const struct run *r, const char *name)
{
    const char *kernel = NULL;
    size_t length = 0;

    if (print_todo_line(r))
        return;
    for (int v = 0; r->source && v < r->lab->nvariants; v++) {
        if (!strcmp(r->lab->variants[v].name, name))
            kernel = kernel_to_write(r->source, &r->lab->variants[v], &length);
    }
    printf("write %.*s, then ", kernel ? (int)length : (int)strlen(name), kernel ? kernel : name);
}

/* Of kernels that are wrong how many are told of. */
static int count_told(const struct run *r)
{
    int n = 0;

    for (int v = 0; v < r->lab->nvariants; v++)
        n += is_told(r, v) && !is_same(r, v);
    return n;
}

/* The one command to try next, and why. */
static void print_next(const struct run *r, const struct tally *t)
{
    if (r->o.module)
        return;
    printf("next: ");
    if (t->wrong && !r->machine.emulator) {
        print_command(r, t->first_wrong, false);
        print_cases(r);
        puts(" BACKEND=emulator looks for races, bad addresses and barriers, and names the line");
    } else if (t->missing) {
        print_command(r, NULL, false);
        puts(" ARGS=--list names the kernels that are looked for");
    } else if (t->open && !t->wrong && !r->verify.nfindings) {
        print_to_write(r, t->first_open);
        print_command(r, t->first_open, false);
        putchar('\n');
    } else {
        printf("mend %s, then ", count_told(r) > 1 ? "the first of these" : "it");
        print_command(r, t->first_wrong ? t->first_wrong : r->o.kernels, r->o.check);
        print_cases(r);
        putchar('\n');
    }
}

static void print_some(int n, const char *which)
{
    if (n)
        printf(", %d %s", n, which);
}

/* Kernels whose results are right, and may not be on a GPU. Returns the first; NULL: none. */
static const char *print_luck(const struct run *r)
{
    const char *first = NULL;

    for (int v = 0; v < r->lab->nvariants; v++) {
        const char *name = r->lab->variants[v].name;

        if (r->variants[v].failures || !r->variants[v].why.words.length)
            continue;
        printf("%s's results are right%s:\n%s", name,
               r->lab->program ? ", but something else is not" : " here, but may be wrong on a GPU",
               r->variants[v].why.words.s);
        first = first ? first : name;
    }
    return first;
}

/* Some kernels were asked for, and are right: the next one that is still to be written, or all. */
static void print_others(const struct run *r)
{
    const char *open = NULL;

    if (!r->o.kernels || r->lab->nvariants < 2 || r->o.solution || r->o.module)
        return;
    for (int v = 0; v < r->lab->nvariants && r->source && !open; v++) {
        if (!r->variants[v].chosen && written_of(r->source, &r->lab->variants[v]) == WRITTEN_NOT)
            open = r->lab->variants[v].name;
    }
    printf("next: ");
    if (open)
        print_to_write(r, open);
    print_command(r, open, r->o.check);
    puts(open ? "" : " has the others, too");
}

/* A size of one's own without an element, and a kernel that is still to be written is right. */
static bool nothing_to_check(const struct run *r)
{
    bool open = false;

    for (int v = 0; v < r->lab->nvariants && r->source && own_case(&r->o) && !r->cases->n; v++) {
        enum written w = written_of(r->source, &r->lab->variants[v]);
        open |= r->variants[v].passes && (w == WRITTEN_NOT || w == WRITTEN_PARTLY);
    }
    return open;
}

/* missed: some are right by another way than is asked for. */
static void print_summary(struct run *r, bool missed)
{
    struct tally t = count_kernels(r);
    const char *lucky = print_luck(r);

    if (!r->checks && !r->failed) {
        printf("\n%s: nothing was run: these kernels and cases do not go together\n"
               "next: make run LAB=%s ARGS=--list names them\n",
               r->lab->name, r->lab->name);
        r->failed++;
    } else if (!r->failed && nothing_to_check(r)) {
        printf("\n%s: nothing was checked: with n = 0 there is nothing to do, and who does nothing "
               "yet is right\nnext: ",
               r->lab->name);
        print_command(r, r->o.kernels, r->o.check);
        putchar('\n');
    } else if (r->failed) {
        printf("\n%s: not right yet: of %d %s%s %d right", r->lab->name, t.all,
               r->lab->program ? "program" : "kernel", t.all == 1 ? "" : "s", t.right);
        print_some(t.wrong, "wrong");
        print_some(t.missing, "missing");
        print_some(t.open, "still to be written");
        puts(r->verify.nfindings && !t.wrong ? "; what the checks have found may go wrong on a GPU"
                                             : "");
        print_next(r, &t);
    } else {
        printf("\n%s: all %sright (%d checked)", r->lab->name, missed || lucky ? "results " : "",
               r->checks);
        if (missed)
            printf(", and not all steps do what they are for");
        else if (lucky && r->lab->program)
            printf(", but something else is not (see above)");
        else if (lucky)
            printf(", and %s may be wrong on a GPU", lucky);
        putchar('\n');
        if (lucky) {
            printf("next: mend %s all the same, then ", r->lab->program ? "the program" : lucky);
            print_command(r, lucky, !r->lab->program);
            putchar('\n');
        } else {
            print_others(r);
        }
    }
}

/* Of a run that is not right: kernels that are, on the cases of a plain make. All rows are in
 * the record. */
static void print_table(struct run *r)
{
    struct report part = r->report;
    bool asked = r->o.kernels || r->o.cases || own_case(&r->o);

    if (!r->failed || r->o.verbose) {
        table_print(stdout, &r->report);
        return;
    }
    part.brief = !asked;
    part.n = 0;
    part.results = xcalloc((size_t)r->report.n + 1, sizeof(*part.results));
    for (int i = 0; i < r->report.n; i++) {
        const struct entry *x = &r->report.results[i];
        int of = lab_part(r->lab, x->variant) ? 0 : variant_index(r, x->variant);

        if (r->variants[of].failures)
            part.kernels_left = true;
        else if (asked || x->input->flags & CASE_QUICK)
            part.results[part.n++] = *x;
        else
            part.cases_left = true;
    }
    table_print(stdout, &part);
    free(part.results);
}

static void print_causes(const struct run *r)
{
    for (int v = 0; v < r->lab->nvariants; v++) {
        const struct variant_state *s = &r->variants[v];
        const char *cause = s->open ? "todo" : s->why.cause ? s->why.cause : "none";

        if (s->failures || s->missing || s->why.cause)
            printf("cause %s %s\n", r->lab->variants[v].name, cause);
        for (const char *p = text_str(&s->why.unsaid); *p; p += strcspn(p, "\n"), p += *p == '\n')
            printf("unsaid %s%.*s\n", r->lab->variants[v].name, (int)strcspn(p, "\n"), p);
    }
}

void tell(struct run *r)
{
    struct text why = {0};

    if (r->o.ncu && !ncu_merge(&r->report, r->o.ncu, &why))
        fprintf(stderr, "no hardware counters: %s\n", why.s);
    text_free(&why);
    drop_times_of_failures(r);
    report_speedups(&r->report);
    print_failures(r);
    print_table(r);
    print_predictions(r);
    print_findings(r);
    bool missed = goals_print(stdout, &r->report);
    for (int v = 0; v < r->lab->nvariants; v++) {
        if (!r->variants[v].why.beside.length)
            continue;
        missed = true;
        printf("%s's results are right, but %s\n", r->lab->variants[v].name,
               r->variants[v].why.beside.s);
    }
    if (r->o.causes)
        print_causes(r);
    print_summary(r, missed);
}
