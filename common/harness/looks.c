/* looks.c - looks at a wrong kernel from outside (diagnosing.h): what it writes, what its results
 * have in common from input to input, and whether it is right with its parameters in another order.
 */
#include "base/alloc.h"
#include "diagnosing.h"
#include "lab/dataset.h"
#include "lab/dtype.h"
#include "lab/indices.h"
#include "lab/plan.h"
#include "lab/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what comes out ---- */

/* Bytes that are one pattern's after one run and another's after the next: nobody wrote them. */
static bool is_fill(const struct sample *r, int b, uint64_t i, unsigned char fill)
{
    size_t size = dtype_size(r->plan.buffers[b].dtype);
    const unsigned char *p = (const unsigned char *)r->outputs.data[b] + i * size;

    for (size_t k = 0; k < size; k++) {
        if (p[k] != fill)
            return false;
    }
    return true;
}

/* The output behind buffer b; -1: there is none. */
static int next_output(const struct plan *p, int b)
{
    while (++b < p->nbuffers) {
        if (p->buffers[b].role == BUF_OUTPUT)
            return b;
    }
    return -1;
}

static uint64_t other_seed(uint64_t seed)
{
    uint64_t other = seed + 1;

    while (poison_byte(other) == poison_byte(seed))
        other++;
    return other;
}

/* Two runs whose inputs and fill differ, looked at output by output: which of its elements nobody
 * wrote, and whether all others are the same. */
struct writing {
    uint64_t seed, other;
    struct sample a, b;
    bool differ; /* the inputs do */
    int out;     /* that is looked at; -1: none, or no more */
    uint64_t count, nunwritten, *unwritten;
    bool same;
};

/* Where the largest input is the same for every seed, right outputs may be the same, too. */
static bool inputs_differ(struct search *s, const struct writing *w)
{
    const struct plan *p = &w->a.plan;
    struct dataset a = {0}, b = {0};
    int largest = -1;

    for (int i = 0; i < p->nbuffers; i++) {
        if (p->buffers[i].role == BUF_INPUT &&
            (largest < 0 || p->buffers[i].count > p->buffers[largest].count))
            largest = i;
    }
    dataset_make(&a, s->x->verify->lab, p, &w->a.input, w->seed);
    dataset_make(&b, s->x->verify->lab, p, &w->a.input, w->other);
    bool differ = largest < 0 || !p->buffers[largest].count ||
                  memcmp(a.data[largest], b.data[largest], plan_buffer_bytes(p, largest)) != 0;
    dataset_free(&a);
    dataset_free(&b);
    return differ;
}

static void look_at(struct writing *w, int out)
{
    w->out = out;
    w->nunwritten = w->count = 0;
    w->same = w->differ;
    if (out < 0)
        return;
    size_t size = dtype_size(w->a.plan.buffers[out].dtype);
    w->count = w->a.plan.buffers[out].count;
    w->unwritten = xrealloc(w->unwritten, (w->count + 1) * sizeof(*w->unwritten));
    for (uint64_t i = 0; i < w->count; i++) {
        if (is_fill(&w->a, out, i, poison_byte(w->seed)) &&
            is_fill(&w->b, out, i, poison_byte(w->other)))
            w->unwritten[w->nunwritten++] = i;
        else
            w->same &= !memcmp((char *)w->a.outputs.data[out] + i * size,
                               (char *)w->b.outputs.data[out] + i * size, size);
    }
}

static void look_at_next(struct writing *w)
{
    look_at(w, next_output(&w->a.plan, w->out));
}

static struct writing writing_of(struct search *s, const struct lab_case *c)
{
    uint64_t seed = s->x->verify->seed;
    struct writing w = {.seed = seed, .other = other_seed(seed)};

    experiment_run(s->x, c, w.seed, false, &w.a);
    experiment_run(s->x, c, w.other, false, &w.b);
    w.differ = inputs_differ(s, &w);
    bool done = w.a.outputs.stage == STAGE_DONE && w.b.outputs.stage == STAGE_DONE;
    look_at(&w, done ? next_output(&w.a.plan, -1) : -1);
    return w;
}

static void writing_free(struct writing *w)
{
    free(w->unwritten);
    sample_free(&w->a);
    sample_free(&w->b);
}

static bool is_wrong(const struct sample *r, int b)
{
    for (int i = 0; i < r->result.noutputs; i++) {
        if (r->result.outputs[i].buffer == b)
            return true;
    }
    return false;
}

/* In one of the two runs. */
static bool was_wrong(const struct writing *w)
{
    return is_wrong(&w->a, w->out) || is_wrong(&w->b, w->out);
}

/* Elements of output out that were stored, where all stores are to it. */
static uint64_t stores_of(const struct sample *r, int out)
{
    return r->outputs.counters.global_st_bytes / dtype_size(r->plan.buffers[out].dtype);
}

/* What the first blocks of a kernel's grid do without the others. */
struct part {
    uint64_t stores, nwritten, *written;
};

static bool part_of(struct search *s, const struct lab_case *c, int out, uint32_t blocks,
                    struct part *part)
{
    struct sample r;
    struct dataset d = {0};

    *part = (struct part){0};
    if (!experiment_plan(s->x, c, &r))
        return false;
    const struct lab_buffer *b = &r.plan.buffers[out];
    r.plan.steps[0].grid[0] = blocks;
    dataset_make(&d, s->x->verify->lab, &r.plan, &r.input, s->x->verify->seed);
    bool done = experiment_with(s->x, d.data, &r) == RUN_OK && r.outputs.counted;
    dataset_free(&d);
    part->written = xcalloc(b->count + 1, sizeof(*part->written));
    for (uint64_t i = 0; done && i < b->count; i++) {
        if (!is_fill(&r, out, i, poison_byte(s->x->verify->seed)))
            part->written[part->nwritten++] = i;
    }
    part->stores = stores_of(&r, out);
    sample_free(&r);
    return done;
}

/* Of a kernel that can store nothing but one output, and has enough stores for all of it: blocks,
 * or the threads of one, share places where others are left. */
static void put_shared_places(struct search *s, const struct lab_case *c, struct text *t,
                              const struct writing *w)
{
    const struct plan *p = &w->a.plan;
    const uint32_t *grid = p->steps[0].grid;
    struct part one, two = {0};
    int others = 0;

    for (int b = 0; b < p->nbuffers; b++)
        others += b != w->out && p->buffers[b].role != BUF_INPUT;
    uint64_t stores = stores_of(&w->a, w->out);
    if (others || p->nsteps != 1 || grid[0] < 2 || grid[1] > 1 || grid[2] > 1 ||
        !w->a.outputs.counted || stores < w->count || stores >= 2 * w->count)
        return;
    if (part_of(s, c, w->out, 1, &one) && one.nwritten && part_of(s, c, w->out, 2, &two) &&
        (one.stores > one.nwritten || two.stores - one.stores > two.nwritten - one.nwritten)) {
        text_addf(t, ", though there are %" PRIu64 " stores: block 0 alone writes ", stores);
        indices_put(t, p->buffers[w->out].name, one.written, one.nwritten, w->count, 0);
        if (one.stores > one.nwritten)
            text_addf(t, " by %" PRIu64 " stores", one.stores);
        else
            text_addf(t, ", and block 1 with %" PRIu64 " stores no more than %" PRIu64 " others",
                      two.stores - one.stores, two.nwritten - one.nwritten);
    }
    free(one.written);
    free(two.written);
}

/* What is stored, all told, is more than all there is: of one output alone. */
static void tell_again(struct search *s, const struct writing *w)
{
    uint64_t written = w->count - w->nunwritten, stores = stores_of(&w->a, w->out);

    if (next_output(&w->a.plan, next_output(&w->a.plan, -1)) >= 0 || !w->a.outputs.counted ||
        !written || w->a.plan.nsteps != 1 || stores < 2 * written)
        return;
    diagnosis_add(s->d, "unwritten",
                  "but the other %" PRIu64
                  " of %s are stored %.3g times each, on average: several threads have the same "
                  "index, and none an index of those that are missing",
                  written, w->a.plan.buffers[w->out].name, (double)stores / (double)written);
}

/* As many, at the end, as a division leaves over. */
static void put_rest(const struct search *s, const struct lab_case *c, struct text *t,
                     const struct writing *w)
{
    uint64_t by = c->param > 1 ? (uint64_t)c->param : 0, rest = by ? w->count % by : 0;

    if (rest > 1 && w->nunwritten == rest && w->unwritten[0] == w->count - rest)
        text_addf(t,
                  ": the last %" PRIu64 " of %" PRIu64 ", which is what %s = %" PRIu64
                  " leaves over when it divides these",
                  rest, w->count, s->x->verify->lab->param_name, by);
}

bool by_unwritten(struct search *s, const struct lab_case *c)
{
    const struct lab *lab = s->x->verify->lab;
    struct writing w = writing_of(s, c);
    bool told = false;

    for (; w.out >= 0; look_at_next(&w)) {
        struct text t = {0};

        if (!w.nunwritten || !was_wrong(&w))
            continue;
        indices_put(&t, w.a.plan.buffers[w.out].name, w.unwritten, w.nunwritten, w.count,
                    lab->row ? lab->row(&w.a.plan, c, w.out) : 0);
        put_shared_places(s, c, &t, &w);
        put_rest(s, c, &t, &w);
        diagnosis_add(s->d, "unwritten", "never written: %s", t.s);
        tell_again(s, &w);
        text_free(&t);
        told = true;
    }
    writing_free(&w);
    return told;
}

/* An element of whole numbers as it is, and without what it was filled with. */
static uint64_t bits_of(const struct sample *r, int b, uint64_t i, unsigned char fill,
                        uint64_t *more)
{
    size_t size = dtype_size(r->plan.buffers[b].dtype);
    uint64_t is = 0, was = 0;

    memcpy(&is, (const char *)r->outputs.data[b] + i * size, size);
    memset(&was, fill, size);
    *more = is - was;
    if (size < sizeof(*more))
        *more &= (1ull << 8 * size) - 1;
    return is;
}

/* Of the same inputs: this many elements follow the fill, and of one, *at, which is *more than it,
 * that is seen. */
static uint64_t follow(const struct writing *w, uint64_t *at, int64_t *more)
{
    uint64_t n = 0, of_a, of_b, size = dtype_size(w->a.plan.buffers[w->out].dtype);

    *more = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        bits_of(&w->a, w->out, i, poison_byte(w->seed), &of_a);
        bits_of(&w->b, w->out, i, poison_byte(w->other), &of_b);
        if (of_a != of_b)
            continue;
        n++;
        if (!*more && of_a) {
            *at = i;
            *more = (int64_t)(of_a << (64 - 8 * size)) >> (64 - 8 * size);
        }
    }
    return n;
}

/* A float that is so large takes nothing that is added, and says nothing. */
bool by_added(struct search *s, const struct lab_case *c)
{
    uint64_t seed = s->x->verify->seed, n, at = 0;
    struct writing w = {.seed = seed, .other = other_seed(seed)};
    int64_t more = 0;
    bool told = false;

    experiment_run(s->x, c, seed, false, &w.a);
    s->x->fill = w.other;
    experiment_run(s->x, c, seed, false, &w.b);
    s->x->fill = 0;
    bool done = w.a.outputs.stage == STAGE_DONE && w.b.outputs.stage == STAGE_DONE;
    look_at(&w, done ? next_output(&w.a.plan, -1) : -1);
    for (; w.out >= 0 && !told; look_at_next(&w)) {
        const struct lab_buffer *b = &w.a.plan.buffers[w.out];

        if (dtype_is_float(b->dtype) || !is_wrong(&w.a, w.out))
            continue;
        n = follow(&w, &at, &more);
        told = n && more;
        if (told)
            diagnosis_add(s->d, "uninitialised",
                          "%s[%" PRIu64 "] comes out as what was there before and %" PRId64
                          " %s, whatever that was: nothing has set it before it is used",
                          b->name, at, more < 0 ? -more : more, more < 0 ? "less" : "more");
    }
    writing_free(&w);
    return told;
}

bool by_constant(struct search *s, const struct lab_case *c)
{
    struct writing w = writing_of(s, c);
    bool told = false;

    for (; w.out >= 0 && elements_of(s, c) >= FEW; look_at_next(&w)) {
        if (!w.same || !w.count || !was_wrong(&w))
            continue;
        diagnosis_add(s->d, "constant", "%s is the same for two inputs that differ",
                      w.a.plan.buffers[w.out].name);
        told = true;
    }
    writing_free(&w);
    return told;
}

/* What a library's call reads and nobody wrote (words: the checker's), a kernel before it has to
 * fill: which, where one alone is given it. */
void tell_filler(struct search *s, const struct plan *p, const char *words)
{
    const struct plan_step *filler = NULL;
    int call = 0, kernels = 0;

    while (call < p->nsteps &&
           (p->steps[call].kind != STEP_FFT || !strstr(words, p->steps[call].kernel)))
        call++;
    for (int i = 0; call < p->nsteps && i < call; i++) {
        bool given = false;

        for (int a = 0; a < p->steps[i].nargs; a++)
            given |= p->steps[i].args[a].kind == ARG_BUFFER &&
                     p->steps[i].args[a].buffer == p->steps[call].args[0].buffer;
        kernels += given;
        filler = given ? &p->steps[i] : filler;
    }
    if (kernels == 1 && filler->kind == STEP_KERNEL)
        diagnosis_add(s->d, NULL, "%s is %s's to fill: before that call it alone is given it",
                      p->buffers[p->steps[call].args[0].buffer].name, filler->kernel);
}

/* ---- parameters ---- */

/* Right on what it was wrong on, but for the large; one of them must be of some elements. */
static bool right_on_small(struct search *s)
{
    uint64_t most = 0;

    for (int i = 0; i < s->nfailed; i++) {
        uint64_t n = elements_of(s, s->failed[i]);

        if (n > MOST)
            continue;
        if (!passes(s, s->failed[i]))
            return false;
        most = n > most ? n : most;
    }
    return most >= 16;
}

/* … and wherever else it is quickly tried: of one row, or one block, much is right. */
static bool right_on_others(struct search *s)
{
    struct experiment before = *s->x;
    const struct lab_case *first = s->failed[0];

    for (int i = 1; i < s->nfailed; i++)
        first = elements_of(s, s->failed[i]) < elements_of(s, first) ? s->failed[i] : first;
    bool right = right_on(s, first, STEPS);
    s->x->runs = before.runs;
    s->x->instructions = before.instructions;
    s->x->steps = before.steps;
    return right;
}

/* The last is the variant's own kernel; NULL: there is none. */
static const struct plan_step *kernel_of(const struct plan *p)
{
    const struct plan_step *last = NULL;

    for (int i = 0; i < p->nsteps; i++)
        last = p->steps[i].kind == STEP_KERNEL ? &p->steps[i] : last;
    return last;
}

static void put_parameter(struct text *t, const struct plan *p, int i)
{
    const struct plan_arg *a = &kernel_of(p)->args[i];

    text_addf(t, "%d", i + 1);
    if (a->kind == ARG_BUFFER)
        text_addf(t, " (%s)", p->buffers[a->buffer].name);
}

static bool right_exchanged(struct search *s, const struct plan *p, int i, int j)
{
    const struct plan_arg *args = kernel_of(p)->args;
    struct text t = {0};

    if (args[i].kind != args[j].kind)
        return false;
    s->x->exchanged[0] = i;
    s->x->exchanged[1] = j;
    bool right = right_on_small(s) && right_on_others(s);
    s->x->exchanged[0] = s->x->exchanged[1] = 0;
    if (right) {
        text_add(&t, "its parameters ");
        put_parameter(&t, p, i);
        text_add(&t, " and ");
        put_parameter(&t, p, j);
        diagnosis_add(s->d, "exchanged",
                      "%s are used in each other's place: with them exchanged it is right", t.s);
    }
    text_free(&t);
    return right;
}

bool by_exchange(struct search *s)
{
    struct sample sample;
    bool told = false;

    if (!experiment_plan(s->x, s->failed[0], &sample))
        return false;
    const struct plan_step *step = kernel_of(&sample.plan);
    for (int j = 1; step && j < step->nargs; j++) {
        for (int i = 0; i < j && !told; i++)
            told = right_exchanged(s, &sample.plan, i, j);
    }
    sample_free(&sample);
    return told;
}

/* A parameter that is declared as another kind of number than is passed. */
static bool told_parameter(struct search *s, const struct plan_step *step, int i)
{
    static const char *const names[] = {
        [ARG_U32] = "an unsigned", [ARG_I32] = "an int",   [ARG_U64] = "an unsigned long long",
        [ARG_F32] = "a float",     [ARG_F64] = "a double", [ARG_BUFFER] = "a pointer"};
    const char *declared = module_parameters(s->x->verify->module, step->kernel);
    enum arg_kind kind = step->args[i].kind;
    char passed = kind == ARG_F32 ? 'f' : kind == ARG_F64 ? 'd' : kind == ARG_TENSOR ? '?' : 'u';

    if (!declared || strlen(declared) <= (size_t)i || declared[i] == '?' || passed == '?' ||
        declared[i] == passed)
        return false;
    diagnosis_add(s->d, "type",
                  "parameter %d of %s is declared as %s, and is passed %s: its bits are read as "
                  "another type's",
                  i + 1, step->kernel,
                  declared[i] == 'u'   ? "a whole number or a pointer"
                  : declared[i] == 'f' ? "a float"
                                       : "a double",
                  names[kind]);
    return true;
}

bool by_parameters(struct search *s)
{
    struct sample sample;
    bool told = false;

    if (!experiment_plan(s->x, s->failed[0], &sample))
        return false;
    for (int k = 0; k < sample.plan.nsteps && !told; k++) {
        const struct plan_step *step = &sample.plan.steps[k];

        for (int i = 0; step->kind == STEP_KERNEL && i < step->nargs && !told; i++)
            told = told_parameter(s, step, i);
    }
    sample_free(&sample);
    return told;
}

/* ---- what stays from launch to launch ---- */

/* What a run left makes the next one wrong: with the variables as they were, it is right. */
bool by_state(struct search *s, const struct lab_case *c)
{
    const struct module *m = s->x->verify->module;
    size_t size, after_size;
    bool told = false;

    if (!s->x->fresh || !m->nvariables)
        return false;
    experiment_fresh(s->x);
    void *before = module_state(m, &size);
    bool right = passes(s, c);
    void *after = module_state(m, &after_size);
    const char *name = right && size == after_size ? module_changed(m, before, after) : NULL;

    if (name && fails(s, c)) {
        module_set_state(m, before);
        told = passes(s, c) && fails(s, c);
    }
    if (told)
        diagnosis_add(s->d, "state",
                      "it is right when it runs for the first time, wrong when it runs again, and "
                      "right once more with %s set back: what does a __device__ variable keep from "
                      "one run to the next?",
                      strncmp(name, "_Z", 2) ? name : "a __device__ variable");
    free(before);
    free(after);
    return told;
}

/* Right with 0 behind what is set of the module's array, where no scratch could be meant. */
bool by_rest(struct search *s, const struct lab_case *c)
{
    const struct lab_buffer *array = NULL;
    struct sample sample;
    bool told = false, scratch = false;

    if (!experiment_plan(s->x, c, &sample))
        return false;
    for (int b = 0; b < sample.plan.nbuffers; b++) {
        const struct lab_buffer *of = &sample.plan.buffers[b];

        array = *of->symbol ? of : array;
        scratch |= of->role == BUF_SCRATCH;
    }
    if (array && !scratch) {
        s->x->clear = true;
        told = passes(s, c);
        s->x->clear = false;
    }
    if (told)
        diagnosis_add(s->d, "uninitialised",
                      "on %s the first %" PRIu64
                      " elements of %s are set: with 0 behind them it is "
                      "right, with anything else it is wrong",
                      c->name, array->count, array->symbol);
    sample_free(&sample);
    return told;
}

/* ---- lanes that are not there, and variables that nobody set ---- */

static bool same_outputs(const struct sample *a, const struct sample *b)
{
    const struct plan *p = &a->plan;

    for (int o = 0; o < p->nbuffers; o++) {
        if (p->buffers[o].role == BUF_OUTPUT &&
            memcmp(a->outputs.data[o], b->outputs.data[o], plan_buffer_bytes(p, o)) != 0)
            return false;
    }
    return true;
}

/* With other bits from such instructions, or in such registers, another result; not by chance, as
 * where it differs from run to run. */
static bool goes_with(struct search *s, const struct lab_case *c, enum disturbance class)
{
    struct sample runs[3];
    bool done = true;

    for (int i = 0; i < 3; i++) {
        s->x->disturb = i == 2 ? 1u << class : 0;
        experiment_run(s->x, c, s->x->verify->seed, false, &runs[i]);
        done &= runs[i].outputs.stage == STAGE_DONE;
    }
    s->x->disturb = 0;
    bool so = done && same_outputs(&runs[0], &runs[1]) && !same_outputs(&runs[0], &runs[2]);
    for (int i = 0; i < 3; i++)
        sample_free(&runs[i]);
    return so;
}

bool by_absent(struct search *s, const struct lab_case *c)
{
    bool told = goes_with(s, c, DISTURB_absent);

    if (told)
        diagnosis_add(s->d, "mask",
                      "its result goes with what a shuffle (__shfl…_sync) brings from a lane that "
                      "the mask does not name, or that is not there; CUDA does not define that "
                      "value: let every lane that is read from get there, and name it");
    return told;
}

bool by_unset(struct search *s, const struct lab_case *c)
{
    bool told = goes_with(s, c, DISTURB_unset);

    if (told)
        diagnosis_add(
            s->d, "uninitialised",
            "its result goes with what is in a variable that was never set: with other "
            "bits there, it is another. Does each sum, largest or count of a thread's own "
            "begin with a value, and is __shared__ there where threads share a variable?");
    return told;
}

/* ---- of no elements ---- */

/* Of no elements a result is what it starts with. */
bool by_empty(struct search *s, const struct lab_case *c)
{
    bool told = false;

    if (elements_of(s, c))
        return false;
    struct writing w = writing_of(s, c);
    while (w.out >= 0 && !is_wrong(&w.a, w.out))
        look_at_next(&w);
    if (w.out >= 0 && !w.nunwritten && w.same && w.a.result.outputs[0].comparison.nshown) {
        const struct lab_mismatch *m = &w.a.result.outputs[0].comparison.shown[0];

        told = true;
        diagnosis_add(s->d, "neutral",
                      "of no elements at all %s[%" PRIu64
                      "] is %.10g, not %.10g, the value that a result starts with",
                      w.a.plan.buffers[w.out].name, m->index, m->got, m->expected);
    }
    writing_free(&w);
    return told;
}

bool writes_nothing(struct search *s, const struct lab_case *c)
{
    struct writing w = writing_of(s, c);
    bool nothing = w.out >= 0;

    for (; w.out >= 0; look_at_next(&w))
        nothing &= w.same && (w.nunwritten == w.count || !w.nunwritten);
    writing_free(&w);
    return nothing;
}
