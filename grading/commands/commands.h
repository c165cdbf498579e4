/* commands.h - the commands of build/bin/grade; each takes what follows its name. */
#ifndef GRADING_COMMANDS_H
#define GRADING_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

int cmd_check(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
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

/* Shared: the secret's text (fatal when unusable); a sandbox, or a refusal. */
struct engine_options;
char *read_secret(const char *path);
bool sandbox_or_refuse(struct engine_options *o, bool practice);
bool gpu_or_refuse(struct engine_options *o);

struct book;
struct mark;
bool mark_is(const struct mark *m, const char *who); /* by id, login, email, name, alias */
void print_marks(struct book *book, const char *lab, FILE *f);

#endif
