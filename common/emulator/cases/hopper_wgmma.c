/* hopper_wgmma.c - every form of wgmma.mma_async, on random factors in shared memory.
 *
 * The whole of what shared memory holds is random elements, so that a factor read from a wrong
 * place shows, whatever the layout. `spread` is how far exponents lie apart: what is cut off.
 */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

#define A_BYTES   16384
#define B_BYTES   32768
#define THREADS   128
#define SUM_BYTES (THREADS * 128 * 4)

enum type { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1, NTYPES };
static const char *const names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"};
static const uint32_t bits[] = {16, 16, 32, 8, 8, 8, 8, 1};
enum swizzle { NONE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32 };

struct factor {
    enum type type;
    enum swizzle swizzle;
    bool transposed, negative;
    uint32_t start, lead, stride; /* bytes */
};
struct form {
    struct factor a, b;
    const char *sum;
    uint32_t n, spread;
    bool from_registers, adds, saturates;
};
static void *device_a, *device_b, *device_c, *device_d;

/* ---- random numbers ---- */
static uint32_t below(uint64_t *state, uint32_t n)
{
    return hopper_random(state) % n;
}
/* An element of a factor, little-endian, in elements of 1, 2 or 4 bytes. */
static uint32_t element(uint64_t *state, enum type t, uint32_t spread)
{
    uint32_t x = hopper_random(state);
    switch (t) {
    case F16: {
        uint32_t e = spread == 3 ? below(state, 31) : 15 + below(state, 2 * spread + 1) - spread;
        return below(state, 16) ? (x & 0x83ff) | e << 10 : 0;
    }
    case BF16:
        x = (x & 0x807f) | (127 + below(state, 4 * spread + 1) - 2 * spread) << 7;
        return below(state, 16) ? x : 0;
    case TF32:
        return (x & 0x807fffff) | (127 + below(state, 4 * spread + 1) - 2 * spread) << 23;
    case E4M3:
        x = spread == 1 ? (x & 0x87) | (6 + below(state, 3)) << 3 : x & 0xff;
        return (x & 0x7f) == 0x7f ? 0x38 : x;
    case E5M2:
        x = spread == 1 ? (x & 0x83) | (14 + below(state, 3)) << 2 : x & 0xff;
        return (x & 0x7c) == 0x7c ? 0x3c : x;
    default:
        return x & 0xff;
    }
}
static void fill_factor(uint64_t *state, const struct factor *f, uint32_t spread, uint8_t *to,
                        uint32_t size)
{
    uint32_t each = bits[f->type] < 8 ? 1 : bits[f->type] / 8;
    for (uint32_t at = 0; at < size; at += each) {
        uint32_t x = element(state, f->type, spread);
        memcpy(to + at, &x, each);
    }
}
static uint32_t addend(uint64_t *state, const struct form *f)
{
    uint32_t x = hopper_random(state);
    if (f->sum[0] == 's')
        return f->saturates ? x : x >> 8;
    if (!strcmp(f->sum, "f16")) {
        uint32_t low = (x & 0x83ff) | (13 + below(state, 5)) << 10;
        return low | ((x >> 16 & 0x83ff) | (13 + below(state, 5)) << 10) << 16;
    }
    x = (x & 0x807fffff) | (127 + below(state, 8 * f->spread + 1) - 4 * f->spread) << 23;
    return below(state, 8) ? x : 0;
}

/* ---- the kernel ---- */
static uint32_t sums(const struct form *f) /* registers a thread */
{
    return f->n / (strcmp(f->sum, "f16") ? 2 : 4);
}
static uint64_t descriptor(const struct factor *f)
{
    return (uint64_t)(f->lead >> 4) << 16 | (uint64_t)(f->stride >> 4) << 32 |
           (uint64_t)f->swizzle << 62;
}
static void put_descriptor(FILE *o, int to, uint32_t at, const struct factor *f)
{
    fprintf(o, "add.u32 %%r5, %%r1, %u;\nshr.u32 %%r5, %%r5, 4;\ncvt.u64.u32 %%l%d, %%r5;\n",
            at + f->start, to);
    fprintf(o, "or.b64 %%l%d, %%l%d, %llu;\n", to, to, (unsigned long long)descriptor(f));
}
static void put_product(FILE *o, const struct form *f)
{
    enum type t = f->a.type;
    fprintf(o, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s%s {", f->n, 256 / bits[t], f->sum,
            names[t], names[f->b.type], t == B1 ? ".and.popc" : "",
            f->saturates ? ".satfinite" : "");
    for (uint32_t i = 0; i < sums(f); i++)
        fprintf(o, "%s%%d%u", i ? ", " : "", i);
    fprintf(o, "}, %s, %%l9, %%p1", f->from_registers ? "{%a0, %a1, %a2, %a3}" : "%l8");
    if (f->sum[0] != 's')
        fprintf(o, ", %d, %d", f->a.negative ? -1 : 1, f->b.negative ? -1 : 1);
    if (bits[t] == 16 && !f->from_registers)
        fprintf(o, ", %d", f->a.transposed);
    if (bits[t] == 16)
        fprintf(o, ", %d", f->b.transposed);
    fprintf(o, ";\n");
}
static void put_kernel(FILE *o, const struct form *f)
{
    uint32_t n = sums(f);
    fprintf(o,
            ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pa, "
            ".param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n.reg .b32 %%r<20>;\n"
            ".reg .b64 %%l<20>;\n.reg .pred %%p<4>;\n.reg .b32 %%d<%u>;\n.reg .b32 %%a<4>;\n"
            ".shared .align 1024 .b8 s[%d];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\n"
            "ld.param.u64 %%l0, [pa];\nld.param.u64 %%l1, [pb];\nld.param.u64 %%l2, [pc];\n"
            "ld.param.u64 %%l3, [pd];\n",
            n, A_BYTES + B_BYTES);
    hopper_put_fill(o, "A", 0, 0, A_BYTES);
    hopper_put_fill(o, "B", 1, A_BYTES, B_BYTES);
    fprintf(o,
            "fence.proxy.async;\nbar.sync 0;\nmul.wide.u32 %%l4, %%r0, %u;\n"
            "add.u64 %%l5, %%l2, %%l4;\nadd.u64 %%l6, %%l3, %%l4;\n",
            n * 4);
    for (uint32_t i = 0; i < n; i++)
        fprintf(o, "ld.global.b32 %%d%u, [%%l5+%u];\n", i, 4 * i);
    fprintf(o, "mul.wide.u32 %%l7, %%r0, 16;\nadd.u64 %%l7, %%l7, %%l0;\n");
    for (uint32_t i = 0; i < 4; i++)
        fprintf(o, "ld.global.b32 %%a%u, [%%l7+%u];\n", i, 4 * i);
    put_descriptor(o, 8, 0, &f->a);
    put_descriptor(o, 9, A_BYTES, &f->b);
    fprintf(o, "setp.ne.u32 %%p1, %d, 0;\nwgmma.fence.sync.aligned;\n", f->adds);
    put_product(o, f);
    fprintf(o, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (uint32_t i = 0; i < n; i++)
        fprintf(o, "st.global.b32 [%%l6+%u], %%d%u;\n", 4 * i, i);
    fprintf(o, "ret;\n}\n");
}

/* ---- a case ---- */
static void put_factor(FILE *o, const char *name, const struct factor *f)
{
    fprintf(o, " %s=%d%s%s+%u,%u,%u", name, f->swizzle, f->transposed ? "t" : "",
            f->negative ? "-" : "", f->start, f->lead, f->stride);
}
static char *name_of(const struct form *f)
{
    char *name = NULL;
    size_t size;
    FILE *o = open_memstream(&name, &size);
    fprintf(o, "wgmma m64n%uk%u %s %s %s", f->n, 256 / bits[f->a.type], f->sum, names[f->a.type],
            names[f->b.type]);
    if (f->from_registers)
        fprintf(o, " a=r");
    else
        put_factor(o, "a", &f->a);
    put_factor(o, "b", &f->b);
    fprintf(o, " spread=%u%s%s", f->spread, f->adds ? "" : " new", f->saturates ? " sat" : "");
    fclose(o);
    return name;
}
static void send(void *to, const void *from, size_t n)
{
    hopper_need(cudaMemcpy(to, from, n, cudaMemcpyHostToDevice), "cudaMemcpy");
}
static void run(const struct form *f, const char *name)
{
    static uint8_t a[A_BYTES], b[B_BYTES], d[SUM_BYTES];
    static uint32_t c[SUM_BYTES / 4];
    uint64_t state = hopper_hash(name, strlen(name));
    char *ptx = NULL;
    size_t size, n = (size_t)THREADS * sums(f);
    FILE *o = open_memstream(&ptx, &size);
    put_kernel(o, f);
    fclose(o);
    fill_factor(&state, &f->a, f->spread, a, sizeof(a));
    fill_factor(&state, &f->b, f->spread, b, sizeof(b));
    for (size_t i = 0; i < n; i++)
        c[i] = addend(&state, f);
    send(device_a, a, sizeof(a));
    send(device_b, b, sizeof(b));
    send(device_c, c, n * 4);
    void *args[] = {&device_a, &device_b, &device_c, &device_d};
    cudaError_t e = hopper_run(ptx, 1, args);
    free(ptx);
    hopper_need(e, name);
    hopper_need(cudaMemcpy(d, device_d, n * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    hopper_result(name, hopper_hash(d, n * 4));
}
/* Offsets as the layout allows them: of `rows` rows, drawn. */
static void place(uint64_t *state, struct factor *f, uint32_t rows)
{
    static const uint32_t widths[] = {16, 128, 64, 32};
    uint32_t width = widths[f->swizzle], atom = 8 * width, groups = rows / 8;
    bool other = below(state, 2);
    if (f->swizzle == NONE) {
        uint32_t near = 128 * (1 + below(state, 2)), far = near * groups;
        f->start = 16 * below(state, 8);
        f->stride = f->transposed || other ? near : 256;
        f->lead = f->transposed ? (far < 8192 ? far : 8192) : other ? far : 128;
    } else if (f->transposed) {
        uint32_t atoms = rows * 2 / width;
        f->stride = other || !atoms ? atom : atom * atoms;
        f->lead = other ? 2 * atom : atom;
    } else {
        f->stride = atom;
        f->start = 32 * below(state, width / 32);
        f->lead = 16 * below(state, 4); /* not looked at */
    }
}
static void try(struct form f)
{
    uint64_t state = 4711 + f.n;
    if (!f.from_registers)
        place(&state, &f.a, 64);
    place(&state, &f.b, f.n);
    char *name = name_of(&f);
    if (hopper_wanted(name))
        run(&f, name);
    free(name);
}
static struct form of(enum type a, enum type b, const char *sum, uint32_t n)
{
    struct form f = {.sum = sum, .n = n, .spread = 2, .adds = true};
    f.a.type = a;
    f.b.type = b;
    f.a.swizzle = f.b.swizzle = SWIZZLE_128;
    return f;
}
static const char *usual_sum(enum type t)
{
    return t >= S8 ? "s32" : "f32";
}

/* ---- which ---- */
static void types(enum type t)
{
    for (uint32_t k = 0; k < 12; k++) {
        struct form f = of(t, t, usual_sum(t), 8 << (k & 1));
        f.spread = 1 + k / 4;
        f.from_registers = k >> 1 & 1;
        try(f);
        f.saturates = t == S8 || t == U8;
        f.sum = t == F16 || t == E4M3 || t == E5M2 ? "f16" : f.sum;
        if (f.saturates || !strcmp(f.sum, "f16"))
            try(f);
    }
}
static void pairs(void)
{
    const struct form mixed[] = {of(E4M3, E5M2, "f32", 16), of(E5M2, E4M3, "f32", 16),
                                 of(E4M3, E5M2, "f16", 16), of(S8, U8, "s32", 16),
                                 of(U8, S8, "s32", 16)};
    for (size_t k = 0; k < 2 * sizeof(mixed) / sizeof(mixed[0]); k++) {
        struct form f = mixed[k / 2];
        f.from_registers = k & 1;
        f.b.swizzle = SWIZZLE_32;
        try(f);
    }
}
static void widths(enum type t)
{
    for (uint32_t n = 8; n <= 256; n += t >= S8 && n >= 32 ? 16 : 8) {
        struct form f = of(t, t, usual_sum(t), n);
        f.a.swizzle = SWIZZLE_32;
        try(f);
        f.sum = "f16";
        if (t == F16 && n % 56 == 8)
            try(f);
    }
}
static void layouts(enum type t)
{
    for (uint32_t k = 0; k < 64; k++)
        for (uint32_t n = 16; n <= 256; n += 48) {
            struct form f = of(t, t, "f32", n);
            f.a.swizzle = (enum swizzle)(k & 3);
            f.b.swizzle = (enum swizzle)(k >> 2 & 3);
            f.a.transposed = k >> 4 & 1;
            f.b.transposed = k >> 5;
            uint32_t whole = f.b.swizzle == SWIZZLE_128 ? 64 : f.b.swizzle == SWIZZLE_64 ? 32 : 16;
            bool turned = f.a.transposed || f.b.transposed;
            if ((turned && t == TF32) || (f.b.transposed && n % whole))
                continue;
            try(f);
        }
}
static void signs(void)
{
    for (uint32_t k = 0; k < 16; k++) {
        struct form f = of(k & 1 ? BF16 : F16, k & 1 ? BF16 : F16, "f32", 24);
        f.from_registers = k & 1;
        f.adds = k >> 1 & 1;
        f.a.negative = k >> 2 & 1;
        f.b.negative = k >> 3;
        try(f);
    }
    for (enum type t = 0; t < NTYPES; t++) {
        struct form f = of(t, t, usual_sum(t), 8);
        f.adds = false;
        f.a.negative = t < S8;
        try(f);
    }
}
void wgmma_cases(void)
{
    hopper_need(cudaMalloc(&device_a, A_BYTES), "cudaMalloc");
    hopper_need(cudaMalloc(&device_b, B_BYTES), "cudaMalloc");
    hopper_need(cudaMalloc(&device_c, SUM_BYTES), "cudaMalloc");
    hopper_need(cudaMalloc(&device_d, SUM_BYTES), "cudaMalloc");
    for (enum type t = 0; t < NTYPES; t++) {
        types(t);
        widths(t);
    }
    pairs();
    layouts(F16);
    layouts(BF16);
    layouts(TF32);
    signs();
}
