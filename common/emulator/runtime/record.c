/* record.c - what a program did with the runtime, in names and numbers: WARPLAB_RECORD=FILE.
 *
 * Written when the program ends, a line a fact, "NAME VALUE":
 *
 *   calls.cudaMalloc 2       of each function that was called (as rt_enter() sees them)
 *   made_to_fail 1           calls that WARPLAB_FAIL made to fail
 *   launches 1               that were carried out, a fault among them too
 *   memcpyHtoD 8004          bytes copied that way; memcpyDtoH, memcpyDtoD, memcpyHtoH, memset
 *   in_ns 42714              modelled time of copies to a device; out_ns, back; within_ns, others
 *   elapsed_ns 51240         what cudaEventElapsedTime() told, all of it together
 *   told_ms 0.0051           what it told, each of the first 16 times
 *   left 1, left_bytes 400   allocations of device, managed and pinned memory that nobody freed
 *   left_at_reset 2          such that cudaDeviceReset() freed
 *   modelled_ms 0.0021, occupancy 1, bound latency, limiter warps, counter.inst_executed 704 …
 *   finding {…}              each of the checks', as JSON
 *
 * A program that is killed, crashes or calls _exit() leaves none; one that makes no call does. The
 * file is the program's to write to, as its memory is: who marks by it says that it is the
 * runtime's own record.
 */
#include "cudart.h"
#include "emulator/check/findings.h"
#include "warplab.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fact {
    struct fact *next;
    char *name;
    uint64_t value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fact *facts;
static uint64_t left_at_reset;
static float told_ms[16];
static size_t ntold;
static pid_t owner; /* a child of fork() writes none */

static bool wanted(void)
{
    return emu_options()->record != NULL;
}

void record_add(const char *kind, const char *name, uint64_t value)
{
    struct fact **f = &facts;

    if (!wanted())
        return;
    /* a call of cudaMemcpy_ptds is one of cudaMemcpy */
    char *whole = xformat("%s%.*s", kind, (int)(*kind ? strcspn(name, "_") : strlen(name)), name);
    pthread_mutex_lock(&lock);
    owner = owner ? owner : getpid();
    while (*f && strcmp((*f)->name, whole) != 0)
        f = &(*f)->next;
    if (!*f) {
        *f = xzalloc(sizeof(**f));
        (*f)->name = xstrdup(whole);
    }
    (*f)->value += value;
    pthread_mutex_unlock(&lock);
    free(whole);
}

void record_told(float ms)
{
    if (!wanted())
        return;
    record_add("", "elapsed_ns", (uint64_t)(ms * 1e6 + 0.5));
    pthread_mutex_lock(&lock);
    if (ntold < sizeof(told_ms) / sizeof(told_ms[0]))
        told_ms[ntold++] = ms;
    pthread_mutex_unlock(&lock);
}

struct left {
    uint64_t n, bytes;
};

static void count_left(const struct mem_alloc *a, void *arg)
{
    struct left *left = arg;

    if (a->kind != MEM_DEVICE && a->kind != MEM_MANAGED && a->kind != MEM_PINNED)
        return;
    left->n++;
    left->bytes += a->size;
}

uint64_t record_left(void)
{
    struct left left = {0, 0};

    mem_each(count_left, &left);
    return left.n;
}

void record_reset(uint64_t before)
{
    pthread_mutex_lock(&lock);
    left_at_reset += before - record_left();
    pthread_mutex_unlock(&lock);
}

static void put_counters(FILE *file)
{
    fprintf(file, "modelled_ms %.17g\noccupancy %.17g\nbound %s\nlimiter %s\n", warplabModelledMs(),
            warplabOccupancy(), warplabBound(), warplabOccupancyLimiter());
#define X(id, metric, unit, text)                                                                  \
    fprintf(file, "counter." #id " %llu\n", (unsigned long long)warplabCounter(#id));
    COUNTERS(X)
#undef X
}

void record_finish(void)
{
    struct left left = {0, 0};

    if (!wanted() || (owner && owner != getpid()))
        return;
    FILE *file = fopen(emu_options()->record, "we");
    if (!file) {
        fprintf(stderr, "warplab: cannot write record %s\n", emu_options()->record);
        return;
    }
    for (struct fact *f = facts; f; f = f->next)
        fprintf(file, "%s %llu\n", f->name, (unsigned long long)f->value);
    for (size_t i = 0; i < ntold; i++)
        fprintf(file, "told_ms %.9g\n", (double)told_ms[i]);
    mem_each(count_left, &left);
    fprintf(file, "left %llu\nleft_bytes %llu\nleft_at_reset %llu\n", (unsigned long long)left.n,
            (unsigned long long)left.bytes, (unsigned long long)left_at_reset);
    put_counters(file);
    for (size_t i = 0; i < findings_count(); i++)
        fprintf(file, "finding %s\n", findings_json(i));
    fclose(file);
}
