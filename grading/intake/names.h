/* names.h - what learning systems put into the names of submitted files.
 *
 *   Canvas      SORTABLENAME[_LATE]_USERID_FILEID_ORIGINAL        (anonymous: anon_…)
 *   Moodle      FULL NAME_ID_assignsubmission_file[_]/ORIGINAL, or …_file_ORIGINAL
 *   Gradescope  …/submission_ID/ORIGINAL, beside submission_metadata.yml
 *   plain       STUDENT.cu, STUDENT.zip, STUDENT.tar.gz, …, or STUDENT/ORIGINAL
 */
#ifndef GRADING_NAMES_H
#define GRADING_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define SUBMISSION_MAX_BYTES (256u << 10) /* of a kernel file */
#define NESTED_MAX_BYTES     (16u << 20)  /* of an archive that a student handed in */
#define METADATA_MAX_BYTES   (32u << 20)  /* it repeats every result of the class */

enum name_system { NAMES_PLAIN, NAMES_CANVAS, NAMES_MOODLE, NAMES_GRADESCOPE };

struct file_name {
    enum name_system system;
    char *student;  /* the system's id for the student (plain: the name itself) */
    char *person;   /* a name as shown, "" when the system gives none */
    char *original; /* what the student called the file */
    bool late;
};

/* Why an entry's path is refused (absolute, "..", a name made of nothing), or NULL. */
const char *name_refused(const char *path);
/* Which system wrote these paths: the one most of them fit. */
enum name_system names_detect(const char *const *paths, int n);
/* Splits a path. False when it does not belong to a student (a system's own file). */
bool name_parse(enum name_system system, const char *path, struct file_name *out);
void name_free(struct file_name *f);
/* How well `original` fits lab "reduction": 0 not a kernel file, 1 some .cu, 2 names the
 * lab, 3+N is LAB.cu, or the N-th resubmission LAB-N.cu. */
int name_rank(const char *original, const char *lab);

/* What is no printable UTF-8 becomes \xNN: names go into tables, JSON and pages. Allocated. */
char *name_printable(const char *name);
/* By its name alone: the most bytes that are taken of a file, 0: nothing is made of it. */
size_t name_cap(const char *path);
bool name_is_archive(const char *path);
bool name_is_metadata(const char *path); /* Gradescope's */

#endif
