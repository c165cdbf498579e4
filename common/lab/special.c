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
