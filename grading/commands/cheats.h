/* cheats.h - rows of a lab's page of cheats, for the command and its test. */
#ifndef GRADING_CHEATS_H
#define GRADING_CHEATS_H

#include "grading/mark/expect.h"

/* A file of the bank, for free(), and what its first lines say; trouble is fatal. */
char *cheats_read(const struct known_file *f, struct expect *x);
/* The cells of a file's row that need no marking: its name, class and prose. */
void cheats_add_name(struct text *t, const struct known_file *f, const struct expect *x);

#endif
