/* findings.c - what the checks and faults found, kept as JSON (warplabFinding).
 *
 * One finding per kind, kernel and instruction: the first is printed and kept with its
 * thread and address, later ones only add to its count.
 */
#include "emulator/code/code.h"
#include "emulator/exec/events.h"
#include "emulator/runtime/warplab.h"
#include <jansson.h>
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
    char *members; /* JSON without braces and count */
    char *json;    /* with them, as of shown_count */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct finding *findings;
static size_t nfindings, room;

static const struct site forgotten; /* of a module that is no longer loaded */

static struct finding *known(const char *kind, const char *kernel, const struct site *s,
                             uint64_t address)
{
    for (size_t i = 0; i < nfindings; i++) {
        struct finding *f = &findings[i];

        if (f->site == s && (s || f->address == address) && strcmp(f->kind, kind) == 0 &&
            strcmp(f->kernel, kernel) == 0)
            return f;
    }
    return NULL;
}

static json_t *triple(uint32_t x, uint32_t y, uint32_t z)
{
    return json_pack("[I, I, I]", (json_int_t)x, (json_int_t)y, (json_int_t)z);
}

/* The members that every finding has, without braces. */
static char *head(const char *kind, const struct block_info *b, const struct site *s,
                  uint32_t thread, uint64_t address)
{
    json_t *o = json_pack("{s:s}", "kind", kind);
    char *text, *inner;

    if (b) {
        uint32_t x = b->ntid[0] ? b->ntid[0] : 1, y = b->ntid[1] ? b->ntid[1] : 1;

        json_object_set_new(o, "kernel", json_string(b->kernel));
        json_object_set_new(o, "block", triple(b->ctaid[0], b->ctaid[1], b->ctaid[2]));
        json_object_set_new(o, "thread", triple(thread % x, thread / x % y, thread / x / y));
    }
    if (s) {
        json_object_set_new(o, "file", json_string(s->file ? s->file : ""));
        json_object_set_new(o, "line", json_integer(s->line));
        json_object_set_new(o, "ptx_line", json_integer(s->ptx_line));
        json_object_set_new(o, "opcode", json_string(s->opcode ? s->opcode : ""));
    }
    json_object_set_new(o, "address", json_integer((json_int_t)address));
    text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    if (!text)
        panic("findings: text that is not UTF-8");
    inner = xmalloc(strlen(text));
    snprintf(inner, strlen(text) - 1, "%s", text + 1); /* without the braces */
    free(text);
    return inner;
}

static void add(const char *kind, const struct block_info *b, const struct site *s, uint32_t thread,
                uint64_t address, const char *json)
{
    char *h = head(kind, b, s, thread, address);
    size_t n = strlen(h) + (json ? strlen(json) : 0) + 2;
    struct finding *f;

    if (nfindings == room) {
        room = room ? 2 * room : 64;
        findings = xrealloc(findings, room * sizeof *findings);
    }
    f = &findings[nfindings++];
    *f = (struct finding){.kind = xstrdup(kind),
                          .kernel = xstrdup(b ? b->kernel : ""),
                          .site = s,
                          .address = address,
                          .count = 1,
                          .members = xmalloc(n)};
    snprintf(f->members, n, "%s%s%s", h, json && *json ? "," : "", json ? json : "");
    free(h);
}

/* Not what the program asked for itself: it reads findings and says them its own way. What
 * comes at exit, leaks, it cannot read any more. */
bool findings_read;

static void print(const char *text, bool at_exit)
{
    size_t n = strlen(text);

    if (n && (at_exit || !findings_read))
        fprintf(stderr, "%s%s", text, text[n - 1] == '\n' ? "" : "\n");
}

void finding_report(const char *kind, const struct block_info *b, const struct site *s,
                    uint32_t thread, uint64_t address, const char *json, const char *text)
{
    struct finding *f;

    pthread_mutex_lock(&lock);
    f = known(kind, b ? b->kernel : "", s, address);
    if (f) {
        f->count++;
    } else if (nfindings < MAX_FINDINGS) {
        add(kind, b, s, thread, address, json);
        if (text)
            print(text, !b);
    }
    pthread_mutex_unlock(&lock);
}

void finding_note(const char *text)
{
    pthread_mutex_lock(&lock);
    print(text, false);
    pthread_mutex_unlock(&lock);
}

void findings_forget(const struct site *sites, size_t n)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nfindings; i++)
        if (findings[i].site >= sites && findings[i].site < sites + n)
            findings[i].site = &forgotten;
    pthread_mutex_unlock(&lock);
}

void findings_clear(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nfindings; i++) {
        free(findings[i].kind);
        free(findings[i].kernel);
        free(findings[i].members);
        free(findings[i].json);
    }
    nfindings = 0;
    pthread_mutex_unlock(&lock);
}

size_t warplabFindingCount(void)
{
    size_t n;

    pthread_mutex_lock(&lock);
    n = nfindings;
    pthread_mutex_unlock(&lock);
    return n;
}

/* A text once given out stays valid: when the count has moved on, a new one is made. */
const char *warplabFinding(size_t i)
{
    const char *json = NULL;

    pthread_mutex_lock(&lock);
    if (i < nfindings) {
        struct finding *f = &findings[i];

        if (f->shown_count != f->count) {
            size_t n = strlen(f->members) + 48;

            f->json = xmalloc(n);
            snprintf(f->json, n, "{%s,\"count\":%lu}", f->members, f->count);
            f->shown_count = f->count;
        }
        json = f->json;
    }
    pthread_mutex_unlock(&lock);
    return json;
}
