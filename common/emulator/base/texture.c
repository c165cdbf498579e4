/* texture.c - the table of texture and surface objects. */
#include "texture.h"
#include "base/alloc.h"
#include "error.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A handle is a place in the table and this: small numbers and addresses are none. */
#define MARK  0x7e00000000ull
#define CHUNK 1024u
#define MOST  4096 /* chunks */

static _Atomic(struct texture *) *chunks[MOST];
static atomic_uint_fast32_t taken; /* places ever given out */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(struct texture *) *place_of(uint64_t handle)
{
    uint64_t k = handle - MARK;
    return k < atomic_load(&taken) ? &chunks[k / CHUNK][k % CHUNK] : NULL;
}
uint64_t texture_add(const struct texture *t)
{
    struct texture *own = xmalloc(sizeof(*own));
    *own = *t;
    pthread_mutex_lock(&lock);
    uint64_t k = 0;
    while (k < taken && chunks[k / CHUNK][k % CHUNK])
        k++;
    if (k == (uint64_t)CHUNK * MOST)
        panic("more than 4 million textures");
    if (k % CHUNK == 0 && !chunks[k / CHUNK])
        chunks[k / CHUNK] = xcalloc(CHUNK, sizeof(*chunks[0]));
    atomic_store(&chunks[k / CHUNK][k % CHUNK], own);
    if (k == taken)
        atomic_store(&taken, k + 1);
    pthread_mutex_unlock(&lock);
    return MARK + k;
}
const struct texture *texture_find(uint64_t handle)
{
    _Atomic(struct texture *) *p = place_of(handle);
    return p ? atomic_load(p) : NULL;
}
bool texture_remove(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    _Atomic(struct texture *) *p = place_of(handle);
    struct texture *was = p ? atomic_exchange(p, NULL) : NULL;
    pthread_mutex_unlock(&lock);
    bool there = was != NULL;
    free(was);
    return there;
}
void texture_remove_all(void)
{
    for (uint64_t k = 0; k < taken; k++)
        texture_remove(MARK + k);
}
