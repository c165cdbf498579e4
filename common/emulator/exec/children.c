/* children.c - see children.h.
 *
 * There is one grid at a time, so that what it asks for is kept here. Buffers for arguments lie in
 * device memory of the emulator's own; what is kept of a buffer does not, where a kernel could
 * write to it.
 */
#include "children.h"
#include "emulator/base/mem.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK   (1u << 18)
#define UNIT    64u            /* what buffers are aligned to (programming guide) */
#define HANDLES (0xdull << 60) /* no address, and none of the special streams */

struct chunk {
    struct chunk *next;
    struct mem_alloc *memory;
    uint32_t used;
    struct slot_of_launch *slots[CHUNK / UNIT];
};
struct object { /* a stream or event */
    uint32_t block;
    bool live;
};

static struct {
    pthread_mutex_t lock;
    struct chunk *chunks;
    struct device_work **works;
    struct object *objects;
    uint64_t nworks, room;
    uint32_t nobjects, events; /* events: that are alive */
    bool shared;               /* blocks share a stream or event */
    bool told, waits;
    uint64_t grid; /* its serial */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* By device: works that wait for their turn, those of grids above too. */
static _Atomic uint64_t waiting[MEM_DEVICES];

void device_work_free(struct device_work *w)
{
    if (w)
        waiting[w->device]--;
    free(w);
}

static void chunk_clear(struct chunk *c)
{
    for (uint32_t i = 0; i < c->used / UNIT; i++) {
        free(c->slots[i]);
        c->slots[i] = NULL;
    }
    c->used = 0;
}

void children_begin(struct launch *l)
{
    for (struct chunk *c = own.chunks; c; c = c->next)
        chunk_clear(c);
    own.nworks = own.nobjects = own.events = 0;
    own.shared = own.told = own.waits = false;
    own.grid = l->serial;
}

/* ---- order ---- */
static bool is_tail(const struct device_work *w)
{
    return w->stream == STREAM_TAIL;
}
static int compare(const struct device_work *a, const struct device_work *b, bool blocks)
{
    if (is_tail(a) != is_tail(b))
        return is_tail(a) - is_tail(b);
    if (blocks && a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->serial > b->serial) - (a->serial < b->serial);
}
static int by_block(const void *a, const void *b)
{
    return compare(*(struct device_work *const *)a, *(struct device_work *const *)b, true);
}
static int as_came(const void *a, const void *b)
{
    return compare(*(struct device_work *const *)a, *(struct device_work *const *)b, false);
}
struct device_work *children_end(struct launch *l)
{
    struct device_work *first = NULL, **last = &first;
    if (own.nworks)
        qsort(own.works, own.nworks, sizeof(struct device_work *), own.shared ? as_came : by_block);
    for (uint64_t i = 0; i < own.nworks; i++) {
        if (l->failed) {
            device_work_free(own.works[i]);
            continue;
        }
        own.works[i]->events = own.waits;
        *last = own.works[i];
        last = &own.works[i]->next;
    }
    own.nworks = 0;
    return first;
}

/* ---- buffers ---- */
static struct chunk *chunk_new(void)
{
    struct mem_alloc *a = mem_alloc(CHUNK, 256, MEM_WORKSPACE, NULL);
    if (!a)
        return NULL;
    struct chunk *c = xcalloc(1, sizeof(*c));
    c->memory = a;
    c->next = own.chunks;
    own.chunks = c;
    return c;
}
static struct slot_of_launch *buffer_in(struct chunk *c, uint32_t bytes)
{
    struct slot_of_launch *s = c->slots[c->used / UNIT] = xcalloc(1, sizeof(*s));
    s->bytes = bytes;
    s->arguments = c->memory->host + c->used;
    memset(c->memory->host + c->used, 0, bytes);
    return s;
}
uint64_t children_buffer(uint32_t bytes, struct slot_of_launch **at)
{
    uint32_t need = bytes ? (uint32_t)ROUND_UP(bytes, UNIT) : UNIT;
    uint64_t address = 0;
    pthread_mutex_lock(&own.lock);
    struct chunk *c = own.chunks;
    while (c && CHUNK - c->used < need)
        c = c->next;
    c = c ? c : chunk_new();
    if (c) {
        *at = buffer_in(c, bytes);
        address = c->memory->addr + c->used;
        c->used += need;
    }
    pthread_mutex_unlock(&own.lock);
    return address;
}
struct slot_of_launch *children_slot(uint64_t buffer)
{
    struct slot_of_launch *s = NULL;
    pthread_mutex_lock(&own.lock);
    for (const struct chunk *c = own.chunks; c && !s; c = c->next) {
        uint64_t at = buffer - c->memory->addr;
        if (buffer >= c->memory->addr && at < CHUNK && at % UNIT == 0)
            s = c->slots[at / UNIT];
    }
    pthread_mutex_unlock(&own.lock);
    return s;
}

/* ---- streams and events ---- */

/* A handle says whose it is: 4 bits of HANDLES, 28 of the grid, 32 of the object. */
static uint64_t handle_of(uint32_t k)
{
    return HANDLES | (own.grid & 0xfffffff) << 32 | k;
}
static uint64_t object_new(const struct block *b, bool event)
{
    own.objects = xrealloc(own.objects, (own.nobjects + 1) * sizeof(*own.objects));
    own.objects[own.nobjects] = (struct object){b->index, true};
    own.nobjects++;
    own.events += event;
    return handle_of(2 * own.nobjects + event);
}
uint64_t children_stream(const struct block *b)
{
    pthread_mutex_lock(&own.lock);
    uint64_t handle = object_new(b, false);
    pthread_mutex_unlock(&own.lock);
    return handle;
}
uint64_t children_event(const struct block *b, uint64_t most)
{
    pthread_mutex_lock(&own.lock);
    uint64_t handle = own.events < most ? object_new(b, true) : 0;
    pthread_mutex_unlock(&own.lock);
    return handle;
}
bool children_use(const struct block *b, uint64_t handle, bool event, bool end)
{
    uint32_t k = (uint32_t)handle / 2;
    pthread_mutex_lock(&own.lock);
    bool there = k >= 1 && k <= own.nobjects && handle == handle_of(2 * k + event) &&
                 own.objects[k - 1].live;
    if (there) {
        own.shared |= own.objects[k - 1].block != b->index;
        own.objects[k - 1].live = !end;
    }
    pthread_mutex_unlock(&own.lock);
    return there;
}

bool children_add(const struct block *b, struct device_work *w, uint64_t most)
{
    pthread_mutex_lock(&own.lock);
    bool room = waiting[w->device] < most;
    if (room) {
        waiting[w->device]++;
        if (own.nworks == own.room) {
            own.room = own.room ? 2 * own.room : 64;
            own.works = xrealloc(own.works, own.room * sizeof(struct device_work *));
        }
        w->block = b->index;
        w->serial = own.nworks;
        own.works[own.nworks++] = w;
    }
    pthread_mutex_unlock(&own.lock);
    return room;
}

void children_wait(void)
{
    pthread_mutex_lock(&own.lock);
    own.waits = true;
    pthread_mutex_unlock(&own.lock);
}

bool children_tell(void)
{
    pthread_mutex_lock(&own.lock);
    bool first = !own.told;
    own.told = true;
    pthread_mutex_unlock(&own.lock);
    return first;
}
