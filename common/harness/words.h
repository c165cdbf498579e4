/* words.h - a .cu file as a list of words, cut into blocks, for edits*.c: what lies between the
 * braces of file level, with the words before them.
 *
 * Interface: scan_open(), then questions about the word at a place. A place outside the list is a
 * sign that is none.
 * Not modelled: the language; what the preprocessor makes. */
#ifndef HARNESS_WORDS_H
#define HARNESS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum kind { NAME, NUMBER, SIGN };

struct word {
    size_t at, length;
    enum kind kind;
    int block; /* -1: in none */
    int line;  /* from 1 on */
};
struct block {
    int first, open, end; /* words: of its head, of its brace, behind its last */
    int name;             /* the word that names it */
    bool kernel, reached;
};
struct scan {
    char *text; /* the file without the kernels that are not asked for, on the same lines */
    struct word *v;
    int n;
    struct block *blocks;
    int nblocks;
    const char *told;
    struct edits *to;
    bool changed; /* the last change() was one */
};

/* names: of kernels, with spaces between them; their blocks, and all that they name, are reached.
 */
void scan_open(struct scan *s, const char *source, const char *names);
/* Its words alone, in no blocks. */
void scan_split(struct scan *s, const char *source);
/* The text without all functions that are not reached, as far as is seen, nor kernels that macros
 * make of these. For free(). */
char *scan_lean(const struct scan *s);
/* All but its text. */
void scan_close(struct scan *s);
/* Is the word inside the braces of a block that is reached? */
bool scan_reaches(const struct scan *s, int i);

size_t comment_length(const char *p);
size_t quoted_length(const char *p);
size_t name_length(const char *p);

bool word_is(const struct scan *s, int i, const char *word);
bool word_is_any(const struct scan *s, int i, const char *const *words);
bool word_assigns(const struct scan *s, int i); /* =, += and the like */
bool word_same(const struct scan *s, int i, int j);
bool word_is_new(const struct scan *s, int i, const int *found, int n); /* none of these */
enum kind word_kind(const struct scan *s, int i);
bool word_is_type(const struct scan *s, int i);
bool word_is_keyword(const struct scan *s, int i);
bool word_is_variable(const struct scan *s, int i);
/* Its name stands behind its type. */
bool word_is_declared(const struct scan *s, int i);
bool word_is_member(const struct scan *s, int i);
/* Between two operands. */
bool word_is_binary(const struct scan *s, int i);
/* Of variables: taken for an array or a pointer anywhere in its function. */
bool word_is_array(const struct scan *s, int i);
/* … used, and whole: no member, nor what has some. */
bool word_is_plain(const struct scan *s, int i);
/* In capitals. */
bool word_is_constant(const struct scan *s, int i);
/* A number that a function is given, where its parameters are. */
bool word_is_parameter(const struct scan *s, int k);

/* The word behind the head whose "if", "for" or "while" is word i; -1: it is none. */
int head_body(const struct scan *s, int i);
/* The brace that closes that at word i; -1: none. */
int brace_end(const struct scan *s, int i);
/* Is it the colon of a choice, behind which stands what is taken else? */
bool is_else(const struct scan *s, int i);
/* The bracket that closes the condition of the if that word i is; -1: it is none. */
int condition_end(const struct scan *s, int i);
/* The first word of the statement that word i is in, or of what is in the brackets of a head. */
int statement_begin(const struct scan *s, int i);
/* The last, without the semicolon, of the one that begins with i. */
int statement_end(const struct scan *s, int i);

/* Is there a break, continue, goto or return from the first to the last? */
bool word_jumps(const struct scan *s, int from, int to);
/* The bracket that belongs to that at i. step: 1 on from an opening one, -1 back from a closing. */
int word_match(const struct scan *s, int i, int step);
/* The first word of the operand whose last is i; -1: that ends none. */
int operand_back(const struct scan *s, int i);
/* The last word of the operand whose first is i. */
int operand_on(const struct scan *s, int i);
/* Of operands with such signs between them, all before the one that begins with i: the first word;
 * and all behind the one whose last word is i: the last. */
int chain_back(const struct scan *s, int i, const char *const *signs);
int chain_on(const struct scan *s, int i, const char *const *signs);
/* From the first to the last, for free(). */
char *words_text(const struct scan *s, int from, int to);

#endif
