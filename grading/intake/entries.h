/* entries.h - the files in what was handed in: of a folder, of a class's archive, of a student's.
 *
 * No name leads anywhere: archives are unpacked in memory (unpack.h), and what is no plain file,
 * has no name to be trusted or is too large is an entry with its problem.
 */
#ifndef GRADING_ENTRIES_H
#define GRADING_ENTRIES_H

#include "unpack.h"

struct entry {
    char *path; /* printable */
    char *data; /* NULL: see problem; or nothing is made of a file with this name */
    size_t length;
    int64_t time;
    enum member_kind kind;
    char *problem; /* NULL: none */
    bool replaced; /* by a later one of the same name: not to be looked at */
};

struct entries {
    struct entry *v;
    int n, capacity;
};

/* False, with the reason in why, when it cannot be read whole: then nothing of it counts. */
bool entries_of_folder(struct entries *e, const char *path, struct text *why);
bool entries_of_file(struct entries *e, const char *path, struct text *why);
/* Of an archive that a student handed in. A damaged member is an entry with its problem. */
bool entries_of_bytes(struct entries *e, const void *data, size_t n, struct text *why);
/* Of several with one name the last counts, as when they are unpacked; a line each in notes,
 * which begins with `whose`. */
void entries_replace(struct entries *e, const char *whose, struct text *notes);
void entries_free(struct entries *e);

const char *path_base(const char *path); /* behind the last slash */

#endif
