/* finding.c - findings of the checker in the order in which they help (finding.h). */
#include "finding.h"
#include "base/alloc.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    json_t *json;
    const char *kind, *file, *message, *distance;
    json_int_t line, other, missed; /* 0: none */
    int rank, at;                   /* at: as it came */
};
struct findings {
    struct finding *f;
    int n;
};

const char finding_check_lists[] = "; CHECK=1 lists them";
const char finding_stored_later[] = "; it is stored later, so it is read too early",
           finding_changed[] =
               "; nothing sets it before: is all of it set first (to 0, where it is "
               "a sum)?",
           finding_never_stored[] = "; its block never stores it: is a store missing, or is the "
                                    "index wrong, or does a loop go too far?";

static const struct {
    const char *kind, *distance, *says, *cause; /* says: in the message; NULL: any */
} ranks[] = {
    /* What CUDA does not define at all, anything may come from. */
    {"outside-mask", NULL, NULL, "mask"},
    /* Whoever does not come to a barrier is ordered with nobody: races follow from it. */
    {"fault", NULL, "never come", "barrier"},
    {"barrier-divergence", NULL, NULL, "barrier"},
    {"barrier-exited", NULL, NULL, "barrier"},
    /* What went wrong in shared memory before, a fault's address may come from. A copy or product
     * that nobody waited for shows as a race, too, and may let others wait for ever. */
    {"async-unwaited", NULL, NULL, "async"},
    {"wgmma-registers", NULL, NULL, "async"},
    {"async-overwrite", NULL, NULL, "async"},
    {"async-proxy", NULL, NULL, "async"},
    {"tensormap-proxy", NULL, NULL, "async"},
    {"mbarrier-early", NULL, NULL, "async"},
    {"cluster-barrier", NULL, NULL, "async"},
    {"shared-race", "block", NULL, "race"},
    {"shared-race", NULL, NULL, "race"},
    {"async-left", NULL, NULL, "left"},
    {"fault", NULL, "misaligned", "misaligned"},
    {"fault", NULL, "address", "out-of-bounds"},
    {"fault", NULL, "constant variable", "input-changed"},
    {"fault", NULL, "steps", "endless"},
    {"fault", NULL, NULL, "fault"},
    {"global-race", "grid", NULL, "collision"},
    {"global-race", "block", NULL, "race"},
    {"global-race", NULL, NULL, "race"},
    {"wmma-operands", NULL, NULL, "wmma"},
    {"uninitialised-read", NULL, "[", "unfilled"}, /* of an array: global memory */
    {"uninitialised-read", NULL, NULL, "uninitialised"},
};
#define NRANKS ((int)(sizeof(ranks) / sizeof(ranks[0])))

static const char *string(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));

    return s ? s : "";
}

static int rank_of(const struct finding *f)
{
    for (int i = 0; i < NRANKS; i++) {
        if (!strcmp(ranks[i].kind, f->kind) &&
            (!ranks[i].distance || !strcmp(ranks[i].distance, f->distance)) &&
            (!ranks[i].says || strstr(f->message, ranks[i].says)))
            return i;
    }
    return NRANKS;
}

static bool same(const struct finding *a, const struct finding *b)
{
    bool ahead = a->line == b->line && a->other == b->other;
    bool behind = a->line == b->other && a->other == b->line;

    return !strcmp(a->kind, b->kind) && !strcmp(a->file, b->file) && (ahead || behind) && a->line;
}

static void add(struct findings *all, json_t *json)
{
    struct finding f = {.json = json,
                        .kind = string(json, "kind"),
                        .file = string(json, "file"),
                        .message = string(json, "message"),
                        .distance = string(json, "distance"),
                        .line = json_integer_value(json_object_get(json, "line")),
                        .at = all->n};

    f.other = json_integer_value(json_object_get(json_object_get(json, "other"), "line"));
    f.rank = rank_of(&f);
    for (int i = 0; i < all->n; i++) {
        if (!same(&all->f[i], &f))
            continue;
        if (f.rank < all->f[i].rank) {
            json_decref(all->f[i].json);
            all->f[i] = f;
        } else {
            json_decref(json);
        }
        return;
    }
    all->f = xrealloc(all->f, (size_t)(all->n + 1) * sizeof(*all->f));
    all->f[all->n++] = f;
}

static int by_rank(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank - y->rank;
    if (!x->line != !y->line) /* one whose place the compiler knows says more */
        return !x->line - !y->line;
    return x->at - y->at;
}

static bool same_member(const struct finding *a, const struct finding *b, const char *key)
{
    return json_equal(json_object_get(a->json, key), json_object_get(b->json, key));
}

/* A thread's address is illegal that has read shared memory which nobody wrote: what it read there
 * may be the address, and comes first. */
static void put_unwritten_first(struct findings *all)
{
    struct finding *fault = all->n ? &all->f[0] : NULL;

    if (!fault || strcmp(fault->kind, "fault") || !strstr(fault->message, "illegal address"))
        return;
    for (int i = 1; i < all->n; i++) {
        struct finding unwritten = all->f[i];

        if (strcmp(unwritten.kind, "uninitialised-read") ||
            !strstr(unwritten.message, "of shared memory") ||
            !same_member(fault, &unwritten, "block") || !same_member(fault, &unwritten, "thread"))
            continue;
        memmove(&all->f[1], &all->f[0], (size_t)i * sizeof(all->f[0]));
        all->f[0] = unwritten;
        return;
    }
}

/* "byte 12 of 'order'": where in which shared variable, with the end of the word. */
static bool place_in_shared(const struct finding *f, unsigned long long *byte, const char **name,
                            size_t *length)
{
    const char *at = strstr(f->message, " at byte "), *quote = at ? strchr(at, '\'') : NULL;
    char *end = NULL;

    if (!quote)
        return false;
    *byte = strtoull(at + strlen(" at byte "), &end, 10);
    *name = quote + 1;
    *length = strcspn(quote + 1, "'");
    return !strncmp(end, " of '", 5) && end + 4 == quote;
}

static bool is_collision(const struct finding *f)
{
    return !strcmp(f->kind, "shared-race") &&
           strstr(f->message, "two threads store to one place at one line");
}

static bool same_variable(const struct finding *a, const struct finding *b)
{
    unsigned long long byte;
    const char *name, *of;
    size_t length, n;

    return place_in_shared(a, &byte, &name, &length) && place_in_shared(b, &byte, &of, &n) &&
           n == length && !strncmp(name, of, n);
}

/* Two threads store to one place, and at that line one reads what another may not have stored yet,
 * of another variable: the place may be made of it. */
static int race_before(const struct findings *all, const struct finding *f)
{
    for (int i = 0; i < all->n && is_collision(f); i++) {
        const struct finding *g = &all->f[i];

        if (!strcmp(g->kind, "shared-race") && !is_collision(g) && !same_variable(f, g) &&
            (g->line == f->line || g->other == f->line) && f->line)
            return i;
    }
    return -1;
}

static void put_race_first(struct findings *all)
{
    int i = all->n ? race_before(all, &all->f[0]) : -1;

    if (i > 0) {
        struct finding race = all->f[i];

        memmove(&all->f[1], &all->f[0], (size_t)i * sizeof(all->f[0]));
        all->f[0] = race;
    }
}

/* Two threads store to one place of a shared variable, at one line, and to another of its places
 * nobody does. */
static const struct finding *missed_beside(const struct findings *all, const struct finding *f)
{
    unsigned long long byte, other;
    const char *name, *of;
    size_t length, n;

    if (!is_collision(f) || race_before(all, f) >= 0 || !place_in_shared(f, &byte, &name, &length))
        return NULL;
    for (int i = 0; i < all->n; i++) {
        if (!strcmp(all->f[i].kind, "uninitialised-read") &&
            place_in_shared(&all->f[i], &other, &of, &n) && n == length && !strncmp(name, of, n) &&
            other != byte)
            return &all->f[i];
    }
    return NULL;
}

static long long number(const json_t *f, const char *key, size_t i)
{
    return (long long)json_integer_value(json_array_get(json_object_get(f, key), i));
}

/* The student's file under the name that they gave it; another by its own. */
static const char *file_name(const struct finding *f, const char *path)
{
    const char *a = strrchr(f->file, '/'), *b = strrchr(path, '/');

    return !strcmp(a ? a + 1 : f->file, b ? b + 1 : path) ? path : f->file;
}

/* A kernel of C++'s, "_Z5saxpyjf", by the name that its source has. */
static void put_kernel(struct text *t, const char *name)
{
    char *end;
    unsigned long n = strncmp(name, "_Z", 2) ? 0 : strtoul(name + 2, &end, 10);

    if (n && n <= strlen(end))
        text_bytes(t, end, n);
    else
        text_add(t, name);
}

/* Of shared memory that was read before it was stored: is it ever? */
static bool put_unstored(struct text *t, const struct finding *f)
{
    const char *stored = string(f->json, "stored"),
               *asks = strstr(f->message, "; does every element get stored before it is read?");

    if (!asks || !*stored)
        return false;
    text_bytes(t, f->message, (size_t)(asks - f->message));
    text_add(t, !strcmp(stored, "later")     ? finding_stored_later
                : !strcmp(stored, "changed") ? finding_changed
                                             : finding_never_stored);
    return true;
}

/* … then the places are not each thread's own, and no atomic would help. */
static void put_message(struct text *t, const struct findings *all, const struct finding *f)
{
    const struct finding *missed = missed_beside(all, f);
    const char *question = missed ? strstr(f->message, ": has each a place of its own") : NULL;
    unsigned long long byte = 0, other = 0;
    const char *name = "";
    size_t length = 0;

    if (put_unstored(t, f))
        return;
    if (!question) {
        text_add(t, f->message);
        return;
    }
    place_in_shared(missed, &other, &name, &length);
    place_in_shared(f, &byte, &name, &length);
    text_bytes(t, f->message, (size_t)(question - f->message));
    text_addf(t,
              ": byte %llu of '%.*s' is stored more than once, byte %llu by nobody, so the places "
              "that are computed for it are not each thread's own",
              byte, (int)length, name, other);
}

/* "read of 4 bytes at …, 0 bytes after a 4000-byte block", by the thread of that number: one more
 * than there are elements was let through. */
static void put_behind(struct text *t, const struct finding *f)
{
    const char *of = strstr(f->message, " of "), *after = strstr(f->message, ", 0 bytes after a ");
    unsigned long long size, bytes;

    if (strcmp(f->kind, "fault") || !of || !after || sscanf(of, " of %llu bytes", &size) != 1 ||
        sscanf(after, ", 0 bytes after a %llu-byte block", &bytes) != 1 || !size || bytes % size)
        return;
    unsigned long long n = bytes / size, block = (unsigned long long)number(f->json, "block", 0),
                       thread = (unsigned long long)number(f->json, "thread", 0);
    bool its = block ? n > thread && (n - thread) % (32 * block) == 0 : n == thread;
    if (its)
        text_addf(t,
                  "; it is thread %llu of all, and there are elements 0 to %llu: nothing keeps it "
                  "out (i < n does, i <= n does not)",
                  n, n - 1);
}

static void put_finding(struct text *t, const struct findings *all, const struct finding *f,
                        const char *path)
{
    text_add(t, "  ");
    if (*f->file)
        text_add(t, file_name(f, path));
    if (*f->file && f->line) /* the compiler gives line 0 to what it moved */
        text_addf(t, ":%lld", (long long)f->line);
    if (*f->file)
        text_add(t, ": ");
    put_kernel(t, string(f->json, "kernel"));
    if (json_array_size(json_object_get(f->json, "block")) == 3)
        text_addf(t, " block (%lld,%lld,%lld)", number(f->json, "block", 0),
                  number(f->json, "block", 1), number(f->json, "block", 2));
    if (json_array_size(json_object_get(f->json, "thread")) == 3)
        text_addf(t, " thread (%lld,%lld,%lld)", number(f->json, "thread", 0),
                  number(f->json, "thread", 1), number(f->json, "thread", 2));
    text_add(t, *string(f->json, "kernel") ? ": " : "");
    put_message(t, all, f);
    put_behind(t, f);
    if (f->missed)
        text_addf(t,
                  "; do those that have left load for others? On line %lld shared memory is read "
                  "that nobody in the block stored",
                  (long long)f->missed);
    text_add(t, "\n");
}

/* One of its kind was told before it: what is missing there may be all that is missing. */
static bool is_like(const struct findings *all, int i)
{
    for (int k = 0; k < i; k++) {
        if (!strcmp(all->f[k].kind, all->f[i].kind))
            return true;
    }
    return false;
}

/* Threads have left their block, and shared memory is read there that it never stores: they may
 * have been to load for others. */
static bool is_missed(const struct finding *left, const struct finding *f)
{
    return !strcmp(left->kind, "barrier-exited") && !strcmp(f->kind, "uninitialised-read") &&
           f->line && !strcmp(string(f->json, "stored"), "never") &&
           same_member(left, f, "kernel") && same_member(left, f, "block");
}

/* … which is told of those that left. */
static void put_missed_together(struct findings *all)
{
    int n = all->n ? 1 : 0;

    for (int i = 1; i < all->n; i++) {
        struct finding *f = &all->f[i];

        if (is_missed(&all->f[0], f)) {
            all->f[0].missed = all->f[0].missed ? all->f[0].missed : f->line;
            json_decref(f->json);
        } else {
            all->f[n++] = *f;
        }
    }
    all->n = n;
}

static void read_all(struct findings *all, const char *json_lines)
{
    char *lines = xstrdup(json_lines ? json_lines : ""), *rest = lines, *line;

    while ((line = strsep(&rest, "\n"))) {
        json_t *json = *line ? json_loads(line, 0, NULL) : NULL;

        if (json)
            add(all, json);
    }
    if (all->n)
        qsort(all->f, (size_t)all->n, sizeof(*all->f), by_rank);
    put_unwritten_first(all);
    put_race_first(all);
    put_missed_together(all);
    free(lines);
}

static void forget_all(struct findings *all)
{
    for (int i = 0; i < all->n; i++)
        json_decref(all->f[i].json);
    free(all->f);
}

/* What an instruction makes, by the first part of its name. */
static const char *operation(const char *opcode)
{
    static const char *const names[][2] = {
        {"add", "the sum"},    {"sub", "the difference"},   {"mul", "the product"},
        {"fma", "a b + c"},    {"mad", "a b + c"},          {"div", "the quotient"},
        {"rcp", "1 / x"},      {"sqrt", "the square root"}, {"rsqrt", "1 / the square root"},
        {"lg2", "the log2"},   {"ex2", "2 to the power"},   {"sin", "the sine"},
        {"cos", "the cosine"}, {"tanh", "the tanh"}};
    size_t n = strcspn(opcode, ".");

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        if (strlen(names[k][0]) == n && !strncmp(opcode, names[k][0], n))
            return names[k][1];
    }
    return opcode;
}

/* Of several lines, any may be the one of the elements that are wrong, and another be as it should
 * (NaN that is asked for); one without a line is in a function of the compiler's, as __powf(). */
bool findings_put_nan(struct text *t, const char *json_lines, const char *path)
{
    struct findings all = {0};
    const struct finding *f = NULL;
    int places = 0;

    read_all(&all, json_lines);
    for (int i = 0; i < all.n; i++) {
        if (strcmp(all.f[i].kind, "nan") != 0)
            continue;
        f = &all.f[i];
        places++;
    }
    const char *of = places == 1 && f->line ? strstr(f->message, " of ") : NULL;
    if (of) {
        text_addf(t, "  %s:%lld: the first NaN is made here, as %s%s\n", file_name(f, path),
                  (long long)f->line, operation(string(f->json, "opcode")), of);
    }
    forget_all(&all);
    return of;
}

bool findings_race(const char *json_lines)
{
    struct findings all = {0};
    bool race = false;

    read_all(&all, json_lines);
    for (int i = 0; i < all.n; i++)
        race |= !strcmp(all.f[i].kind, "shared-race");
    forget_all(&all);
    return race;
}

bool findings_lines(const char *json_lines, const char *path, int lines[2])
{
    struct findings all = {0};

    read_all(&all, json_lines);
    bool known = all.n && all.f[0].line && file_name(&all.f[0], path) == path;
    lines[0] = lines[1] = known ? (int)all.f[0].line : 0;
    if (known && all.f[0].other)
        lines[1] = (int)all.f[0].other;
    forget_all(&all);
    return known;
}

const char *findings_put(struct text *t, const char *json_lines, const char *path, int most,
                         bool each_kind)
{
    struct findings all = {0};
    const char *cause = NULL;
    int told = 0;

    read_all(&all, json_lines);
    for (int i = 0; i < all.n; i++) {
        if (told < most && !(each_kind && is_like(&all, i))) {
            put_finding(t, &all, &all.f[i], path);
            told++;
        }
        if (!i && all.f[i].rank < NRANKS)
            cause = ranks[all.f[i].rank].cause;
    }
    if (all.n > told)
        text_addf(t, "  … and %d more%s\n", all.n - told, each_kind ? finding_check_lists : "");
    if (cause && json_is_true(json_object_get(all.f[0].json, "update")))
        cause = "atomic";
    forget_all(&all);
    return cause;
}

/* Where it is, "FILE:LINE", and what, "race in shared memory": of "  FILE:LINE: KERNEL block
 * (0,0,0) thread (0,0,0): race in shared memory: …". For free(); NULL: it is no such line. */
static char *place_and_kind(const char *line, size_t length)
{
    char *copy = xformat("%.*s", (int)length, line), *place = strstr(copy, ": "),
         *kind = strstr(copy, "): "), *is = NULL;

    if (kind)
        is = xformat("%.*s%.*s", (int)(place - copy), copy, (int)strcspn(kind + 3, ":"), kind + 3);
    free(copy);
    return is;
}

static bool tells(const char *told, const char *what)
{
    bool found = false;
    size_t n;

    for (const char *p = told; *p && !found; p += n, p += *p == '\n') {
        n = strcspn(p, "\n");
        char *is = place_and_kind(p, n);
        found = is && !strcmp(is, what);
        free(is);
    }
    return found;
}

void findings_drop(struct text *lines, const char *told)
{
    struct text t = {0};
    size_t n;

    for (const char *p = text_str(lines); *p; p += n, p += *p == '\n') {
        n = strcspn(p, "\n");
        char *is = place_and_kind(p, n);
        if (!is || !tells(told, is))
            text_addf(&t, "%.*s\n", (int)n, p);
        free(is);
    }
    text_free(lines);
    *lines = t;
}

/* Of a part of a line: "WHAT: is it so?" is "WHAT", "WHAT (SO: is it?), WHERE" is "WHAT (SO),
 * WHERE". */
static void put_unasked(struct text *t, const char *part, size_t n, bool first)
{
    const char *asks = memchr(part, '?', n), *behind = asks && asks[1] == ')' ? asks + 1 : part + n;
    size_t upto = n;

    if (asks && first) {
        while (asks > part && strncmp(asks, ": ", 2) != 0 && strncmp(asks, ". ", 2) != 0)
            asks--;
        upto = (size_t)(asks - part);
    }
    if (first || !asks)
        text_addf(t, "%s%.*s", first ? "" : "; ", (int)upto, part);
    if (first)
        text_addf(t, "%.*s", (int)(part + n - behind), behind);
}

void findings_drop_questions(struct text *lines)
{
    struct text t = {0};

    for (const char *line = text_str(lines), *end; *line; line = end + (*end == '\n')) {
        const char *part = line;

        end = line + strcspn(line, "\n");
        while (part) {
            const char *next = strstr(part, "; ");

            next = next && next < end ? next : NULL;
            put_unasked(&t, part, (size_t)((next ? next : end) - part), part == line);
            part = next ? next + strlen("; ") : NULL;
        }
        text_add(&t, "\n");
    }
    text_free(lines);
    *lines = t;
}
