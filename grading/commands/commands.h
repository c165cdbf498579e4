/* commands.h - the commands of build/bin/grade; each takes what follows its name. */
#ifndef GRADING_COMMANDS_H
#define GRADING_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

int cmd_check(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_cheats(int argc, char **argv);
int cmd_rungs(int argc, char **argv);
int cmd_steps(int argc, char **argv);
int cmd_labs(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_marks(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_regrade(int argc, char **argv);
int cmd_override(int argc, char **argv);
int cmd_audit(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_total(int argc, char **argv);
int cmd_gpu(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_similar(int argc, char **argv);
int cmd_task(int argc, char **argv);

/* open.c: what a command needs before it begins. Where it is not to be had, die() says why; a
 * refusal is printed, and the command's exit status is 2. */
struct engine;
struct engine_options;
struct book;
struct mark;
char *read_secret(const char *path); /* its text, for free() */
/* practice: on a file of one's own it may go on without a sandbox. */
bool sandbox_or_refuse(struct engine_options *o, bool practice);
bool gpu_or_refuse(struct engine_options *o);
void open_engine(struct engine *e, const char *lab, const struct engine_options *o);
struct book *open_book(const char *path); /* one that is there, to change it */
struct book *read_book(const char *path); /* to read it: the disk may be read-only */
struct book *make_book(const char *path); /* made when absent */
/* What counts of a lab, or of all (NULL); ends with 1 where nobody has handed in the lab. */
struct mark *marks_of(struct book *b, const char *lab, bool brief, int *n);
bool mark_is(const struct mark *m, const char *who); /* by id, login, email, name, alias */
/* The one student who is meant; NULL, said why, when it is nobody or several. */
const struct mark *find_mark(const struct mark *v, int n, const char *lab, const char *who);
void print_marks(struct book *book, const char *lab, FILE *f);

#endif
