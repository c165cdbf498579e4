/* macros.h - what a compiler sees of a source: translation phase 4 of C++ with NVRTC's own macros.
 *
 * Conditionals are evaluated; the file's macros are expanded with #, ##, ... and __VA_OPT__. Of
 * headers, the course's are read for what they define, which conditions see and which the text
 * keeps as it is written.
 * Not modelled: macros of the toolkit's headers (a condition takes them as not defined).
 */
#ifndef GRADING_MACROS_H
#define GRADING_MACROS_H

#include "base/lex.h"

struct preprocessed {
    struct list tokens;
    char **texts; /* that the tokens point into */
    int ntexts;
};

struct preprocessed preprocess(const char *source);
void preprocessed_free(struct preprocessed *p);

#endif
