/* check_test.c - findings other than races: unwritten memory, barriers, leaks, matrices; and
 * what is left to libraries. */
#include "play.h"
#include "emulator/check/findings.h"
#include "base/alloc.h"
#include "report.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* ---- never written ---- */

Test(check, unwritten_global)
{
    launch(1, 32);
    go(0, 0, 10, GL(LD, .base = data));
    go(0, 0, 11, GL(ST, .base = other, .mask = 0xff));
    go(0, 0, 12, GL(LD, .base = other, .mask = 0xff));
    syncwarp(0, 0, ~0u, true);
    go(0, 0, 13, GL(LD, .base = other + 28, .size = 8, ONE)); /* half of it is written */
    expect(NULL, 0);
    go(0, 0, 14, GL(LD, .base = other, .mask = 0x1ff));
    finish(1);
    expect("uninitialised-read", 14);
    expect_text("\"thread\":");
    expect_text("byte 32 of a 65536-byte block from cudaMalloc");
}

Test(check, host_copies_carry_it)
{
    launch(1, 32);
    check_host_copy(other + 4096, data, 12288);
    check_host_copy(data, other, 8192); /* its first page was never written */
    go(0, 0, 10, GL(LD, .base = other + 4096));
    go(0, 0, 10, GL(LD, .base = data + 4096));
    expect(NULL, 0);
    go(0, 0, 12, GL(LD, .base = data));
    finish(1);
    expect("uninitialised-read", 12);
}

Test(check, copies_of_parts)
{
    launch(1, 32);
    check_host_write(other + 100, 20);
    check_host_copy(data + 8, other + 92, 40); /* written: 16..36 */
    go(0, 0, 10, GL(LD, .base = data, .mask = 3));
    go(0, 0, 10, GL(LD, .base = data + 16, .mask = 31));
    expect(NULL, 0);
    go(0, 0, 12, GL(LD, .base = data + 12, ONE));
    finish(1);
    expect("uninitialised-read", 12);
}

/* A thread reads its own word before it stores it, and one that nobody stores. */
Test(check, shared_read_too_early)
{
    launch(1, 32);
    go(0, 0, 10, SH(LD));
    go(0, 0, 11, SH(ST));
    finish(1);
    expect("uninitialised-read", 10);
    expect_text("\"stored\":\"later\"");
}

/* An atomic, and s[i] += x, read what they store: nobody set it before. */
Test(check, shared_changed_and_never_set)
{
    launch(1, 32);
    go(0, 0, 10, SH(AT));
    finish(1);
    expect_text("\"stored\":\"changed\"");
}

/* So does the line that reads. */
Test(check, shared_changed_where_it_is_read)
{
    launch(1, 32);
    go(0, 0, 10, SH(LD));
    go(0, 0, 10, SH(ST));
    finish(1);
    expect_text("\"stored\":\"changed\"");
}

/* … and what is set behind that is read too early, be it by an atomic. */
Test(check, shared_changed_before_it_is_set)
{
    launch(1, 32);
    go(0, 0, 10, SH(AT));
    go(0, 0, 11, SH(ST));
    finish(1);
    expect_text("\"stored\":\"later\"");
}

Test(check, shared_read_and_never_stored)
{
    launch(1, 32);
    go(0, 0, 10, SH(LD));
    finish(1);
    expect_text("\"stored\":\"never\"");
}

/* Stages of a pipeline that a library loads and does not use. */
Test(check, unwritten_shared_of_a_library)
{
    static const char *const kernels[] = {"_ZN7cutlass6KernelI4gemmEEvT_", "_ZN3cub1kEv", "_Z1kv"};

    launch(1, 32);
    finish(1);
    for (int i = 0; i < 3; i++) {
        expect(NULL, 0);
        blocks[0].kernel = kernels[i];
        blocks[0].launch++;
        l->launch_begin(l, &blocks[0]);
        l->block_begin(l, &blocks[0]);
        go(0, 0, 10, SH(LD));
        finish(1);
    }
    expect("uninitialised-read", 10);
}

Test(check, unwritten_shared)
{
    launch(1, 32);
    go(0, 0, 9, SH(ST));
    finish(1);
    launch(1, 32);
    go(0, 0, 10, SH(LD)); /* another block wrote it, not this one */
    finish(1);
    expect("uninitialised-read", 10);
}

/* Without line information: what to do about it is said. */
Test(check, unwritten_shared_somewhere)
{
    uint64_t addr[32] = {0};
    struct site s = {.ptx_line = 30, .opcode = "ld.shared.u32"};
    struct access a = {.site = &s, .space = ACCESS_SHARED, .size = 4, .mask = 1, .addr = addr};

    launch(1, 32);
    l->access(l, &blocks[0], &a);
    finish(1);
    expect("uninitialised-read", 0);
    expect_text("nvcc -lineinfo");
    expect_text("a library's code");
}

/* And where the sources include CUB, whose merges do so, it is no finding. */
Test(check, unwritten_shared_perhaps_by_cub)
{
    struct ptx_var v = {.name = "_ZN4x7thrust3seqE"}, w = {.name = "_ZN4x6thrust3seqE"};
    struct ptx_var *vars[] = {&v};
    struct ptx_module ptx = {.vars = vars, .nvars = 1}, *all[] = {&ptx};
    struct emu_module m = {.ptx = all, .nptx = 1};
    struct emu_func f = {.module = &m};
    uint64_t addr[32] = {0};
    struct site s = {.ptx_line = 30, .opcode = "ld.shared.u32"};
    struct access a = {.site = &s, .space = ACCESS_SHARED, .size = 4, .mask = 1, .addr = addr};

    for (int i = 0; i < 2; i++) {
        vars[0] = i ? &v : &w;
        the_func = &f;
        launch(1, 32);
        l->access(l, &blocks[0], &a);
        finish(1);
        cr_assert_eq(warplabFindingCount(), (size_t)i);
    }
}

/* A toolkit's header inlined into a program's kernel: lane k at word k * step. */
static void by_a_header(enum access_kind kind, uint32_t step)
{
    uint64_t addr[32];
    uint32_t words[32], *value[4] = {words, words, words, words};
    struct access a = {.site = line(20, "op"), .kind = kind, .space = ACCESS_SHARED, .size = 4};

    sites[20].inner_file = "/usr/local/cuda/include/scan.h";
    sites[20].inner_line = 9;
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = 4 * i * step, words[i] = i;
    a.mask = ~0u, a.addr = addr;
    a.value = kind == ACCESS_STORE ? (const uint32_t *const *)value : NULL;
    l->access(l, &blocks[0], &a);
}

/* CUB throws what nobody reads into one place; cooperative groups rest on a shuffle between
 * a read and the next write. With the program's own accesses, and in other warps, it is a race. */
Test(check, a_library_inside_a_warp)
{
    launch(1, 64);
    by_a_header(ACCESS_STORE, 0);
    by_a_header(ACCESS_LOAD, 0);
    by_a_header(ACCESS_STORE, 1);
    expect(NULL, 0);
    go(0, 0, 13, SH(LD, .base = 4, .same = true, ONE));
    expect("shared-race", 13);
}

Test(check, a_race_without_lines)
{
    uint64_t addr[32] = {0};
    struct site s = {.ptx_line = 30, .opcode = "ld.shared.u32"};
    struct access a = {.site = &s, .space = ACCESS_SHARED, .size = 4, .mask = 1, .addr = addr};

    launch(1, 32);
    go(0, 0, 10, SH(ST, .same = true, .mask = 2));
    l->access(l, &blocks[0], &a);
    expect("shared-race", 0);
    expect_text("a library's code");
}

Test(check, a_library_and_another_warp)
{
    launch(1, 64);
    by_a_header(ACCESS_STORE, 1);
    go(0, 1, 13, SH(LD));
    finish(1);
    expect("shared-race", 13);
}

Test(check, unwritten_local)
{
    launch(1, 32);
    go(0, 0, 10, LO(ST, .base = 16, .mask = 0xf));
    go(0, 0, 11, LO(LD, .base = 16, .mask = 0xf));
    expect(NULL, 0);
    go(0, 0, 12, LO(LD, .base = 16, .mask = 0x1f));
    finish(1);
    expect("uninitialised-read", 12);
}

/* ---- barriers ---- */

Test(check, barrier_in_a_branch)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(10, "barrier.sync"), 0, 0xffff, 0, false);
    expect(NULL, 0);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    expect(NULL, 0); /* the others may be about to exit */
    l->barrier_leave(l, &blocks[0], 0);
    expect("barrier-divergence", 12);
}

Test(check, barrier_never_left)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    l->launch_end(l, &blocks[0]); /* deadlock: the block does not end */
    expect("barrier-divergence", 12);
}

Test(check, part_of_a_warp_exits_late)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "barrier.sync"), 1, 0xffff, 0, true);
    l->lanes_exit(l, &blocks[0], 1, 0xffff0000);
    l->barrier_leave(l, &blocks[0], 0);
    finish(1);
    expect("barrier-exited", 12);
}

Test(check, barrier_after_exit)
{
    launch(1, 40);
    for (uint32_t w = 0; w < 2; w++)
        l->barrier_arrive(l, &blocks[0], line(10, "bar.sync"), w, w ? 0xff : ~0u, 0, true);
    l->barrier_leave(l, &blocks[0], 0);
    expect(NULL, 0);
    l->lanes_exit(l, &blocks[0], 1, 0xf0);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 0, ~0u, 0, true);
    expect("barrier-exited", 12);
    expect_text("\"thread\":");
}

/* Warp 0's is in a branch: the others have come to the next one, and then are gone. */
Test(check, barriers_of_a_branch)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(10, "bar.sync"), 0, ~0u, 0, true);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 1, ~0u, 0, true);
    l->barrier_leave(l, &blocks[0], 0);
    expect(NULL, 0);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 0, ~0u, 0, true);
    l->lanes_exit(l, &blocks[0], 1, ~0u);
    expect("barrier-exited", 12);
    expect_text(":10 and ");
    expect_text("only some take?");
}

Test(check, exit_while_others_wait)
{
    launch(1, 64);
    l->barrier_arrive(l, &blocks[0], line(12, "bar.sync"), 0, ~0u, 0, true);
    l->lanes_exit(l, &blocks[0], 1, ~0u);
    expect("barrier-exited", 12);
}

/* ---- addresses, leaks ---- */

/* Until the next call. */
static const char *described(uint64_t addr)
{
    static struct text t;
    text_free(&t);
    mem_describe(&t, addr);
    return t.s;
}

Test(check, addresses_in_words)
{
    launch(1, 32);
    const char *s = described(other + 65536 + 12);
    cr_assert(strstr(s, "12 bytes after a 65536-byte block from cudaMalloc"), "%s", s);
    s = described(MEM_SHARED_BASE + 8);
    cr_assert_str_eq(s, "byte 8 of the block's shared memory");
    s = described(0);
    cr_assert_str_eq(s, "the null pointer");
    mem_free(other);
    s = described(other + 4);
    cr_assert(strstr(s, "byte 4 of a freed 65536-byte block"), "%s", s);
}

/* qemu-user with pages of 64 KiB lists no stack. */
static bool listed(const void *p)
{
    FILE *f = fopen("/proc/self/maps", "r");
    uint64_t from = 1, to = 0;
    char line[512];

    while (f && !(from <= (uint64_t)p && (uint64_t)p < to) && fgets(line, sizeof(line), f))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) != 2)
            break;
    if (f)
        fclose(f);
    return from <= (uint64_t)p && (uint64_t)p < to;
}

Test(check, addresses_of_the_host)
{
    static int global = 1;
    int local = 1, *heap = malloc(4);

    if (!listed(&local))
        cr_skip_test("/proc/self/maps does not have the stack");
    launch(1, 32);
    const char *s = described((uint64_t)&local);
    cr_assert(strstr(s, "of the host's"), "%s", s);
    s = described((uint64_t)heap);
    cr_assert(strstr(s, "of the host's (from malloc"), "%s", s);
    s = described((uint64_t)&global);
    cr_assert(strstr(s, "of the host's (a global variable"), "%s", s);
    s = described(24);
    cr_assert_str_eq(s, "24 bytes after the null pointer");
    s = described(1ull << 47);
    cr_assert(strstr(s, "neither the device nor the host"), "%s", s);
    s = described(other + 65536 + (1 << 20));
    cr_assert(strstr(s, "near no allocation: 1048576 bytes after the nearest, a 65536"), "%s", s);
    s = described(other + 65535 + (1 << 20));
    cr_assert(strstr(s, "1048575 bytes after") == s, "%s", s);
    free(heap);
}

Test(check, no_leaks_after_a_fault)
{
    launch(1, 32);
    finish(1);
    check_leaks(true); /* cudaFree fails then, so nothing can be said */
    expect(NULL, 0);
}

Test(check, leaks)
{
    launch(1, 32);
    finish(1);
    check_free(other);
    mem_free(other);
    check_leaks(false);
    expect("leak", 0);
    expect_text("65536-byte block from cudaMalloc");
}

/* cudaFree of a pointer into a block fails, and the block's history stays. */
Test(check, a_free_that_fails_forgets_nothing)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = other));
    check_free(other + 256);
    go(1, 0, 12, GL(LD, .base = other));
    finish(2);
    expect("global-race", 12);
}

Test(check, freeing_one_block_forgets_no_other)
{
    launch(2, 32);
    go(0, 0, 10, GL(ST, .base = data));
    go(0, 0, 11, GL(ST, .base = other));
    check_free(data);
    mem_free(data);
    go(1, 0, 12, GL(LD, .base = other));
    finish(2);
    expect("global-race", 12);
}

/* ---- matrices ---- */

/* One wmma access; lane 5's address and pitch are `other` bytes off. */
static void matrix(uint32_t mask, uint64_t addr, uint64_t pitch, uint32_t fragment, uint64_t other)
{
    uint64_t addrs[32], pitches[32];
    struct matrix_move m = {line(10, "wmma.load"), 0, mask, fragment, addrs, pitches};

    launch(1, 32);
    for (uint32_t i = 0; i < 32; i++) {
        addrs[i] = data + addr + (i == 5 ? other : 0);
        pitches[i] = pitch;
    }
    l->matrix(l, &blocks[0], &m);
    finish(1);
}

Test(check, matrices_as_cuda_wants_them)
{
    matrix(~0u, 0, 32, 32, 0);
    matrix(~0u, 96, 80, 32, 0);
    matrix(~0u, 16, 16, 16, 0);
    matrix(~0u, 8, 24, 8, 0); /* 8-bit elements: a lane holds 8 bytes */
    expect(NULL, 0);
}

Test(check, matrix_off_its_alignment)
{
    matrix(~0u, 16, 32, 32, 0);
    expect("wmma-operands", 10);
    expect_text("byte 16 of ");
}

Test(check, matrix_with_odd_rows)
{
    matrix(~0u, 0, 68, 32, 0);
    expect("wmma-operands", 10);
    expect_text("68 bytes apart");
}

Test(check, matrix_of_each_lane)
{
    matrix(~0u, 0, 32, 32, 32);
    expect("wmma-operands", 10);
}

Test(check, matrix_for_half_a_warp)
{
    matrix(0xffff, 0, 32, 32, 0);
    expect("wmma-operands", 10);
    expect_text("16 threads of the warp");
}

/* ---- masks ---- */

Test(check, lanes_outside_their_mask)
{
    launch(1, 32);
    l->outside_mask(l, &blocks[0], line(10, "shfl.sync.down.b32"), 0, 0xffff0000, 0xffff);
    finish(1);
    expect("outside-mask", 10);
    expect_text("lane 16 executes shfl.sync.down.b32, whose mask 0x0000ffff does not name it");
}

/* ---- names that a program chose ---- */

/* 3,000 bytes: letters, and now and then what JSON or a terminal takes for something else. */
static const char *odd_name(void)
{
    static const char odd[] = "\"\\\n\xff\xe2\x80\x1b\xc3\xa4";
    static char name[3001];

    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 10 ? 'a' : odd[i / 10 % (sizeof(odd) - 1)];
    return name;
}

static json_t *parsed(size_t i)
{
    json_error_t e;
    json_t *o = json_loads(warplabFinding(i), 0, &e);

    cr_assert(o, "%s: %s", e.text, warplabFinding(i));
    return o;
}

Test(check, file_names_of_any_bytes_and_length)
{
    launch(1, 64);
    for (uint32_t n = 10; n < 12; n++)
        line(n, "op");
    go(0, 0, 10, SH(ST));
    sites[10].file = odd_name();
    go(0, 1, 11, SH(LD));
    finish(1);
    cr_assert_eq(warplabFindingCount(), 1);
    json_t *o = parsed(0), *other = json_object_get(o, "other");
    const char *file = json_string_value(json_object_get(other, "file"));
    const char *message = json_string_value(json_object_get(o, "message"));
    cr_assert(strstr(file, "aaaaaaaaa\\xffaaaaaaaaa"), "%s", file);
    cr_assert(strstr(file, "aaaaaaaaa\naaaaaaaaa"), "%s", file);
    cr_assert_gt(strlen(file), 3000, "whole");
    cr_assert(strstr(message, "…"), "%s", message);
    cr_assert_null(strchr(message, 0x1b), "%s", message);
    cr_assert_lt(strlen(message), 2500, "cut with a mark: %s", message);
    cr_assert_eq(json_integer_value(json_object_get(other, "line")), 10);
    json_decref(o);
}

/* Two threads find the same: the one that only counts may come before the one with the words. */
Test(check, words_come_after_a_count)
{
    struct block_info b = {.kernel = "late", .ntid = {32, 1, 1}};
    size_t n = warplabFindingCount();

    finding_report("shared-race", &b, NULL, 5, 0x40, NULL, NULL);
    finding_report("shared-race", &b, NULL, 7, 0x40, json_pack("{s:s}", "message", "the words"),
                   "");
    finding_report("shared-race", &b, NULL, 9, 0x40, json_pack("{s:s}", "message", "more words"),
                   "");
    cr_assert_eq(warplabFindingCount(), n + 1);
    cr_assert(strstr(warplabFinding(n), "\"message\":\"the words\""), "%s", warplabFinding(n));
    cr_assert(strstr(warplabFinding(n), "\"thread\":[7,0,0]"));
    cr_assert(strstr(warplabFinding(n), "\"count\":3"));
}

/* ---- once, with a count ---- */

/* Kind, kernel and site tell findings apart; without a site the address does. */
Test(check, findings_are_kept_once)
{
    enum { SITES = 3000 };
    static struct site many[SITES];
    struct block_info k = {.kernel = "k", .ntid = {32, 1, 1}}, other_k = {.kernel = "other"};

    findings_read_always(true);
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < SITES; i++)
            finding_report("a", &k, &many[i], i, i, NULL, round ? NULL : "first");
    finding_report("b", &k, &many[7], 0, 0, NULL, "another kind");
    finding_report("a", &other_k, &many[7], 0, 0, NULL, "another kernel");
    for (int i = 0; i < 4; i++)
        finding_report("leak", NULL, NULL, 0, 4096 + 8 * (i % 2), NULL, "another address");
    cr_assert_eq(findings_count(), SITES + 4);
    for (uint32_t i = 0; i < SITES; i++) {
        char *address = xformat("\"address\":%u,\"count\":3", i);
        cr_expect(strstr(findings_json(i), address), "%s", findings_json(i));
        free(address);
    }
    cr_expect(strstr(findings_json(SITES), "\"count\":1"), "%s", findings_json(SITES));
    cr_expect(strstr(findings_json(SITES + 3), "\"count\":2"), "%s", findings_json(SITES + 3));
    findings_clear();
    finding_report("a", &k, &many[9], 1, 2, NULL, "again");
    cr_assert_eq(findings_count(), 1);
    cr_expect(strstr(findings_json(0), "\"count\":1"), "%s", findings_json(0));
}

/* The two lines of a race are one pair in either order; each of many has its count. */
Test(check, pairs_are_kept_once)
{
    enum { PAIRS_PLAYED = 300 };
    static struct site many[2 * PAIRS_PLAYED];
    static const char kind[] = "kind";
    struct block_info k = {.kernel = "k", .ntid = {32, 1, 1}};

    findings_read_always(true);
    for (uint32_t i = 0; i < 2 * PAIRS_PLAYED; i++)
        many[i] = (struct site){.line = 1 + i, .file = i % 3 ? "k.cu" : NULL};
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < PAIRS_PLAYED; i++) {
            const struct site *a = &many[2 * i], *b = &many[2 * i + 1];
            bool before = report_counted(kind, &k, round == 1 ? b : a, round == 1 ? a : b, 0, 0);
            cr_assert_eq(before, round > 0, "%d %u", round, i);
        }
    cr_expect_eq(findings_count(), PAIRS_PLAYED);
    for (uint32_t i = 0; i < PAIRS_PLAYED; i++)
        cr_expect(strstr(findings_json(i), "\"count\":2"), "%s", findings_json(i));
}

/* What is forgotten is told again, and in full. */
Test(check, forgotten)
{
    for (int time = 0; time < 2; time++) {
        launch(1, 64);
        go(0, 0, 10, SH(ST));
        go(0, 1, 11, SH(ST, .base = 64));
        finish(1);
        cr_assert_eq(warplabFindingCount(), 1);
        expect_text("race in shared memory");
        check_forget();
        cr_assert_eq(warplabFindingCount(), 0);
    }
}
