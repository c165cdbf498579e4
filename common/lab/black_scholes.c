/* black_scholes.c - the price of a European option, in double precision (black_scholes.h). */
#include "black_scholes.h"

#include <math.h>
#include <stdbool.h>

double normal_below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

static bool is_option(const struct option *o)
{
    return o->price > 0 && o->strike > 0 && o->years > 0 && o->volatility > 0 &&
           isfinite(o->price + o->strike + o->years + o->volatility) && isfinite(o->rate);
}

/* N(-d) and not 1 - N(d), which is nothing but rounding where d is large. */
struct option_value black_scholes(const struct option *o)
{
    double spread = o->volatility * sqrt(o->years);
    double d1 =
        (log(o->price / o->strike) + (o->rate + 0.5 * o->volatility * o->volatility) * o->years) /
        spread;
    double d2 = d1 - spread, owed = o->strike * exp(-o->rate * o->years);

    if (!is_option(o))
        return (struct option_value){NAN, NAN};
    return (struct option_value){
        .call = o->price * normal_below(d1) - owed * normal_below(d2),
        .put = owed * normal_below(-d2) - o->price * normal_below(-d1),
    };
}
