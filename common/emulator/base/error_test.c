/* error_test.c - a failure's text, however long. */
#include "error.h"
#include <criterion/criterion.h>
#include <string.h>

Test(error, keeps_what_fits_and_marks_what_does_not)
{
    char name[6001];

    cr_assert_eq(emu_keep(cudaErrorInvalidPtx, "%s:%d", "a.cu", 12), cudaErrorInvalidPtx);
    cr_assert_str_eq(emu_error_text(), "a.cu:12");
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    emu_keep(cudaErrorInvalidPtx, "%s", name);
    cr_assert_gt(strlen(emu_error_text()), 4000);
    cr_assert_str_eq(emu_error_text() + strlen(emu_error_text()) - 4, "x…");
    for (size_t at = 0; at + 1 < sizeof(name); at += 2)
        memcpy(name + at, "ä", 2);
    for (int shift = 0; shift < 2; shift++) { /* no half of a character is left over */
        emu_keep(cudaErrorInvalidPtx, "%s%s", shift ? "x" : "", name);
        cr_assert_str_eq(emu_error_text() + strlen(emu_error_text()) - 5, "ä…");
    }
}
