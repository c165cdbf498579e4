/* findings.c - what the checks and faults found, kept as JSON (findings.h).
 *
 * One finding per kind, kernel and instruction: the first is printed and kept with its
 * thread and address, later ones only add to its count. A bad loop reports millions: they are
 * found by a hash of their site.
 */
#include "findings.h"
#include "base/alloc.h"
#include "base/text.h"
#include "emulator/base/error.h"
#include "emulator/base/json.h"
#include "emulator/code/code.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FINDINGS 10000 /* beyond, only counted: a broken program finds one a line */

struct finding {
    char *kind, *kernel;
    const struct site *site;
    uint64_t address; /* tells findings apart that have no site */
    uint64_t count, shown_count;
    bool told;       /* its words have come: another thread may count it before */
    json_t *members; /* without count */
    char *json;      /* with it, as of shown_count */
    uint32_t next;   /* in its bucket, from 1; 0: the last */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct finding *findings;
static size_t nfindings, room;
enum { BUCKETS = 1 << 13 };
static uint32_t buckets[BUCKETS]; /* the first of each, from 1 */
static bool read_by_program, read_always;
static void (*before_fault)(const struct emu_func *f);

static const struct site forgotten; /* of a module that is no longer loaded */

static uint32_t *bucket_of(const struct site *s, uint64_t address)
{
    uint64_t key = s ? (uint64_t)(uintptr_t)s : address;

    return &buckets[key * 0x9e3779b97f4a7c15u >> 32 & (BUCKETS - 1)];
}

static struct finding *known(const char *kind, const char *kernel, const struct site *s,
                             uint64_t address)
{
    for (uint32_t i = *bucket_of(s, address); i; i = findings[i - 1].next) {
        struct finding *f = &findings[i - 1];

        if (f->site == s && (s || f->address == address) && strcmp(f->kind, kind) == 0 &&
            strcmp(f->kernel, kernel) == 0)
            return f;
    }
    return NULL;
}

/* Behind the others of its bucket: of two that are alike the first is found. */
static void put_in_bucket(uint32_t i)
{
    uint32_t *at = bucket_of(findings[i].site, findings[i].address);

    while (*at)
        at = &findings[*at - 1].next;
    findings[i].next = 0;
    *at = i + 1;
}

static json_t *triple(uint32_t x, uint32_t y, uint32_t z)
{
    return json_pack("[I, I, I]", (json_int_t)x, (json_int_t)y, (json_int_t)z);
}

/* The members that every finding has. */
static json_t *head(const char *kind, const struct block_info *b, const struct site *s,
                    uint32_t thread, uint64_t address)
{
    json_t *o = json_pack("{s:s}", "kind", kind);

    if (b) {
        uint32_t x = b->ntid[0] ? b->ntid[0] : 1, y = b->ntid[1] ? b->ntid[1] : 1;

        json_object_set_new(o, "kernel", json_words(b->kernel));
        json_object_set_new(o, "block", triple(b->ctaid[0], b->ctaid[1], b->ctaid[2]));
        json_object_set_new(o, "thread", triple(thread % x, thread / x % y, thread / x / y));
    }
    if (s) {
        json_object_set_new(o, "file", json_words(s->file));
        json_object_set_new(o, "line", json_integer(s->line));
        json_object_set_new(o, "ptx_line", json_integer(s->ptx_line));
        json_object_set_new(o, "opcode", json_words(s->opcode));
    }
    json_object_set_new(o, "address", json_integer((json_int_t)address));
    return o;
}

static struct finding *add(const char *kind, const struct block_info *b, const struct site *s,
                           uint64_t address)
{
    if (nfindings == MAX_FINDINGS)
        return NULL;
    if (nfindings == room) {
        room = room ? 2 * room : 64;
        findings = xrealloc(findings, room * sizeof(*findings));
    }
    struct finding *f = &findings[nfindings++];
    *f = (struct finding){.kind = xstrdup(kind),
                          .kernel = xstrdup(b ? b->kernel : ""),
                          .site = s,
                          .address = address};
    put_in_bucket((uint32_t)nfindings - 1);
    return f;
}

/* Whose thread and address, and what more there is to say of it. */
static void describe(struct finding *f, const struct block_info *b, uint32_t thread,
                     uint64_t address, json_t *members)
{
    json_decref(f->members);
    f->members = head(f->kind, b, f->site, thread, address);
    if (members)
        json_object_update(f->members, members);
}

void findings_read_by_program(bool reads)
{
    read_by_program = reads || read_always;
}

void findings_read_always(bool reads)
{
    read_always = read_by_program = reads;
}

void findings_before_fault(void (*f)(const struct emu_func *f))
{
    before_fault = f;
}

/* A program's own names are in it: nothing of them reaches the terminal as it is. */
static void print(const char *words, bool at_exit)
{
    struct text t = {0};

    if (!*words || (read_by_program && !at_exit))
        return;
    text_printable(&t, words, strlen(words), true);
    fprintf(stderr, "%s%s", text_str(&t), words[strlen(words) - 1] == '\n' ? "" : "\n");
    text_free(&t);
}

void finding_report(const char *kind, const struct block_info *b, const struct site *s,
                    uint32_t thread, uint64_t address, json_t *members, const char *text)
{
    pthread_mutex_lock(&lock);
    struct finding *f = known(kind, b ? b->kernel : "", s, address);
    if (!f)
        f = add(kind, b, s, address);
    if (f && (!f->members || (text && !f->told)))
        describe(f, b, thread, address, members);
    if (f && text && !f->told)
        print(text, !b);
    if (f) {
        f->told |= text != NULL;
        f->count++;
    }
    pthread_mutex_unlock(&lock);
    json_decref(members);
}

void finding_note(const char *text)
{
    pthread_mutex_lock(&lock);
    print(text, false);
    pthread_mutex_unlock(&lock);
}

/* Of several blocks' faults only the one that the launch failed by comes here, when it is over. */
static void on_fault(struct listener *l, const struct block_info *b, const struct site *s,
                     uint32_t thread, const char *what)
{
    char *line = xstrdup(what);

    (void)l;
    if (before_fault)
        before_fault(b->func);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    if (!read_by_program)
        fprintf(stderr, "warplab: %s\n", emu_error_text());
    finding_report("fault", b, s, thread, 0, json_pack("{s:o}", "message", json_words(line)), NULL);
    free(line);
}

static void forget(const struct emu_func *f)
{
    if (!f->sites)
        return;
    size_t n = f->ptx->ninsns + 1;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nfindings; i++)
        if (findings[i].site >= f->sites && findings[i].site < f->sites + n)
            findings[i].site = &forgotten;
    memset(buckets, 0, sizeof(buckets));
    for (size_t i = 0; i < nfindings; i++)
        if (findings[i].site != &forgotten) /* nobody reports one of these again */
            put_in_bucket((uint32_t)i);
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void listen(void)
{
    static struct listener self = {.name = "findings", .fault = on_fault};

    listener_register(&self);
    module_watch(forget);
}

void findings_clear(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nfindings; i++) {
        free(findings[i].kind);
        free(findings[i].kernel);
        json_decref(findings[i].members);
        free(findings[i].json);
    }
    nfindings = 0;
    memset(buckets, 0, sizeof(buckets));
    pthread_mutex_unlock(&lock);
}

size_t findings_count(void)
{
    pthread_mutex_lock(&lock);
    size_t n = nfindings;
    pthread_mutex_unlock(&lock);
    return n;
}

/* A text once given out stays valid: when the count has moved on, a new one is made. */
const char *findings_json(size_t i)
{
    const char *json = NULL;

    pthread_mutex_lock(&lock);
    if (i < nfindings) {
        struct finding *f = &findings[i];

        if (f->shown_count != f->count) {
            json_object_set_new(f->members, "count", json_integer((json_int_t)f->count));
            f->json = json_dumps(f->members, JSON_COMPACT);
            f->shown_count = f->count;
        }
        json = f->json;
    }
    pthread_mutex_unlock(&lock);
    return json;
}
