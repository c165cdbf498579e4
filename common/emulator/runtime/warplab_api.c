/* warplab_api.c - the functions of warplab.h that sum up launches or set options. */
#include "release.h"
#include "cudart.h"
#include "base/alloc.h"
#include "emulator/check/check.h"
#include "emulator/check/findings.h"
#include "emulator/count/count.h"
#include "emulator/count/model.h"
#include "emulator/count/profile.h"
#include "emulator/count/trace.h"
#include "emulator/count/traffic.h"
#include "emulator/exec/compared.h"
#include "emulator/exec/disturb.h"
#include "emulator/exec/outcomes.h"
#include "emulator/exec/turns.h"
#include "warplab.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counters sum;
static double modelled_ms;
static struct emu_result last;

static const struct {
    const char *name;
    size_t offset;
} names[] = {
#define X(id, metric, unit, text) {#id, offsetof(struct counters, id)},
    COUNTERS(X)
#undef X
};

void sums_add(const struct emu_result *r)
{
    pthread_mutex_lock(&lock);
#define X(id, metric, unit, text) sum.id += r->counters.id;
    COUNTERS(X)
#undef X
    modelled_ms += r->modelled_ms;
    last = *r;
    pthread_mutex_unlock(&lock);
}

void sums_add_ms(double ms)
{
    pthread_mutex_lock(&lock);
    modelled_ms += ms;
    pthread_mutex_unlock(&lock);
}

/* Who asks for all of them asks in their order. */
uint64_t warplabCounter(const char *name)
{
    static _Atomic size_t next;
    const size_t n = sizeof(names) / sizeof(names[0]);
    uint64_t value = UINT64_MAX;

    for (size_t k = 0, from = next; name && k < n; k++) {
        size_t i = (from + k) % n;
        if (strcmp(name, names[i].name) != 0)
            continue;
        next = i + 1;
        pthread_mutex_lock(&lock);
        memcpy(&value, (const char *)&sum + names[i].offset, sizeof(value));
        pthread_mutex_unlock(&lock);
        break;
    }
    return value;
}

double warplabModelledMs(void)
{
    pthread_mutex_lock(&lock);
    double ms = modelled_ms;
    pthread_mutex_unlock(&lock);
    return ms;
}

double warplabSpanMs(void)
{
    return stream_span_ms();
}

void warplabLastWork(double *start_ms, double *end_ms)
{
    stream_last_work(start_ms, end_ms);
}

void warplabHostTouch(const void *p, uint64_t bytes)
{
    host_work(
        model_fault_ms(device_profile(), managed_move((uint64_t)p, bytes, cudaCpuDeviceId), false));
}

const char *warplabBound(void)
{
    return last.bound ? last.bound : "";
}

double warplabOccupancy(void)
{
    return last.occupancy;
}

const char *warplabOccupancyLimiter(void)
{
    return last.occupancy_limiter ? last.occupancy_limiter : "";
}

void warplabReset(void)
{
    profile_lines(NULL); /* what is about to be forgotten */
    pthread_mutex_lock(&lock);
    memset(&sum, 0, sizeof(sum));
    modelled_ms = 0;
    pthread_mutex_unlock(&lock);
    stream_span_reset();
    count_lines_reset();
}

size_t warplabFindingCount(void)
{
    return findings_count();
}

const char *warplabFinding(size_t i)
{
    return findings_json(i);
}

int warplabSetCheck(int on)
{
    return check_set(on);
}

int warplabSetSample(int on)
{
    return traffic_set_sample(on);
}

uint64_t warplabSetSampleAt(uint64_t at)
{
    return traffic_set_sample_at(at);
}

int warplabSetDisturb(const char *classes)
{
    static const char *const known[] = {
#define X(id, text) #id,
        DISTURBANCES(X)
#undef X
    };
    unsigned set = 0;

    for (const char *p = classes ? classes : ""; *p;) {
        size_t n = strcspn(p, " "), k = 0;

        while (k < DISTURB_COUNT && (strlen(known[k]) != n || strncmp(known[k], p, n) != 0))
            k++;
        if (k == DISTURB_COUNT)
            return -1;
        set |= 1u << k;
        p += n + strspn(p + n, " ");
    }
    disturb_set(set);
    return 0;
}

uint64_t warplabSetTurns(uint64_t from)
{
    return turns_set(from);
}

size_t warplabVariables(void *to, const void *from)
{
    return emu_variables(to, from);
}

void warplabSetSideBySide(int on)
{
    emu_set_side_by_side(on);
}

void warplabSetTimeless(int on)
{
    emu_set_timeless(on);
}

void warplabRenew(void)
{
    if (mem_forget())
        emu_modules_renew();
    emu_renumber();
    check_forget();
}

void warplabSetQuiet(int level)
{
    findings_read_always(level > 0);
    emu_error_quiet(level > 1);
}

/* Messages keep the name for as long as the process lives; there are a handful. */
static const char *kept_name(const char *name)
{
    static struct kept {
        struct kept *next;
        char name[];
    } * kept;
    struct kept *k;

    pthread_mutex_lock(&lock);
    for (k = kept; k && strcmp(k->name, name); k = k->next)
        ;
    if (!k) {
        k = xmalloc(sizeof(*k) + strlen(name) + 1);
        strcpy(k->name, name);
        k->next = kept;
        kept = k;
    }
    pthread_mutex_unlock(&lock);
    return k->name;
}

int warplabName(const void *p, const char *name, unsigned element, uint64_t elements)
{
    return mem_name((uint64_t)p, kept_name(name), element, elements) ? 0 : -1;
}

uint64_t warplabSetGap(uint64_t bytes)
{
    return mem_set_gap(bytes);
}

int warplabSetDevices(int n)
{
    return emu_devices(n < MEM_DEVICES ? n : MEM_DEVICES);
}

uint64_t warplabSetSteps(uint64_t steps)
{
    return launch_set_steps(steps);
}

uint64_t warplabSteps(void)
{
    return launch_steps_taken();
}

char *warplabLines(void)
{
    return count_lines_json();
}

char *warplabInstructions(void)
{
    return count_instructions_json();
}

char *warplabCompared(void)
{
    return compared_take();
}

char *warplabOutcomes(void)
{
    return outcomes_take();
}

int warplabTrace(const char *kernel, unsigned block, const char *file)
{
    return trace_arm(kernel, block, file);
}

const char *warplabVersion(void)
{
    static char *text;
    int threads = emu_options()->threads;

    if (threads == 0)
        threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pthread_mutex_lock(&lock);
    if (!text)
        text = xformat("warplab emulator %s (%s, %d threads)", RELEASE, device_profile()->key,
                       threads);
    pthread_mutex_unlock(&lock);
    return text;
}
