/* record_test.c - launch records out of range. */
#include "record.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct lab lab_testlab;

Test(record, is_clamped_with_a_word)
{
    const struct lab_variant *v = &lab_testlab.variants[0];
    struct launch_record out;
    char note[300];

    record_clamp(v, &(struct launch_record){256, 1, 1, 0}, &out, note, sizeof(note));
    cr_assert_eq(out.block_x, 256);
    cr_assert_str_empty(note);
    record_clamp(v, &(struct launch_record){5000, 1, 7, 0}, &out, note, sizeof(note));
    cr_assert_eq(out.block_x, 1024);
    cr_assert_eq(out.items, 1);
    cr_assert(strstr(note, "block_x 5000 is out of range, 1024 is used"), "%s", note);
    cr_assert(strstr(note, "items is fixed at 1"), "%s", note);
    record_clamp(v, &(struct launch_record){0, 0, 0, 0}, &out, note, sizeof(note));
    cr_assert_eq(out.block_x, 128);
    cr_assert_str_empty(note);
}
