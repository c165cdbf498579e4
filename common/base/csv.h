/* csv.h - reads and writes comma-separated values (RFC 4180, UTF-8 with or without BOM).
 *
 * Lines end as on any system. Columns are found by header, any case: systems reorder and localise
 * them.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "text.h"

struct csv {
    char ***rows; /* rows[0] is the header */
    int *widths;
    int nrows;
};

/* Never fails: a broken quote runs to the end of the text. NULs end a cell. */
struct csv *csv_parse(const char *text, size_t length);
void csv_free(struct csv *c);
/* Column whose header is one of names (separated by '|'), or -1. */
int csv_column(const struct csv *c, const char *names);
/* "" for a cell that is not there. */
const char *csv_cell(const struct csv *c, int row, int column);

/* Adds one quoted-as-needed cell, with a comma before it unless it starts a line. Cells that
 * a spreadsheet would run as a formula get a leading apostrophe unless they are numbers. */
void csv_put(struct text *t, const char *cell);
/* The same without that apostrophe: for programs, which get back what was put. */
void csv_put_exact(struct text *t, const char *cell);
void csv_end(struct text *t);

#endif
