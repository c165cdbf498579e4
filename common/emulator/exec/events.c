/* events.c - who listens: see events.h. */
#include "events.h"
#include "emulator/base/error.h"

static struct listener *registered[MAX_LISTENERS];
static int nregistered;

void listener_register(struct listener *l)
{
    if (nregistered == MAX_LISTENERS)
        panic("listener %s: there are %d already", l->name, nregistered);
    l->slot = nregistered;
    registered[nregistered++] = l;
}

int listeners_of(const struct block_info *any, struct listener *out[MAX_LISTENERS])
{
    int n = 0;
    for (int k = 0; k < nregistered; k++)
        if (!registered[k]->wants_launch || registered[k]->wants_launch(registered[k], any))
            out[n++] = registered[k];
    return n;
}
