/* tensor_change.c - tensor maps changed by kernels (PTX ISA 9.7.9.28): tensormap.replace, of one
 * field of a map in global or shared memory, and tensormap.cp_fenceproxy, which brings one from
 * shared to global memory.
 *
 * Not modelled: the proxy by which tensor copies read maps: what is written is seen at once. The
 * checker knows of it, and hears of fences for it.
 */
#include "bulk.h"
#include "mem.h"
#include "emulator/code/tensor_copy.h"
#include "emulator/exec/tensor_map.h"

/* ---- where maps lie ---- */
static void tell_map(struct warp *w, const struct insn *in, int lane, enum access_kind kind,
                     enum access_space space, u64 address)
{
    u64 a[WARP];
    for (u32 k = 0; k < TENSOR_MAP_BYTES && w->block->tell; k += CHUNK) {
        LANES a[i] = address + k;
        access_event(w, in, kind, space, 1u << lane, CHUNK, a, NULL);
    }
}
static u8 *map_at(struct warp *w, const struct insn *in, int lane, u64 address, bool shared,
                  enum access_kind kind)
{
    struct mem_cache c = {0};
    struct spot s = {w->block, address & ~MEM_WINDOW_MASK & PEER_OFFSET};
    if (shared || (address & MEM_WINDOW_MASK) == MEM_SHARED_BASE) {
        if (!spot_holds(w, in, lane, &s, TENSOR_MAP_BYTES))
            return NULL;
        tell_map(w, in, lane, kind, ACCESS_SHARED, s.at);
        return w->block->shared + s.at;
    }
    if (!access_lookup(w, in, lane, address, TENSOR_MAP_BYTES, kind == ACCESS_STORE, &c))
        return NULL;
    tell_map(w, in, lane, kind, ACCESS_GLOBAL, address);
    return (u8 *)((intptr_t)address + c.delta);
}

/* ---- fields ---- */
/* elemtype's numbers as CUtensorMapDataType */
static u8 type_of(u64 elemtype)
{
    static const u8 types[TENSOR_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    return elemtype < TENSOR_TYPES ? types[elemtype] : UINT8_MAX;
}
/* Boxes have 8 bits and steps 3, of one less; strides lose 4 (an H200 does so). Of what else a
 * field cannot hold no copy takes the map. */
static void replace(struct tensor_map *m, const struct tensor_change *c, u64 value)
{
    u8 small = value < UINT8_MAX ? (u8)value : UINT8_MAX;
    switch (c->field) {
    case M_global_address:
        m->address = value;
        break;
    case M_rank:
        m->rank = (u8)(small + 1);
        break;
    case M_box_dim:
        m->box[c->ordinal] = (u16)(((value - 1) & (TENSOR_BOX - 1)) + 1);
        break;
    case M_global_dim:
        m->last[c->ordinal] = (u32)value - 1;
        break;
    case M_global_stride:
        m->stride[c->ordinal] = value & ~15ull;
        break;
    case M_element_stride:
        m->step[c->ordinal] = (u8)(((value - 1) & (TENSOR_STEP - 1)) + 1);
        break;
    case M_elemtype:
        m->type = type_of(value);
        break;
    case M_interleave_layout:
        m->interleave = small;
        break;
    case M_swizzle_mode:
        m->swizzle = small;
        break;
    default: /* M_fill_mode */
        m->fill_nan = value & 1;
    }
}
static bool change(struct warp *w, const struct insn *in, int lane)
{
    const struct tensor_change *c = in->data;
    u64 value[WARP], to = lane_address(w, in->src[0], c->to.bytes, c->to.offset, lane);
    u8 *at = map_at(w, in, lane, to, c->shared, ACCESS_STORE);
    struct tensor_map m;
    if (!at)
        return false;
    load_lanes(value, place(w, in->src[1]), in->src_width, false);
    memcpy(&m, at, sizeof(m));
    replace(&m, c, value[lane]);
    memcpy(at, &m, sizeof(m));
    return true;
}
/* One copy of the warp's. */
static bool bring(struct warp *w, const struct insn *in)
{
    const struct tensor_change *c = in->data;
    int lane = __builtin_ctz(w->mask);
    u64 to = lane_address(w, in->src[0], c->to.bytes, c->to.offset, lane);
    u64 from = lane_address(w, in->src[1], c->from.bytes, c->from.offset, lane);
    const u8 *read = map_at(w, in, lane, from, true, ACCESS_LOAD);
    u8 *write = read ? map_at(w, in, lane, to, false, ACCESS_STORE) : NULL;
    if (write)
        memcpy(write, read, TENSOR_MAP_BYTES);
    return write;
}
/* fence.proxy.tensormap::generic.acquire */
HANDLER(fence_map)
{
    u64 last = 0;
    bool told = false;
    for (u32 rest = w->mask; rest && w->block->tell; rest &= rest - 1) {
        u64 at = lane_address(w, in->src[0], in->flags & F_SHARED32 ? 4 : 8, in->imm,
                              __builtin_ctz(rest));
        if (!told || at != last)
            tensor_map_event(w, in, at, true);
        told = true;
        last = at;
    }
    return in + 1;
}
HANDLER(tensormap)
{
    const struct tensor_change *c = in->data;
    if (c->field == M_cp_fenceproxy)
        return bring(w, in) ? in + 1 : NULL;
    for (u32 rest = w->mask; rest; rest &= rest - 1)
        if (!change(w, in, __builtin_ctz(rest)))
            return NULL;
    return in + 1;
}
