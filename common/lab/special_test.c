/* special_test.c - every kind is there, of either sign, and nothing else is changed. */
#include "special.h"
#include "dtype.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, SIGNS = 2 };

static enum special kind_of(double x, double least_normal, double half_of_most)
{
    if (isnan(x))
        return SPECIAL_NAN;
    if (isinf(x))
        return SPECIAL_INFINITE;
    if (x == 0)
        return SPECIAL_ZERO;
    return fabs(x) < least_normal ? SPECIAL_TINY : fabs(x) > half_of_most ? SPECIAL_HUGE : 0;
}

static const struct {
    enum dtype t;
    double least_normal, half_of_most;
} floats[] = {
    {DT_F32, FLT_MIN, FLT_MAX / 2},
    {DT_F64, DBL_MIN, DBL_MAX / 2},
    {DT_F16, 0x1p-14, 32767},
    {DT_BF16, FLT_MIN, 0x1p126},
};

Test(special, floats_of_every_kind_and_sign)
{
    for (size_t k = 0; k < sizeof(floats) / sizeof(floats[0]); k++) {
        for (unsigned kinds = 1; kinds <= SPECIAL_ALL; kinds++) {
            unsigned count[SIGNS][SPECIAL_ALL + 1] = {{0}}, all = 0;
            double data[N]; /* room for any type */

            for (uint64_t i = 0; i < N; i++)
                dtype_set(floats[k].t, data, i, 1);
            special_sprinkle(floats[k].t, kinds, kinds, N, data);
            for (uint64_t i = 0; i < N; i++) {
                double x = dtype_get(floats[k].t, data, i);
                enum special kind = kind_of(x, floats[k].least_normal, floats[k].half_of_most);

                cr_assert(kind ? (kind & kinds) != 0 : x == 1, "%g", x);
                count[signbit(x) != 0][kind]++;
                all += kind != 0;
            }
            cr_expect(all > N / 16 && all < N / 4, "%u", all);
            for (unsigned kind = 1; kind & SPECIAL_ALL; kind *= 2)
                cr_expect(!(kinds & kind) || (count[0][kind] && count[1][kind]),
                          "%s: kind %u of %u", dtype_name(floats[k].t), kind, kinds);
        }
    }
}

Test(special, integers_least_and_greatest)
{
    int32_t a[N];
    uint32_t u[N];
    unsigned least = 0, greatest = 0;

    memset(u, 1, sizeof(u));
    memset(a, 1, sizeof(a));
    special_sprinkle(DT_I32, SPECIAL_ALL, 3, N, a);
    special_sprinkle(DT_U32, SPECIAL_HUGE, 3, N, u);
    for (int i = 0; i < N; i++) {
        least += a[i] == INT32_MIN;
        greatest += a[i] == INT32_MAX;
        cr_expect(a[i] == 0x01010101 || a[i] == INT32_MIN || a[i] == INT32_MAX || abs(a[i]) <= 1);
        cr_expect(u[i] == 0x01010101 || u[i] == 0 || u[i] == UINT32_MAX);
    }
    cr_expect(least > 0 && greatest > 0);
}

Test(special, none_asked_for_none_put)
{
    int64_t a[N] = {0}, before[N] = {0};

    special_sprinkle(DT_I64, SPECIAL_NAN, 3, N, a);
    special_sprinkle(DT_F64, 0, 3, N, a);
    cr_expect_arr_eq(a, before, sizeof(a));
}

/* What a class of numbers, told by its sign and its size as a power of 2, would be cut to shows. */
Test(special, filled_with_floats_of_all_sizes)
{
    enum { MANY = 1 << 16, EVERYDAY = 8 };

    for (size_t k = 0; k < sizeof(floats) / sizeof(floats[0]); k++) {
        enum dtype t = floats[k].t;
        unsigned count[SIGNS][2 * EVERYDAY] = {{0}}, whole = 0, equal = 0;
        unsigned far[SIGNS][2] = {{0}}, rare[SPECIAL_ALL + 1] = {0};
        double *data = malloc(MANY * sizeof(*data)), last = NAN;
        int exponent;

        special_fill(t, 5, MANY, data);
        for (uint64_t i = 0; i < MANY; i++) {
            double x = dtype_get(t, data, i);

            rare[kind_of(x, floats[k].least_normal, floats[k].half_of_most)]++;
            equal += x == last;
            last = x;
            if (!isfinite(x) || x == 0)
                continue;
            whole += x == rint(x) && fabs(x) <= 16;
            frexp(x, &exponent);
            if (exponent > -EVERYDAY && exponent <= EVERYDAY)
                count[x < 0][exponent + EVERYDAY - 1]++;
            far[x < 0][x == ldexp(x < 0 ? -0.5 : 0.5, exponent)] += exponent > EVERYDAY;
        }
        for (int s = 0; s < SIGNS; s++) {
            for (int e = 0; e < 2 * EVERYDAY; e++)
                cr_expect(count[s][e] > MANY / 256, "%s: %d %d", dtype_name(t), s, e);
            cr_expect(far[s][0] > MANY / 64 && far[s][1] > MANY / 256, "%s", dtype_name(t));
        }
        for (unsigned kind = 1; kind & SPECIAL_ALL; kind *= 2)
            cr_expect(rare[kind] > MANY / 128, "%s: kind %u", dtype_name(t), kind);
        cr_expect(whole > MANY / 16 && equal > MANY / 32, "%s", dtype_name(t));
        free(data);
    }
}

Test(special, filled_with_integers_of_all_sizes)
{
    enum { MANY = 1 << 16, BITS = 64 };
    static const enum dtype types[] = {DT_I32, DT_U32, DT_I64};

    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        unsigned bits = 8 * (unsigned)dtype_size(types[k]), count[SIGNS][BITS + 1] = {{0}};
        int64_t *data = malloc(MANY * sizeof(*data));

        special_fill(types[k], 5, MANY, data);
        for (uint64_t i = 0; i < MANY; i++) {
            int64_t x = types[k] == DT_I64   ? data[i]
                        : types[k] == DT_I32 ? ((int32_t *)data)[i]
                                             : (int64_t)((uint32_t *)data)[i];
            uint64_t size = x < 0 ? ~(uint64_t)x + 1 : (uint64_t)x;
            int used = 0;

            for (; size; size /= 2)
                used++;
            count[x < 0][used]++;
        }
        for (unsigned used = 1; used < bits; used++) {
            cr_expect(count[0][used] > MANY / 1024, "%s: %u", dtype_name(types[k]), used);
            cr_expect(types[k] == DT_U32 || count[1][used] > MANY / 1024, "%s: -%u",
                      dtype_name(types[k]), used);
        }
        cr_expect(count[0][0] > MANY / 128 && count[types[k] != DT_U32][bits] > 0);
        free(data);
    }
}
