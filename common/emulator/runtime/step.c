/* step.c - steps: what a library does with kernels of its own (step.h).
 *
 * Not modelled: in which order, and by how many threads, a library's kernels touch memory; so no
 * race within a step is found, and sectors and other counters have nothing of it.
 */
#include "step.h"
#include "cudart.h"
#include "hold.h"
#include "emulator/base/describe.h"
#include "emulator/base/json.h"
#include "emulator/check/check.h"
#include "emulator/check/findings.h"
#include "emulator/count/model.h"
#include "emulator/count/profile.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct warplab_step {
    const char *name;
    cudaStream_t stream;
    uint64_t stream_id, bytes;
    int device;   /* the stream's */
    double ready; /* when that lets it begin, ms of modelled time */
    double begin_us;
    bool unwritten; /* one read of memory never written was told */
    cudaError_t fault;
};

cudaError_t warplab_step_begin(struct warplab_step **out, const char *name, cudaStream_t stream)
{
    cudaError_t e = rt_enter_as(name);
    struct CUstream_st *s = e ? NULL : stream_find(stream);

    *out = NULL;
    if (!e && !s)
        e = cudaErrorInvalidResourceHandle;
    e = e ?: capture_bars(stream);
    if (e)
        return e;
    hold_wait(stream);
    if (rt_fault())
        return rt_fault();
    *out = xcalloc(1, sizeof(**out));
    **out = (struct warplab_step){.name = name,
                                  .stream = stream,
                                  .stream_id = s->id,
                                  .device = s->device,
                                  .ready = stream_ready(stream),
                                  .begin_us = host_now_us()};
    return cudaSuccess;
}

int warplab_step_device(const struct warplab_step *s)
{
    return s->device;
}

/* Who it was, where findings want a kernel's thread. */
static struct block_info who(const struct warplab_step *s)
{
    return (struct block_info){.kernel = s->name, .ntid = {1, 1, 1}, .nctaid = {1, 1, 1}};
}

/* "cufftExecC2C reads 8 bytes at 0x…, 12 bytes after …" */
static void put_access(struct text *t, const struct warplab_step *s, const char *verb,
                       uint64_t addr, size_t bytes)
{
    text_addf(t, "%s %s %zu bytes at 0x%" PRIx64 ", ", s->name, verb, bytes, addr);
    mem_describe(t, addr);
}

static bool fault(struct warplab_step *s, cudaError_t e, const char *verb, uint64_t addr,
                  size_t element)
{
    struct block_info b = who(s);
    struct text t = {0};

    put_access(&t, s, verb, addr, element);
    if (e == cudaErrorMisalignedAddress)
        text_addf(&t, ": not a multiple of %zu", element);
    finding_report("fault", &b, NULL, 0, addr,
                   json_pack("{s:o}", "message", json_words(text_str(&t))), NULL);
    emu_keep(e, "%s", text_str(&t));
    text_add(&t, "\n");
    finding_note(text_str(&t));
    text_free(&t);
    s->fault = e;
    return false;
}

static void tell_unwritten(struct warplab_step *s, uint64_t addr, size_t element)
{
    struct block_info b = who(s);
    struct text words = {0}, t = {0};

    put_access(&t, s, "reads", addr, element);
    text_addf(&words,
              "read of memory never written: %s\n    a GPU would return whatever happened to be "
              "there\n    cudaMemcpy, cudaMemset or a kernel that fills it missing?\n",
              text_str(&t));
    json_t *message = json_sprintf("read of memory never written: %s", text_str(&t));
    finding_report(
        "uninitialised-read", &b, NULL, 0, addr,
        json_pack("{s:s, s:i, s:o}", "space", "global", "size", (int)element, "message", message),
        text_str(&words));
    text_free(&t);
    text_free(&words);
    s->unwritten = true;
}

/* Where the contents are; NULL after a fault. The first element that is not there is told. */
static uint8_t *contents(struct warplab_step *s, const char *verb, uint64_t addr, size_t bytes,
                         size_t element)
{
    const struct mem_alloc *a = s->fault ? NULL : mem_find(addr);

    if (s->fault)
        return NULL;
    if (addr % element) {
        fault(s, cudaErrorMisalignedAddress, verb, addr, element);
        return NULL;
    }
    if (a && bytes > a->size - (addr - a->addr))
        addr += (a->size - (addr - a->addr)) / element * element;
    else if (a && mem_reaches((unsigned)s->device, a))
        return a->host + (addr - a->addr);
    fault(s, cudaErrorIllegalAddress, verb, addr, element);
    return NULL;
}

bool warplab_step_read(struct warplab_step *s, void *to, const void *from, size_t bytes,
                       size_t element)
{
    const uint8_t *p = contents(s, "reads", (uint64_t)from, bytes, element);
    uint64_t at;

    if (!p)
        return false;
    if (!s->unwritten && check_host_read((uint64_t)from, bytes, &at))
        tell_unwritten(s, at, element);
    memcpy(to, p, bytes);
    s->bytes += bytes;
    return true;
}

bool warplab_step_write(struct warplab_step *s, void *to, const void *from, size_t bytes,
                        size_t element)
{
    uint8_t *p = contents(s, "writes", (uint64_t)to, bytes, element);

    if (!p)
        return false;
    check_host_write((uint64_t)to, bytes);
    memcpy(p, from, bytes);
    s->bytes += bytes;
    return true;
}

/* It took ms, of which its stream knows. */
static void tell_end(struct warplab_step *s, double ms)
{
    sums_add_ms(ms);
    record_add("", s->name, s->bytes);
    profile_step(s->name, s->bytes, s->stream_id, (unsigned)s->device, ms,
                 host_now_us() - s->begin_us);
    if (s->fault)
        rt_set_sticky(s->fault);
    free(s);
}

void warplab_step_end(struct warplab_step *s, unsigned passes)
{
    double ms = model_passes_ms(device_profile(), s->bytes, passes);

    stream_work(s->stream, ENGINE_COMPUTE, ms);
    tell_end(s, ms);
}

void warplab_steps_end(struct warplab_step *const *s, int n, uint64_t bytes, bool one_way)
{
    double ms = model_link_ms(device_profile(), bytes);
    struct meeting *all = xcalloc((size_t)n, sizeof(*all));

    for (int i = 0; i < n; i++)
        all[i] = (struct meeting){s[i]->stream, s[i]->device, s[i]->ready, !one_way || i == 0,
                                  !one_way || i == 1};
    streams_meet(all, n, ms);
    free(all);
    for (int i = 0; i < n; i++)
        tell_end(s[i], ms);
}

cudaError_t warplab_library_call(const char *name)
{
    return rt_enter_as(name);
}

int warplab_library_device(int device)
{
    int now = rt_device;

    rt_device = device;
    return now;
}

void *warplab_library_memory(size_t bytes, const char *label)
{
    const struct mem_alloc *a = mem_alloc_on((unsigned)rt_device, bytes, 256, MEM_DEVICE, label);

    return a ? (void *)a->addr : NULL;
}

void warplab_library_free(void *p)
{
    launch_pause();
    check_free((uint64_t)p);
    mem_free((uint64_t)p);
    launch_resume();
}

void warplab_say(const char *words)
{
    emu_fail(cudaErrorInvalidValue, "%s", words);
}
