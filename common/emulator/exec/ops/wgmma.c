/* wgmma.c - products of a warp group (PTX ISA 9.7.15).
 *
 * Four warps multiply 64 rows of a by b; warp w of them has rows 16w to 16w + 15 of a and of the
 * sum, so that each can do its own part alone. With g = lane/4, t = lane%4 and e elements in a
 * register of a,
 *
 *   A, register r: row g + 8*(r&1), columns t*e + 4e*(r>>1) …
 *   D, element i:  row g + 8*(i>>1 & 1), column 8*(i>>2) + 2t + (i&1)
 *
 * A factor in shared memory lies there in chunks of 16 bytes; a descriptor says where: struct
 * matrix. Its chunks are of one row and neighbours in k, or, transposed, of one k and neighbours
 * among the rows (of b: columns).
 *
 * The product takes place when it is issued; what is not modelled is that it may still be under
 * way until wgmma.wait_group.
 */
#include "half.h"
#include "lanes.h"
#include "tensor_fast.h"
#include "emulator/code/mma_shape.h"

#define ROWS       16 /* of a warp */
#define MOST_K     32 /* but for single bits */
#define CHUNK      16 /* bytes */
#define ATOM       8  /* rows, or k, that lie evenly spaced */
#define DESCRIPTOR 0x3fff
#define ADDRESSES  0x3ffff /* of shared memory that descriptors reach */

struct matrix {
    u64 start;      /* bytes, in shared memory */
    u32 lead, next; /* leading and stride dimension byte offset */
    u32 width;      /* bytes of a row of an atom: 16, or as many as are swizzled */
    u32 mask;       /* swizzled: these bits of address >> 7 change the chunk */
    bool transposed;
};
/* Bytes of a factor as they lie: line after line. */
typedef u8 image[TENSOR_COLUMNS * 2 * CHUNK];
struct factor {
    f32 part[MOST_K * TENSOR_COLUMNS];
    s32 e[MOST_K * TENSOR_COLUMNS];
    f32 value[MOST_K * TENSOR_COLUMNS];
    bool finite;
};

static struct matrix describe(u64 d, bool transposed)
{
    static const u32 widths[4] = {CHUNK, 128, 64, 32}, masks[4] = {0, 7, 3, 1};
    return (struct matrix){.start = (d & DESCRIPTOR) << 4,
                           .lead = (u32)(d >> 16 & DESCRIPTOR) << 4,
                           .next = (u32)(d >> 32 & DESCRIPTOR) << 4,
                           .width = widths[d >> 62],
                           .mask = masks[d >> 62],
                           .transposed = transposed};
}
/* Where a chunk is: `line` its row (transposed: its k), `chunk` its number along the line. */
static u64 chunk_at(const struct matrix *m, u32 line, u32 chunk)
{
    u64 a = m->start + (u64)(line % ATOM) * m->width;
    u32 wide = m->width / CHUNK;
    if (wide == 1)
        a += (u64)(line / ATOM) * (m->transposed ? m->lead : m->next) +
             (u64)chunk * (m->transposed ? m->next : m->lead);
    else if (m->transposed)
        a += (u64)(line / ATOM) * m->next + (u64)(chunk / wide) * m->lead +
             (u64)(chunk % wide) * CHUNK;
    else
        a += (u64)(line / ATOM) * m->next + (u64)chunk * CHUNK;
    return (a ^ (a >> 7 & m->mask) << 4) & ADDRESSES;
}
struct part { /* of a matrix */
    u32 line, lines, chunk, chunks;
};
/* Fetches it from shared memory. False after a fault. */
static bool fetch(struct warp *w, const struct insn *in, const struct matrix *m,
                  const struct part *p, u8 *to)
{
    u32 all = p->lines * p->chunks;
    u64 a[WARP];
    for (u32 first = 0; first < all; first += WARP) {
        u64 lo = ~0ull, hi = 0;
        u32 n = all - first < WARP ? all - first : WARP;
        u32 mask = n == WARP ? FULL : (1u << n) - 1;
        for (u32 i = 0; i < WARP; i++) {
            u32 at = first + (i < n ? i : 0);
            a[i] = chunk_at(m, p->line + at / p->chunks, p->chunk + at % p->chunks);
            lo = a[i] < lo ? a[i] : lo;
            hi = a[i] > hi ? a[i] : hi;
        }
        if (!access_shared(w, in, a, mask, lo, hi, CHUNK))
            return false;
        if (w->block->tell)
            access_event(w, in, ACCESS_LOAD, ACCESS_SHARED, mask, CHUNK, a, NULL);
        for (u32 i = 0; i < n; i++)
            memcpy(to + (size_t)(first + i) * CHUNK, w->block->shared + a[i], CHUNK);
    }
    return true;
}
/* A factor's rows from `first` on, by the descriptor that the lanes have. False after a fault. */
static bool fetch_rows(struct warp *w, const struct insn *in, const u64 *d, u32 first, u32 rows,
                       bool transposed, u8 *to)
{
    for (int i = 1; i < WARP; i++)
        if (d[i] != d[0])
            return warp_fault(w, in, i, cudaErrorIllegalInstruction,
                              "wgmma: the lanes' descriptors differ");
    if (d[0] >> 49 & 7)
        return warp_fault(w, in, 0, cudaErrorNotSupported,
                          "wgmma: a descriptor with a base offset: not supported by the emulator");
    struct matrix m = describe(d[0], transposed);
    struct part rows_of_k = {.line = first, .lines = rows, .chunks = 2};
    struct part ks_of_rows = {.lines = 2 * ATOM, .chunk = first / ATOM, .chunks = rows / ATOM};
    return fetch(w, in, &m, transposed ? &ks_of_rows : &rows_of_k, to);
}
/* a's rows of this warp, from its registers: as rows lie in an image */
static void gather_rows(struct warp *w, const uint32_t *places, u8 *to)
{
    for (u32 r = 0; r < 4; r++) {
        const u32 *v = place(w, places[r]);
        for (u32 l = 0; l < WARP; l++)
            memcpy(to + (l / 4 + 8 * (r & 1)) * 2 * CHUNK + l % 4 * 4 + CHUNK * (r >> 1), &v[l], 4);
    }
}

/* ---- floating point ---- */
/* Takes an image of `rows` rows of k elements apart; element (row, p) becomes number
 * row * by_row + p * by_k. */
static void take_apart(struct factor *f, const u8 *from, unsigned type, bool negative,
                       const u32 extent[2], const u32 by[2], bool transposed)
{
    static _Thread_local f32 lie[MOST_K * TENSOR_COLUMNS];
    u32 rows = extent[0], k = extent[1];
    f->finite = true;
    tensor_values(from, type, rows * k, lie);
    for (u32 row = 0; row < rows; row++)
        for (u32 p = 0; p < k; p++) {
            f32 v = lie[transposed ? p * rows + row : row * k + p];
            u32 at = row * by[0] + p * by[1];
            f->value[at] = negative ? -v : v;
            f->part[at] = tensor_split(f->value[at], least_exponent(type), &f->e[at]);
            f->finite &= isfinite(v) != 0;
        }
}
/* What infinities and NaN make of a row's sums. */
static void add_plainly(f32 *c, const f32 *before, u32 n, u32 k, const f32 *a, const f32 *b)
{
    for (u32 j = 0; j < n; j++) {
        f64 sum = before[j];
        for (u32 p = 0; p < k; p++)
            sum += (f64)a[p] * b[p * n + j];
        c[j] = isfinite(sum) ? c[j] : canonical((f32)sum);
    }
}
/* element i of lane l in a warp's sums */
static inline u32 sum_at(u32 n, u32 l, u32 i)
{
    return (l / 4 + 8 * (i >> 1 & 1)) * n + 8 * (i >> 2) + l % 4 * 2 + (i & 1);
}
static void read_sums(struct warp *w, const struct insn *in, f32 *c)
{
    const struct mma_shape *s = in->data;
    bool half = s->d_type == PTX_F16;
    for (u32 r = 0; r < s->nd; r++) {
        const u32 *v = place(w, in->places[r]);
        for (u32 l = 0; l < WARP; l++) {
            if (half)
                for (u32 j = 0; j < 2; j++)
                    c[sum_at(s->n, l, 2 * r + j)] = (f32)half_to_float((u16)(v[l] >> 16 * j));
            else
                c[sum_at(s->n, l, r)] = f32_bits(v[l]);
        }
    }
}
static void write_sums(struct warp *w, const struct insn *in, const f32 *c)
{
    const struct mma_shape *s = in->data;
    bool half = s->d_type == PTX_F16;
    for (u32 r = 0; r < s->nd; r++) {
        u32 *v = place(w, in->places[r]);
        for (u32 l = 0; l < WARP; l++)
            v[l] = half ? (u32)sum_to_half(c[sum_at(s->n, l, 2 * r)]) |
                              (u32)sum_to_half(c[sum_at(s->n, l, 2 * r + 1)]) << 16
                        : bits_f32(canonical(c[sum_at(s->n, l, r)]));
    }
}
static void multiply_floats(struct warp *w, const struct insn *in, const u8 *a, const u8 *b,
                            bool adds)
{
    const struct mma_shape *s = in->data;
    static _Thread_local struct factor x, y;
    f32 c[ROWS * TENSOR_COLUMNS] = {0};
    u32 n = s->n, k = s->k;
    struct tensor_bits bits = tensor_bits(s->a_type, s->d_type);
    take_apart(&x, a, s->a_type, s->a_neg, (u32[]){ROWS, k}, (u32[]){k, 1}, s->a_col);
    take_apart(&y, b, s->b_type, s->b_neg, (u32[]){n, k}, (u32[]){1, n}, s->b_col);
    if (adds)
        read_sums(w, in, c);
    for (u32 row = 0; row < ROWS; row++) {
        f32 before[TENSOR_COLUMNS];
        bool finite = x.finite && y.finite;
        for (u32 j = 0; j < n; j++) {
            before[j] = c[row * n + j];
            finite &= isfinite(before[j]) != 0;
        }
        tensor_add(c + row * n, n, k, x.part + row * k, x.e + row * k, y.part, y.e, bits);
        if (!finite)
            add_plainly(c + row * n, before, n, k, x.value + row * k, y.value);
    }
    write_sums(w, in, c);
}

/* ---- single bits ---- */
static void multiply_bits(struct warp *w, const struct insn *in, const u8 *a, const u8 *b,
                          bool adds)
{
    const struct mma_shape *s = in->data;
    for (u32 r = 0; r < s->nd; r++) {
        u32 *v = place(w, in->places[r]);
        for (u32 l = 0; l < WARP; l++) {
            u32 at = sum_at(s->n, l, r), sum = adds ? v[l] : 0;
            const u8 *x = a + at / s->n * 2 * CHUNK, *y = b + at % s->n * 2 * CHUNK;
            for (u32 p = 0; p < 2 * CHUNK; p++)
                sum += (u32)__builtin_popcount(x[p] & y[p]);
            v[l] = sum;
        }
    }
}

/* ---- whole numbers, and floating point where nothing is out of the ordinary: tensor_fast.h ----
 */
/* a's rows side by side, k after k */
static void turn_rows(const u8 *from, u32 k, u8 *to)
{
    for (u32 p = 0; p < k; p++)
        for (u32 row = 0; row < ROWS; row++) {
            u32 i = row * k + p, at = p * ROWS + row;
            if (k == 8)
                memcpy(to + at * 4, from + i * 4, 4);
            else if (k == 16)
                memcpy(to + at * 2, from + i * 2, 2);
            else
                to[at] = from[i];
        }
}
static bool multiply_fast(struct warp *w, const struct insn *in, const u8 *a, const u8 *b,
                          bool adds)
{
    const struct mma_shape *s = in->data;
    static _Thread_local f32 xv[MOST_K * ROWS], yv[MOST_K * TENSOR_COLUMNS];
    static _Thread_local s32 xe[MOST_K * ROWS], ye[MOST_K * TENSOR_COLUMNS];
    u8 rows[ROWS * 2 * CHUNK];
    u32 c[ROWS * TENSOR_COLUMNS], n = s->n, k = s->k;
    bool half = s->d_type == PTX_F16, whole = s->d_type == PTX_S32, fast = true;
    struct tensor_side x = {xv, xe, 1, ROWS}, y = {yv, ye, s->b_col ? 1 : k, s->b_col ? n : 1};
    if (!s->a_col)
        turn_rows(a, k, rows);
    if (adds)
        tensor_read_sums(w, in->places, s->nd, half, c);
    else
        memset(c, 0, ROWS * n * sizeof(*c));
    if (whole) {
        tensor_values(rows, s->a_type, ROWS * k, xv);
        tensor_values(b, s->b_type, n * k, yv);
        tensor_whole_lines(c, n, WIDE, k, &x, &y, in->flags & F_SATFINITE);
    } else {
        fast = tensor_read(s->a_col ? a : rows, s->a_type, ROWS * k, s->a_neg, xv, xe) &&
               tensor_read(b, s->b_type, n * k, s->b_neg, yv, ye) &&
               tensor_lines(c, n, WIDE, k, &x, &y, tensor_bits(s->a_type, s->d_type));
    }
    if (fast)
        tensor_write_sums(w, in->places, s->nd, half, c);
    return fast;
}

HANDLER(wgmma)
{
    const struct mma_shape *s = in->data;
    image a, b;
    u32 scale = *SRC(u32, 2) ^ (in->flags & F_NEG_SRC ? FULL : 0);
    if (w->mask != FULL)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "%s needs all 32 lanes",
                          in->site->opcode);
    if (s->na)
        gather_rows(w, in->places + s->nd, a);
    else if (!fetch_rows(w, in, SRC(u64, 0), w->index % 4 * ROWS, ROWS, s->a_col, a))
        return NULL;
    if (!fetch_rows(w, in, SRC(u64, 1), 0, s->n, s->b_col, b))
        return NULL;
    bool bits = s->a_type == PTX_B1, fast = bits || multiply_fast(w, in, a, b, scale & 1);
    w->worker->steps += ROWS * s->n * s->k / (fast ? TENSOR_FAST_A_STEP : TENSOR_A_STEP);
    if (bits)
        multiply_bits(w, in, a, b, scale & 1);
    else if (!fast)
        multiply_floats(w, in, a, b, scale & 1);
    return in + 1;
}
