/* black_scholes.h - the price of a European option, in double precision.
 *
 *   d1 = (ln(S / X) + (r + v²/2) T) / (v √T),  d2 = d1 - v √T
 *   call = S N(d1) - X e^(-rT) N(d2),  put = X e^(-rT) N(-d2) - S N(-d1)
 *
 * N is the normal distribution, by erfc(): right to the last bits, also where it is nearly 0.
 * Units: prices in any currency, years, rate and volatility a year (0.02 is 2 %).
 * Source: F. Black and M. Scholes, The Pricing of Options and Corporate Liabilities, 1973.
 */
#ifndef LAB_BLACK_SCHOLES_H
#define LAB_BLACK_SCHOLES_H

struct option {
    double price, strike, years; /* S, X, T */
    double rate, volatility;     /* r, v */
};
struct option_value {
    double call, put;
};

/* Both NaN where it is no option: a price, strike, time or volatility that is not above 0, or
 * anything that is not finite. */
struct option_value black_scholes(const struct option *o);
/* N(x), the chance that a standard normal number is below x. */
double normal_below(double x);

#endif
