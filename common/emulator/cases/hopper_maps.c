/* hopper_maps.c - copies by tensor maps of images (im2col) and of interleaved tensors, and by maps
 * that a kernel changes (tensormap.replace): random ones inside and over the edges, each type, and
 * which are refused, by the driver or by the copy.
 *
 * As hopper_tensor.c. A map is copied to memory and changed there by a row's instructions: a warp
 * executes them, %l3 or %r8 is where the map lies then, in global or in shared memory.
 */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

#define ROOM   16384     /* bytes of shared memory */
#define TENSOR (1 << 17) /* of global memory */
#define RANK   5
#define SPACE  (RANK - 2) /* dimensions of an image */
#define TYPES  13

enum { U16 = 1, U32, S32, U64, S64, F16, F32, F64, BF16, F32FTZ, TF32, TF32FTZ };
static const uint32_t bytes_of[TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct map { /* of an image: box holds channels, pixels */
    bool image;
    uint32_t type, rank, interleave, swizzle, promotion, fill, shift;
    uint64_t extent[RANK], stride[RANK];
    uint32_t box[RANK], step[RANK];
    int low[SPACE], high[SPACE];
};
struct copy {
    struct map map;
    const char *what;  /* load, prefetch, multicast, store, or a reduction */
    const char *named; /* a name for what `change` does, or NULL */
    const char *change;
    bool other_mode; /* the instruction asks for the other kind of map */
    int at[RANK], off[SPACE];
};
typedef int tiles(struct hopper_map *, uint32_t, uint32_t, void *, const uint64_t *,
                  const uint64_t *, const uint32_t *, const uint32_t *, uint32_t, uint32_t,
                  uint32_t, uint32_t);
typedef int images(struct hopper_map *, uint32_t, uint32_t, void *, const uint64_t *,
                   const uint64_t *, const int *, const int *, uint32_t, uint32_t, const uint32_t *,
                   uint32_t, uint32_t, uint32_t, uint32_t);
static tiles *encode_tiles;
static images *encode_images;
static uint8_t *device_tensor, *device_image, *device_map;

static int make(const struct map *m, struct hopper_map *t)
{
    uint8_t *at = device_tensor + m->shift;
    memset(t, 0, sizeof(*t));
    if (m->image)
        return encode_images(t, m->type, m->rank, at, m->extent, m->stride, m->low, m->high,
                             m->box[0], m->box[1], m->step, m->interleave, m->swizzle, m->promotion,
                             m->fill);
    return encode_tiles(t, m->type, m->rank, at, m->extent, m->stride, m->box, m->step,
                        m->interleave, m->swizzle, m->promotion, m->fill);
}
static void put_list(FILE *o, const char *name, const int *v, uint32_t n)
{
    fprintf(o, " %s=", name);
    for (uint32_t k = 0; k < n; k++)
        fprintf(o, "%s%d", k ? "," : "", v[k]);
}
static void put_numbers(FILE *o, const char *name, const uint64_t *v, uint32_t n)
{
    fprintf(o, " %s=", name);
    for (uint32_t k = 0; k < n; k++)
        fprintf(o, "%s%llu", k ? "x" : "", (unsigned long long)v[k]);
}
static void put_name(FILE *o, const struct copy *c)
{
    const struct map *m = &c->map;
    uint32_t n = m->rank < RANK ? m->rank : RANK, space = m->rank > 2 && m->image ? n - 2 : 0;
    uint64_t box[RANK], step[RANK];
    for (uint32_t d = 0; d < RANK; d++) {
        box[d] = m->box[d];
        step[d] = m->step[d];
    }
    fprintf(o, "maps %s%s %s%s%s type=%u rank=%u il=%u sw=%u fill=%u", m->image ? "image" : "tile",
            c->other_mode ? " as the other" : "", c->what, c->named ? " " : "",
            c->named ? c->named : "", m->type, m->rank, m->interleave, m->swizzle, m->fill);
    if (m->promotion || m->shift)
        fprintf(o, " pr=%u shift=%u", m->promotion, m->shift);
    put_numbers(o, "dim", m->extent, n);
    put_numbers(o, "stride", m->stride, n ? n - 1 : 0);
    put_numbers(o, "box", box, m->image ? 2 : n);
    put_numbers(o, "step", step, n);
    put_list(o, "low", m->low, space);
    put_list(o, "high", m->high, space);
    put_list(o, "at", c->at, n);
    put_list(o, "off", c->off, space);
}

/* ---- the kernel ---- */
static uint32_t count_of(const struct map *m, uint32_t d)
{
    if (m->interleave && d == m->rank - 2) /* slices of channels come one by one */
        return 1;
    if (!m->interleave && d == 0)
        return m->box[0];
    return m->step[d] ? (m->box[d] + m->step[d] - 1) / m->step[d] : 1;
}
static uint32_t copied(const struct map *m)
{
    uint32_t n = m->interleave ? 16 * m->interleave : bytes_of[m->type];
    if (m->image)
        return (m->interleave ? n : n * m->box[0]) * m->box[1];
    for (uint32_t d = 0; d < m->rank; d++)
        n *= count_of(m, d);
    return n;
}
static bool is_store(const struct copy *c)
{
    return strcmp(c->what, "load") && strcmp(c->what, "prefetch") && strcmp(c->what, "multicast");
}
static void put_copy(FILE *o, const struct copy *c)
{
    const struct map *m = &c->map;
    bool image = m->image != c->other_mode, multicast = !strcmp(c->what, "multicast");
    char at[64] = "%r10", off[64] = "";
    for (uint32_t d = 1; d < m->rank; d++)
        sprintf(at + strlen(at), ", %%r%u", 10 + d);
    for (uint32_t d = 0; image && d + 2 < m->rank; d++)
        sprintf(off + strlen(off), "%s%%h%u", d ? ", " : ", {", d);
    if (*off)
        strcat(off, "}");
    if (!strcmp(c->what, "prefetch"))
        fprintf(o, "cp.async.bulk.prefetch.tensor.%ud.L2.global.%s [%%l2, {%s}]%s;\n", m->rank,
                image ? "im2col" : "tile", at, off);
    else if (!is_store(c))
        fprintf(o,
                "mbarrier.arrive.expect_tx.shared.b64 %%l6, [%%r9], %u;\n"
                "cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s "
                "[%%r1], [%%l2, {%s}], [%%r9]%s%s;\n",
                copied(m), m->rank, image ? "im2col" : "tile",
                multicast ? ".multicast::cluster" : "", at, off, multicast ? ", %h4" : "");
    else
        fprintf(o,
                "cp%s.async.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group "
                "[%%l2, {%s}], [%%r1];\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                strcmp(c->what, "store") ? ".reduce" : "", m->rank,
                strcmp(c->what, "store") ? "." : "", strcmp(c->what, "store") ? c->what : "",
                image ? "im2col_no_offs" : "tile", at);
}
static void put_kernel(FILE *o, const struct copy *c)
{
    bool waits = !is_store(c) && strcmp(c->what, "prefetch") != 0;
    fprintf(o, ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k("
               ".param .align 128 .b8 map[128], .param .u64 pi, .param .u64 pm");
    for (int d = 0; d < RANK + SPACE; d++)
        fprintf(o, ", .param .s32 c%d", d);
    fprintf(o,
            ")\n{\n.reg .b32 %%r<40>;\n.reg .b16 %%h<9>;\n.reg .b64 %%l<20>;\n.reg .pred %%p<4>;\n"
            ".shared .align 1024 .b8 s[%d];\n.shared .align 128 .b8 m[128];\n"
            ".shared .align 8 .b64 bar[1];\n"
            "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\nmov.u32 %%r9, bar;\nmov.u32 %%r8, m;\n"
            "ld.param.u64 %%l0, [pi];\nld.param.u64 %%l3, [pm];\nmov.b64 %%l2, map;\n"
            "cvta.param.u64 %%l2, %%l2;\nmov.u16 %%h4, 1;\n",
            ROOM);
    for (int d = 0; d < RANK + SPACE; d++)
        fprintf(o, "ld.param.s32 %%r%d, [c%d];\n", 10 + d, d);
    for (int d = 0; d < SPACE; d++)
        fprintf(o, "cvt.u16.u32 %%h%d, %%r%d;\n", d, 10 + RANK + d);
    hopper_put_fill(o, "F", 0, 0, ROOM);
    fprintf(o, "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra C;\nmbarrier.init.shared.b64 [%%r9], 1;\nC:\n"
               "fence.proxy.async;\nbar.sync 0;\n");
    if (c->change)
        fprintf(o,
                "setp.ge.u32 %%p3, %%r0, 32;\n@%%p3 bra X;\n%s"
                "fence.proxy.tensormap::generic.acquire.gpu [%%l3], 128;\nX:\nbar.sync 0;\n"
                "mov.u64 %%l2, %%l3;\n",
                c->change);
    fprintf(o, "mov.u32 %%r30, 0;\n@%%p1 bra D;\n");
    put_copy(o, c);
    fprintf(o, "D:\n");
    if (waits)
        fprintf(o, "E:\nmbarrier.try_wait.parity.shared.b64 %%p2, [%%r9], 0;\n@%%p2 bra V;\n"
                   "nanosleep.u32 1000;\nadd.u32 %%r30, %%r30, 1;\nsetp.lt.u32 %%p2, %%r30, 1000;\n"
                   "@%%p2 bra E;\nV:\n");
    fprintf(o,
            "bar.sync 0;\nmov.u32 %%r2, %%r0;\nG:\nsetp.ge.u32 %%p0, %%r2, %d;\n@%%p0 bra H;\n"
            "mul.wide.u32 %%l4, %%r2, 4;\nadd.u64 %%l5, %%l0, %%l4;\nshl.b32 %%r4, %%r2, 2;\n"
            "add.u32 %%r4, %%r4, %%r1;\nld.shared.b32 %%r3, [%%r4];\nst.global.b32 [%%l5], %%r3;\n"
            "add.u32 %%r2, %%r2, 128;\nbra G;\nH:\n@%%p1 bra I;\nsetp.lt.u32 %%p2, %%r30, 1000;\n"
            "selp.u32 %%r3, 1, 0, %%p2;\nst.global.b32 [%%l0+%d], %%r3;\nI:\nret;\n}\n",
            ROOM / 4, ROOM);
}

/* ---- a case ---- */
static void draw(uint64_t *state, const struct map *m, uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i += 4) {
        uint32_t x = hopper_random(state);
        if (m->type >= F16) /* no infinities, no NaN */
            x &= 0xbfffbfffu;
        memcpy(to + i, &x, 4);
    }
}
static void run(const struct copy *c, const char *name)
{
    static uint8_t image[ROOM + 4], tensor[TENSOR];
    struct hopper_map t;
    uint64_t state = 4711;
    char *ptx = NULL, result[100];
    size_t size;
    int refused = make(&c->map, &t), whole;
    if (refused) {
        snprintf(result, sizeof(result), "encode=%d", refused);
        hopper_error(name, result);
        return;
    }
    draw(&state, &c->map, tensor, sizeof(tensor));
    draw(&state, &c->map, image, sizeof(image));
    if (!is_store(c))
        memset(image, 0xa5, sizeof(image));
    hopper_need(cudaMemcpy(device_tensor, tensor, TENSOR, cudaMemcpyHostToDevice), name);
    hopper_need(cudaMemcpy(device_image, image, ROOM + 4, cudaMemcpyHostToDevice), name);
    FILE *o = open_memstream(&ptx, &size);
    put_kernel(o, c);
    fclose(o);
    int a[RANK + SPACE];
    memcpy(a, c->at, sizeof(c->at));
    memcpy(a + RANK, c->off, sizeof(c->off));
    void *args[] = {&t,    &device_image, &device_map, &a[0], &a[1], &a[2],
                    &a[3], &a[4],         &a[5],       &a[6], &a[7]};
    cudaError_t e = hopper_run(ptx, 1, args);
    free(ptx);
    if (e != cudaSuccess) {
        hopper_fault(name, e);
        return;
    }
    hopper_need(cudaMemcpy(image, device_image, ROOM + 4, cudaMemcpyDeviceToHost), name);
    hopper_need(cudaMemcpy(tensor, device_tensor, TENSOR, cudaMemcpyDeviceToHost), name);
    memcpy(&whole, image + ROOM, sizeof(whole));
    snprintf(result, sizeof(result), "%sshared=%016llx global=%016llx", whole ? "" : "incomplete ",
             (unsigned long long)hopper_hash(image, ROOM),
             (unsigned long long)hopper_hash(tensor, TENSOR));
    hopper_error(name, result);
}
static void use(const struct copy *c)
{
    char *name = NULL;
    size_t size;
    FILE *o = open_memstream(&name, &size);
    put_name(o, c);
    fclose(o);
    if (hopper_wanted(name))
        run(c, name);
    free(name);
}

/* ---- random ones ---- */
static uint32_t below(uint64_t *s, uint32_t n)
{
    return hopper_random(s) % n;
}
/* Rows of so many bytes at most, with room between them; false: too large a tensor. */
static bool lay_out(uint64_t *s, struct map *m)
{
    uint64_t unit = m->interleave == 2 ? 32 : 16;
    uint64_t pitch = m->extent[0] * (m->interleave ? unit : bytes_of[m->type]);
    for (uint32_t d = 0; d + 1 < m->rank; d++) {
        pitch = (pitch + unit - 1) / unit * unit + unit * below(s, 3);
        m->stride[d] = pitch;
        pitch *= m->extent[d + 1];
    }
    return pitch <= TENSOR;
}
static void random_tile(uint64_t *s, uint32_t interleave)
{
    struct copy c = {.what = below(s, 4) ? "load" : "store"};
    struct map *m = &c.map;
    uint32_t chunk;
    do {
        m->type = below(s, TYPES);
        m->rank = 3 + below(s, 3);
        m->interleave = interleave;
        m->swizzle = interleave == 2 && below(s, 2) ? 1 : below(s, 4);
        m->fill = m->type >= F16 && below(s, 2);
        chunk = 16 / bytes_of[m->type];
        for (uint32_t d = 0; d < m->rank; d++) {
            m->extent[d] = 1 + below(s, d ? 6 : 24);
            m->box[d] = d ? 1 + below(s, 5) : chunk * (1 + below(s, 3));
            m->step[d] = below(s, 3) ? 1 : 1 + below(s, 3);
            c.at[d] = (int)below(s, (uint32_t)m->extent[d] + 3) - 2;
            if (*c.what == 's')
                c.at[d] = c.at[d] < 0 ? 0 : c.at[d];
        }
    } while (!lay_out(s, m) || copied(m) > ROOM);
    use(&c);
}
static int within(uint64_t *s, int low, int high)
{
    return low + (int)below(s, (uint32_t)(high - low + 1));
}
static void random_image(uint64_t *s, uint32_t interleave)
{
    struct copy c = {.map.image = true, .what = below(s, 4) ? "load" : "store"};
    struct map *m = &c.map;
    bool stores = *c.what == 's';
    uint32_t chunk, first = interleave ? 0 : 1;
    do {
        m->type = below(s, TYPES);
        m->rank = 3 + below(s, 3);
        m->interleave = interleave;
        m->swizzle = interleave == 2 ? 1 : below(s, 4);
        m->fill = m->type >= F16 && below(s, 2);
        chunk = 16 / bytes_of[m->type];
        m->box[0] = chunk * (1 + below(s, m->swizzle ? 1u << (m->swizzle - 1) : 4));
        m->box[1] = 1 + below(s, 100);
        for (uint32_t d = 0; d < m->rank; d++) {
            m->extent[d] = 1 + below(s, 9);
            m->step[d] = below(s, 3) ? 1 : 1 + below(s, 3);
            c.at[d] = (int)below(s, (uint32_t)m->extent[d] + 1);
        }
        if (!interleave) {
            m->extent[0] = chunk * (1 + below(s, 6)) + (below(s, 3) ? 0 : below(s, chunk));
            c.at[0] = (int)(chunk * below(s, 5)) - (stores ? 0 : (int)chunk);
        }
        for (uint32_t d = 0; d + 2 < m->rank; d++) {
            int last = (int)m->extent[d + first] - 1;
            m->low[d] = stores ? 0 : (int)below(s, 5) - 3;
            m->high[d] = (int)below(s, stores && below(s, 8) ? 4 : 5) - 3;
            if (last + m->high[d] < m->low[d])
                m->high[d] = m->low[d] - last;
            c.at[d + first] = within(s, m->low[d], last + m->high[d]);
            c.off[d] = stores ? 0 : (int)below(s, 4);
        }
    } while (!lay_out(s, m) || copied(m) > ROOM);
    use(&c);
}

/* ---- one change to a plain one each ---- */
static struct copy plain_image(void)
{
    return (struct copy){.map = {.image = true,
                                 .type = U16,
                                 .rank = 4,
                                 .extent = {32, 7, 6, 5},
                                 .stride = {64, 448, 2688},
                                 .box = {8, 40},
                                 .step = {1, 1, 1, 1, 1},
                                 .low = {-1, -1},
                                 .high = {-1, -1}},
                         .what = "load",
                         .at = {8, 2, 3, 1},
                         .off = {1, 2}};
}
static struct copy plain_slices(uint32_t interleave)
{
    uint64_t n = 16 * interleave;
    return (struct copy){.map = {.type = U16,
                                 .rank = 4,
                                 .interleave = interleave,
                                 .extent = {20, 6, 5, 3},
                                 .stride = {n * 21, n * 21 * 6, n * 21 * 6 * 5},
                                 .box = {8, 3, 2, 2},
                                 .step = {1, 1, 1, 1, 1}},
                         .what = "load",
                         .at = {2, 1, 1, 1}};
}
#define TRY(change)                                                                                \
    do {                                                                                           \
        struct copy c = base;                                                                      \
        struct map *m = &c.map;                                                                    \
        (void)m;                                                                                   \
        change;                                                                                    \
        use(&c);                                                                                   \
    } while (0)
static void encoded_images(void)
{
    const struct copy base = plain_image();
    TRY();
    TRY(m->rank = 2);
    TRY(m->rank = 6);
    TRY(m->type = 13);
    TRY(m->shift = 8);
    TRY(m->extent[1] = 0);
    TRY(m->stride[0] = 72);
    TRY(m->stride[0] = 32);
    TRY(m->stride[1] = 1ull << 40);
    TRY(m->box[0] = 0);
    TRY(m->box[0] = 4);
    TRY(m->box[0] = 12);
    TRY(m->box[0] = 64);
    TRY(m->box[0] = 256);
    TRY(m->box[0] = 264);
    TRY(m->box[1] = 0);
    TRY(m->box[1] = 256);
    TRY(m->box[1] = 257);
    TRY(m->box[1] = 1024);
    TRY(m->box[1] = 1025);
    TRY((m->box[0] = 256, m->box[1] = 1024));
    TRY((m->box[0] = 128, m->box[1] = 1024));
    TRY((m->box[0] = 104, m->box[1] = 1024));
    TRY(m->step[0] = 0);
    TRY(m->step[0] = 9);
    TRY(m->step[1] = 0);
    TRY(m->step[1] = 8);
    TRY(m->step[1] = 9);
    TRY(m->step[3] = 9);
    TRY(m->low[0] = -128);
    TRY(m->low[0] = -129);
    TRY(m->high[1] = 127);
    TRY(m->high[1] = 128);
    TRY((m->low[0] = 3, m->high[0] = -3, c.at[1] = 3));
    TRY((m->low[0] = 4, m->high[0] = -3));
    TRY((m->low[0] = 10, m->high[0] = 10, c.at[1] = 11));
    TRY((m->swizzle = 1, m->box[0] = 24));
    TRY((m->swizzle = 3, m->box[0] = 64));
    TRY((m->swizzle = 3, m->box[0] = 72));
    TRY(m->swizzle = 4);
    TRY(m->interleave = 3);
    TRY(m->promotion = 4);
    TRY(m->fill = 1);
    TRY((m->fill = 1, m->type = F16));
}
static void used_images(void)
{
    const struct copy base = plain_image();
    TRY(c.at[1] = -2);
    TRY(c.at[1] = 6);
    TRY(c.at[2] = 5);
    TRY(c.at[2] = -2);
    TRY(c.at[3] = -1);
    TRY(c.at[3] = 5);
    TRY(c.at[0] = 4);
    TRY(c.at[0] = 32);
    TRY(c.at[0] = -8);
    TRY(c.off[0] = 255);
    TRY(c.off[0] = 256);
    TRY(c.off[0] = 300);
    TRY(c.off[1] = -1);
    TRY(c.what = "prefetch");
    TRY(c.what = "multicast");
    TRY(c.other_mode = true);
    TRY((c.what = "store", c.other_mode = true));
    TRY(c.what = "store");
    TRY((c.what = "store", m->box[1] = 3));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0));
    TRY((c.what = "store", m->low[0] = 0));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, m->high[0] = m->high[1] = 2));
    TRY((c.what = "store", m->low[0] = m->low[1] = 1));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, m->box[1] = 1, m->high[0] = 2));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, m->low[0] = -1, m->box[1] = 1));
    TRY((m->extent[3] = 1ull << 32));
    TRY((m->extent[2] = 1ull << 32, m->high[1] = -5));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, c.at[0] = -8));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, c.at[3] = -1));
    TRY((c.what = "store", m->low[0] = m->low[1] = 0, c.at[3] = 4, m->box[1] = 100));
    TRY((c.what = "add", m->type = U32, m->low[0] = m->low[1] = 0));
    TRY((c.what = "min", m->type = F16, m->low[0] = m->low[1] = 0));
    TRY((c.what = "xor", m->type = U64, m->low[0] = m->low[1] = 0));
    for (uint32_t type = 0; type < TYPES; type++) {
        TRY((m->type = type, m->box[0] = 32 / bytes_of[type], c.at[0] = 0));
        TRY((m->type = type, m->fill = type >= F16, m->box[0] = 32 / bytes_of[type],
             c.at[0] = 16 / (int)bytes_of[type], m->swizzle = 1, c.at[3] = 4));
    }
}
static void slices(uint32_t interleave)
{
    const struct copy base = plain_slices(interleave);
    TRY();
    TRY(m->rank = 2);
    TRY(m->shift = 16);
    TRY(m->stride[0] += 16);
    TRY(m->stride[1] += 16);
    TRY(m->stride[1] += 32);
    TRY(m->stride[0] = 16);
    TRY(m->box[0] = 4);
    TRY(m->box[0] = 12);
    TRY(m->box[0] = 20);
    TRY(m->box[0] = 24);
    TRY(m->box[0] = 256);
    TRY(m->box[0] = 264);
    TRY((m->box[0] = 128, m->box[1] = 50, m->box[3] = 1));
    TRY((m->box[0] = 256, m->box[1] = 50, m->box[3] = 2));
    TRY((m->box[0] = 16, m->box[2] = 256));
    TRY((m->box[0] = 16, m->box[2] = 257));
    TRY(m->step[0] = 2);
    TRY(m->step[0] = 3);
    TRY((m->step[0] = 2, m->box[0] = 24));
    TRY((m->step[0] = 8, m->box[0] = 24));
    TRY(m->step[0] = 9);
    TRY(m->step[2] = 2);
    TRY(m->step[3] = 2);
    TRY((m->swizzle = 1, m->step[0] = 2));
    for (uint32_t swizzle = 1; swizzle <= 4; swizzle++)
        TRY((m->swizzle = swizzle, m->box[0] = 16));
    TRY(c.at[0] = -3);
    TRY(c.at[2] = 4);
    TRY(c.at[2] = 5);
    TRY(c.at[2] = -1);
    TRY(c.what = "prefetch");
    TRY(c.what = "multicast");
    TRY(c.other_mode = true);
    TRY(c.what = "store");
    TRY((c.what = "store", m->step[0] = 2));
    TRY((c.what = "store", c.at[0] = -1));
    TRY((c.what = "store", c.at[0] = 16));
    TRY((c.what = "add", m->type = U32));
    TRY((c.what = "add", m->type = F32));
    TRY((c.what = "max", m->type = BF16, m->step[0] = 2));
    for (uint32_t type = 0; type < TYPES; type++) {
        TRY((m->type = type, m->box[0] = 16));
        TRY((m->type = type, m->fill = type >= F16, m->box[0] = 16, c.at[0] = 11));
    }
    /* images of slices: width, height, slices, images */
    TRY((m->image = true, m->box[0] = 256, m->box[1] = 1024));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 1000));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 1024));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, m->rank = 2));
    TRY((m->image = true, m->box[0] = 4, m->box[1] = 20));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, m->stride[0] += 16));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, m->shift = 16));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.at[0] = -1));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.at[0] = 20));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.at[2] = -1));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.at[2] = 5));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.what = "store"));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.what = "store", m->low[1] = -1));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, c.what = "store", m->high[0] = 1));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20, m->step[0] = 3));
    TRY((m->extent[1] = 1ull << 32, c.at[1] = 4));
    TRY((m->image = true, m->box[0] = 8, m->box[1] = 20));
    TRY((m->image = true, m->box[0] = 16, m->box[1] = 20));
    TRY((m->image = true, m->box[0] = 32, m->box[1] = 20));
    TRY((m->image = true, m->box[0] = 16, m->box[1] = 20, c.off[0] = 2, c.off[1] = 1));
    TRY((m->image = true, m->box[0] = 16, m->box[1] = 20, m->swizzle = 1));
}
#undef TRY

/* ---- maps that a kernel changes ---- */
#define TO_GLOBAL                                                                                  \
    "setp.ge.u32 %p2, %r0, 16;\nshl.b32 %r31, %r0, 3;\ncvt.u64.u32 %l8, %r31;\n"                   \
    "add.u64 %l9, %l2, %l8;\nadd.u64 %l10, %l3, %l8;\n@!%p2 ld.b64 %l11, [%l9];\n"                 \
    "@!%p2 st.global.b64 [%l10], %l11;\nbar.warp.sync 0xffffffff;\n"
#define TO_SHARED                                                                                  \
    "setp.ge.u32 %p2, %r0, 16;\nshl.b32 %r31, %r0, 3;\ncvt.u64.u32 %l8, %r31;\n"                   \
    "add.u64 %l9, %l2, %l8;\nadd.u32 %r32, %r8, %r31;\n@!%p2 ld.b64 %l11, [%l9];\n"                \
    "@!%p2 st.shared.b64 [%r32], %l11;\nbar.warp.sync 0xffffffff;\n"
#define LET_GO "bar.warp.sync 0xffffffff;\nfence.proxy.tensormap::generic.release.gpu;\n"
#define COPY_OUT                                                                                   \
    "bar.warp.sync 0xffffffff;\n"                                                                  \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "      \
    "[%l3], [%r8], 128;\n"
static void changed(const struct copy *base, bool shared, const char *field, const char *value)
{
    struct copy c = *base;
    char name[200], text[2000];
    bool wide = !strcmp(field, "global_address") || !strcmp(field, "global_stride");
    snprintf(name, sizeof(name), "%s %s=%s", shared ? "shared" : "global", field, value);
    snprintf(text, sizeof(text), "%s@!%%p1 tensormap.replace.tile.%s.%s.b1024.%s [%s], %s;\n%s",
             shared ? TO_SHARED : TO_GLOBAL, field, shared ? "shared::cta" : "global",
             wide ? "b64" : "b32", shared ? "%r8" : "%l3", value, shared ? COPY_OUT : LET_GO);
    c.named = name;
    c.change = text;
    use(&c);
}
static void changes(void)
{
    static const char *const rows[][2] = {
        {"rank", "3"},
        {"rank", "2"},
        {"rank", "5"},
        {"box_dim", "0, 0"},
        {"box_dim", "1, 4"},
        {"box_dim", "2, 1"},
        {"box_dim", "3, 1"},
        {"box_dim", "2, 257"},
        {"global_dim", "0, 20"},
        {"global_dim", "1, 4"},
        {"global_dim", "2, 3"},
        {"global_dim", "2, 0"},
        {"global_dim", "3, 2"},
        {"global_stride", "0, 192"},
        {"global_stride", "0, 72"},
        {"global_stride", "1, 4096"},
        {"global_stride", "2, 16384"},
        {"element_stride", "0, 2"},
        {"element_stride", "1, 2"},
        {"element_stride", "2, 3"},
        {"element_stride", "2, 9"},
        {"element_stride", "1, 0"},
        {"elemtype", "0"},
        {"elemtype", "2"},
        {"elemtype", "6"},
        {"elemtype", "8"},
        {"elemtype", "10"},
        {"elemtype", "11"},
        {"elemtype", "12"},
        {"interleave_layout", "0"},
        {"interleave_layout", "2"},
        {"swizzle_mode", "1"},
        {"swizzle_mode", "2"},
        {"swizzle_mode", "3"},
        {"fill_mode", "0"},
        {"fill_mode", "1"},
    };
    struct copy base = {.map = {.type = F32,
                                .rank = 4,
                                .extent = {24, 9, 6, 3},
                                .stride = {112, 1120, 8960},
                                .box = {8, 5, 3, 2},
                                .step = {1, 1, 1, 1, 1}},
                        .what = "load",
                        .at = {4, 2, 2, 1}};
    base.change = TO_GLOBAL LET_GO;
    base.named = "global";
    use(&base);
    base.change = TO_SHARED COPY_OUT;
    base.named = "shared";
    use(&base);
    for (int shared = 0; shared < 2; shared++) {
        for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
            changed(&base, shared, rows[k][0], rows[k][1]);
        base.at[0] = 20; /* over the edge */
        changed(&base, shared, "fill_mode", "1");
        changed(&base, shared, "global_dim", "0, 22");
        base.at[0] = 4;
    }
    base.named = "address";
    base.change = TO_SHARED "cvta.to.global.u64 %l12, %l0;\n@!%p1 "
                            "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r8], "
                            "%l12;\n" COPY_OUT;
    use(&base);
    base.named = "generic";
    base.change = TO_GLOBAL "mov.u32 %r33, 7;\n@!%p1 tensormap.replace.tile.global_dim.b1024.b32 "
                            "[%l3], 1, %r33;\n" LET_GO;
    use(&base);
    base = plain_image();
    base.named = "dim";
    base.change = TO_SHARED "mov.u32 %r33, 4;\n@!%p1 "
                            "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r8], 1, "
                            "%r33;\n" COPY_OUT;
    use(&base);
    base = plain_slices(1);
    base.named = "dim";
    base.change =
        TO_GLOBAL "@!%p1 tensormap.replace.tile.global_dim.global.b1024.b32 [%l3], 1, 3;\n" LET_GO;
    use(&base);
}

static void *entry(const char *name)
{
    enum cudaDriverEntryPointQueryResult found;
    void *f;
    hopper_need(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found), name);
    return f;
}
void maps_cases(void)
{
    uint64_t state = 1123;
    hopper_need(cudaMalloc((void **)&device_tensor, TENSOR), "cudaMalloc");
    hopper_need(cudaMalloc((void **)&device_image, TENSOR), "cudaMalloc");
    hopper_need(cudaMemset(device_image, 0x5a, TENSOR), "cudaMemset");
    hopper_need(cudaMalloc((void **)&device_map, sizeof(struct hopper_map)), "cudaMalloc");
    encode_tiles = (tiles *)entry("cuTensorMapEncodeTiled");
    encode_images = (images *)entry("cuTensorMapEncodeIm2col");
    encoded_images();
    used_images();
    slices(1);
    slices(2);
    for (int k = 0; k < 240; k++)
        random_image(&state, k < 150 ? 0 : 1 + (uint32_t)k % 2);
    for (int k = 0; k < 150; k++)
        random_tile(&state, 1 + (uint32_t)k % 2);
    changes();
}
