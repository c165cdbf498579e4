/* record_test.c - launch records out of range. */
#include "record.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct lab lab_testlab;

Test(record, is_clamped_with_a_word)
{
    const struct lab_variant *v = &lab_testlab.variants[0];
    struct launch_record out;
    struct text note = {0};

    record_clamp(v, &(struct launch_record){.block_x = 256, .block_y = 1, .items = 1}, &out, &note);
    cr_assert_eq(out.block_x, 256);
    cr_assert_str_empty(text_str(&note));
    record_clamp(v, &(struct launch_record){.block_x = 5000, .block_y = 1, .items = 7}, &out,
                 &note);
    cr_assert_eq(out.block_x, 1024);
    cr_assert_eq(out.items, 1);
    cr_assert(strstr(note.s, "block_x 5000 is out of range, 1024 is used"), "%s", note.s);
    cr_assert(strstr(note.s, "items is fixed at 1"), "%s", note.s);
    text_free(&note);
    record_clamp(v, &(struct launch_record){0}, &out, &note);
    cr_assert_eq(out.block_x, 128);
    cr_assert_str_empty(text_str(&note));
}
