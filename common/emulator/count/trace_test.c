/* trace_test.c - the trace's lines for a small hand-made run. */
#include "trace.h"
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[] = "/tmp/warplab-trace-XXXXXX";
static char source[] = "/tmp/warplab-source-XXXXXX";
static struct site site = {.line = 2, .column = 5, .ptx_line = 40, .opcode = "ld.shared.u32"};

static void temporary(char *name, const char *text)
{
    int fd = mkstemp(name);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void run_block(struct listener *l, uint32_t index, int accesses)
{
    uint64_t addr[32] = {[1] = 4, [4] = 16};
    uint32_t word[32] = {[1] = 11, [4] = 44};
    const uint32_t *value[1] = {word};
    struct access a = {.site = &site,
                       .kind = ACCESS_STORE,
                       .space = ACCESS_SHARED,
                       .size = 4,
                       .mask = 0x12,
                       .addr = addr,
                       .value = value};
    struct block_info b = {.kernel = "k",
                           .index = index,
                           .ctaid = {index, 0, 0},
                           .ntid = {64, 1, 1},
                           .nctaid = {3, 1, 1},
                           .threads = 64,
                           .warps = 2,
                           .shared_bytes = 256};

    l->block_begin(l, &b);
    l->path(l, &b, &site, 5, 1, 0x12);
    for (int i = 0; i < accesses; i++)
        l->access(l, &b, &a);
    l->barrier_arrive(l, &b, &site, 1, ~0u, 0, true);
    l->barrier_leave(l, &b, 0);
    l->lanes_exit(l, &b, 1, ~0u);
}

static char *contents(void)
{
    static char text[1 << 16];
    FILE *f = fopen(file, "r");
    size_t n = fread(text, 1, sizeof(text) - 1, f);

    fclose(f);
    text[n] = 0;
    return text;
}

static struct listener *start(void)
{
    temporary(file, "");
    temporary(source, "first\n    s[i] = \"x\";\nthird\n");
    site.file = source;
    cr_assert_eq(trace_arm("k", 1, file), 0);
    return trace_listener("k");
}

static void stop(struct listener *l)
{
    struct block_info any = {.kernel = "k"};

    l->launch_end(l, &any);
    unlink(file);
    unlink(source);
}

Test(trace, one_block_line_by_line)
{
    static const char *const expected[] = {
        "{\"trace\":1,\"kernel\":\"k\",\"block\":[1,0,0],\"index\":1,\"grid\":[3,1,1],"
        "\"threads\":[64,1,1],\"warps\":2,\"shared_bytes\":256}\n",
        "\"ptx_line\":40,\"opcode\":\"ld.shared.u32\",\"text\":\"    s[i] = \\\"x\\\";\"}\n",
        "{\"n\":0,\"event\":\"path\",\"warp\":1,\"mask\":\"00000012\",\"site\":0,\"insns\":5}\n",
        "{\"n\":1,\"event\":\"access\",\"warp\":0,\"mask\":\"00000012\",\"site\":0,"
        "\"space\":\"shared\",\"kind\":\"store\",\"size\":4,\"volatile\":false,"
        "\"addresses\":[4,16],\"values\":[[11],[44]]}\n",
        "{\"n\":2,\"event\":\"arrive\",\"warp\":1,\"mask\":\"ffffffff\",\"site\":0,\"barrier\":0}"
        "\n",
        "{\"n\":3,\"event\":\"leave\",\"barrier\":0}\n",
        "{\"n\":4,\"event\":\"exit\",\"warp\":1,\"mask\":\"ffffffff\"}\n",
        "{\"end\":true,\"events\":5,\"dropped\":0,\"truncated\":false}\n",
    };
    struct listener *l = start();
    struct block_info any = {.kernel = "k"};

    cr_assert(l);
    for (uint32_t i = 0; i < 3; i++)
        run_block(l, i, 1);
    l->launch_end(l, &any);
    const char *at = contents();
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const char *found = strstr(at, expected[i]);

        cr_assert(found, "missing or out of order: %sin\n%s", expected[i], contents());
        at = found + strlen(expected[i]);
    }
    cr_assert_null(trace_listener("k"), "one launch only");
    stop(l);
}

Test(trace, other_kernels_and_bad_files)
{
    struct listener *l = start();

    cr_assert(l);
    cr_assert_null(trace_listener("other"));
    stop(l);
    cr_assert_eq(trace_arm("k", 0, "/nonexistent/file"), -1);
    cr_assert_null(trace_listener("k"));
}

Test(trace, stops_at_its_limit)
{
    struct block_info any = {.kernel = "k"};

    trace_set_limit(1000);
    struct listener *l = start();
    run_block(l, 1, 1000);
    l->launch_end(l, &any);
    cr_assert_lt(strlen(contents()), 1400);
    cr_assert(strstr(contents(), "\"truncated\":true}\n"), "%s", contents());
    cr_assert_null(strstr(contents(), "\"dropped\":0"));
    stop(l);
}

Test(trace, files_of_any_name)
{
    struct listener *l = start();
    struct block_info any = {.kernel = "k"};
    char *at, *save = NULL;
    json_t *o;

    site.file = "a\"b\\c\nd\xff.cu";
    run_block(l, 1, 1);
    l->launch_end(l, &any);
    for (at = strtok_r(contents(), "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
        o = json_loads(at, 0, NULL);
        cr_assert(o, "no JSON: %s", at);
        if (json_object_get(o, "file"))
            cr_assert_str_eq(json_string_value(json_object_get(o, "file")), "a\"b\\c\nd\\xff.cu");
        json_decref(o);
    }
    stop(l);
}
