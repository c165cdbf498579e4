/* book.h - the gradebook: one SQLite file that survives being killed at any moment.
 *
 *   run      one marking of one lab's submissions: when, with what, by whom
 *   item     one student in a run: what was handed in, and its verdict once there is one
 *   source   submitted texts by SHA-256, so that a mark can be made again
 *   cache    verdicts by everything they depend on
 *   replaced verdicts that a regrade took the place of
 *   override marks set by a person; audit: who changed what, when and why
 *
 * A verdict is the JSON of verdict.h. Every result is one transaction; a killed run is gone
 * on with by starting it again.
 */
#ifndef GRADING_BOOK_H
#define GRADING_BOOK_H

#include "grading/intake/submissions.h"
#include "grading/mark/verdict.h"

struct book;

struct book *book_open(const char *path, struct text *why); /* made when absent */
/* To read one that is there, on a disk that cannot be written, too; nothing in it is changed. */
struct book *book_open_read(const char *path, struct text *why);
void book_close(struct book *b);

/* Rules that turn scores into marks, kept per lab; times in seconds. */
struct policy {
    int64_t due;    /* seconds since 1970; 0: none, only the systems' own late marks count */
    int64_t grace;  /* handed in this much after `due` is still in time */
    double per_day; /* share of the score lost a day late or part of one: 0.1 */
    int max_days;   /* later than this: no mark; 0: no such limit */
    int late_days;  /* days each student may be late in all, over all labs, free of loss */
    bool best;      /* of several runs the best result counts, else the latest */
};
void book_policy_set(struct book *b, const char *lab, const struct policy *p);
struct policy book_policy(struct book *b, const char *lab);

/* Starts a run over s, or goes on with the unfinished one that has the same `key` (a digest
 * of submissions and settings). settings: JSON. *resumed: results it already has. */
int64_t book_run(struct book *b, const char *lab, const char *key, const char *settings,
                 const struct submissions *s, int *resumed);
struct book_item {
    int64_t run;
    char *student, *original, *source, *problem, *hash; /* source NULL: see problem */
    size_t length;
    bool late;
};
/* The run's items without a verdict, in order of student. */
struct book_item *book_pending(struct book *b, int64_t run, int *n);
/* The source of one student in a run; NULL: none was readable. */
char *book_source(struct book *b, int64_t run, const char *student, size_t *length);
/* The run's items that have a source text. */
struct book_item *book_sources(struct book *b, int64_t run, int *n);
void book_items_free(struct book_item *v, int n);
/* False when the item has a verdict already (nothing is changed). */
bool book_result(struct book *b, int64_t run, const char *student, const struct verdict *v);
void book_run_done(struct book *b, int64_t run);
int64_t book_last_run(struct book *b, const char *lab); /* 0: none */

/* Where a verdict of a run is made: the node's name, and wall-clock seconds. False: it was told
 * before, of the same making. */
bool book_made_on(struct book *b, int64_t run, const char *student, const char *node,
                  double seconds);
char *book_node(struct book *b, int64_t run, const char *student); /* NULL: on this machine */
/* Seconds a submission of the lab has taken, in the latest run that had several; 0: none yet. */
double book_pace(struct book *b, const char *lab);
void book_pace_set(struct book *b, const char *lab, double seconds);

struct verdict *book_cached(struct book *b, const char *key); /* NULL: not there */
void book_cache(struct book *b, const char *key, const struct verdict *v);

/* Puts a new verdict in the place of the student's one in `run`, at once or not at all. The old
 * one is kept with the reason; `told`: the audit trail says it of this student. False: no such
 * item, or it has no verdict. */
bool book_replace(struct book *b, int64_t run, const char *student, const struct verdict *v,
                  const char *why, bool told);
/* Sets the mark; points < 0 takes an earlier override away. What is so already for the same
 * reason is not told again. False: no such item. */
bool book_override(struct book *b, const char *lab, const char *student, double points,
                   const char *why);
void book_audit(struct book *b, const char *what, const char *lab, const char *student,
                const char *why);

/* What counts for one student in one lab. */
struct mark {
    char *student, *person, *email, *login, *section, *alias; /* alias: stable, says nothing */
    char *lab, *original, *hash, *verdict;                    /* verdict NULL: not marked yet */
    enum verdict_status status;                               /* where there is a verdict */
    double score, max;                                        /* as marked */
    double mark;                                              /* after override and lateness */
    double lateness_days;
    char *rule; /* how mark came from score: "as marked", "2 days late: -20 %", … */
    bool late, overridden, needs_human, missing;
    int64_t run, handed_in;
};
/* All students of a lab (lab NULL: of all labs), by student. run 0: what counts. brief: verdict
 * is "" where there is one, as a class's verdicts take much memory; book_verdict() has it. */
struct mark *book_marks(struct book *b, const char *lab, int64_t run, bool brief, int *n);
/* NULL: none. What the gradebook holds and nobody can read is fatal. */
struct verdict *book_verdict(struct book *b, int64_t run, const char *student);
struct verdict *mark_verdict(const struct mark *m); /* not of a brief one */
/* The status in a word; `none` where there is no verdict. */
const char *mark_status(const struct mark *m, const char *none);
/* Whether `mark` is one: what a person set is. Who waits for a person has none, nor who handed in
 * nothing, unless the instructor has said that it is 0. */
bool mark_counts(const struct mark *m, bool missing_zero);
/* Whether `score` is one: something was marked, or missing is 0. */
bool mark_has_score(const struct mark *m, bool missing_zero);
void book_marks_free(struct mark *v, int n);

/* Prints the audit trail, one line an entry, newest last; student NULL for all. */
void book_print_audit(struct book *b, const char *student, struct text *out);

#endif
