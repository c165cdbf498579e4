/* builtin.c - functions a kernel calls that no PTX defines: printf, assert, malloc, free. */
#include "exec.h"
#include "mem.h"
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct insn *warp_call_builtin(struct warp *w, const struct insn *in);

#define PRINTF_LIMIT (64u << 20) /* bytes of output a process may print from kernels */

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t printed;

/* ---- reading a lane's memory through generic addresses ---- */
static bool read_bytes(struct warp *w, int lane, uint64_t a, void *out, uint32_t n)
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
static bool read_string(struct warp *w, int lane, uint64_t a, char *out, size_t size)
{
    for (size_t k = 0; k + 1 < size; k++) {
        if (!read_bytes(w, lane, a + k, &out[k], 1))
            return false;
        if (!out[k])
            return true;
    }
    out[size - 1] = 0;
    return true;
}
static uint64_t argument(struct warp *w, const struct call_info *ci, uint32_t k, int lane)
{
    const struct param_place *p = &ci->args[k];
    const uint32_t *rows = (const uint32_t *)(w->base[SEL_REG] + p->offset);
    uint64_t v = rows[lane];
    if (p->var->size == 8)
        v |= (uint64_t)rows[WARP + lane] << 32;
    return v;
}
static void give_back(struct warp *w, const struct call_info *ci, int lane, uint64_t v)
{
    if (!ci->nrets)
        return;
    uint32_t *rows = (uint32_t *)(w->base[SEL_REG] + ci->rets[0].offset);
    rows[lane] = (uint32_t)v;
    if (ci->rets[0].var->size == 8)
        rows[WARP + lane] = (uint32_t)(v >> 32);
}

/* ---- printf ---- */
struct text {
    char *at;
    size_t n, size;
};
static void put(struct text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->size) {
        t->size = 2 * (t->n + n + 1);
        t->at = xrealloc(t->at, t->size);
    }
    memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = 0;
}
/* One conversion, "%…x": its argument is read at *args, 8 bytes for 64-bit ones and floats. */
static bool convert(struct warp *w, int lane, const char *spec, size_t n, uint64_t *args,
                    struct text *out)
{
    char form[40], line[1100];
    char conv = spec[n - 1];
    int longs = 0;
    size_t m = 0;
    int stars[2], nstars = 0;
    for (size_t k = 0; k < n - 1 && m < 24; k++) {
        if (spec[k] == 'l')
            longs++;
        else if (spec[k] == '*' && nstars < 2) {
            if (!read_bytes(w, lane, *args, &stars[nstars], 4))
                return false;
            *args += 4;
            stars[nstars] = stars[nstars] > 1000    ? 1000
                            : stars[nstars] < -1000 ? -1000
                                                    : stars[nstars];
            m += (size_t)snprintf(form + m, sizeof(form) - m, "%d", stars[nstars++]);
        } else if (!strchr("hjztL", spec[k]))
            form[m++] = spec[k];
        else if (spec[k] != 'h')
            longs = 1;
    }
    uint64_t v = 0;
    bool wide = longs || strchr("fFeEgGaAps", conv);
    *args = ROUND_UP(*args, (uint64_t)(wide ? 8 : 4));
    if (!read_bytes(w, lane, *args, &v, wide ? 8 : 4))
        return false;
    *args += wide ? 8 : 4;
    int got = 0;
    if (strchr("fFeEgGaA", conv)) {
        double d;
        memcpy(&d, &v, 8);
        snprintf(form + m, sizeof(form) - m, "%c", conv);
        got = snprintf(line, sizeof(line), form, d);
    } else if (conv == 's') {
        char s[1024];
        if (!read_string(w, lane, v, s, sizeof(s)))
            return false;
        snprintf(form + m, sizeof(form) - m, "s");
        got = snprintf(line, sizeof(line), form, s);
    } else if (conv == 'p') {
        got = snprintf(line, sizeof(line), "0x%llx", (unsigned long long)v);
    } else if (strchr("di", conv)) {
        snprintf(form + m, sizeof(form) - m, "ll%c", conv);
        got = snprintf(line, sizeof(line), form, wide ? (long long)v : (long long)(int32_t)v);
    } else if (conv == 'c') {
        snprintf(form + m, sizeof(form) - m, "c");
        got = snprintf(line, sizeof(line), form, (int)v);
    } else {
        snprintf(form + m, sizeof(form) - m, "ll%c", conv);
        got = snprintf(line, sizeof(line), form, (unsigned long long)v);
    }
    if (got > 0)
        put(out, line, (size_t)got < sizeof(line) ? (size_t)got : sizeof(line) - 1);
    return true;
}
static int format_lane(struct warp *w, int lane, uint64_t format, uint64_t args, struct text *out)
{
    char f[4096];
    int n = 0;
    if (!read_string(w, lane, format, f, sizeof(f)))
        return -1;
    for (const char *p = f; *p;) {
        if (*p != '%') {
            put(out, p++, 1);
            continue;
        }
        if (p[1] == '%') {
            put(out, p, 1);
            p += 2;
            continue;
        }
        size_t k = 1;
        while (p[k] && strchr("-+ #0123456789.*hlLjzt", p[k]))
            k++;
        if (!p[k] || !strchr("diouxXfFeEgGaAcsp", p[k]) || k > 20) {
            put(out, p++, 1); /* as printed by a GPU: left as it is */
            continue;
        }
        if (!convert(w, lane, p, k + 1, &args, out))
            return -1;
        n++;
        p += k + 1;
    }
    return n;
}
static const struct insn *call_printf(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    struct text t = {0};
    if (ci->nargs < 2)
        return warp_fault(w, in, -1, cudaErrorInvalidPc, "vprintf takes two arguments");
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        int n = format_lane(w, i, argument(w, ci, 0, i), argument(w, ci, 1, i), &t);
        if (n < 0) {
            free(t.at);
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "printf: the format or an argument is at an illegal address");
        }
        give_back(w, ci, i, (uint64_t)n);
    }
    pthread_mutex_lock(&output_lock);
    if (t.n && printed < PRINTF_LIMIT) {
        fwrite(t.at, 1, t.n, stdout);
        printed += t.n;
        if (printed >= PRINTF_LIMIT) {
            fflush(stdout);
            fprintf(stderr, "warplab: kernels have printed %u MiB; the rest is dropped\n",
                    PRINTF_LIMIT >> 20);
        }
    }
    pthread_mutex_unlock(&output_lock);
    free(t.at);
    return in + 1;
}

/* ---- assert: (message, file, line, function, char size) ---- */
static const struct insn *call_assert(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    int lane = __builtin_ctz(w->mask);
    char message[400] = "?", file[400] = "?", function[200] = "?";
    if (ci->nargs >= 4) {
        read_string(w, lane, argument(w, ci, 0, lane), message, sizeof(message));
        read_string(w, lane, argument(w, ci, 1, lane), file, sizeof(file));
        read_string(w, lane, argument(w, ci, 3, lane), function, sizeof(function));
    }
    return warp_fault(w, in, lane, cudaErrorAssert, "%s:%u: %s: assertion `%s' failed", file,
                      ci->nargs >= 3 ? (unsigned)argument(w, ci, 2, lane) : 0, function, message);
}

/* ---- the device heap ---- */
static const struct insn *call_malloc(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        uint64_t n = ci->nargs ? argument(w, ci, 0, i) : 0;
        struct mem_alloc *a = n ? mem_alloc(n, 16, MEM_HEAP, NULL) : NULL;
        give_back(w, ci, i, a ? a->addr : 0);
    }
    return in + 1;
}
static const struct insn *call_free(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        uint64_t a = ci->nargs ? argument(w, ci, 0, i) : 0;
        if (!a)
            continue;
        const struct mem_alloc *m = mem_find(a);
        if (!m || m->addr != a || m->kind != MEM_HEAP || !mem_free(a))
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "free(0x%llx): not an address that malloc() in a kernel returned, "
                              "or freed already",
                              (unsigned long long)a);
    }
    return in + 1;
}

const struct insn *warp_call_builtin(struct warp *w, const struct insn *in)
{
    switch (((const struct call_info *)in->data)->builtin) {
    case CALL_VPRINTF:
        return call_printf(w, in);
    case CALL_ASSERTFAIL:
        return call_assert(w, in);
    case CALL_MALLOC:
        return call_malloc(w, in);
    default:
        return call_free(w, in);
    }
}
