/* report.c - the checker's findings in words, and as JSON members.
 *
 * Interface: check_internal.h; check_describe_address of check.h. A finding says where,
 * who, what is there, what a GPU would do, who else (a race) and one thing to try. A pair
 * of places is put into words once; later cases only count.
 */
#include "private.h"
#include "emulator/code/code.h"
#include "emulator/base/source.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *s;
    size_t size, n;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(t->s + t->n, t->size - t->n, format, ap);
    va_end(ap);
    if (n > 0)
        t->n = t->n + (size_t)n < t->size ? t->n + (size_t)n : t->size - 1;
}

/* ---- addresses ---- */

static const char *const kind_words[] = {
    [MEM_DEVICE] = "block from cudaMalloc",
    [MEM_GLOBAL] = "variable",
    [MEM_HEAP] = "block from malloc in a kernel",
    [MEM_MANAGED] = "block from cudaMallocManaged",
    [MEM_PINNED] = "block from cudaMallocHost",
    [MEM_REGISTERED] = "range given to cudaHostRegister",
    [MEM_WORKSPACE] = "block of the emulator's own",
};

static void put_window(struct text *t, uint64_t addr)
{
    uint64_t window = addr & MEM_WINDOW_MASK, at = addr & ~MEM_WINDOW_MASK;

    if (window == MEM_SHARED_BASE)
        put(t, "byte %" PRIu64 " of the block's shared memory", at);
    else if (window == MEM_LOCAL_BASE)
        put(t, "byte %" PRIu64 " of the thread's local memory", at);
    else if (window == MEM_PARAM_BASE)
        put(t, "byte %" PRIu64 " of the kernel's parameters", at);
    else
        put(t, "no address of this device");
}

static void put_allocation(struct text *t, const struct mem_alloc *a)
{
    put(t, "a %s%" PRIu64 "-byte %s", a->live ? "" : "freed ", a->size, kind_words[a->kind]);
    if (a->label)
        put(t, " '%s'", a->label);
    else
        put(t, " (allocation %" PRIu64 ")", a->serial);
}

/* What /proc/self/maps calls the readable mapping that holds addr; false: there is none. */
static bool host_mapping(uint64_t addr, char *name, size_t size)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512], mode[8], path[256];
    uint64_t from, to;
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        int n =
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %255s", &from, &to, mode, path);

        found = n >= 3 && mode[0] == 'r' && addr >= from && addr < to;
        if (found)
            snprintf(name, size, "%s", n == 4 ? path : "");
    }
    if (f)
        fclose(f);
    return found;
}

static void put_near(struct text *t, uint64_t addr, const struct mem_alloc *a, const char *words)
{
    if (addr < a->addr)
        put(t, "%" PRIu64 " bytes before %s", a->addr - addr, words);
    else if (addr - a->addr < a->size)
        put(t, "byte %" PRIu64 " of ", addr - a->addr);
    else
        put(t, "%" PRIu64 " bytes after %s", addr - a->addr - a->size, words);
    put_allocation(t, a);
}

static void put_far(struct text *t, uint64_t addr, const struct mem_alloc *a)
{
    char name[256];

    if (a && (mem_in_window(addr) || mem_in_host_window(addr))) {
        put(t, "near no allocation: ");
        put_near(t, addr, a, "the nearest, ");
    } else if (!host_mapping(addr, name, sizeof name)) {
        put(t, "where neither the device nor the host has memory");
    } else {
        put(t, "memory of the host's (%s), which a GPU cannot reach",
            !strcmp(name, "[stack]")              ? "a variable on its stack"
            : !name[0] || !strcmp(name, "[heap]") ? "from malloc, new or the like"
                                                  : "a global variable, a constant or code");
    }
}

enum { FAR = 1 << 20, NULL_PAGES = 1 << 16 };

static bool is_near(uint64_t addr, const struct mem_alloc *a)
{
    return addr < a->addr ? a->addr - addr <= FAR : addr - a->addr < a->size + FAR;
}

void check_describe_address(uint64_t addr, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    const struct mem_alloc *a = mem_nearest(addr);

    if (!size)
        return;
    buf[0] = 0;
    if (addr & MEM_WINDOW_MASK)
        put_window(&t, addr);
    else if (!addr)
        put(&t, "the null pointer");
    else if (addr < NULL_PAGES)
        put(&t, "%" PRIu64 " bytes after the null pointer", addr);
    else if (a && is_near(addr, a))
        put_near(&t, addr, a, "");
    else
        put_far(&t, addr, a);
}

static void put_place(struct text *t, const struct block_info *b, enum access_space space,
                      uint64_t addr)
{
    char near[256];

    if (space == ACCESS_GLOBAL) {
        check_describe_address(addr, near, sizeof near);
        put(t, "0x%" PRIx64 ", %s", addr, near);
    } else if (space == ACCESS_SHARED) {
        shared_map_describe(b->map, addr, near, sizeof near);
        put(t, "%s", near);
    } else {
        put(t, "byte %" PRIu64 " of the thread's local memory", addr);
    }
}

/* The address that a finding keeps: in shared memory, where it is without a map. */
static uint64_t kept(const struct block_info *b, enum access_space space, uint64_t addr)
{
    return space == ACCESS_SHARED ? shared_map_plain(b->map, addr) : addr;
}

/* ---- threads and sites ---- */

static void put_xyz(struct text *t, const char *open, uint32_t linear, const uint32_t n[3],
                    const char *close)
{
    put(t, "%s%u,%u,%u%s", open, linear % n[0], linear / n[0] % n[1], linear / n[0] / n[1], close);
}

static void put_site(struct text *t, const struct site *s)
{
    const char *slash = s && s->file ? strrchr(s->file, '/') : NULL;

    if (!s)
        put(t, "somewhere");
    else if (s->file)
        put(t, "%s:%u", slash ? slash + 1 : s->file, s->line);
    else
        put(t, "PTX line %u (%s)", s->ptx_line, s->opcode);
    if (s && s->inner_file) {
        slash = strrchr(s->inner_file, '/');
        put(t, " (in %s:%u)", slash ? slash + 1 : s->inner_file, s->inner_line);
    }
}

static void put_line(struct text *t, const struct site *s)
{
    if (s->file)
        put(t, "line %u", s->line);
    else
        put(t, "PTX line %u", s->ptx_line);
}

static void put_head(struct text *t, const char *what, const struct block_info *b,
                     const struct site *s, uint32_t thread)
{
    put(t, "%s in kernel %s at ", what, shown_name(b->kernel));
    put_site(t, s);
    put_xyz(t, ", block (", b->index, b->nctaid, ")");
    put_xyz(t, ", thread (", thread, b->ntid, ")\n");
}

/* A line's end becomes "; ". */
static void put_escaped(struct text *t, const char *s)
{
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            put(t, "\\%c", *s);
        else if (*s == '\n') {
            put(t, s[1] ? "; " : "");
            while (s[1] == ' ')
                s++;
        } else if ((unsigned char)*s < 32)
            put(t, "\\u%04x", (unsigned char)*s);
        else
            put(t, "%c", *s);
}

/* The member "message": the words without kernel, place and thread, which have members of
 * their own. */
static void put_message(struct text *j, const char *words)
{
    const char *place = strstr(words, " in kernel "), *rest = strchr(words, '\n');

    put(j, "\"message\":\"");
    if (place && rest && place < rest) {
        put(j, "%.*s: ", (int)(place - words), words);
        words = rest + 1 + strspn(rest + 1, " ");
    }
    put_escaped(j, words);
    put(j, "\"");
}

/* ---- once per pair of places ---- */

#define PAIRS 1024
static struct pair {
    const char *kind;
    const struct emu_func *func;
    const struct site *a, *b;
} pairs[PAIRS];
static uint32_t npairs;
static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;

/* A source line, or without line information an instruction. */
static bool same_place(const struct site *a, const struct site *b)
{
    if (!a || !b || !a->file || !b->file)
        return a == b;
    return a->line == b->line && (a->file == b->file || !strcmp(a->file, b->file));
}

/* The site under which a like finding, the two places in either order, was reported
 * before; NULL: this is the first. */
static const struct site *seen(const char *kind, const struct block_info *b, const struct site *s,
                               const struct site *other)
{
    const struct site *before = NULL;
    uint32_t i;

    pthread_mutex_lock(&pairs_lock);
    for (i = 0; i < npairs && !before; i++) {
        const struct pair *p = &pairs[i];

        if (p->kind == kind && p->func == b->func &&
            ((same_place(p->a, s) && same_place(p->b, other)) ||
             (same_place(p->a, other) && same_place(p->b, s))))
            before = p->a;
    }
    if (!before && npairs < PAIRS)
        pairs[npairs++] = (struct pair){kind, b->func, s, other};
    else if (!before)
        before = s; /* more than anyone reads */
    pthread_mutex_unlock(&pairs_lock);
    return before;
}

void check_forget(const struct emu_func *f)
{
    uint32_t kept = 0;

    pthread_mutex_lock(&pairs_lock);
    for (uint32_t i = 0; i < npairs; i++)
        if (pairs[i].func != f)
            pairs[kept++] = pairs[i];
    npairs = kept;
    pthread_mutex_unlock(&pairs_lock);
}

/* True when it was, after counting it once more. */
static bool counted(const char *kind, const struct block_info *b, const struct site *s,
                    const struct site *other, uint32_t thread, uint64_t addr)
{
    const struct site *before = seen(kind, b, s, other);

    if (before)
        finding_report(kind, b, before, thread, addr, NULL, NULL);
    return before != NULL;
}

/* Kinds, compared by address above. */
static const char uninitialised[] = "uninitialised-read", shared_race[] = "shared-race",
                  global_race[] = "global-race", divergence[] = "barrier-divergence",
                  exited[] = "barrier-exited", operands[] = "wmma-operands",
                  unknown_owner[] = "unknown-owner"; /* no finding: a note */

static const char *space_name(enum access_space s)
{
    return s == ACCESS_GLOBAL ? "global" : s == ACCESS_SHARED ? "shared" : "local";
}

static void members(struct text *json, const struct access *a, const char *words)
{
    put(json, "\"space\":\"%s\",\"size\":%u,", space_name(a->space), a->size);
    put_message(json, words);
}

/* ---- never written ---- */

/* The module's sources include Thrust or CUB, both of which leave variables of Thrust's. */
static bool includes_libraries(const struct emu_func *f)
{
    for (int i = 0; f && i < f->module->nptx; i++)
        for (uint32_t k = 0; k < f->module->ptx[i]->nvars; k++)
            if (strstr(f->module->ptx[i]->vars[k]->name, "6thrust"))
                return true;
    return false;
}

/* Without lines nobody can tell whose read it is. Once a kernel, and no finding. */
static void note_unknown(const struct block_info *b, const struct site *s)
{
    char words[512];
    struct text t = {words, sizeof words, 0};
    static const struct site anywhere;

    if (seen(unknown_owner, b, &anywhere, &anywhere))
        return;
    put(&t, "note: kernel %s reads shared memory never written at ", shown_name(b->kernel));
    put_site(&t, s);
    put(&t, "; CUB does so harmlessly, and without line information its code cannot be told from "
            "the program's: build with nvcc -lineinfo\n");
    finding_note(words);
}

/* What a library may do and a program may not. */
static void put_without_lines(struct text *t, const struct site *s, enum access_space space)
{
    if (!s->file && space == ACCESS_SHARED)
        put(t, "    no line information: nvcc -lineinfo would name the line, and tell a library's "
               "code from the program's\n");
}

/* What there is to say, apart from the access itself: it may be over by now. */
static void unwritten_now(struct block_state *b, const struct unwritten *u)
{
    struct access a = {.site = u->site, .space = u->space, .size = u->size};
    char words[1024], json[1536];
    struct text t = {words, sizeof words, 0}, j = {json, sizeof json, 0};
    uint64_t addr = kept(b->info, u->space, u->addr);

    if (u->space == ACCESS_SHARED && !u->site->file && includes_libraries(b->info->func)) {
        note_unknown(b->info, u->site);
        return;
    }
    if (counted(uninitialised, b->info, u->site, NULL, u->thread, addr))
        return;
    put_head(&t, "read of memory never written", b->info, u->site, u->thread);
    put(&t, "    reads %u bytes at ", u->size);
    put_place(&t, b->info, u->space, u->addr);
    put(&t, "\n    a GPU would return whatever happened to be there\n");
    put(&t, "    %s?\n",
        u->space == ACCESS_GLOBAL   ? "cudaMemcpy, cudaMemset or a kernel that fills it missing"
        : u->space == ACCESS_SHARED ? "does every element get stored before it is read"
                                    : "is the variable set on every path");
    put_without_lines(&t, u->site, u->space);
    members(&j, &a, words);
    finding_report(uninitialised, b->info, u->site, u->thread, addr, json, words);
}

/* CUB's merges read one element past the end of a tile and do not use it, CUTLASS's matrix products
 * the stage after the last: that is no business of a program's that calls them. */
bool check_of_a_library(const char *kernel, const struct site *s)
{
    return strncmp(kernel, "_ZN3cub", 7) == 0 || strncmp(kernel, "_ZN6thrust", 10) == 0 ||
           strncmp(kernel, "_ZN7cutlass", 11) == 0 || s->inner_file ||
           (s->file && source_is_toolkit(s->file));
}

/* In shared memory a read may only be early, because a barrier is missing and the writer's
 * turn comes later: then the race says it better. So such reads wait for the block's end. */
void report_unwritten(struct block_state *b, const struct access *a, uint32_t lane)
{
    struct unwritten u = {a->site, a->space, a->size, a->warp * 32 + lane, a->addr[lane]};

    if (a->site->put_back)
        return;
    if (a->space != ACCESS_SHARED) {
        unwritten_now(b, &u);
        return;
    }
    if (check_of_a_library(b->info->kernel, a->site))
        return;
    for (uint32_t i = 0; i < b->nunwritten; i++)
        if (same_place(b->unwritten[i].site, u.site))
            return;
    if (b->nunwritten < MAX_UNWRITTEN)
        b->unwritten[b->nunwritten++] = u;
}

static bool raced_at(const struct block_state *b, const struct site *s)
{
    for (uint32_t i = 0; i < b->nraced; i++)
        if (same_place(b->raced[i], s))
            return true;
    return false;
}

static void remember_race(struct block_state *b, const struct site *s)
{
    if (s && b->nraced < MAX_UNWRITTEN && !raced_at(b, s))
        b->raced[b->nraced++] = s;
}

void report_block_end(struct block_state *b)
{
    for (uint32_t i = 0; i < b->nunwritten; i++)
        if (!raced_at(b, b->unwritten[i].site))
            unwritten_now(b, &b->unwritten[i]);
    b->nunwritten = b->nraced = 0;
}

/* ---- races ---- */

/* Where the two are in relation to each other decides what is missing. */
enum distance { SAME_WARP, SAME_BLOCK, OTHER_BLOCK };

static enum distance distance(const struct clash *c)
{
    if (c->a.space == ACCESS_GLOBAL && cell_block(c->other) != c->info->index)
        return OTHER_BLOCK;
    return cell_warp(c->other) == c->a.warp ? SAME_WARP : SAME_BLOCK;
}

static void put_between(struct text *t, const struct clash *c)
{
    const struct site *s = c->a.site, *other = c->site;
    bool same_file = other && s->file && other->file && !strcmp(s->file, other->file);
    /* The warp has just been where the other was: it comes round a loop. */
    bool next_round = other && same_place(c->before, other);

    if (!other || same_place(s, other)) {
        put(t, "before or after ");
        put_line(t, s);
    } else if (!same_file) {
        put(t, "between ");
        put_site(t, other);
        put(t, " and ");
        put_site(t, s);
    } else if (other->line > s->line && !next_round) {
        put(t, "between line %u and line %u", s->line, other->line);
    } else {
        put(t, "between line %u and line %u%s", other->line, s->line,
            other->line > s->line ? " of the next round" : "");
    }
}

/* Of an atomic and a plain access, the plain one; NULL when both are of a kind, or unknown. */
static const struct site *beside_an_atomic(const struct clash *c)
{
    bool mine = c->a.site->atomic;

    if (!c->site || mine == c->site->atomic)
        return NULL;
    return mine ? c->site : c->a.site;
}

static void put_advice(struct text *t, const struct clash *c)
{
    enum distance d = distance(c);
    const struct site *plain = beside_an_atomic(c);

    if (c->same_instruction) {
        put(t, "    let one thread store, or use an atomic\n");
        return;
    }
    if (d == OTHER_BLOCK) {
        put(t, "    blocks of a launch run in no order: an atomic, a fence and flag, or a second "
               "launch?\n");
        return;
    }
    put(t, "    %s missing ", d == SAME_WARP ? "__syncwarp()" : "__syncthreads()");
    put_between(t, c);
    put(t, "?%s\n", d == SAME_WARP ? " (__syncthreads() when several warps share the data)" : "");
    if (plain) {
        put(t, "    or, if any of the values will do, an atomic at ");
        put_line(t, plain);
        put(t, ", too\n");
    }
}

static void put_other(struct text *t, const struct clash *c)
{
    uint32_t thread = cell_warp(c->other) * 32 + cell_lane(c->other);
    bool elsewhere = distance(c) == OTHER_BLOCK;

    put(t, "    ");
    put_site(t, c->site);
    if (elsewhere)
        put_xyz(t, ": block (", cell_block(c->other), c->info->nctaid, ")");
    if (cell_how(c->other) == HOW_WARP)
        put(t, ": warp %u as one", cell_warp(c->other));
    else if (thread == c->a.warp * 32 + c->lane && !elsewhere)
        put(t, ": another thread of its warp");
    else
        put_xyz(t, elsewhere ? " thread (" : ": thread (", thread, c->info->ntid, ")");
    put(t, " %s it, and nothing orders the two\n", c->other_writes ? "wrote" : "read");
}

static void put_other_json(struct text *j, const struct clash *c)
{
    uint32_t thread = cell_warp(c->other) * 32 + cell_lane(c->other);
    uint32_t block = c->a.space == ACCESS_GLOBAL ? cell_block(c->other) : c->info->index;
    const struct site *s = c->site;

    put(j, ",\"other\":{\"access\":\"%s\",\"line\":%u,\"ptx_line\":%u,\"file\":\"",
        c->other_writes ? "write" : "read", s ? s->line : 0, s ? s->ptx_line : 0);
    put_escaped(j, s && s->file ? s->file : "");
    put_xyz(j, "\",\"block\":[", block, c->info->nctaid, "]");
    put_xyz(j, ",\"thread\":[", thread, c->info->ntid, "]}");
}

struct clash clash_of(struct block_state *b, const struct access *a, uint32_t lane, uint64_t other,
                      bool other_writes, bool same_instruction)
{
    uint32_t id = cell_site(other);
    struct clash c = {.info = b->info,
                      .a = *a,
                      .addr = a->addr[lane],
                      .other = other,
                      .lane = lane,
                      .other_writes = other_writes,
                      .same_instruction = same_instruction,
                      .site = id < SITE_UNKNOWN ? b->launch->sites[id] : NULL,
                      .before = b->last[a->space][a->warp]};

    if (a->space == ACCESS_SHARED) {
        remember_race(b, a->site);
        remember_race(b, c.site);
    }
    return c;
}

/* Between the lanes of a warp the toolkit's libraries rest on shuffles (cooperative groups'
 * tiles of several warps), or throw what nobody reads into one place (CUB's runs): known to
 * work, and no business of a program's that calls them. */
static bool inside_a_library(const struct clash *c)
{
    return c->a.space == ACCESS_SHARED && distance(c) == SAME_WARP && c->site &&
           check_of_a_library(c->info->kernel, c->a.site) &&
           check_of_a_library(c->info->kernel, c->site);
}

bool clash_known(const struct clash *c)
{
    return seen(c->a.space == ACCESS_SHARED ? shared_race : global_race, c->info, c->a.site,
                c->site);
}

void report_clash(const struct clash *c)
{
    const struct access *a = &c->a;
    const char *kind = a->space == ACCESS_SHARED ? shared_race : global_race;
    uint32_t thread = a->warp * 32 + c->lane;
    uint64_t addr = kept(c->info, a->space, c->addr);
    char words[1536], json[2560];
    struct text t = {words, sizeof words, 0}, j = {json, sizeof json, 0};

    if (inside_a_library(c) || counted(kind, c->info, a->site, c->site, thread, addr))
        return;
    put_head(&t, a->space == ACCESS_SHARED ? "race in shared memory" : "race in global memory",
             c->info, a->site, thread);
    put(&t, "    %s %u bytes at ",
        a->kind == ACCESS_LOAD    ? "reads"
        : a->kind == ACCESS_STORE ? "writes"
                                  : "updates atomically",
        a->size);
    put_place(&t, c->info, a->space, c->addr);
    put(&t, "\n");
    put_other(&t, c);
    if (c->same_instruction)
        put(&t, "    both lanes store in the same instruction, different values\n");
    put(&t, "    a GPU would give one result or the other, and not always the same one\n");
    put_advice(&t, c);
    if (distance(c) == SAME_WARP)
        put_without_lines(&t, a->site, a->space);
    members(&j, a, words);
    put_other_json(&j, c);
    finding_report(kind, c->info, a->site, thread, addr, json, words);
}

/* ---- barriers ---- */

static void report_at_barrier(const char *kind, struct block_state *b, const struct site *s,
                              uint32_t thread, const char *words)
{
    char json[1536];
    struct text j = {json, sizeof json, 0};

    put_message(&j, words);
    finding_report(kind, b->info, s, thread, 0, json, words);
}

void report_barrier(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask,
                    uint32_t live)
{
    uint32_t thread = warp * 32 + (uint32_t)__builtin_ctz(mask ? mask : 1);
    char words[1024];
    struct text t = {words, sizeof words, 0};

    if (counted(divergence, b->info, s, NULL, thread, 0))
        return;
    put_head(&t, "barrier in divergent code", b->info, s, thread);
    put(&t, "    %d of the warp's %d threads are at the barrier (lanes 0x%08x of 0x%08x)\n",
        __builtin_popcount(mask), __builtin_popcount(live), mask, live);
    put(&t, "    a GPU may hang, or let some threads pass early\n");
    put(&t, "    move __syncthreads() out of the branch, so that every thread reaches it\n");
    report_at_barrier(divergence, b, s, thread, words);
}

void report_exited(struct block_state *b, const struct site *s)
{
    char words[1024];
    struct text t = {words, sizeof words, 0};
    uint32_t thread = 0;

    while (thread + 1 < b->info->threads && (b->live[thread / 32] >> (thread & 31) & 1))
        thread++;
    if (counted(exited, b->info, s, NULL, thread, 0))
        return;
    put_head(&t, "thread missing at a barrier", b->info, s, thread);
    put(&t, "    that thread has left the kernel, others wait here\n");
    put(&t, "    CUDA does not define this; GPUs since Volta go on without it\n");
    put(&t, "    skip the work in threads past the end instead of returning before the barrier\n");
    report_at_barrier(exited, b, s, thread, words);
}

/* ---- matrices ---- */

static bool all_same(const struct matrix_move *m, const uint64_t *v)
{
    uint64_t first = v[__builtin_ctz(m->mask)];

    for (uint32_t lanes = m->mask; lanes; lanes &= lanes - 1)
        if (v[__builtin_ctz(lanes)] != first)
            return false;
    return true;
}

/* Of two documents the laxer: the ISA ("Matrix Storage for WMMA") wants each row or column at
 * a multiple of a lane's fragment, of up to 32 bytes; the CUDA guide (load_matrix_sync) the
 * matrix on 32 bytes, and rows or columns a multiple of 16 bytes apart. */
static uint32_t pitch_unit(const struct matrix_move *m)
{
    return m->fragment < 16 ? m->fragment : 16;
}

static bool matrix_allowed(const struct matrix_move *m)
{
    uint32_t lane = (uint32_t)__builtin_ctz(m->mask);

    return m->mask == ~0u && all_same(m, m->addr) && all_same(m, m->pitch) &&
           m->addr[lane] % m->fragment == 0 && m->pitch[lane] % pitch_unit(m) == 0;
}

static void put_matrix_fault(struct text *t, const struct block_state *b,
                             const struct matrix_move *m, uint32_t lane)
{
    uint64_t addr = m->addr[lane];
    bool shared = (addr & MEM_WINDOW_MASK) == MEM_SHARED_BASE;

    if (m->mask != ~0u)
        put(t, "    %d threads of the warp are here, and it takes all 32\n",
            __builtin_popcount(m->mask));
    else if (!all_same(m, m->addr) || !all_same(m, m->pitch))
        put(t, "    the warp's threads do not all name the same matrix\n");
    else if (addr % m->fragment) {
        put(t, "    the matrix is at ");
        put_place(t, b->info, shared ? ACCESS_SHARED : ACCESS_GLOBAL,
                  shared ? addr & ~MEM_WINDOW_MASK : addr);
        put(t,
            ", which lies on no multiple of %u bytes\n"
            "    __align__(32) for the array, and whole tiles from its start?\n",
            m->fragment);
    } else
        put(t,
            "    its rows or columns are %" PRIu64 " bytes apart: no multiple of %u\n"
            "    pad them to a multiple of 8 halves or 4 floats, or go through shared memory?\n",
            m->pitch[lane], pitch_unit(m));
}

void report_matrix(struct block_state *b, const struct matrix_move *m)
{
    uint32_t lane = (uint32_t)__builtin_ctz(m->mask), thread = m->warp * 32 + lane;
    char words[1024], json[1536];
    struct text t = {words, sizeof words, 0}, j = {json, sizeof json, 0};

    if (matrix_allowed(m) || counted(operands, b->info, m->site, NULL, thread, m->addr[lane]))
        return;
    put_head(&t, "wmma as CUDA does not define it", b->info, m->site, thread);
    put_matrix_fault(&t, b, m, lane);
    put(&t, "    a GPU may move other elements, and need not report an error\n");
    put_message(&j, words);
    finding_report(operands, b->info, m->site, thread, m->addr[lane], json, words);
}

/* ---- leaks ---- */

void report_leak(const struct mem_alloc *a)
{
    char words[512], json[512];
    struct text t = {words, sizeof words, 0}, j = {json, sizeof json, 0};

    put(&t, "leak: ");
    put_allocation(&t, a);
    put(&t, " at 0x%" PRIx64 " was never freed\n", a->addr);
    put(&j, "\"size\":%" PRIu64 ",", a->size);
    put_message(&j, words);
    finding_report("leak", NULL, NULL, 0, a->addr, json, words);
}
