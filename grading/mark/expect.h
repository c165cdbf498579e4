/* expect.h - kernels with a known verdict: what their first comment lines say (README.md). */
#ifndef GRADING_EXPECT_H
#define GRADING_EXPECT_H

#include "engine.h"

#define EXPECT_MAX 64
struct expect {
    char *prose; /* the lines without a key, joined by blanks */
    char *class; /* of a cheat: how it goes about it, a word of cheat_classes; else NULL */
    char *only;
    char *after; /* the file of right/ that this one was made from; else NULL */
    char *rung;  /* the ROW_SPEED row that the rung before, this file, is not to pass; else NULL */
    bool compile_fails;
    bool has_score;
    double score;
    struct {
        char *id;
        bool any; /* whatever it is, else status */
        enum row_status status;
    } rows[EXPECT_MAX];
    int nrows;
    struct {
        char *id, *text;
    } hints[EXPECT_MAX];
    int nhints;
};

/* Ways in which a kernel can earn points that are not its own; README.md says what each is. */
extern const char *const cheat_classes[]; /* up to a NULL */

/* False with a message: a key that is not known, a line that cannot be read. */
bool expect_parse(const char *source, struct expect *out, struct text *why);
void expect_free(struct expect *e);
/* Adds a line for each way in which the verdict differs; returns how many. */
int expect_compare(const struct expect *e, const struct verdict *v, struct text *out);
/* Marks the file and compares. kind: "wrong", "right", "solution", "skeleton". Returns
 * the number of differences (an unreadable file is one), described in out. */
int expect_file(struct engine *e, struct engine_options *o, const char *path, const char *kind,
                struct text *out);

/* Files of a lab with a known verdict, allocated: "wrong/x.cu" and so on, and each edit of
 * "wrong/edits.txt" (known.c). */
struct known_file {
    char *lab, *path;
    const char *kind;
};
struct known_file *known_files(const struct engine_options *o, const char *lab /* NULL: all */,
                               int *n);
void known_files_free(struct known_file *v, int n);
/* What it is called, within its path: "x.cu", or the name of an edit. */
const char *known_name(const struct known_file *f);
/* The text of one of these, for free(). False: why says what is wrong. */
bool known_source(const char *path, char **source, size_t *n, struct text *why);
/* The solution with the edits of this name done to it; NULL: why says what is wrong. */
char *edited_source(const char *solution, const char *edits, const char *name, struct text *why);

#endif
