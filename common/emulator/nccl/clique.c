/* clique.c - where the ranks' calls meet (clique.h).
 *
 * Collectives meet in slots, one for each that not all ranks have posted; sends and receives wait
 * in a list for their other half. One lock guards it all, and is held while an operation is carried
 * out: what others post meanwhile waits.
 */
#include "clique.h"
#include "base/alloc.h"
#include "base/text.h"
#include "move.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct slot {
    struct slot *next;
    uint64_t number; /* of the collective, from 0 */
    int came;
    struct op *ops[]; /* by rank; NULL: not there yet */
};

struct clique {
    struct clique *next;
    ncclUniqueId id;
    int nranks, alive;       /* alive: handles that are out */
    struct ncclComm **comms; /* by rank; NULL: not there yet, or gone */
    struct slot *slots;
    struct op *halves; /* sends and receives without the other */
    ncclResult_t broken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct clique *cliques;
static struct ncclComm *comms;

static void init(void)
{
    pthread_condattr_t a;

    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&news, &a);
    pthread_condattr_destroy(&a);
}

/* ---- why calls fail ---- */

static struct said {
    struct said *next; /* kept: a program may hold what ncclGetLastError() gave */
    char *words;
} * said;
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;

ncclResult_t refuse(ncclResult_t r, const char *format, ...)
{
    struct said *s = xcalloc(1, sizeof(*s));
    va_list args;

    va_start(args, format);
    s->words = xvformat(format, args);
    va_end(args);
    warplab_say(s->words);
    pthread_mutex_lock(&said_lock);
    s->next = said;
    said = s;
    pthread_mutex_unlock(&said_lock);
    return r;
}

const char *refused_last(void)
{
    pthread_mutex_lock(&said_lock);
    const char *words = said ? said->words : "";
    pthread_mutex_unlock(&said_lock);
    return words;
}

/* ---- joining and leaving ---- */

static struct clique *clique_of(int nranks, const ncclUniqueId *id)
{
    struct clique *c = cliques;

    while (c && memcmp(&c->id, id, sizeof(*id)) != 0)
        c = c->next;
    if (!c) {
        c = xcalloc(1, sizeof(*c));
        *c = (struct clique){.next = cliques, .id = *id, .nranks = nranks};
        c->comms = xcalloc((size_t)nranks, sizeof(struct ncclComm *));
        cliques = c;
    }
    return c;
}

static ncclResult_t may_join(const struct clique *c, int nranks, int rank, int device)
{
    if (c->broken)
        return refuse(c->broken, "ncclCommInitRank: this unique id's communicator has failed");
    if (c->nranks != nranks)
        return refuse(ncclInvalidArgument,
                      "ncclCommInitRank: %d ranks here, but %d where this unique id was used first",
                      nranks, c->nranks);
    if (c->comms[rank])
        return refuse(ncclInvalidUsage, "ncclCommInitRank: rank %d has come twice", rank);
    for (int r = 0; r < nranks; r++)
        if (c->comms[r] && c->comms[r]->device == device)
            return refuse(ncclInvalidUsage,
                          "ncclCommInitRank: ranks %d and %d are both on device %d (cudaSetDevice "
                          "before each?)",
                          r, rank, device);
    return ncclSuccess;
}

ncclResult_t clique_join(ncclComm_t *comm, int nranks, const ncclUniqueId *id, int rank, int device)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&lock);
    struct clique *c = clique_of(nranks, id);
    ncclResult_t r = may_join(c, nranks, rank, device);
    if (!r) {
        struct ncclComm *m = xcalloc(1, sizeof(*m));
        *m = (struct ncclComm){.next = comms, .clique = c, .rank = rank, .device = device};
        comms = m;
        c->comms[rank] = m;
        c->alive++;
        *comm = m;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

static bool known_locked(const struct ncclComm *comm)
{
    const struct ncclComm *m = comms;

    while (m && m != comm)
        m = m->next;
    return m != NULL;
}

bool comm_known(const struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    bool known = known_locked(comm);
    pthread_mutex_unlock(&lock);
    return known;
}

int comm_ranks(const struct ncclComm *comm)
{
    return comm->clique->nranks;
}

ncclResult_t comm_broken(const struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    ncclResult_t r = comm->clique->broken;
    pthread_mutex_unlock(&lock);
    return r;
}

static void finish(struct op *o, ncclResult_t r)
{
    o->result = r;
    o->done = true;
    if (o->step) /* was not carried out */
        warplab_steps_end(&o->step, 1, 0, false);
    o->step = NULL;
}

/* All that wait in it are told; later calls are refused. */
static void break_clique(struct clique *c, ncclResult_t r)
{
    c->broken = r;
    for (struct slot *s; (s = c->slots); free(s)) {
        c->slots = s->next;
        for (int i = 0; i < c->nranks; i++)
            if (s->ops[i])
                finish(s->ops[i], r);
    }
    for (struct op *o; (o = c->halves);) {
        c->halves = o->next;
        finish(o, r);
    }
    pthread_cond_broadcast(&news);
}

void clique_leave(ncclComm_t comm, bool abort)
{
    pthread_mutex_lock(&lock);
    struct clique *c = comm->clique;
    struct ncclComm **p = &comms;

    if (abort && !c->broken && (c->slots || c->halves)) {
        refuse(ncclRemoteError, "ncclCommAbort: rank %d of %d goes while others wait for it",
               comm->rank, c->nranks);
        break_clique(c, ncclRemoteError);
    }
    while (*p != comm)
        p = &(*p)->next;
    *p = comm->next;
    c->comms[comm->rank] = NULL;
    free(comm);
    if (--c->alive == 0) {
        struct clique **q = &cliques;

        while (*q != c)
            q = &(*q)->next;
        *q = c->next;
        break_clique(c, ncclInvalidUsage);
        free(c->comms);
        free(c);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- meeting ---- */

/* What all ranks have to say alike. */
static const char *differs(const struct op *a, const struct op *b)
{
    if (a->kind != b->kind)
        return "call";
    if (a->kind == INIT)
        return NULL;
    if (a->count != b->count)
        return "count";
    if (a->type != b->type)
        return "type";
    if (a->reduce != b->reduce)
        return "operation";
    return a->root != b->root ? "root" : NULL;
}

static struct slot *slot_of(struct clique *c, uint64_t number)
{
    struct slot **p = &c->slots;

    while (*p && (*p)->number != number)
        p = &(*p)->next;
    if (!*p) {
        *p = xcalloc(1, sizeof(**p) + (size_t)c->nranks * sizeof(struct op *));
        (*p)->number = number;
    }
    return *p;
}

static void slot_done(struct clique *c, struct slot *s)
{
    struct slot **p = &c->slots;

    if (s->ops[0]->kind != INIT)
        move_collective(s->ops, c->nranks);
    for (int r = 0; r < c->nranks; r++) {
        s->ops[r]->step = NULL;
        finish(s->ops[r], ncclSuccess);
    }
    while (*p != s)
        p = &(*p)->next;
    *p = s->next;
    free(s);
    pthread_cond_broadcast(&news);
}

static void post_collective(struct clique *c, struct op *o)
{
    struct slot *s = slot_of(c, o->comm->posted++);
    const struct op *other = NULL;

    for (int r = 0; !other && r < c->nranks; r++)
        other = s->ops[r];
    s->ops[o->comm->rank] = o;
    s->came++;
    const char *what = other ? differs(o, other) : NULL;
    if (what) {
        refuse(ncclInvalidUsage,
               "%s of rank %d meets %s of rank %d: another %s (counts %zu and %zu, types %d and "
               "%d, operations %d and %d, roots %d and %d)",
               o->name, o->comm->rank, other->name, other->comm->rank, what, o->count, other->count,
               o->type, other->type, o->reduce, other->reduce, o->root, other->root);
        break_clique(c, ncclInvalidUsage);
    } else if (s->came == c->nranks) {
        slot_done(c, s);
    }
}

/* The first that waits for this one. */
static struct op **other_half(struct clique *c, const struct op *o)
{
    struct op **p = &c->halves;

    while (*p &&
           ((*p)->kind == o->kind || (*p)->comm->rank != o->root || (*p)->root != o->comm->rank))
        p = &(*p)->next;
    return p;
}

static void post_half(struct clique *c, struct op *o)
{
    struct op **p = other_half(c, o), *other = *p;

    if (!other) {
        o->next = NULL;
        *p = o; /* the end of the list */
        return;
    }
    *p = other->next;
    if (o->count != other->count || type_bytes(o->type) != type_bytes(other->type)) {
        refuse(ncclInvalidUsage,
               "%s of rank %d (%zu elements of type %d) meets %s of rank %d (%zu of type %d)",
               o->name, o->comm->rank, o->count, o->type, other->name, other->comm->rank,
               other->count, other->type);
        finish(other, ncclInvalidUsage);
        finish(o, ncclInvalidUsage);
        break_clique(c, ncclInvalidUsage);
        return;
    }
    if (o->kind == SEND)
        move_pair(o, other);
    else
        move_pair(other, o);
    o->step = other->step = NULL;
    finish(other, ncclSuccess);
    finish(o, ncclSuccess);
    pthread_cond_broadcast(&news);
}

void op_post(struct op *o)
{
    pthread_mutex_lock(&lock);
    struct clique *c = o->comm->clique;

    if (c->broken)
        finish(o, c->broken);
    else if (o->kind == SEND || o->kind == RECEIVE)
        post_half(c, o);
    else
        post_collective(c, o);
    pthread_mutex_unlock(&lock);
}

/* ---- waiting ---- */

/* Seconds without work in the process after which nobody can come any more. */
static double patience(void)
{
    const char *text = getenv("WARPLAB_RANK_WAIT");
    double s = text ? atof(text) : 0;

    return s > 0 ? s : 10;
}

static double clock_s(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_missing(struct text *t, const struct op *o)
{
    const struct clique *c = o->comm->clique;
    const struct slot *s = c->slots;
    int n = 0;

    if (o->kind == SEND || o->kind == RECEIVE) {
        text_addf(t, "rank %d", o->root);
        return;
    }
    while (s && s->ops[o->comm->rank] != o)
        s = s->next;
    for (int r = 0; s && r < c->nranks; r++)
        if (!s->ops[r])
            text_addf(t, "%s%d", n++ ? ", " : "rank ", r);
}

static void give_up(struct op *o, double waited)
{
    struct text who = {0};

    put_missing(&who, o);
    refuse(ncclInvalidUsage,
           "%s: rank %d of %d waits for %s, which never came: nothing else ran for %.3g s (a call "
           "missing there, or ranks of one thread without ncclGroupStart and ncclGroupEnd?)",
           o->name, o->comm->rank, o->comm->clique->nranks, text_str(&who), waited);
    text_free(&who);
    break_clique(o->comm->clique, ncclInvalidUsage);
}

/* Work of the process since *used was read is less than a twentieth of the time since. */
static bool idle(double *since, double *used)
{
    double now = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    bool still = cpu - *used < (now - *since) / 20;

    if (!still) {
        *since = now;
        *used = cpu;
    }
    return still;
}

ncclResult_t op_wait(struct op *o)
{
    double since = clock_s(CLOCK_MONOTONIC), used = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    double most = patience();

    pthread_mutex_lock(&lock);
    while (!o->done) {
        struct timespec until;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 100 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&news, &lock, &until);
        if (!o->done && idle(&since, &used) && clock_s(CLOCK_MONOTONIC) - since > most)
            give_up(o, most);
    }
    pthread_mutex_unlock(&lock);
    return o->result;
}
