/* timeline.c - see timeline.h. */
#include "timeline.h"
#include "base/alloc.h"
#include "base/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void timeline_head(struct text *t, const char *command)
{
    static const char *const columns[] = {
        "lab",  "variant", "case",   "n",      "device",   "evidence", "memory",   "step",
        "what", "rank",    "stream", "offset", "elements", "bytes",    "start_ms", "end_ms"};

    text_add(t, "# command: ");
    text_printable(t, command, strlen(command), false);
    csv_end(t);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        csv_put_exact(t, columns[i]);
    csv_end(t);
}

static void put(struct text *t, char *value)
{
    csv_put_exact(t, value);
    free(value);
}

static void add_step(struct text *t, const struct plan *p, int i, const struct op_time *when)
{
    static const char *const words[] = {"kernel", "copy_in", "copy_out", "", "", "sum", "fetch"};
    const struct plan_op *o = &p->ops[i];
    uint64_t size = o->kind == OP_LAUNCH ? 0 : dtype_size(p->buffers[o->index].dtype);

    put(t, xformat("%d", i));
    csv_put_exact(t, words[o->kind]);
    put(t, xformat("%u", o->rank));
    put(t, xformat("%u", o->stream));
    put(t, xformat("%" PRIu64, o->offset));
    put(t, xformat("%" PRIu64, o->count));
    put(t, xformat("%" PRIu64, o->count * size));
    put(t, xformat("%.6f", when->start));
    put(t, xformat("%.6f", when->end));
}

void timeline_add(struct text *t, const struct lab *lab, const struct machine *m,
                  const struct entry *x, const struct plan *p, const struct outputs *o)
{
    for (int i = 0; o->times && i < p->nops; i++) {
        if (p->ops[i].kind == OP_RECORD || p->ops[i].kind == OP_WAIT)
            continue;
        csv_put_exact(t, lab->name);
        csv_put_exact(t, x->variant->name);
        csv_put_exact(t, x->input->name);
        put(t, xformat("%" PRIu64, x->input->n));
        csv_put_exact(t, m->device);
        csv_put_exact(t, m->emulator ? "modelled" : "measured");
        csv_put_exact(t, host_memory_names[p->memory]);
        add_step(t, p, i, &o->times[i]);
        csv_end(t);
    }
}
