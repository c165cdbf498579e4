/* pool.h - worker processes that mark submissions side by side.
 *
 * Workers are forked, hold one engine each, get an item's number and send back a verdict as
 * JSON text. A worker that dies (our bug) costs its item a "failed" verdict, not the class.
 */
#ifndef GRADING_POOL_H
#define GRADING_POOL_H

#include "engine.h"

struct pool_item {
    const char *name, *source;
    size_t length;
};

/* Called in this process for each item, in the order in which they finish. verdict is owned
 * by the pool. Returning false stops early. */
typedef bool pool_done(void *user, int item, const struct verdict *verdict);

/* Marks all n items with `jobs` workers. tick (may be NULL) is called about every 0.2 s. */
void pool_run(const char *lab, const struct engine_options *o, const struct pool_item *items, int n,
              int jobs, pool_done *done, void (*tick)(void *user), void *user);

/* The same for who hands verdicts on: as the text that the worker made of each (verdict_text()),
 * which is not read here. */
typedef bool pool_said(void *user, int item, const char *text, size_t length);
void pool_run_unread(const char *lab, const struct engine_options *o, const struct pool_item *items,
                     int n, int jobs, pool_said *said, void (*tick)(void *user), void *user);

#endif
