/* printf.c - printf in kernels: formatting, and the buffer it goes through.
 *
 * As on a GPU, output is kept in a circular buffer of cudaLimitPrintfFifoSize bytes and comes
 * out when the launch is over; when a launch writes more, the oldest is lost, and a line on
 * stderr says how much. A call takes 16 bytes of the buffer and 8 an argument (an assumption:
 * a GPU's record is not documented); its text is made at once, so that strings are what they
 * were at the call.
 */
#include "builtin.h"
#include "emulator/check/check.h"
#include "emulator/base/source.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED_MOST (64u << 20) /* bytes of text a process may print from kernels */

struct record {
    uint64_t bytes; /* of the circular buffer */
    char *text;
    size_t length;
    struct record *next;
};
static struct {
    pthread_mutex_t lock;
    struct record *oldest, *newest;
    uint64_t limit, used, text, calls, lost;
    uint64_t printed; /* by the process */
} fifo = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 1 << 20};

struct text {
    char *at;
    size_t n, size;
    uint64_t unreadable; /* where it ended early */
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
/* An argument as wide as the conversion says: "h" 2 bytes, "hh" one. */
static long long narrowed(uint64_t v, bool is_signed, int halves, bool wide)
{
    unsigned drop = wide ? 0 : halves == 0 ? 32 : halves == 1 ? 48 : 56;
    return is_signed ? (int64_t)(v << drop) >> drop : (int64_t)(v << drop >> drop);
}
/* One conversion, "%…x": its argument is read at *args, 8 bytes for 64-bit ones and floats. */
static bool convert(struct warp *w, int lane, const char *spec, size_t n, uint64_t *args,
                    struct text *out)
{
    char form[40], line[1100];
    char conv = spec[n - 1];
    int longs = 0, halves = 0;
    size_t m = 0;
    int stars[2], nstars = 0, digits = 0;
    for (size_t k = 0; k < n - 1 && m < 24; k++) {
        digits = strchr("0123456789", spec[k]) ? digits + 1 : 0;
        if (digits > 4) /* wider than a line is in any case */
            continue;
        if (spec[k] == 'l')
            longs++;
        else if (spec[k] == '*' && nstars < 2) {
            out->unreadable = *args;
            if (!builtin_read(w, lane, *args, &stars[nstars], 4))
                return false;
            *args += 4;
            stars[nstars] = stars[nstars] > 1000    ? 1000
                            : stars[nstars] < -1000 ? -1000
                                                    : stars[nstars];
            m += (size_t)snprintf(form + m, sizeof(form) - m, "%d", stars[nstars++]);
        } else if (!strchr("hjztL", spec[k]))
            form[m++] = spec[k];
        else if (spec[k] == 'h')
            halves++;
        else
            longs = 1;
    }
    uint64_t v = 0;
    bool wide = longs || strchr("fFeEgGaAps", conv);
    *args = ROUND_UP(*args, (uint64_t)(wide ? 8 : 4));
    out->unreadable = *args;
    if (!builtin_read(w, lane, *args, &v, wide ? 8 : 4))
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
        out->unreadable = v;
        if (!builtin_string(w, lane, v, s, sizeof(s)))
            return false;
        snprintf(form + m, sizeof(form) - m, "s");
        got = snprintf(line, sizeof(line), form, s);
    } else if (conv == 'p') {
        got = snprintf(line, sizeof(line), "0x%llx", (unsigned long long)v);
    } else if (strchr("di", conv)) {
        snprintf(form + m, sizeof(form) - m, "ll%c", conv);
        got = snprintf(line, sizeof(line), form, narrowed(v, true, halves, wide));
    } else if (conv == 'c') {
        snprintf(form + m, sizeof(form) - m, "c");
        got = snprintf(line, sizeof(line), form, (int)v);
    } else {
        snprintf(form + m, sizeof(form) - m, "ll%c", conv);
        got = snprintf(line, sizeof(line), form, narrowed(v, false, halves, wide));
    }
    if (got > 0)
        put(out, line, (size_t)got < sizeof(line) ? (size_t)got : sizeof(line) - 1);
    return true;
}
static int format_lane(struct warp *w, int lane, uint64_t format, uint64_t args, struct text *out)
{
    char f[4096];
    int n = 0;
    out->unreadable = format;
    if (!builtin_string(w, lane, format, f, sizeof(f)))
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

/* ---- the buffer ---- */

void printf_set_limit(uint64_t bytes)
{
    fifo.limit = bytes;
}

static void drop_oldest(void)
{
    struct record *r = fifo.oldest;
    fifo.oldest = r->next;
    fifo.used -= r->bytes;
    fifo.text -= r->length;
    free(r->text);
    free(r);
}

/* Takes over the text. */
static void keep(struct text *t, int nargs)
{
    struct record *r = xmalloc(sizeof(*r));
    *r = (struct record){16 + 8 * (uint64_t)nargs, t->at, t->n, NULL};
    pthread_mutex_lock(&fifo.lock);
    fifo.calls++;
    if (fifo.oldest)
        fifo.newest->next = r;
    else
        fifo.oldest = r;
    fifo.newest = r;
    fifo.used += r->bytes;
    fifo.text += r->length;
    while (fifo.oldest && (fifo.used > fifo.limit || fifo.text > PRINTED_MOST)) {
        drop_oldest();
        fifo.lost++;
    }
    pthread_mutex_unlock(&fifo.lock);
}

const struct insn *builtin_printf(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    if (ci->nargs < 2)
        return warp_fault(w, in, -1, cudaErrorInvalidPc, "vprintf takes two arguments");
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        struct text t = {0};
        int n = format_lane(w, i, builtin_argument(w, ci, 0, i), builtin_argument(w, ci, 1, i), &t);
        if (n < 0) {
            char where[300];
            free(t.at);
            check_describe_address(t.unreadable, where, sizeof(where));
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "printf: the format or a string is at 0x%llx, %s",
                              (unsigned long long)t.unreadable, where);
        }
        keep(&t, n);
        builtin_return(w, ci, i, (uint64_t)n);
    }
    return in + 1;
}

static void print(const struct record *r)
{
    if (fifo.printed >= PRINTED_MOST)
        return;
    fwrite(r->text, 1, r->length, stdout);
    fifo.printed += r->length;
    if (fifo.printed < PRINTED_MOST)
        return;
    fflush(stdout);
    fprintf(stderr, "warplab: kernels have printed %u MiB; the rest is left out\n",
            PRINTED_MOST >> 20);
}

void printf_flush(const char *kernel)
{
    pthread_mutex_lock(&fifo.lock);
    if (fifo.lost)
        fprintf(stderr,
                "warplab: kernel %s: printf's buffer holds %llu bytes: of %llu calls the oldest "
                "%llu are lost, as on a GPU; cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes) "
                "before the first launch makes it larger\n",
                shown_name(kernel), (unsigned long long)fifo.limit, (unsigned long long)fifo.calls,
                (unsigned long long)fifo.lost);
    while (fifo.oldest) {
        print(fifo.oldest);
        drop_oldest();
    }
    fifo.calls = fifo.lost = 0;
    pthread_mutex_unlock(&fifo.lock);
}
