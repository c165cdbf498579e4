/* play.h - kernels played by hand: events sent to the checker as the interpreter would.
 *
 * For the checker's tests. Each test plays one small kernel and states which findings there
 * must be. Criterion runs a test in a process of its own, so every one starts with none.
 */
#ifndef CHECK_PLAY_H
#define CHECK_PLAY_H
#include "check.h"
#include "base/text.h"
#include "emulator/base/describe.h"
#include "emulator/code/code.h"
#include "emulator/base/mem.h"
#include "emulator/runtime/warplab.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 100, BLOCKS = 4 };
static struct site sites[LINES];
static struct block_info blocks[BLOCKS];
static struct listener *l;
static uint8_t shared[BLOCKS][65536];
static struct emu_func *the_func;
static uint64_t data, other; /* two device allocations of 64 KiB */

static inline const struct site *line(uint32_t n, const char *opcode)
{
    sites[n] = (struct site){.line = n, .file = "k.cu", .opcode = opcode, .index = n};
    return &sites[n];
}

static inline void block_start(uint32_t i, uint32_t nblocks, uint32_t threads)
{
    static uint64_t launch;

    if (i == 0)
        launch++;
    blocks[i] = (struct block_info){
        .kernel = "k",
        .func = the_func,
        .launch = launch,
        .index = i,
        .ctaid = {i, 0, 0},
        .ntid = {threads, 1, 1},
        .nctaid = {nblocks, 1, 1},
        .threads = threads,
        .warps = (threads + 31) / 32,
        .shared_bytes = sizeof(shared[0]),
        .shared_extent = sizeof(shared[0]),
        .shared = shared[i],
    };
    if (i == 0)
        l->launch_begin(l, &blocks[0]);
    l->block_begin(l, &blocks[i]);
}

/* A launch of n blocks of which all run at once. */
static inline void launch(uint32_t n, uint32_t threads)
{
    l = check_listener();
    if (!data) {
        check_enable();
        data = mem_alloc(65536, 256, MEM_DEVICE, NULL)->addr;
        other = mem_alloc(65536, 256, MEM_DEVICE, NULL)->addr;
        check_host_write(data, 65536);
    }
    for (uint32_t i = 0; i < n; i++)
        block_start(i, n, threads);
}

/* What an access has in common in these kernels: lane i is at base + i * step,
 * a step of 0 meaning 4, unless all are at the same place. */
struct move {
    enum access_space space;
    enum access_kind kind;
    uint64_t base;
    int64_t step;
    bool same;
    uint8_t size, order, scope;
    bool is_volatile, collective;
    uint32_t mask;
    bool same_value, cas;
};

static inline const struct site *access_line(uint32_t n, const struct move *m)
{
    bool atomic = m->kind == ACCESS_ATOMIC;
    line(n, m->cas ? "atom.global.cas.b32" : atomic ? "atom.add.u32" : "op");
    sites[n].store = m->kind == ACCESS_STORE && !m->collective;
    sites[n].atomic = atomic;
    sites[n].cas = m->cas;
    return &sites[n];
}

static inline void go(uint32_t block, uint32_t warp, uint32_t n, struct move m)
{
    uint64_t addr[32];
    uint32_t words[32], *value[4] = {words, words, words, words};
    struct access a = {
        .site = access_line(n, &m),
        .kind = m.kind,
        .space = m.space,
        .is_volatile = m.is_volatile,
        .collective = m.collective,
        .order = m.order,
        .scope = m.scope,
        .size = m.size ? m.size : 4,
        .warp = warp,
        .mask = m.mask ? m.mask : ~0u,
        .addr = addr,
        .value = m.kind == ACCESS_STORE ? (const uint32_t *const *)value : NULL,
    };

    for (int64_t i = 0; i < 32; i++) {
        addr[i] = m.base + (m.same ? 0 : (uint64_t)(i * (m.step ? m.step : 4)));
        words[i] = m.same_value ? 7 : 1000 * n + (uint32_t)i + 1;
    }
    l->access(l, &blocks[block], &a);
}

#define SH(...) ((struct move){.space = ACCESS_SHARED, __VA_ARGS__})
#define GL(...) ((struct move){.space = ACCESS_GLOBAL, __VA_ARGS__})
#define LO(...) ((struct move){.space = ACCESS_LOCAL, .same = true, __VA_ARGS__})
#define LD      .kind = ACCESS_LOAD
#define ST      .kind = ACCESS_STORE
#define AT      .kind = ACCESS_ATOMIC, .order = 1, .scope = 3
#define CAS     AT, .same = true, .cas = true
#define ONE     .mask = 1

static inline void arrive(uint32_t block, uint32_t warp, uint32_t n, uint32_t id, bool waits)
{
    line(n, waits ? "barrier.sync" : "barrier.arrive");
    sites[n].arrives = !waits;
    l->barrier_arrive(l, &blocks[block], &sites[n], warp, ~0u, id, true);
}

static inline void syncthreads(uint32_t block)
{
    for (uint32_t w = 0; w < blocks[block].warps; w++)
        arrive(block, w, 99, 0, true);
    l->barrier_leave(l, &blocks[block], 0);
}

static inline void syncwarp(uint32_t block, uint32_t warp, uint32_t mask, bool sync)
{
    l->warp_sync(l, &blocks[block], line(98, "bar.warp.sync"), warp, mask, sync);
}

static inline void fence(uint32_t block, uint32_t warp, uint8_t scope)
{
    l->fence(l, &blocks[block], line(97, "fence.acq_rel.gpu"), warp, ~0u, scope, 6);
}

static inline void finish(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        l->block_end(l, &blocks[i]);
    l->launch_end(l, &blocks[0]);
}

void report_launch_end(const struct emu_func *f); /* private.h */

/* Findings so far are exactly one of this kind at this line (0: at none); kind NULL: none. */
static inline void expect(const char *kind, unsigned at)
{
    char where[32];

    report_launch_end(the_func); /* races wait for their block's end */
    size_t n = warplabFindingCount();
    if (!kind) {
        cr_assert_eq(n, 0, "unexpected: %s", n ? warplabFinding(0) : "");
        return;
    }
    cr_assert_eq(n, 1, "expected one %s, got %zu, last %s", kind, n,
                 n ? warplabFinding(n - 1) : "");
    snprintf(where, sizeof(where), "\"line\":%u", at);
    cr_assert(strstr(warplabFinding(0), kind), "not %s: %s", kind, warplabFinding(0));
    cr_assert(!at || strstr(warplabFinding(0), where), "not at line %u: %s", at, warplabFinding(0));
}

static inline void expect_text(const char *text)
{
    cr_assert(strstr(warplabFinding(0), text), "no '%s' in %s", text, warplabFinding(0));
}
#endif
