/* launch.c - one launch: validated, cut into blocks, run on a pool of host threads, counted.
 *
 * Blocks start in order; each worker runs one at a time to its end, and opens another only
 * when the one it has keeps yielding (it waits for a later block) or the launch is
 * cooperative (all blocks must be resident). A cooperative launch runs on one worker, so
 * that its spinning is repeatable. What a block does meanwhile is in block.c, whose fault is told
 * in fault.c.
 */
#include "launch.h"
#include "builtin.h"
#include "children.h"
#include "cluster.h"
#include "compared.h"
#include "disturb.h"
#include "late.h"
#include "outcomes.h"
#include "guard.h"
#include "base/mix.h"
#include "emulator/base/mem.h"
#include "emulator/base/names.h"
#include "emulator/base/options.h"
#include "emulator/base/profile.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Turns that an idle block has before its launch may be left alone. */
#define PARK_TURNS 64
/* Instructions of a worker's without a store before its launch may rest, and once it has. */
#define QUIET       (1 << 22)
#define QUIET_AGAIN (1 << 18)
/* And those that a worker may take when the launch has failed: a block may wait, and count as it
 * does, for one that has stopped. */
#define LATE (1 << 26)

enum { PORTABLE_CLUSTER = 8, MAX_CLUSTER = 16 }; /* blocks (programming guide) */

uint32_t launch_stack_limit[MEM_DEVICES] = {[0 ... MEM_DEVICES - 1] = 1024}; /* a GPU's default */
static _Atomic uint64_t launch_serial, first_serial = 1, stirs;
static _Atomic bool side_by_side, timeless;
static _Atomic uint64_t steps_taken;              /* of launches with a limit */
static _Atomic uint64_t steps_limit = UINT64_MAX; /* UINT64_MAX: the option's */

/* ---- workers ---- */
static void return_steps(struct worker *k)
{
    if (k->launch->steps_limit && k->steps)
        atomic_fetch_add(&k->launch->steps_used, k->steps);
}

static void ring_append(struct ring *r, struct block *b)
{
    b->next = NULL;
    *(r->first ? &r->last->next : &r->first) = b;
    r->last = b;
}
static void ring_prepend(struct ring *r, struct block *b)
{
    b->next = r->first;
    if (!r->first)
        r->last = b;
    r->first = b;
}
static struct block *ring_take(struct ring *r)
{
    struct block *b = r->first;
    if (b)
        r->first = b->next;
    return b;
}
static void free_blocks(struct block *b)
{
    for (struct block *next; b; b = next) {
        next = b->next;
        block_free(b);
    }
}

/* Opens the launch's next block: it runs next or, where all come first, last. False: there is
 * none left. */
static bool open_block(struct worker *k)
{
    struct launch *l = k->launch;
    struct ring *r = &k->ring;
    uint64_t index = launch_chosen(l, atomic_fetch_add(&l->next_block, 1), l->nblocks);
    if (index == UINT64_MAX)
        return false;
    struct block *b = r->spare;
    if (b)
        r->spare = b->next;
    else
        b = block_new(k);
    block_start(b, index);
    if (l->cooperative)
        ring_append(r, b);
    else
        ring_prepend(r, b);
    k->nopen++;
    k->idle_turns = 0;
    return true;
}

/* ---- launches that only wait ---- */
static void set_quiet(struct worker *k, bool quiet)
{
    if (k->quiet != quiet)
        k->launch->quiet += quiet ? 1 : -1;
    k->quiet = quiet;
}
static void set_idle(struct worker *k, bool idle)
{
    struct launch *l = k->launch;
    if (idle)
        set_quiet(k, false);
    if (k->idle == idle)
        return;
    k->idle = idle;
    l->idle += idle ? 1 : -1;
    if (atomic_fetch_add(&l->stirs, 1) == k->stirs)
        k->stirs++; /* its own, which changes nothing for it */
}
/* A turn of one of its blocks is over. */
static void count_turn(struct worker *k, bool idle)
{
    uint64_t now = k->launch->stirs;
    if (!idle || k->stirs != now)
        k->idle_turns = 0;
    k->stirs = now;
    k->idle_turns += idle;
    if (!idle && k->launch->kept)
        stirs++;
    set_idle(k, idle && (k->idle || k->idle_turns >= PARK_TURNS * k->nopen));
}
/* All blocks of all workers wait, and have looked since the last of them began to: it goes on only
 * by what others than the launch do. */
static bool only_waits(const struct worker *k)
{
    const struct launch *l = k->launch;
    return k->idle && k->idle_turns >= PARK_TURNS * k->nopen && l->idle == l->nworkers &&
           l->stirs == k->stirs;
}
/* Times that blocks of instructions were entered which store, and which look. */
struct seen {
    uint64_t stores, looks;
};
static struct seen seen_by(const struct worker *k)
{
    const struct emu_module *m = k->launch->module;
    struct seen n = {0};
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        const struct emu_func *f = m->funcs[i];
        if (!f->lowered || f->end_count > k->launch->ncounts)
            continue;
        for (uint32_t b = 0; b < f->nblocks; b++) {
            const struct bblock *x = &f->blocks[b];
            uint64_t times = x->stores || x->looks ? block_warps(&k->counts[x->count]) : 0;
            n.stores += x->stores ? times : 0;
            n.looks += x->looks ? times : 0;
        }
    }
    return n;
}
/* A loop may count or look at the clock while it waits: then its registers change. Where a kernel
 * has looked at what others write, and stored nothing, for long, it may wait for them, and they
 * get their turn; it may as well compute, and goes on then. */
static void look_for_stores(struct worker *k)
{
    struct launch *l = k->launch;
    if (!l->parks || !l->func->hears || k->ran - k->ran_then < (l->kept ? QUIET_AGAIN : QUIET))
        return;
    struct seen now = seen_by(k);
    set_quiet(k, !k->idle && now.stores == k->stores && now.looks != k->looks);
    k->ran_then = k->ran;
    k->stores = now.stores;
    k->looks = now.looks;
    if (l->quiet && l->quiet + l->idle >= l->nworkers)
        l->rests = true;
}
static uint64_t stores_of(const struct launch *l)
{
    uint64_t n = 0;
    for (int i = 0; i < l->nworkers; i++)
        n += seen_by(l->workers[i]).stores;
    return n;
}
/* When the launch has failed, blocks below the one that faulted come to their ends or faults, but
 * for those that wait for what stops. */
static bool goes_on(const struct worker *k)
{
    const struct launch *l = k->launch;
    if (l->failed)
        return k->late < LATE && !only_waits(k);
    return !(l->parks && only_waits(k)) && !(l->rests && k->nopen);
}
/* Where many blocks are open, each falls behind the others now and then, and seldom so far that
 * nearly all others end before it. */
static uint32_t passes(const struct block *b)
{
    enum { OFTEN = 8, SELDOM = 64, FAR = 4096 };
    uint64_t drawn = mix64(b->turns ^ b->worker->ran);
    if (!(b->launch->disturb >> DISTURB_crowded & 1) || drawn % OFTEN)
        return 0;
    return drawn % SELDOM ? (1u << drawn / SELDOM % OFTEN) - 1 : FAR;
}
static void take_turns(struct worker *k)
{
    struct launch *l = k->launch;
    struct ring *r = &k->ring;
    bool want = k->nopen == 0; /* to open another block */
    while (goes_on(k)) {
        if (want && !l->failed && k->nopen < l->max_active && open_block(k) &&
            (l->cooperative || k->nopen < l->together))
            continue;
        struct block *b = ring_take(r);
        if (!b)
            return;
        if (b->passes) {
            b->passes--;
            ring_append(r, b);
            continue;
        }
        uint64_t ran = k->ran;
        enum run turn = block_run(b);
        if (l->failed)
            k->late += k->ran - ran + 1;
        if (turn == RUN_DONE) {
            block_finish(b);
            k->nopen--;
            if (outcomes_enough(b)) { /* in the midst of it */
                block_free(b);
            } else {
                b->next = r->spare;
                r->spare = b;
            }
            want = k->nopen < l->together;
        } else {
            ring_append(r, b);
            b->passes = passes(b);
            want = turn == RUN_YIELD;
        }
        count_turn(k, turn != RUN_DONE && b->idle);
        look_for_stores(k);
    }
}
/* A worker's life in a launch, or a part of it. */
static void worker_run(struct worker *k)
{
    if (cluster_size(k->launch->cluster) > 1)
        cluster_worker(k);
    else
        take_turns(k);
    set_idle(k, true);
    return_steps(k);
    k->steps = 0;
}

/* ---- the pool: threads that sleep between launches ---- */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct worker **queue; /* workers of the launch in progress, from 1 */
    int nthreads, next, count, running;
    pid_t owner;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;

/* fork() copies the thread that calls it: launches of others are cut off in the child, with all
 * that they hold. */
static _Thread_local bool between_launches;
static bool cut_off;
static void before_fork(void)
{
    between_launches = pthread_mutex_trylock(&launch_lock) == 0;
}
static void after_fork(void)
{
    if (between_launches)
        pthread_mutex_unlock(&launch_lock);
}
static void after_fork_in_child(void)
{
    cut_off |= !between_launches;
    after_fork();
}
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
/* Whoever launches may have it already: a kernel with all that it launches is one launch. (No
 * recursive mutex: after a fork() it would not be its owner's.) */
static _Thread_local unsigned launch_held;
void launch_pause(void)
{
    if (!cut_off && launch_held++ == 0)
        pthread_mutex_lock(&launch_lock);
}
void launch_resume(void)
{
    if (!cut_off && --launch_held == 0)
        pthread_mutex_unlock(&launch_lock);
}

static void *pool_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.next >= pool.count)
            pthread_cond_wait(&pool.work, &pool.lock);
        struct worker *k = pool.queue[pool.next++];
        pthread_mutex_unlock(&pool.lock);
        worker_run(k);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.done);
    }
    return NULL;
}
static void pool_run(struct worker **workers, int n)
{
    pthread_mutex_lock(&pool.lock);
    if (pool.owner != getpid()) { /* threads do not survive fork() */
        pool.owner = getpid();
        pool.nthreads = 0;
    }
    while (pool.nthreads < n - 1) {
        pthread_t t;
        pthread_attr_t a;
        pthread_attr_init(&a);
        pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
        if (pthread_create(&t, &a, pool_thread, NULL))
            break;
        pthread_attr_destroy(&a);
        pool.nthreads++;
    }
    pool.queue = workers + 1;
    pool.next = 0;
    pool.count = n - 1 < pool.nthreads ? n - 1 : pool.nthreads;
    pool.running = pool.count;
    if (pool.count)
        pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    worker_run(workers[0]);
    pthread_mutex_lock(&pool.lock);
    while (pool.running)
        pthread_cond_wait(&pool.done, &pool.lock);
    pool.count = 0;
    pthread_mutex_unlock(&pool.lock);
}

int emu_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    int n = pool.owner == getpid() ? pool.nthreads : 0;
    pthread_mutex_unlock(&pool.lock);
    return n;
}

static int thread_count(const struct launch *l)
{
    int n = emu_options()->threads;
    if (n <= 0)
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    /* of a NaN the first one is told; comparisons are kept once for all; blocks come in order */
    if (l->cooperative || n < 1 ||
        l->disturb & (1u << DISTURB_nan | 1u << DISTURB_compared | 1u << DISTURB_outcomes) ||
        launch_ordered(l))
        return 1;
    if (n > 256)
        n = 256;
    return (uint64_t)n > l->nblocks ? (int)l->nblocks : n;
}

static struct worker *worker_new(struct launch *l, uint32_t index)
{
    struct worker *k = aligned_alloc(128, ROUND_UP(sizeof(*k), 128));
    if (!k)
        panic("out of memory");
    memset(k, 0, sizeof(*k));
    k->launch = l;
    k->index = index;
    k->slots = xcalloc(l->nslots + 8, sizeof(*k->slots));
    k->caches = xcalloc(l->nslots + 8, sizeof(*k->caches));
    k->counts = xcalloc(l->ncounts + 8, sizeof(*k->counts));
    if (rules_differ(l->profile))
        k->by_rules = xcalloc(l->nslots + 8, sizeof(*k->by_rules));
    return k;
}
static void worker_free(struct worker *k)
{
    free_blocks(k->ring.first);
    free_blocks(k->ring.spare);
    free(k->slots);
    free(k->caches);
    free(k->counts);
    free(k->by_rules);
    free(k);
}

/* ---- validation ---- */

/* Blocks a cluster: the launch's, or what the kernel was compiled for (__cluster_dims__). False:
 * neither names any, and there are none. */
static bool cluster_of(const struct emu_launch *l, uint32_t cluster[3])
{
    const uint32_t *compiled = l->func->ptx->reqnctapercluster;
    bool given = l->cluster[0] || l->cluster[1] || l->cluster[2];
    for (int k = 0; k < 3; k++)
        cluster[k] = given ? l->cluster[k] : compiled[k] ? compiled[k] : 1;
    return given || compiled[0];
}
/* Clusters are of the shape that the kernel was compiled for, if it was; 8 blocks are portable,
 * 16 the most there are, and their extents divide the grid's. */
static cudaError_t check_cluster(const struct emu_launch *l)
{
    const uint32_t *compiled = l->func->ptx->reqnctapercluster;
    const char *name = shown_name(l->func->info.name);
    uint32_t c[3], most = l->nonportable_cluster ? MAX_CLUSTER : PORTABLE_CLUSTER;
    cluster_of(l, c);
    uint64_t blocks = (uint64_t)c[0] * c[1] * c[2];
    if (compiled[0] && memcmp(compiled, c, sizeof(c)))
        return emu_fail(cudaErrorInvalidClusterSize,
                        "kernel %s: clusters of (%u,%u,%u) blocks, but it was compiled for "
                        "(%u,%u,%u)",
                        name, c[0], c[1], c[2], compiled[0], compiled[1], compiled[2]);
    if (blocks == 1)
        return cudaSuccess;
    if (device_profile()->cc_major < 9)
        return emu_fail(cudaErrorInvalidClusterSize, "kernel %s: %s has no clusters", name,
                        device_profile()->name);
    if (blocks == 0 || blocks > most)
        return emu_fail(cudaErrorInvalidClusterSize,
                        "kernel %s: a cluster of %lu blocks (at most %d, or %d with "
                        "cudaFuncAttributeNonPortableClusterSizeAllowed)",
                        name, blocks, PORTABLE_CLUSTER, MAX_CLUSTER);
    for (int k = 0; k < 3; k++)
        if (l->grid[k] % c[k])
            return emu_fail(cudaErrorInvalidClusterSize,
                            "kernel %s: clusters of (%u,%u,%u) blocks in a grid of (%u,%u,%u): "
                            "extents must divide the grid's",
                            name, c[0], c[1], c[2], l->grid[0], l->grid[1], l->grid[2]);
    return cudaSuccess;
}
static cudaError_t check_extents(const struct emu_launch *l)
{
    const struct device_profile *d = device_profile();
    const char *name = shown_name(l->func->info.name);
    const uint32_t *grid = l->grid, *block = l->block;
    for (int k = 0; k < 3; k++) {
        if (grid[k] == 0 || block[k] == 0)
            return emu_fail(cudaErrorInvalidValue,
                            "kernel %s: grid (%u,%u,%u) of blocks (%u,%u,%u): no extent may be 0",
                            name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
        if (block[k] > d->max_block_dim[k])
            return emu_fail(cudaErrorInvalidValue,
                            "kernel %s: block (%u,%u,%u): extent %d is over %u", name, block[0],
                            block[1], block[2], k, d->max_block_dim[k]);
        if (grid[k] > d->max_grid_dim[k])
            return emu_fail(cudaErrorInvalidValue,
                            "kernel %s: grid (%u,%u,%u): extent %d is over %u", name, grid[0],
                            grid[1], grid[2], k, d->max_grid_dim[k]);
    }
    return cudaSuccess;
}
static cudaError_t check_threads(const struct emu_launch *l, uint64_t threads)
{
    const struct device_profile *d = device_profile();
    const struct emu_func_info *f = &l->func->info;
    const char *name = shown_name(f->name);
    if (threads > d->max_threads_per_block)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %lu threads a block; %s takes %u at most", name, threads,
                        d->name, d->max_threads_per_block);
    for (int k = 0; f->reqntid[0] && k < 3; k++)
        if (l->block[k] != (f->reqntid[k] ? f->reqntid[k] : 1))
            return emu_fail(cudaErrorInvalidValue,
                            "kernel %s requires blocks of (%u,%u,%u) threads", name, f->reqntid[0],
                            f->reqntid[1], f->reqntid[2]);
    if (threads > f->max_threads)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %lu threads a block; its __launch_bounds__ allow %u", name,
                        threads, f->max_threads);
    return cudaSuccess;
}
static cudaError_t check_memory(const struct emu_launch *l)
{
    const struct device_profile *d = device_profile();
    const struct emu_func_info *f = &l->func->info;
    uint64_t shared = (uint64_t)f->shared_bytes + l->shared_bytes;
    if (l->func->local_bytes > MAX_LOCAL)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %u bytes of local memory a thread, %d are the most",
                        shown_name(f->name), l->func->local_bytes, MAX_LOCAL);
    if (f->shared_bytes > d->shared_per_block) /* ptxas would not take it */
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %u bytes of __shared__ variables: a block has %u at most; what "
                        "is more has to be dynamic (extern __shared__), and asked for",
                        shown_name(f->name), f->shared_bytes, d->shared_per_block);
    if (shared > d->shared_per_block_optin)
        return emu_fail(cudaErrorInvalidValue,
                        "kernel %s: %lu bytes of shared memory a block (%u static + %u dynamic); "
                        "%s has %u",
                        shown_name(f->name), shared, f->shared_bytes, l->shared_bytes, d->name,
                        d->shared_per_block_optin);
    return cudaSuccess;
}
static cudaError_t check_residence(const struct emu_launch *l, uint32_t threads)
{
    const char *limiter, *name = shown_name(l->func->info.name);
    uint32_t fit = emu_occupancy_known(l->func, threads, l->shared_bytes, &limiter);
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t resident = (uint64_t)fit * device_profile()->sms;
    if (fit == 0 && !strcmp(limiter, "registers"))
        return emu_fail(cudaErrorLaunchOutOfResources,
                        "kernel %s: %u registers a thread are too many for a block of %u threads, "
                        "which has %u: a GPU does not launch it; make blocks smaller, or say "
                        "__launch_bounds__(%u)",
                        name, emu_registers_known(l->func), threads,
                        device_profile()->registers_per_block, threads);
    if (fit == 0)
        return emu_fail(cudaErrorLaunchOutOfResources,
                        "kernel %s: a block of %u threads does not fit a multiprocessor (%s)", name,
                        threads, limiter);
    if (l->cooperative && blocks > resident)
        return emu_fail(cudaErrorCooperativeLaunchTooLarge,
                        "kernel %s: %lu blocks; a cooperative launch needs them all resident, and "
                        "%u on each of %u multiprocessors is %lu",
                        name, blocks, fit, device_profile()->sms, resident);
    return cudaSuccess;
}
cudaError_t launch_check(const struct emu_launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    emu_func_info(l->func); /* is known from here on */
    cudaError_t e = check_extents(l);
    if (e == cudaSuccess)
        e = check_threads(l, threads);
    if (e == cudaSuccess)
        e = check_memory(l);
    if (e == cudaSuccess)
        e = check_residence(l, (uint32_t)threads);
    return e == cudaSuccess ? check_cluster(l) : e;
}

/* ---- a launch ---- */
uint64_t launch_steps(void)
{
    return steps_limit == UINT64_MAX ? emu_options()->steps : steps_limit;
}
uint64_t launch_steps_taken(void)
{
    return steps_taken;
}

uint64_t launch_set_steps(uint64_t steps)
{
    uint64_t now = launch_steps();
    steps_limit = steps;
    return now;
}

static struct mem_alloc *workspace; /* {size, barrier}: of the one cooperative launch that runs */
static struct mem_alloc *grid_workspace(void)
{
    struct mem_alloc *a = workspace;
    if (!a)
        a = mem_alloc(256, 256, MEM_WORKSPACE, NULL);
    if (a) {
        memset(a->host, 0, 256);
        *(uint32_t *)a->host = 256;
    }
    workspace = a;
    return a;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
/* In which order blocks come, and how many at once. resident: those that a GPU runs at once. */
static void draw_order(struct launch *l, uint64_t resident)
{
    uint64_t clusters = l->nblocks / cluster_size(l->cluster);
    l->together = l->neighbours = 1;
    if (!launch_reordered(l))
        return;
    l->turns = turns_draw(mix64(turns_now() + l->number), clusters);
    l->neighbours = resident >= 2 * (uint64_t)l->profile->sms ? 2 : 1;
    l->together = mix64(l->turns) & 1 ? BLOCKS_TOGETHER : 1;
    if (l->disturb >> DISTURB_crowded & 1)
        l->together = (uint32_t)least(clusters, resident / cluster_size(l->cluster) + 1);
}
static void set_up(struct launch *l, const struct emu_launch *e)
{
    const struct device_profile *d = device_profile();
    l->func = e->func;
    l->module = e->func->module;
    l->nslots = l->module->nslots;
    l->ncounts = l->module->ncounts;
    l->disturb = disturb_now();
    disturb_code(l->func, l->disturb);
    l->aligned = launch_parted(l) && disturb_aligned(l->func);
    memcpy(l->grid, e->grid, sizeof(l->grid));
    memcpy(l->block, e->block, sizeof(l->block));
    l->clustered = cluster_of(e, l->cluster);
    l->nblocks = (uint64_t)e->grid[0] * e->grid[1] * e->grid[2];
    l->threads = e->block[0] * e->block[1] * e->block[2];
    l->nwarps = (l->threads + WARP - 1) / WARP;
    l->entry_registers = emu_entry_registers(e->func);
    l->dynamic_shared = e->shared_bytes;
    l->user_shared = e->func->info.shared_bytes + e->shared_bytes;
    l->params = e->params;
    l->param_bytes = e->func->info.param_bytes;
    l->cooperative = e->cooperative;
    l->origin = e->origin;
    l->moment = e->moment;
    l->graph_run = e->graph_run;
    l->graph = e->graph;
    l->serial = atomic_fetch_add(&launch_serial, 1) + 1;
    l->number = l->serial - first_serial + 1;
    l->timeless = timeless;
    l->profile = d;
    l->steps_used = e->steps ? *e->steps : 0;
    l->steps_limit = launch_steps();
    uint64_t resident =
        (uint64_t)emu_occupancy(e->func, l->threads, e->shared_bytes, NULL) * d->sms;
    l->max_active = (uint32_t)(resident > 65536 ? 65536 : resident);
    l->stop_from = UINT64_MAX;
    draw_order(l, resident);
    l->slice = l->disturb >> DISTURB_outcomes & 1 ? OUTCOMES_SLICE
               : launch_ordered(l)                ? 16 * SLICE
                                                  : SLICE;
    if (l->cooperative) { /* blocks wait for each other by spinning: keep it short */
        l->max_active = (uint32_t)l->nblocks;
        l->slice = COOPERATIVE_SLICE;
    }
    l->constants = xcalloc(l->module->nfuncs + 1, sizeof(*l->constants));
    l->warp_constants = aligned_alloc(64, (size_t)l->nwarps * WARP_CONST_BYTES);
    if (!l->warp_constants)
        panic("out of memory");
    launch_warp_constants(l);
    if (l->cooperative) {
        struct mem_alloc *a = grid_workspace();
        l->workspace = a ? a->addr : 0;
    }
}

static bool wants_apart(const struct launch *l)
{
    bool apart = false, as_is = side_by_side;
    for (int k = 0; k < l->nlisteners; k++) {
        apart |= l->listeners[k]->apart;
        as_is |= l->listeners[k]->as_is;
    }
    return apart && !as_is;
}
static void lay_out_shared(struct launch *l)
{
    l->shared_map = wants_apart(l) ? shared_map_new(l->func, l->user_shared) : NULL;
    l->shared_extent = l->shared_map ? l->shared_map->extent : l->user_shared;
    l->shared_bytes = l->shared_extent;
    if (l->func->uses & USES_RESERVED) /* on pages of its own: not for the checker */
        l->shared_bytes = (uint32_t)ROUND_UP(l->shared_extent, 4096u) + RESERVED_BYTES;
}

/* What listeners are told of the launch: a block of no index. */
static struct block_info any_block(const struct launch *l)
{
    struct block_info any = {.func = l->func,
                             .kernel = l->func->info.name,
                             .launch = l->serial,
                             .origin = l->origin,
                             .moment = l->moment,
                             .device = l->module->device,
                             .threads = l->threads,
                             .warps = l->nwarps,
                             .shared_bytes = l->user_shared,
                             .shared_extent = l->shared_extent};
    memcpy(any.ntid, l->block, sizeof(any.ntid));
    memcpy(any.nctaid, l->grid, sizeof(any.nctaid));
    return any;
}

static void make_workers(struct launch *l)
{
    l->nworkers = thread_count(l);
    l->workers = xcalloc((size_t)l->nworkers, sizeof(struct worker *));
    for (int i = 0; i < l->nworkers; i++)
        l->workers[i] = worker_new(l, (uint32_t)i);
    builtin_used(l->module->device, l->func->uses);
}

/* Up to the listeners' first word, and from their last on; between them blocks run. */
static void begin(struct launch *l)
{
    struct block_info any = any_block(l);
    l->nlisteners = listeners_of(&any, l->listeners);
    lay_out_shared(l);
    any.shared_extent = l->shared_extent;
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->launch_begin)
            l->listeners[k]->launch_begin(l->listeners[k], &any);
    if (l->disturb >> DISTURB_compared & 1)
        compared_begin(l);
    if (l->disturb & (1u << DISTURB_outcomes | 1u << DISTURB_few))
        outcomes_choose_blocks(l);
    if (l->disturb >> DISTURB_outcomes & 1)
        outcomes_begin(l);
    make_workers(l);
}
static cudaError_t end(struct launch *l, struct emu_result *result)
{
    struct block_info any = any_block(l);
    l->result = result;
    fault_tell(l);
    if (l->func->uses & USES_PRINTF)
        printf_flush(l->func->info.name);
    if (l->compared)
        compared_end(l);
    if (l->outcomes)
        outcomes_end(l);
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->launch_end)
            l->listeners[k]->launch_end(l->listeners[k], &any);
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->counted)
            l->listeners[k]->counted(l->listeners[k], l);
    return (cudaError_t)(int)l->failed;
}

static void run_workers(struct launch *l)
{
    l->idle = l->quiet = 0;
    l->rests = false;
    for (int i = 0; i < l->nworkers; i++) {
        l->workers[i]->idle = l->workers[i]->quiet = false;
        l->workers[i]->idle_turns = 0;
        l->workers[i]->ran_then = l->workers[i]->ran;
    }
    pool_run(l->workers, l->nworkers);
}
/* Its blocks run to their ends, or until it only waits, or rests. False: it does. */
static bool run(struct launch *l)
{
    bool done = true;
    run_workers(l);
    if (l->failed && l->rests) /* some have left blocks that are to go on */
        run_workers(l);
    for (int i = 0; i < l->nworkers; i++)
        done &= l->workers[i]->nopen == 0;
    return done || l->failed;
}
/* Others come before it goes on: what it has in common with them, or with its caller, is its own
 * from now on. */
static void keep(struct launch *l)
{
    if (l->kept)
        return;
    l->kept = xcalloc(1, l->param_bytes + 8);
    memcpy(l->kept, l->params, l->param_bytes);
    l->params = l->kept;
    if (l->cooperative)
        workspace = NULL;
    if (!(l->func->uses & USES_DEVICE)) { /* else its caller stays until it is over */
        l->children = NULL;
        l->steps = NULL;
    }
}

static void tear_down(struct launch *l)
{
    for (int i = 0; i < l->nworkers; i++)
        worker_free(l->workers[i]);
    free(l->workers);
    for (uint32_t i = 0; i < l->module->nfuncs; i++)
        free(l->constants[i]);
    free((void *)l->constants);
    free(l->warp_constants);
    free(l->shared_map);
    late_free(l);
    if (l->kept && l->cooperative)
        mem_free(l->workspace);
    free(l->kept);
    free(l);
}

/* Small ones end before they notice. */
static cudaError_t check_steps(const struct emu_launch *e)
{
    uint64_t most = launch_steps();
    if (!e->steps || !most || *e->steps <= most)
        return cudaSuccess;
    return emu_fail(cudaErrorLaunchTimeout,
                    "kernel %s, launched by a kernel: more than %llu steps with all "
                    "that went before; do kernels launch kernels for ever? (WARPLAB_STEPS is the "
                    "limit)",
                    shown_name(e->func->info.name), (unsigned long long)most);
}

static cudaError_t may_launch(const struct emu_launch *e)
{
    cudaError_t err = lower_func(e->func);
    if (err == cudaSuccess)
        err = launch_check(e);
    if (err == cudaSuccess)
        err = check_steps(e);
    if (err == cudaSuccess && e->func->uses & USES_DEVICE && !e->children)
        err = emu_fail(cudaErrorNotSupported,
                       "kernel %s launches kernels: not supported without the CUDA runtime",
                       shown_name(e->func->info.name));
    if (err == cudaSuccess && cut_off)
        err = emu_fail(cudaErrorInitializationError,
                       "kernel %s: this process was forked while another thread ran a kernel; "
                       "fork() before, or exec() in the child",
                       shown_name(e->func->info.name));
    return err;
}

/* What workers did last they bring at their ends: over the limit is over it however many there are.
 * Of a kernel's launch the next one is told (check_steps). */
static void count_rest(struct launch *l)
{
    bool first = !l->steps || !*l->steps;
    if (first && l->steps_limit && l->steps_used > l->steps_limit &&
        launch_fail(l, cudaErrorLaunchTimeout))
        emu_fail(cudaErrorLaunchTimeout,
                 "kernel %s: more than %llu steps (warp instructions, a slow one as several), all "
                 "in all %llu (WARPLAB_STEPS is the limit)",
                 shown_name(l->func->info.name), (unsigned long long)l->steps_limit,
                 (unsigned long long)l->steps_used);
}

static cudaError_t finish(struct launch *l, struct emu_result *result)
{
    count_rest(l);
    cudaError_t e = end(l, result);
    if (l->children)
        *l->children = children_end(l);
    steps_taken += l->steps_used - (l->steps ? *l->steps : 0);
    if (l->steps)
        *l->steps = l->steps_used;
    tear_down(l);
    return e;
}

cudaError_t emu_launch(const struct emu_launch *e, struct emu_result *result)
{
    cudaError_t err = may_launch(e);
    if (err != cudaSuccess)
        return err;
    struct emu_result r = {0};
    struct launch *l = xcalloc(1, sizeof(*l));
    launch_pause();
    set_up(l, e);
    l->parks = e->parked && cluster_size(l->cluster) == 1;
    l->children = e->children;
    l->steps = e->steps;
    if (e->children)
        children_begin(l);
    begin(l);
    if (run(l)) {
        err = finish(l, &r);
    } else {
        keep(l);
        *e->parked = l;
    }
    launch_resume();
    if (result)
        *result = r;
    return err;
}

void emu_set_side_by_side(bool on)
{
    side_by_side = on;
}

void emu_set_timeless(bool on)
{
    timeless = on;
}

void emu_renumber(void)
{
    first_serial = launch_serial + 1;
}

uint64_t emu_stirs(void)
{
    return stirs;
}

bool emu_go_on(struct launch *l, struct emu_result *result, cudaError_t *e)
{
    launch_pause();
    uint64_t stored = stores_of(l);
    bool done = run(l);
    stirs += stores_of(l) != stored;
    if (done)
        *e = finish(l, result);
    launch_resume();
    return done;
}
