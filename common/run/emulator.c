/* emulator.c - finds the emulator's own calls with dlsym, once (emulator.h). */
#include "emulator.h"
#include "base/text.h"
#include "calls.h"
#include "emulator/runtime/warplab.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct {
    uint64_t (*counter)(const char *);
    double (*modelled_ms)(void), (*span_ms)(void), (*occupancy)(void);
    void (*last_work)(double *, double *), (*host_touch)(const void *, uint64_t);
    const char *(*bound)(void), *(*limiter)(void), *(*version)(void), *(*finding)(size_t);
    void (*reset)(void), (*revive)(void), (*forgive)(void), (*set_quiet)(int);
    size_t (*finding_count)(void);
    int (*set_check)(int), (*set_sample)(int), (*set_disturb)(const char *);
    uint64_t (*steps)(void), (*set_steps)(uint64_t), (*set_sample_at)(uint64_t),
        (*set_turns)(uint64_t);
    size_t (*variables)(void *, const void *);
    void (*order)(const uint64_t *);
    void (*renew)(void), (*set_side_by_side)(int), (*set_timeless)(int);
    int (*name)(const void *, const char *, unsigned, uint64_t);
    uint64_t (*set_gap)(uint64_t);
    int (*set_devices)(int);
    char *(*lines)(void), *(*instructions)(void), *(*compared)(void), *(*outcomes)(void);
    int (*trace)(const char *, unsigned, const char *);
} calls;
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct call symbols[] = {
    {"warplabCounter", &calls.counter},
    {"warplabModelledMs", &calls.modelled_ms},
    {"warplabSpanMs", &calls.span_ms},
    {"warplabLastWork", &calls.last_work},
    {"warplabHostTouch", &calls.host_touch},
    {"warplabOccupancy", &calls.occupancy},
    {"warplabBound", &calls.bound},
    {"warplabOccupancyLimiter", &calls.limiter},
    {"warplabVersion", &calls.version},
    {"warplabFinding", &calls.finding},
    {"warplabReset", &calls.reset},
    {"warplabRevive", &calls.revive},
    {"warplabForgive", &calls.forgive},
    {"warplabSetQuiet", &calls.set_quiet},
    {"warplabFindingCount", &calls.finding_count},
    {"warplabSetCheck", &calls.set_check},
    {"warplabOrder", &calls.order},
    {"warplabSetSample", &calls.set_sample},
    {"warplabSetSampleAt", &calls.set_sample_at},
    {"warplabSetDisturb", &calls.set_disturb},
    {"warplabSetTurns", &calls.set_turns},
    {"warplabSetSteps", &calls.set_steps},
    {"warplabSteps", &calls.steps},
    {"warplabVariables", &calls.variables},
    {"warplabRenew", &calls.renew},
    {"warplabSetSideBySide", &calls.set_side_by_side},
    {"warplabSetTimeless", &calls.set_timeless},
    {"warplabName", &calls.name},
    {"warplabSetGap", &calls.set_gap},
    {"warplabSetDevices", &calls.set_devices},
    {"warplabLines", &calls.lines},
    {"warplabInstructions", &calls.instructions},
    {"warplabCompared", &calls.compared},
    {"warplabOutcomes", &calls.outcomes},
    {"warplabTrace", &calls.trace},
};

static void find(void)
{
    found = calls_find(RTLD_DEFAULT, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

bool emulator_here(void)
{
    pthread_once(&once, find);
    return found;
}

const char *emulator_version(void)
{
    return emulator_here() ? calls.version() : "";
}

void emulator_set_steps(uint64_t steps)
{
    if (emulator_here())
        calls.set_steps(steps);
}

uint64_t emulator_steps(void)
{
    return emulator_here() ? calls.steps() : 0;
}

void emulator_set_check(int on)
{
    if (emulator_here())
        calls.set_check(on);
}

void emulator_order(const uint64_t *before)
{
    if (emulator_here())
        calls.order(before);
}

void emulator_set_sample(bool on)
{
    if (emulator_here())
        calls.set_sample(on);
}

void emulator_set_sample_at(uint64_t at)
{
    if (emulator_here())
        calls.set_sample_at(at);
}

void emulator_set_disturb(unsigned classes)
{
    struct text t = {0};

    for (int k = 0; k < DISTURB_COUNT; k++) {
        if (classes >> k & 1)
            text_addf(&t, "%s%s", t.length ? " " : "", disturb_infos[k].name);
    }
    if (emulator_here())
        calls.set_disturb(text_str(&t));
    text_free(&t);
}

void emulator_set_turns(uint64_t from)
{
    if (emulator_here())
        calls.set_turns(from);
}

size_t emulator_variables(void *to, const void *from)
{
    return emulator_here() ? calls.variables(to, from) : 0;
}

void emulator_renew(void)
{
    if (emulator_here())
        calls.renew();
}

void emulator_set_side_by_side(bool on)
{
    if (emulator_here())
        calls.set_side_by_side(on);
}

void emulator_set_timeless(bool on)
{
    if (emulator_here())
        calls.set_timeless(on);
}

void emulator_name(const void *p, const char *name, size_t element, uint64_t elements)
{
    if (emulator_here())
        calls.name(p, name, (unsigned)element, elements);
}

void emulator_set_gap(uint64_t bytes)
{
    if (emulator_here())
        calls.set_gap(bytes);
}

void emulator_set_devices(int n)
{
    if (emulator_here())
        calls.set_devices(n);
}

void emulator_forgive(void)
{
    if (emulator_here())
        calls.forgive();
}

void emulator_revive(void)
{
    if (emulator_here())
        calls.revive();
}

void emulator_reset(void)
{
    if (emulator_here())
        calls.reset();
}

void emulator_counters(struct counters *out)
{
    for (int i = 0; emulator_here() && i < ncounters; i++)
        counter_set(out, i, calls.counter(counter_infos[i].name));
}

double emulator_counter(const char *name)
{
    return emulator_here() ? (double)calls.counter(name) : 0;
}

double emulator_modelled_ms(void)
{
    return emulator_here() ? calls.modelled_ms() : 0;
}

double emulator_span_ms(void)
{
    return emulator_here() ? calls.span_ms() : 0;
}

void emulator_last_work(double *start_ms, double *end_ms)
{
    if (emulator_here())
        calls.last_work(start_ms, end_ms);
}

void emulator_host_touch(const void *p, uint64_t bytes)
{
    if (emulator_here())
        calls.host_touch(p, bytes);
}

char *emulator_lines(void)
{
    return emulator_here() ? calls.lines() : NULL;
}

char *emulator_instructions(void)
{
    return emulator_here() ? calls.instructions() : NULL;
}

char *emulator_compared(void)
{
    return emulator_here() ? calls.compared() : NULL;
}

char *emulator_outcomes(void)
{
    return emulator_here() ? calls.outcomes() : NULL;
}

double emulator_occupancy(void)
{
    return emulator_here() ? calls.occupancy() : 0;
}

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

const char *emulator_bound(void)
{
    return or_empty(emulator_here() ? calls.bound() : NULL);
}

const char *emulator_limiter(void)
{
    return or_empty(emulator_here() ? calls.limiter() : NULL);
}

void emulator_set_quiet(int level)
{
    if (emulator_here())
        calls.set_quiet(level);
}

size_t emulator_findings(void)
{
    return emulator_here() ? calls.finding_count() : 0;
}

const char *emulator_finding(size_t i)
{
    return or_empty(emulator_here() ? calls.finding(i) : NULL);
}

bool emulator_trace(const char *kernel, const char *file)
{
    return emulator_here() && !calls.trace(kernel, 0, file);
}
