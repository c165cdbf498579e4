/* text.h - strings that grow, and what is safe to show.
 *
 * A struct text is always NUL-terminated once something was added; zero it to start. Nothing is
 * cut: what does not fit is more memory.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *s;
    size_t length, capacity;
};
void text_bytes(struct text *t, const void *bytes, size_t n);
void text_add(struct text *t, const char *s);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vaddf(struct text *t, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
void text_free(struct text *t);
const char *text_str(const struct text *t); /* "" when nothing was added */
/* "UTF-16" or "UTF-32" when bytes are text in that, as some editors save it; else NULL. */
const char *text_encoding(const char *bytes, size_t n);
char *text_take(struct text *t); /* the string, for free(); t is empty again */

/* Adds s with bytes that are not printable UTF-8 as \xNN, so that a terminal, a log or a
 * report is safe from a submission's output. Newlines stay when keep_lines is set. */
void text_printable(struct text *t, const char *s, size_t n, bool keep_lines);

/* Adds s; of more than `most` bytes what fits of whole characters, and "…" as the mark. */
void text_cut(struct text *t, const char *s, size_t most);
char *cut_copy(const char *s, size_t most); /* the same, for free() */
/* Adds s in `width` columns, a character each: filled with blanks, or cut with "…" in the last. */
void text_column(struct text *t, const char *s, size_t width);

/* Adds s as one word of a shell's command: between single quotes where it has to be. */
void text_shell(struct text *t, const char *s);

/* Is this word, of n bytes, one of a list's, with spaces between them? A NULL list has none. */
bool text_lists(const char *list, const char *word, size_t n);

/* Letters that differ, lack, are too many, or have changed places with their neighbour. */
unsigned text_distance(const char *a, const char *b);
/* For "did you mean": is `known` nearer to the word than *best, of which a third of the letters may
 * be wrong? Upper or lower case is one slip. *best is TEXT_FAR at first, and is set then. */
enum { TEXT_FAR = 4 };
bool text_near(const char *word, const char *known, unsigned *best);

#endif
