/* special.c - numbers that programs are seldom tried on (special.h). */
#include "special.h"
#include "dtype.h"
#include "random.h"

#include <string.h>

static unsigned mantissa_bits(enum dtype t)
{
    return t == DT_F64 ? 52 : t == DT_F32 ? 23 : t == DT_F16 ? 10 : 7;
}

/* r: bits that may be drawn. */
static uint64_t special_float(enum dtype t, enum special kind, uint64_t r)
{
    unsigned bits = 8 * (unsigned)dtype_size(t), mantissa = mantissa_bits(t);
    uint64_t sign = (r >> 63) << (bits - 1), least = 1, drawn = r & ((least << mantissa) - 1),
             most = (least << (bits - 1 - mantissa)) - 1; /* exponent */

    switch (kind) {
    case SPECIAL_NAN:
        return sign | most << mantissa | drawn | least;
    case SPECIAL_INFINITE:
        return sign | most << mantissa;
    case SPECIAL_HUGE:
        return sign | (most - 1) << mantissa | drawn;
    case SPECIAL_TINY:
        return sign | drawn | least;
    default:
        return sign;
    }
}

static uint64_t special_integer(enum dtype t, enum special kind, uint64_t r)
{
    unsigned bits = 8 * (unsigned)dtype_size(t);
    uint64_t top = (uint64_t)1 << (bits - 1), greatest = t == DT_U32 ? top | (top - 1) : top - 1,
             least = t == DT_U32 ? 0 : top;

    if (kind == SPECIAL_ZERO)
        return 0;
    if (kind == SPECIAL_TINY)
        return r >> 63 ? 1 : ~(uint64_t)0;
    return r >> 63 ? least : greatest;
}

void special_sprinkle(enum dtype t, unsigned kinds, uint64_t stream, uint64_t n, void *data)
{
    enum special of[5];
    unsigned nof = 0;

    if (!dtype_is_float(t))
        kinds &= SPECIAL_FINITE;
    for (unsigned kind = 1; kind & SPECIAL_ALL; kind *= 2) {
        if (kinds & kind)
            of[nof++] = (enum special)kind;
    }
    for (uint64_t i = 0; nof && i < n; i++) {
        uint64_t r = random_u64(stream, ~i), which = random_u64(stream ^ r, i), bits;

        if (which % 8)
            continue;
        bits = dtype_is_float(t) ? special_float(t, of[which / 8 % nof], r)
                                 : special_integer(t, of[which / 8 % nof], r);
        /* the least significant bytes, as this machine keeps them first */
        memcpy((char *)data + i * dtype_size(t), &bits, dtype_size(t));
    }
}

/* Of any exponent but the greatest, of one between 1/256 and 256, and of whole numbers up to 16. */
static uint64_t float_of_size(enum dtype t, unsigned how, uint64_t r)
{
    unsigned bits = 8 * (unsigned)dtype_size(t), mantissa = mantissa_bits(t);
    uint64_t sign = (r >> 63) << (bits - 1), all = ((uint64_t)1 << mantissa) - 1,
             most = ((uint64_t)1 << (bits - 1 - mantissa)) - 1, bias = most / 2;
    double whole = (double)(int64_t)(r % 33) - 16;
    uint64_t x = 0;

    switch (how) {
    case 0:
        return sign | (bias - 8 + (r >> 52) % 16) << mantissa | (r & all);
    case 1:
        return sign | (1 + (r >> 32) % (most - 1)) << mantissa;
    default:
        dtype_set(t, &x, 0, whole);
        return x;
    }
}

/* Of so many bits as are drawn, a power of two, and of up to 16. */
static uint64_t integer_of_size(enum dtype t, unsigned how, uint64_t r)
{
    unsigned bits = 8 * (unsigned)dtype_size(t), least = t == DT_U32 ? 0 : 1;
    uint64_t x = how == 0   ? (r | (uint64_t)1 << 63) >> (64 - bits + least + r % (bits - least))
                 : how == 1 ? (uint64_t)1 << r % (bits - least)
                            : r % 17;

    return least && r >> 62 & 1 ? ~x + 1 : x;
}

void special_fill(enum dtype t, uint64_t stream, uint64_t n, void *data)
{
    size_t size = dtype_size(t);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = random_u64(stream, i), which = random_u64(~stream, i) % 16, bits;
        unsigned how = which < 4 ? 0 : which < 6 ? 1 : 2;

        if (which < 8)
            bits = dtype_is_float(t) ? float_of_size(t, how, r) : integer_of_size(t, how, r);
        else
            bits = r;
        memcpy((char *)data + i * size,
               which == 8 && i ? (char *)data + (i - 1) * size : (char *)&bits, size);
    }
    special_sprinkle(t, SPECIAL_ALL, random_u64(stream, ~(uint64_t)0), n, data);
}
