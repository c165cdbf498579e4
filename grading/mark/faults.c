/* faults.c - rows of kind ROW_FAULTS: a program's calls are made to fail, one a run.
 *
 * A fault that comes to nothing, as the program has no such call, says nothing; a row of which all
 * do fails. "cudaMalloc:any" is one of them, drawn for the submission, "cudaMalloc:each" all of
 * them, in turn over the row's cases; who makes very many fails. "cudaMalloc*:each" is so of every
 * call whose name begins so, as the run without faults has them. Which error a call fails with is
 * drawn. "others:each" is so of what no row of the rubric names. "disturb:WHAT" lets no call fail
 * but the device compute with wrong numbers, "back:WHICH" one element of the result come back
 * wrong, "disk:full" no byte of the result be written, "disk:late" not all. What a program did
 * then, its status, its words and its result are seen from outside. That the call failed, and what
 * is left, is the runtime's own record.
 */
#include "marking.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"
#include "lab/counter.h"

#include <stdlib.h>
#include <string.h>

static const char *after(const char *fault, const char *word)
{
    return strncmp(fault, word, strlen(word)) ? NULL : fault + strlen(word);
}

/* WHAT of "disturb:WHAT"; NULL for others. */
static const char *disturbed(const char *fault)
{
    return after(fault, "disturb:");
}

/* No call fails: numbers are wrong. */
static bool is_of_numbers(const char *fault)
{
    return disturbed(fault) || after(fault, "back:");
}

/* The disk is full; and what is given back last of all. */
static bool is_of_the_end(const char *fault)
{
    return after(fault, "disk:") || job_gives_back(fault);
}

/* "back:first" and "back:last" as the runtime knows them: by the element's number, from 1, of n. */
static char *fault_back(const char *fault, uint64_t n)
{
    const char *which = after(fault, "back:");
    bool first = !strcmp(which, "first"), last = !strcmp(which, "last");
    return first || last ? xformat("back:%llu", first ? 1ull : (unsigned long long)n)
                         : xstrdup(fault);
}

/* What a call is made to fail with, as programs tell it: the three that are usual for a call
 * (emulator/runtime/inject.c), and others. None is part of another. Not asked for: errors of which
 * a program may think that nothing is wrong (cudaErrorNotReady), or that stay. */
static const struct {
    const char *name, *text;
} errors[] = {
    {"cudaErrorMemoryAllocation", "out of memory"},
    {"cudaErrorUnknown", "unknown error"},
    {"cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {"cudaErrorNotPermitted", "operation not permitted"},
    {"cudaErrorNotSupported", "operation not supported"},
    {"cudaErrorDevicesUnavailable", "all CUDA-capable devices are busy or unavailable"},
    {"cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {"cudaErrorSystemNotReady", "system not yet initialized"},
};
enum { ERRORS = sizeof(errors) / sizeof(errors[0]), MOST_ERRORS = 2 };

static int error_of(const char *call)
{
    return strstr(call, "Alloc") || after(call, "cudaMalloc") ? 0 : strstr(call, "Launch") ? 2 : 1;
}

static bool names_error(const char *words, int error)
{
    return strstr(words, errors[error].name) || strstr(words, errors[error].text);
}

/* Who names several calls does not say which it was. */
static bool names_one_call(const char *words)
{
    static const char *const calls[] = {
        "cudaMalloc",      "cudaMemcpy",           "cudaLaunchKernel",
        "cudaEventCreate", "cudaEventRecord",      "cudaEventDestroy",
        "cudaFree",        "cudaEventElapsedTime", "Synchronize"};
    int named = 0;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        named += strstr(words, calls[i]) != NULL;
    return named <= 1;
}

/* Nor, who names several errors, why; one more may have come of the first. */
static bool names_few_errors(const char *words)
{
    int named = 0;
    for (int i = 0; i < ERRORS; i++)
        named += names_error(words, i);
    return named <= MOST_ERRORS;
}

/* The program's own words on stderr, without the runtime's: those of a leak name cudaMalloc. */
static char *own_words(const char *said)
{
    struct text t = {0};
    for (const char *p = said; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (!after(p, "warplab: ") && !after(p, "leak: ")) {
            text_bytes(&t, p, strcspn(p, "\n"));
            text_add(&t, "\n");
        }
    return text_take(&t);
}

static bool tells_why(const char *said, int error)
{
    char *words = own_words(said);
    bool found = names_error(words, error) && names_few_errors(words);
    free(words);
    return found;
}

/* cudaMemcpy_ptds is cudaMemcpy as it is built for a default stream a thread. */
static bool tells_which(const char *said, const char *fault)
{
    char *words = own_words(said), *call = xformat("%.*s", (int)strcspn(fault, "_:"), fault);
    bool found = strstr(words, call) && names_one_call(words);
    free(words);
    free(call);
    return found;
}

static bool tells(const char *said, const char *fault, int error)
{
    char *words = own_words(said);
    bool any = words[strspn(words, " \n")] != 0;
    free(words);
    return is_of_numbers(fault) || after(fault, "disk:")
               ? any
               : tells_which(said, fault) || tells_why(said, error);
}

/* A fact of the record; 0 where there is none. */
static double fact(const struct run *r, const char *name)
{
    double value = 0;
    return record_value(&r->outputs, name, &value) ? value : 0;
}

/* What is not as it should be in a run with this fault, a sentence's end; NULL: all is well.
 * release: the result may have been written by then, and one thing stays. */
static char *problem(const struct run *r, const char *fault, int error, bool release)
{
    const struct outputs *o = &r->outputs;
    bool wrong_numbers = is_of_numbers(fault);
    if (r->result.end == RUN_ENDLESS || o->status == 128 + 9)
        return xstrdup("it did not come to an end");
    if (o->status >= 128)
        return xformat("it crashed (signal %d)", o->status - 128);
    if (after(fault, "back:") && o->status == 0 && r->result.end == RUN_OK)
        return fact(r, "memcpyDtoH") > 4 * (double)r->c.n
                   ? NULL /* what was wrong is not in the result */
                   : xstrdup("the result was right: it is not what came back");
    if (o->status == 0)
        return xstrdup("it went on, and ended with status 0");
    if (!tells(o->said, fault, error))
        return wrong_numbers || after(fault, "disk:")
                   ? xstrdup("it said nothing of it on stderr")
                   : xformat("it did not say on stderr which call failed, or why (%s)",
                             errors[error].text);
    if (o->wrote && !wrong_numbers && !release)
        return xstrdup("it wrote a result all the same");
    if (!*o->record)
        return xstrdup("it ended without the runtime's being told (_exit?)");
    double left = fact(r, "left") - (release ? fact(r, "made_to_fail") : 0);
    return left > 0 ? xformat("%.0f allocation(s) were not freed", left) : NULL;
}

/* One of n that secret and submission draw, from 0 on; in practice the last. */
static uint64_t draw(const struct marking *m, const struct run *base, const char *what, uint64_t n)
{
    char *label = xformat("%s/%s/%s/%s", m->row->id, m->draw.submission, base->c.name, what);
    uint64_t which = !n ? 0 : m->draw.secret ? secret_draw(m->draw.secret, label) % n : n - 1;
    free(label);
    return which;
}

/* Eight neighbours among n, that lie in one of as many groups as there may be. */
static char *evened(const struct marking *m, const struct run *base, uint64_t n)
{
    uint64_t first = 1 + 8 * draw(m, base, "back:evened", n / 8);
    return xformat("back:%llu=evened", (unsigned long long)first);
}

/* Two of n: neighbours; as far from each other as many periods of a weight have in common; any two
 * that one sum of some 256 has; any. */
static char *exchanged(const struct marking *m, const struct run *base, uint64_t n)
{
    uint64_t apart[] = {
        1, 60, 64, 840, 1 + draw(m, base, "apart", 255), 1 + draw(m, base, "any", n - 1)};
    uint64_t d = apart[draw(m, base, "how far", sizeof(apart) / sizeof(apart[0]))];
    d = d < n ? d : 1;
    uint64_t first = 1 + draw(m, base, "back:exchanged", n - d);
    return xformat("back:%llu=%llu", (unsigned long long)first, (unsigned long long)(first + d));
}

/* The runtime's record is to have room, too. */
enum { LEAST_ROOM = 16 << 10 };

/* "disk:late" with how many bytes there is room for, of a result that is larger: for free(). */
static char *disk_drawn(const struct marking *m, const struct run *base)
{
    uint64_t bytes = 4 * base->c.n;
    uint64_t more =
        m->draw.secret && bytes > LEAST_ROOM ? draw(m, base, "disk", bytes - LEAST_ROOM) : 0;
    return xformat("disk:%llu", (unsigned long long)(LEAST_ROOM + more));
}

/* "cudaMalloc:any" as one of the calls that the run without faults made, "back:any" as one of the
 * result's elements, "back:evened" and "back:exchanged" with the words they are about, for free().
 */
static char *fault_drawn(const struct marking *m, const struct run *base, const char *fault)
{
    const char *colon = strchr(fault, ':');
    if (!strcmp(fault, "disk:late"))
        return disk_drawn(m, base);
    if (!strcmp(fault, "back:evened"))
        return evened(m, base, base->c.n);
    if (!strcmp(fault, "back:exchanged") && base->c.n > 1)
        return exchanged(m, base, base->c.n);
    if (!colon || strcmp(colon, ":any"))
        return xstrdup(!strcmp(fault, "back:exchanged") ? "back:first" : fault);
    char *name = xformat("calls.%.*s", (int)(colon - fault), fault);
    uint64_t n = after(fault, "back:") ? base->c.n : (uint64_t)fact(base, name);
    char *drawn = xformat("%s:%llu", name + strlen("calls."),
                          (unsigned long long)(1 + draw(m, base, fault, n)));
    free(name);
    return drawn;
}

/* How often the run without faults made the call of "CALL:WHICH". */
static uint64_t calls_made(const struct run *base, const char *fault)
{
    char *name = xformat("calls.%.*s", (int)strcspn(fault, ":"), fault);
    uint64_t made = (uint64_t)fact(base, name);
    free(name);
    return made;
}

/* Would it come to anything? The run without faults says how often each call comes. */
static bool comes(const struct run *base, const char *fault)
{
    const char *colon = strchr(fault, ':');
    if (disturbed(fault))
        return fact(base, "launches") > 0;
    if (after(fault, "disk:"))
        return base->outputs.wrote && fact(base, "launches") > 0 &&
               strtoull(colon + 1, NULL, 10) < 4 * base->c.n;
    if (after(fault, "back:"))
        return base->c.n > 0 && fact(base, "memcpyDtoH") >= 4 * (double)base->c.n;
    return (double)calls_made(base, fault) >= strtod(colon + 1, NULL);
}

/* What the call fails with: drawn, so that no words can be ready that fit; the usual error where
 * nothing is hidden. */
static int error_drawn(const struct marking *m, const struct run *base, const char *fault)
{
    char *what = xformat("%s/error", fault);
    int error = m->draw.secret ? (int)draw(m, base, what, ERRORS) : error_of(fault);
    free(what);
    return error;
}

static struct run *run_with(struct marking *m, struct run *base, const char *fault, int error)
{
    struct job_options o = {.steps = base->steps};
    char *fail = after(fault, "disk:")   ? xstrdup(fault)
                 : after(fault, "back:") ? fault_back(fault, base->c.n)
                                         : xformat("%s=%s", fault, errors[error].name);
    if (disturbed(fault))
        o.disturb = 1u << disturb_index(disturbed(fault));
    else
        o.fail = fail;
    struct run *r = session_again(m->s, base, o);
    free(fail);
    return r;
}

static void say_problem(struct marking *m, const struct marked_case *c, const char *fault,
                        const char *what)
{
    char *place = marking_place(c);
    char *why =
        disturbed(fault)
            ? xformat("On %s, when the device computed with wrong numbers: %s.", place, what)
        : is_of_numbers(fault)
            ? xformat("On %s, when %s came back wrong: %s.", place,
                      strstr(fault, "=evened")
                          ? "some neighbours, by errors that make each other up,"
                      : after(fault, "back:swapped") || strchr(fault, '=')
                          ? "two elements in each other's place"
                      : after(fault, "back:slight")   ? "a single element, by a thousandth,"
                      : after(fault, "back:nan")      ? "a single element, as NaN,"
                      : after(fault, "back:infinite") ? "a single element, as infinity,"
                      : after(fault, "back:huge")     ? "a single element, as 1e30,"
                      : after(fault, "back:sign")     ? "a single element, with the other sign,"
                      : after(fault, "back:many")     ? "half of the elements or more"
                      : after(fault, "back:zero")     ? "all elements, as 0,"
                      : after(fault, "back:small")    ? "the element nearest to 0, by 1,"
                                                      : "a single element",
                      what)
        : after(fault, "disk:")
            ? xformat("On %s, when the disk was full%s: %s.", place,
                      strcmp(fault, JOB_DISK_FULL) ? " after some of the result" : "", what)
            : xformat("On %s, when call %s of %.*s failed: %s.", place, strchr(fault, ':') + 1,
                      (int)strcspn(fault, ":"), fault, what);
    marking_settle(m, STATUS_FAIL, why, c->c.name);
    free(place);
    free(why);
}

/* What falls to a list's part number `at`: turned on by as much as secret and submission say. */
static uint64_t turn_of(const struct marking *m, const char *of, int at)
{
    char *label = xformat("%s/%s/%s", m->row->id, m->draw.submission, of);
    uint64_t from = m->draw.secret ? secret_draw(m->draw.secret, label) : 0;
    free(label);
    return (from >> 1) + (uint64_t)at;
}

/* Of "A|B|C" the one that falls to the row's case number `at`, for free(). */
static char *fault_in_turn(const struct marking *m, const char *faults, int at)
{
    uint64_t parts = 1;
    for (const char *p = faults; (p = strchr(p, '|')); p++)
        parts++;
    for (uint64_t skip = turn_of(m, faults, at) % parts; skip; skip--)
        faults = strchr(faults, '|') + 1;
    return xformat("%.*s", (int)strcspn(faults, "|"), faults);
}

/* Of more calls not each is made to fail: the one that nobody asks could be any. */
enum { MOST_CALLS = 16 };
static bool too_many(struct marking *m, const struct marked_case *c, const struct run *base,
                     const char *fault)
{
    if (calls_made(base, fault) <= MOST_CALLS)
        return false;
    char *why = xformat("The program calls %.*s more than %d times: with so many it is not tried "
                        "whether each is asked how it went.",
                        (int)strcspn(fault, ":"), fault, MOST_CALLS);
    marking_settle(m, STATUS_FAIL, why, c->c.name);
    free(why);
    return true;
}

/* "CALL:each": of the calls that the run without faults made, those that fall to the row's case
 * number `at` of n. Each falls to a case, and each case has one at least; which has which is drawn.
 */
static char *calls_of_case(const struct marking *m, const struct run *base, const char *fault,
                           int at, int n)
{
    struct text t = {0};
    int length = (int)strcspn(fault, ":");
    uint64_t made = calls_made(base, fault), all = made > (uint64_t)n ? made : (uint64_t)n;
    for (uint64_t i = (uint64_t)at; i < all && made; i += (uint64_t)n)
        text_addf(&t, "%.*s:%llu ", length, fault,
                  (unsigned long long)(1 + turn_of(m, fault, (int)i) % made));
    return text_take(&t);
}

/* Is the function, whose name ends at a space or colon, among a list's calls? */
static bool lists(const char *faults, const char *name)
{
    size_t length = strcspn(name, " :\n");
    for (const char *f = faults; *f; f += strcspn(f, " |"), f += strspn(f, " |")) {
        size_t named = strcspn(f, "*: |");
        if (after(f, "cuda") && !strncmp(f, name, named) && (f[named] == '*' || named == length))
            return true;
    }
    return false;
}

/* A call that no row of the rubric names. */
static bool is_other(const struct marking *m, const char *name)
{
    bool listed = !after(name, "cuda");
    for (int i = 0; i < m->e->rubric->nrows && !listed; i++)
        listed =
            m->e->rubric->rows[i].kind == ROW_FAULTS && lists(m->e->rubric->rows[i].faults, name);
    return !listed;
}

/* "CALL*:WHICH" for each function that the run without faults called, and whose name begins so,
 * "others:WHICH" for each that no row names, for free(). Others as they are. */
static char *faults_of_family(const struct marking *m, const struct run *base, const char *fault)
{
    size_t length = strcspn(fault, "*:");
    bool others = after(fault, "others:");
    const char *which = fault + length;
    if (*which != '*' && !others)
        return xstrdup(fault);
    struct text t = {0};
    for (const char *p = base->outputs.record; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *name = after(p, "calls.");
        if (name && (others ? is_other(m, name) : !strncmp(name, fault, length)))
            text_addf(&t, "%.*s%s ", (int)strcspn(name, " \n"), name, which + (*which == '*'));
    }
    return text_take(&t);
}

/* Who names the call, and not why it failed, must not name it when another one fails: its words may
 * be the same for all. */
static char *names_always(struct marking *m, const struct marked_case *c, struct run *base,
                          const char *fault, int error, const struct run *r)
{
    if (!after(fault, "cuda") || tells_why(r->outputs.said, error))
        return NULL;
    char *other = faults_of_family(m, base, after(fault, "cudaM") ? "cudaEvent*:1" : "cudaM*:1");
    other[strcspn(other, " ")] = 0;
    struct run *control = *other ? run_with(m, base, other, error_of(other)) : NULL;
    char *what = NULL;
    if (control && !marking_failed(m, control, c) && tells_which(control->outputs.said, fault))
        what = xformat("it named this call, and not why it failed; it does so when %.*s fails, too",
                       (int)strcspn(other, ":"), other);
    if (control)
        session_again_free(control);
    free(other);
    return what;
}

/* False when the row is settled. */
static bool try_fault(struct marking *m, const struct marked_case *c, struct run *base,
                      const char *fault, int *tried)
{
    if (!comes(base, fault))
        return true;
    int error = error_drawn(m, base, fault);
    struct run *r = run_with(m, base, fault, error);
    bool internal = marking_failed(m, r, c);
    bool end = is_of_the_end(fault) || is_other(m, fault); /* that could come anywhere */
    char *what = internal ? NULL : problem(r, fault, error, end);
    what = internal || what ? what : names_always(m, c, base, fault, error, r);
    if (what)
        say_problem(m, c, fault, what);
    /* managed memory is no cudaMalloc: its error is to be told, and earns nothing alone */
    *tried += !after(fault, "cudaMallocManaged");
    session_again_free(r);
    bool ok = !internal && !what;
    free(what);
    return ok;
}

/* The faults of a list, with spaces between them; false when the row is settled. */
static bool try_list(struct marking *m, const struct marked_case *c, struct run *base, char *list,
                     int *tried)
{
    char *save = NULL;
    bool ok = true;
    for (char *f = strtok_r(list, " ", &save); f && ok; f = strtok_r(NULL, " ", &save)) {
        char *fault = fault_drawn(m, base, f);
        ok = try_fault(m, c, base, fault, tried);
        free(fault);
    }
    free(list);
    return ok;
}

/* Of one part of the row's faults, those that fall to its case number `at` of n. */
static bool try_family(struct marking *m, const struct marked_case *c, struct run *base,
                       const char *family, int at, int n, int *tried)
{
    char *list = faults_of_family(m, base, family), *save = NULL;
    bool ok = true;
    for (char *f = strtok_r(list, " ", &save); f && ok; f = strtok_r(NULL, " ", &save)) {
        const char *which = strchr(f, ':');
        bool each = which && !strcmp(which, ":each");
        ok = (!each || !too_many(m, c, base, f)) &&
             try_list(m, c, base, each ? calls_of_case(m, base, f, at, n) : xstrdup(f), tried);
    }
    free(list);
    return ok;
}

/* On the row's case number `at` of n. */
static bool try_all(struct marking *m, const struct marked_case *c, int at, int n, int *tried)
{
    struct run *base = marking_run(m, c, 0, false);
    if (marking_blocked(m, base, c))
        return false;
    char *list = xstrdup(m->row->faults), *save = NULL;
    bool ok = true;
    for (char *f = strtok_r(list, " ", &save); f && ok; f = strtok_r(NULL, " ", &save)) {
        char *fault = fault_in_turn(m, f, at);
        ok = try_family(m, c, base, fault, at, n, tried);
        free(fault);
    }
    free(list);
    return ok;
}

void mark_faults(struct marking *m, struct marked_case *cases, int n)
{
    int tried = 0;
    for (int i = 0; i < n; i++)
        if (!try_all(m, &cases[i], i, n, &tried))
            return;
    if (!tried) {
        marking_settle(m, STATUS_FAIL, "The program has no such call that could fail.", NULL);
        return;
    }
    m->done += tried;
    char *why = xformat("It said so and ended well, %d time%s.", m->done, m->done == 1 ? "" : "s");
    marking_settle(m, STATUS_PASS, why, NULL);
    free(why);
}
