/* trace.c - records one block's execution as JSON lines, for pictures.
 *
 * Interface: trace.h; WARPLAB_TRACE=FILE arms it from outside. Every line is one object. The first
 * is the header:
 *   {"trace":1,"kernel":"reduce","block":[0,0,0],"index":0,"grid":[8,1,1],
 *    "threads":[128,1,1],"warps":4,"shared_bytes":512}
 * Things get a number when first mentioned, in a line before the event that mentions them:
 *   {"site":0,"line":12,"column":9,"file":"/path/reduction.cu","ptx_line":40,
 *    "opcode":"ld.shared.u32","text":"    sum += s[i];"}      line 0, file "": no line info
 *   {"alloc":3,"address":139637976727552,"size":4096,"label":"a"}
 * Events, in order; "n" counts them from 0, "mask" is the lanes in hexadecimal:
 *   {"n":0,"event":"path","warp":0,"mask":"ffffffff","site":0,"insns":5}
 *   {"n":1,"event":"access","warp":0,"mask":"00000003","site":0,"space":"shared",
 *    "kind":"load","size":4,"volatile":false,"addresses":[0,4],"values":[[1],[2]]}
 *        space: global, shared, local; kind: load, store, atomic; addresses: of the lanes of
 *        the mask, lowest first (global: device addresses, and "alloc":3 for the first);
 *        values: stores only (and loads when known), 32-bit words of each lane
 *   {"n":2,"event":"arrive","warp":0,"mask":"ffffffff","site":1,"barrier":0}
 *   {"n":3,"event":"leave","barrier":0}
 *   {"n":4,"event":"warp_sync","warp":0,"mask":"ffffffff","site":2,"sync":true}
 *   {"n":5,"event":"fence","warp":0,"mask":"ffffffff","site":2,"scope":3}
 *   {"n":6,"event":"exit","warp":0,"mask":"ffffffff"}
 * and the last line, after however many events fitted the size limit:
 *   {"end":true,"events":7,"dropped":0,"truncated":false}
 */
#include "trace.h"
#include "base/alloc.h"
#include "emulator/base/json.h"
#include "emulator/base/mem.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SITES        65536
#define MAX_ALLOCS       256
#define MAX_SOURCES      16
#define MAX_SOURCE_BYTES (16 << 20)

struct source { /* a file's lines, for the sites' text */
    const char *file;
    char **lines;
    uint32_t nlines;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool armed;
static char *armed_kernel;
static unsigned armed_block;
static FILE *out;
static uint64_t limit = 64ull << 20, written, events, dropped;
static bool truncated;
/* What was mentioned. */
static const struct site *sites[MAX_SITES];
static uint32_t nsites;
static uint64_t allocs[MAX_ALLOCS];
static uint32_t nallocs;
static struct source sources[MAX_SOURCES];
static uint32_t nsources;

uint64_t trace_set_limit(uint64_t bytes)
{
    uint64_t old = limit;

    limit = bytes;
    return old;
}

/* Writes one line, and lets go of it. */
static void put(json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    int n = fprintf(out, "%s\n", text ? text : "{}");

    if (n > 0)
        written += (uint64_t)n;
    free(text);
    json_decref(line);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *xyz(const uint32_t v[3])
{
    return json_pack("[i, i, i]", (int)v[0], (int)v[1], (int)v[2]);
}

/* ---- source text ---- */

/* A program names its source files itself, as with #line "/dev/zero": only files that end. */
static FILE *source_open(const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;

    if (f && (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size == 0 ||
              st.st_size > MAX_SOURCE_BYTES)) {
        fclose(f);
        f = NULL;
    }
    return f;
}

static void source_read(struct source *s)
{
    FILE *f = source_open(s->file);
    char *line = NULL;
    size_t size = 0;
    ssize_t n;

    while (f && (n = getline(&line, &size, f)) >= 0) {
        s->lines = xrealloc(s->lines, (s->nlines + 1) * sizeof(*s->lines));
        if (n && line[n - 1] == '\n')
            line[n - 1] = 0;
        s->lines[s->nlines++] = line;
        line = NULL;
        size = 0;
    }
    free(line);
    if (f)
        fclose(f);
}

static const char *source_line(const char *file, uint32_t line)
{
    uint32_t i = 0;

    while (i < nsources && strcmp(sources[i].file, file))
        i++;
    if (i == MAX_SOURCES)
        return "";
    if (i == nsources) {
        sources[nsources++] = (struct source){.file = file};
        source_read(&sources[i]);
    }
    return line && line <= sources[i].nlines ? sources[i].lines[line - 1] : "";
}

static void sources_free(void)
{
    for (uint32_t i = 0; i < nsources; i++) {
        for (uint32_t k = 0; k < sources[i].nlines; k++)
            free(sources[i].lines[k]);
        free(sources[i].lines);
    }
    nsources = 0;
}

/* ---- numbers for sites and allocations ---- */

static uint32_t site_number(const struct site *s)
{
    uint32_t i = nsites;

    while (i && sites[i - 1] != s)
        i--;
    if (i)
        return i - 1;
    if (nsites == MAX_SITES)
        return MAX_SITES;
    put(json_pack("{s:i, s:i, s:i, s:o, s:i, s:o, s:o}", "site", (int)nsites, "line", (int)s->line,
                  "column", (int)s->column, "file", json_words(s->file), "ptx_line",
                  (int)s->ptx_line, "opcode", json_words(s->opcode), "text",
                  json_words(s->file ? source_line(s->file, s->line) : "")));
    sites[nsites] = s;
    return nsites++;
}

/* 0: none. */
static uint64_t alloc_number(uint64_t addr)
{
    const struct mem_alloc *a = mem_find(addr);

    if (!a)
        return 0;
    for (uint32_t i = 0; i < nallocs; i++)
        if (allocs[i] == a->serial)
            return a->serial;
    if (nallocs < MAX_ALLOCS)
        allocs[nallocs++] = a->serial;
    put(json_pack("{s:o, s:o, s:o, s:o}", "alloc", number(a->serial), "address", number(a->addr),
                  "size", number(a->size), "label", json_words(a->label)));
    return a->serial;
}

/* ---- events ---- */

/* Asked before an event's sites and allocations are mentioned, too. */
static bool full(void)
{
    if (!truncated && written < limit)
        return false;
    truncated = true;
    dropped++;
    return true;
}

static json_t *event(const char *name)
{
    return json_pack("{s:o, s:s}", "n", number(events++), "event", name);
}

static json_t *warp_event(const char *name, uint32_t warp, uint32_t mask)
{
    json_t *e = event(name);
    char lanes[9];

    snprintf(lanes, sizeof(lanes), "%08x", mask);
    json_object_set_new(e, "warp", number(warp));
    json_object_set_new(e, "mask", json_string(lanes));
    return e;
}

/* The same at an instruction, which gets its number first. */
static json_t *site_event(const char *name, uint32_t warp, uint32_t mask, const struct site *s)
{
    uint32_t site = site_number(s);
    json_t *e = warp_event(name, warp, mask);

    json_object_set_new(e, "site", number(site));
    return e;
}

static bool mine(const struct listener *l, const struct block_info *b)
{
    return b->user[l->slot] != NULL;
}

static void on_path(struct listener *l, struct block_info *b, const struct site *first,
                    uint32_t ninsns, uint32_t warp, uint32_t mask)
{
    if (!mine(l, b) || full())
        return;
    json_t *e = site_event("path", warp, mask, first);
    json_object_set_new(e, "insns", number(ninsns));
    put(e);
}

static json_t *words_of(const struct access *a, int lane)
{
    json_t *words = json_array();

    for (uint32_t k = 0; k < (a->size + 3u) / 4; k++)
        json_array_append_new(words, number(a->value[k][lane]));
    return words;
}

static void add_lanes(json_t *e, const struct access *a)
{
    json_t *addresses = json_array(), *values = a->value ? json_array() : NULL;

    for (uint32_t m = a->mask; m; m &= m - 1) {
        json_array_append_new(addresses, number(a->addr[__builtin_ctz(m)]));
        if (values)
            json_array_append_new(values, words_of(a, __builtin_ctz(m)));
    }
    json_object_set_new(e, "addresses", addresses);
    if (values)
        json_object_set_new(e, "values", values);
}

static void on_access(struct listener *l, struct block_info *b, const struct access *a)
{
    static const char *const spaces[] = {"global", "shared", "local"};
    static const char *const kinds[] = {"load", "store", "atomic"};
    uint64_t alloc = 0;

    if (!mine(l, b) || full())
        return;
    if (a->space == ACCESS_GLOBAL && a->mask)
        alloc = alloc_number(a->addr[__builtin_ctz(a->mask)]);
    json_t *e = site_event("access", a->warp, a->mask, a->site);
    json_object_set_new(e, "space", json_string(spaces[a->space]));
    json_object_set_new(e, "kind", json_string(kinds[a->kind]));
    json_object_set_new(e, "size", number(a->size));
    json_object_set_new(e, "volatile", json_boolean(a->is_volatile));
    if (alloc)
        json_object_set_new(e, "alloc", number(alloc));
    add_lanes(e, a);
    put(e);
}

static void on_arrive(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                      uint32_t mask, uint32_t id, bool aligned)
{
    (void)aligned;
    if (!mine(l, b) || full())
        return;
    json_t *e = site_event("arrive", warp, mask, s);
    json_object_set_new(e, "barrier", number(id));
    put(e);
}

static void on_leave(struct listener *l, struct block_info *b, uint32_t id)
{
    if (!mine(l, b) || full())
        return;
    json_t *e = event("leave");
    json_object_set_new(e, "barrier", number(id));
    put(e);
}

static void on_warp_sync(struct listener *l, struct block_info *b, const struct site *s,
                         uint32_t warp, uint32_t mask, bool sync)
{
    if (!mine(l, b) || full())
        return;
    json_t *e = site_event("warp_sync", warp, mask, s);
    json_object_set_new(e, "sync", json_boolean(sync));
    put(e);
}

static void on_fence(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                     uint32_t mask, uint8_t scope, uint8_t order)
{
    (void)order;
    if (!mine(l, b) || full())
        return;
    json_t *e = site_event("fence", warp, mask, s);
    json_object_set_new(e, "scope", number(scope));
    put(e);
}

static void on_exit_lanes(struct listener *l, struct block_info *b, uint32_t warp, uint32_t mask)
{
    if (!mine(l, b) || full())
        return;
    put(warp_event("exit", warp, mask));
}

/* ---- launch and block ---- */

static void block_begin(struct listener *l, struct block_info *b)
{
    if (b->index != armed_block || !atomic_load(&armed)) {
        b->user[l->slot] = NULL;
        return;
    }
    b->user[l->slot] = l;
    put(json_pack("{s:i, s:o, s:o, s:i, s:o, s:o, s:i, s:i}", "trace", 1, "kernel",
                  json_words(b->kernel), "block", xyz(b->ctaid), "index", (int)b->index, "grid",
                  xyz(b->nctaid), "threads", xyz(b->ntid), "warps", (int)b->warps, "shared_bytes",
                  (int)b->shared_bytes));
}

static void close_trace(void)
{
    if (out) {
        put(json_pack("{s:b, s:o, s:o, s:b}", "end", 1, "events", number(events), "dropped",
                      number(dropped), "truncated", truncated));
        if (fclose(out))
            fprintf(stderr, "warplab: the trace could not be written in full\n");
    }
    out = NULL;
    sources_free();
    free(armed_kernel);
    armed_kernel = NULL;
    atomic_store(&armed, false);
}

static void launch_end(struct listener *l, const struct block_info *any)
{
    (void)l, (void)any;
    pthread_mutex_lock(&lock);
    close_trace();
    pthread_mutex_unlock(&lock);
}

int trace_arm(const char *kernel, unsigned block, const char *file)
{
    pthread_mutex_lock(&lock);
    if (out)
        close_trace();
    out = fopen(file, "w");
    if (out) {
        armed_kernel = kernel && *kernel ? xstrdup(kernel) : NULL;
        armed_block = block;
        written = events = dropped = 0;
        nsites = nallocs = 0;
        truncated = false;
    }
    atomic_store(&armed, out != NULL);
    pthread_mutex_unlock(&lock);
    return out ? 0 : -1;
}

/* WARPLAB_TRACE=FILE arms the recorder without a line of code, for the first launch of
 * WARPLAB_TRACE_KERNEL (of any when not set) and block WARPLAB_TRACE_BLOCK (0). */
static void arm_from_environment(void)
{
    const char *file = getenv("WARPLAB_TRACE"), *kernel = getenv("WARPLAB_TRACE_KERNEL");
    const char *block = getenv("WARPLAB_TRACE_BLOCK");

    if (file && *file && trace_arm(kernel, block ? (unsigned)strtoul(block, NULL, 10) : 0, file))
        fprintf(stderr, "warplab: WARPLAB_TRACE: %s cannot be written\n", file);
}

static bool wants_launch(struct listener *l, const struct block_info *any);

static struct listener *listener(void)
{
    static struct listener self = {
        .name = "trace",
        .as_is = true, /* the trace shows where variables lie without checks */
        .wants_launch = wants_launch,
        .launch_end = launch_end,
        .block_begin = block_begin,
        .access = on_access,
        .barrier_arrive = on_arrive,
        .barrier_leave = on_leave,
        .warp_sync = on_warp_sync,
        .fence = on_fence,
        .lanes_exit = on_exit_lanes,
        .path = on_path,
    };

    return &self;
}

struct listener *trace_listener(const char *kernel)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, arm_from_environment);
    if (!atomic_load(&armed))
        return NULL;
    pthread_mutex_lock(&lock);
    bool wanted = out && (!armed_kernel || !strcmp(armed_kernel, kernel));
    pthread_mutex_unlock(&lock);
    return wanted ? listener() : NULL;
}

static bool wants_launch(struct listener *l, const struct block_info *any)
{
    (void)l;
    return trace_listener(any->kernel) != NULL;
}

__attribute__((constructor)) static void listen(void)
{
    listener_register(listener());
}
