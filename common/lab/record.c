/* record.c - keeps launch records within what a variant allows (record.h). */
#include "record.h"

static uint32_t clamp_field(const char *variant, const char *field, uint32_t given, uint32_t def,
                            uint32_t min, uint32_t max, struct text *note)
{
    uint32_t value = given;

    if (!max) {
        /* A row that leaves block_y out means 1; 0 means "as it comes" for every field. */
        if (given && given != def)
            text_addf(note, "LAUNCH(%s): %s is fixed at %u in this exercise, %u is ignored. ",
                      variant, field, def, given);
        return def;
    }
    if (!given)
        return def;
    if (value < min)
        value = min;
    if (value > max)
        value = max;
    if (value != given)
        text_addf(note, "LAUNCH(%s): %s %u is out of range, %u is used (%u to %u). ", variant,
                  field, given, value, min, max);
    return value;
}

void record_clamp(const struct lab_variant *v, const struct launch_record *given,
                  struct launch_record *out, struct text *note)
{
    const struct launch_record *d = &v->record, *lo = &v->min, *hi = &v->max;

    out->block_x =
        clamp_field(v->name, "block_x", given->block_x, d->block_x, lo->block_x, hi->block_x, note);
    out->block_y =
        clamp_field(v->name, "block_y", given->block_y, d->block_y, lo->block_y, hi->block_y, note);
    out->items = clamp_field(v->name, "items", given->items, d->items, lo->items, hi->items, note);
    out->shared_bytes = clamp_field(v->name, "shared_bytes", given->shared_bytes, d->shared_bytes,
                                    lo->shared_bytes, hi->shared_bytes, note);
    out->tensor = v->has_tensor && given->tensor.tile[0] ? given->tensor : d->tensor;
}
