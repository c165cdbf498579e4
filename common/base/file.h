/* file.h - whole files, folders, and where the course is. Errors are errno's values. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a regular file of at most max bytes: 0, or an errno (EFBIG when larger, EINVAL when it
 * is no regular file). *data, for free(), has a NUL after *length bytes; NULL after an error. */
int file_read(const char *path, size_t max, char **data, size_t *length);
/* The same; refuses a symbolic link (ELOOP): for files that somebody else chose. */
int file_read_no_link(const char *path, size_t max, char **data, size_t *length);
/* What is left of an open file or pipe, likewise; and all of it into one: 0, or an errno. */
int file_read_fd(int fd, size_t max, char **data, size_t *length);
int file_write_fd(int fd, const void *data, size_t length);
const char *file_why(int error); /* in words */

/* file_read() and file_write() for who wants a sentence that names the file: it is
 * added to why. */
char *file_load(const char *path, size_t max, size_t *size, struct text *why);
bool file_save(const char *path, const void *data, size_t size, struct text *why);

/* Writes through a temporary file beside it and rename, so that a reader never sees half of
 * it; straight where a device (/dev/null, /dev/stdout), a pipe or a link has the name, and stays
 * what it is. The folders above are made. */
int file_write(const char *path, const void *data, size_t length);
int make_dirs(const char *path); /* mkdir -p */
/* A new folder, for this user alone, in $TMPDIR or /tmp: allocated. NULL with errno set. */
char *make_temporary_dir(void);
int make_dirs_above(const char *path); /* the folders above a file's path */

/* The repository's folder: the nearest one above this program that holds
 * common/device/warplab.cuh. "." when there is none. */
const char *course_root(void);

#endif
