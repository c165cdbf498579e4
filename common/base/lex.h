/* lex.h - a source's tokens, as C++'s translation phases 1 to 3 make them: line ends of any system
 * are one, lines are joined, comments are gone. Operators are a token a character, so that words
 * and digraphs for them are the same.
 */
#ifndef BASE_LEX_H
#define BASE_LEX_H

#include <stdbool.h>

enum { MOST_TOKENS = 1 << 18 }; /* a list takes no more */

struct token {
    const char *s; /* not ended by a NUL */
    int n;
    bool first; /* of its line */
};

struct list {
    struct token *v;
    int n, capacity;
};

/* A source's text with its lines joined, allocated; lex() points into it. */
char *joined(const char *source);
struct list lex(const char *joined);
void push(struct list *l, struct token t);
void push_spelled(struct list *l, struct token t); /* operators for words for them */
const struct token *end_of(const struct list *l);
bool is(const struct token *t, const char *word);
bool same_token(const struct token *a, const struct token *b);
bool is_name(const struct token *t);
bool is_number(const struct token *t);
bool in_name(char c);

#endif
