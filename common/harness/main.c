/* main.c - a lab's program: compile, check everything, time, tell.
 *
 * Interface: build/bin/LAB [options]; exit status 0: all right, 1: something is wrong with
 * the student's file, 2: the run could not be made.
 *
 * Order: every variant is checked on every case before anything is timed. On the emulator
 * nothing is timed at all: the checked run is counted and modelled.
 */
#include "base/alloc.h"
#include "base/compiler_log.h"
#include "base/file.h"
#include "edits.h"
#include "finding.h"
#include "lab/plan.h"
#include "lab/todo.h"
#include "ncu.h"
#include "program.h"
#include "run/emulator.h"
#include "run/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGE_MAX      (256u << 20)
#define SECONDS_A_TRY  5
#define BYTES_A_SECOND 650000 /* experiment.c */
#define EDITS          4000   /* of the file that are tried for a cause, in a run */

static bool applies(const struct run *r, int v, const struct lab_case *c)
{
    return r->variants[v].chosen && !r->variants[v].skipped &&
           !lab_part(r->lab, &r->lab->variants[v]) &&
           (!r->lab->applies || r->lab->applies(&r->lab->variants[v], c));
}

/* ---- loading ---- */

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
        {"expression must have integral", "^ is exclusive or, not a power, % and & are for whole "
                                          "numbers: x * x is a square, powf(x, "
                                          "y) a power, fmodf(x, y) what is left over."},
        {"dynamic initialization is not supported",
         "what stands there has to be known when the file is compiled. The compiler runs the body "
         "of a SCHEDULE: does its loop end? Does it use anything but s and constants?"},
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

/* Of a long one that is of errors the first. */
static void print_log(const struct run *r, const struct compiled *c)
{
    struct text t = {0};
    bool whole = c->image || r->lab->program || r->o.verbose;

    if (whole)
        text_add(&t, c->log);
    else if (compiler_log_first(&t, c->log))
        text_add(&t, ": DETAIL=1 behind the command shows them");
    fputs(text_str(&t), stderr);
    if (t.length && t.s[t.length - 1] != '\n')
        fputc('\n', stderr);
    text_free(&t);
}

/* One that comes of another needs no mending; what a lone one is about a warning may say. */
static const char *where_to_begin(const char *log)
{
    if (compiler_log_errors(log) != 1)
        return " Mend the first error first; the others may come from it.";
    return strstr(log, ": warning") ? " Look at the warnings, too." : "";
}

static void print_compile_log(const struct run *r, const char *path, const struct compiled *c)
{
    print_log(r, c);
    if (c->image || c->no_compiler)
        return;
    if (!r->lab->program)
        print_hint(c->log);
    else if (strstr(c->log, "warplab.cuh"))
        fprintf(stderr,
                "hint: this lab's file is a whole program, with a main of its own: nvcc alone "
                "compiles it. warplab.cuh is the other labs'.\n");
    fprintf(stderr, "%s: %s does not compile: nothing was run.%s\n", r->lab->name, short_path(path),
            where_to_begin(c->log));
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
    fflush(stderr);
    printf("next: make run LAB=%s runs labs/%s/%s.cu\n", r->lab->name, r->lab->name, r->lab->name);
    return false;
}

/* What may need more registers than there are is compiled again, so that its launch is refused as
 * on a GPU. */
static bool load_with_registers(struct run *r, struct compile_request *request, struct text *why)
{
    struct compiled c;

    request->registers = true;
    if (!compile_cuda(request, &c)) {
        compiled_free(&c);
        return true;
    }
    module_unload(&r->module);
    compiled_free(&r->image);
    r->image = c;
    return module_load(&r->module, short_path(request->path), c.image, c.size, why);
}

static bool load(struct run *r, const char *path)
{
    struct compile_request request = {
        .path = path, .arch = r->machine.arch, .toolkit = CUDA_INCLUDE};
    struct compiled *c = &r->image;
    struct text why = {0};
    size_t size;
    bool fresh = !c->image && !r->o.module && !r->lab->program;

    if (c->image) {
        /* loaded again, after an error */
    } else if (r->o.module) {
        c->image = file_load(path, IMAGE_MAX, &c->size, &why);
        c->size += c->image != NULL; /* its NUL: PTX is text */
    } else {
        r->source = file_load(path, IMAGE_MAX, &size, &why);
        if (r->lab->program)
            compile_program(&request, c);
        else
            compile_cuda(&request, c);
        print_compile_log(r, path, c);
    }
    if (c->image && r->lab->program)
        program_load(&r->module, short_path(path), c->image, c->size);
    bool ok = r->lab->program
                  ? c->image != NULL
                  : c->image && module_load(&r->module, short_path(path), c->image, c->size, &why);
    if (ok && fresh && module_is_tight(&r->module))
        ok = load_with_registers(r, &request, &why);
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
    if (like) {
        text_addf(&t, "%s: no kernel \"%s\"", r->module.path, name);
        module_put_like(&r->module, name, like, &t);
        puts(t.s);
    } else {
        char *quoted = xformat("\"%s\"", name);

        if (!strstr(text_str(others), quoted)) /* two variants may be of one kernel */
            text_addf(others, "%s%s", others->length ? ", " : "", quoted);
        free(quoted);
    }
    text_free(&t);
}

static void look_at_record(struct run *r, int v)
{
    struct variant_state *s = &r->variants[v];
    struct text why = {0}, note = {0};

    s->skipped =
        !module_record(&r->module, &r->lab->variants[v], &s->record, &s->schedule, &note, &why);
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

/* The emulator has those of every device. */
static bool has_instructions(const struct run *r, int v)
{
    const struct lab_variant *x = &r->lab->variants[v];
    uint32_t cc = r->machine.limits.cc;

    return r->machine.emulator || (cc >= x->cc_least && (!x->cc_most || cc <= x->cc_most));
}

static void tell_of_instructions(const struct run *r, int v)
{
    const struct lab_variant *x = &r->lab->variants[v];

    printf("%s needs compute capability %u.%u%s, this GPU has %u.%u: left out\n", x->name,
           x->cc_least / 10, x->cc_least % 10, x->cc_most ? "" : " or more",
           r->machine.limits.cc / 10, r->machine.limits.cc % 10);
}

/* Kernels and launch records of the chosen variants, before anything runs. */
static void look_at_variants(struct run *r)
{
    char *known = kernels_of_the_lab(r->lab);
    struct text others = {0}, has = {0};

    for (int v = 0; v < r->lab->nvariants; v++) {
        char *lacks = r->variants[v].chosen ? module_lacks(&r->module, &r->lab->variants[v]) : NULL;

        r->variants[v].skipped = lacks || !has_instructions(r, v);
        if (r->variants[v].chosen && !has_instructions(r, v))
            tell_of_instructions(r, v);
        else if (lacks && (!r->lab->variants[v].optional || r->o.kernels))
            miss_kernel(r, v, lacks, known, &others);
        else if (!lacks && r->variants[v].chosen)
            look_at_record(r, v);
        free(lacks);
    }
    if (others.length && !r->module.nkernels) {
        printf("%s: there is no kernel in it (%s): each is to be declared KERNEL name(…) at "
               "file level\n",
               r->module.path, others.s);
    } else if (others.length) {
        module_put_names(&r->module, &has);
        printf("%s: no kernel %s. %s\n", r->module.path, others.s, has.s);
    }
    tell_unused_records(r);
    text_free(&others);
    text_free(&has);
    free(known);
}

/* ---- checking ---- */

/* A line that moves on a terminal; in a log it would say nothing. */
static void progress(const struct run *r, const char *what, const char *variant,
                     const struct lab_case *c, int at, int of)
{
    if (r->o.verbose)
        fprintf(stderr, "%s: %s, %s\n", what, variant, c->name);
    else if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %s, %s (%d of %d)", what, variant, c->name, at, of);
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
    s->stopped |= r->verify.error == cudaErrorLaunchTimeout;
    s->refused |= r->verify.error == cudaErrorLaunchOutOfResources;
    if (r->verify.error == cudaErrorLaunchTimeout && !s->stopped_in) /* "KERNEL: the launch …" */
        s->stopped_in = xformat("%.*s", (int)strcspn(text_str(&r->verify.message), ":"),
                                text_str(&r->verify.message));
    s->failed = xrealloc(s->failed, (s->failures + 1) * sizeof(*s->failed));
    s->failed[s->failures] = c;
    if (!s->failures++) {
        s->message = xstrdup(text_str(&r->verify.message));
        s->on = c;
    }
    if (r->o.verbose) {
        progress_end(r);
        printf("%s%s%s is wrong on case %s: %s", colours(stdout) ? "\033[31m" : "",
               r->lab->variants[v].name, colours(stdout) ? "\033[0m" : "", c->name,
               text_str(&r->verify.message));
    }
}

static bool load_changed(struct run *r, const char *path)
{
    return module_load(&r->module, short_path(path), r->changed.image, r->changed.size,
                       &(struct text){0});
}

/* What was loaded is lost with the devices' state. */
static void revive(struct run *r)
{
    r->module.library = NULL;
    module_unload(&r->module);
    machine_revive();
    cudaSetDevice(0); /* it may have been another rank's that failed */
}

/* After an error that sticks, every call fails until that state is made anew. */
static void recover_from(struct run *r, const char *path, cudaError_t error)
{
    if (!machine_error_is_sticky(error))
        return;
    revive(r);
    r->lost = cudaFree(NULL) != cudaSuccess ||
              !(r->changed.image ? load_changed(r, path) : load(r, path));
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

void keep_result(struct run *r, const struct entry *result)
{
    r->report.results = xrealloc(r->report.results, (size_t)(r->report.n + 1) * sizeof(*result));
    r->report.results[r->report.n++] = *result;
}

static bool is_reported(const struct run *r, const struct lab_case *c)
{
    return (c->flags & CASE_TIME) && !r->o.check;
}

/* Another step, of which a kernel of this one's did not come to its end; NULL: none. */
static const struct lab_variant *stopped_before(const struct run *r, int v)
{
    const struct lab_variant *x = &r->lab->variants[v];

    for (int i = 0; i < r->lab->nvariants; i++) {
        const char *kernel = r->variants[i].stopped_in;

        if (i != v && kernel &&
            text_lists(x->kernels ? x->kernels : x->name, kernel, strlen(kernel)))
            return &r->lab->variants[i];
    }
    return NULL;
}

/* Is it known already that it is wrong, or that it would take as long again? Then cases to time, or
 * all, are left out. False where all is to be told. */
static bool is_settled(struct run *r, int v, const struct lab_case *c)
{
    struct variant_state *s = &r->variants[v];
    const struct lab_variant *other = r->o.verbose ? NULL : stopped_before(r, v);

    if (other && !s->failures) {
        text_free(&r->verify.message);
        const char *kernel = r->variants[other - r->lab->variants].stopped_in;

        text_addf(&r->verify.message, "it runs %s, too, which did not come to its end", kernel);
        if (strcmp(kernel, other->name) != 0)
            text_addf(&r->verify.message, " as a part of %s", other->name);
        text_add(&r->verify.message, "\n");
        r->verify.error = cudaSuccess;
        note_failure(r, v, c);
        s->follows = true;
    }
    return s->follows ||
           (!r->o.verbose && s->failures && c->flags & CASE_TIME && r->machine.emulator);
}

static void check_one(struct run *r, int v, const struct lab_case *c, const char *path)
{
    struct entry result = {.variant = &r->lab->variants[v],
                           .input = c,
                           .seed = c->seed ? c->seed : r->o.seed,
                           .verdict = VERDICT_FAIL};

    if (!r->variants[v].faulted && !is_settled(r, v, c)) {
        r->checks++;
        if (verify_variant(&r->verify, result.variant, c, &r->variants[v].record, &result)) {
            r->variants[v].passes++;
        } else {
            note_failure(r, v, c);
            recover(r, path);
        }
    }
    if (is_reported(r, c)) {
        keep_result(r, &result);
        if (r->lab->program && result.verdict == VERDICT_PASS)
            keep_parts(r, c);
    }
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

static void time_all(struct run *r, const char *path)
{
    for (int i = 0; i < r->report.n && !r->lost; i++) {
        struct entry *x = &r->report.results[i];
        int v = variant_index(r, x->variant);

        if (x->verdict != VERDICT_PASS || r->variants[v].failures || lab_part(r->lab, x->variant))
            continue;
        progress(r, "timing", x->variant->name, x->input, i + 1, r->report.n);
        bool ok = r->lab->program ? time_parts(r, i)
                                  : time_variant(&r->verify, x->variant, x->input,
                                                 &r->variants[v].record, r->o.reps, x);
        if (!ok) {
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

/* ---- what is wrong ---- */

static void recover_experiment(void *user, cudaError_t error)
{
    struct run *r = user;
    char *path = source_path(r);

    recover_from(r, path, error);
    free(path);
}

/* What went wrong on another rank's device is that one's error, which nobody may have been told. */
static void revive_where_stuck(struct run *r)
{
    int devices = 0;
    bool stuck = false;

    cudaGetDeviceCount(&devices);
    for (int d = devices - 1; d >= 0 && devices > 1; d--) {
        cudaSetDevice(d);
        stuck |= machine_error_is_sticky(cudaFree(NULL));
    }
    if (stuck)
        revive(r);
}

static void load_fresh(void *user)
{
    struct run *r = user;
    char *path = source_path(r);

    compiled_free(&r->changed);
    revive_where_stuck(r);
    module_unload(&r->module);
    r->lost = !load(r, path);
    free(path);
}

/* Where nothing is lost with the device's state. */
static bool load_text(void *user, const char *text, bool quick, char **log)
{
    struct run *r = user;
    char *path = source_path(r);
    struct compile_request request = {
        .path = path, .arch = r->machine.arch, .quick = quick, .toolkit = CUDA_INCLUDE};
    struct compiled c;
    bool ok = quick ? compile_source_text(&request, text, &c)
                    : compile_source_within(&request, text, SECONDS_A_TRY, &c);

    const struct variant_state *s = &r->variants[r->looking];
    tries_compiled(&r->edits, ok ? c.size : c.late ? SECONDS_A_TRY * BYTES_A_SECOND : 0, quick);
    if (isatty(STDERR_FILENO)) /* in a log such lines say nothing */
        progress(r, "trying small changes", r->lab->variants[r->looking].name,
                 s->failures ? s->failed[0] : r->cases, EDITS - (int)r->edits.left, EDITS);
    if (ok) {
        compiled_free(&r->changed);
        r->changed = c;
        revive_where_stuck(r);
        module_unload(&r->module);
        ok = load_changed(r, path);
    } else {
        if (log) {
            *log = c.log;
            c.log = NULL;
        }
        compiled_free(&c);
    }
    free(path);
    return ok;
}

static bool choose_change(void *user, int number)
{
    struct run *r = user;
    char *path = source_path(r);

    tries_loaded(&r->edits, r->changed.size);
    edits_choose(r->changed.image, number);
    revive_where_stuck(r);
    module_unload(&r->module);
    bool ok = load_changed(r, path);
    free(path);
    return ok;
}

/* A skeleton's kernel: its TODO stands, and it writes nothing or the same for every input; or the
 * TODO is its helper's. Who asks for such a kernel by name is told what it does. */
static bool is_open(struct run *r, struct experiment *x, int v)
{
    const struct variant_state *s = &r->variants[v];

    if (!r->source || r->o.verbose || s->faulted)
        return false;
    if (x->variant->has_schedule && !s->schedule.nsteps) /* no plan can be made of it */
        return strstr(r->source, "TODO");
    switch (written_of(r->source, x->variant)) {
    case WRITTEN_NOT:
        return diagnose_nothing(x, s->failed, (int)s->failures);
    case WRITTEN_PARTLY:
        return s->failures > s->passes && !r->o.kernels;
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
    /* The checker has seen kernels, and not what a program does when its calls fail. */
    bool unseen = !r->o.check || r->verify.nfindings || r->lab->program;
    if (r->machine.emulator && !r->o.solution && unseen && r->variants[v].passes) {
        if (r->o.check) /* of what is loaded the checker tells the same thing once */
            load_fresh(r);
        diagnose_right(x, cases, n, short_path(path), &r->variants[v].why);
    }
    free(cases);
}

static void look_for_cause(struct run *r, int v, const char *path)
{
    struct variant_state *s = &r->variants[v];
    struct experiment x = {.verify = &r->verify,
                           .variant = &r->lab->variants[v],
                           .record = s->record,
                           .own = s->record,
                           .recover = recover_experiment,
                           .fresh = load_fresh,
                           .replace = r->machine.emulator && r->source ? load_text : NULL,
                           .choose = choose_change,
                           .source = r->source,
                           .log = r->image.log,
                           .edits = &r->edits,
                           .stopped = s->stopped,
                           .user = r};

    if (r->lab->program)
        s->open = s->failures && r->source && strstr(r->source, "TODO") && !s->passes;
    if (r->o.profile_pass || r->lost || !s->chosen)
        return;
    r->looking = v;
    if (!s->failures) {
        look_at_right(r, v, &x, path);
        return;
    }
    progress(r, "looking for the cause", x.variant->name, s->failed[0], v + 1, r->lab->nvariants);
    s->open = r->lab->program ? s->open : is_open(r, &x, v);
    if (s->follows)
        s->why.cause = "endless";
    if (s->open || s->follows || s->refused || (r->o.check && r->verify.nfindings))
        return;
    if (r->lab->program)
        diagnose_program(&x, s->failed, (int)s->failures, short_path(path), &s->why);
    else
        diagnose(&x, s->failed, (int)s->failures, short_path(path), &s->why);
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

/* A size of one's own that no chosen kernel could have is told before anything runs: it is nobody's
 * kernel that is wrong. */
static bool size_is_possible(const struct run *r)
{
    const struct lab_case *c = r->cases;
    char err[512] = "";

    for (int v = 0; own_case(&r->o) && v < r->lab->nvariants; v++) {
        static struct plan p;

        if (applies(r, v, c) &&
            plan_make(r->lab, &r->lab->variants[v], c, &r->lab->variants[v].record,
                      &r->machine.limits, &p, err, sizeof(err)))
            return true;
    }
    if (*err) {
        fprintf(stderr, "%s\n", err);
        fflush(stderr);
        printf("next: ");
        print_command(r, r->o.kernels, r->o.check);
        puts(" takes the lab's own sizes");
    }
    return !*err;
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
    if (!readable(r, path) || !size_is_possible(r)) {
        status = 2;
    } else if (load(r, path)) {
        look_at_variants(r);
        check_all(r, path);
        if (!r->machine.emulator && !r->o.no_time && !r->o.check && !r->o.profile_pass)
            time_all(r, path);
        if (r->lab->program && !r->o.solution && !r->o.no_records)
            keep_program(r);
        for (int v = 0; v < r->lab->nvariants; v++)
            look_for_cause(r, v, path);
        progress_end(r);
        if (!r->o.profile_pass)
            tell(r);
        status = r->failed ? 1 : 0;
        if (!r->o.profile_pass && !write_records(r))
            status = 2;
    } else if (!r->o.module) {
        status = r->image.no_compiler ? 2 : 1;
        if (r->o.causes)
            puts("cause file syntax");
    }
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    struct run r = {.lab = all_labs[0], .edits = {.left = EDITS}};
    char *command = command_line(argc, argv);
    struct text why = {0};

    options_parse(argc, argv, r.lab, &r.o);
    /* Where code comes from is what the file says of itself: it is held to the rules as the grader
     * does it. Before the emulator reads its settings. */
    setenv("WARPLAB_LIBRARIES", "0", 1);
    if (r.o.list || r.o.ncu_metrics) {
        if (r.lab->program && !r.o.list)
            die("PROFILE=1 counts a lab's kernels. A whole program is profiled by itself: ncu "
                "build/yours/%1$s/program build/yours/%1$s/input /tmp/output",
                r.lab->name);
        if (r.o.list)
            print_list(r.lab);
        else
            ncu_print_metrics(stdout);
        free(command);
        return 0;
    }
    if (!machine_open(&r.machine, &why)) {
        fprintf(stderr, "%s: %s\n", r.lab->name, why.s);
        refuse(r.lab, "BACKEND=emulator needs no GPU");
    }
    emulator_set_quiet(1);
    choose_variants(&r);
    choose_cases(&r);
    if (!r.ncases) {
        fprintf(stderr, "%s: none of these cases is for this machine\n", r.lab->name);
        refuse(r.lab, "ARGS=--list shows them");
    }
    r.verify = (struct verify){.lab = r.lab,
                               .machine = &r.machine,
                               .module = &r.module,
                               .seed = r.o.seed,
                               .steps = r.o.steps,
                               .check = r.o.check,
                               .profile = r.o.profile_pass};
    r.report =
        (struct report){.lab = r.lab, .machine = &r.machine, .command = command, .seed = r.o.seed};
    if (r.o.timeline)
        r.verify.timeline = &r.timeline;
    int status = run(&r);
    text_free(&r.timeline);
    verify_free(&r.verify);
    module_unload(&r.module);
    free(r.report.results);
    free(r.cases);
    free(r.own_name);
    for (int v = 0; v < r.lab->nvariants; v++) {
        free(r.variants[v].message);
        free(r.variants[v].stopped_in);
        free(r.variants[v].failed);
        diagnosis_free(&r.variants[v].why);
    }
    compiled_free(&r.image);
    free(r.variants);
    free(r.edits.with);
    free(r.source);
    free(command);
    return status;
}
