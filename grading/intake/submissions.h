/* submissions.h - what a class handed in: from a folder, a file or an archive to one source
 * text a student.
 *
 * Archives (zip, tar, compressed tar, 7z: what libarchive reads) are read into memory;
 * nothing is written to disk, so no name in them can lead anywhere. Links, devices, absolute
 * names and ".." are refused, sizes and counts are capped, and each refusal is that
 * student's own problem. An archive a student handed in (inside the class's) is opened once.
 */
#ifndef GRADING_SUBMISSIONS_H
#define GRADING_SUBMISSIONS_H

#include "names.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBMISSION_MAX_BYTES (256u << 10) /* of a kernel file */

struct submission {
    char *student;                 /* the system's id, unique in the class */
    char *person;                  /* name as known, "" when not */
    char *email, *login, *section; /* from the roster, "" when not known */
    char *original;                /* file name as handed in, "" for none */
    char *source;                  /* NULL when there is none */
    size_t length;
    bool late;
    int64_t handed_in; /* seconds since 1970, 0 when not known */
    char *problem;     /* why there is nothing to mark: "no .cu file among …"; NULL: fine */
    bool missing;      /* on the roster, handed in nothing */
    int rank;          /* of the file kept (names.h) */
};

struct submissions {
    struct submission *v; /* sorted by student */
    int n;
    enum name_system system;
    struct text notes; /* lines about entries that belong to nobody */
};

/* False, with the reason, only when path itself cannot be read as folder or archive. */
bool submissions_read(const char *path, const char *lab, struct submissions *out, struct text *why);
/* Adds names from a roster (any CSV with an id, e-mail or login column; Canvas gradebooks and
 * Moodle worksheets as they come), and entries for those who handed in nothing. */
bool submissions_roster(struct submissions *s, const char *csv_path, struct text *why);
void submissions_free(struct submissions *s);
const char *name_system_text(enum name_system s);

#endif
