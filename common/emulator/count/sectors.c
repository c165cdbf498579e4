/* sectors.c - see sectors.h. */
#include "sectors.h"
#include "base/alloc.h"
#include <stdlib.h>

static struct sector *place_of(const struct sectors *s, uint64_t number)
{
    uint32_t i = (uint32_t)((number + 1) * 0x9e3779b97f4a7c15u >> 32) & (s->room - 1);
    while (s->places[i].number && s->places[i].number != number + 1)
        i = (i + 1) & (s->room - 1);
    return &s->places[i];
}

static void grow(struct sectors *s)
{
    struct sectors larger = {.room = s->room ? 2 * s->room : 64, .count = s->count};
    larger.places = xcalloc(larger.room, sizeof(*larger.places));
    for (uint32_t i = 0; i < s->room; i++)
        if (s->places[i].number)
            *place_of(&larger, s->places[i].number - 1) = s->places[i];
    free(s->places);
    *s = larger;
}

struct sector *sectors_at(struct sectors *s, uint64_t number)
{
    if (2 * s->count >= s->room)
        grow(s);
    struct sector *x = place_of(s, number);
    if (!x->number) {
        x->number = number + 1;
        s->count++;
    }
    return x;
}

bool sectors_have(const struct sectors *s, uint64_t number)
{
    return s->room && place_of(s, number)->number;
}

uint32_t sectors_written(const struct sectors *s, uint64_t number)
{
    return s->room ? place_of(s, number)->written : 0;
}

void sectors_free(struct sectors *s)
{
    free(s->places);
    *s = (struct sectors){0};
}
