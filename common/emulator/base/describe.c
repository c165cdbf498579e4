/* describe.c - an address in words: see describe.h. */
#include "describe.h"
#include "options.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_words[] = {
    [MEM_DEVICE] = "block from cudaMalloc",
    [MEM_GLOBAL] = "variable",
    [MEM_HEAP] = "block from malloc in a kernel",
    [MEM_MANAGED] = "block from cudaMallocManaged",
    [MEM_PINNED] = "block from cudaMallocHost",
    [MEM_REGISTERED] = "range given to cudaHostRegister",
    [MEM_WORKSPACE] = "block of the emulator's own",
    [MEM_IMPORTED] = "block of another process's",
};

static void put_window(struct text *t, uint64_t addr)
{
    uint64_t window = addr & MEM_WINDOW_MASK, at = addr & ~MEM_WINDOW_MASK;

    if (window == MEM_SHARED_BASE)
        text_addf(t, "byte %" PRIu64 " of the block's shared memory", at);
    else if (window == MEM_LOCAL_BASE)
        text_addf(t, "byte %" PRIu64 " of the thread's local memory", at);
    else if (window == MEM_PARAM_BASE)
        text_addf(t, "byte %" PRIu64 " of the kernel's parameters", at);
    else
        text_addf(t, "no address of this device");
}

void mem_describe_allocation(struct text *t, const struct mem_alloc *a)
{
    if (a->reserved)
        text_addf(t, "a %" PRIu64 "-byte block of a graph's%s", a->size,
                  a->live ? "" : ", which is not allocated now");
    else
        text_addf(t, "a %s%" PRIu64 "-byte %s", a->live ? "" : "freed ", a->size,
                  kind_words[a->kind]);
    if (a->label)
        text_addf(t, " '%s'", a->label);
    else
        text_addf(t, " (allocation %" PRIu64 ")", a->serial);
    if (emu_devices(0) > 1 && mem_in_window(a->addr))
        text_addf(t, " of device %u", a->device);
}

/* What the readable mapping of the host's that holds addr is; NULL: there is none. */
static const char *host_mapping(uint64_t addr)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char *line = NULL, readable;
    size_t size = 0;
    uint64_t from, to;
    const char *what = NULL;

    while (f && !what && getline(&line, &size, f) > 0) {
        int name = 0;

        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %c%*s %*s %*s %*s %n", &from, &to, &readable,
                   &name) < 3 ||
            readable != 'r' || addr < from || addr >= to)
            continue;
        if (!strcmp(line + name, "[stack]\n"))
            what = "a variable on its stack";
        else if (!name || !line[name] || !strcmp(line + name, "[heap]\n"))
            what = "from malloc, new or the like";
        else
            what = "a global variable, a constant or code";
    }
    free(line);
    if (f)
        fclose(f);
    return what;
}

/* "in[1004], of 1001 elements"; inside the array "in[4]". */
static void put_element(struct text *t, uint64_t addr, const struct mem_alloc *a)
{
    int64_t at = (int64_t)(addr - a->addr), size = a->element;
    int64_t index = at / size - (at % size < 0);

    text_addf(t, "%s[%" PRId64 "]", a->label, index);
    if (at != index * size)
        text_addf(t, " from its byte %" PRId64 " on", at - index * size);
    if (index < 0 || (uint64_t)index >= a->elements)
        text_addf(t, ", of %" PRIu64 " element%s", a->elements, a->elements == 1 ? "" : "s");
}

static void put_near(struct text *t, uint64_t addr, const struct mem_alloc *a, const char *words)
{
    if (a->element)
        put_element(t, addr, a);
    else if (addr < a->addr)
        text_addf(t, "%" PRIu64 " bytes before %s", a->addr - addr, words);
    else if (addr - a->addr < a->size)
        text_addf(t, "byte %" PRIu64 " of ", addr - a->addr);
    else
        text_addf(t, "%" PRIu64 " bytes after %s", addr - a->addr - a->size, words);
    if (!a->element)
        mem_describe_allocation(t, a);
}

enum { FAR = 1 << 20, NULL_PAGES = 1 << 16 };

static bool is_near(uint64_t addr, const struct mem_alloc *a)
{
    return addr < a->addr ? a->addr - addr <= FAR : addr - a->addr < a->size + FAR;
}

/* "in[4294967295], of 1001 elements: 2^32 more than in[-1]": what became of an index that went
 * below zero without a sign. False: of no array. */
static bool put_wrapped(struct text *t, uint64_t addr)
{
    static const uint32_t sizes[] = {4, 8, 2, 1, 16};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t below = addr - ((uint64_t)sizes[i] << 32);
        const struct mem_alloc *a = mem_nearest(below);

        if (!a || a->element != sizes[i] || below >= a->addr || !is_near(below, a))
            continue;
        put_element(t, addr, a);
        int64_t index = (int64_t)(below - a->addr) / (int64_t)sizes[i];
        text_addf(
            t, ": 2^32 more than %s[%" PRId64 "]; an unsigned index below zero%s?", a->label, index,
            index == -1 ? ", or one that was never set, or a quotient by 0 (all bits set here)"
                        : "");
        return true;
    }
    return false;
}

static void put_far(struct text *t, uint64_t addr, const struct mem_alloc *a)
{
    const char *what;

    if (put_wrapped(t, addr))
        return;
    if (a && a->element && mem_in_window(addr)) {
        text_addf(t, "far from every array"); /* the nearest may be another than was meant */
    } else if (a && (mem_in_window(addr) || mem_in_host_window(addr))) {
        text_addf(t, "near no allocation: ");
        put_near(t, addr, a, "the nearest, ");
    } else if (!(what = host_mapping(addr))) {
        text_addf(t, "where neither the device nor the host has memory");
    } else {
        text_addf(t, "memory of the host's (%s), which a GPU cannot reach", what);
    }
}

void mem_describe(struct text *t, uint64_t addr)
{
    const struct mem_alloc *a = mem_nearest(addr);

    if (addr & MEM_WINDOW_MASK)
        put_window(t, addr);
    else if (!addr)
        text_add(t, "the null pointer");
    else if (addr < NULL_PAGES)
        text_addf(t, "%" PRIu64 " bytes after the null pointer", addr);
    else if (a && is_near(addr, a))
        put_near(t, addr, a, "");
    else
        put_far(t, addr, a);
}
