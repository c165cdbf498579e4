/* compared_test.c - comparisons that are the same in all threads are told, and no others. */
#include "compared.h"
#include "disturb.h"
#include "testing.h"
#include <string.h>

static void says(struct program p, const char *expected)
{
    disturb_set(1u << DISTURB_compared);
    cr_assert_eq(launch(p), cudaSuccess, "%s", emu_error_text());
    disturb_set(0);
    char *text = compared_take();
    struct text t = {0};
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        char rest[100];
        unsigned at;
        cr_assert_eq(sscanf(line, "k %u %99[^\n]", &at, rest), 2, "%s", line);
        text_addf(&t, "%s; ", rest);
    }
    cr_assert_str_eq(text_str(&t), expected);
    text_free(&t);
    free(text);
}

Test(compared, what_all_threads_have)
{
    says((struct program){.grid = 2, .block = 64, .body = "setp.lt.u32 %p0, 7, 600;"},
         "u32 lt 7 600; ");
    says((struct program){.grid = 2, .block = 64, .body = "setp.lt.u32 %p0, %t, 600;"}, "");
    says((struct program){.grid = 2, .block = 1, .body = "setp.lt.u32 %p0, %cta, 600;"}, "");
    says((struct program){.block = 64,
                          .body = "mov.u32 %r0, -7;\nsetp.ge.s32 %p0, %r0, -3;\n"
                                  "setp.hi.u32 %p0, %r0, 1;"},
         "s32 ge -7 -3; u32 gt 4294967289 1; ");
    says((struct program){.body = "mov.f32 %f0, 0f3fc00000;\nsetp.leu.f32 %p0, %f0, 0f40000000;"},
         "f32 le 1.5 2; ");
    says((struct program){.body = "mov.u32 %r0, 80;\nmin.u32 %r1, %r0, 50;"}, "u32 lt 80 50; ");
}

/* What no lane executes is not compared, and what only some do is theirs. */
Test(compared, by_those_that_execute_it)
{
    says((struct program){.block = 64,
                          .body = "setp.gt.u32 %p0, %t, 99;\n@%p0 setp.eq.u32 %p1, 1, 2;\n"
                                  "setp.eq.u32 %p0, %t, 9;\n@%p0 setp.eq.u32 %p1, %t, 2;"},
         "u32 eq 9 2; ");
    says((struct program){.block = 64,
                          .body = "mov.u32 %r0, 0;\nL: add.u32 %r0, %r0, 1;\n"
                                  "setp.lt.u32 %p0, %r0, 3;\n@%p0 bra L;"},
         "");
}

Test(compared, nothing_else_changes)
{
    static const char body[] = "setp.lt.u32 %p0, 7, 600;\nselp.u32 %r0, 5, 6, %p0;\n"
                               "st.global.u32 [%mine], %r0;";
    says((struct program){.body = body}, "u32 lt 7 600; ");
    cr_assert_eq(out[31], 5);
    RUN(.body = body);
    cr_assert_eq(out[31], 5);
    char *text = compared_take();
    cr_assert_str_empty(text);
    free(text);
}
