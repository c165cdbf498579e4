/* verdict.c - writes runs into a verdict. See verdict.h. */
#include "verdict.h"

#include "lab/counter.h"
#include "lab/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEPT_FINDINGS = 10 };

void json_put(json_t *o, const char *key, const char *text)
{
    struct text t = {0};
    text_printable(&t, text, strlen(text), true);
    json_object_set_new(o, key, json_string(text_str(&t)));
    text_free(&t);
}

json_t *json_of_run(const struct run *r)
{
    json_t *o = json_object(), *counters = json_object(), *first = json_array();
    static const char *const ends[] = {"ok",      "no kernel", "bad launch record", "error",
                                       "endless", "died",      "not tried",         "internal"};
    json_object_set_new(o, "variant", json_string(r->variant->name));
    json_object_set_new(o, "case", json_string(r->c.name));
    const struct {
        const char *name;
        json_int_t value;
    } whole[] = {{"n", (json_int_t)r->c.n},       {"m", (json_int_t)r->c.m},
                 {"k", (json_int_t)r->c.k},       {"param", r->c.param},
                 {"wrong", (json_int_t)r->wrong}, {"compared", (json_int_t)r->compared},
                 {"block_x", r->record.block_x},  {"block_y", r->record.block_y},
                 {"items", r->record.items}};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        json_object_set_new(o, whole[i].name, json_integer(whole[i].value));
    char seed[24];
    snprintf(seed, sizeof(seed), "%llx", (unsigned long long)r->seed);
    json_object_set_new(o, "seed", json_string(seed));
    json_object_set_new(o, "dtype", json_string(dtype_name(r->c.dtype)));
    json_object_set_new(o, "check", json_boolean(r->check));
    json_object_set_new(o, "end", json_string(ends[r->end]));
    json_object_set_new(o, "correct", json_boolean(r->correct));
    if (r->why)
        json_put(o, "why", r->why);
    for (int i = 0; i < r->nfirst; i++) {
        json_t *x = json_object();
        char want[40], got[40];
        number_text(want, r->first[i].expected);
        number_text(got, r->first[i].got);
        json_object_set_new(x, "index", json_integer((json_int_t)r->first[i].index));
        json_object_set_new(x, "expected", json_string(want));
        json_object_set_new(x, "got", json_string(got));
        json_array_append_new(first, x);
    }
    json_object_set_new(o, "first", first);
    for (int i = 0; i < ncounters; i++)
        if (r->reply.counters[i])
            json_object_set_new(counters, counter_infos[i].name,
                                json_integer((json_int_t)r->reply.counters[i]));
    json_object_set_new(o, "counters", counters);
    if (isfinite(r->reply.modelled_ms) && r->reply.modelled_ms > 0) {
        json_object_set_new(o, "modelled_ms", json_real(r->reply.modelled_ms));
        json_put(o, "bound", r->reply.bound);
        json_object_set_new(o, "occupancy",
                            json_real(isfinite(r->reply.occupancy) ? r->reply.occupancy : 0));
    }
    if (json_array_size(r->findings)) {
        json_t *kept = json_array();
        for (size_t i = 0; i < json_array_size(r->findings) && i < KEPT_FINDINGS; i++)
            json_array_append(kept, json_array_get(r->findings, i));
        json_object_set_new(o, "findings", kept);
    }
    return o;
}
