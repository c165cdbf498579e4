/* util.h - memory, text, files and digests, as every part of the grader needs them.
 *
 * Allocation never returns NULL: out of memory is fatal, and says so. A struct text is a
 * growable string, always NUL-terminated once something was added; zero it to start.
 */
#ifndef GRADING_UTIL_H
#define GRADING_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *gr_alloc(size_t size); /* zeroed */
void *gr_realloc(void *p, size_t size);
char *gr_strdup(const char *s); /* NULL stays NULL */
char *gr_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void gr_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct text {
    char *s;
    size_t length, capacity;
};
void text_bytes(struct text *t, const void *bytes, size_t n);
void text_add(struct text *t, const char *s);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *t);
const char *text_str(const struct text *t); /* "" when nothing was added */

/* Adds s with bytes that are not printable UTF-8 as \xNN, so that a terminal, a log or a
 * report is safe from a submission's output. Newlines stay when keep_lines is set. */
void text_printable(struct text *t, const char *s, size_t n, bool keep_lines);

/* Reads a regular file of at most max bytes: 0, or an errno (EFBIG when larger). Symbolic
 * links are refused (ELOOP). *data has a NUL after *length bytes. */
int file_read(const char *path, size_t max, char **data, size_t *length);
/* Writes through a temporary file and rename, so that a reader never sees half of it. */
int file_write(const char *path, const void *data, size_t length);
int make_dirs(const char *path); /* mkdir -p */

#define DIGEST_HEX 65
void digest_hex(const void *data, size_t length, char out[DIGEST_HEX]); /* SHA-256 */
/* 64 bits drawn from a secret for a purpose: HMAC-SHA256(secret, label). */
uint64_t secret_draw(const char *secret, const char *label);

double now_s(void); /* monotonic */

#endif
