/* look.c - keeps modules' variables for runs that look again (look.h). */
#include "look.h"
#include "base/alloc.h"
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 512 << 20 }; /* of all copies */

/* Most kernels change no variable: one copy is many runs'. */
struct held {
    size_t bytes;
    char *data;
};
static struct {
    uint64_t number;
    int held;
} * firsts;
static struct held *all, back; /* back: to be put there when the run is over */
static int nfirsts, nall;
static size_t kept;

static struct held take(size_t bytes)
{
    struct held h = {bytes, xmalloc(bytes)};

    emulator_variables(h.data, NULL);
    return h;
}

static void put(const struct held *h)
{
    if (h->bytes && h->bytes == emulator_variables(NULL, NULL))
        emulator_variables(NULL, h->data);
}

static bool same(const struct held *a, const struct held *b)
{
    return a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

static void keep(uint64_t number, struct held now)
{
    if (nall && same(&all[nall - 1], &now)) {
        free(now.data);
    } else {
        all = xrealloc(all, (size_t)(nall + 1) * sizeof(*all));
        all[nall++] = now;
        kept += now.bytes;
    }
    firsts = xrealloc(firsts, (size_t)(nfirsts + 1) * sizeof(*firsts));
    firsts[nfirsts].number = number;
    firsts[nfirsts++].held = nall - 1;
}

bool look_begin(uint64_t number)
{
    size_t bytes = number ? emulator_variables(NULL, NULL) : 0;

    if (!bytes)
        return true;
    if (number == LOOK_APART) {
        back = take(bytes);
        return true;
    }
    if (bytes > MOST_BYTES - kept)
        return false;
    for (int i = 0; i < nfirsts; i++) {
        if (firsts[i].number == number) {
            back = take(bytes);
            put(&all[firsts[i].held]);
            return true;
        }
    }
    keep(number, take(bytes));
    return true;
}

void look_end(void)
{
    put(&back);
    free(back.data);
    back = (struct held){0};
}
