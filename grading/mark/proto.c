/* proto.c - the messages of proto.h, each written and read beside each other. */
#include "proto.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x57505238 };

/* ---- the module ---- */

bool hello_write(const struct wire *w, const char *name, const void *module, size_t bytes)
{
    uint64_t head[2] = {MAGIC, bytes};
    return wire_put(w, head, sizeof(head)) && wire_put_text(w, name) && wire_put(w, module, bytes);
}

bool hello_read(const struct wire *w, char **name, void **module, size_t *bytes)
{
    uint64_t head[2];
    *name = NULL;
    *module = NULL;
    if (!wire_get(w, head, sizeof(head)) || head[0] != MAGIC || head[1] > PROTO_MAX_MODULE)
        return false;
    *bytes = head[1];
    *name = wire_get_text(w, PROTO_MAX_NAME);
    *module = xzalloc(*bytes + 1);
    if (*name && wire_get(w, *module, *bytes))
        return true;
    free(*name);
    free(*module);
    *name = NULL;
    *module = NULL;
    return false;
}

/* ---- what it was loaded on ---- */

bool loaded_write(const struct wire *w, const struct loaded *l)
{
    uint32_t head[4] = {MAGIC, l->state, l->sm_mhz, l->tight};
    return wire_put(w, head, sizeof(head)) && wire_put_text(w, l->why) &&
           (l->state == LOAD_NO_DEVICE || machine_write(w, &l->machine));
}

bool loaded_read(const struct wire *w, struct loaded *l)
{
    uint32_t head[4];
    *l = (struct loaded){.state = LOAD_NO_DEVICE};
    if (!wire_get(w, head, sizeof(head)) || head[0] != MAGIC || head[1] > LOAD_REFUSED)
        return false;
    l->state = (enum load_state)head[1];
    l->sm_mhz = head[2];
    l->tight = head[3];
    l->why = wire_get_text(w, JOB_MAX_TEXT);
    return l->why && (l->state == LOAD_NO_DEVICE || machine_read(w, &l->machine));
}

/* ---- launch records ---- */

struct packed_record {
    uint32_t state;
    struct launch_record given;
};

bool record_ask(const struct wire *w, const char *variant, enum record_state *state,
                struct launch_record *given)
{
    uint32_t kind = MSG_ASK;
    struct packed_record p;
    if (!wire_put(w, &kind, sizeof(kind)) || !wire_put_text(w, variant) ||
        !wire_get(w, &p, sizeof(p)) || p.state > RECORD_BAD)
        return false;
    *state = (enum record_state)p.state;
    *given = p.given;
    given->schedule = NULL; /* no address of theirs is one of ours */
    return true;
}

bool record_write(const struct wire *w, enum record_state state, const struct launch_record *given)
{
    struct packed_record p = {state, *given};
    return wire_put(w, &p, sizeof(p));
}

bool schedule_ask(const struct wire *w, const char *variant, enum record_state *state,
                  struct schedule *s)
{
    uint32_t kind = MSG_SCHEDULE, got;
    if (!wire_put(w, &kind, sizeof(kind)) || !wire_put_text(w, variant) ||
        !wire_get(w, &got, sizeof(got)) || got > RECORD_BAD)
        return false;
    *state = (enum record_state)got;
    return got != RECORD_GIVEN || wire_get(w, s, sizeof(*s));
}

bool schedule_write(const struct wire *w, enum record_state state, const struct schedule *s)
{
    uint32_t put = state;
    return wire_put(w, &put, sizeof(put)) && (state != RECORD_GIVEN || wire_put(w, s, sizeof(*s)));
}
