/* black_scholes_test.c - prices against numbers worked out elsewhere, and what must hold of any. */
#include "black_scholes.h"
#include "random.h"

#include <criterion/criterion.h>
#include <math.h>

/* Hull, Options, Futures, and Other Derivatives, example 15.6: 4.76 and 0.81. More places, and
 * the other two, by numerical integration of the payoff. */
Test(black_scholes, prices_are_those_of_the_books)
{
    static const struct {
        struct option o;
        double call, put;
    } rows[] = {
        {{42, 40, 0.5, 0.1, 0.2}, 4.7594223929, 0.8085993729},
        {{100, 100, 1, 0.05, 0.2}, 10.4505835722, 5.5735260223},
        {{5, 100, 0.25, 0.02, 0.3}, 0, 94.5012479193},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct option_value v = black_scholes(&rows[i].o);

        cr_expect_float_eq(v.call, rows[i].call, 1e-8, "%zu: %.12f", i, v.call);
        cr_expect_float_eq(v.put, rows[i].put, 1e-8, "%zu: %.12f", i, v.put);
    }
}

static double between(uint64_t i, int which, double low, double high)
{
    return low + (high - low) * 0.5 * (1 + random_f32(7, 8 * i + (uint64_t)which));
}

static struct option any_option(uint64_t i)
{
    return (struct option){
        .price = between(i, 0, 0.01, 200),
        .strike = between(i, 1, 0.01, 200),
        .years = between(i, 2, 0.01, 30),
        .rate = between(i, 3, -0.05, 0.2),
        .volatility = between(i, 4, 0.01, 2),
    };
}

/* A call bought and a put sold are the share itself, less what is owed. */
Test(black_scholes, calls_and_puts_are_in_parity)
{
    for (uint64_t i = 0; i < 10000; i++) {
        struct option o = any_option(i);
        struct option_value v = black_scholes(&o);
        double owed = o.strike * exp(-o.rate * o.years);

        cr_assert_float_eq(v.call - v.put, o.price - owed, 1e-14 * (o.price + owed), "%lu", i);
    }
}

/* No less than what exercising would bring, no more than the share (call) or the money (put). */
Test(black_scholes, prices_keep_their_bounds)
{
    for (uint64_t i = 0; i < 10000; i++) {
        struct option o = any_option(i);
        struct option_value v = black_scholes(&o);
        double owed = o.strike * exp(-o.rate * o.years), slack = 1e-14 * (o.price + owed);

        cr_assert(v.call >= fmax(o.price - owed, 0) - slack && v.call <= o.price + slack);
        cr_assert(v.put >= fmax(owed - o.price, 0) - slack && v.put <= owed + slack);
    }
}

/* The calls' homogeneity: in cents instead of euros, prices are a hundred times as much. */
Test(black_scholes, the_currency_does_not_matter)
{
    for (uint64_t i = 0; i < 1000; i++) {
        struct option o = any_option(i), cents = o;
        cents.price *= 100, cents.strike *= 100;
        cr_assert_float_eq(black_scholes(&cents).call, 100 * black_scholes(&o).call, 1e-10);
    }
}

Test(black_scholes, what_is_no_option_has_no_price)
{
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        for (int field = 0; field < 5; field++) {
            struct option o = {30, 25, 1, 0.02, 0.3};
            double *fields[] = {&o.price, &o.strike, &o.years, &o.volatility, &o.rate};

            *fields[field] = bad[i];
            struct option_value v = black_scholes(&o);
            bool priced = field == 4 && isfinite(bad[i]); /* a rate may be 0 or less */

            cr_expect(isnan(v.call) == !priced && isnan(v.put) == !priced, "%d %g", field, bad[i]);
        }
}

Test(black_scholes, normal_distribution)
{
    cr_expect_float_eq(normal_below(0), 0.5, 1e-16);
    cr_expect_float_eq(normal_below(1), 0.841344746068543, 1e-15);
    cr_expect_float_eq(normal_below(-1.959963984540054), 0.025, 1e-15);
    cr_expect(fabs(normal_below(-10) / 7.61985302416047e-24 - 1) < 1e-12, "%g", normal_below(-10));
}
