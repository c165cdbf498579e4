/* host.h - memory, text and files, as every part of the harness needs them.
 *
 * Allocation never returns NULL: out of memory ends the program, and says so.
 */
#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

#include <stdbool.h>
#include <stddef.h>

void *host_alloc(size_t size); /* zeroed; size 0 gives a pointer that can be freed */
void *host_realloc(void *p, size_t size);
char *host_strdup(const char *s);
char *host_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void host_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A whole regular file of at most max bytes, with a NUL after *size bytes. NULL with a
 * message that names the file in err. */
char *host_read_file(const char *path, size_t max, size_t *size, char *err, size_t errsize);
/* Writes beside the file and renames, so that no reader sees half of it. */
bool host_write_file(const char *path, const void *data, size_t size, char *err, size_t errsize);
bool host_make_dirs(const char *path); /* the folders above a file's path */

/* The repository's folder: the nearest one above this program that holds
 * common/device/warplab.cuh. "." when there is none. */
const char *host_root(void);

/* Edit distance, for "did you mean". */
unsigned host_distance(const char *a, const char *b);

#endif
