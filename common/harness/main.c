/* main.c - a lab's program: compile, check everything, time, tell.
 *
 * Interface: build/bin/LAB [options]; exit status 0: all right, 1: something is wrong with
 * the student's file, 2: the run could not be made.
 *
 * Order: every variant is checked on every case before anything is timed. On the emulator
 * nothing is timed at all: the checked run is counted and modelled.
 */
#include "compile.h"
#include "diagnose.h"
#include "finding.h"
#include "lab/dtype.h"
#include "lab/todo.h"
#include "base/alloc.h"
#include "base/file.h"
#include "ncu.h"
#include "options.h"
#include "report.h"
#include "run/emulator.h"
#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IMAGE_MAX    (256u << 20)
#define MAX_FINDINGS 10 /* shown */
#define LOG_SECONDS  5  /* between two lines of progress */

struct variant_state {
    bool chosen, skipped;
    bool missing; /* skipped, and the lab asks for it */
    bool faulted; /* a launch failed: that would be said again on every case */
    uint64_t failures, passes;
    struct launch_record record;
    /* the first failure, told when all is checked */
    char *message;
    const struct lab_case *on;
    const struct lab_case **failed; /* `failures` of them: the cases */
    bool open;                      /* still to be written */
    struct diagnosis why;
};

struct run {
    const struct lab *lab;
    struct run_options o;
    struct machine machine;
    struct module module;
    struct verify verify;
    struct report report;
    struct variant_state *variants;
    struct lab_case *cases; /* chosen ones */
    char *own_name;         /* of the case made from the command line */
    char *source;           /* the .cu's text; NULL for a module */
    int ncases, failed, checks;
    bool lost; /* the device's context, after an error that sticks */
    struct compiled image;
};

/* ---- choosing ---- */

static bool in_list(const char *list, const char *a, const char *b)
{
    char *copy = xstrdup(list), *rest = copy, *word;
    bool found = false;

    while ((word = strsep(&rest, ",")))
        found |= !strcmp(word, a) || (b && !strcmp(word, b));
    free(copy);
    return found;
}

static bool known_word(const struct run *r, const char *word, bool variant)
{
    for (int i = 0; variant && i < r->lab->nvariants; i++) {
        const struct lab_variant *v = &r->lab->variants[i];

        if (!strcmp(word, v->name) || (v->number && !strcmp(word, v->number)))
            return true;
    }
    for (int i = 0; !variant && i < r->lab->ncases; i++) {
        if (!strcmp(word, r->lab->cases[i].name))
            return true;
    }
    return false;
}

static void refuse_word(const struct run *r, const char *word, bool variant)
{
    fprintf(stderr, "%s: no %s called \"%s\"; it has:", r->lab->name, variant ? "kernel" : "case",
            word);
    for (int i = 0; variant && i < r->lab->nvariants; i++)
        fprintf(stderr, " %s (%s)", r->lab->variants[i].name,
                r->lab->variants[i].number ? r->lab->variants[i].number : "-");
    for (int i = 0; !variant && i < r->lab->ncases; i++)
        fprintf(stderr, "%s '%s'", i ? "," : "", r->lab->cases[i].name);
    fputs(variant ? "\n" : "\nA size of your own: N=1000 (--n 1000)\n", stderr);
}

static void check_list(const struct run *r, const char *list, bool variant)
{
    char *copy = xstrdup(list ? list : ""), *rest = list ? copy : NULL, *word;
    bool known = true;

    while (known && (word = strsep(&rest, ","))) {
        known = known_word(r, word, variant);
        if (!known)
            refuse_word(r, word, variant);
    }
    free(copy);
    if (!known)
        exit(2);
}

static void choose_variants(struct run *r)
{
    r->variants = xzalloc((size_t)r->lab->nvariants * sizeof(*r->variants));
    check_list(r, r->o.kernels, true);
    for (int i = 0; i < r->lab->nvariants; i++) {
        const struct lab_variant *v = &r->lab->variants[i];

        r->variants[i].chosen = !r->o.kernels || in_list(r->o.kernels, v->name, v->number);
        r->variants[i].record = v->record;
    }
}

/* A case asked for by name runs on either machine. Checks watch every access, on a GPU too
 * (compute-sanitizer): there the emulator's sizes do. */
static bool wants_case(const struct run *r, const struct lab_case *c)
{
    if (r->o.cases)
        return in_list(r->o.cases, c->name, NULL);
    if (c->flags & (r->machine.emulator || r->o.check ? CASE_GPU_ONLY : CASE_EMULATOR_ONLY))
        return false;
    if (r->o.quick && !(c->flags & CASE_QUICK))
        return false;
    return c->flags & (r->o.check ? CASE_CHECK : CASE_CHECK | CASE_TIME);
}

static bool own_case(const struct run_options *o)
{
    return o->has_n || o->has_m || o->has_k || o->has_param || o->has_dtype;
}

static bool chosen_applies(const struct run *r, const struct lab_case *c)
{
    for (int v = 0; v < r->lab->nvariants; v++) {
        if (r->variants[v].chosen && (!r->lab->applies || r->lab->applies(&r->lab->variants[v], c)))
            return true;
    }
    return false;
}

/* The case on the command line is like the first timed one (or --case) of the chosen kernels
 * otherwise. */
static struct lab_case make_own_case(struct run *r)
{
    const struct run_options *o = &r->o;
    struct lab_case c = r->lab->cases[0];
    bool found = false;

    for (int i = 0; i < r->lab->ncases && !found; i++) {
        const struct lab_case *x = &r->lab->cases[i];

        found = o->cases ? in_list(o->cases, x->name, NULL)
                         : (x->flags & CASE_TIME) && (!o->has_dtype || x->dtype == o->dtype) &&
                               chosen_applies(r, x);
        if (found)
            c = *x;
    }
    if (o->has_n) {
        c.m = c.m == c.n ? o->n : c.m; /* square stays square */
        c.k = c.k == c.n ? o->n : c.k;
        c.n = o->n;
    }
    c.m = o->has_m ? o->m : c.m;
    c.k = o->has_k ? o->k : c.k;
    c.param = o->has_param ? o->param : c.param;
    c.dtype = o->has_dtype ? o->dtype : c.dtype;
    c.flags = CASE_CHECK | CASE_TIME;
    c.name = r->own_name = xformat("n=%llu", (unsigned long long)c.n);
    return c;
}

static void choose_cases(struct run *r)
{
    r->cases = xzalloc((size_t)(r->lab->ncases + 1) * sizeof(*r->cases));
    check_list(r, r->o.cases, false);
    if (own_case(&r->o)) {
        r->cases[r->ncases++] = make_own_case(r);
        return;
    }
    for (int i = 0; i < r->lab->ncases; i++) {
        if (wants_case(r, &r->lab->cases[i]))
            r->cases[r->ncases++] = r->lab->cases[i];
    }
    for (int i = 0; i < r->ncases && r->o.cases; i++)
        r->cases[i].flags |= CASE_CHECK | CASE_TIME; /* asked for by name: told about */
}

static bool applies(const struct run *r, int v, const struct lab_case *c)
{
    return r->variants[v].chosen && !r->variants[v].skipped &&
           (!r->lab->applies || r->lab->applies(&r->lab->variants[v], c));
}

/* ---- loading ---- */

static char *source_path(const struct run *r)
{
    const char *name = r->lab->name;

    if (r->o.file || r->o.module)
        return xstrdup(r->o.file ? r->o.file : r->o.module);
    return xformat("%s/%s/%s/%s.cu", course_root(), r->o.solution ? "solutions" : "labs", name,
                   name);
}

static const char *short_path(const char *path)
{
    size_t n = strlen(course_root());

    return !strncmp(path, course_root(), n) && path[n] == '/' ? path + n + 1 : path;
}

/* What the compiler says of host code in a file that is for the device, and what to do. */
static void print_hint(const char *log)
{
    static const struct {
        const char *says, *hint;
    } hints[] = {
        {"cannot open source file",
         "the file is compiled for the device alone, where the host's headers (iostream, "
         "vector, thread) do not exist. printf and assert need no header; cuda/std/… is there."},
        {"identifier \"cuda", "the host's part (main, cudaMalloc, cudaMemcpy, launches) does not "
                              "belong here: the harness does all of it. Keep the kernels only."},
        {"identifier \"std\"", "the host's C++ library is not on the device; cuda::std is, after "
                               "#include <cuda/std/…>."},
        {"name must be a namespace", "the host's C++ library is not on the device; cuda::std is, "
                                     "after #include <cuda/std/…>."},
        {"too many initializer values", "LAUNCH(kernel, threads a block, rows of them, elements a "
                                        "thread, bytes of shared memory); the last may be left "
                                        "out."},
    };

    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (strstr(log, hints[i].says)) {
            fprintf(stderr, "hint: %s\n", hints[i].hint);
            return;
        }
    }
}

static void print_command(const struct run *r, const char *kernel, bool check)
{
    printf("make run LAB=%s", r->lab->name);
    if (kernel)
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

static void print_compile_log(const struct run *r, const char *path, const struct compiled *c)
{
    fputs(c->log, stderr);
    if (c->log[0] && c->log[strlen(c->log) - 1] != '\n')
        fputc('\n', stderr);
    if (c->image)
        return;
    print_hint(c->log);
    fprintf(stderr,
            "%s: %s does not compile: nothing was run. Mend the first error first; the "
            "others may come from it.\n",
            r->lab->name, short_path(path));
    fflush(stderr);
    printf("next: mend it, then ");
    print_command(r, r->o.kernels, r->o.check);
    putchar('\n');
}

static bool readable(const struct run *r, const char *path)
{
    struct stat s;
    bool found = !stat(path, &s), folder = found && S_ISDIR(s.st_mode);

    if (found && !folder && !access(path, R_OK))
        return true;
    fprintf(stderr,
            folder              ? "%s: %s is a folder, not a file\n"
            : (errno == ENOENT) ? "%s: there is no file %s\n"
                                : "%s: %s cannot be read\n",
            r->lab->name, short_path(path));
    return false;
}

static bool load(struct run *r, const char *path)
{
    struct compile_request request = {
        .path = path, .arch = r->machine.arch, .toolkit = CUDA_INCLUDE};
    struct compiled *c = &r->image;
    struct text why = {0};
    size_t size;

    if (c->image) {
        /* loaded again, after an error */
    } else if (r->o.module) {
        c->image = file_load(path, IMAGE_MAX, &c->size, &why);
        c->size += c->image != NULL; /* its NUL: PTX is text */
    } else {
        r->source = file_load(path, IMAGE_MAX, &size, &why);
        compile_cuda(&request, c);
        print_compile_log(r, path, c);
    }
    bool ok = c->image && module_load(&r->module, short_path(path), c->image, c->size, &why);
    if (!ok && why.length)
        fprintf(stderr, "%s\n", why.s);
    text_free(&why);
    return ok;
}

/* The names of all kernels that the lab looks for. */
static char *kernels_of_the_lab(const struct lab *lab)
{
    struct text t = {0};

    for (int i = 0; i < lab->nvariants; i++)
        text_addf(&t, "%s%s", i ? " " : "",
                  lab->variants[i].kernels ? lab->variants[i].kernels : lab->variants[i].name);
    return text_take(&t);
}

static void miss(struct run *r, struct variant_state *s)
{
    s->missing = true;
    s->why.cause = "name";
    r->failed++;
}

/* A kernel that may be misspelt is told on a line of its own; others are gathered. */
static void miss_kernel(struct run *r, int v, const char *name, const char *known,
                        struct text *others)
{
    const char *like = module_like(&r->module, name, known);
    struct text t = {0};

    miss(r, &r->variants[v]);
    if (like || !r->module.nkernels) {
        text_addf(&t, "%s: no kernel \"%s\"", r->module.path, name);
        module_put_like(&r->module, name, like, &t);
        puts(t.s);
    } else {
        text_addf(others, "%s\"%s\"", others->length ? ", " : "", name);
    }
    text_free(&t);
}

static void look_at_record(struct run *r, int v)
{
    struct variant_state *s = &r->variants[v];
    struct text why = {0}, note = {0};

    s->skipped = !module_record(&r->module, &r->lab->variants[v], &s->record, &note, &why);
    if (s->skipped) {
        printf("%s\n", why.s);
        miss(r, s);
        s->why.cause = "record";
    }
    if (note.length)
        printf("%s\n", note.s);
    text_free(&why);
    text_free(&note);
}

/* Kernels and launch records of the chosen variants, before anything runs. */
static void look_at_variants(struct run *r)
{
    char *known = kernels_of_the_lab(r->lab);
    struct text others = {0}, has = {0};

    for (int v = 0; v < r->lab->nvariants; v++) {
        char *lacks = r->variants[v].chosen ? module_lacks(&r->module, &r->lab->variants[v]) : NULL;

        r->variants[v].skipped = lacks;
        if (lacks && (!r->lab->variants[v].optional || r->o.kernels))
            miss_kernel(r, v, lacks, known, &others);
        else if (!lacks && r->variants[v].chosen)
            look_at_record(r, v);
        free(lacks);
    }
    if (others.length) {
        module_put_names(&r->module, &has);
        printf("%s: no kernel %s. %s\n", r->module.path, others.s, has.s);
    }
    text_free(&others);
    text_free(&has);
    free(known);
}

/* ---- checking ---- */

/* A line that moves on a terminal; in a log one every few seconds, of long work alone. */
static void progress(const struct run *r, const char *what, const char *variant,
                     const struct lab_case *c, int at, int of)
{
    static time_t last;

    if (r->o.verbose) {
        fprintf(stderr, "%s %s, %s\n", what, variant, c->name);
    } else if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s %s, %s (%d of %d)", what, variant, c->name, at, of);
    } else if (!last || at == 1) {
        last = time(NULL);
    } else if (time(NULL) - last >= LOG_SECONDS) {
        last = time(NULL);
        fprintf(stderr, "%s: %d of %d\n", what, at, of);
    }
}

static void progress_end(const struct run *r)
{
    if (!r->o.verbose && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* A launch that failed (bad address, deadlock, no end) would fail on the other cases too, and
 * an endless loop take minutes on each: they are left out. Details are told at once, the rest
 * when it is known on how many cases a kernel is wrong. */
static void note_failure(struct run *r, int v, const struct lab_case *c)
{
    struct variant_state *s = &r->variants[v];

    r->failed++;
    s->faulted |= r->verify.error != cudaSuccess && !r->o.verbose;
    s->failed = xrealloc(s->failed, (s->failures + 1) * sizeof(*s->failed));
    s->failed[s->failures] = c;
    if (!s->failures++) {
        s->message = xstrdup(text_str(&r->verify.message));
        s->on = c;
    }
    if (r->o.verbose) {
        progress_end(r);
        printf("%s%s%s is wrong on %s: %s", colours(stdout) ? "\033[31m" : "",
               r->lab->variants[v].name, colours(stdout) ? "\033[0m" : "", c->name,
               text_str(&r->verify.message));
    }
}

/* After an error that sticks, every call fails until the context is made anew. */
static void recover_from(struct run *r, const char *path, cudaError_t error)
{
    if (!machine_error_is_sticky(error))
        return;
    r->module.library = NULL; /* freed with the device's context */
    module_unload(&r->module);
    machine_revive();
    r->lost = cudaFree(NULL) != cudaSuccess || !load(r, path);
    if (r->lost)
        printf("The device needs a new process after this error: the rest was not run. "
               "--kernel runs the others alone.\n");
}

static void recover(struct run *r, const char *path)
{
    recover_from(r, path, r->verify.error);
}

static int pairs(const struct run *r)
{
    int n = 0;

    for (int c = 0; c < r->ncases; c++) {
        for (int v = 0; v < r->lab->nvariants; v++)
            n += applies(r, v, &r->cases[c]);
    }
    return n;
}

static void keep_result(struct run *r, const struct entry *result)
{
    r->report.results = xrealloc(r->report.results, (size_t)(r->report.n + 1) * sizeof(*result));
    r->report.results[r->report.n++] = *result;
}

static bool is_reported(const struct run *r, const struct lab_case *c)
{
    return (c->flags & CASE_TIME) && !r->o.check;
}

static void check_one(struct run *r, int v, const struct lab_case *c, const char *path)
{
    struct entry result = {.variant = &r->lab->variants[v],
                           .input = c,
                           .seed = c->seed ? c->seed : r->o.seed,
                           .verdict = VERDICT_FAIL};

    if (!r->variants[v].faulted) {
        r->checks++;
        if (verify_variant(&r->verify, result.variant, c, &r->variants[v].record, &result)) {
            r->variants[v].passes++;
        } else {
            note_failure(r, v, c);
            recover(r, path);
        }
    }
    if (is_reported(r, c))
        keep_result(r, &result);
}

static void check_all(struct run *r, const char *path)
{
    int of = pairs(r), at = 0;

    for (int c = 0; c < r->ncases; c++) {
        for (int v = 0; v < r->lab->nvariants && !r->lost; v++) {
            if (!applies(r, v, &r->cases[c]))
                continue;
            if (r->o.profile_pass && !is_reported(r, &r->cases[c]))
                continue;
            progress(r, "checking", r->lab->variants[v].name, &r->cases[c], ++at, of);
            check_one(r, v, &r->cases[c], path);
        }
    }
    progress_end(r);
}

/* ---- timing ---- */

static int variant_index(const struct run *r, const struct lab_variant *v)
{
    return (int)(v - r->lab->variants);
}

static void time_all(struct run *r, const char *path)
{
    for (int i = 0; i < r->report.n && !r->lost; i++) {
        struct entry *x = &r->report.results[i];
        int v = variant_index(r, x->variant);

        if (x->verdict != VERDICT_PASS || r->variants[v].failures)
            continue;
        progress(r, "timing", x->variant->name, x->input, i + 1, r->report.n);
        if (!time_variant(&r->verify, x->variant, x->input, &r->variants[v].record, r->o.reps, x)) {
            note_failure(r, v, x->input);
            recover(r, path);
        }
    }
    progress_end(r);
    r->report.clock_mhz = machine_clock_now();
    if (r->report.clock_mhz > 0 && r->report.clock_mhz < 0.7 * r->machine.clock_mhz)
        printf("warning: the SM clock is at %.0f of %.0f MHz: times are not comparable\n",
               r->report.clock_mhz, r->machine.clock_mhz);
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

/* ---- what is wrong ---- */

static void recover_experiment(void *user, cudaError_t error)
{
    struct run *r = user;
    char *path = source_path(r);

    recover_from(r, path, error);
    free(path);
}

/* A skeleton's kernel: its TODO stands, and it writes nothing or the same for every input; or the
 * TODO is its helper's. Who asks for a kernel by name is told what it does. */
static bool is_open(struct run *r, struct experiment *x, int v)
{
    const struct variant_state *s = &r->variants[v];

    if (!r->source || r->o.kernels || r->o.verbose || s->faulted)
        return false;
    switch (written_of(r->source, x->variant)) {
    case WRITTEN_NOT:
        return diagnose_nothing(x, s->failed, (int)s->failures);
    case WRITTEN_PARTLY:
        return s->failures > s->passes;
    default:
        return false;
    }
}

/* Results can be right by luck: once, on a small case, the checker watches the student's own. */
static void look_at_right(struct run *r, int v, struct experiment *x, const char *path)
{
    const struct lab_case **cases = xcalloc((size_t)r->ncases + 1, sizeof(*cases));
    int n = 0;

    for (int c = 0; c < r->ncases; c++) {
        if (applies(r, v, &r->cases[c]))
            cases[n++] = &r->cases[c];
    }
    if (r->machine.emulator && !r->o.solution && !r->o.check && !x->variant->demo &&
        r->variants[v].passes)
        diagnose_right(x, cases, n, short_path(path), &r->variants[v].why);
    free(cases);
}

static void look_for_cause(struct run *r, int v, const char *path)
{
    struct variant_state *s = &r->variants[v];
    struct experiment x = {.verify = &r->verify,
                           .variant = &r->lab->variants[v],
                           .record = s->record,
                           .recover = recover_experiment,
                           .user = r};

    if (r->o.profile_pass || r->lost)
        return;
    if (!s->failures) {
        look_at_right(r, v, &x, path);
        return;
    }
    s->open = is_open(r, &x, v);
    if (!s->open && !(r->o.check && r->verify.nfindings))
        diagnose(&x, s->failed, (int)s->failures, short_path(path), &s->why);
}

static bool still_to_write(const struct run *r, int v)
{
    return r->variants[v].open;
}

static void print_failure(const struct run *r, int v)
{
    const struct variant_state *s = &r->variants[v];

    printf("%s%s%s is wrong on %s", colours(stdout) ? "\033[31m" : "", r->lab->variants[v].name,
           colours(stdout) ? "\033[0m" : "", s->on->name);
    if (s->failures > 1)
        printf(" and %llu more of %llu cases", (unsigned long long)s->failures - 1,
               (unsigned long long)(s->failures + s->passes));
    printf(": %s", s->message);
    fputs(text_str(&s->why.words), stdout);
    if (s->faulted)
        printf("  It is not run on the cases that are left until that is mended.\n");
}

/* A paragraph a kernel that is wrong; one line for all that are still to be written. */
static void print_failures(const struct run *r)
{
    const char *before = "Still to be written, their TODO stands: ";

    for (int v = 0; v < r->lab->nvariants && !r->o.verbose; v++) {
        if (r->variants[v].failures && !still_to_write(r, v))
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
        findings_put(&t, r->verify.findings.s, short_path(path), MAX_FINDINGS);
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

static void print_list(const struct lab *lab)
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

/* Whole runs leave their record where plots look; parts only where asked to. */
static bool write_records(struct run *r)
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
    free(base);
    free(csv);
    free(json);
    return ok;
}

static void print_predictions(struct run *r)
{
    char *path = r->o.predictions ? xstrdup(r->o.predictions)
                                  : xformat("%s/labs/%s/predict.txt", course_root(), r->lab->name);

    if (r->lab->npredictions && !r->o.check && (!r->o.solution || r->o.predictions) &&
        predict_print(stdout, &r->report, path) < 0)
        printf("(The run goes by kernels: it is right or wrong without that line.)\n");
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

/* The one command to try next, and why. */
static void print_next(const struct run *r, const struct tally *t)
{
    if (r->o.module)
        return;
    printf("next: ");
    if (t->wrong && !r->machine.emulator) {
        print_command(r, t->first_wrong, false);
        puts(" BACKEND=emulator looks for races, bad addresses and barriers, and names the line");
    } else if (t->missing) {
        print_command(r, NULL, false);
        puts(" ARGS=--list names the kernels that are looked for");
    } else if (t->open && !t->wrong && !r->verify.nfindings) {
        printf("write %s, then ", t->first_open);
        print_command(r, t->first_open, false);
        putchar('\n');
    } else {
        printf("mend the first of these, then ");
        print_command(r, t->first_wrong, r->o.check);
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
        printf("%s's results are right here, and need not be on a GPU:\n%s", name,
               r->variants[v].why.words.s);
        first = first ? first : name;
    }
    return first;
}

static void print_summary(struct run *r)
{
    struct tally t = count_kernels(r);
    const char *lucky = print_luck(r);

    if (!r->checks && !r->failed) {
        printf("\n%s: nothing was run: these kernels and cases do not go together\n"
               "next: make run LAB=%s ARGS=--list names them\n",
               r->lab->name, r->lab->name);
        r->failed++;
    } else if (r->failed) {
        printf("\n%s: not right yet: of %d kernel%s %d right", r->lab->name, t.all,
               t.all == 1 ? "" : "s", t.right);
        print_some(t.wrong, "wrong");
        print_some(t.missing, "missing");
        print_some(t.open, "still to be written");
        putchar('\n');
        print_next(r, &t);
    } else {
        printf("\n%s: all right (%d checked)\n", r->lab->name, r->checks);
        if (lucky) {
            printf("next: mend %s all the same, then ", lucky);
            print_command(r, lucky, true);
            putchar('\n');
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

        if (!r->variants[variant_index(r, x->variant)].failures &&
            (asked || x->input->flags & CASE_QUICK))
            part.results[part.n++] = *x;
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
    }
}

static void tell(struct run *r)
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
    if (r->o.causes)
        print_causes(r);
    print_summary(r);
}

static char *command_line(int argc, char **argv)
{
    char *line = xstrdup(short_path(argv[0]));

    for (int i = 1; i < argc; i++) {
        bool plain = !strpbrk(argv[i], " '\"$\\");
        char *longer = xformat(plain ? "%s %s" : "%s '%s'", line, argv[i]);

        free(line);
        line = longer;
    }
    return line;
}

static int run(struct run *r)
{
    char *path = source_path(r);
    int status = 2;

    printf("%s · %s · %s%s · %s · seed %llu\n", r->lab->name, r->lab->title, r->machine.device,
           r->machine.emulator ? " (emulator)" : "", short_path(path),
           (unsigned long long)r->o.seed);
    fflush(stdout);
    r->report.source = short_path(path);
    if (!readable(r, path)) {
        status = 2;
    } else if (load(r, path)) {
        look_at_variants(r);
        check_all(r, path);
        if (!r->machine.emulator && !r->o.no_time && !r->o.check && !r->o.profile_pass)
            time_all(r, path);
        for (int v = 0; v < r->lab->nvariants; v++)
            look_for_cause(r, v, path);
        if (!r->o.profile_pass)
            tell(r);
        status = r->failed ? 1 : 0;
        if (!r->o.profile_pass && !write_records(r))
            status = 2;
    } else if (!r->o.module) {
        status = 1;
        if (r->o.causes)
            puts("cause file syntax");
    }
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    struct run r = {.lab = all_labs[0]};
    char *command = command_line(argc, argv);
    struct text why = {0};

    options_parse(argc, argv, r.lab, &r.o);
    if (r.o.list || r.o.ncu_metrics) {
        if (r.o.list)
            print_list(r.lab);
        else
            ncu_print_metrics(stdout);
        free(command);
        return 0;
    }
    if (!machine_open(&r.machine, &why))
        die("%s: %s", r.lab->name, why.s);
    emulator_set_quiet(1);
    choose_variants(&r);
    choose_cases(&r);
    if (!r.ncases)
        die("%s: none of these cases is for this machine (--list shows them)", r.lab->name);
    r.verify = (struct verify){.lab = r.lab,
                               .machine = &r.machine,
                               .module = &r.module,
                               .seed = r.o.seed,
                               .steps = r.o.steps,
                               .check = r.o.check,
                               .profile = r.o.profile_pass};
    r.report =
        (struct report){.lab = r.lab, .machine = &r.machine, .command = command, .seed = r.o.seed};
    int status = run(&r);
    verify_free(&r.verify);
    module_unload(&r.module);
    free(r.report.results);
    free(r.cases);
    free(r.own_name);
    for (int v = 0; v < r.lab->nvariants; v++) {
        free(r.variants[v].message);
        free(r.variants[v].failed);
        diagnosis_free(&r.variants[v].why);
    }
    compiled_free(&r.image);
    free(r.variants);
    free(r.source);
    free(command);
    return status;
}
