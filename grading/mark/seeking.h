/* seeking.h - a search for sizes that a kernel treats in a way of its own: seek.c, scout.c. */
#ifndef GRADING_SEEKING_H
#define GRADING_SEEKING_H

#include "marking.h"
#include "turns.h"

enum {
    EXTENTS = 4, /* n, m, k, param */
    PARAM = EXTENTS - 1,
    PRODUCTS = 1 << EXTENTS,
    MOST_POINTS = 64,
    MOST_DECISIONS = 64, /* bits of a signature */
    MOST_PARAMS = 64,
    LARGER = 64,    /* times what was run: sizes of which a few blocks are looked at, */
    LARGER_ALL = 8, /* in all extents */
};

/* A comparison of a run, the same in all its threads. */
struct condition {
    char kernel[64];
    unsigned at;
    char type[8], relation[4];
    double a, b;
};

/* A run whose comparisons are known. */
struct point {
    struct lab_case c;
    struct condition *all;
    int n;
};

/* One of them of which one side is slope * (a product of extents) + at_0 in all runs, within 1,
 * and the other stays. */
struct decision {
    struct condition c;
    bool left;   /* that side is a */
    unsigned of; /* extents, 1 << i */
    double slope, at_0;
    uint64_t way, way_is; /* where it comes up: bits of a signature, and what they are there */
};

struct search {
    struct marking *m;
    const struct lab_variant *variant;
    const struct hidden_case **hidden; /* of the row */
    int nhidden;
    double least[EXTENTS], most[EXTENTS]; /* that they draw; most 0: they do not */
    int64_t params[MOST_PARAMS];          /* param is one of these, where there are any */
    int nparams;
    double work;            /* at most, of a case that is sought */
    uint64_t random, began; /* steps of the session */
    struct turns known;     /* in the runs that told, of any type and operation */
    bool *told;             /* by the session's runs, or need not */
    int ntold;
    bool blank;              /* it asks how things turn out on zeros */
    bool asked_apart, apart; /* does a block write what it should when it runs without others? */
    /* Of a type and an operation: */
    const struct hidden_case *of;
    struct lab_case base;
    bool again; /* the code that it has was looked at for others */
    struct point points[MOST_POINTS];
    int npoints;
    struct decision decisions[MOST_DECISIONS];
    int ndecisions;
    uint64_t of_product[PRODUCTS]; /* the decisions of each, as bits */
    struct lab_case *cases;        /* that have been run */
    uint64_t *seen;                /* how each decision turns out there, as bits */
    int nseen;
};

double seek_extent(const struct lab_case *c, int i);
void seek_set_extent(struct lab_case *c, int i, double v);
/* The product of those extents that the row draws. */
double seek_work(const struct search *s, const struct lab_case *c);
/* v, or the next that a hidden case may have. */
double seek_rounded(const struct hidden_case *h, int i, double v);
bool seek_applies(const struct search *s, const struct lab_case *c);
double seek_random(struct search *s); /* 0 to 1 */
/* An extent of any scale, or one where something is decided. */
double seek_some_extent(struct search *s, int i);
/* A size within what the row draws; false: this time none that may be asked for. */
bool seek_draw(struct search *s, struct lab_case *c);
/* From a case that was run one so many times as large, or less, in these extents (1 << i) as a few
 * blocks of it may run; false: it cannot be larger. */
bool seek_larger(struct session *x, const struct lab_variant *v, const struct lab_case *from,
                 unsigned extents, int times, struct lab_case *c);
/* Runs the case whole; false, and the row is settled: the kernel is wrong there. large: if it does
 * not come to its end there, nothing follows. ran: it is right. */
bool seek_try(struct search *s, struct lab_case *c, bool large, bool *ran);

/* By trial (scout.c). False when the row is settled. */
bool scout(struct search *s);

#endif
