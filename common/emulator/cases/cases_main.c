/* cases_main.c - runs the instruction cases of cases/ops.txt through the CUDA runtime.
 *
 *   ptxcases OPS --write FILE   run and keep the results (on a GPU: the expected data)
 *   ptxcases OPS --check FILE   run and compare with FILE
 *   ptxcases OPS --print NAME   the PTX of the cases of one instruction, or of all
 *   ptxcases OPS --covers FILE  are there cases of all opcodes that FILE lists, and of each row
 *                               of ptx/opcodes.def the one that it names?
 *   --only TEXT                 the cases whose name contains TEXT
 *
 * A plain runtime-API program: the same binary runs on a GPU and on the emulator, by
 * library path. FILE is zstd-compressed: per case a line "name bytes status" and the raw
 * results. A row that the device refuses is wrong, and fails; one that needs a newer device
 * (sm=) is skipped.
 */
#include <ctype.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define THREADS     512
#define PARAM_BYTES 32
#define MAX_SOURCES 4

struct row {
    char name[128];                  /* the instruction */
    char types[MAX_SOURCES + 1][16]; /* destination, sources; "" for none, "#text" as it is */
    int ntypes;
    char decl[1024], body[3072]; /* PTX of its own: at module level, in the kernel */
    double near, abs, range;
    int sm;
};

static struct row *rows;
static size_t nrows;

/* ---- the table ---- */
static void fail(const char *what, const char *which)
{
    fprintf(stderr, "ptxcases: %s: %s\n", what, which);
    exit(2);
}
static const char *const type_names[] = {"b8",    "u8",    "s8",   "b16",    "u16",   "s16",
                                         "f16",   "bf16",  "b32",  "u32",    "s32",   "f32",
                                         "b64",   "u64",   "s64",  "f64",    "f16x2", "bf16x2",
                                         "u16x2", "s16x2", "tf32", "e4m3x2", "e5m2x2"};

static bool is_type(const char *s)
{
    for (size_t k = 0; k < sizeof(type_names) / sizeof(type_names[0]); k++)
        if (!strcmp(type_names[k], s))
            return true;
    return false;
}
/* first (or last) type among the suffixes of name */
static void suffix_type(const char *name, bool last, char *out)
{
    char copy[128], *save;
    snprintf(copy, sizeof(copy), "%s", name);
    out[0] = 0;
    for (char *t = strtok_r(copy, ".", &save); t; t = strtok_r(NULL, ".", &save))
        if (is_type(t) && (last || !out[0]))
            snprintf(out, 16, "%s", t);
}
static int bits_of(const char *t)
{
    if (!strcmp(t, "p"))
        return 32;
    if (strstr(t, "x2"))
        return t[0] == 'e' ? 16 : 32;
    if (!strcmp(t, "tf32"))
        return 32;
    const char *d = strpbrk(t, "0123456789");
    return d ? atoi(d) : 0;
}
static void resolve(const char *name, const char *spec, char *out)
{
    if (!strcmp(spec, "T") || !strcmp(spec, "T1") || !strcmp(spec, "W")) {
        suffix_type(name, strcmp(spec, "T1") != 0, out);
        if (!out[0])
            fail("no type suffix", name);
        if (spec[0] == 'W')
            snprintf(out, 16, "%c%d", out[0], 2 * bits_of(out));
    } else {
        snprintf(out, 16, "%s", spec);
    }
}
static char *trim(char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    char *e = s + strlen(s);
    while (e > s && (e[-1] == ' ' || e[-1] == '\t' || e[-1] == '\n'))
        *--e = 0;
    return s;
}
/* "define NAME = text": what "@NAME" stands for in decl= and body= from there on */
static struct macro {
    char name[34], *text; /* the name with its "@" */
} macros[64];
static size_t nmacros;

static void replace(char *s, size_t size, const char *what, const char *with)
{
    char *out = malloc(size);
    size_t n = 0, w = strlen(what), k = strlen(with);
    if (!out)
        fail("out of memory", what);
    for (const char *p = s; *p;) {
        bool found = !strncmp(p, what, w) && !isalnum((unsigned char)p[w]) && p[w] != '_';
        if (n + (found ? k : 1) >= size)
            fail("row too long", s);
        memcpy(out + n, found ? with : p, found ? k : 1);
        n += found ? k : 1;
        p += found ? w : 1;
    }
    memcpy(s, out, n);
    s[n] = 0;
    free(out);
}
static void add_macro(char *definition)
{
    char *text = strstr(definition, " = ");
    if (!text || nmacros == sizeof(macros) / sizeof(macros[0]))
        fail("define: \"NAME = text\" is wanted, or there are too many", definition);
    *text = 0;
    struct macro *m = &macros[nmacros++];
    if (snprintf(m->name, sizeof(m->name), "@%s", trim(definition)) >= (int)sizeof(m->name))
        fail("the name is too long", definition);
    m->text = strdup(trim(text + 3));
    if (!m->text)
        fail("out of memory", definition);
}
static void set_text(char *out, size_t size, const char *text, size_t n, const char *name)
{
    if (n >= size)
        fail("row too long", name);
    char type[16];
    memcpy(out, text, n);
    out[n] = 0;
    for (size_t k = nmacros; k-- > 0;) /* a text holds only macros defined before it */
        replace(out, size, macros[k].name, macros[k].text);
    suffix_type(name, true, type);
    replace(out, size, "@T", type);
}
static void add_row(const char *name, const char *types, const char *options)
{
    struct row *more = realloc(rows, (nrows + 1) * sizeof(*rows));
    if (!more)
        fail("out of memory", name);
    rows = more;
    struct row *r = &rows[nrows++];
    memset(r, 0, sizeof(*r));
    snprintf(r->name, sizeof(r->name), "%s", name);
    char copy[256], *save;
    snprintf(copy, sizeof(copy), "%s", types);
    for (char *t = strtok_r(copy, " \t", &save); t && r->ntypes < 5;
         t = strtok_r(NULL, " \t", &save))
        resolve(name, t, r->types[r->ntypes++]);
    const char *body = strstr(options, "body="), *decl = strstr(options, "decl=");
    if (body)
        set_text(r->body, sizeof(r->body), body + 5, strlen(body + 5), name);
    if (decl && body)
        set_text(r->decl, sizeof(r->decl), decl + 5, (size_t)(body - decl) - 5, name);
    const char *rest = decl ? decl : body;
    snprintf(copy, sizeof(copy), "%.*s", rest ? (int)(rest - options) : 255, options);
    for (char *t = strtok_r(copy, " \t", &save); t; t = strtok_r(NULL, " \t", &save))
        if (sscanf(t, "near=%lf", &r->near) != 1 && sscanf(t, "abs=%lf", &r->abs) != 1 &&
            sscanf(t, "sm=%d", &r->sm) != 1 && sscanf(t, "range=%lf", &r->range) != 1)
            fail("unknown option", t);
}
/* a{b,c}d -> abd, acd, recursively */
static void expand(const char *pattern, const char *types, const char *options)
{
    const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        add_row(pattern, types, options);
        return;
    }
    for (const char *p = open + 1; p <= close;) {
        const char *end = p + strcspn(p, ",}");
        char one[256];
        snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - pattern), pattern, (int)(end - p), p,
                 close + 1);
        expand(one, types, options);
        p = end + 1;
    }
}
/* a line, with those after it that it goes on in (they end in a backslash but for the last) */
static bool read_row(FILE *f, char *line, int size)
{
    int n = 0;
    while (fgets(line + n, size - n, f)) {
        n += (int)strlen(line + n);
        if (n < 2 || line[n - 1] != '\n' || line[n - 2] != '\\')
            return true;
        n -= 2;
    }
    return n > 0;
}
static void read_table(const char *file)
{
    FILE *f = fopen(file, "r");
    char line[8192];
    if (!f)
        fail("cannot open", file);
    while (read_row(f, line, sizeof(line))) {
        char *bar = strchr(line, '|');
        if (!strncmp(line, "define ", 7)) {
            add_macro(line + 7);
            continue;
        }
        if (line[0] == '#' || !bar)
            continue;
        *bar = 0;
        char *types = bar + 1, *options = "";
        for (char *b = types; *b; b++) /* "%d|%p" is no separator */
            if (*b == '|' && b[-1] == ' ' && b[1] == ' ') {
                *b = 0;
                options = trim(b + 1);
                break;
            }
        expand(trim(line), trim(types), options);
    }
    fclose(f);
}

/* ---- PTX of a case ---- */
static const char *reg_type(const char *t)
{
    int b = bits_of(t);
    return b <= 16 ? "b16" : b == 64 ? "b64" : "b32";
}
/* the row's body with its lists "@H{x, y}" written out: %d = 31 * x + y, and so on */
static void hash_lists(const struct row *r, char *out, size_t size)
{
    const char *p = r->body, *type = bits_of(r->types[0]) == 64 ? "64" : "32";
    size_t n = 0;
    for (const char *h; (h = strstr(p, "@H{")) != NULL;) {
        n += (size_t)snprintf(out + n, size - n, "%.*smov.b%s %%d, 0;", (int)(h - p), p, type);
        for (p = h + 3; *p && p[-1] != '}'; p += strcspn(p, ",}") + 1)
            n += (size_t)snprintf(out + n, size - n, " mad.lo.u%s %%d, %%d, 31, %.*s;", type,
                                  (int)strcspn(p, ",}"), p);
        if (n + 300 > size)
            fail("row too long", r->name);
    }
    if ((size_t)snprintf(out + n, size - n, "%s", p) >= size - n)
        fail("row too long", r->name);
}
static void make_body(const struct row *r, char *out, size_t size)
{
    if (r->body[0]) {
        hash_lists(r, out, size);
        replace(out, size, "@I", r->name);
        return;
    }
    static const char *const names[] = {"%a", "%b", "%c", "%e"};
    bool pred = !strcmp(r->types[0], "p");
    int n = snprintf(out, size, "%s %s", r->name, pred ? "%q" : "%d");
    for (int k = 1; k < r->ntypes; k++)
        n += snprintf(out + n, size - (size_t)n, ", %s",
                      r->types[k][0] == '#' ? r->types[k] + 1 : names[k - 1]);
    n += snprintf(out + n, size - (size_t)n, ";");
    if (pred)
        snprintf(out + n, size - (size_t)n, " selp.u32 %%d, 1, 0, %%q;");
}
static void make_ptx(const struct row *r, int sm, char *out, size_t size)
{
    char body[8192];
    make_body(r, body, sizeof(body));
    int n = snprintf(out, size,
                     ".version 8.7\n.target sm_%d\n.address_size 64\n%s\n"
                     ".visible .entry k(.param .u64 out, .param .u64 in, "
                     ".param .align 16 .b8 par[%d])\n{\n"
                     ".shared .align 128 .b8 room[%d];\n.local .align 16 .b8 own[32];\n"
                     ".reg .pred %%p, %%q, %%r;\n.reg .b32 %%t, %%i, %%s;\n"
                     ".reg .b64 %%t64, %%o, %%n, %%x;\n.reg .%s %%d;\n",
                     sm, r->decl, PARAM_BYTES, THREADS * 32, reg_type(r->types[0]));
    for (int k = 1; k < r->ntypes; k++)
        if (r->types[k][0] != '#')
            n += snprintf(out + n, size - (size_t)n, ".reg .%s %%%c;\n", reg_type(r->types[k]),
                          "abce"[k - 1]);
    n += snprintf(out + n, size - (size_t)n,
                  "mov.u32 %%i, %%tid.x;\nmov.u32 %%s, room;\nshl.b32 %%t, %%i, 5;\n"
                  "add.u32 %%s, %%s, %%t;\nld.param.u64 %%n, [in];\ncvta.to.global.u64 %%n, %%n;\n"
                  "mul.wide.u32 %%o, %%i, 32;\nadd.s64 %%n, %%n, %%o;\n");
    for (int k = 1; k < r->ntypes; k++)
        if (r->types[k][0] != '#')
            n += snprintf(out + n, size - (size_t)n, "ld.global.%s %%%c, [%%n+%d];\n",
                          reg_type(r->types[k]), "abce"[k - 1], 8 * (k - 1));
    n += snprintf(out + n, size - (size_t)n, "%s\n", body);
    snprintf(out + n, size - (size_t)n,
             "ld.param.u64 %%x, [out];\ncvta.to.global.u64 %%x, %%x;\nmul.wide.u32 %%o, %%i, 8;\n"
             "add.s64 %%x, %%x, %%o;\nst.global.%s [%%x], %%d;\nret;\n}\n",
             reg_type(r->types[0]));
}

/* ---- inputs ---- */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
static const uint64_t edge_int[16] = {
    0,    1,      2,      31,         32,         33,         0x7f,       0x80,
    0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x123456789abcdef0ull};
static const uint64_t edge_int64[16] = {0,
                                        1,
                                        2,
                                        31,
                                        63,
                                        64,
                                        0xff,
                                        0x7fffffff,
                                        0x80000000ull,
                                        0xffffffffull,
                                        0x100000000ull,
                                        0x7fffffffffffffffull,
                                        0x8000000000000000ull,
                                        0xfffffffffffffffeull,
                                        0xffffffffffffffffull,
                                        0x123456789abcdef0ull};
static const uint32_t edge_f32[16] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffa00001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xcf000000, 0x4b7fffff};
static const uint64_t edge_f64[16] = {0,
                                      1ull << 63,
                                      0x3ff0000000000000ull,
                                      0xbff0000000000000ull,
                                      0x3fe0000000000000ull,
                                      0x4004000000000000ull,
                                      0x7ff0000000000000ull,
                                      0xfff0000000000000ull,
                                      0x7ff8000000000000ull,
                                      0xfff4000000000001ull,
                                      1,
                                      0x800fffffffffffffull,
                                      0x0010000000000000ull,
                                      0x7fefffffffffffffull,
                                      0xc1e0000000200000ull,
                                      0x43e0000000000000ull};
static const uint16_t edge_f16[16] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4100,
                                      0x7c00, 0xfc00, 0x7e00, 0xfd01, 0x0001, 0x83ff,
                                      0x0400, 0x7bff, 0xf800, 0x6400};
static const uint16_t edge_bf16[16] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x3f00, 0x4020,
                                       0x7f80, 0xff80, 0x7fc0, 0xffa1, 0x0001, 0x807f,
                                       0x0080, 0x7f7f, 0xcf00, 0x4b7f};

static uint64_t edge(const char *t, unsigned k)
{
    k &= 15;
    if (!strcmp(t, "f32"))
        return edge_f32[k];
    if (!strcmp(t, "f64"))
        return edge_f64[k];
    if (!strcmp(t, "f16"))
        return edge_f16[k];
    if (!strcmp(t, "bf16"))
        return edge_bf16[k];
    if (!strcmp(t, "f16x2"))
        return edge_f16[k] | (uint64_t)edge_f16[(k * 5 + 3) & 15] << 16;
    if (!strcmp(t, "bf16x2"))
        return edge_bf16[k] | (uint64_t)edge_bf16[(k * 5 + 3) & 15] << 16;
    return bits_of(t) == 64 ? edge_int64[k] : edge_int[k];
}
/* random: floats with exponents near each other, so that sums and products are ordinary */
static uint64_t random_value(const char *t, uint64_t x, double range)
{
    if (!strcmp(t, "f32")) {
        float f = (float)((double)(int64_t)x / 9.3e18 * (range != 0 ? range : (x & 8 ? 1e3 : 1.5)));
        uint32_t u;
        memcpy(&u, &f, 4);
        return range == 0 && (x & 7) == 0 ? (uint32_t)x : u;
    }
    if (!strcmp(t, "f64")) {
        double f = (double)(int64_t)x / 9.3e18 * (x & 8 ? 1e9 : 1.5);
        uint64_t u;
        memcpy(&u, &f, 8);
        return (x & 7) == 0 ? x : u;
    }
    return x;
}
static void make_input(const struct row *r, uint64_t *in)
{
    uint64_t h = 1469598103934665603ull;
    for (const char *p = r->name; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211ull;
    for (unsigned i = 0; i < THREADS; i++)
        for (int k = 0; k < 4; k++) {
            const char *t = r->types[k + 1];
            uint64_t v = 0;
            if (k + 1 < r->ntypes && t[0] != '#') {
                unsigned e = k == 0   ? i & 15
                             : k == 1 ? i >> 4
                             : k == 2 ? (i * 7 + (i >> 4))
                                      : i * 3;
                uint64_t x = mix(h + i * 4u + (unsigned)k);
                v = i < 256 ? edge(t, e) : random_value(t, x, r->range);
                if (r->range != 0 && i < 256 && !strcmp(t, "f32") && e % 16 > 9)
                    v = random_value(t, x, r->range);
            }
            in[i * 4 + (unsigned)k] = v;
        }
}

/* ---- running ---- */
static uint64_t *dev_in, *dev_out;

static cudaError_t run(const struct row *r, int sm, uint64_t *out)
{
    static char ptx[16384];
    uint64_t in[THREADS * 4];
    cudaLibrary_t lib;
    cudaKernel_t k;
    make_ptx(r, sm, ptx, sizeof(ptx));
    make_input(r, in);
    memset(out, 0, THREADS * 8);
    cudaError_t e = cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0);
    if (e != cudaSuccess)
        return e;
    unsigned char par[PARAM_BYTES];
    for (int k = 0; k < PARAM_BYTES; k++)
        par[k] = (unsigned char)(k * 37 + 139);
    void *args[] = {&dev_out, &dev_in, par};
    if ((e = cudaLibraryGetKernel(&k, lib, "k")) == cudaSuccess &&
        (e = cudaMemcpy(dev_in, in, sizeof(in), cudaMemcpyHostToDevice)) == cudaSuccess &&
        (e = cudaMemset(dev_out, 0, THREADS * 8)) == cudaSuccess &&
        (e = cudaLaunchKernel((const void *)k, (dim3){1, 1, 1}, (dim3){THREADS, 1, 1}, args, 0,
                              NULL)) == cudaSuccess &&
        (e = cudaDeviceSynchronize()) == cudaSuccess)
        e = cudaMemcpy(out, dev_out, THREADS * 8, cudaMemcpyDeviceToHost);
    cudaLibraryUnload(lib);
    return e;
}

/* ---- comparing ---- */
static double as_float(const char *t, uint64_t v, int half)
{
    if (!strcmp(t, "f64")) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    uint32_t u = (uint32_t)v;
    if (!strncmp(t, "bf16", 4)) {
        u = (u >> 16 * half & 0xffff) << 16;
    } else if (!strncmp(t, "f16", 3)) {
        u = u >> 16 * half & 0xffff;
        int e = u >> 10 & 31, m = u & 1023;
        double d = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        return u & 0x8000 ? -d : d;
    }
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static double ulp_of(const char *t, double x)
{
    int e, digits = !strcmp(t, "f64") ? 53 : !strncmp(t, "bf16", 4) ? 8 : t[1] == '1' ? 11 : 24;
    int emin = !strcmp(t, "f64") ? -1074 : !strncmp(t, "f16", 3) ? -24 : -149;
    if (!isfinite(x))
        return 0;
    frexp(x, &e);
    return ldexp(1, e - digits > emin ? e - digits : emin);
}
static bool close_enough(const struct row *r, uint64_t want, uint64_t got)
{
    const char *t = r->types[0];
    if (want == got)
        return true;
    if (r->near == 0 && r->abs == 0)
        return false;
    for (int half = 0; half < (strstr(t, "x2") ? 2 : 1); half++) {
        double a = as_float(t, want, half), b = as_float(t, got, half);
        if (isnan(a) && isnan(b))
            continue;
        double tol = fmax(r->near * ulp_of(t, a), r->abs);
        if (!(fabs(a - b) <= tol) && !(a == b))
            return false;
    }
    return true;
}

/* ---- the file of results ---- */
struct result {
    char name[160];
    int status;
    uint64_t out[THREADS];
};
static void write_results(const char *file, const struct result *all, size_t n)
{
    size_t size = n * sizeof(*all), bound = ZSTD_compressBound(size);
    void *z = malloc(bound);
    size_t got = ZSTD_compress(z, bound, all, size, 19);
    FILE *f = fopen(file, "wb");
    if (!f || fwrite(z, 1, got, f) != got || fclose(f))
        fail("cannot write", file);
    free(z);
}
static struct result *read_results(const char *file, size_t *n)
{
    FILE *f = fopen(file, "rb");
    if (!f)
        fail("cannot open", file);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    void *z = malloc(size);
    if (!z)
        fail("no memory for", file);
    if (fread(z, 1, size, f) != size)
        fail("cannot read", file);
    fclose(f);
    unsigned long long full = ZSTD_getFrameContentSize(z, size);
    if (full == ZSTD_CONTENTSIZE_ERROR || full == ZSTD_CONTENTSIZE_UNKNOWN ||
        full % sizeof(struct result) || full > 1ull << 30)
        fail("damaged", file);
    struct result *all = malloc(full ? full : 1);
    if (ZSTD_decompress(all, full, z, size) != full)
        fail("damaged", file);
    free(z);
    *n = full / sizeof(struct result);
    return all;
}
static void case_name(const struct row *r, char *out, size_t size)
{
    /* types and body tell rows of the same instruction apart */
    unsigned h = 5381;
    for (const char *p = r->decl; *p; p++)
        h = h * 33 + (unsigned char)*p;
    for (const char *p = r->body; *p; p++)
        h = h * 33 + (unsigned char)*p;
    int n = snprintf(out, size, "%s/", r->name);
    for (int k = 0; k < r->ntypes; k++)
        n += snprintf(out + n, size - (size_t)n, "%s%s", k ? "," : "", r->types[k]);
    if (r->body[0])
        snprintf(out + n, size - (size_t)n, "/%08x", h);
}

static const struct result *find_result(const struct result *all, size_t n, const char *name)
{
    for (size_t k = 0; k < n; k++)
        if (!strncmp(all[k].name, name, sizeof(all[k].name) - 1))
            return &all[k];
    return NULL;
}
static bool compare(const struct row *r, const char *name, const struct result *want,
                    const struct result *got)
{
    if (!want) {
        printf("FAIL %s: no expected result is kept; run --write on a GPU\n", name);
        return false;
    }
    if (want->status) {
        printf("FAIL %s: the GPU of the record refused it: correct the row\n", name);
        return false;
    }
    if (got->status) {
        printf("FAIL %s: %s\n", name, cudaGetErrorString((cudaError_t)got->status));
        return false;
    }
    unsigned wrong = 0;
    uint64_t in[THREADS * 4];
    make_input(r, in);
    for (unsigned i = 0; i < THREADS; i++)
        if (!close_enough(r, want->out[i], got->out[i]) && wrong++ < 3)
            printf("%s %s thread %u: a=%llx b=%llx c=%llx: expected %llx, got %llx\n",
                   wrong == 1 ? "FAIL" : "    ", name, i, (unsigned long long)in[4 * i],
                   (unsigned long long)in[4 * i + 1], (unsigned long long)in[4 * i + 2],
                   (unsigned long long)want->out[i], (unsigned long long)got->out[i]);
    if (wrong > 3)
        printf("     … %u of %d threads differ\n", wrong, THREADS);
    return wrong == 0;
}

/* ---- are all opcodes there? ---- */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
        if ((p == text || strchr(" \n\t;", p[-1])) && strchr(" ;", p[n]))
            return true;
    return false;
}
/* Instructions that a case must have. */
struct wanted {
    char name[128];
    bool found;
};
static struct wanted *wanted;
static size_t nwanted;

static void want(const char *name)
{
    struct wanted *more = realloc(wanted, (nwanted + 1) * sizeof(*wanted));
    if (!more || strlen(name) >= sizeof(more->name))
        fail("out of memory, or the name is too long", name);
    wanted = more;
    memset(&wanted[nwanted], 0, sizeof(*wanted));
    strcpy(wanted[nwanted++].name, name);
}
/* an opcode with all its suffixes a line; "#" begins a comment */
static void want_listed(const char *file)
{
    char line[256];
    FILE *f = fopen(file, "r");
    if (!f)
        fail("cannot open", file);
    while (fgets(line, sizeof(line), f)) {
        const char *opcode = trim(line);
        if (opcode[0] && opcode[0] != '#')
            want(opcode);
    }
    fclose(f);
}
/* what the emulator's table of opcodes says there is a case of */
static void want_rows(void)
{
    static const struct {
        const char *opcode, *key;
    } opcodes[] = {
#define NOTHING                                                 NULL
#define OPCODE(name, lower, handlers, cost, result, key, forms) {#name, key},
#define UNSUPPORTED(name)
#include "emulator/ptx/opcodes.def"
    };
    for (size_t k = 0; k < sizeof(opcodes) / sizeof(opcodes[0]); k++) {
        size_t n = strlen(opcodes[k].opcode);
        const char *key = opcodes[k].key;
        if (!key)
            continue;
        if (strncmp(key, opcodes[k].opcode, n) || (key[n] && key[n] != '.'))
            fail("opcodes.def: the row's case has another opcode", opcodes[k].opcode);
        want(key);
    }
}
static int covers(const char *file)
{
    static char ptx[16384];
    size_t missing = 0;
    want_listed(file);
    want_rows();
    for (size_t k = 0; k < nrows; k++) {
        make_ptx(&rows[k], 90, ptx, sizeof(ptx));
        for (size_t o = 0; o < nwanted; o++)
            wanted[o].found = wanted[o].found || has_word(ptx, wanted[o].name);
    }
    for (size_t o = 0; o < nwanted; o++)
        if (!wanted[o].found) {
            printf("FAIL %s: no case has it; add a row\n", wanted[o].name);
            missing++;
        }
    printf("%zu passed, %zu failed\n", nwanted - missing, missing);
    return missing > 0;
}

/* ---- what to do ---- */
static int print(const char *instruction, const char *only)
{
    static char ptx[16384];
    for (size_t k = 0; k < nrows; k++) {
        char name[160];
        case_name(&rows[k], name, sizeof(name));
        if (!strstr(name, only) ||
            (strcmp(instruction, rows[k].name) && strcmp(instruction, "all")))
            continue;
        make_ptx(&rows[k], 90, ptx, sizeof(ptx));
        printf("// %s\n%s", name, ptx);
    }
    return 0;
}
static int device(void) /* its compute capability, 90; memory for the cases is allocated */
{
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    if (cudaMalloc((void **)&dev_in, THREADS * 32) || cudaMalloc((void **)&dev_out, THREADS * 8))
        fail("no device", cudaGetErrorString(cudaGetLastError()));
    return major * 10 + minor;
}
static int check(const char *file, const char *only)
{
    size_t nwant = 0, passed = 0, failed = 0, skipped = 0;
    const struct result *all = read_results(file, &nwant);
    int sm = device();
    for (size_t k = 0; k < nrows; k++) {
        struct result got = {.status = 0};
        case_name(&rows[k], got.name, sizeof(got.name));
        if (!strstr(got.name, only))
            continue;
        if (sm < rows[k].sm) {
            skipped++;
            continue;
        }
        got.status = (int)run(&rows[k], sm, got.out);
        if (compare(&rows[k], got.name, find_result(all, nwant, got.name), &got))
            passed++;
        else
            failed++;
    }
    if (skipped)
        printf("%zu skipped: they need a newer GPU\n", skipped);
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0;
}
static int record(const char *file, const char *only)
{
    struct result *got = calloc(nrows, sizeof(*got));
    size_t n = 0, refused = 0;
    int sm = device();
    if (!got)
        fail("out of memory", file);
    for (size_t k = 0; k < nrows; k++) {
        struct result *g = &got[n];
        case_name(&rows[k], g->name, sizeof(g->name));
        if (!strstr(g->name, only) || sm < rows[k].sm)
            continue;
        n++;
        g->status = (int)run(&rows[k], sm, g->out);
        if (g->status) {
            printf("refused %s: %s\n", g->name, cudaGetErrorName((cudaError_t)g->status));
            refused++;
        }
    }
    write_results(file, got, n);
    printf("%zu cases written, %zu of them refused by the device\n", n, refused);
    return refused > 0;
}

int main(int argc, char **argv)
{
    const char *ops = NULL, *mode = "", *file = NULL, *only = "";
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--only") && k + 1 < argc)
            only = argv[++k];
        else if (!strncmp(argv[k], "--", 2) && k + 1 < argc) {
            mode = argv[k];
            file = argv[++k];
        } else
            ops = argv[k];
    }
    if (ops)
        read_table(ops);
    if (ops && !strcmp(mode, "--covers"))
        return covers(file);
    if (ops && !strcmp(mode, "--print"))
        return print(file, only);
    if (ops && !strcmp(mode, "--check"))
        return check(file, only);
    if (ops && !strcmp(mode, "--write"))
        return record(file, only);
    fprintf(stderr, "usage: ptxcases OPS --write FILE | --check FILE | --print NAME | "
                    "--covers FILE [--only TEXT]\n");
    return 2;
}
