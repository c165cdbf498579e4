/* report.c - the checker's findings in words, and as JSON members.
 *
 * Interface: private.h; what is on its way: report_async.c. A finding says where,
 * who, what is there, what a GPU would do, who else (a race) and one thing to try. A pair
 * of places is put into words once; later cases only count.
 */
#include "report.h"
#include "findings.h"
#include "emulator/base/describe.h"
#include "emulator/base/json.h"
#include "emulator/base/names.h"
#include "emulator/base/options.h"
#include "emulator/code/code.h"
#include "emulator/exec/guard.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

void report_put_place(struct text *t, const struct block_info *b, enum access_space space,
                      uint64_t addr)
{
    if (space == ACCESS_GLOBAL) {
        text_addf(t, "0x%" PRIx64 ", ", addr);
        mem_describe(t, addr);
    } else if (space == ACCESS_SHARED) {
        shared_map_describe(t, b->map, addr);
    } else {
        text_addf(t, "byte %" PRIu64 " of the thread's local memory", addr);
    }
}

uint64_t report_kept(const struct block_info *b, enum access_space space, uint64_t addr)
{
    return space == ACCESS_SHARED ? shared_map_plain(b->map, addr) : addr;
}

/* ---- threads and sites ---- */

static void put_xyz(struct text *t, const char *open, uint32_t linear, const uint32_t n[3],
                    const char *close)
{
    text_addf(t, "%s%u,%u,%u%s", open, linear % n[0], linear / n[0] % n[1], linear / n[0] / n[1],
              close);
}

/* Without its folders. A program may give a file any name, lines of it included. */
static void put_file(struct text *t, const char *path, uint32_t line)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    source_put(t, name);
    text_addf(t, ":%u", line);
}

void report_put_site(struct text *t, const struct site *s)
{
    if (!s)
        text_add(t, "somewhere");
    else if (s->file)
        put_file(t, s->file, s->line);
    else
        text_addf(t, "PTX line %u (%s)", s->ptx_line, s->opcode);
    if (s && s->inner_file) {
        text_add(t, " (in ");
        put_file(t, s->inner_file, s->inner_line);
        text_add(t, ")");
    }
}

static void put_line(struct text *t, const struct site *s)
{
    if (s->file && s->line)
        text_addf(t, "line %u", s->line);
    else
        text_addf(t, "PTX line %u", s->ptx_line);
}

struct report report_head(const char *what, const struct block_info *b, const struct site *s,
                          uint32_t thread)
{
    struct report r = {.what = what};
    struct text *t = &r.words;

    text_addf(t, "%s in kernel %s at ", what, shown_name(b->kernel));
    report_put_site(t, s);
    put_xyz(t, ", block (", b->index, b->nctaid, ")");
    put_xyz(t, ", thread (", thread, b->ntid, ")\n");
    r.head = t->length;
    return r;
}

/* The member "message": the words without kernel, place and thread, which have members of their
 * own. A line's end becomes "; ". */
static json_t *message(const struct report *r)
{
    const char *s = text_str(&r->words) + r->head;
    struct text t = {0};

    if (r->what)
        text_addf(&t, "%s: ", r->what);
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, "\n");

        text_bytes(&t, s, n);
        s += n;
        if (*s && *++s)
            text_add(&t, "; ");
    }
    json_t *j = json_words(text_str(&t));
    text_free(&t);
    return j;
}

static json_t *triple(uint32_t linear, const uint32_t n[3])
{
    return json_pack("[I, I, I]", (json_int_t)(linear % n[0]), (json_int_t)(linear / n[0] % n[1]),
                     (json_int_t)(linear / n[0] / n[1]));
}

void report_tell(const char *kind, const struct block_info *b, const struct site *s,
                 uint32_t thread, uint64_t addr, struct report *r, json_t *members, json_t *other)
{
    json_object_set_new(members, "message", message(r));
    if (other)
        json_object_set_new(members, "other", other);
    finding_report(kind, b, s, thread, addr, members, text_str(&r->words));
    text_free(&r->words);
}

/* ---- once per pair of places ---- */

/* Where the two of a race are in relation to each other decides what is missing. */
enum distance { SAME_WARP, SAME_BLOCK, OTHER_BLOCK };

#define PAIRS 1024
static struct pair {
    const char *kind;
    const struct emu_func *func;
    const struct site *a, *b;
    /* A race waits for the end of its block, in which more of its cases come: that between the
     * threads furthest apart is told, and what all of them show. */
    bool waits, both_write, one_reads, elsewhere;
    bool by_some;        /* in one of them not all lanes of a warp take part */
    bool words, numbers; /* several words; threads of several numbers, or of one block */
    enum distance distance;
    struct clash clash; /* to be told */
    struct block_info info;
    uint64_t more; /* cases but this */
    uint32_t next; /* in its bucket, from 1; 0: the last */
} pairs[PAIRS];
static uint32_t npairs, pair_buckets[PAIRS]; /* the first of each, from 1 */
static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;

bool report_same_place(const struct site *a, const struct site *b)
{
    if (!a || !b || !a->file || !b->file)
        return a == b;
    return a->line == b->line && (a->file == b->file || !strcmp(a->file, b->file));
}

/* The same for places that report_same_place() says are one. */
static uint64_t place_hash(const struct site *s)
{
    return (s && s->file ? s->line : (uint64_t)(uintptr_t)s) * 0x9e3779b97f4a7c15u;
}

/* The same for the two places in either order. */
static uint32_t *pair_bucket(const struct emu_func *f, const struct site *s,
                             const struct site *other)
{
    uint64_t h = place_hash(s) + place_hash(other) + (uint64_t)(uintptr_t)f;

    return &pair_buckets[(h ^ h >> 29) * 0xbf58476d1ce4e5b9u >> 40 & (PAIRS - 1)];
}

static void pair_put(uint32_t i)
{
    uint32_t *at = pair_bucket(pairs[i].func, pairs[i].a, pairs[i].b);

    while (*at)
        at = &pairs[*at - 1].next;
    pairs[i].next = 0;
    *at = i + 1;
}

/* Of a like finding, the two places in either order; NULL: there was none. */
static struct pair *pair_of(const char *kind, const struct emu_func *f, const struct site *s,
                            const struct site *other)
{
    for (uint32_t i = *pair_bucket(f, s, other); i; i = pairs[i - 1].next) {
        struct pair *p = &pairs[i - 1];

        if (p->kind == kind && p->func == f &&
            ((report_same_place(p->a, s) && report_same_place(p->b, other)) ||
             (report_same_place(p->a, other) && report_same_place(p->b, s))))
            return p;
    }
    return NULL;
}

/* NULL: more than anyone reads. */
static struct pair *pair_add(const char *kind, const struct emu_func *f, const struct site *s,
                             const struct site *other)
{
    if (npairs == PAIRS)
        return NULL;
    pairs[npairs] = (struct pair){.kind = kind, .func = f, .a = s, .b = other};
    pair_put(npairs);
    return &pairs[npairs++];
}

/* The site under which a like finding was reported before; NULL: this is the first. */
static const struct site *seen(const char *kind, const struct block_info *b, const struct site *s,
                               const struct site *other)
{
    pthread_mutex_lock(&pairs_lock);
    const struct pair *p = pair_of(kind, b->func, s, other);
    const struct site *before = p ? p->a : NULL;
    if (!p && !pair_add(kind, b->func, s, other))
        before = s;
    pthread_mutex_unlock(&pairs_lock);
    return before;
}

static void forget(const struct emu_func *f)
{
    uint32_t kept = 0;

    pthread_mutex_lock(&pairs_lock);
    for (uint32_t i = 0; i < npairs; i++)
        if (pairs[i].func != f) {
            pairs[kept] = pairs[i];
            pairs[kept].clash.info = &pairs[kept].info;
            kept++;
        }
    npairs = kept;
    memset(pair_buckets, 0, sizeof(pair_buckets));
    for (uint32_t i = 0; i < npairs; i++)
        pair_put(i);
    pthread_mutex_unlock(&pairs_lock);
}

void check_forget(void)
{
    pthread_mutex_lock(&pairs_lock);
    npairs = 0;
    memset(pair_buckets, 0, sizeof(pair_buckets));
    pthread_mutex_unlock(&pairs_lock);
    findings_clear();
}

__attribute__((constructor)) static void watch(void)
{
    module_watch(forget);
    findings_before_fault(report_launch_end);
}

bool report_counted(const char *kind, const struct block_info *b, const struct site *s,
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
                  outside[] = "outside-mask",
                  unknown_owner[] = "unknown-owner"; /* no finding: a note */

static const char *space_name(enum access_space s)
{
    return s == ACCESS_GLOBAL ? "global" : s == ACCESS_SHARED ? "shared" : "local";
}

json_t *report_members(enum access_space space, uint32_t size)
{
    return json_pack("{s:s, s:i}", "space", space_name(space), "size", (int)size);
}

/* ---- never written ---- */

/* The module's sources include Thrust or CUB, both of which leave variables of Thrust's. */
static bool includes_libraries(const struct emu_func *f)
{
    for (int i = 0; f && emu_options()->libraries && i < f->module->nptx; i++)
        for (uint32_t k = 0; k < f->module->ptx[i]->nvars; k++)
            if (strstr(f->module->ptx[i]->vars[k]->name, "6thrust"))
                return true;
    return false;
}

/* Without lines nobody can tell whose read it is. Once a kernel, and no finding. */
static void note_unknown(const struct block_info *b, const struct site *s)
{
    struct text t = {0};
    static const struct site anywhere;

    if (seen(unknown_owner, b, &anywhere, &anywhere))
        return;
    text_addf(&t, "note: kernel %s reads shared memory never written at ", shown_name(b->kernel));
    report_put_site(&t, s);
    text_addf(&t,
              "; CUB does so harmlessly, and without line information its code cannot be told from "
              "the program's: build with nvcc -lineinfo\n");
    finding_note(text_str(&t));
    text_free(&t);
}

/* What a library may do and a program may not. */
static void put_without_lines(struct text *t, const struct site *s, enum access_space space)
{
    if (!s->file && space == ACCESS_SHARED)
        text_addf(
            t, "    no line information: nvcc -lineinfo would name the line, and tell a library's "
               "code from the program's\n");
}

static bool is_written(const struct block_state *b, uint64_t at)
{
    uint64_t page = at >> PAGE_BITS;
    uint32_t from = (uint32_t)at & (PAGE_BYTES - 1);

    return page < b->nshared && page_any_written(&b->shared[page], from, from + 1);
}

/* Is what was read stored in this block: never, later, or only by what changes it, an atomic or a
 * line such as s[i] += x? */
static const char *stored_when(const struct block_state *b, const struct unwritten *u)
{
    return u->changed && !u->stored ? "changed" : is_written(b, u->addr) ? "later" : "never";
}

/* Of the shared variable that is read: which of its bytes are written, where those are one stretch.
 */
static void put_what_is_written(struct text *t, const struct block_state *b,
                                const struct unwritten *u)
{
    uint64_t at = u->addr;
    const struct shared_map *m = b->info->map;
    const struct shared_part *p = NULL;
    uint64_t first = 0, last = 0, n = 0;

    for (uint32_t i = 0; m && i < m->n; i++) {
        if (at >= m->parts[i].at && at - m->parts[i].at < m->parts[i].size)
            p = &m->parts[i];
    }
    for (uint64_t i = 0; p && i < p->size; i++) {
        if (!is_written(b, p->at + i))
            continue;
        first = n++ ? first : i;
        last = i;
    }
    if (u->changed && n && n == p->size)
        return;
    if (n && n == p->size)
        text_add(t, "    all of it is written later\n");
    else if (n == 1)
        text_addf(t, "    of its %" PRIu64 " bytes only byte %" PRIu64 " is written\n", p->size,
                  first);
    else if (n && n == last - first + 1)
        text_addf(t, "    of its %" PRIu64 " bytes %" PRIu64 " to %" PRIu64 " are written\n",
                  p->size, first, last);
}

/* What there is to say, apart from the access itself: it may be over by now. */
static void unwritten_now(struct block_state *b, const struct unwritten *u)
{
    uint64_t addr = report_kept(b->info, u->space, u->addr);

    if (u->space == ACCESS_SHARED && !u->site->file && includes_libraries(b->info->func)) {
        note_unknown(b->info, u->site);
        return;
    }
    if (report_counted(uninitialised, b->info, u->site, NULL, u->thread, addr))
        return;
    struct report r = report_head("read of memory never written", b->info, u->site, u->thread);
    struct text *t = &r.words;

    text_addf(t, "    reads %u bytes at ", u->size);
    report_put_place(t, b->info, u->space, u->addr);
    text_addf(t, "\n    a GPU would return whatever happened to be there\n");
    if (u->space == ACCESS_SHARED)
        put_what_is_written(t, b, u);
    text_addf(t, "    %s?\n",
              u->space == ACCESS_GLOBAL ? "cudaMemcpy, cudaMemset or a kernel that fills it missing"
              : u->space == ACCESS_SHARED ? "does every element get stored before it is read"
                                          : "each thread has its own there: is all of it set "
                                            "before it is read, or is __shared__ missing");
    put_without_lines(t, u->site, u->space);
    json_t *members = report_members(u->space, u->size);
    if (u->space == ACCESS_SHARED && !b->stopped)
        json_object_set_new(members, "stored", json_string(stored_when(b, u)));
    report_tell(uninitialised, b->info, u->site, u->thread, addr, &r, members, NULL);
}

/* In shared memory a read may only be early, because a barrier is missing and the writer's
 * turn comes later: then the race says it better. So such reads wait for the block's end. */
void report_unwritten(struct block_state *b, const struct access *a, uint32_t lane)
{
    struct unwritten u = {.site = a->site,
                          .space = a->space,
                          .size = a->size,
                          .thread = a->warp * 32 + lane,
                          .addr = a->addr[lane]};

    if (a->site->put_back)
        return;
    if (a->space != ACCESS_SHARED) {
        unwritten_now(b, &u);
        return;
    }
    if (site_of_a_library(b->info->kernel, a->site))
        return;
    for (uint32_t i = 0; i < b->nunwritten; i++)
        if (report_same_place(b->unwritten[i].site, u.site))
            return;
    struct coming copy;
    if (copy_coming(b->info, u.addr, u.size, &copy)) {
        report_async(b, ASYNC_NOT_WAITED, a, lane,
                     &(struct asked){.site = copy.site, .coming = &copy});
        return;
    }
    if (b->nunwritten < MAX_UNWRITTEN)
        b->unwritten[b->nunwritten++] = u;
}

static void note_stored(struct unwritten *u, const struct access *a, uint32_t lane)
{
    bool mine = u->thread == a->warp * 32 + lane && report_same_place(u->site, a->site);

    if (u->space != ACCESS_SHARED || a->addr[lane] >= u->addr + u->size ||
        a->addr[lane] + a->size <= u->addr)
        return;
    if (a->kind == ACCESS_ATOMIC || mine)
        u->changed = true;
    else
        u->stored = true;
}

void report_stored(struct block_state *b, const struct access *a)
{
    for (uint32_t i = 0; i < b->nunwritten; i++)
        for (uint32_t m = a->mask; m; m &= m - 1)
            note_stored(&b->unwritten[i], a, (uint32_t)__builtin_ctz(m));
}

static bool raced_at(const struct block_state *b, const struct site *s)
{
    for (uint32_t i = 0; i < b->nraced; i++)
        if (report_same_place(b->raced[i], s))
            return true;
    return false;
}

void report_remember(struct block_state *b, const struct site *s)
{
    if (s && b->nraced < MAX_UNWRITTEN && !raced_at(b, s))
        b->raced[b->nraced++] = s;
}

static void tell_races(const struct emu_func *f, const struct block_info *block);

void report_launch_end(const struct emu_func *f)
{
    tell_races(f, NULL);
}

void report_block_end(struct block_state *b)
{
    report_complete(b);
    tell_races(b->info->func, b->info);
    for (uint32_t i = 0; i < b->nunwritten; i++)
        if (!raced_at(b, b->unwritten[i].site))
            unwritten_now(b, &b->unwritten[i]);
    b->nunwritten = b->nraced = 0;
}

/* ---- races ---- */

static enum distance distance(const struct clash *c)
{
    if (c->a.space == ACCESS_GLOBAL && cell_block(c->other) != c->info->index)
        return OTHER_BLOCK;
    return cell_warp(c->other) == c->a.warp ? SAME_WARP : SAME_BLOCK;
}

/* The access that comes first in the program, of two that met: where a barrier stands on every way
 * from one to the other, it is the other way round. *round: the way leads back, round a loop. */
static bool other_first(const struct clash *c, bool *round)
{
    const struct site *s = c->a.site, *other = c->site;
    /* The warp has just been where the other was: it comes round a loop. */
    bool there = way_without_barrier(c->info->func, other, s);
    bool back = way_without_barrier(c->info->func, s, other);

    if (there != back) {
        *round = there ? s->index < other->index : other->index < s->index;
        return there;
    }
    *round = other->line > s->line;
    return other->line <= s->line || report_same_place(c->before, other);
}

static void put_between(struct text *t, const struct clash *c)
{
    const struct site *s = c->a.site, *other = c->site, *first, *second;
    bool same_file = other && s->file && other->file && !strcmp(s->file, other->file), round;

    bool nowhere = other && s->file && (!s->line || !other->line); /* what the compiler moved */
    if (!other || report_same_place(s, other) || nowhere) {
        text_addf(t, "before or after ");
        put_line(t, nowhere && !s->line ? other : s);
        return;
    }
    first = other_first(c, &round) ? other : s;
    second = first == s ? other : s;
    if (same_file) {
        text_addf(t, "between line %u and line %u", first->line, second->line);
    } else {
        text_addf(t, "between ");
        report_put_site(t, first);
        text_addf(t, " and ");
        report_put_site(t, second);
    }
    if (round && first->line > second->line)
        text_add(t, " of the next round");
}

/* Of an atomic and a plain access, the plain one; NULL when both are of a kind, or unknown. */
static const struct site *beside_an_atomic(const struct clash *c)
{
    bool mine = c->a.site->atomic;

    if (!c->site || mine == c->site->atomic)
        return NULL;
    return mine ? c->site : c->a.site;
}

/* Threads read a word on a line, and write it there: each loses what others wrote meanwhile. Where
 * the line reads what it does not write as well, its threads take turns, or should. */
static bool updates(const struct pair *p)
{
    return p->both_write && p->one_reads && !p->elsewhere && report_same_place(p->a, p->b);
}

/* One word is many threads'. Where each has one, and the threads of its number in other blocks have
 * the same, their blocks may have been forgotten, or not. */
static bool shared_by_many(const struct pair *p)
{
    return p->numbers || !p->words;
}

/* One of the two reads, and not what its own thread goes on to write there. */
static bool reads_elsewhere(const struct clash *c)
{
    bool one_writes = c->other_writes != (c->a.kind == ACCESS_STORE);

    return one_writes && c->site && c->a.kind != ACCESS_ATOMIC &&
           report_same_place(c->a.site, c->site) && !one_address(c->info->func, c->a.site, c->site);
}

/* A barrier does not help where a statement's own reads and writes meet. */
static bool same_line(const struct clash *c)
{
    return !c->site || report_same_place(c->a.site, c->site);
}

/* Does a bulk copy write the place? */
static bool a_copy(const struct clash *c)
{
    return c->a.space == ACCESS_SHARED && c->a.is_async && c->a.kind == ACCESS_STORE &&
           c->a.site->proxy;
}

/* Words that are the threads' of one number in several blocks. */
static void put_blocks_update(struct text *t, const struct clash *c)
{
    static const char lost[] = "updates get lost without an atomic (atomicAdd and the like)";
    const struct emu_func *of = c->info->func;
    bool asks = asks_for_block(of),
         loop = asks && c->site && way_without_barrier(of, c->site, c->site);

    if (asks && !address_of_block(of, c->a.site)) {
        text_addf(t,
                  "    several blocks read this word, change it and write it back: %s. Was each "
                  "block to have words of its own? Then blockIdx is missing in the index\n",
                  lost);
        return;
    }
    text_addf(t,
              "    the same thread of several blocks reads this word, changes it and writes it "
              "back: %s? If all blocks are to change it, %s\n",
              loop   ? "does the loop go on to what other blocks have (by blockDim.x, and not by "
                       "gridDim.x * blockDim.x)? Or is the index of a type too narrow"
              : asks ? "is blockIdx lost on the way to the index, as in a type too narrow (8 bits "
                       "begin again at 256, 16 at 65536)"
                     : "is blockIdx missing in its index",
              lost);
}

static void put_advice(struct text *t, const struct clash *c, const struct pair *p)
{
    enum distance d = distance(c);
    const struct site *plain = beside_an_atomic(c);

    if (updates(p) && !shared_by_many(p)) {
        put_blocks_update(t, c);
        return;
    }
    /* All may store the same, who read the same. */
    bool same = d == SAME_WARP && p->one_reads && !p->elsewhere && c->site && same_line(c) &&
                c->a.kind != ACCESS_ATOMIC && one_address(c->info->func, c->a.site, c->site);
    if (updates(p) || same) {
        text_addf(t,
                  "    several threads read this word, change it and write it back: updates get "
                  "lost without an atomic (atomicAdd and the like)%s\n",
                  p->words ? "; was each thread to have a word of its own, its index is wrong"
                           : "");
        return;
    }
    if (c->same_instruction) {
        text_addf(t,
                  "    two lanes store to one place: has each a place of its own (if so, its index "
                  "is wrong), or is one of them to store, or an atomic to put theirs together?\n");
        return;
    }
    if (p->both_write && !p->one_reads && report_same_place(p->a, p->b)) {
        text_addf(
            t,
            "    two threads store to one place at one line: has each a place of its own, or are "
            "their values to be combined (by an atomic, if need be)?\n");
        return;
    }
    if (d == OTHER_BLOCK) {
        text_addf(
            t, "    has each thread an element of its own? If so, the index is wrong; if not, as "
               "blocks of a launch run in no order: an atomic, a fence and flag, or a second "
               "launch?\n");
        return;
    }
    if (a_copy(c)) {
        if (c->follows)
            return;
        if (c->waited_for_nothing) {
            text_add(t, report_first_wait);
            return;
        }
        if (c->left_by.site) {
            report_put_left_by(t, &c->left_by);
            return;
        }
        text_add(t, "    a copy that nobody waits for may write at any time: do all who read the "
                    "place arrive, when they have done, at an mbarrier (or barrier) that is waited "
                    "for before it is asked for?\n");
        return;
    }
    text_addf(t, "    %s%s missing ",
              c->a.space == ACCESS_GLOBAL
                  ? "has each thread an element of its own? If so, the index is wrong; if not, is "
                  : "",
              d == SAME_WARP ? "__syncwarp()" : "__syncthreads()");
    put_between(t, c);
    text_addf(t, "?%s%s",
              d == SAME_WARP ? " (__syncthreads() when several warps share the data)" : "",
              same_line(c) ? " Or does one step read what another thread writes in it?" : "");
    if (d == SAME_BLOCK && p->by_some && !plain)
        text_add(t, " It has to stand where all threads of the block come: outside an \"if\" or a "
                    "loop that only some of them enter (split it in two, if need be)");
    if (plain) {
        text_addf(
            t, " Or, if any of the values will do, is this word to be accessed by an atomic at ");
        put_line(t, plain);
        text_add(t, ", too?");
    }
    text_add(t, "\n");
}

static void put_other(struct text *t, const struct clash *c)
{
    uint32_t thread = cell_warp(c->other) * 32 + cell_lane(c->other);
    bool elsewhere = distance(c) == OTHER_BLOCK;

    text_addf(t, "    ");
    report_put_site(t, c->site);
    if (elsewhere)
        put_xyz(t, ": block (", cell_block(c->other), c->info->nctaid, ")");
    if (cell_how(c->other) == HOW_WARP)
        text_addf(t, ": warp %u, all its lanes together,", cell_warp(c->other));
    else if (thread == c->a.warp * 32 + c->lane && !elsewhere)
        text_addf(t, ": another thread of its warp");
    else
        put_xyz(t, elsewhere ? " thread (" : ": thread (", thread, c->info->ntid, ")");
    text_addf(t, " %s it, and nothing orders the two\n", c->other_writes ? "wrote" : "read");
}

static json_t *other_access(const struct clash *c)
{
    uint32_t thread = cell_warp(c->other) * 32 + cell_lane(c->other);
    uint32_t block = c->a.space == ACCESS_GLOBAL ? cell_block(c->other) : c->info->index;
    const struct site *s = c->site;

    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "access", c->other_writes ? "write" : "read",
                     "line", (json_int_t)(s ? s->line : 0), "ptx_line",
                     (json_int_t)(s ? s->ptx_line : 0), "file", json_words(s ? s->file : ""),
                     "block", triple(block, c->info->nctaid), "thread",
                     triple(thread, c->info->ntid));
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
                      .follows = b->follows,
                      .by_some = a->mask != b->live[a->warp],
                      .site = id < SITE_UNKNOWN ? b->launch->sites[id] : NULL,
                      .before = b->last[a->space][a->warp]};

    c.left_by = async_left_by(b, c.site);
    c.waited_for_nothing = rounds_waited_for_nothing(b, a->warp);

    if (a->space == ACCESS_SHARED) {
        report_remember(b, a->site);
        report_remember(b, c.site);
    }
    return c;
}

/* Between the lanes of a warp the toolkit's libraries rest on shuffles (cooperative groups'
 * tiles of several warps), or throw what nobody reads into one place (CUB's runs): known to
 * work, and no business of a program's that calls them. */
static bool inside_a_library(const struct clash *c)
{
    return c->a.space == ACCESS_SHARED && distance(c) == SAME_WARP && c->site &&
           site_of_a_library(c->info->kernel, c->a.site) &&
           site_of_a_library(c->info->kernel, c->site);
}

static const char *race_kind(const struct clash *c)
{
    return c->a.space == ACCESS_SHARED ? shared_race : global_race;
}

bool clash_known(const struct clash *c)
{
    pthread_mutex_lock(&pairs_lock);
    bool known = pair_of(race_kind(c), c->info->func, c->a.site, c->site) != NULL;
    pthread_mutex_unlock(&pairs_lock);
    return known;
}

static const char *distance_name(enum distance d)
{
    return d == SAME_WARP ? "warp" : d == SAME_BLOCK ? "block" : "grid";
}

static void tell_race(const struct pair *p)
{
    const struct clash *c = &p->clash;
    const struct access *a = &c->a;
    bool in_shared = a->space == ACCESS_SHARED;
    uint32_t thread = a->warp * 32 + c->lane;
    uint64_t addr = report_kept(c->info, a->space, c->addr);

    struct report r = report_head(in_shared ? "race in shared memory" : "race in global memory",
                                  c->info, a->site, thread);
    struct text *t = &r.words;
    text_addf(t, "    %s %u bytes at ",
              a->kind == ACCESS_LOAD    ? "reads"
              : a->kind == ACCESS_STORE ? "writes"
                                        : "updates atomically",
              a->size);
    report_put_place(t, c->info, a->space, c->addr);
    text_add(t, "\n");
    put_other(t, c);
    if (c->same_instruction)
        text_add(t, "    both lanes store in the same instruction, different values\n");
    text_add(t, "    a GPU would give one result or the other, and not always the same one\n");
    put_advice(t, c, p);
    if (distance(c) == SAME_WARP)
        put_without_lines(t, a->site, a->space);
    json_t *members = report_members(a->space, a->size);
    json_object_set_new(members, "distance", json_string(distance_name(p->distance)));
    json_object_set_new(members, "update", json_boolean(updates(p) && shared_by_many(p)));
    report_tell(p->kind, c->info, a->site, thread, addr, &r, members, other_access(c));
    for (uint64_t i = 0; i < p->more; i++)
        finding_report(p->kind, c->info, a->site, thread, addr, NULL, NULL);
}

/* Those that the block found; NULL: all that wait. */
static void tell_races(const struct emu_func *f, const struct block_info *block)
{
    pthread_mutex_lock(&pairs_lock);
    for (uint32_t i = 0; i < npairs; i++) {
        struct pair *p = &pairs[i];

        if (!p->waits || p->func != f || (block && p->info.index != block->index))
            continue;
        tell_race(p);
        p->waits = false;
        p->a = p->clash.a.site;
        p->b = p->clash.site;
    }
    pthread_mutex_unlock(&pairs_lock);
}

static void hold(struct pair *p, const struct clash *c)
{
    p->waits = true;
    p->distance = distance(c);
    p->clash = *c;
    p->info = *c->info;
    p->clash.info = &p->info;
}

void report_clash(const struct clash *c)
{
    const char *kind = race_kind(c);
    const struct site *told = NULL;

    if (inside_a_library(c))
        return;
    pthread_mutex_lock(&pairs_lock);
    struct pair *p = pair_of(kind, c->info->func, c->a.site, c->site);
    if (p && p->waits) {
        p->more++;
        if (distance(c) > p->distance)
            hold(p, c);
    } else if (p) {
        told = p->a;
    } else if ((p = pair_add(kind, c->info->func, c->a.site, c->site))) {
        hold(p, c);
    }
    if (p) {
        p->both_write |= c->other_writes && c->a.kind == ACCESS_STORE;
        p->one_reads |= !c->other_writes || c->a.kind == ACCESS_LOAD;
        p->elsewhere |= reads_elsewhere(c);
        p->by_some |= c->by_some;
        p->words |= c->addr != p->clash.addr;
        p->numbers |= distance(c) != OTHER_BLOCK ||
                      cell_warp(c->other) * 32 + cell_lane(c->other) != c->a.warp * 32 + c->lane;
    }
    pthread_mutex_unlock(&pairs_lock);
    if (told)
        finding_report(kind, c->info, told, c->a.warp * 32 + c->lane,
                       report_kept(c->info, c->a.space, c->addr), NULL, NULL);
}

/* ---- barriers ---- */

static const char *relation(const struct relative *r)
{
    if (r->streams)
        return "kernels of two streams may run at the same time, and blocks of both are then under "
               "way: a place of its own for each launch, or no memory that launches share?";
    if (r->graph)
        return "nodes of a graph that no edge orders, directly or by way of others, run side by "
               "side: an edge from the first to the second?";
    return r->above
               ? "a child runs from its launch on beside the rest of its parent: what it needs "
                 "belongs before the launch, other threads' part of it before a "
                 "__syncthreads() too, what needs the child into cudaStreamTailLaunch"
               : "grids of different streams run in no order: one stream for both, an event, or "
                 "cudaStreamTailLaunch for the second?";
}

/* Of two grids that nothing orders. */
void report_relative(struct block_state *b, const struct access *a, uint32_t lane,
                     const struct relative *r)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    uint32_t thread = a->warp * 32 + lane;

    if (report_counted(global_race, b->info, a->site, r->site, thread, a->addr[lane]))
        return;
    struct report words = report_head("race in global memory", b->info, a->site, thread);
    struct text *t = &words.words;

    text_addf(t, "    %s %u bytes at ", verbs[a->kind], a->size);
    report_put_place(t, b->info, ACCESS_GLOBAL, a->addr[lane]);
    text_addf(t, "\n    ");
    report_put_site(t, r->site);
    text_addf(t, ": kernel %s", shown_name(r->func->info.name));
    put_xyz(t, ", block (", r->block, r->nctaid, ")");
    put_xyz(t, " thread (", r->thread, r->ntid, ")");
    text_addf(t, " %s it, and nothing orders the two\n", r->writes ? "wrote" : "read");
    text_addf(t, "    a GPU would give one result or the other, and not always the same one\n");
    text_addf(t, "    %s\n", relation(r));
    json_t *members = report_members(ACCESS_GLOBAL, a->size);
    if (r->streams)
        json_object_set_new(members, "distance", json_string("streams"));
    report_tell(global_race, b->info, a->site, thread, a->addr[lane], &words, members, NULL);
}

void report_barrier(struct block_state *b, const struct site *s, uint32_t warp, uint32_t mask,
                    uint32_t live)
{
    uint32_t thread = warp * 32 + (uint32_t)__builtin_ctz(mask ? mask : 1);

    if (report_counted(divergence, b->info, s, NULL, thread, 0))
        return;
    struct report r = report_head("barrier in divergent code", b->info, s, thread);
    struct text *t = &r.words;
    text_addf(t, "    %d of the warp's %d threads are at the barrier (lanes 0x%08x of 0x%08x)\n",
              __builtin_popcount(mask), __builtin_popcount(live), mask, live);
    text_addf(t, "    a GPU may hang, or let some threads pass early\n");
    text_addf(
        t,
        "    all threads of the block have to reach it: let it be in no branch that some of them "
        "do not take, and in no loop that some leave earlier\n");
    report_tell(divergence, b->info, s, thread, 0, &r, json_object(), NULL);
}

void report_exited(struct block_state *b, const struct site *s)
{
    uint32_t thread = 0;

    while (thread + 1 < b->info->threads && (b->live[thread / 32] >> (thread & 31) & 1))
        thread++;
    if (report_counted(exited, b->info, s, NULL, thread, 0))
        return;
    struct report r = report_head("thread missing at a barrier", b->info, s, thread);
    struct text *t = &r.words;
    text_addf(t, "    that thread has left the kernel, others wait here\n");
    text_addf(t, "    CUDA does not define this; GPUs since Volta go on without it\n");
    if (b->met[0] && b->met[0]->line != b->met[1]->line) {
        text_addf(t, "    at a barrier before, warps met at different lines, ");
        report_put_site(t, b->met[0]);
        text_addf(t, " and ");
        report_put_site(t, b->met[1]);
        text_addf(t, ": is one in a branch that only some take?\n");
    } else {
        text_addf(t, "    all threads of the block must come to it: no return before it, and no "
                     "barrier in a branch or a loop that some threads leave earlier\n");
    }
    report_tell(exited, b->info, s, thread, 0, &r, json_object(), NULL);
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
        text_addf(t, "    %d threads of the warp are here, and it takes all 32\n",
                  __builtin_popcount(m->mask));
    else if (!all_same(m, m->addr) || !all_same(m, m->pitch))
        text_addf(t, "    the warp's threads do not all name the same matrix\n");
    else if (addr % m->fragment) {
        text_addf(t, "    the matrix is at ");
        report_put_place(t, b->info, shared ? ACCESS_SHARED : ACCESS_GLOBAL,
                         shared ? addr & ~MEM_WINDOW_MASK : addr);
        text_addf(t,
                  ", which lies on no multiple of %u bytes\n"
                  "    __align__(32) for the array, and whole tiles from its start?\n",
                  m->fragment);
    } else
        text_addf(
            t,
            "    its rows or columns are %" PRIu64 " bytes apart: no multiple of %u\n"
            "    pad them to a multiple of 8 halves or 4 floats, or go through shared memory?\n",
            m->pitch[lane], pitch_unit(m));
}

void report_matrix(struct block_state *b, const struct matrix_move *m)
{
    uint32_t lane = (uint32_t)__builtin_ctz(m->mask), thread = m->warp * 32 + lane;

    if (matrix_allowed(m) ||
        report_counted(operands, b->info, m->site, NULL, thread, m->addr[lane]))
        return;
    struct report r = report_head("wmma as CUDA does not define it", b->info, m->site, thread);
    put_matrix_fault(&r.words, b, m, lane);
    text_addf(&r.words, "    a GPU may move other elements, and need not report an error\n");
    report_tell(operands, b->info, m->site, thread, m->addr[lane], &r, json_object(), NULL);
}

/* ---- masks ---- */

void report_outside_mask(struct block_state *b, const struct site *s, uint32_t warp, uint32_t lanes,
                         uint32_t members)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), thread = warp * 32 + lane;

    if (report_counted(outside, b->info, s, NULL, thread, 0))
        return;
    struct report r = report_head("thread outside its own mask", b->info, s, thread);
    text_addf(&r.words, "    lane %u executes %s, whose mask 0x%08x does not name it\n", lane,
              s->opcode, members);
    text_addf(&r.words, "    CUDA does not define this; name every lane that gets there: "
                        "0xffffffff for a whole warp\n");
    report_tell(outside, b->info, s, thread, 0, &r, json_object(), NULL);
}

void report_nan(struct block_state *b, const struct site *s, uint32_t thread, const char *operands)
{
    static const char nan[] = "nan";

    if (report_counted(nan, b->info, s, NULL, thread, 0))
        return;
    struct report r = report_head("NaN made", b->info, s, thread);
    text_addf(&r.words, "    %s of %s\n", s->opcode, operands);
    report_tell(nan, b->info, s, thread, 0, &r, json_object(), NULL);
}

/* ---- leaks ---- */

void report_leak(const struct mem_alloc *a)
{
    struct report r = {0};

    text_add(&r.words, "leak: ");
    mem_describe_allocation(&r.words, a);
    text_addf(&r.words, " at 0x%" PRIx64 " was never freed\n", a->addr);
    report_tell("leak", NULL, NULL, 0, a->addr, &r, json_pack("{s:I}", "size", (json_int_t)a->size),
                NULL);
}
