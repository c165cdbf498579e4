/* submissions.h - what a class handed in: from a folder or an archive to one source text a
 * student.
 *
 * Archives (zip, tar, tar with gzip, bzip2, xz or zstd, 7z) are unpacked in a box (unpack.h) into
 * memory; nothing is written to disk, so no name in them can lead anywhere. What is refused of a
 * student's is that student's own problem; a class's archive is whole or is not read. An archive
 * that a student handed in may hold another one, and no more.
 *
 * Nothing is dropped without a line in the notes: of several kernel files one is marked, of several
 * members with one name the last, and what belongs to nobody is named.
 */
#ifndef GRADING_SUBMISSIONS_H
#define GRADING_SUBMISSIONS_H

#include "names.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    char *unused;      /* names of kernel files that are not marked, the first; NULL: none */
    int nunused;       /* how many these are */
    int row;           /* of the roster, 0: not on it */
};

struct submissions {
    struct submission *v; /* sorted by student */
    int n;
    enum name_system system;
    struct text notes; /* what an instructor should know, a line each */
};

/* False, with the reason, when path cannot be read whole as folder or archive. */
bool submissions_read(const char *path, const char *lab, struct submissions *out, struct text *why);
/* Adds names from a roster (any CSV with an id, e-mail or login column; Canvas gradebooks and
 * Moodle worksheets as they come), and entries for those who handed in nothing. False, with the
 * reason, where it names nobody of the class. */
bool submissions_roster(struct submissions *s, const char *csv_path, struct text *why);
/* For roster.c: a line for the notes, whatever is in it; a student who handed in nothing; a field
 * where there is a value; the order of submission.v. */
void submissions_note(struct submissions *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct submission *submissions_missing(struct submissions *s, const char *id);
void submission_set(char **field, const char *value);
void submissions_sort(struct submissions *s);
void submissions_free(struct submissions *s);
const char *name_system_text(enum name_system s);

#endif
