/* probing.h - what the parts of the probe share (probe*.c only).
 *
 * probe.c            runs and words; which of the others looks at an output
 * probe_sum.c        how often a sum, or a count, takes each element of an input
 * probed.c           … and that in words
 * probe_tags.c       which element a copy holds, and which factors are multiplied
 * probe_extreme.c    least and greatest: a neutral element, what is not looked at
 * probe_values.c     digits that get lost on the way
 * probe_otherwise.c  any other function: which elements matter, the simplest that go wrong
 */
#ifndef HARNESS_PROBING_H
#define HARNESS_PROBING_H

#include "probe.h"

#define MOST_ELEMENTS (1u << 20) /* of an array that is probed */
#define MOST_PAIRS    96

struct probe {
    struct experiment *x;
    const struct lab *lab;
    struct sample s;
    void *data[LAB_MAX_BUFFERS];
    int out;    /* the output's buffer */
    uint64_t o; /* its element */
    enum lab_made made;
    bool broken;  /* a run did not come to its end */
    bool *absent; /* of the array that was probed before: it is never used, as was told */
    int absent_of;
    struct diagnosis *d;
};

/* ---- runs (probe.c) ---- */
const struct lab_buffer *probe_buffer(const struct probe *p, int b);
void probe_fill(struct probe *p, int b, double value);
void probe_put(struct probe *p, int b, uint64_t i, double value);
double probe_look(struct probe *p); /* what the output is now; NAN when broken */
bool probe_term(const struct probe *p, uint64_t t, struct lab_term *out);

/* ---- words (probe.c) ---- */
void probe_say_output(struct text *t, const struct probe *p);
void probe_say(struct text *t, const struct probe *p, int b, const uint64_t *index, uint64_t n);
char *probe_output_name(const struct probe *p);
char *probe_element_name(const struct probe *p, int b, uint64_t i);

/* ---- one input array: what the output should take of each element, and does (probed.c) ---- */
struct probed {
    int buffer;
    uint64_t count;
    double *want, *got;
    double rest; /* of zeros alone */
    bool thirds; /* or another constant that is not exact */
    bool lossy;  /* sums of them are not what they are one by one */
    bool odd;    /* it is no sum: an element does not go in proportion, or something is no number */
    uint64_t at; /* … this one, and what the output is with it alone at this value */
    double value, result;
};
/* want, and got the same, when all elements of the other arrays are one. */
struct probed probed_open(const struct probe *p, int b);
void probed_close(struct probed *a);
/* In words; true when there was something to say. "out[0] adds in[3] in place of in[4]" */
bool tell_exchange(struct probe *p, const struct probed *a, const char *verb);
bool tell_left_out(struct probe *p, const struct probed *a, const char *verb);
bool tell_extra(struct probe *p, const struct probed *a, const char *verb);
/* Taken, but twice, with the other sign, or another number of times. */
bool tell_times(struct probe *p, const struct probed *a, const char *verb);

/* ---- looks: each true when it found something, and said it ---- */
bool probe_sum(struct probe *p, int b, bool product); /* all other factors are one */
bool probe_count(struct probe *p);
bool probe_copy(struct probe *p, const struct lab_term *one);
bool probe_pairs(struct probe *p);
bool probe_neutral(struct probe *p, int b);
bool probe_extreme(struct probe *p, int b);
bool probe_values(struct probe *p);
bool probe_otherwise(struct probe *p);
bool probe_nan(struct probe *p); /* of inputs that are */
bool probe_recognised(struct probe *p);
bool probe_planted(struct probe *p); /* of a fold */
bool probe_simple(struct probe *p);  /* where all inputs are floats */
bool probe_ignored(struct probe *p);
bool probe_ones(struct probe *p);
bool probe_reach(struct probe *p); /* it takes the right elements, all of them */

#endif
