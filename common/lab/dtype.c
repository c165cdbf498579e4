/* dtype.c - element types on the host (dtype.h). */
#include "dtype.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
    bool is_float;
} types[DT_COUNT] = {
    [DT_I32] = {"i32", 4, false},  [DT_U32] = {"u32", 4, false}, [DT_F32] = {"f32", 4, true},
    [DT_F64] = {"f64", 8, true},   [DT_F16] = {"f16", 2, true},  [DT_I64] = {"i64", 8, false},
    [DT_BF16] = {"bf16", 2, true},
};

size_t dtype_size(enum dtype t)
{
    return types[t].size;
}

const char *dtype_name(enum dtype t)
{
    return types[t].name;
}

bool dtype_is_float(enum dtype t)
{
    return types[t].is_float;
}

bool dtype_parse(const char *name, enum dtype *out)
{
    for (int t = 0; t < DT_COUNT; t++) {
        if (!strcmp(name, types[t].name)) {
            *out = (enum dtype)t;
            return true;
        }
    }
    return false;
}

float half_to_float(uint16_t h)
{
    _Float16 x;

    memcpy(&x, &h, sizeof(x));
    return (float)x;
}

uint16_t half_from_float(float f)
{
    _Float16 x = (_Float16)f;
    uint16_t h;

    memcpy(&h, &x, sizeof(h));
    return h;
}

/* The upper half of a float. */
float bf16_to_float(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

uint16_t bf16_from_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    if (f != f)
        return (uint16_t)(bits >> 16 | 0x40); /* and no infinity */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double dtype_get(enum dtype t, const void *data, uint64_t i)
{
    switch (t) {
    case DT_I32:
        return ((const int32_t *)data)[i];
    case DT_U32:
        return ((const uint32_t *)data)[i];
    case DT_F32:
        return (double)((const float *)data)[i];
    case DT_F64:
        return ((const double *)data)[i];
    case DT_F16:
        return (double)half_to_float(((const uint16_t *)data)[i]);
    case DT_I64:
        return (double)((const int64_t *)data)[i];
    case DT_BF16:
        return (double)bf16_to_float(((const uint16_t *)data)[i]);
    case DT_COUNT:
        break;
    }
    return 0;
}

void dtype_set(enum dtype t, void *data, uint64_t i, double value)
{
    switch (t) {
    case DT_I32:
        ((int32_t *)data)[i] = (int32_t)value;
        break;
    case DT_U32:
        ((uint32_t *)data)[i] = (uint32_t)value;
        break;
    case DT_F32:
        ((float *)data)[i] = (float)value;
        break;
    case DT_F64:
        ((double *)data)[i] = value;
        break;
    case DT_F16:
        ((uint16_t *)data)[i] = half_from_float((float)value);
        break;
    case DT_I64:
        ((int64_t *)data)[i] = (int64_t)value;
        break;
    case DT_BF16:
        ((uint16_t *)data)[i] = bf16_from_float((float)value);
        break;
    case DT_COUNT:
        break;
    }
}
