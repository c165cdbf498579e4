/* builtin.c - functions a kernel calls that no PTX defines: assert, malloc, free,
 * cudaGraphSetConditional. printf is in printf.c.
 */
#include "builtin.h"
#include "device_call.h"
#include "emulator/base/mem.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A limit on steps is there to end what takes too long: a lane's call takes as long as so many,
 * and each character of a string as one. */
enum { BUILTIN_STEPS = 8 };

/* ---- reading a lane's memory through generic addresses ---- */
bool builtin_read(struct warp *w, int lane, uint64_t a, void *out, uint32_t n)
{
    uint8_t *d = out;
    uint64_t window = a & MEM_WINDOW_MASK, off = a & ~MEM_WINDOW_MASK;
    if (window == MEM_LOCAL_BASE) {
        for (uint32_t k = 0; k < n; k++, off++) {
            if (off >= w->local_size)
                return false;
            d[k] = w->local[(off >> 2) * 128 + (uint64_t)lane * 4 + (off & 3)];
        }
        return true;
    }
    const void *host = NULL;
    if (window == MEM_SHARED_BASE && off + n <= w->block->launch->shared_bytes)
        host = w->block->shared + off;
    else if (window == MEM_PARAM_BASE && off + n <= w->block->launch->param_bytes)
        host = w->block->launch->params + off;
    else if (!window)
        host = mem_host(a, n);
    if (!host)
        return false;
    memcpy(d, host, n);
    return true;
}
bool builtin_string(struct warp *w, int lane, uint64_t a, struct text *out)
{
    for (int k = 0; k < STRING_MOST; k++) {
        char c;
        if (!builtin_read(w, lane, a++, &c, 1))
            return false;
        if (!c)
            return true;
        text_bytes(out, &c, 1);
        w->worker->steps++;
    }
    text_add(out, "…");
    return true;
}
uint64_t builtin_argument(struct warp *w, const struct call_info *ci, uint32_t k, int lane)
{
    const struct param_place *p = &ci->args[k];
    const uint32_t *rows = (const uint32_t *)(w->base[SEL_REG] + p->offset);
    uint64_t v = rows[lane];
    if (p->var->size == 8)
        v |= (uint64_t)rows[WARP + lane] << 32;
    return v;
}
void builtin_return(struct warp *w, const struct call_info *ci, int lane, uint64_t v)
{
    if (!ci->nrets)
        return;
    uint32_t *rows = (uint32_t *)(w->base[SEL_REG] + ci->rets[0].offset);
    rows[lane] = (uint32_t)v;
    if (ci->rets[0].var->size == 8)
        rows[WARP + lane] = (uint32_t)(v >> 32);
}

/* ---- assert: (message, file, line, function, char size) ---- */
static char *string_argument(struct warp *w, const struct call_info *ci, uint32_t k, int lane)
{
    struct text s = {0};
    if (ci->nargs < 4 || !builtin_string(w, lane, builtin_argument(w, ci, k, lane), &s)) {
        text_free(&s);
        text_add(&s, "?");
    }
    return text_take(&s);
}
static const struct insn *call_assert(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    int lane = __builtin_ctz(w->mask);
    char *message = string_argument(w, ci, 0, lane), *file = string_argument(w, ci, 1, lane);
    char *function = string_argument(w, ci, 3, lane);
    warp_fault(w, in, lane, cudaErrorAssert, "%s:%u: %s: assertion `%s' failed", file,
               ci->nargs >= 3 ? (unsigned)builtin_argument(w, ci, 2, lane) : 0, function, message);
    free(message);
    free(file);
    free(function);
    return NULL;
}

/* ---- the device heap ---- */
static uint64_t heap_memory(struct warp *w, uint64_t bytes, uint64_t align)
{
    unsigned device = w->block->launch->module->device;
    struct mem_alloc *a = bytes ? mem_alloc_on(device, bytes, align, MEM_HEAP, NULL) : NULL;
    return a ? a->addr : 0;
}
uint64_t builtin_malloc(struct warp *w, uint64_t bytes)
{
    return heap_memory(w, bytes, 16);
}
bool builtin_free(uint64_t addr)
{
    const struct mem_alloc *m = mem_find(addr);
    return m && m->addr == addr && m->kind == MEM_HEAP && mem_free(addr);
}
/* malloc(bytes), __nv_aligned_device_malloc(bytes, alignment) */
static const struct insn *call_malloc(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        uint64_t align = ci->nargs >= 2 ? builtin_argument(w, ci, 1, i) : 16;
        if (!align || align & (align - 1))
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "__nv_aligned_device_malloc: an alignment of %llu, which is no "
                              "power of two",
                              (unsigned long long)align);
        builtin_return(w, ci, i,
                       heap_memory(w, ci->nargs ? builtin_argument(w, ci, 0, i) : 0, align));
    }
    return in + 1;
}
static const struct insn *call_free(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        uint64_t a = ci->nargs ? builtin_argument(w, ci, 0, i) : 0;
        if (!a)
            continue;
        if (!builtin_free(a))
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "free(0x%llx): not an address that malloc() in a kernel returned, "
                              "or freed already",
                              (unsigned long long)a);
    }
    return in + 1;
}

/* ---- cudaGraphSetConditional: (handle, value) ---- */
static const struct insn *call_set_conditional(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        uint64_t handle = ci->nargs >= 2 ? builtin_argument(w, ci, 0, i) : 0;
        uint32_t *value = w->block->launch->graph_run ? builtin_condition(handle) : NULL;
        if (!value)
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "cudaGraphSetConditional(0x%llx): not a handle of a graph that "
                              "runs",
                              (unsigned long long)handle);
        __atomic_store_n(value, (uint32_t)builtin_argument(w, ci, 1, i), __ATOMIC_RELAXED);
    }
    return in + 1;
}
uint32_t *builtin_condition(uint64_t handle)
{
    const struct mem_alloc *a = mem_find(handle);
    bool is_one = a && a->addr == handle && a->kind == MEM_WORKSPACE && a->label &&
                  !strcmp(a->label, CONDITION_LABEL);
    return is_one ? (uint32_t *)a->host : NULL;
}

const struct insn *warp_call_builtin(struct warp *w, const struct insn *in)
{
    w->worker->steps += (uint64_t)__builtin_popcount(w->mask) * BUILTIN_STEPS;
    switch (((const struct call_info *)in->data)->builtin) {
    case CALL_VPRINTF:
        return builtin_printf(w, in);
    case CALL_ASSERTFAIL:
        return call_assert(w, in);
    case CALL_MALLOC:
        return call_malloc(w, in);
    case CALL_DEVICE:
        return warp_call_device(w, in);
    case CALL_SET_CONDITIONAL:
        return call_set_conditional(w, in);
    default:
        return call_free(w, in);
    }
}

/* ---- texts that kernels may read ---- */
uint64_t builtin_text(const char *s)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct known {
        struct known *next;
        const char *text;
        uint64_t at;
    } * all;
    pthread_mutex_lock(&lock);
    struct known *k = all;
    while (k && strcmp(k->text, s) != 0)
        k = k->next;
    struct mem_alloc *a = k ? NULL : mem_alloc(strlen(s) + 1, 256, MEM_WORKSPACE, NULL);
    if (a) {
        k = xmalloc(sizeof(*k));
        *k = (struct known){all, xstrdup(s), a->addr};
        memcpy(a->host, s, strlen(s) + 1);
        all = k;
    }
    pthread_mutex_unlock(&lock);
    return k ? k->at : 0;
}

/* ---- limits ---- */
static atomic_uint used[MEM_DEVICES];
static _Atomic uint64_t printf_limit[MEM_DEVICES]; /* 0: none was set */

void builtin_used(unsigned device, unsigned uses)
{
    if (uses & ~used[device])
        atomic_fetch_or(&used[device], uses);
    if (printf_limit[device]) /* the buffer is a launch's, one at a time */
        printf_set_limit(printf_limit[device]);
}
bool builtin_heap_limit(unsigned device, uint64_t bytes)
{
    if (used[device] & USES_HEAP)
        return false;
    mem_set_heap_limit(device, bytes);
    return true;
}
bool builtin_printf_limit(unsigned device, uint64_t bytes)
{
    if (used[device] & USES_PRINTF)
        return false;
    printf_limit[device] = bytes;
    return true;
}
void builtin_reset(unsigned device)
{
    used[device] = 0;
}
