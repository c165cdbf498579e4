/* hopper_tensor.c - copies of tiles by tensor maps: every type and rank, inside and over each edge,
 * swizzles, steps, fills, reductions, and which maps are refused.
 *
 * The map is made by cuTensorMapEncodeTiled, as the runtime hands it out. What shared and global
 * memory hold in the end is hashed whole, so that a byte too much shows, too.
 */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

#define ROOM   32768     /* bytes of shared memory */
#define TENSOR (1 << 20) /* of global memory */
#define RANK   5

static const uint32_t bytes_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const char *const names[] = {"u8",      "u16", "u32", "s32",  "u64",    "s64",
                                    "f16",     "f32", "f64", "bf16", "f32ftz", "tf32",
                                    "tf32ftz", "t13", "t14", "t15",  "t16"};
enum { U32 = 2, S32, U64, S64, F16, F32, F64, BF16, F32FTZ, TYPES = 13 };

struct map {
    uint32_t type, rank, interleave, swizzle, promotion, fill, shift;
    uint64_t extent[RANK], stride[RANK];
    uint32_t box[RANK], step[RANK];
};
typedef int encoder(struct hopper_map *, uint32_t, uint32_t, void *, const uint64_t *,
                    const uint64_t *, const uint32_t *, const uint32_t *, uint32_t, uint32_t,
                    uint32_t, uint32_t);
static encoder *encode;
static uint8_t *device_tensor, *device_image;

static int make(const struct map *m, struct hopper_map *t)
{
    memset(t, 0, sizeof(*t));
    return encode(t, m->type, m->rank, device_tensor + m->shift, m->extent, m->stride, m->box,
                  m->step, m->interleave, m->swizzle, m->promotion, m->fill);
}
static void put_list(FILE *o, const char *name, const uint64_t *v, uint32_t n)
{
    fprintf(o, " %s=", name);
    for (uint32_t k = 0; k < n; k++)
        fprintf(o, "%s%llu", k ? "x" : "", (unsigned long long)v[k]);
}
static void put_map(FILE *o, const struct map *m)
{
    uint64_t box[RANK], step[RANK];
    uint32_t n = m->rank < RANK ? m->rank : RANK;
    for (uint32_t d = 0; d < RANK; d++) {
        box[d] = m->box[d];
        step[d] = m->step[d];
    }
    fprintf(o, "%s rank=%u il=%u sw=%u pr=%u fill=%u shift=%u", names[m->type], m->rank,
            m->interleave, m->swizzle, m->promotion, m->fill, m->shift);
    put_list(o, "dim", m->extent, n);
    put_list(o, "stride", m->stride, n ? n - 1 : 0);
    put_list(o, "box", box, n);
    put_list(o, "step", step, n);
}

/* ---- the kernel ---- */
static uint32_t tile_bytes(const struct map *m)
{
    uint32_t n = bytes_of[m->type];
    for (uint32_t d = 0; d < m->rank; d++)
        n *= (m->box[d] + m->step[d] - 1) / m->step[d];
    return n;
}
static void put_copy(FILE *o, const struct map *m, const char *what)
{
    char at[64] = "%r10";
    for (uint32_t d = 1; d < m->rank; d++)
        sprintf(at + strlen(at), ", %%r%u", 10 + d);
    if (!strcmp(what, "load"))
        fprintf(o,
                "mbarrier.arrive.expect_tx.shared.b64 %%l6, [%%r9], %u;\n"
                "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                "[%%r5], [%%l2, {%s}], [%%r9];\n",
                tile_bytes(m), m->rank, at);
    else if (!strcmp(what, "store"))
        fprintf(o, "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [%%l2, {%s}], ",
                m->rank, at);
    else
        fprintf(o,
                "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.tile.bulk_group "
                "[%%l2, {%s}], ",
                m->rank, what, at);
    if (strcmp(what, "load") != 0)
        fprintf(o, "[%%r5];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
}
static void put_kernel(FILE *o, const struct map *m, const char *what, uint32_t offset)
{
    fprintf(o, ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k("
               ".param .align 128 .b8 map[128], .param .u64 pi");
    for (int d = 0; d < RANK; d++)
        fprintf(o, ", .param .s32 c%d", d);
    fprintf(o,
            ")\n{\n.reg .b32 %%r<20>;\n.reg .b64 %%l<20>;\n.reg .pred %%p<4>;\n"
            ".shared .align 1024 .b8 s[%d];\n.shared .align 8 .b64 bar[2];\n"
            "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\nmov.u32 %%r9, bar;\n"
            "ld.param.u64 %%l0, [pi];\nmov.b64 %%l2, map;\ncvta.param.u64 %%l2, %%l2;\n",
            ROOM);
    for (int d = 0; d < RANK; d++)
        fprintf(o, "ld.param.s32 %%r%d, [c%d];\n", 10 + d, d);
    hopper_put_fill(o, "F", 0, 0, ROOM);
    fprintf(o,
            "setp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra C;\nmbarrier.init.shared.b64 [%%r9], 1;\nC:\n"
            "fence.proxy.async;\nbar.sync 0;\n@%%p1 bra D;\nadd.u32 %%r5, %%r1, %u;\n",
            offset);
    put_copy(o, m, what);
    fprintf(o, "D:\n");
    if (!strcmp(what, "load"))
        fprintf(o, "E:\nmbarrier.try_wait.parity.shared.b64 %%p2, [%%r9], 0;\n@!%%p2 bra E;\n");
    fprintf(o,
            "bar.sync 0;\nmov.u32 %%r2, %%r0;\nG:\nsetp.ge.u32 %%p0, %%r2, %d;\n@%%p0 bra H;\n"
            "mul.wide.u32 %%l4, %%r2, 4;\nadd.u64 %%l5, %%l0, %%l4;\nshl.b32 %%r4, %%r2, 2;\n"
            "add.u32 %%r4, %%r4, %%r1;\nld.shared.b32 %%r3, [%%r4];\nst.global.b32 [%%l5], %%r3;\n"
            "add.u32 %%r2, %%r2, 128;\nbra G;\nH:\nret;\n}\n",
            ROOM / 4);
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
static void run(const struct map *m, const char *what, const int *at, uint32_t offset,
                const char *name)
{
    static uint8_t image[ROOM], tensor[TENSOR];
    struct hopper_map t;
    uint64_t state = 4711;
    char *ptx = NULL, result[100];
    size_t size;
    int c[RANK], refused = make(m, &t);
    if (refused) {
        snprintf(result, sizeof(result), "encode=%d", refused);
        hopper_error(name, result);
        return;
    }
    draw(&state, m, tensor, sizeof(tensor));
    draw(&state, m, image, sizeof(image));
    if (!strcmp(what, "load"))
        memset(image, 0xa5, sizeof(image));
    hopper_need(cudaMemcpy(device_tensor, tensor, TENSOR, cudaMemcpyHostToDevice), name);
    hopper_need(cudaMemcpy(device_image, image, ROOM, cudaMemcpyHostToDevice), name);
    FILE *o = open_memstream(&ptx, &size);
    put_kernel(o, m, what, offset);
    fclose(o);
    memcpy(c, at, sizeof(c));
    void *args[] = {&t, &device_image, &c[0], &c[1], &c[2], &c[3], &c[4]};
    cudaError_t e = hopper_run(ptx, 1, args);
    free(ptx);
    hopper_need(e, name);
    hopper_need(cudaMemcpy(image, device_image, ROOM, cudaMemcpyDeviceToHost), name);
    hopper_need(cudaMemcpy(tensor, device_tensor, TENSOR, cudaMemcpyDeviceToHost), name);
    snprintf(result, sizeof(result), "shared=%016llx global=%016llx",
             (unsigned long long)hopper_hash(image, ROOM),
             (unsigned long long)hopper_hash(tensor, TENSOR));
    hopper_error(name, result);
}
static void use(const struct map *m, const char *what, const int at[RANK], uint32_t offset)
{
    char *name = NULL;
    size_t size;
    FILE *o = open_memstream(&name, &size);
    fprintf(o, "%s ", what);
    put_map(o, m);
    fprintf(o, " at=%d,%d,%d,%d,%d off=%u", at[0], at[1], at[2], at[3], at[4], offset);
    fclose(o);
    if (hopper_wanted(name))
        run(m, what, at, offset, name);
    free(name);
}
static struct map map_of(uint32_t type, uint32_t rank, const uint32_t *box, const uint64_t *extent)
{
    struct map m = {.type = type, .rank = rank};
    uint64_t pitch = bytes_of[type];
    for (uint32_t d = 0; d < rank; d++) {
        m.extent[d] = extent[d];
        m.box[d] = box[d];
        m.step[d] = 1;
        pitch = (pitch * extent[d] + 15) / 16 * 16;
        m.stride[d] = pitch;
    }
    return m;
}

void hopper_tile(struct hopper_map *t, void *at, const uint64_t extent[2], const uint32_t box[2])
{
    const uint32_t step[2] = {1, 1};
    const uint64_t stride = 4 * extent[0];
    memset(t, 0, sizeof(*t));
    hopper_need(encode(t, U32, 2, at, extent, &stride, box, step, 0, 0, 0, 0)
                    ? cudaErrorInvalidValue
                    : cudaSuccess,
                "a map of a tile");
}

/* ---- which ---- */
static void places(uint32_t type, uint32_t rank)
{
    int q = (int)(16 / bytes_of[type]);
    uint32_t wide = 32 / bytes_of[type];
    const uint32_t box[RANK] = {wide < 4 ? 4 : wide, 4, 3, 2, 2};
    const int in[RANK] = {q, 2, 1, 1, 1}, low[RANK] = {-q, -1, -1, -1, -1};
    const int high[RANK] = {39 / q * q, 9, 4, 4, 3}, far[RANK] = {-1000 * q, 5000, 2, 2, 2};
    const int mid[RANK] = {2 * q, -2, 5, 0, 3};
    struct map m = map_of(type, rank, box, (const uint64_t[]){40, 11, 6, 5, 4});
    use(&m, "load", in, 0);
    use(&m, "load", low, 128);
    use(&m, "load", high, 0);
    use(&m, "load", far, 1024);
    use(&m, "load", mid, 256);
    use(&m, "store", in, 128);
    use(&m, "store", high, 0);
    if (type >= F16) {
        m.fill = 1;
        use(&m, "load", high, 0);
        use(&m, "load", low, 0);
    }
}
static void swizzles(uint32_t swizzle)
{
    for (uint32_t bytes = 16; bytes <= 128; bytes += 16)
        for (uint32_t offset = 0; offset < 1024; offset += 128) {
            const uint32_t box[] = {bytes / 2, 10, 3};
            struct map m = map_of(F16, 3, box, (const uint64_t[]){128, 20, 6});
            const int at[RANK] = {8, 5, 2};
            m.swizzle = swizzle;
            if (offset && bytes != 32 && bytes != 64 && bytes != 128)
                continue;
            use(&m, "load", at, offset);
            if (offset == 0 || offset == 384)
                use(&m, "store", at, offset);
        }
}
static void steps(uint32_t rank, uint32_t step)
{
    const int at[RANK] = {4, 3, 1}, high[RANK] = {52, 16, 7}, low[RANK] = {-4, -2, -1};
    struct map m = map_of(U32, rank, (const uint32_t[]){32, 7, 4}, (const uint64_t[]){70, 20, 9});
    m.step[1] = m.step[2] = step;
    use(&m, "load", at, 0);
    use(&m, "load", high, 0);
    use(&m, "load", low, 0);
    use(&m, "store", at, 0);
}
static void reductions(uint32_t type)
{
    static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const uint8_t has[TYPES] = {/* a bit an operation */
                                       [U32] = 0xff, [S32] = 0xe7, [U64] = 0xe7,  [S64] = 0x06,
                                       [F16] = 0x07, [F32] = 0x01, [BF16] = 0x07, [F32FTZ] = 0x01};
    const uint32_t box[] = {64 / bytes_of[type], 5};
    struct map m = map_of(type, 2, box, (const uint64_t[]){40, 11});
    const int at[RANK] = {(int)(16 / bytes_of[type]), 8};
    for (int k = 0; k < 8; k++)
        if (has[type] >> k & 1)
            use(&m, ops[k], at, 0);
}
/* ---- what the encoder says ---- */
static void try(const char *words, struct map m)
{
    struct hopper_map t;
    char name[100], result[20];
    snprintf(name, sizeof(name), "encode %s", words);
    snprintf(result, sizeof(result), "%d", make(&m, &t));
    if (hopper_wanted(name))
        hopper_error(name, result);
}
static void refusals(void)
{
    const struct map base =
        map_of(U32, 3, (const uint32_t[]){32, 8, 2}, (const uint64_t[]){64, 32, 8});
    struct map m;
#define TRY(words, change)                                                                         \
    m = base;                                                                                      \
    change;                                                                                        \
    try(words, m);
    TRY("as it is", )
    TRY("rank 0", m.rank = 0)
    TRY("rank 6", m.rank = 6)
    TRY("type 13", m.type = 13)
    TRY("type 16", m.type = 16)
    TRY("address", m.shift = 4)
    TRY("address 16", m.shift = 16)
    TRY("dim 0", m.extent[0] = 0)
    TRY("dim 2^32", m.extent[1] = 1ull << 32)
    TRY("dim 2^32+1", m.extent[1] = (1ull << 32) + 1)
    TRY("stride 8", m.stride[0] = 8)
    TRY("stride 24", m.stride[0] = 24)
    TRY("stride 0", m.stride[0] = 0)
    TRY("stride 16", m.stride[0] = 16)
    TRY("stride 2^40", m.stride[1] = 1ull << 40)
    TRY("stride 2^40-16", m.stride[1] = (1ull << 40) - 16)
    TRY("stride less than a row", m.stride[0] = 240)
    TRY("stride less than a plane", m.stride[1] = 32)
    TRY("box 0", m.box[0] = 0)
    TRY("box 257", m.box[0] = 257)
    TRY("box 256", m.box[0] = 256)
    TRY("box 12 bytes", m.box[0] = 3)
    TRY("box 20 bytes", m.box[0] = 5)
    TRY("box 1 257", m.box[1] = 257)
    TRY("box larger than the tensor", m.box[1] = 100)
    TRY("box 256x256x2", m.box[0] = m.box[1] = 256)
    TRY("box 256^3", m.box[0] = m.box[1] = m.box[2] = 256)
    TRY("step 0", m.step[0] = 0)
    TRY("step 9", m.step[0] = 9)
    TRY("step 8", m.step[0] = 8)
    TRY("step 1 9", m.step[1] = 9)
    TRY("step 1 0", m.step[1] = 0)
    TRY("step 3", m.step[0] = 3)
    TRY("sw 32 of 128 bytes", m.swizzle = 1)
    TRY("sw 64 of 128 bytes", m.swizzle = 2)
    TRY("sw 128 of 128 bytes", m.swizzle = 3)
    TRY("sw 128 of 256 bytes", (m.swizzle = 3, m.box[0] = 64))
    TRY("sw 4", m.swizzle = 4)
    TRY("sw 7", m.swizzle = 7)
    TRY("il 3", m.interleave = 3)
    TRY("il 1 rank 2", (m.interleave = 1, m.rank = 2))
    TRY("promotion 3", m.promotion = 3)
    TRY("promotion 4", m.promotion = 4)
    TRY("fill of integers", m.fill = 1)
    TRY("fill 2", m.fill = 2)
    TRY("fill of floats", (m.fill = 1, m.type = F32))
#undef TRY
}
void tensor_cases(void)
{
    enum cudaDriverEntryPointQueryResult found;
    hopper_need(cudaMalloc((void **)&device_tensor, TENSOR), "cudaMalloc");
    hopper_need(cudaMalloc((void **)&device_image, ROOM), "cudaMalloc");
    hopper_need(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                                 cudaEnableDefault, &found),
                "cuTensorMapEncodeTiled");
    for (uint32_t type = 0; type < TYPES; type++) {
        for (uint32_t rank = 1; rank <= RANK; rank++)
            places(type, rank);
        reductions(type);
    }
    for (uint32_t swizzle = 1; swizzle <= 6; swizzle++)
        swizzles(swizzle);
    for (uint32_t rank = 1; rank <= 3; rank++)
        for (uint32_t step = 1; step <= 3; step++)
            steps(rank, step);
    refusals();
}
