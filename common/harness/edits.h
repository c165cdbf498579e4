/* edits.h - a .cu file with one small change, such as people forget or slip: another operator, the
 * operands exchanged, a sign, a square, brackets, another name, a digit; or a guard, a factor, a
 * statement that was left out, or is there once too often.
 *
 * Interface: edits_make() lists them, the likelier ones first; edits_apply() makes one.
 * edits_calls() lists places where one call more may stand. Not modelled: the language. What is no
 * program after the change does not compile; what the preprocessor makes is not changed, but where
 * it is written. */
#ifndef HARNESS_EDITS_H
#define HARNESS_EDITS_H

#include <stdbool.h>
#include <stddef.h>

struct edit {
    size_t at, length; /* of the text that is replaced */
    char *with;
    int rank;   /* less: the likelier */
    char *told; /* in words, where it is of several places; NULL: as the text has it */
};
struct edits {
    char *text; /* the file without the kernels that are not asked for, on the same lines */
    char *lean; /* … and without functions that these may not need; NULL: not known */
    struct edit *v;
    int n;
};

/* names: of kernels, with spaces between them; they and what they call are changed, last what
 * `sound` ones call, too, which are right. told: what the student has read, for its numbers. */
void edits_make(struct edits *e, const char *source, const char *names, const char *sound,
                const char *told);
/* Some of them alone, the nearest to one of two lines first; without lines the likelier first. */
enum edits_of {
    OF_PLACES, /* an index, a bound, an order: what was read, nobody had written */
    OF_WAITS,  /* … first those of the very line, on which one waits for ever */
    /* … where there are others in their places, so that no guard is missing: the likeliest, and all
     * others. */
    OF_LIKELY,
    OF_ELEMENTS,
    OF_ORDER,  /* statements before each other, and which of two buffers */
    OF_LOOPS,  /* how one goes on, and until when */
    OF_LEAVING /* a return before a barrier */
};
void edits_make_of(struct edits *e, enum edits_of what, const char *source, const char *names,
                   const int *lines);
/* Of SCHEDULE(name) alone; lean is without all functions. False: there are none. */
bool edits_schedule(struct edits *e, const char *source, const char *name);
/* `call`, as a statement, before each statement of the functions that have one of the two lines, or
 * call such; the nearest first, but of two functions kernels' before theirs; and behind the body of
 * a loop that has no braces, which are put in: told says where. */
void edits_calls(struct edits *e, const char *source, const char *names, const int lines[2],
                 const char *call);
/* "Line 242 is in put(), which is called on line 343; …", of two lines of two functions, by
 * kernels. For free(); NULL: they are not. */
char *edits_callers(const char *source, const char *names, const int lines[2]);
/* On these lines, sums that are added to in place, by an atomic. */
void edits_atomics(struct edits *e, const char *source, const char *names, const int lines[2]);
/* Of the functions that these kernels call, one that gives no value and should: its `log`, the
 * compiler's, warns of it, and no return is in it. Its name, for free(), and line; NULL: none. */
char *edits_no_return(const char *source, const char *names, const char *log, int *line);
/* Is source[at] in a function that these kernels call? */
bool edits_called(const char *source, const char *names, size_t at);
/* Its comments alone, for free(). */
char *edits_comments(const char *source);
/* For free(). */
char *edits_apply(const struct edits *e, int i);
/* … to another text, with the same in the same places as far as it is there. */
char *edits_apply_to(const char *text, const struct edits *e, int i);
/* The text with change i, which puts a quotient, a rest or a part of bits there, and a plain 0 in
 * place of that. For free(); NULL: it puts none. */
char *edits_as_zero(const struct edits *e, int i);
/* So many of them, none inside another. */
char *edits_apply_all(const struct edits *e, const int *which, int n);
/* Up to EDITS_JOINED of them in one text, of which edits_choose() takes one: which[i] is number i +
 * 1, where in[i] comes back true. */
#define EDITS_JOINED 60
char *edits_join(const char *text, const struct edits *e, const int *which, int n, bool *in);
/* In what was compiled from it, to PTX: this one; 0: none, the text as it was. */
void edits_choose(char *ptx, int number);
/* Of a text's n that edits_join() took, those that the compiler's log has errors of; how many
 * errors it has of none. */
int edits_refused(const char *log, bool *refused, int n);
/* Is it of a constant that a launch record has: one of these kernels'; NULL: any? */
bool edits_launched(const struct edits *e, int i, const char *kernels);
/* Where the line begins that text[at] is in, or ends. */
size_t edits_line_begin(const char *text, size_t at);
/* From 1 on. */
int edits_line(const struct edits *e, int i);
/* "with "b" in place of "a"", or what else it comes to; of a short word with what is around it. For
 * free(). */
char *edits_words(const struct edits *e, int i);
/* The condition of an if that text[at] is in: from behind its bracket on, `length` long; 0: none.
 */
size_t edits_condition(const char *text, size_t at, size_t *length);
/* The text, on one line. For free(). */
char *one_line(const char *s, size_t length);
void edits_free(struct edits *e);

#endif
