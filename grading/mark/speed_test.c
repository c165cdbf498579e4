/* speed_test.c - verdicts on times: clear ones, straddling ones, impossible ones (threat 12). */
#include "speed.h"

#include <criterion/criterion.h>
#include <math.h>

enum { N = 20 };

static struct speed judge(double own, double reference, double noise, double threshold,
                          double floor_ms)
{
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = own * (1 + noise * ((i * 7 % N) / (double)N - 0.5));
        b[i] = reference * (1 + noise * ((i * 13 % N) / (double)N - 0.5));
    }
    return speed_judge(a, b, N, threshold, floor_ms);
}

Test(speed, clear)
{
    cr_assert_eq(judge(1, 1, 0.05, 0.8, 0).end, SPEED_PASS);
    cr_assert_eq(judge(2, 1, 0.05, 0.8, 0).end, SPEED_FAIL);
    struct speed s = judge(2, 1, 0, 0.8, 0);
    cr_assert_float_eq(s.ratio, 0.5, 1e-12);
    cr_assert(s.low <= s.ratio && s.ratio <= s.high);
}

Test(speed, straddling)
{
    cr_assert_eq(judge(1.25, 1, 0.4, 0.8, 0).end, SPEED_INCONCLUSIVE);
    double few[SPEED_LEAST_ROUNDS - 1] = {1, 1, 1, 1, 1, 1, 1};
    cr_assert_eq(speed_judge(few, few, SPEED_LEAST_ROUNDS - 1, 0.5, 0).end, SPEED_INCONCLUSIVE);
}

/* The interval of the median from order statistics, as tables of the sign test give it: of n
 * ratios 1, 2 … n it goes from the k-th to the k-th from above. */
Test(speed, interval)
{
    static const struct {
        int n, k;
        double median;
    } rows[] = {{8, 1, 4.5}, {9, 2, 5}, {12, 3, 6.5}, {20, 6, 10.5}, {25, 8, 13}, {100, 40, 50.5}};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        double own[100], reference[100];
        int n = rows[r].n, k = rows[r].k;
        for (int i = 0; i < n; i++) {
            own[i] = 0.5;
            reference[i] = 0.5 * (i * 7 % n + 1); /* 7 divides none of the n: each once */
        }
        struct speed s = speed_judge(own, reference, n, k, 0);
        cr_assert_float_eq(s.low, k, 1e-12, "n = %d: from %g", n, s.low);
        cr_assert_float_eq(s.high, n + 1 - k, 1e-12, "n = %d: to %g", n, s.high);
        cr_assert_float_eq(s.ratio, rows[r].median, 1e-12);
        cr_assert_eq(s.end, SPEED_PASS, "the whole interval is at the threshold or above");
        cr_assert_eq(speed_judge(own, reference, n, k + 0.01, 0).end, SPEED_INCONCLUSIVE);
        cr_assert_eq(speed_judge(own, reference, n, n + 1 - k, 0).end, SPEED_INCONCLUSIVE);
        cr_assert_eq(speed_judge(own, reference, n, n + 1.01 - k, 0).end, SPEED_FAIL);
    }
}

/* A machine that slows to half between rounds changes neither verdict nor ratio. */
Test(speed, drift)
{
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = 1.0 * (1 + i / (double)N);
        b[i] = 0.9 * (1 + i / (double)N);
    }
    struct speed s = speed_judge(a, b, N, 0.8, 0);
    cr_assert_eq(s.end, SPEED_PASS);
    cr_assert_float_eq(s.ratio, 0.9, 1e-12);
}

Test(speed, impossible)
{
    double floor_ms = speed_floor_ms(4e9, 4800); /* 4 GB on an H200: never below 0.2 ms */
    cr_assert_float_eq(floor_ms, 0.2083, 1e-3);
    cr_assert_eq(judge(0.1, 1, 0.01, 0.8, floor_ms).end, SPEED_IMPOSSIBLE);
    cr_assert_eq(judge(0.9, 1, 0.01, 0.8, floor_ms).end, SPEED_PASS);
    double a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = 1;
    static const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        a[11] = bad[i];
        struct speed s = speed_judge(a, b, N, 0.8, 0);
        cr_assert(s.end == SPEED_IMPOSSIBLE && s.worst == 11);
    }
    cr_assert_eq(speed_floor_ms(4e9, 0), 0);
}
