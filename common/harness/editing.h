/* editing.h - what the parts of the small changes share (edits*.c only).
 *
 * edits.c        lists of changes, in an order; what is made of one
 * edits_ways.c   the ways in which a word, or some, can be another
 * edits_forms.c  … in which it has another form
 * edits_every.c  … in which all that are the same are another
 * edits_shape.c  … in which something else is done of it
 * edits_wider.c  … in which more of the function is looked at
 * edits_meant.c  … in which it becomes what was meant next to it
 * edits_terms.c  … in which a term is not the one that was meant
 * edits_alike.c  … in which it becomes what is done alike nearby
 * edits_rest.c   … in which a loop takes what several a round leave over
 * edits_round.c  … in which a round, a pointer or a choice stands where it was meant to
 * edits_left.c   … in which some were left out, or are there too often
 * edits_launch.c which are of constants that launch records have
 * edits_schedule.c of a schedule
 * edits_zero.c  what only takes a term away
 * edits_near.c   which words have to do with what was seen on a line
 */
#ifndef HARNESS_EDITING_H
#define HARNESS_EDITING_H

#include "edits.h"
#include "words.h"

/* Adds to s->to what can be changed at word i. */
typedef void way(struct scan *s, int i);
struct ways {
    way *const *v; /* the likelier first */
    int n;
};
extern const struct ways slip_ways, swap_ways, other_ways, place_ways, order_ways,
    loop_ways;                                   /* edits_ways.c */
extern const struct ways form_ways, name_ways;   /* edits_forms.c */
extern const struct ways every_ways, block_ways; /* edits_every.c */
extern const struct ways shape_ways;             /* edits_shape.c */
extern const struct ways wider_ways;             /* edits_wider.c */
extern const struct ways meant_ways;             /* edits_meant.c */
extern const struct ways term_ways;              /* edits_terms.c */
extern const struct ways alike_ways;             /* edits_alike.c */
extern const struct ways round_ways;             /* edits_round.c */
way rows_asked;                                  /* … a guard */
way as_launched;                                 /* edits_launch.c */
way longer_array;                                /* edits_meant.c */
way rest_taken, rest_begins, counted_down;       /* edits_rest.c */
way times_a_share, apart_as_others;              /* edits_terms.c */
extern const struct ways asked_ways, left_ways, guard_ways, step_ways, more_ways,
    leave_ways; /* edits_left.c */

/* Of the functions that have one of the lines, or call such: by block. For free(). */
bool *near_blocks(const struct scan *s, const int lines[2]);
/* Of each word, how far it is from one of these two lines: along what their names are made of, or
 * else in lines, within those functions. For free(). */
int *near_lines(const struct scan *s, const int lines[2]);
/* So far away, it may be what those lines' names are made of. */
bool near_is_related(int away);

/* Does the record of a kernel that is reached have this name? */
bool edits_recorded(const struct scan *s, const char *name, size_t length);
/* The first word of what plain name i was set to where it is declared, before it; -1: nowhere. And
 * the last word of a value that begins with word i: before a comma or a semicolon. */
int set_to(const struct scan *s, int i);
int end_of_value(const struct scan *s, int i);
/* The last word of the statement that begins with word i, in braces or none; -1: not known. */
int body_end(const struct scan *s, int i);
/* Larger where an operator binds more; 0: none between two operands. */
int binds(const struct scan *s, int i);
/* Words from … to become `with`, which is taken. */
void change(struct scan *s, int from, int to, char *with);
/* What the last change is told as, which is taken, too. */
void change_told(struct scan *s, char *told);

#endif
