/* speed.c - judges times taken in turns. See speed.h. */
#include "speed.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ROUNDS = 256 };
/* L2 of current GPUs delivers about two to three times what their DRAM does; timed inputs
 * may lie in it. Faster than four times is no memory system's doing. */
static const double CACHE_FACTOR = 4;

double speed_floor_ms(double bytes, double dram_gbps)
{
    return bytes > 0 && dram_gbps > 0 ? bytes / (dram_gbps * CACHE_FACTOR * 1e6) : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The k for which [k-th smallest, k-th largest] of n values holds the median with at least
 * 95 %: the largest with 2 P(Binomial(n, 1/2) < k) <= 0.05, counted from 1; 0: none. */
static int interval_rank(int n)
{
    double p = pow(0.5, n), sum = 0;
    int k = 0;
    for (int i = 0; i < n; i++) {
        sum += p; /* P(X <= i) */
        if (2 * sum > 0.05)
            break;
        k = i + 1;
        p *= (double)(n - i) / (i + 1);
    }
    return k;
}

struct speed speed_judge(const double *own, const double *reference, int n, double threshold,
                         double floor_ms)
{
    double ratios[MAX_ROUNDS];
    struct speed s = {.end = SPEED_INCONCLUSIVE};
    n = n < MAX_ROUNDS ? n : MAX_ROUNDS;
    for (int i = 0; i < n; i++) {
        bool real = isfinite(own[i]) && isfinite(reference[i]) && own[i] > 0 && reference[i] > 0;
        if (!real || own[i] < floor_ms) {
            s.end = SPEED_IMPOSSIBLE;
            s.worst = i;
            return s;
        }
        ratios[i] = reference[i] / own[i];
    }
    int k = interval_rank(n);
    if (n < SPEED_LEAST_ROUNDS || k < 1)
        return s;
    qsort(ratios, (size_t)n, sizeof(*ratios), by_value);
    s.ratio = n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
    s.low = ratios[k - 1];
    s.high = ratios[n - k];
    if (s.low >= threshold)
        s.end = SPEED_PASS;
    else if (s.high < threshold)
        s.end = SPEED_FAIL;
    return s;
}
