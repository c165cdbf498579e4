/* pace_test.c - a block's life by its own dependences: chains, loads, barriers. */
#include "emulator/base/mem.h"
#include "emulator/base/profile.h"
#include "emulator/exec/launch.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 1 << 24 }; /* more than L2 holds */

/* Of a launch of one cluster of so many blocks. */
static struct sampled sampled_in(const char *body, uint32_t threads, uint32_t blocks)
{
    static char text[1 << 16];
    const char *texts[] = {text};
    struct mem_alloc *a = mem_alloc(WORDS * 4, 256, MEM_DEVICE, NULL);
    struct emu_module *m;
    struct emu_result r = {0};
    int n =
        snprintf(text, sizeof(text),
                 ".version 8.0\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<10>;\n.reg .f32 %%f<10>;\n"
                 ".reg .b64 %%d<10>;\n.reg .pred %%p<4>;\n.shared .align 16 .b32 s[256];\n"
                 ".reg .f32 %%w<128>;\n.shared .align 8 .b64 m[2];\n"
                 ".shared .align 1024 .b32 tiles[10240];\n"
                 "ld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\n%s\nret;\n}\n",
                 body);
    size_t length = (size_t)n;
    cr_assert_lt(length, sizeof(text));
    cr_assert_eq(emu_module_load(texts, &length, 1, "test", &m), cudaSuccess);
    struct emu_launch l = {.func = emu_module_func(m, "k"),
                           .grid = {blocks, 1, 1},
                           .cluster = {blocks, 1, 1},
                           .block = {threads, 1, 1},
                           .params = &a->addr};
    cr_assert_eq(emu_launch(&l, &r), cudaSuccess);
    return r.sampled;
}

static struct sampled sampled_of(const char *body, uint32_t threads)
{
    return sampled_in(body, threads, 1);
}

/* `one` n times. */
static char *times(const char *one, int n)
{
    static char text[1 << 15];
    text[0] = 0;
    for (int i = 0; i < n; i++)
        strcat(text, one);
    return text;
}

static double life(const char *body, uint32_t threads)
{
    return sampled_of(body, threads).life_l2;
}

Test(pace, a_chain_takes_its_latencies)
{
    double alu = device_profile()->alu_latency_cycles;
    double chain = life(times("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 100), 32);
    cr_expect(fabs(chain - 100 * alu) < 2 * alu, "%g cycles", chain);
}

/* A scheduler that has warps of one block alone does not issue in each cycle where they ask memory.
 */
Test(pace, independent_instructions_as_the_scheduler_issues)
{
    const struct device_profile *d = device_profile();
    char body[1 << 14];
    snprintf(body, sizeof(body), "%sst.shared.u32 [s], %%r0;\n",
             times("fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f32 %f2, %f2, %f2, %f2;\n"
                   "fma.rn.f32 %f3, %f3, %f3, %f3;\nfma.rn.f32 %f4, %f4, %f4, %f4;\n",
                   25));
    double stored = life(body, 32);
    *strstr(body, "st.shared") = 0;
    double four = life(body, 32), each = d->machine_insts_per_ptx;
    cr_expect(fabs(four - 100 * fmax(each, 1)) < 8, "%g cycles", four);
    cr_expect(fabs(stored - 100 * each * d->block_issue_cycles) < 8, "%g cycles", stored);
}

/* Rounds of arithmetic follow each other; with a load in them there is a branch after four. */
Test(pace, a_loop_of_arithmetic_is_unrolled)
{
    static const char loop[] = "mov.u32 %%r1, 0;\nL:\nfma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n%s"
                               "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p0, %%r1, 1000;\n"
                               "@%%p0 bra L;\n";
    char body[256];
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body), loop, k ? "ld.shared.u32 %r2, [s];\n" : "");
        t[k] = life(body, 32);
    }
    double chain = 1000 * device_profile()->alu_latency_cycles;
    double branches = (t[1] - chain) / device_profile()->branch_cycles;
    cr_expect(t[0] < 3 * chain, "%g cycles", t[0]);
    cr_expect(branches > 230 && branches < 400, "%g cycles", t[1]);
}

/* Four turns' loads go side by side, unless each has its address from the one before. */
Test(pace, loads_of_a_loop)
{
    static const char loop[] = "mov.u32 %%r1, 0;\nmov.u64 %%d1, %%d0;\nL:\n"
                               "ld.global.u32 %%r2, [%%d1];\n%s"
                               "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p0, %%r1, 16;\n"
                               "@%%p0 bra L;\n";
    char body[512];
    double t[2], l2 = device_profile()->l2_latency_cycles;
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body), loop,
                 k ? "and.b32 %r2, %r2, 0;\nadd.u32 %r2, %r2, 512;\n"
                     "cvt.u64.u32 %d2, %r2;\nadd.u64 %d1, %d1, %d2;\n"
                   : "add.u64 %d1, %d1, 512;\nadd.u32 %r3, %r3, %r2;\n");
        t[k] = life(body, 32);
    }
    cr_expect(t[0] > 4 * l2 && t[0] < 5 * l2, "%g cycles", t[0]);
    cr_expect(t[1] > 16 * l2, "%g cycles", t[1]);
}

/* What is loaded a step ahead is there when it is used: the scheduler issues in each cycle. */
Test(pace, words_that_are_loaded_ahead)
{
    const struct device_profile *d = device_profile();
    char body[1 << 14];
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body), "ld.shared.u32 %%r1, [s];\n%s%s%s",
                 k ? "" : "add.u32 %r2, %r1, %r1;\n",
                 times("fma.rn.f32 %f1, %f2, %f2, %f2;\n", 400),
                 k ? "add.u32 %r2, %r1, %r1;\n" : "");
        t[k] = life(body, 128);
    }
    cr_expect(fabs(t[0] / t[1] - d->block_issue_cycles) < 0.3, "%g and %g cycles", t[0], t[1]);
}

/* A warp's loads of 32 lines follow each other: L1 looks so many of them up in one pass. */
Test(pace, loads_go_through_l1_one_after_the_other)
{
    const struct device_profile *d = device_profile();
    static const char at[] = "mul.wide.u32 %%d1, %%r0, 132;\nadd.u64 %%d1, %%d1, %%d0;\n"
                             "ld.global.u32 %%r1, [%%d1];\nadd.u32 %%r1, %%r1, 1;\n"
                             "bar.sync 0;\n%s";
    char body[1 << 16];
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body), at,
                 k ? times("ld.global.u32 %r2, [%d1];\n", 4) : "ld.global.u32 %r2, [%d1];\n");
        t[k] = life(body, 32);
    }
    cr_expect(fabs(t[1] - t[0] - 3 * ceil(32 / d->l1_lines_per_pass)) < 3, "%g and %g", t[0], t[1]);
}

/* Two of four warps skip a load and a store; all are counted as two warps' passes. */
Test(pace, what_is_predicated_off_takes_passes)
{
    struct sampled s = sampled_of("setp.ge.u32 %p0, %r0, 64;\nshl.b32 %r1, %r0, 2;\n"
                                  "mov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\n@%p0 bra E;\n"
                                  "ld.shared.u32 %r3, [%r2];\nst.shared.u32 [%r2], %r3;\nE:\n",
                                  128);
    cr_expect_eq(s.shared_skipped, 4);
    cr_expect_eq(s.shared_joined, 0);
}

/* Of four neighbouring words that all lanes load, three come with the first; not where lanes have
 * places of their own. */
Test(pace, loads_that_are_joined)
{
    struct sampled s =
        sampled_of("ld.shared.f32 %f1, [s];\nld.shared.f32 %f2, [s+4];\n"
                   "ld.shared.f32 %f3, [s+8];\nld.shared.f32 %f4, [s+12];\n"
                   "ld.shared.f32 %f5, [s+16];\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\n"
                   "add.u32 %r2, %r2, %r1;\nld.shared.f32 %f6, [%r2];\n"
                   "ld.shared.f32 %f7, [%r2+4];\n",
                   32);
    cr_expect_eq(s.shared_joined, 3);
    cr_expect_eq(s.shared_skipped, 0);
}

/* Eight warps on four schedulers: two on each. */
Test(pace, warps_share_the_schedulers)
{
    const char *body = times("fma.rn.f32 %f1, %f2, %f2, %f2;\n", 400);
    double one = life(body, 32), four = life(body, 128), eight = life(body, 256);
    cr_expect(fabs(four / one - 1) < 0.02, "%g and %g cycles", one, four);
    cr_expect(fabs(eight / one - 2) < 0.05, "%g and %g cycles", one, eight);
}

static const char dependent[] = "ld.global.u32 %r1, [%d0];\nmul.wide.u32 %d1, %r1, 512;\n"
                                "add.u64 %d1, %d1, %d0;\nld.global.u32 %r2, [%d1+4096];\n"
                                "add.u32 %r3, %r1, %r2;\nst.global.u32 [%d0], %r3;\n";
static const char independent[] = "ld.global.u32 %r1, [%d0];\nld.global.u32 %r2, [%d0+4096];\n"
                                  "add.u32 %r3, %r1, %r2;\nst.global.u32 [%d0], %r3;\n";

Test(pace, loads_that_wait_for_each_other)
{
    const struct device_profile *d = device_profile();
    struct sampled two = sampled_of(dependent, 32), one = sampled_of(independent, 32);
    cr_expect(fabs(two.life_l2 - 2 * d->l2_latency_cycles) < 30, "%g cycles", two.life_l2);
    cr_expect(fabs(one.life_l2 - d->l2_latency_cycles) < 30, "%g cycles", one.life_l2);
    double more = d->dram_latency_cycles - d->l2_latency_cycles;
    cr_expect(fabs(two.life_dram - two.life_l2 - 2 * more) < 1, "%g cycles", two.life_dram);
    cr_expect(fabs(one.life_dram - one.life_l2 - more) < 1, "%g cycles", one.life_dram);
}

Test(pace, the_second_load_of_a_line_is_near)
{
    const struct device_profile *d = device_profile();
    double t = life("ld.global.u32 %r1, [%d0];\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d1, %d0;\n"
                    "ld.global.u32 %r2, [%d1];\nst.global.u32 [%d0], %r2;\n",
                    32);
    cr_expect(fabs(t - d->l2_latency_cycles - d->l1_latency_cycles) < 30, "%g cycles", t);
}

/* The last of 32 lines comes later than the first would alone. */
Test(pace, many_lines_from_dram)
{
    const struct device_profile *d = device_profile();
    struct sampled s = sampled_of("mul.wide.u32 %d1, %r0, 128;\nadd.u64 %d1, %d1, %d0;\n"
                                  "ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1], %r1;\n",
                                  32);
    double more = d->dram_latency_cycles + 5 * d->dram_spread_cycles - d->l2_latency_cycles;
    cr_expect(fabs(s.life_dram - s.life_l2 - more) < 1, "%g and %g cycles", s.life_l2, s.life_dram);
}

/* Warp 1 alone has the long chain: all wait for it. */
Test(pace, a_barrier_waits_for_the_last_warp)
{
    char body[1 << 13];
    snprintf(body, sizeof(body),
             "setp.lt.u32 %%p0, %%r0, 32;\n@%%p0 bra SHORT;\n%sSHORT:\nbar.sync 0;\n",
             times("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 100));
    double alone = life("bar.sync 0;\n", 64), t = life(body, 64);
    cr_expect(t > alone + 100 * device_profile()->alu_latency_cycles, "%g after %g", t, alone);
}

Test(pace, conflicts_hold_a_load_up)
{
    char body[256];
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body),
                 "mul.lo.u32 %%r1, %%r0, %d;\nand.b32 %%r1, %%r1, 1020;\nmov.u32 %%r2, s;\n"
                 "add.u32 %%r2, %%r2, %%r1;\nst.shared.u32 [%%r2], %%r0;\nld.shared.u32 %%r3, "
                 "[%%r2];\nst.shared.u32 [%%r2], %%r3;\n",
                 k ? 128 : 4);
        t[k] = life(body, 32);
    }
    cr_expect(t[1] > t[0] + 5, "%g and %g", t[0], t[1]);
}

/* Of a loop that is too long to be watched to its end the rest is taken to go on so. */
Test(pace, a_long_loop)
{
    static const char loop[] =
        "mov.u32 %%r1, 0;\nL:\nfma.rn.f32 %%f1, %%f1, %%f1, %%f1;\n"
        "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p0, %%r1, %d;\n@%%p0 bra L;\n";
    char body[256];
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body), loop, k ? 40000 : 2000);
        t[k] = life(body, 32);
    }
    cr_expect(fabs(t[1] / t[0] - 20) < 0.5, "%g and %g cycles", t[0], t[1]);
}

/* Copies on their way while other work goes on: waiting for them costs what is left. */
Test(pace, an_asynchronous_copy)
{
    char body[1 << 16]; /* more than any text of times() */
    double t[2];
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof(body),
                 "mov.u32 %%r2, s;\ncp.async.ca.shared.global [%%r2], [%%d0], 4;\n"
                 "cp.async.commit_group;\n%scp.async.wait_group 0;\n",
                 k ? times("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 50) : "");
        t[k] = life(body, 32);
    }
    cr_expect(t[0] > device_profile()->l2_latency_cycles, "%g cycles", t[0]);
    cr_expect(t[1] < t[0] + 60, "%g and %g cycles", t[0], t[1]);
}

static const char short_chain[] = "setp.%s.u32 %%p0, %%r0, 64;\n@%%p0 bra %s;\n%s%s:\n";

/* Of four warps two have a chain before their barrier, two behind theirs: neither waits for the
 * other's. */
Test(pace, barriers_of_some_warps)
{
    char body[1 << 15], chain[1 << 12], before[1 << 13], after[1 << 13];
    double cycles = 100 * device_profile()->alu_latency_cycles;
    snprintf(chain, sizeof(chain), "%s", times("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 100));
    snprintf(before, sizeof(before), short_chain, "ge", "B", chain, "B");
    snprintf(after, sizeof(after), short_chain, "lt", "A", chain, "A");
    snprintf(body, sizeof(body),
             "%sshr.u32 %%r1, %%r0, 6;\nadd.u32 %%r1, %%r1, 1;\n"
             "bar.sync %%r1, 64;\n%s",
             before, after);
    double t = life(body, 128);
    cr_expect(t > cycles && t < 1.5 * cycles, "%g cycles of a chain of %g", t, cycles);
}

#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"

Test(pace, a_barrier_of_the_cluster)
{
    const struct device_profile *d = device_profile();
    double one = sampled_in(CLUSTER_SYNC, 64, 2).life_l2;
    double five = sampled_in(times(CLUSTER_SYNC, 5), 64, 2).life_l2;
    double each = d->cluster_barrier_cycles + 2 * d->cluster_barrier_warp_cycles;
    cr_expect(fabs((five - one) / 4 - each) < 20, "%g and %g cycles", one, five);
}

/* Warp 1 waits for warp 0's arrival, behind a chain; in vain many times, which costs nothing. */
Test(pace, an_mbarrier_waits_for_its_arrivals)
{
    const struct device_profile *d = device_profile();
    char body[1 << 14];
    snprintf(body, sizeof(body),
             "setp.ne.u32 %%p0, %%r0, 0;\n@%%p0 bra I;\nmbarrier.init.shared.b64 [m], 1;\nI:\n"
             "bar.sync 0;\nsetp.ge.u32 %%p0, %%r0, 32;\n@%%p0 bra W;\n%s"
             "setp.ne.u32 %%p0, %%r0, 0;\n@%%p0 bra E;\nmbarrier.arrive.shared.b64 _, [m];\n"
             "bra E;\nW:\nmbarrier.try_wait.parity.shared.b64 %%p1, [m], 0;\n@!%%p1 bra W;\n"
             "E:\n",
             times("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 200));
    double t = life(body, 64), least = 200 * d->alu_latency_cycles + d->mbarrier_cycles;
    cr_expect(t > least && t < least + 200, "%g cycles, at least %g", t, least);
}

/* One thread fetches tiles and waits for them: each takes the way there, and its bytes their time.
 */
Test(pace, a_bulk_copy)
{
    const struct device_profile *d = device_profile();
    double t[2];
    for (int k = 0; k < 2; k++) {
        char body[1 << 11];
        uint32_t bytes = k ? 16384 : 1024;
        snprintf(
            body, sizeof(body),
            "mov.u32 %%r1, tiles;\nmov.u32 %%r2, m;\nmbarrier.init.shared.b64 [m], 1;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [m], %u;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r1], [%%d0], "
            "%u, [%%r2];\nW:\nmbarrier.try_wait.parity.shared.b64 %%p1, [m], 0;\n"
            "@!%%p1 bra W;\n",
            bytes, bytes);
        t[k] = life(body, 1) - bytes / d->bulk_burst_bytes_per_cycle;
    }
    cr_expect(t[0] > d->bulk_latency_cycles && t[0] < d->bulk_latency_cycles + 60, "%g", t[0]);
    cr_expect(fabs(t[1] - t[0]) < 1, "%g and %g cycles", t[0], t[1]);
}

static char *products(int n, uint32_t columns, const char *wait)
{
    static char text[1 << 15];
    int at = 0;
    for (int i = 0; i < n; i++) {
        at += sprintf(text + at, "wgmma.mma_async.sync.aligned.m64n%uk16.f32.f16.f16 {", columns);
        for (uint32_t k = 0; k < columns / 2; k++)
            at += sprintf(text + at, "%s%%w%u", k ? ", " : "", k);
        at += sprintf(text + at, "}, 0, 0, 1, 1, 1, 0, 0;\n");
    }
    sprintf(text + at, "wgmma.commit_group.sync.aligned;\n%s", wait);
    return text;
}

/* Two groups of four warps share the tensor cores; they are waited for where the code says so. */
Test(pace, warp_groups_share_the_tensor_cores)
{
    static const char wait[] = "wgmma.wait_group.sync.aligned 0;\n";
    double each = 2.0 * 64 * 256 * 16 / device_profile()->tensor_flop_per_cycle;
    double not_waited = life(products(4, 256, ""), 128), one = life(products(4, 256, wait), 128);
    double two = life(products(4, 256, wait), 256);
    cr_expect(not_waited < each, "%g cycles", not_waited);
    cr_expect(fabs(one - 4 * each - device_profile()->wgmma_latency_cycles) < 20, "%g cycles", one);
    cr_expect(two > 1.5 * one && two < 2.1 * one, "%g and %g cycles", one, two);
}
