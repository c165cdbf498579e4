/* move.c - types, reductions and copies (move.h).
 *
 * A reduction goes from rank 0 on upwards, so that results are the same every time: integers wrap
 * around in their own type; float and double round at each step, as they add up; the shorter
 * floating-point types add up as float, and are rounded once, to the nearest even, beyond their
 * range to its end in 8 bits. An average is the sum divided by the ranks. NCCL's own order depends
 * on the links it finds.
 */
#include "move.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 }; /* elements at a time */

/* How an element is made, and what it is added up as. */
enum wide { SIGNED, UNSIGNED, FLOAT, DOUBLE };
static const struct shape {
    uint8_t bytes;
    enum wide wide;
    uint8_t exponent, fraction; /* bits, of the short floating-point types */
    bool no_infinity;           /* of e4m3: the last exponent is of numbers, too */
} shapes[ncclNumTypes] = {
    [ncclInt8] = {1, SIGNED, 0, 0, false},     [ncclUint8] = {1, UNSIGNED, 0, 0, false},
    [ncclInt32] = {4, SIGNED, 0, 0, false},    [ncclUint32] = {4, UNSIGNED, 0, 0, false},
    [ncclInt64] = {8, SIGNED, 0, 0, false},    [ncclUint64] = {8, UNSIGNED, 0, 0, false},
    [ncclFloat16] = {2, FLOAT, 5, 10, false},  [ncclFloat32] = {4, FLOAT, 0, 0, false},
    [ncclFloat64] = {8, DOUBLE, 0, 0, false},  [ncclBfloat16] = {2, FLOAT, 8, 7, false},
    [ncclFloat8e4m3] = {1, FLOAT, 4, 3, true}, [ncclFloat8e5m2] = {1, FLOAT, 5, 2, false},
};

union wide_value {
    int64_t s;
    uint64_t u;
    float f;
    double d;
};

size_t type_bytes(ncclDataType_t type)
{
    return (unsigned)type < ncclNumTypes ? shapes[type].bytes : 0;
}

/* ---- short floating-point types:  | sign | exponent | fraction | ---- */

static float short_load(const struct shape *t, uint32_t bits)
{
    int bias = (1 << (t->exponent - 1)) - 1, last = (1 << t->exponent) - 1;
    int e = (int)(bits >> t->fraction) & last;
    uint32_t m = bits & ((1u << t->fraction) - 1), top = (1u << t->fraction) - 1;
    float sign = bits >> (t->exponent + t->fraction) & 1 ? -1.0f : 1.0f;

    if (e == last && (t->no_infinity ? m == top : m != 0))
        return NAN;
    if (e == last && !t->no_infinity)
        return sign * INFINITY;
    if (e == 0)
        return sign * ldexpf((float)m, 1 - bias - t->fraction);
    return sign * ldexpf((float)(m | 1u << t->fraction), e - bias - t->fraction);
}

static uint32_t short_store(const struct shape *t, float x)
{
    int bias = (1 << (t->exponent - 1)) - 1, last = (1 << t->exponent) - 1, e;
    uint32_t sign = (uint32_t) !!signbit(x) << (t->exponent + t->fraction);
    uint32_t infinity = (uint32_t)last << t->fraction;
    uint32_t greatest = t->no_infinity ? infinity + (1u << t->fraction) - 2 : infinity - 1;

    if (isnan(x))
        return t->no_infinity ? sign | (infinity + (1u << t->fraction) - 1) : infinity | 1u;
    x = fabsf(x);
    if (x == 0)
        return sign;
    frexpf(x, &e); /* x = [1/2, 1) * 2^e */
    e = e - 1 < 1 - bias ? 1 - bias : e - 1;
    double m = isinf(x) ? INFINITY : rint(ldexp(x, t->fraction - e)); /* [0, 2^(fraction + 1)] */
    double bits = m + ldexp(e + bias - 1, t->fraction);
    if (bits > greatest)
        return sign | (t->bytes == 1 ? greatest : infinity);
    return sign | (uint32_t)bits;
}

/* ---- elements ---- */

static void load(const struct shape *t, union wide_value *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++, from += t->bytes) {
        uint64_t bits = 0;

        memcpy(&bits, from, t->bytes);
        if (t->exponent)
            to[i].f = short_load(t, (uint32_t)bits);
        else if (t->wide == SIGNED)
            to[i].s = (int64_t)(bits << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes);
        else
            memcpy(&to[i], &bits, sizeof(bits));
    }
}

static void store(const struct shape *t, uint8_t *to, const union wide_value *from, size_t n)
{
    for (size_t i = 0; i < n; i++, to += t->bytes) {
        uint64_t bits = t->exponent ? short_store(t, from[i].f) : from[i].u;

        memcpy(to, &bits, t->bytes);
    }
}

#define EACH(body)                                                                                 \
    do {                                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            body;                                                                                  \
    } while (0)
/* NaN wins in min and max, wherever it is. */
#define FLOATING(m, less)                                                                          \
    switch (op) {                                                                                  \
    case ncclProd:                                                                                 \
        EACH(a[i].m *= b[i].m);                                                                    \
        break;                                                                                     \
    case ncclMin:                                                                                  \
        EACH(a[i].m = a[i].m != a[i].m || a[i].m < b[i].m ? a[i].m : b[i].m);                      \
        break;                                                                                     \
    case ncclMax:                                                                                  \
        EACH(a[i].m = a[i].m != a[i].m || a[i].m > b[i].m ? a[i].m : b[i].m);                      \
        break;                                                                                     \
    default:                                                                                       \
        EACH(a[i].m += b[i].m);                                                                    \
    }

static void combine(const struct shape *t, ncclRedOp_t op, union wide_value *a,
                    const union wide_value *b, size_t n)
{
    if (t->wide == FLOAT) {
        FLOATING(f, )
    } else if (t->wide == DOUBLE) {
        FLOATING(d, )
    } else if (op == ncclMin && t->wide == SIGNED) {
        EACH(a[i].s = a[i].s < b[i].s ? a[i].s : b[i].s);
    } else if (op == ncclMax && t->wide == SIGNED) {
        EACH(a[i].s = a[i].s > b[i].s ? a[i].s : b[i].s);
    } else if (op == ncclMin) {
        EACH(a[i].u = a[i].u < b[i].u ? a[i].u : b[i].u);
    } else if (op == ncclMax) {
        EACH(a[i].u = a[i].u > b[i].u ? a[i].u : b[i].u);
    } else if (op == ncclProd) {
        EACH(a[i].u *= b[i].u);
    } else {
        EACH(a[i].u += b[i].u);
    }
}

/* A sum of integers is one of their own type before it is divided. */
static void divide(const struct shape *t, union wide_value *a, size_t n, int ranks)
{
    uint8_t own[8];

    for (size_t i = 0; i < n; i++) {
        if (t->wide == FLOAT) {
            a[i].f /= (float)ranks;
        } else if (t->wide == DOUBLE) {
            a[i].d /= ranks;
        } else {
            store(t, own, &a[i], 1);
            load(t, &a[i], own, 1);
            if (t->wide == SIGNED)
                a[i].s /= ranks;
            else
                a[i].u /= (unsigned)ranks;
        }
    }
}

/* ---- memory: through each rank's step, as its device sees it ---- */

struct buffers {
    uint8_t *raw;
    union wide_value *sum, *other;
};

static struct buffers buffers_new(void)
{
    return (struct buffers){xmalloc(CHUNK * sizeof(union wide_value)),
                            xmalloc(CHUNK * sizeof(union wide_value)),
                            xmalloc(CHUNK * sizeof(union wide_value))};
}

static void buffers_free(struct buffers *b)
{
    free(b->raw);
    free(b->sum);
    free(b->other);
}

static const void *at(const void *p, size_t element, size_t bytes)
{
    return (const uint8_t *)p + element * bytes;
}

/* b->raw = n elements from `first` on of what all ranks send, reduced. */
static bool reduced(struct buffers *b, struct op *const *ops, int nranks, size_t first, size_t n)
{
    const struct shape *t = &shapes[ops[0]->type];

    for (int r = 0; r < nranks; r++) {
        if (!warplab_step_read(ops[r]->step, b->raw, at(ops[r]->send, first, t->bytes),
                               n * t->bytes, t->bytes))
            return false;
        load(t, r ? b->other : b->sum, b->raw, n);
        if (r)
            combine(t, ops[0]->reduce, b->sum, b->other, n);
    }
    if (ops[0]->reduce == ncclAvg)
        divide(t, b->sum, n, nranks);
    store(t, b->raw, b->sum, n);
    return true;
}

static bool put(const struct buffers *b, const struct op *o, size_t first, size_t n)
{
    size_t bytes = shapes[o->type].bytes;

    return warplab_step_write(o->step, (void *)at(o->recv, first, bytes), b->raw, n * bytes, bytes);
}

static size_t part(size_t count, size_t done)
{
    return count - done < CHUNK ? count - done : CHUNK;
}

/* to[to_first…] = from[from_first…]. */
static bool copied(struct buffers *b, const struct op *from, size_t from_first, const struct op *to,
                   size_t to_first)
{
    size_t bytes = shapes[from->type].bytes, n;

    for (size_t i = 0; i < from->count; i += n) {
        n = part(from->count, i);
        if (!warplab_step_read(from->step, b->raw, at(from->send, from_first + i, bytes), n * bytes,
                               bytes) ||
            !put(b, to, to_first + i, n))
            return false;
    }
    return true;
}

/* ---- the operations; a fault ends one where it is ---- */

static void all_reduce(struct buffers *b, struct op *const *ops, int nranks, int only)
{
    size_t n;

    for (size_t i = 0; i < ops[0]->count; i += n) {
        n = part(ops[0]->count, i);
        if (!reduced(b, ops, nranks, i, n))
            return;
        for (int r = 0; r < nranks; r++)
            if ((only < 0 || r == only) && !put(b, ops[r], i, n))
                return;
    }
}

static void reduce_scatter(struct buffers *b, struct op *const *ops, int nranks)
{
    size_t count = ops[0]->count, n;

    for (int r = 0; r < nranks; r++)
        for (size_t i = 0; i < count; i += n) {
            n = part(count, i);
            if (!reduced(b, ops, nranks, (size_t)r * count + i, n) || !put(b, ops[r], i, n))
                return;
        }
}

static void all_gather(struct buffers *b, struct op *const *ops, int nranks)
{
    for (int from = 0; from < nranks; from++)
        for (int to = 0; to < nranks; to++)
            if (!copied(b, ops[from], 0, ops[to], (size_t)from * ops[0]->count))
                return;
}

static void broadcast(struct buffers *b, struct op *const *ops, int nranks)
{
    for (int r = 0; r < nranks; r++)
        if (!copied(b, ops[ops[0]->root], 0, ops[r], 0))
            return;
}

/* What goes over each rank's link, in a ring. */
static uint64_t over_link(const struct op *o, int nranks)
{
    uint64_t bytes = o->count * type_bytes(o->type), others = (uint64_t)nranks - 1;

    switch (o->kind) {
    case ALL_REDUCE:
        return 2 * bytes * others / (uint64_t)nranks;
    case ALL_GATHER:
    case REDUCE_SCATTER:
        return bytes * others;
    default:
        return nranks > 1 ? bytes : 0;
    }
}

void move_collective(struct op *const *ops, int nranks)
{
    struct warplab_step **steps = xcalloc((size_t)nranks, sizeof(*steps));
    struct buffers b = buffers_new();

    if (ops[0]->kind == ALL_REDUCE)
        all_reduce(&b, ops, nranks, -1);
    else if (ops[0]->kind == REDUCE)
        all_reduce(&b, ops, nranks, ops[0]->root);
    else if (ops[0]->kind == REDUCE_SCATTER)
        reduce_scatter(&b, ops, nranks);
    else if (ops[0]->kind == ALL_GATHER)
        all_gather(&b, ops, nranks);
    else if (ops[0]->kind == BROADCAST)
        broadcast(&b, ops, nranks);
    for (int r = 0; r < nranks; r++)
        steps[r] = ops[r]->step;
    warplab_steps_end(steps, nranks, over_link(ops[0], nranks), false);
    buffers_free(&b);
    free(steps);
}

void move_pair(struct op *send, struct op *receive)
{
    struct warplab_step *steps[] = {send->step, receive->step};
    struct buffers b = buffers_new();

    copied(&b, send, 0, receive, 0);
    warplab_steps_end(steps, 2, send->count * type_bytes(send->type), true);
    buffers_free(&b);
}
