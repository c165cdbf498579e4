/* picture.c - finds in a trace what a failed gate is about. See picture.h.
 *
 * The trace was written in the box, next to the submission's code: whatever is in it is bounded
 * here, and what is missing or odd makes no picture.
 */
#include "picture.h"
#include "base/alloc.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, BANKS = 32, SECTOR = 32, LINE = 128, MOST_SITES = 4096, MOST_PATHS = 40 };

/* ---- dividing a request as the hardware does ---- */

static int distinct(uint64_t *v, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < kept && v[k] != v[i])
            k++;
        if (k == kept)
            v[kept++] = v[i];
    }
    return kept;
}

int picture_sectors(uint32_t mask, const uint64_t *at, unsigned size)
{
    uint64_t found[2 * WARP];
    int lanes = __builtin_popcount(mask), n = 0;
    for (int i = 0; i < lanes; i++) {
        found[n++] = at[i] / SECTOR;
        found[n++] = (at[i] + size - 1) / SECTOR;
    }
    return distinct(found, n);
}

/* 8- and 16-byte words go half a warp and a quarter at a time; twice as many where all lanes
 * share their address with a neighbour or the one after (the emulator's exec/ops/mem.c). */
static int groups_of(uint32_t mask, const uint64_t *by_lane, unsigned size)
{
    int groups = size <= 4 ? 1 : size == 8 ? 2 : 4;
    for (int step = 1; groups > 1 && step <= 2; step++) {
        bool all = true;
        for (int i = 0; i < WARP; i++)
            if (!(i & step) && mask >> i & 1 && mask >> (i + step) & 1)
                all = all && by_lane[i] == by_lane[i + step];
        if (all)
            return groups / 2;
    }
    return groups;
}

/* Passes of the lanes first … first+count-1: the most distinct words that one bank is asked for. */
static int group_passes(uint32_t mask, const uint64_t *by_lane, int first, int count, unsigned size)
{
    uint64_t words[BANKS][4 * WARP];
    int n[BANKS] = {0}, most = 0;
    for (int i = first; i < first + count; i++)
        for (unsigned k = 0; mask >> i & 1 && k < (size + 3) / 4; k++) {
            uint64_t word = by_lane[i] / 4 + k;
            words[word % BANKS][n[word % BANKS]++] = word;
        }
    for (int b = 0; b < BANKS; b++) {
        int passes = distinct(words[b], n[b]);
        most = passes > most ? passes : most;
    }
    return most;
}

static int passes_of(uint32_t mask, const uint64_t *at, unsigned size, int *groups, int *least)
{
    uint64_t by_lane[WARP] = {0};
    int sum = 0, k = 0;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1)
            by_lane[i] = at[k++];
    *groups = groups_of(mask, by_lane, size);
    *least = 0;
    for (int g = 0, width = WARP / *groups; g < *groups; g++) {
        int passes = group_passes(mask, by_lane, g * width, width, size);
        sum += passes;
        *least += passes > 0;
    }
    return sum;
}

int picture_passes(uint32_t mask, const uint64_t *at, unsigned size)
{
    int groups, least;
    return passes_of(mask, at, size, &groups, &least);
}

/* ---- reading the trace ---- */

struct wanted {
    const char *kind, *space, *what; /* what: NULL for any kind of access */
    int64_t line;
};

static bool what_to_draw(const char *counter, struct wanted *w)
{
    static const struct {
        const char *part;
        struct wanted wanted;
    } table[] = {
        {"global_ld", {"sectors", "global", "load", 0}},
        {"global_st", {"sectors", "global", "store", 0}},
        {"shared_", {"banks", "shared", NULL, 0}},
        {"diverge", {"lanes", "", NULL, 0}},
        {"branch", {"lanes", "", NULL, 0}},
        {"inst_executed", {"lanes", "", NULL, 0}},
        {"active", {"lanes", "", NULL, 0}},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (!strstr(counter, table[i].part))
            continue;
        *w = table[i].wanted;
        return true;
    }
    return false;
}

struct access {
    uint32_t mask;
    unsigned size;
    int64_t line;
    const char *what;
    uint64_t at[WARP];
    int units, least, groups; /* groups: of lanes that are served together */
};

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static uint32_t mask_of(const json_t *o)
{
    return (uint32_t)strtoul(text_of(o, "mask"), NULL, 16);
}

static bool read_access(const json_t *o, const struct wanted *w, struct access *a)
{
    static const char *const kinds[] = {"load", "store", "atomic"};
    json_t *addresses = json_object_get(o, "addresses");
    int64_t size = json_integer_value(json_object_get(o, "size"));
    *a = (struct access){.mask = mask_of(o), .size = (unsigned)size, .line = 0};
    for (int i = 0; i < 3; i++)
        if (!strcmp(kinds[i], text_of(o, "kind")))
            a->what = kinds[i];
    if (strcmp(text_of(o, "space"), w->space) || !a->what ||
        (w->what && strcmp(w->what, a->what)) || !a->mask || size < 1 || size > 16 ||
        json_array_size(addresses) != (size_t)__builtin_popcount(a->mask))
        return false;
    for (size_t i = 0; i < json_array_size(addresses); i++)
        a->at[i] = (uint64_t)json_integer_value(json_array_get(addresses, i));
    return true;
}

static void divide(struct access *a, const struct wanted *w)
{
    uint64_t own[WARP];
    int lanes = __builtin_popcount(a->mask);
    if (!strcmp(w->kind, "banks")) {
        a->units = passes_of(a->mask, a->at, a->size, &a->groups, &a->least);
        return;
    }
    memcpy(own, a->at, sizeof(own));
    a->units = picture_sectors(a->mask, a->at, a->size);
    a->least = (distinct(own, lanes) * (int)a->size + SECTOR - 1) / SECTOR;
}

/* Better: on the line where most was counted, then further from the least; else the earlier. */
static bool is_better(const struct access *a, const struct access *best, const struct wanted *w)
{
    bool on_line = w->line && a->line == w->line, was = w->line && best->line == w->line;
    if (!best->mask || on_line != was)
        return !best->mask || on_line;
    return a->units - a->least > best->units - best->least;
}

struct path {
    uint32_t mask, insns;
    int64_t line, last; /* least and greatest source line */
};

struct reading {
    const struct wanted *w;
    int64_t lines[MOST_SITES];
    struct access best;
    struct path *paths[WARP];
    int npaths[WARP];
};

static int64_t line_of_site(const struct reading *r, const json_t *o)
{
    json_int_t site = json_integer_value(json_object_get(o, "site"));
    return site >= 0 && site < MOST_SITES ? r->lines[site] : 0;
}

static void read_path(struct reading *r, const json_t *o)
{
    json_int_t warp = json_integer_value(json_object_get(o, "warp"));
    struct path p = {.mask = mask_of(o),
                     .insns = (uint32_t)json_integer_value(json_object_get(o, "insns")),
                     .line = line_of_site(r, o)};
    p.last = p.line;
    if (warp < 0 || warp >= WARP || !p.mask)
        return;
    int n = r->npaths[warp];
    struct path *last = n ? &r->paths[warp][n - 1] : NULL;
    if (last && last->mask == p.mask) { /* the same lanes go on: one row */
        last->insns += p.insns;
        last->line = p.line && (p.line < last->line || !last->line) ? p.line : last->line;
        last->last = p.last > last->last ? p.last : last->last;
        return;
    }
    if ((n & (n - 1)) == 0)
        r->paths[warp] = xrealloc(r->paths[warp], (size_t)(n ? 2 * n : 1) * sizeof(struct path));
    r->paths[warp][r->npaths[warp]++] = p;
}

static void read_line(struct reading *r, const json_t *o)
{
    const char *event = text_of(o, "event");
    struct access a;
    if (!*event && json_object_get(o, "site")) {
        json_int_t site = json_integer_value(json_object_get(o, "site"));
        if (site >= 0 && site < MOST_SITES)
            r->lines[site] = json_integer_value(json_object_get(o, "line"));
    } else if (!strcmp(event, "path") && !*r->w->space) {
        read_path(r, o);
    } else if (!strcmp(event, "access") && read_access(o, r->w, &a)) {
        a.line = line_of_site(r, o);
        divide(&a, r->w);
        if (is_better(&a, &r->best, r->w))
            r->best = a;
    }
}

/* ---- what is kept ---- */

static void put_line(json_t *o, int64_t line, const char *source)
{
    struct text t = {0};
    json_object_set_new(o, "line", json_integer(line));
    for (int64_t i = 1; i < line && *source; i++) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    source += strspn(source, " \t");
    size_t n = strcspn(source, "\r\n");
    text_printable(&t, source, line > 0 && n < 100 ? n : line > 0 ? 100 : 0, false);
    json_object_set_new(o, "text", json_string(text_str(&t)));
    text_free(&t);
}

/* Addresses differ from run to run, their distances do not. */
static json_t *keep_access(const struct access *a, const struct wanted *w, const char *source)
{
    json_t *o = json_object(), *at = json_array();
    int lanes = __builtin_popcount(a->mask);
    uint64_t base = a->at[0];
    for (int i = 0; i < lanes; i++)
        base = a->at[i] < base ? a->at[i] : base;
    base = strcmp(w->kind, "banks") ? base / LINE * LINE : 0;
    for (int i = 0; i < lanes; i++)
        json_array_append_new(at, json_integer((json_int_t)(a->at[i] - base)));
    json_object_set_new(o, "kind", json_string(w->kind));
    json_object_set_new(o, "what", json_string(a->what));
    json_object_set_new(o, "size", json_integer(a->size));
    json_object_set_new(o, "mask", json_integer(a->mask));
    json_object_set_new(o, "at", at);
    json_object_set_new(o, "units", json_integer(a->units));
    json_object_set_new(o, "least", json_integer(a->least));
    if (a->groups)
        json_object_set_new(o, "groups", json_integer(a->groups));
    put_line(o, a->line, source);
    return o;
}

/* The warp that most often runs with some lanes idle, from just before it first does. */
static json_t *keep_paths(const struct reading *r, int64_t line, const char *source)
{
    int warp = -1, most = 0, from = 0;
    for (int w = 0; w < WARP; w++) {
        int partial = 0;
        for (int i = 0; i < r->npaths[w]; i++)
            partial += r->paths[w][i].mask != 0xffffffff;
        if (partial > most || warp < 0) {
            warp = r->npaths[w] ? w : warp;
            most = partial;
        }
    }
    if (warp < 0)
        return NULL;
    const struct path *p = r->paths[warp];
    int n = r->npaths[warp];
    while (from < n && p[from].mask == 0xffffffff)
        from++;
    from = from == n || from < 3 ? 0 : from - 2;
    json_t *o = json_object(), *paths = json_array();
    for (int i = from; i < n && i < from + MOST_PATHS; i++)
        json_array_append_new(paths,
                              json_pack("[I,I,I,I]", (json_int_t)p[i].mask, (json_int_t)p[i].insns,
                                        (json_int_t)p[i].line, (json_int_t)p[i].last));
    json_object_set_new(o, "kind", json_string("lanes"));
    json_object_set_new(o, "warp", json_integer(warp));
    json_object_set_new(o, "paths", paths);
    json_object_set_new(o, "more", json_integer(n > from + MOST_PATHS ? n - from - MOST_PATHS : 0));
    put_line(o, line, source);
    return o;
}

json_t *picture_of(const char *trace, const char *counter, int64_t line, const char *source)
{
    struct wanted w;
    json_t *picture = NULL;
    if (!trace || !*trace || !what_to_draw(counter, &w))
        return NULL;
    w.line = line;
    struct reading *r = xzalloc(sizeof(*r));
    r->w = &w;
    for (size_t n; *trace; trace += n + (trace[n] == '\n')) {
        json_error_t bad;
        n = strcspn(trace, "\n");
        json_t *o = trace[n] ? json_loadb(trace, n, 0, &bad) : NULL; /* a cut line is none */
        if (json_is_object(o))
            read_line(r, o);
        json_decref(o);
    }
    if (!*w.space)
        picture = keep_paths(r, line, source);
    else if (r->best.mask)
        picture = keep_access(&r->best, &w, source);
    for (int i = 0; i < WARP; i++)
        free(r->paths[i]);
    free(r);
    return picture;
}
