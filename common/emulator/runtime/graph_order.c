/* graph_order.c - which kernels of a graph's run, or of several streams', are over before which:
 * for the checks.
 *
 * Kernels of a run are numbered as they are launched. Beside each goes the set of those that the
 * graph's edges put before it: a node's is what its dependencies' sets hold together, and these
 * kernels themselves; nodes of a graph within a node begin with the node's. A run of more than MOST
 * kernels counts as several, between which nothing is said. Of streams it is the program that says
 * it (warplabOrder). Nothing is kept while checks are off.
 */
#include "emulator/check/check.h"
#include "graph.h"
#include "warplab.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

struct kernel_set {
    uint64_t run; /* numbers are of this one */
    uint64_t bits[MOST / 64];
};

static _Atomic uint64_t next_run = 1;
static __thread struct {
    bool on;
    struct launch_moment moment;
    struct kernel_set over; /* of what is being done */
} now;

static void begin_run(void)
{
    now.moment = (struct launch_moment){.run = next_run++};
    now.over = (struct kernel_set){.run = now.moment.run};
}

bool order_begin(void)
{
    bool on = now.on;

    now.on = check_is_on();
    begin_run();
    return on;
}

void order_end(bool on)
{
    now.on = on;
    begin_run(); /* what goes on above is another's */
}

static void add(const struct kernel_set *s)
{
    for (size_t i = 0; s && s->run == now.moment.run && i < MOST / 64; i++)
        now.over.bits[i] |= s->bits[i];
}

struct kernel_set *order_now(void)
{
    if (!now.on)
        return NULL;
    struct kernel_set *s = xmalloc(sizeof(*s));
    *s = now.over;
    return s;
}

void order_start(const struct kernel_set *base, cudaGraphNode_t node)
{
    if (!now.on)
        return;
    now.over = (struct kernel_set){.run = now.moment.run};
    add(base);
    for (size_t k = 0; k < node->ndeps; k++)
        add(node->deps[k]->over);
}

void order_join(struct kernel_set *all)
{
    if (!now.on)
        return;
    add(all);
    *all = now.over;
}

const struct launch_moment *order_launch(void)
{
    if (!now.on)
        return NULL;
    if (now.moment.number == MOST)
        begin_run();
    now.moment.before = now.over.bits;
    return &now.moment;
}

void order_launched(void)
{
    if (!now.on)
        return;
    now.over.bits[now.moment.number / 64] |= 1ull << now.moment.number % 64;
    now.moment.number++;
}

void warplabOrder(const uint64_t *before)
{
    if (!before || !now.moment.streams) {
        now.on = before && check_is_on();
        begin_run();
        now.moment.streams = before != NULL;
    }
    if (now.on)
        memcpy(now.over.bits, before, (now.moment.number + 63) / 64 * sizeof(*before));
}
