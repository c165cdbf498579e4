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
#include "emulator/base/json.h"
#include "emulator/base/mem.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
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

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int n = vfprintf(out, format, ap);
    va_end(ap);
    if (n > 0)
        written += (uint64_t)n;
}

static void put_string(const char *s)
{
    char *quoted = json_quoted(s);

    put("%s", quoted);
    free(quoted);
}

static void put_xyz(const char *name, const uint32_t v[3])
{
    put("\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
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
        char **more = realloc(s->lines, (s->nlines + 1) * sizeof(*more));

        if (!more)
            break;
        if (n && line[n - 1] == '\n')
            line[n - 1] = 0;
        s->lines = more;
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
    put("{\"site\":%u,\"line\":%u,\"column\":%u,\"file\":", nsites, s->line, s->column);
    put_string(s->file ? s->file : "");
    put(",\"ptx_line\":%u,\"opcode\":", s->ptx_line);
    put_string(s->opcode ? s->opcode : "");
    put(",\"text\":");
    put_string(s->file ? source_line(s->file, s->line) : "");
    put("}\n");
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
    put("{\"alloc\":%" PRIu64 ",\"address\":%" PRIu64 ",\"size\":%" PRIu64 ",\"label\":", a->serial,
        a->addr, a->size);
    put_string(a->label ? a->label : "");
    put("}\n");
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

static void event_begin(const char *name)
{
    put("{\"n\":%" PRIu64 ",\"event\":\"%s\"", events++, name);
}

static void put_warp(uint32_t warp, uint32_t mask)
{
    put(",\"warp\":%u,\"mask\":\"%08x\"", warp, mask);
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
    uint32_t site = site_number(first);
    event_begin("path");
    put_warp(warp, mask);
    put(",\"site\":%u,\"insns\":%u}\n", site, ninsns);
}

static void put_lanes(const struct access *a)
{
    const char *sep = "";

    put(",\"addresses\":[");
    for (uint32_t m = a->mask; m; m &= m - 1, sep = ",")
        put("%s%" PRIu64, sep, a->addr[__builtin_ctz(m)]);
    put("]");
    if (!a->value)
        return;
    put(",\"values\":[");
    sep = "";
    for (uint32_t m = a->mask; m; m &= m - 1, sep = ",") {
        put("%s[", sep);
        for (uint32_t k = 0; k < (a->size + 3u) / 4; k++)
            put("%s%u", k ? "," : "", a->value[k][__builtin_ctz(m)]);
        put("]");
    }
    put("]");
}

static void on_access(struct listener *l, struct block_info *b, const struct access *a)
{
    static const char *const spaces[] = {"global", "shared", "local"};
    static const char *const kinds[] = {"load", "store", "atomic"};
    uint64_t alloc = 0;

    if (!mine(l, b) || full())
        return;
    uint32_t site = site_number(a->site);
    if (a->space == ACCESS_GLOBAL && a->mask)
        alloc = alloc_number(a->addr[__builtin_ctz(a->mask)]);
    event_begin("access");
    put_warp(a->warp, a->mask);
    put(",\"site\":%u,\"space\":\"%s\",\"kind\":\"%s\",\"size\":%u,\"volatile\":%s", site,
        spaces[a->space], kinds[a->kind], a->size, a->is_volatile ? "true" : "false");
    if (alloc)
        put(",\"alloc\":%" PRIu64, alloc);
    put_lanes(a);
    put("}\n");
}

static void on_arrive(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                      uint32_t mask, uint32_t id, bool aligned)
{
    (void)aligned;
    if (!mine(l, b) || full())
        return;
    uint32_t site = site_number(s);
    event_begin("arrive");
    put_warp(warp, mask);
    put(",\"site\":%u,\"barrier\":%u}\n", site, id);
}

static void on_leave(struct listener *l, struct block_info *b, uint32_t id)
{
    if (!mine(l, b) || full())
        return;
    event_begin("leave");
    put(",\"barrier\":%u}\n", id);
}

static void on_warp_sync(struct listener *l, struct block_info *b, const struct site *s,
                         uint32_t warp, uint32_t mask, bool sync)
{
    if (!mine(l, b) || full())
        return;
    uint32_t site = site_number(s);
    event_begin("warp_sync");
    put_warp(warp, mask);
    put(",\"site\":%u,\"sync\":%s}\n", site, sync ? "true" : "false");
}

static void on_fence(struct listener *l, struct block_info *b, const struct site *s, uint32_t warp,
                     uint32_t mask, uint8_t scope, uint8_t order)
{
    (void)order;
    if (!mine(l, b) || full())
        return;
    uint32_t site = site_number(s);
    event_begin("fence");
    put_warp(warp, mask);
    put(",\"site\":%u,\"scope\":%u}\n", site, scope);
}

static void on_exit_lanes(struct listener *l, struct block_info *b, uint32_t warp, uint32_t mask)
{
    if (!mine(l, b) || full())
        return;
    event_begin("exit");
    put_warp(warp, mask);
    put("}\n");
}

/* ---- launch and block ---- */

static void block_begin(struct listener *l, struct block_info *b)
{
    if (b->index != armed_block || !atomic_load(&armed)) {
        b->user[l->slot] = NULL;
        return;
    }
    b->user[l->slot] = l;
    put("{\"trace\":1,\"kernel\":");
    put_string(b->kernel);
    put(",");
    put_xyz("block", b->ctaid);
    put(",\"index\":%u,", b->index);
    put_xyz("grid", b->nctaid);
    put(",");
    put_xyz("threads", b->ntid);
    put(",\"warps\":%u,\"shared_bytes\":%u}\n", b->warps, b->shared_bytes);
}

static void close_trace(void)
{
    if (out) {
        put("{\"end\":true,\"events\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"truncated\":%s}\n",
            events, dropped, truncated ? "true" : "false");
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
        armed_kernel = kernel && *kernel ? strdup(kernel) : NULL;
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
