/* fault.c - how a launch fails: by a thread's fault, or by what meets it from outside.
 *
 * Interface: warp_fault(), launch_fail(), fault_tell() (exec.h).
 *
 * Of the faults of several blocks the one of the lowest index is told, whichever came first, so
 * that a wrong kernel says the same on any number of host threads. Until a launch is over its fault
 * is only kept: blocks of that index and above stop; those below have been opened already, since
 * blocks start in order, and go on (launch.c), and one that faults takes its place.
 *
 * Clusters and cooperative launches keep the first fault and stop as a whole: the latter run on one
 * host thread, where the first is the same each time; of several clusters' faults it may not be. So
 * do launches that meet a limit.
 */
#include "cluster.h"
#include "emulator/base/error.h"
#include "emulator/base/names.h"
#include "base/alloc.h"
#include "base/text.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

struct fault {
    char *what, *text; /* text: with where, for emu_error_text() */
    const struct site *site;
    uint32_t thread;
    struct block_info block; /* as it was then: a cluster's blocks are gone when it is told */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* launches are one at a time */

/* e is set first: whoever sees that blocks stop finds that the launch has failed. */
static void stop(struct launch *l, cudaError_t e, uint64_t from)
{
    l->failed = (int)e;
    l->stop_from = from;
}

bool launch_fail(struct launch *l, cudaError_t e)
{
    pthread_mutex_lock(&lock);
    bool first = !l->failed;
    stop(l, first ? e : (cudaError_t)(int)l->failed, 0);
    pthread_mutex_unlock(&lock);
    return first;
}

static void forget(struct launch *l)
{
    if (l->fault) {
        free(l->fault->what);
        free(l->fault->text);
    }
    free(l->fault);
    l->fault = NULL;
}

static void keep(struct block *b, const struct site *s, uint32_t t, const char *what)
{
    struct launch *l = b->launch;
    struct fault *f = xcalloc(1, sizeof(*f));
    struct text text = {0};
    char *where = site_text(s);

    text_addf(&text, "%s%s%s\n    in kernel %s, block (%u,%u,%u), thread (%u,%u,%u), at %s", where,
              s ? ": " : "", what, shown_name(l->func->info.name), b->ctaid[0], b->ctaid[1],
              b->ctaid[2], t % l->block[0], t / l->block[0] % l->block[1],
              t / (l->block[0] * l->block[1]), s ? s->opcode : "?");
    free(where);
    *f = (struct fault){xstrdup(what), text_take(&text), s, t, b->info};
    f->block.of = NULL;
    f->block.shared = NULL;
    forget(l);
    l->fault = f;
}

const struct insn *warp_fault(struct warp *w, const struct insn *in, int lane, cudaError_t e,
                              const char *format, ...)
{
    struct block *b = w->block;
    struct launch *l = b->launch;
    struct text what = {0};
    va_list ap;

    if (lane < 0)
        lane = w->mask ? __builtin_ctz(w->mask) : 0;
    va_start(ap, format);
    text_vaddf(&what, format, ap);
    va_end(ap);
    pthread_mutex_lock(&lock);
    if (!block_stops(b)) {
        keep(b, in->site, w->index * WARP + (uint32_t)lane, text_str(&what));
        stop(l, e, b->cluster || l->cooperative ? 0 : b->index);
    }
    pthread_mutex_unlock(&lock);
    text_free(&what);
    return NULL;
}

void fault_tell(struct launch *l)
{
    const struct fault *f = l->fault;

    if (!f)
        return;
    emu_keep((cudaError_t)(int)l->failed, "%s", f->text);
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->fault)
            l->listeners[k]->fault(l->listeners[k], &f->block, f->site, f->thread, f->what);
    forget(l);
}
