/* gradescope.h - submission_metadata.yml of a Gradescope download: who is behind submission_N.
 *
 * Of its YAML, which repeats every result of the class, this is read:
 *
 *   submission_42069:
 *     :submitters:
 *     - :name: Ada Lovelace
 *       :sid: '1234'
 *       :email: ada@example.edu
 *     :created_at: 2026-11-20 21:53:31.379093000 Z
 */
#ifndef GRADING_GRADESCOPE_H
#define GRADING_GRADESCOPE_H

#include <stdint.h>
#include <stddef.h>

struct submitter {
    char *submission;         /* "42069" */
    char *name, *sid, *email; /* "" where not said */
    int64_t created;          /* seconds since 1970; 0: not said */
};

/* Submitters in the file's order; those of a group one after the other. *problem: where the text
 * is damaged, allocated, what comes before it is returned; NULL: nowhere. */
struct submitter *gradescope_metadata(const char *text, size_t length, int *n, char **problem);
void gradescope_free(struct submitter *v, int n);

#endif
