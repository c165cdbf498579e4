/* indices_test.c - sets of elements in words. */
#include "indices.h"

#include <criterion/criterion.h>

#define MOST 12
static const struct {
    uint64_t count, row, index[MOST], n;
    const char *words;
} rows[] = {
    {100, 0, {5}, 1, "in[5]"},
    {100, 10, {43}, 1, "in[43] (row 4, column 3)"},
    {100, 0, {5, 9}, 2, "in[5] and in[9]"},
    {100, 0, {4, 5, 6}, 3, "in[4] to in[6]"},
    {100, 10, {4, 5, 6}, 3, "in[4] to in[6] (row 0)"},
    {100, 10, {8, 9, 10, 11}, 4, "in[8] to in[11]"},
    {100, 0, {1, 3, 5, 7}, 4, "in[1], in[3] and so on to in[7] (every 2nd)"},
    {100, 0, {1, 32, 63}, 3, "in[1], in[32] and in[63] (every 31st)"},
    {3, 0, {0, 1, 2}, 3, "all of in"},
    {12, 3, {3, 4, 5}, 3, "row 1 of in"},
    {12, 3, {3, 4, 5, 6, 7, 8}, 6, "rows 1 to 2 of in"},
    {12, 3, {2, 5, 8, 11}, 4, "column 2 of in"},
    {12, 3, {1, 2, 4, 5, 7, 8, 10, 11}, 8, "columns 1 to 2 of in"},
    {12, 4, {1, 2, 5, 6}, 4, "rows 0 to 1 of columns 1 to 2 of in"},
    {16,
     4,
     {0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15},
     12,
     "all of in but rows 1 to 2 of columns 1 to 2 of in"},
    {30, 0, {8, 9, 18, 19, 28, 29}, 6, "those at 8 to 9 of every 10 elements of in"},
    {29, 0, {8, 9, 18, 19, 28}, 5, "those at 8 to 9 of every 10 elements of in"},
    {30, 0, {8, 9, 18, 20, 28, 29}, 6, "in[8], in[9], in[18] and 3 more (the last in[29])"},
    {100, 0, {1, 2, 9, 50}, 4, "in[1], in[2], in[9] and in[50]"},
};

Test(indices, are_told_as_what_they_are)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct text t = {0};

        indices_put(&t, "in", rows[i].index, rows[i].n, rows[i].count, rows[i].row);
        cr_expect_str_eq(t.s, rows[i].words);
        text_free(&t);
    }
}
