/* proto_test.c - a runner that lies: whatever comes out of the box, the run has an end, and the
 * next one is as ever.
 */
#include "boxes.h"
#include "cases.h"
#include "proto.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAB "coalescing"

static char bin[] = "/tmp/proto_test_XXXXXX";

static bool count(void *user, const void *data, size_t n)
{
    (void)data;
    *(size_t *)user += n;
    return true;
}

/* Bytes of what an honest runner says before the outputs. */
static size_t honest_bytes(void)
{
    struct loaded l = {.state = LOADED, .machine.limits = {1, 1, 1, 1, 90}, .why = ""};
    struct launch_record given = {0};
    size_t n = 0;
    struct wire w = {.put = count, .user = &n};
    cr_assert(loaded_write(&w, &l) && record_write(&w, RECORD_NONE, &given));
    return n;
}

/* A folder with the compiler and a runner whose output is cut after n bytes, then goes on with
 * what `garbage` prints. */
static void use_liar(struct engine_options *o, size_t n, const char *garbage)
{
    struct engine_options real;
    engine_defaults(&real);
    engine_defaults(o);
    cr_assert(mkdtemp(bin));
    char *script = xformat(
        "#!/bin/sh\n'%s/grade-runner' \"$@\" | { dd bs=1 count=%zu 2>/dev/null; %s; sleep 5; }\n",
        real.bin, n, garbage);
    char *runner = xformat("%s/grade-runner", bin), *own = xformat("%s/grade-cc", bin),
         *cc = xformat("%s/grade-cc", real.bin);
    cr_assert_eq(file_write(runner, script, strlen(script)), 0);
    cr_assert(!chmod(runner, 0755) && !symlink(cc, own));
    o->unconfined = true;
    o->bin = bin;
    free(script);
    free(runner);
    free(own);
    free(cc);
}

static void remove_liar(void)
{
    static const char *const names[] = {"grade-runner", "grade-cc"};
    for (size_t i = 0; i < 2; i++) {
        char *path = xformat("%s/%s", bin, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(bin);
}

static enum run_end end_with(size_t n, const char *garbage)
{
    const struct lab *lab = lab_named(LAB);
    struct engine_options o;
    struct session s;
    char *source;
    size_t length;
    use_liar(&o, n, garbage);
    char *path = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root);
    cr_assert_eq(file_read(path, 1 << 20, &source, &length), 0);
    session_start(&s, lab, &o, LAB ".cu", source, length);
    cr_assert(s.compiled, "%s", s.problem);
    const struct run *r = session_run(&s, &lab->variants[0], &lab->cases[0], 1, 0);
    enum run_end end = r->result.end;
    cr_assert(end == RUN_OK || (r->why && *r->why));
    session_end(&s);
    remove_liar();
    free(source);
    free(path);
    return end;
}

#define ONES "head -c 1000000 /dev/zero | tr '\\000' '\\377'"

/* The pipe to it is right: only what is said instead makes the difference. */
Test(proto, an_honest_runner_is_believed, .timeout = 60)
{
    cr_assert_eq(end_with(0, "cat"), RUN_OK);
}

Test(proto, no_sense_instead_of_outputs, .timeout = 60)
{
    double from = now_s();
    cr_assert_eq(end_with(honest_bytes(), ONES), RUN_INTERNAL);
    cr_assert_lt(now_s() - from, 4, "nobody waits for more of it");
}

Test(proto, no_sense_instead_of_a_device, .timeout = 60)
{
    cr_assert_eq(end_with(0, ONES), RUN_INTERNAL);
}

/* All zero: not done, no error, no word. */
Test(proto, zeros_instead_of_outputs, .timeout = 60)
{
    cr_assert_eq(end_with(honest_bytes(), "head -c 1000000 /dev/zero"), RUN_NO_KERNEL);
}

Test(proto, half_an_answer, .timeout = 60)
{
    cr_assert_eq(end_with(honest_bytes() + 100, "kill -9 $$"), RUN_DIED);
}
