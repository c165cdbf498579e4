/* diagnosing.h - what the parts of the diagnosis share (these only).
 *
 * diagnose.c   which case is looked at, and in which order; the checker
 * sizes.c      at which sizes is it wrong?
 * launches.c   is it right with another launch record?
 * looks.c      what can be seen from outside: what is written, what stays, what is exchanged
 * conduct.c    what a whole program leaves out, or stores elsewhere
 * outcome.c    what a wrong output has in common with the right one
 * reword.c     is it right with one small change to the file?
 * reschedule.c is a schedule that is refused right with one?
 * joined.c     which of many changes are right on one case?
 * idle.c       has a right kernel more blocks than work?
 * rehearse.c   what does a right program do when something goes wrong?
 * sound.c      is a changed kernel right wherever it is quickly tried?
 * kept.c       does a change keep what else is right?
 * mend.c       does what the checker advises mend it?
 * given.c      is what it changes as the lab gives it?
 * alive.c      does a change of the file only send all inputs another way?
 */
#ifndef HARNESS_DIAGNOSING_H
#define HARNESS_DIAGNOSING_H

#include "diagnose.h"
#include "edits.h"

#define FEW           100          /* elements of a case that may show a pattern */
#define MOST          50000        /* … of one that is quick */
#define STEPS         (1ull << 23) /* of a launch on such */
#define SEVERAL_WARPS 250          /* elements that are more than a few warps have */

struct search {
    struct experiment *x;
    const struct lab_case *const *failed;
    int nfailed;
    bool all_right; /* they are all cases, and none failed */
    const char *path;
    struct diagnosis *d;
    struct lab_case smallest; /* on which it is wrong */
    struct lab_case edge;     /* wrong, and right with one more; `sharp`: there is such */
    bool sharp;
    struct lab_case narrow; /* of `wide`, with blocks of a warp; its name: NULL, there is none */
    const struct lab_case *wide; /* which is too large for many trials */
    bool watched;                /* a size that the checker finds something on is wrong */
    bool told;                   /* … and it has */
    int lines[2];                /* where the checker saw it; 0: not known */
    bool misplaced;              /* two race that no barrier orders rightly */
    bool mended;                 /* … and one that was tried does */
    bool edited;                 /* a change of the file was told: one is enough */
    /* Lines apart from d->words; put_words() decides which are told. */
    struct text found;  /* what the checker finds */
    struct text change; /* with which it is right */
    struct text sizes;  /* at which it is wrong, and what they have in common */
    struct text bounds; /* … the sizes alone */
};

/* Of the file, in words: with it it is right. */
void tell_change(struct search *s, const char *cause, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Elements of its inputs; UINT64_MAX where the launch record cannot be used on it. */
uint64_t elements_of(const struct search *s, const struct lab_case *c);
enum run_end how_it_ends(struct search *s, const struct lab_case *c);
/* What the lab makes on it are sums of products of two elements. */
bool is_of_products(const struct search *s, const struct lab_case *c);
/* It was tried, and is not right. */
bool is_failure(enum run_end end);
bool fails(struct search *s, const struct lab_case *c);
bool passes(struct search *s, const struct lab_case *c);
bool is_cause(const struct diagnosis *d, const char *cause);
/* which: n, m, k, or p for its parameter. */
uint64_t extent_of(const struct lab_case *c, char which);
void set_extent(struct lab_case *c, char which, uint64_t value);
const char *extent_name(const struct lab *lab, char which);
/* Makes s->smallest as small as it may be for the kernel to be wrong still; from which size on it
 * is, in words, where that is known: s->sizes, s->bounds. */
void find_sizes(struct search *s);
void forget_sizes(struct search *s);
/* "n = 5, m = 3": a case, by its extents, and what it has of its own beside them. */
void put_sizes_of(const struct search *s, const struct lab_case *c, struct text *t);

/* ---- looks: each true when it found something, and said it (s->d) ---- */
bool by_unwritten(struct search *s, const struct lab_case *c);
bool by_constant(struct search *s, const struct lab_case *c);
/* An output holds what was there before, and as much more on every run. */
bool by_added(struct search *s, const struct lab_case *c);
/* Which kernel has to fill what a call reads and nobody wrote (words: the checker's): where one is
 * given it. */
void tell_filler(struct search *s, const struct plan *p, const char *words);
bool by_parameters(struct search *s); /* of another type than is passed */
bool by_exchange(struct search *s);   /* of two parameters */
bool by_state(struct search *s, const struct lab_case *c);
bool by_rest(struct search *s, const struct lab_case *c);   /* of an array of the module */
bool by_absent(struct search *s, const struct lab_case *c); /* lanes of shuffles */
bool by_unset(struct search *s, const struct lab_case *c);  /* variables in registers */
bool by_transposed(struct search *s, const struct lab_case *c);
bool by_astray(struct search *s, const struct lab_case *c); /* … of sums of products */
bool by_storage(struct search *s, const struct lab_case *c);
bool by_width(struct search *s, const struct lab_case *c);
bool by_place(struct search *s, const struct lab_case *c);
bool by_distance(struct search *s, const struct lab_case *c);
bool by_empty(struct search *s, const struct lab_case *c);
bool by_bits(struct search *s, const struct lab_case *c); /* of whole numbers */
bool by_nan(struct search *s, const struct lab_case *c);  /* where; the words alone, no cause */
bool by_edit(struct search *s);                           /* of the file */
bool by_no_return(struct search *s);                      /* in a function that it calls */
/* The change that was told of another variant makes this one right, too: what is wrong is what they
 * share. It is not told again, but d->as is set. */
bool by_known(struct search *s);
/* Of a schedule that is refused. */
bool by_schedule(struct search *s);
/* … of one sort; near these lines. NULL: anywhere, but fewer. */
bool by_edit_of(struct search *s, enum edits_of what, const int *lines);

/* ---- launch records ---- */
/* Of the largest grid, or of its layers alone: along z. */
uint64_t blocks_of(const struct search *s, const struct lab_case *c, bool layers);
/* A record of other blocks, or else a change of the file near these lines (NULL: none), or else a
 * record that has more blocks, which hides what a loop leaves out, or more memory. */
bool by_record_or_edit(struct search *s, const int *lines);
bool by_record(struct search *s); /* … of other blocks alone */

/* ---- what is done at all, by line of the student's file ---- */
struct alive {
    bool *touched; /* by line, from 1 on: memory, or a barrier */
    bool *counts;  /* … it computes with floating-point numbers */
    size_t n;
};
void alive_add(struct alive *a, const struct search *s, const struct sample *sample);
/* But lines `from` to `to`, which were changed. */
bool alive_all(const struct alive *was, const struct alive *is, int from, int to);
void alive_free(struct alive *a);
/* Two on which something is stored to global memory; false: none. */
bool alive_stores(const struct search *s, const struct sample *sample, int lines[2]);
/* The two lines on which most is executed, as a loop is that does not end. */
void alive_busiest(const struct search *s, const struct sample *sample, int lines[2]);

/* ---- small changes ---- */
/* Nothing in the text that is not needed, so that it compiles quickly. */
void edits_make_lean(struct search *s, struct edits *e);
/* For one run, of so many steps a launch at most. */
void edits_budget(struct search *s, uint64_t steps);
/* Loads the text, which was quickly compiled where that takes less in all. log: experiment.h. */
bool edits_replace(struct search *s, const char *text, char **log);
/* Tries n of them, from one on, each alone in this text, on a case on which it `was` so. */
enum { EDIT_UNKNOWN, EDIT_WRONG, EDIT_RIGHT };
void edits_try(struct search *s, const struct edits *e, const char *text, int from, int n,
               const struct lab_case *first, uint64_t steps, enum run_end was,
               unsigned char *verdicts);

/* Nor does the checker find anything. */
bool is_clean(struct search *s, const struct lab_case *c);
/* The changed kernel is loaded: on how many inputs it is right, of all that the lab has, and of
 * other sizes; 0: wrong on one. steps: for the first. */
int right_on(struct search *s, const struct lab_case *first, uint64_t steps);
/* … and on one of the lab's large cases. */
enum on_large { NONE_LARGE, WRONG_ON_LARGE, RIGHT_ON_LARGE };
enum on_large on_large(struct search *s, const struct lab_case *first);
/* … and on cases with twice an extent of one on which it was wrong, so that a bound that was moved
 * by one is passed; right of a lab that has no sizes. */
enum on_large on_twice(struct search *s, const struct lab_case *first);

/* Of the file as it is: cases of its other kernels that are right, so that what is shared and
 * serves them is not at fault, and of variants of the same kernels some that are wrong; and the
 * goals (report.h) that the kernel misses, wrong as it is. */
enum { OTHERS = 64, EXTENTS = 4 };
/* Bytes that are stored, on the case that changes are tried on first, and on one of several blocks;
 * there, how many times as much is done with twice of each extent. 0: not known. */
struct effort {
    uint64_t stored, stored_many;
    double times[EXTENTS];
};
/* Floating-point operations on the cases of its goals, and how many the lab's formula has. */
struct arithmetic {
    double done, asked;
};
struct others {
    const struct lab_variant *v[OTHERS];
    const struct lab_case *c[OTHERS];
    const struct lab_variant *wrong[OTHERS];
    const struct lab_case *wrong_on[OTHERS];
    int n, nwrong;
    uint64_t missed;
    struct arithmetic arithmetic;
    struct lab_case many; /* the case of several blocks, where there are such */
    struct effort effort;
    bool known;
};
/* They are right still; loads the whole file, with the change. c: which is tried first. */
bool serves_others(struct search *s, const struct edits *e, int i, const struct lab_case *c,
                   struct others *o);
/* other: a change of another line that does as well; -1: none was found. */
void tell_edit(struct search *s, const struct edits *e, int i, int other, int cases);
/* With what is loaded now, those that were wrong are right. */
bool mends_others(struct search *s, const struct others *o);
/* What is loaded does not do what other threads or blocks do again; `ends`: and it must come to its
 * end on a case of several blocks, where the file as it is did not. */
bool works_once(struct search *s, const struct others *o, const struct lab_case *c, bool ends);
/* Of the file's other kernels those that are right, as far as that is quickly seen. For free(). */
char *sound_names(struct search *s);
/* Of what is loaded, as far as runs tell. */
uint64_t missed_goals(struct search *s, struct arithmetic *a);
/* It did all of it, and with the change it does more: rounds of zeros, which change no sum. */
bool adds_arithmetic(const struct arithmetic *was, const struct arithmetic *is);
/* What the file as it is does is still done by the one with the change, which is loaded. */
bool keeps_alive(struct search *s, const struct edits *e, int i, const struct alive *was);

/* ---- of the checker's words ---- */
/* A barrier that they ask for is put into the file, in each place where it may be missing: they ask
 * for it where all is right then, on case c; else they say what is left. */
void try_advice(struct search *s, const struct lab_case *c, struct text *words);
/* … and an atomic in place of what is read, changed and written back on s->lines. */
void try_atomic(struct search *s, const struct lab_case *c, struct text *words);
/* Of memory that nobody wrote they ask for a store: not where a change of something else has mended
 * it, and not for that alone where none has. */
void answer(struct text *words, bool answered);

/* ---- of a whole program ---- */
bool by_conduct(struct search *s, const struct lab_case *c);
/* Its result is right, and it does not end as it should; the caller has seen to that. */
void by_own_check(struct search *s, const struct lab_case *c);
bool by_crash(struct search *s, const struct lab_case *c);
bool by_short_copy(struct search *s, const struct lab_case *c);  /* adds to what was told */
void by_other_array(struct search *s, const struct lab_case *c); /* adds to what was told */

/* ---- of a kernel, or a program, that is right; s->failed: all of its cases ---- */
void by_idle(struct search *s);
/* What LAUNCH's third number may be without any thread doing more; and it is right with. */
uint32_t most_items(struct search *s);
void by_influence(struct search *s);
/* What it does on case c when its calls fail, and when numbers come back wrong; and its lab's
 * goals. */
void by_rehearsal(struct search *s, const struct lab_case *c);

/* What the lab gives, and its solution has; for free(). */
char *given_text(const struct search *s);
/* It changes how much is done in a piece, by which every case goes: in a line of that text. */
bool is_given(const struct edits *e, int i, const char *given);
/* … in one whose name that text does not have. */
bool is_own_amount(const struct edits *e, int i, const char *given);

/* The same for all inputs: nothing, or something of its own. */
bool writes_nothing(struct search *s, const struct lab_case *c);

#endif
