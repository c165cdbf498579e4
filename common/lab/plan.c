/* plan.c - checks launch plans, and writes and reads them as bytes (plan.h). */
#include "plan.h"
#include "base/alloc.h"
#include "tensor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC      "WLPLAN"
#define NAME_BYTES 64
#define HEAD_BYTES (6 + 2 + 4 * 6 + 8 + 8)
#define BUF_BYTES  (2 * NAME_BYTES + 4 + 4 + 8)
#define ARG_BYTES  (4 + 4 + 8 + 8)
#define STEP_BYTES (NAME_BYTES + 4 + 4 * 7 + 4 + ARG_BYTES * LAB_MAX_ARGS)
#define OP_BYTES   (4 * 5 + 8 + 8)

_Static_assert(HEAD_BYTES + LAB_MAX_BUFFERS * BUF_BYTES + LAB_MAX_STEPS * STEP_BYTES +
                       LAB_MAX_OPS * OP_BYTES + 3 <=
                   PLAN_MAX_PACKED,
               "PLAN_MAX_PACKED");

/* ---- checking ---- */

/* A reason that fills its room may have been longer: it ends in "…" then. */
static void mark_cut(char *err, size_t errsize)
{
    static const char mark[] = "…";
    size_t n = strnlen(err, errsize);

    if (n + 1 < errsize || n < sizeof(mark))
        return;
    n -= sizeof(mark) - 1;
    while (n && ((unsigned char)err[n] & 0xc0) == 0x80) /* not within a character */
        n--;
    memcpy(err + n, mark, sizeof(mark));
}

static bool complain(char *err, size_t errsize, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(char *err, size_t errsize, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(err, errsize, format, ap);
    va_end(ap);
    mark_cut(err, errsize);
    return false;
}

static bool is_identifier(const char *s, size_t capacity)
{
    size_t n = strnlen(s, capacity);

    if (!n || n == capacity || isdigit((unsigned char)s[0]))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)s[i]) && s[i] != '_')
            return false;
    }
    return true;
}

static bool check_buffer(const struct lab_buffer *b, int i, char *err, size_t n)
{
    if (!is_identifier(b->name, sizeof(b->name)))
        return complain(err, n, "plan: buffer %d: its name is no C identifier of 1 to %zu letters",
                        i, sizeof(b->name) - 1);
    if ((unsigned)b->dtype >= DT_COUNT)
        return complain(err, n, "plan: buffer %d has no known element type", i);
    if ((unsigned)b->role > BUF_SCRATCH)
        return complain(err, n, "plan: buffer %d is neither input, output nor scratch", i);
    if (b->count > PLAN_MAX_BYTES / dtype_size(b->dtype))
        return complain(err, n, "plan: buffer %d has %llu elements, too many", i,
                        (unsigned long long)b->count);
    if (b->symbol[0] && (!is_identifier(b->symbol, sizeof(b->symbol)) || b->role != BUF_INPUT))
        return complain(err, n, "plan: buffer %d: a variable must be a named input", i);
    return true;
}

static bool check_arg(const struct plan *p, const struct plan_arg *a, int step, int i, char *err,
                      size_t n)
{
    if ((unsigned)a->kind > ARG_TENSOR)
        return complain(err, n, "plan: step %d, argument %d has no known kind", step, i);
    if (a->kind != ARG_BUFFER && a->kind != ARG_TENSOR)
        return true;
    if (a->buffer < 0 || a->buffer >= p->nbuffers)
        return complain(err, n, "plan: step %d, argument %d: there is no buffer %d", step, i,
                        a->buffer);
    if (p->buffers[a->buffer].symbol[0])
        return complain(err, n, "plan: step %d, argument %d: a variable is no argument", step, i);
    if (a->kind == ARG_TENSOR)
        return tensor_check(p, step, i, err, n);
    if (a->offset > p->buffers[a->buffer].count)
        return complain(err, n, "plan: step %d, argument %d starts past the end of its buffer",
                        step, i);
    return true;
}

static bool check_shape(const struct plan_step *s, int i, const struct device_limits *d, char *err,
                        size_t n)
{
    uint64_t threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
    uint32_t limit = d ? d->max_threads_per_block : 1024;

    for (int axis = 0; axis < 3; axis++) {
        if (!s->grid[axis] || !s->block[axis])
            return complain(err, n, "plan: step %d (%s) has a grid or block of 0", i, s->kernel);
        if (s->block[axis] > limit || s->grid[axis] > (axis ? 65535u : 0x7fffffffu))
            return complain(err, n, "plan: step %d (%s): grid %u×%u×%u, block %u×%u×%u too large",
                            i, s->kernel, s->grid[0], s->grid[1], s->grid[2], s->block[0],
                            s->block[1], s->block[2]);
    }
    if (threads > limit)
        return complain(err, n, "%s: %llu threads a block; the device allows %u", s->kernel,
                        (unsigned long long)threads, limit);
    return true;
}

/* Numbers an element has on either side, and whether only half of them are there. */
static const struct transform {
    const char *call;
    uint32_t in, out;
    bool half_in, half_out;
} transforms[] = {
    {"cufftExecC2C", 2, 2, false, false},
    {"cufftExecR2C", 1, 2, false, true},
    {"cufftExecC2R", 2, 1, true, false},
};

static const struct transform *transform_of(const struct plan_step *s)
{
    for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
        if (!strcmp(transforms[i].call, s->kernel))
            return &transforms[i];
    }
    return NULL;
}

/* Is there room for a transform's side in its buffer? */
static bool has_room(const struct plan *p, const struct plan_step *s, enum fft_arg side,
                     uint32_t numbers, bool half)
{
    const struct lab_buffer *b = &p->buffers[s->args[side].buffer];
    uint64_t columns = s->args[FFT_COLUMNS].v.u32;

    return b->dtype == DT_F32 && s->args[side].offset == 0 &&
           b->count >= numbers * s->args[FFT_ROWS].v.u32 * (half ? columns / 2 + 1 : columns);
}

static bool check_fft(const struct plan *p, int i, char *err, size_t n)
{
    static const enum arg_kind kinds[FFT_ARGS] = {ARG_BUFFER, ARG_BUFFER, ARG_U32, ARG_U32,
                                                  ARG_I32};
    const struct plan_step *s = &p->steps[i];
    const struct transform *t = transform_of(s);

    if (!t || s->nargs != FFT_ARGS)
        return complain(err, n, "plan: step %d is no transform of cuFFT's", i);
    for (int a = 0; a < FFT_ARGS; a++) {
        if (s->args[a].kind != kinds[a])
            return complain(err, n, "plan: step %d, argument %d is not of its kind", i, a);
    }
    uint32_t rows = s->args[FFT_ROWS].v.u32, columns = s->args[FFT_COLUMNS].v.u32;
    int direction = s->args[FFT_DIRECTION].v.i32;
    if (!rows || !columns)
        return complain(err, n, "%s: cuFFT refuses a plane of %u × %u: there is no element in it",
                        s->kernel, rows, columns);
    if (rows > 1 << 24 || columns > 1 << 24 || (direction != -1 && direction != 1) ||
        (t->in != t->out && s->args[FFT_IN].buffer == s->args[FFT_OUT].buffer) ||
        !has_room(p, s, FFT_IN, t->in, t->half_in) || !has_room(p, s, FFT_OUT, t->out, t->half_out))
        return complain(err, n, "plan: step %d: %s of %u × %u does not fit its buffers", i,
                        s->kernel, rows, columns);
    return true;
}

static bool check_op(const struct plan *p, int i, char *err, size_t n)
{
    const struct plan_op *o = &p->ops[i];
    bool copies = o->kind == OP_COPY_IN || o->kind == OP_COPY_OUT;
    bool moves = copies || o->kind == OP_SUM || o->kind == OP_FETCH;

    if ((unsigned)o->kind > OP_FETCH || o->stream >= SCHEDULE_STREAMS ||
        o->event >= SCHEDULE_EVENTS)
        return complain(err, n, "plan: operation %d has no known kind, stream or event", i);
    if (o->rank >= (p->ranks > 1 ? (uint32_t)p->ranks : 1))
        return complain(err, n, "plan: operation %d: there is no rank %u", i, o->rank);
    if (o->kind == OP_LAUNCH && (o->index < 0 || o->index >= p->nsteps))
        return complain(err, n, "plan: operation %d: there is no step %d", i, o->index);
    if (copies && p->memory == RESIDENT)
        return complain(err, n, "plan: operation %d copies what lies on the device", i);
    if (!moves)
        return true;
    if (o->index < 0 || o->index >= p->nbuffers || p->buffers[o->index].symbol[0])
        return complain(err, n, "plan: operation %d: buffer %d cannot be moved", i, o->index);
    if (o->offset > p->buffers[o->index].count || o->count > p->buffers[o->index].count - o->offset)
        return complain(err, n, "plan: operation %d goes past the end of its buffer", i);
    return true;
}

/* Each has its own copy of the inputs, and nobody fills variables of the module on all devices. */
static bool check_ranks(const struct plan *p, char *err, size_t n)
{
    if (p->ranks < 0 || p->ranks > LAB_MAX_RANKS)
        return complain(err, n, "plan: %d ranks; at most %d", p->ranks, LAB_MAX_RANKS);
    if (p->ranks < 2)
        return true;
    if (p->memory != PAGEABLE && p->memory != PINNED && p->memory != RESIDENT)
        return complain(err, n, "plan: %d ranks on memory of kind %d, which all of them share",
                        p->ranks, p->memory);
    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].symbol[0])
            return complain(err, n, "plan: a variable, and %d ranks", p->ranks);
    }
    for (int i = 0; i < p->nsteps; i++) {
        if (p->steps[i].kind != STEP_KERNEL)
            return complain(err, n, "plan: a transform, and %d ranks", p->ranks);
    }
    return true;
}

static bool check_ops(const struct plan *p, char *err, size_t n)
{
    if ((unsigned)p->memory >= HOST_MEMORIES || p->nops < 0 || p->nops > LAB_MAX_OPS ||
        (p->nops && !p->memory))
        return complain(err, n, "plan: %d operations on memory of kind %d", p->nops, p->memory);
    for (int i = 0; i < p->nops; i++) {
        if (!check_op(p, i, err, n))
            return false;
    }
    return check_ranks(p, err, n);
}

bool plan_check(const struct plan *p, const struct device_limits *d, char *err, size_t errsize)
{
    if (p->nbuffers < 0 || p->nbuffers > LAB_MAX_BUFFERS)
        return complain(err, errsize, "plan: %d buffers; at most %d", p->nbuffers, LAB_MAX_BUFFERS);
    if (p->nsteps < 0 || p->nsteps > LAB_MAX_STEPS)
        return complain(err, errsize, "plan: %d steps; at most %d", p->nsteps, LAB_MAX_STEPS);
    for (int i = 0; i < p->nbuffers; i++) {
        if (!check_buffer(&p->buffers[i], i, err, errsize))
            return false;
    }
    for (int i = 0; i < p->nsteps; i++) {
        const struct plan_step *s = &p->steps[i];

        if (!is_identifier(s->kernel, sizeof(s->kernel)))
            return complain(err, errsize,
                            "plan: step %d: its kernel is no C identifier of 1 to %zu letters", i,
                            sizeof(s->kernel) - 1);
        if (s->nargs < 0 || s->nargs > LAB_MAX_ARGS)
            return complain(err, errsize, "plan: step %d has %d arguments; at most %d", i, s->nargs,
                            LAB_MAX_ARGS);
        if ((unsigned)s->kind > STEP_FFT)
            return complain(err, errsize, "plan: step %d is of no known kind", i);
        if (s->kind == STEP_KERNEL && !check_shape(s, i, d, err, errsize))
            return false;
        for (int a = 0; a < s->nargs; a++) {
            if (!check_arg(p, &s->args[a], i, a, err, errsize))
                return false;
        }
        if (s->kind == STEP_FFT && !check_fft(p, i, err, errsize))
            return false;
    }
    return check_ops(p, err, errsize);
}

/* ---- making ---- */

void lab_name(char *field, size_t size, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (vsnprintf(field, size, format, ap) >= (int)size)
        field[size - 1] = '~';
    va_end(ap);
}

void lab_fft(struct plan *p, const char *call, int in, int out, uint32_t rows, uint32_t columns,
             bool forward)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    *s = (struct plan_step){.kind = STEP_FFT, .nargs = FFT_ARGS};
    lab_name(s->kernel, sizeof(s->kernel), "%s", call);
    s->args[FFT_IN] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = in};
    s->args[FFT_OUT] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = out};
    s->args[FFT_ROWS] = (struct plan_arg){.kind = ARG_U32, .v.u32 = rows};
    s->args[FFT_COLUMNS] = (struct plan_arg){.kind = ARG_U32, .v.u32 = columns};
    s->args[FFT_DIRECTION] = (struct plan_arg){.kind = ARG_I32, .v.i32 = forward ? -1 : 1};
}

bool plan_make(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
               const struct launch_record *r, const struct device_limits *d, struct plan *p,
               char *err, size_t errsize)
{
    struct launch_record used = *r;

    memset(p, 0, sizeof(*p));
    if (c->block)
        used.block_x = c->block;
    if (lab->plan(v, c, &used, d, p, err, errsize) &&
        (!v->has_tensor || tensor_maps(lab, v, c, &used.tensor, p, err, errsize)))
        return plan_check(p, d, err, errsize);
    mark_cut(err, errsize);
    return false;
}

const char *plan_kernel(const struct plan *p)
{
    for (int i = 0; i < p->nsteps; i++) {
        if (p->steps[i].kind == STEP_KERNEL)
            return p->steps[i].kernel;
    }
    return "no kernel";
}

size_t plan_buffer_bytes(const struct plan *p, int b)
{
    return p->buffers[b].count * dtype_size(p->buffers[b].dtype);
}

uint64_t plan_bytes(const struct plan *p)
{
    uint64_t bytes = 0;

    for (int b = 0; b < p->nbuffers; b++)
        bytes += plan_buffer_bytes(p, b);
    return bytes;
}

/* ---- bytes ---- */

static void put(unsigned char **w, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *(*w)++ = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char **r, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t) * (*r)++ << (8 * i);
    return value;
}

static void put_name(unsigned char **w, const char *name)
{
    memset(*w, 0, NAME_BYTES);
    memcpy(*w, name, strnlen(name, NAME_BYTES - 1));
    *w += NAME_BYTES;
}

/* A name longer than its field is cut to nothing, which plan_check() refuses. */
static void get_name(const unsigned char **r, char *name, size_t capacity)
{
    size_t n = strnlen((const char *)*r, NAME_BYTES);

    memset(name, 0, capacity);
    if (n < capacity && n < NAME_BYTES)
        memcpy(name, *r, n);
    *r += NAME_BYTES;
}

static uint64_t double_bits(double d)
{
    uint64_t u;

    memcpy(&u, &d, sizeof(u));
    return u;
}

static double bits_double(uint64_t u)
{
    double d;

    memcpy(&d, &u, sizeof(d));
    return d;
}

static uint64_t arg_bits(const struct plan_arg *a)
{
    static const unsigned char bytes[] = {[ARG_U32] = 4,
                                          [ARG_I32] = 4,
                                          [ARG_U64] = 8,
                                          [ARG_F32] = 4,
                                          [ARG_F64] = 8,
                                          [ARG_BUFFER] = 0,
                                          [ARG_TENSOR] = sizeof(struct plan_box)};
    uint64_t u = 0;

    memcpy(&u, &a->v, bytes[a->kind]);
    return u;
}

static void put_step(unsigned char **w, const struct plan_step *s)
{
    put(w, s->kind, 4);
    put_name(w, s->kernel);
    for (int i = 0; i < 3; i++)
        put(w, s->grid[i], 4);
    for (int i = 0; i < 3; i++)
        put(w, s->block[i], 4);
    put(w, s->shared_bytes, 4);
    put(w, (uint32_t)s->nargs, 4);
    for (int i = 0; i < LAB_MAX_ARGS; i++) {
        struct plan_arg a = i < s->nargs ? s->args[i] : (struct plan_arg){0};

        put(w, a.kind, 4);
        put(w, (uint32_t)a.buffer, 4);
        put(w, a.offset, 8);
        put(w, arg_bits(&a), 8);
    }
}

static void get_step(const unsigned char **r, struct plan_step *s)
{
    s->kind = (enum step_kind)get(r, 4);
    get_name(r, s->kernel, sizeof(s->kernel));
    for (int i = 0; i < 3; i++)
        s->grid[i] = (uint32_t)get(r, 4);
    for (int i = 0; i < 3; i++)
        s->block[i] = (uint32_t)get(r, 4);
    s->shared_bytes = (uint32_t)get(r, 4);
    s->nargs = (int)get(r, 4);
    for (int i = 0; i < LAB_MAX_ARGS; i++) {
        struct plan_arg *a = &s->args[i];

        a->kind = (enum arg_kind)get(r, 4);
        a->buffer = (int)get(r, 4);
        a->offset = get(r, 8);
        uint64_t bits = get(r, 8);
        memcpy(&a->v, &bits, sizeof(bits));
    }
}

static void put_op(unsigned char **w, const struct plan_op *o)
{
    put(w, o->kind, 4);
    put(w, o->stream, 4);
    put(w, o->event, 4);
    put(w, o->rank, 4);
    put(w, (uint32_t)o->index, 4);
    put(w, o->offset, 8);
    put(w, o->count, 8);
}

static void get_op(const unsigned char **r, struct plan_op *o)
{
    o->kind = (enum op_kind)get(r, 4);
    o->stream = (uint32_t)get(r, 4);
    o->event = (uint32_t)get(r, 4);
    o->rank = (uint32_t)get(r, 4);
    o->index = (int)get(r, 4);
    o->offset = get(r, 8);
    o->count = get(r, 8);
}

size_t plan_write(const struct plan *p, unsigned char **out)
{
    size_t size = HEAD_BYTES + (size_t)p->nbuffers * BUF_BYTES + (size_t)p->nsteps * STEP_BYTES +
                  (size_t)p->nops * OP_BYTES + 3;
    unsigned char *w = xzalloc(size);

    *out = w;
    memcpy(w, MAGIC, 6);
    w += 6;
    put(&w, PLAN_VERSION, 2);
    put(&w, (uint32_t)p->nbuffers, 4);
    put(&w, (uint32_t)p->nsteps, 4);
    put(&w, (uint32_t)p->nops, 4);
    put(&w, p->memory, 4);
    put(&w, p->on_chip, 4);
    put(&w, (uint32_t)p->ranks, 4);
    put(&w, double_bits(p->bytes), 8);
    put(&w, double_bits(p->flops), 8);
    for (int i = 0; i < p->nbuffers; i++) {
        put_name(&w, p->buffers[i].name);
        put_name(&w, p->buffers[i].symbol);
        put(&w, p->buffers[i].role, 4);
        put(&w, p->buffers[i].dtype, 4);
        put(&w, p->buffers[i].count, 8);
    }
    for (int i = 0; i < p->nsteps; i++)
        put_step(&w, &p->steps[i]);
    for (int i = 0; i < p->nops; i++)
        put_op(&w, &p->ops[i]);
    memcpy(w, "END", 3);
    return size;
}

static void get_buffer(const unsigned char **r, struct lab_buffer *b)
{
    get_name(r, b->name, sizeof(b->name));
    get_name(r, b->symbol, sizeof(b->symbol));
    b->role = (enum buffer_role)get(r, 4);
    b->dtype = (enum dtype)get(r, 4);
    b->count = get(r, 8);
}

bool plan_read(const void *data, size_t size, struct plan *p, char *err, size_t errsize)
{
    const unsigned char *r = data;

    memset(p, 0, sizeof(*p));
    if (size < HEAD_BYTES + 3 || memcmp(r, MAGIC, 6))
        return complain(err, errsize, "plan: not a launch plan");
    r += 6;
    uint64_t version = get(&r, 2);
    if (version != PLAN_VERSION)
        return complain(err, errsize, "plan: version %llu; this program reads %d",
                        (unsigned long long)version, PLAN_VERSION);
    uint64_t nbuffers = get(&r, 4);
    uint64_t nsteps = get(&r, 4), nops = get(&r, 4);
    if (nbuffers > LAB_MAX_BUFFERS || nsteps > LAB_MAX_STEPS || nops > LAB_MAX_OPS ||
        size != HEAD_BYTES + nbuffers * BUF_BYTES + nsteps * STEP_BYTES + nops * OP_BYTES + 3)
        return complain(err, errsize, "plan: %llu buffers and %llu steps do not fit %zu bytes",
                        (unsigned long long)nbuffers, (unsigned long long)nsteps, size);
    p->nbuffers = (int)nbuffers;
    p->nsteps = (int)nsteps;
    p->nops = (int)nops;
    p->memory = (enum host_memory)get(&r, 4);
    p->on_chip = get(&r, 4) != 0;
    p->ranks = (int)get(&r, 4);
    p->bytes = bits_double(get(&r, 8));
    p->flops = bits_double(get(&r, 8));
    for (int i = 0; i < p->nbuffers; i++)
        get_buffer(&r, &p->buffers[i]);
    for (int i = 0; i < p->nsteps; i++)
        get_step(&r, &p->steps[i]);
    for (int i = 0; i < p->nops; i++)
        get_op(&r, &p->ops[i]);
    if (memcmp(r, "END", 3))
        return complain(err, errsize, "plan: its end is missing");
    return plan_check(p, NULL, err, errsize);
}
