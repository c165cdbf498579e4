/* pass.h - a list of tokens, rewritten by rules.
 *
 * A rule looks at one token and what is around it; each is run over the whole list in turn. All
 * look no further than NEAR tokens, or FAR, or jump from bracket to bracket, so that time is
 * linear.
 */
#ifndef GRADING_PASS_H
#define GRADING_PASS_H

#include "base/lex.h"

enum { NEAR = 64, FAR = 1024 };

struct pass {
    const struct list *in;
    int *partner; /* of a bracket, else or where there is none -1 */
    int *around;  /* the innermost bracket that is open, or -1 */
    bool *gone;   /* to be left out when it is come to */
    struct list out;
};
/* Writes what stands for the tokens from i on and returns behind them; i: the rule says nothing. */
typedef int (*rule)(struct pass *p, int i);

void rewrite(struct list *l, rule apply);
/* What rewrite() does around the rule: what is pushed to `out` in between is the list then. */
void pass_begin(struct pass *p, const struct list *l);
void pass_end(struct pass *p, struct list *l);
void pass_copy(struct pass *p, int from, int to); /* but for what is gone */
void pass_add(struct pass *p, const char *text);  /* a character */

/* A token's one character, 'a' of several; a semicolon outside of the list. */
char at(const struct pass *p, int i);
bool word(const struct pass *p, int i, const char *text);
bool opens(char c);
bool closes(char c);
bool among(char c, const char *these); /* one of these characters and not the list's end */
bool name_at(const struct pass *p, int i);
/* A number's value, of whatever type; -1: it is none, or one of more than some digits. */
double value_at(const struct pass *p, int i);
bool ends_operand(const struct token *t);
/* Behind the statement at i: a block, or up to its semicolon. */
int statement_end(const struct pass *p, int i);
/* Behind the expression at i: an unmatched bracket, or one of these characters. */
int expression_end(const struct pass *p, int i, const char *these);
/* Behind the operator that assigns at i, = or += and the like; i: none does. */
int assigns(const struct pass *p, int i);
bool begins_statement(const struct pass *p, int i);
bool declares_elsewhere(const struct pass *p, int i); /* a word that no variable's type has */
/* Numbers the names of a list from 0, each outermost block's apart if asked; of others -1. */
void number_names(const struct pass *p, bool apart, int *names);

#endif
