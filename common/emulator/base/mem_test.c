/* mem_test.c - device memory: faults, finding, limits, reuse, threads. */
#include "describe.h"
#include "mem.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf faulted;

static void on_fault(int signal)
{
    siglongjmp(faulted, signal);
}

Test(mem, host_access_to_device_memory_faults)
{
    struct mem_alloc *a = mem_alloc(64, 256, MEM_DEVICE, NULL);

    signal(SIGSEGV, on_fault);
    if (sigsetjmp(faulted, 1) == 0) {
        *(volatile char *)a->addr = 1;
        cr_assert_fail("no fault");
    }
}

Test(mem, contents_are_reached_through_mem_host)
{
    struct mem_alloc *a = mem_alloc(100, 256, MEM_DEVICE, NULL);

    cr_assert(a && a->addr % 256 == 0);
    memset(mem_host(a->addr, 100), 7, 100);
    cr_assert_eq(*(char *)mem_host(a->addr + 99, 1), 7);
    cr_assert_null(mem_host(a->addr, 101), "one byte too many");
    cr_assert_null(mem_host(a->addr + 100, 1), "just past the end");
    cr_assert_null(mem_host(a->addr - 1, 1), "just before");
}

Test(mem, managed_and_pinned_are_host_memory)
{
    struct mem_alloc *m = mem_alloc(8, 8, MEM_MANAGED, NULL),
                     *p = mem_alloc(8, 8, MEM_PINNED, NULL);

    *(long *)m->addr = 5;
    cr_assert_eq(*(long *)mem_host(m->addr, 8), 5);
    cr_assert_eq(p->addr, (uint64_t)p->host);
    cr_assert(!mem_in_window(m->addr) && !mem_in_window(p->addr));
}

Test(mem, large_costs_nothing_until_touched)
{
    struct mem_alloc *a = mem_alloc(4ull << 30, 256, MEM_DEVICE, NULL);

    cr_assert(a);
    ((char *)a->host)[a->size - 1] = 1;
    cr_assert_eq(mem_find(a->addr + a->size - 1), a);
}

/* With a gap behind it an array's far end is told as its own; one without elements has no inside.
 */
Test(mem, named_arrays_are_told_by_index)
{
    static const struct {
        int64_t at;
        const char *words;
    } rows[] = {
        {0, "in[0]"},
        {4000, "in[1000]"},
        {4016, "in[1004], of 1001 elements"},
        {6, "in[1] from its byte 2 on"},
        {-4, "in[-1], of 1001 elements"},
        {400000, "in[100000], of 1001 elements"},
        {1ll << 33, "far from every array"},
        {(4ll << 32) - 12, "in[4294967293], of 1001 elements: 2^32 more than in[-3]; an unsigned "
                           "index below zero?"},
    };
    uint64_t former = mem_set_gap(1 << 20);
    struct mem_alloc *a = mem_alloc(4004, 256, MEM_DEVICE, NULL);
    struct mem_alloc *b = mem_alloc(256, 256, MEM_DEVICE, NULL);
    struct text t = {0};

    cr_assert(mem_name(a->addr, "in", 4, 1001) && mem_name(b->addr, "none", 4, 0));
    cr_assert_not(mem_name(a->addr + 4, "in", 4, 1000));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        text_free(&t);
        mem_describe(&t, a->addr + (uint64_t)rows[i].at);
        cr_expect_str_eq(t.s, rows[i].words);
    }
    mem_free(b->addr);
    text_free(&t);
    mem_describe(&t, b->addr + 12);
    cr_expect_str_eq(t.s, "none[3], of 0 elements");
    text_free(&t);
    mem_set_gap(former);
}

Test(mem, freed_memory_is_explained_and_not_found)
{
    struct mem_alloc *a = mem_alloc(1000, 256, MEM_DEVICE, NULL), *b;
    uint64_t addr = a->addr, generation = mem_generation;

    cr_assert(!mem_free(addr + 256), "the middle");
    cr_assert(mem_free(addr));
    cr_assert_neq(mem_generation, generation);
    cr_assert(!mem_free(addr), "twice");
    cr_assert_null(mem_find(addr));
    cr_assert(mem_nearest(addr + 5) == a && !a->live);
    b = mem_alloc(1000, 256, MEM_DEVICE, NULL);
    cr_assert_neq(b->addr, addr, "used again while fresh addresses are left");
}

Test(mem, limit_counts_device_memory_only)
{
    uint64_t used, peak;

    mem_set_limit(1 << 20);
    cr_assert_null(mem_alloc((1 << 20) + 1, 256, MEM_DEVICE, NULL));
    struct mem_alloc *a = mem_alloc(1 << 19, 256, MEM_DEVICE, NULL);
    cr_assert(a);
    cr_assert_null(mem_alloc((1 << 19) + 1, 256, MEM_MANAGED, NULL));
    cr_assert(mem_alloc(1 << 22, 256, MEM_PINNED, NULL), "pinned memory is the host's");
    mem_free(a->addr);
    mem_usage(0, &used, &peak);
    cr_assert_eq(used, 0);
    cr_assert_eq(peak, 1 << 19);
}

/* Whole pages go back to the system, which must not take a neighbour's part of one. */
Test(mem, freeing_clears_one_allocation_and_no_other)
{
    enum { N = 16, SIZE = 5 * 4096 };
    struct mem_alloc *a[N];

    for (int i = 0; i < N; i++) {
        a[i] = mem_alloc(SIZE, 256, MEM_DEVICE, NULL);
        memset(a[i]->host, 1 + i, SIZE);
    }
    for (int i = 0; i < N; i += 2)
        cr_assert(mem_free(a[i]->addr));
    for (int i = 0; i < N; i++)
        for (int at = 0; at < SIZE; at++)
            cr_assert_eq(a[i]->host[at], i % 2 ? 1 + i : 0, "allocation %d, byte %d", i, at);
}

/* 2000 times 1 GiB is more than there is address space: places are used again, and clean. */
/* Pages are kept for the next one; with more alive than are kept, new ones are taken. */
Test(mem, contents_begin_as_zero_and_apart)
{
    enum { N = 40, SIZE = 3 << 20 };
    struct mem_alloc *a[N];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            uint64_t size = i % 3 ? SIZE + (uint64_t)i : 70000;

            a[i] = mem_alloc(size, 256, MEM_DEVICE, NULL);
            cr_assert(a[i]->host[0] == 0 && a[i]->host[size - 1] == 0 && a[i]->host[5000] == 0);
            memset(a[i]->host, i + 1, size);
        }
        for (int i = 0; i < N; i++) {
            for (uint64_t at = 0; at < a[i]->size; at += 4096)
                cr_assert_eq(a[i]->host[at], i + 1);
            cr_assert_eq(a[i]->host[a[i]->size - 1], i + 1);
            cr_assert(mem_free(a[i]->addr));
        }
    }
}

Test(mem, addresses_are_reused_when_none_are_fresh)
{
    for (int i = 0; i < 2000; i++) {
        struct mem_alloc *a = mem_alloc(1ull << 30, 256, MEM_DEVICE, NULL);

        cr_assert(a, "round %d", i);
        cr_assert_eq(((char *)a->host)[123456], 0, "round %d: not clean", i);
        ((char *)a->host)[123456] = 1;
        cr_assert_eq(mem_find(a->addr + (1 << 29)), a);
        cr_assert(mem_free(a->addr));
    }
}

/* Freed neighbours serve a larger allocation together, and are found as one. */
Test(mem, freed_neighbours_are_merged)
{
    struct mem_alloc *big = NULL;

    for (int i = 0; i < 1500 && mem_alloc(1ull << 29, 256, MEM_DEVICE, NULL); i++)
        ;
    while (mem_alloc(1ull << 29, 256, MEM_DEVICE, NULL))
        ;
    mem_reset(0);
    big = mem_alloc(3ull << 30, 256, MEM_DEVICE, NULL);
    cr_assert(big);
    for (uint64_t at = 0; at < big->size; at += 1 << 28)
        cr_assert_eq(mem_find(big->addr + at), big, "byte %lu", at);
    cr_assert_null(mem_find(big->addr + big->size));
}

Test(mem, registered_memory_must_not_overlap)
{
    static char buffer[4096];

    cr_assert(mem_register(buffer, 4096));
    cr_assert_null(mem_register(buffer + 4095, 10));
    cr_assert_eq(mem_host((uint64_t)buffer + 8, 8), buffer + 8);
    mem_reset(0);
    cr_assert(mem_find((uint64_t)buffer), "a reset leaves the caller's memory registered");
    cr_assert(mem_free((uint64_t)buffer));
    cr_assert_null(mem_find((uint64_t)buffer));
}

Test(mem, heap_of_kernels_has_a_limit)
{
    mem_set_heap_limit(0, 4096);
    struct mem_alloc *a = mem_alloc(4000, 16, MEM_HEAP, NULL);
    cr_assert(a);
    cr_assert_null(mem_alloc(97, 16, MEM_HEAP, NULL));
    cr_assert(mem_alloc(96, 16, MEM_HEAP, NULL));
    cr_assert(mem_alloc(1 << 20, 16, MEM_DEVICE, NULL), "not of the heap");
    mem_free(a->addr);
    cr_assert(mem_alloc(4000, 16, MEM_HEAP, NULL), "what was freed is there again");
    cr_assert_null(mem_alloc(UINT64_MAX - 8, 16, MEM_HEAP, NULL));
}

static void count(const struct mem_alloc *a, void *arg)
{
    uint64_t *last = arg;

    cr_assert_gt(a->serial, *last);
    *last = a->serial;
}

Test(mem, each_goes_by_age)
{
    uint64_t last = 0;

    mem_alloc(8, 8, MEM_MANAGED, NULL);
    mem_alloc(8, 8, MEM_DEVICE, NULL);
    mem_alloc(8, 8, MEM_PINNED, NULL);
    mem_each(count, &last);
    cr_assert_eq(last, 3);
}

static _Atomic bool stop;

static void *reader(void *arg)
{
    const struct mem_alloc *mine = arg;

    while (!stop)
        if (mem_find(mine->addr + 10) != mine)
            return "lost";
    return NULL;
}

Test(mem, finding_while_others_allocate)
{
    struct mem_alloc *mine = mem_alloc(64, 256, MEM_DEVICE, NULL);
    pthread_t t;
    void *result;

    pthread_create(&t, NULL, reader, mine);
    for (int i = 0; i < 20000; i++)
        mem_free(mem_alloc(64, 256, i % 2 ? MEM_DEVICE : MEM_HEAP, NULL)->addr);
    stop = true;
    pthread_join(t, &result);
    cr_assert_null(result);
}

/* An address that memory comes to and goes from. */
Test(mem, reserved_addresses)
{
    struct text t = {0};
    uint64_t before, now, addr = mem_reserve(0, 5000);

    mem_usage(0, &before, NULL);
    cr_assert(addr && !mem_find(addr) && !mem_free(addr));
    for (int i = 0; i < 2; i++) {
        cr_assert(mem_back(addr) && !mem_back(addr));
        uint8_t *host = mem_host(addr, 5000);
        cr_assert(host && host[4999] == 0);
        host[4999] = 1;
        mem_usage(0, &now, NULL);
        cr_assert_eq(now, before + 5000);
        cr_assert(mem_free(addr) && !mem_find(addr));
    }
    mem_describe(&t, addr + 8);
    cr_assert_str_eq(text_str(&t),
                     "byte 8 of a 5000-byte block of a graph's, which is not allocated now "
                     "(allocation 3)");
    text_free(&t);
    mem_unreserve(addr);
    cr_assert(!mem_back(addr));
}
