/* printf.c - printf in kernels: formatting, and the buffer it goes through.
 *
 * As on a GPU, output is kept in a circular buffer of cudaLimitPrintfFifoSize bytes and comes
 * out when the launch is over; when a launch writes more, the oldest is lost, and a line on
 * stderr says how much. A call takes 16 bytes of the buffer and 8 an argument (an assumption:
 * a GPU's record is not documented); its text is made at once, so that strings are what they
 * were at the call.
 */
#include "builtin.h"
#include "emulator/base/describe.h"
#include "emulator/base/names.h"
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

struct output {
    struct text text;
    uint64_t unreadable; /* where it ended early */
    bool argument;       /* there an argument should be */
};

/* ---- one conversion, "%…x" ---- */
struct conversion {
    char kind;
    char form[40]; /* for the host's printf, without the kind: flags, width, precision */
    size_t length; /* of form */
    int longs, halves;
};
/* An argument as wide as the conversion says: "h" 2 bytes, "hh" one. */
static long long narrowed(const struct conversion *c, uint64_t v, bool is_signed)
{
    unsigned drop = c->longs ? 0 : c->halves == 0 ? 32 : c->halves == 1 ? 48 : 56;
    return is_signed ? (int64_t)(v << drop) >> drop : (int64_t)(v << drop >> drop);
}
static bool read_argument(struct warp *w, int lane, uint64_t *args, void *v, uint32_t bytes,
                          struct output *out)
{
    *args = ROUND_UP(*args, (uint64_t)bytes);
    out->unreadable = *args;
    out->argument = true;
    if (!builtin_read(w, lane, *args, v, bytes))
        return false;
    out->argument = false;
    *args += bytes;
    return true;
}
/* A '*': the width or precision is an argument. */
static bool read_star(struct warp *w, int lane, uint64_t *args, struct conversion *c,
                      struct output *out)
{
    int n;
    if (!read_argument(w, lane, args, &n, 4, out))
        return false;
    n = n > 1000 ? 1000 : n < -1000 ? -1000 : n;
    c->length += (size_t)snprintf(c->form + c->length, sizeof(c->form) - c->length, "%d", n);
    return true;
}
static bool read_form(struct warp *w, int lane, const char *spec, size_t n, uint64_t *args,
                      struct conversion *c, struct output *out)
{
    int stars = 0, digits = 0;
    for (size_t k = 0; k < n - 1 && c->length < 24; k++) {
        digits = strchr("0123456789", spec[k]) ? digits + 1 : 0;
        if (digits > 4) /* wider than anybody wants a line */
            continue;
        if (spec[k] == '*' && stars++ < 2) {
            if (!read_star(w, lane, args, c, out))
                return false;
        } else if (spec[k] == 'l') {
            c->longs++;
        } else if (spec[k] == 'h') {
            c->halves++;
        } else if (strchr("jztL", spec[k])) {
            c->longs = 1;
        } else {
            c->form[c->length++] = spec[k];
        }
    }
    return true;
}
static const char *form_with(struct conversion *c, const char *kind)
{
    snprintf(c->form + c->length, sizeof(c->form) - c->length, "%s%c", kind, c->kind);
    return c->form;
}
static bool put_string(struct warp *w, int lane, uint64_t at, struct conversion *c,
                       struct output *out)
{
    struct text s = {0};
    out->unreadable = at;
    bool there = builtin_string(w, lane, at, &s);
    if (there)
        text_addf(&out->text, form_with(c, ""), text_str(&s));
    text_free(&s);
    return there;
}
static void put_number(struct conversion *c, uint64_t v, struct output *out)
{
    double d;
    memcpy(&d, &v, 8);
    if (strchr("fFeEgGaA", c->kind))
        text_addf(&out->text, form_with(c, ""), d);
    else if (c->kind == 'p')
        text_addf(&out->text, "0x%llx", (unsigned long long)v);
    else if (c->kind == 'c')
        text_addf(&out->text, form_with(c, ""), (int)v);
    else
        text_addf(&out->text, form_with(c, "ll"), narrowed(c, v, strchr("di", c->kind)));
}
/* Its argument is read at *args, 8 bytes for 64-bit ones and floats. */
static bool convert(struct warp *w, int lane, const char *spec, size_t n, uint64_t *args,
                    struct output *out)
{
    struct conversion c = {.kind = spec[n - 1]};
    uint64_t v = 0;
    if (!read_form(w, lane, spec, n, args, &c, out))
        return false;
    bool wide = c.longs || strchr("fFeEgGaAps", c.kind);
    if (!read_argument(w, lane, args, &v, wide ? 8 : 4, out))
        return false;
    if (c.kind == 's')
        return put_string(w, lane, v, &c, out);
    put_number(&c, v, out);
    return true;
}

/* ---- a call ---- */

/* Characters of a conversion at p, "%…x"; 0: it is none, and a GPU prints it as it is. */
static size_t conversion_length(const char *p)
{
    size_t k = 1;
    while (p[k] && strchr("-+ #0123456789.*hlLjzt", p[k]))
        k++;
    return p[k] && strchr("diouxXfFeEgGaAcsp", p[k]) && k <= 20 ? k + 1 : 0;
}
/* Arguments converted; -1: out->unreadable could not be read. */
static int format_all(struct warp *w, int lane, const char *p, uint64_t args, struct output *out)
{
    int n = 0;
    while (*p) {
        size_t plain = strcspn(p, "%"), length;
        text_bytes(&out->text, p, plain);
        p += plain;
        if (!*p)
            break;
        length = p[1] == '%' ? 0 : conversion_length(p);
        if (!length) {
            text_bytes(&out->text, p, 1);
            p += p[1] == '%' ? 2 : 1;
            continue;
        }
        if (!convert(w, lane, p, length, &args, out))
            return -1;
        n++;
        p += length;
    }
    return n;
}
static int format_lane(struct warp *w, int lane, uint64_t format, uint64_t args, struct output *out)
{
    struct text f = {0};
    out->unreadable = format;
    int n = builtin_string(w, lane, format, &f) ? format_all(w, lane, text_str(&f), args, out) : -1;
    text_free(&f);
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
    *r = (struct record){.bytes = 16 + 8 * (uint64_t)nargs, .length = t->length};
    r->text = text_take(t);
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

static const struct insn *unreadable(struct warp *w, const struct insn *in, int lane,
                                     struct output *out)
{
    struct text where = {0};
    mem_describe(&where, out->unreadable);
    warp_fault(w, in, lane, cudaErrorIllegalAddress, "printf: %s is at 0x%llx, %s%s",
               out->argument ? "an argument that the format asks for" : "the format or a string",
               (unsigned long long)out->unreadable, text_str(&where),
               out->argument ? ": were as many given? A percent sign is %%" : "");
    text_free(&where);
    text_free(&out->text);
    return NULL;
}
/* A limit on steps is there to end what takes too long. */
enum { CHARACTERS_A_STEP = 8 };
const struct insn *builtin_printf(struct warp *w, const struct insn *in)
{
    const struct call_info *ci = in->data;
    if (ci->nargs < 2)
        return warp_fault(w, in, -1, cudaErrorInvalidPc, "vprintf takes two arguments");
    for (int i = 0; i < WARP; i++) {
        if (!(w->mask >> i & 1))
            continue;
        struct output out = {0};
        int n =
            format_lane(w, i, builtin_argument(w, ci, 0, i), builtin_argument(w, ci, 1, i), &out);
        if (n < 0)
            return unreadable(w, in, i, &out);
        w->worker->steps += out.text.length / CHARACTERS_A_STEP;
        keep(&out.text, n);
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
