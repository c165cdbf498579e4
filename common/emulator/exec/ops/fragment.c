/* fragment.c - wmma.load, wmma.store: a matrix between memory and its fragment (mma.c says which
 * element lies where).
 *
 * In shared memory, and nobody listening, its lines are moved whole. What its requests cost there
 * depends on the stride alone, not on where the matrix begins: other banks, as many words in each.
 * So it is counted lane by lane once, and what came of it is kept beside the shape (insn.data).
 */
#include "fragment.h"
#include "lanes.h"
#include "mma.h"
#include "emulator/base/mem.h"

/* ---- lane by lane ---- */
static inline u32 fragment_element(const struct mma_shape *s, u32 l, u32 i, u32 n, u32 e)
{
    return s->accumulator ? i / e * WARP * e + l * e + i % e : l * n + i;
}
/* Address of element `at` of a fragment, bytes from the matrix's origin. */
static inline u64 matrix_offset(const struct mma_shape *s, u32 at, u64 stride)
{
    u32 line = s->row_major ? s->cols : s->rows; /* elements side by side in memory */
    u64 index = at / line * stride + at % line;
    if (s->accumulator && !s->row_major) /* kept by rows, stored by columns */
        index = at % s->cols * stride + at / s->cols;
    return index * s->element_bytes;
}
static void tell_matrix(struct warp *w, const struct insn *in, const u64 *base, const u64 *stride)
{
    const struct mma_shape *s = in->data;
    u64 window = in->sub == SPACE_SHARED ? MEM_SHARED_BASE : 0, addr[WARP], pitch[WARP];
    LANES addr[i] = (base[i] + (u64)in->imm) | window;
    LANES pitch[i] = stride[i] * s->element_bytes;
    access_matrix(w, in, addr, pitch, s->nd * (s->element_bytes == 8 ? 8 : 4));
}
/* One access a register where its elements lie side by side. */
static bool move_by_lanes(struct warp *w, const struct insn *in, const u64 *base, const u64 *stride)
{
    const struct mma_shape *s = in->data;
    u32 e = s->element_bytes >= 4 ? 1 : 4 / s->element_bytes, n = s->nd * e;
    u32 step = s->accumulator && !s->row_major ? 1 : e, count = s->rows * s->cols;
    u32 bytes = s->element_bytes * step;
    for (u32 k = 0; k < n; k += step) {
        u32 *reg = place(w, in->places[k / e]), shift = 8 * s->element_bytes * (k % e);
        u32 ones = bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1;
        u64 a[WARP], v[WARP] = {0};
        for (u32 l = 0; l < WARP; l++) {
            u32 at = fragment_element(s, l, k, n, e) % count;
            a[l] = base[l] + (u64)in->imm + matrix_offset(s, at, stride[l]);
            v[l] = bytes == 8 ? ((u64 *)reg)[l] : reg[l] >> shift & ones;
        }
        if (!access_lanes(w, in, a, bytes, s->store, v))
            return false;
        for (u32 l = 0; l < WARP && !s->store; l++) {
            if (!ON(w->mask, l))
                continue;
            if (bytes == 8)
                ((u64 *)reg)[l] = v[l];
            else
                reg[l] = (reg[l] & ~(ones << shift)) | ((u32)v[l] & ones) << shift;
        }
    }
    return true;
}

/* ---- by whole lines ---- */
enum { MOST_WORDS = 8 * WARP }; /* of a matrix, and of its fragment */
/* Does the warp move one matrix of shared memory, whose lines lie in the fragment as there? */
static bool is_plain(const struct warp *w, const struct insn *in, const u64 *base,
                     const u64 *stride)
{
    const struct mma_shape *s = in->data;
    u64 differ = 0;
    LANES differ |= (base[i] ^ base[0]) | (stride[i] ^ stride[0]);
    return w->mask == FULL && !differ && (!s->accumulator || s->row_major) &&
           (in->sub == SPACE_SHARED ||
            (in->sub == SPACE_GENERIC &&
             ((base[0] + (u64)in->imm) & MEM_WINDOW_MASK) == MEM_SHARED_BASE));
}
static struct slot *slot_of_shared(const struct warp *w, const struct insn *in)
{
    return &w->worker->slots[in->slot + (in->sub == SPACE_GENERIC ? IN_SHARED : 0)];
}
/* A cost: stride, units, extra, spacing, and that it is known */
enum { UNITS = 32, EXTRA = 44, SPACING = 56, KNOWN = 63 };
static void keep_cost(struct mma_shape *s, u64 stride, const struct slot *from,
                      const struct slot *to)
{
    u64 cost = stride | (to->units - from->units) << UNITS | (to->extra - from->extra) << EXTRA |
               (to->spacing - from->spacing) << SPACING | 1ull << KNOWN;
    atomic_store_explicit(&s->cost, cost, memory_order_relaxed);
}
static void count_move(struct slot *to, const struct mma_shape *s, u64 cost)
{
    u32 bytes = s->element_bytes == 8 ? 8 : 4;
    to->requests += s->nd;
    to->bytes += (u64)s->nd * WARP * bytes;
    to->units += cost >> UNITS & 0xfff;
    to->extra += cost >> EXTRA & 0xfff;
    to->spacing += cost >> SPACING & 0x7f;
    if (!s->store)
        to->by_lanes[lane_group(FULL)] += s->nd;
}
static inline void copy_line(u8 *to, const u8 *from, u32 bytes) /* a multiple of 8 */
{
    for (; bytes >= 16; bytes -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (bytes)
        memcpy(to, from, 8);
}
/* Registers that hold neighbours as they lie: an accumulator's, and f64's */
static inline bool as_they_lie(const struct mma_shape *s)
{
    return s->accumulator || s->element_bytes == 8;
}
static void move_registers(struct warp *w, const struct insn *in, u32 *words, u32 have)
{
    const struct mma_shape *s = in->data;
    u32 n = s->nd, row = s->element_bytes == 8 ? 2 * WARP : WARP;
    for (; !as_they_lie(s) && have < n * WARP; have *= 2) /* where it has more room, again */
        memcpy(words + have, words, have * 4);
    if (!as_they_lie(s))
        fragment_from_words(w, in->places, n, words);
    for (u32 r = 0; r < n && as_they_lie(s); r++) {
        void *reg = place(w, in->places[r]);
        memcpy(s->store ? (void *)(words + r * row) : reg,
               s->store ? reg : (const void *)(words + r * row), row * 4);
    }
}
/* False: it is for move_by_lanes(), which also knows what is wrong. */
static bool move_lines(struct warp *w, const struct insn *in, u64 base, u64 stride)
{
    const struct mma_shape *s = in->data;
    const struct launch *l = w->block->launch;
    u64 cost = atomic_load_explicit(&s->cost, memory_order_relaxed);
    u64 a = (base + (u64)in->imm) & ~MEM_WINDOW_MASK, pitch = stride * s->element_bytes;
    u32 line = (s->row_major ? s->cols : s->rows) * s->element_bytes;
    u32 lines = s->row_major ? s->rows : s->cols, words[MOST_WORDS];
    u64 end = a + (lines - 1) * pitch + line;
    if (!(cost >> KNOWN) || (u32)cost != stride || end > l->shared_bytes || l->shared_map ||
        (a | pitch) & (s->element_bytes == 8 ? 7 : 3))
        return false;
    if (s->store)
        move_registers(w, in, words, lines * line / 4);
    for (u32 k = 0; k < lines; k++) {
        u8 *here = (u8 *)words + k * line, *there = w->block->shared + a + k * pitch;
        copy_line(s->store ? there : here, s->store ? here : there, line);
    }
    if (!s->store) {
        move_registers(w, in, words, lines * line / 4);
        block_read(w->block, a, end);
    }
    count_move(slot_of_shared(w, in), s, cost);
    return true;
}

HANDLER(wmma_move)
{
    struct mma_shape *s = (struct mma_shape *)in->data;
    u64 base[WARP], stride[WARP];
    load_lanes(base, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    if (in->src[2] != NO_PLACE) {
        load_lanes(stride, place(w, in->src[2]), 4, false);
        LANES stride[i] >>= s->stride_shift;
    } else {
        LANES stride[i] = s->row_major ? s->cols : s->rows;
    }
    if (w->block->tell)
        tell_matrix(w, in, base, stride);
    bool plain = is_plain(w, in, base, stride);
    if (plain && !w->block->tell && move_lines(w, in, base[0], stride[0]))
        return in + 1;
    struct slot before = *slot_of_shared(w, in);
    if (!move_by_lanes(w, in, base, stride))
        return NULL;
    if (plain)
        keep_cost(s, stride[0], &before, slot_of_shared(w, in));
    return in + 1;
}
