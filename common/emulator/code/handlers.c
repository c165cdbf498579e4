/* handlers.c - handlers by family and type, and the functions bound to them. */
#include "handlers.h"

static const uint16_t families[FAM_COUNT][TAG_COUNT] = {
#define SINGLE(h)
#define TYPED(f, t) [FAM_##f][TAG_##t] = H_##f##_##t,
#define NAMED(f)
#include "handlers.def"
};

/* Where to look for a type: its own handler first, then its width's; .b32 counts as .u32. */
static const struct {
    uint8_t first, second;
} tags[PTX_TYPE_COUNT] = {
    [PTX_B16] = {TAG_16, TAG_u16}, [PTX_U16] = {TAG_u16, TAG_16}, [PTX_S16] = {TAG_s16, TAG_16},
    [PTX_B32] = {TAG_32, TAG_u32}, [PTX_U32] = {TAG_u32, TAG_32}, [PTX_S32] = {TAG_s32, TAG_32},
    [PTX_B64] = {TAG_64, TAG_u64}, [PTX_U64] = {TAG_u64, TAG_64}, [PTX_S64] = {TAG_s64, TAG_64},
    [PTX_F32] = {TAG_f32, TAG_32}, [PTX_F64] = {TAG_f64, TAG_64}, [PTX_PRED] = {TAG_pred},
};

enum handler_id handler_of(enum family f, enum ptx_type t)
{
    enum handler_id own = families[f][tags[t].first];
    return own ? own : families[f][tags[t].second];
}

enum handler_id handler_rounded(enum family f, enum ptx_type t)
{
    return t == PTX_F32 ? families[f][TAG_f32x] : t == PTX_F64 ? families[f][TAG_f64x] : H_none;
}

static const handler *bound;

void handlers_bind(const handler *table)
{
    bound = table;
}
handler handler_function(enum handler_id h)
{
    return bound[h];
}
