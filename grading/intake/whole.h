/* whole.h - whether an archive is as it was packed, where libarchive does not look.
 *
 *   gzip  libarchive inflates it and skips the check sum and the length behind each member
 *   tar   what follows the first block of zeros is not read
 *   zip   the list at the end and what stands before each member may say different things
 */
#ifndef GRADING_WHOLE_H
#define GRADING_WHOLE_H

#include <archive.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens `data`, inflated by zlib where it is gzip's, each of whose members is checked. As
 * archive_read_open_memory(), once in a process at a time. */
int whole_open(struct archive *a, const char *data, size_t n);

/* How much is in the stream that libarchive's filters make of it. */
struct extent {
    int64_t bytes, used; /* used: up to the last byte that is not 0 */
};
/* Reads all of it, up to `most` bytes. False: it is damaged, archive_error_string() says how. */
bool whole_extent(struct archive *a, int64_t most, struct extent *x);

/* What is wrong with a zip's list of members; NULL: nothing, each is where it says. */
const char *zip_damage(const char *data, size_t n);

#endif
