/* fatbin_test.c - PTX and register counts out of what nvcc 13.0 wrote.
 *
 * testdata/fatbin/ holds scale.cu and what nvcc makes of it:
 *   zstd, lz4, plain   -arch=sm_80, with --compress-mode=speed, with --no-compress
 *   many               PTX and machine code for sm_75 and sm_90, PTX for sm_90a
 *   machine_code       code=sm_80 only      lto    code=lto_80
 *   debug              -arch=sm_90 -G, where machine code is compressed too
 * ptxas -v says: scale takes 8 registers, 10 with -G.
 */
#include "fatbin.h"
#include "ptx.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define TESTDATA "common/emulator/testdata/"

/* Exactly as long as the file, so that a sanitizer sees any step beyond. */
static unsigned char *read_all(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s: cannot open (tests run in the repository's root)", path);
    fseek(f, 0, SEEK_END);
    *length = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*length ? *length : 1);
    cr_assert_eq(fread(bytes, 1, *length, f), *length);
    fclose(f);
    return bytes;
}

static const struct {
    const char *file;
    uint32_t sm;
    enum fatbin_status status;
    uint32_t ptx_sm, cubin_sm, registers;
    const char *message; /* a part of it */
} files[] = {
    {"zstd.fatbin", 90, FATBIN_OK, 80, 80, 8, ""},
    {"lz4.fatbin", 90, FATBIN_OK, 80, 80, 8, ""},
    {"plain.fatbin", 80, FATBIN_OK, 80, 80, 8, ""},
    {"many.fatbin", 90, FATBIN_OK, 90, 90, 8, ""},
    {"many.fatbin", 100, FATBIN_OK, 90, 90, 8, ""},
    {"many.fatbin", 89, FATBIN_OK, 75, 75, 8, ""},
    {"debug.fatbin", 90, FATBIN_OK, 90, 90, 10, ""},
    {"zstd.fatbin", 75, FATBIN_TOO_NEW, 0, 0, 0, "rebuild with -arch=sm_75"},
    {"machine_code.fatbin", 90, FATBIN_NO_PTX, 0, 0, 0,
     "rebuild with -arch=sm_80, which embeds PTX, instead of -gencode arch=compute_80,code=sm_80"},
    {"scale.cubin", 90, FATBIN_NO_PTX, 0, 0, 0, "only machine code for sm_80"},
    {"lto.fatbin", 90, FATBIN_LTO_ONLY, 0, 0, 0, "link-time-optimisation"},
};

static void check_file(size_t i, const struct fatbin *f)
{
    cr_expect_eq(f->status, files[i].status, "%s: status %d: %s", files[i].file, f->status,
                 f->message);
    cr_expect(strstr(f->message, files[i].message), "%s: %s", files[i].file, f->message);
    cr_expect_eq(f->ntexts, files[i].status == FATBIN_OK);
    cr_expect_eq(f->ptx_sm, files[i].ptx_sm, "%s: PTX for sm_%u", files[i].file, f->ptx_sm);
    cr_expect_eq(f->cubin_sm, files[i].cubin_sm);
    cr_expect_eq(fatbin_registers(f, "scale"), files[i].registers);
    cr_expect_eq(fatbin_registers(f, "scal"), 0);
    if (f->ntexts > 0) {
        cr_expect_eq(f->lengths[0], strlen(f->texts[0]));
        cr_expect(strstr(f->texts[0], ".visible .entry scale("));
        struct ptx_error e;
        struct ptx_module *m = ptx_parse(f->texts[0], f->lengths[0], &e);
        cr_expect(m, "%s: %s", files[i].file, e.text);
        ptx_free(m);
    }
}

Test(fatbin, files)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[256];
        size_t n;
        struct fatbin f;
        snprintf(path, sizeof(path), TESTDATA "fatbin/%s", files[i].file);
        unsigned char *bytes = read_all(path, &n);
        fatbin_open(bytes, n, files[i].sm, &f);
        check_file(i, &f);
        fatbin_close(&f);
        fatbin_open(bytes, 0, files[i].sm, &f); /* measured by its own header */
        check_file(i, &f);
        fatbin_close(&f);
        free(bytes);
    }
}

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *ext;
};

Test(fatbin, wrappers)
{
    size_t n;
    struct fatbin f;
    unsigned char *unit = read_all(TESTDATA "fatbin/zstd.fatbin", &n);
    unsigned char *linked = read_all(TESTDATA "fatbin/machine_code.fatbin", &n);
    struct wrapper one = {0x466243b1, 1, unit, NULL};
    cr_expect_eq(fatbin_open(&one, 0, 90, &f), FATBIN_OK);
    cr_expect_eq(f.ntexts, 1);
    fatbin_close(&f);
    cr_expect_eq(fatbin_open(&one, sizeof(one), 90, &f), FATBIN_UNKNOWN,
                 "pointers in a file are not followed");
    fatbin_close(&f);

    unsigned char *other = read_all(TESTDATA "fatbin/debug.fatbin", &n); /* 10 registers */
    const void *units[] = {unit, other, NULL};
    struct wrapper two = {0x466243b1, 2, linked, units};
    cr_expect_eq(fatbin_open(&two, 0, 90, &f), FATBIN_OK);
    cr_expect_eq(f.ntexts, 2);
    cr_expect_eq(fatbin_registers(&f, "scale"), 8, "from the linked machine code");
    fatbin_close(&f);

    static const uint32_t empty[] = {0xba55ed50, 0x00100001, 0, 0};
    struct wrapper stub = {0x466243b1, 1, empty, NULL};
    cr_expect_eq(fatbin_open(&stub, 0, 90, &f), FATBIN_EMPTY);
    fatbin_close(&f);
    static const uint32_t too_long[] = {0xba55ed50, 0x00100001, 0, 1}; /* 4 GiB */
    struct wrapper damaged = {0x466243b1, 1, too_long, NULL};
    cr_expect_eq(fatbin_open(&damaged, 0, 90, &f), FATBIN_DAMAGED);
    cr_expect(strstr(f.message, "shorter than its header says"), "%s", f.message);
    fatbin_close(&f);
    struct wrapper future = {0x466243b1, 3, unit, NULL};
    cr_expect_eq(fatbin_open(&future, 0, 90, &f), FATBIN_UNKNOWN);
    cr_expect(strstr(f.message, "unknown version 3"));
    fatbin_close(&f);
    free(unit);
    free(other);
    free(linked);
}

Test(fatbin, text_and_other_images)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum fatbin_status status;
        size_t text;
    } images[] = {
        {"// x\n.version 9.0\n", 0, FATBIN_OK, 18},
        {"// x\n.version 9.0\n", 19, FATBIN_OK, 18},
        {".version 9.0 and more", 12, FATBIN_OK, 12},
        {"", 0, FATBIN_UNKNOWN, 0},
        {"x", 0, FATBIN_UNKNOWN, 0},
        {"x", 1, FATBIN_UNKNOWN, 0},
        {"\x7f"
         "ELF",
         4, FATBIN_DAMAGED, 0},
        {"\x7f"
         "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0\1\0\0\0\0\0\0\0\0\0\0\0"
         "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
         64, FATBIN_UNKNOWN, 0},
        {"\x50\xed\x55\xba", 4, FATBIN_DAMAGED, 0},
        {".\1\2\3", 4, FATBIN_UNKNOWN, 0},
    };
    for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
        struct fatbin f;
        cr_expect_eq(fatbin_open(images[i].bytes, images[i].length, 90, &f), images[i].status,
                     "image %zu: status %d: %s", i, f.status, f.message);
        if (f.ntexts > 0)
            cr_expect_eq(f.lengths[0], images[i].text);
        else
            cr_expect(f.message[0], "a failure says why");
        fatbin_close(&f);
    }
}

/* Lines that a compiler puts before the text; the first other one ends them. */
Test(fatbin, text_says_what_machine_code_needs)
{
    static const char text[] = "// registers: scale 40\n// registers: add 168\n// x\n"
                               "// registers: late 9\n.version 9.0\n";
    struct fatbin f;

    cr_expect_eq(fatbin_open(text, 0, 90, &f), FATBIN_OK);
    cr_expect_eq(f.nkernels, 2);
    cr_expect_eq(f.cubin_sm, 0);
    cr_expect_eq(fatbin_registers(&f, "scale"), 40);
    cr_expect_eq(fatbin_registers(&f, "add"), 168);
    cr_expect_str_eq(f.texts[0], text);
    fatbin_close(&f);
    cr_expect_eq(fatbin_open("// registers: scale 40 // x\n.version 9.0\n", 0, 90, &f), FATBIN_OK);
    cr_expect_eq(f.nkernels, 0);
    fatbin_close(&f);
}

/* The bytes at an offset replaced: a status other than OK, or the same text as before. */
static const struct {
    size_t offset;
    unsigned char byte;
    enum fatbin_status status;
} patches[] = {
    /* zstd.fatbin: the container's header is 16 bytes, the cubin's entry begins at 16 */
    {0, 0, FATBIN_UNKNOWN},     {6, 8, FATBIN_DAMAGED},   {9, 0xff, FATBIN_DAMAGED},
    {15, 1, FATBIN_DAMAGED},    {20, 63, FATBIN_DAMAGED}, {27, 0xff, FATBIN_DAMAGED},
    {31, 0x80, FATBIN_DAMAGED},
};

Test(fatbin, damage)
{
    size_t n;
    unsigned char *good = read_all(TESTDATA "fatbin/zstd.fatbin", &n);
    for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
        struct fatbin f;
        unsigned char was = good[patches[i].offset];
        good[patches[i].offset] = patches[i].byte;
        cr_expect_eq(fatbin_open(good, n, 90, &f), patches[i].status, "patch %zu: %d %s", i,
                     f.status, f.message);
        fatbin_close(&f);
        good[patches[i].offset] = was;
    }
    free(good);
}

/* Offset of the first PTX entry. */
static size_t ptx_entry(const unsigned char *bytes, size_t n)
{
    for (size_t at = 16; at + 64 <= n;) {
        uint32_t header;
        uint64_t payload;
        if (bytes[at] == 1)
            return at;
        memcpy(&header, bytes + at + 4, 4);
        memcpy(&payload, bytes + at + 8, 8);
        at += header + payload;
    }
    cr_assert(false, "no PTX entry");
    return 0;
}

Test(fatbin, compression)
{
    size_t n;
    struct fatbin f;
    unsigned char *bytes = read_all(TESTDATA "fatbin/zstd.fatbin", &n);
    size_t at = ptx_entry(bytes, n);
    bytes[at + 41] &= 0x0f; /* clears 0x8000, zstd */
    cr_expect_eq(fatbin_open(bytes, n, 90, &f), FATBIN_COMPRESSION);
    cr_expect(strstr(f.message, "--no-compress"));
    fatbin_close(&f);
    bytes[at + 41] |= 0x80;
    bytes[at + 63] = 0x7f; /* unpacked size: 2^62 */
    cr_expect_eq(fatbin_open(bytes, n, 90, &f), FATBIN_DAMAGED);
    fatbin_close(&f);
    bytes[at + 63] = 0;
    bytes[at + 56]++; /* one byte more than there is */
    cr_expect_eq(fatbin_open(bytes, n, 90, &f), FATBIN_DAMAGED);
    fatbin_close(&f);
    free(bytes);
}

/* A container with one PTX entry for sm_80: `unpacked` spaces in `packed` bytes, which zstd needs
 * fewer for: a frame that it skips makes up for the rest. */
static unsigned char *spaces(size_t unpacked, size_t packed, size_t *n)
{
    static const uint32_t skipped = 0x184d2a50;
    uint16_t kind = 1, major = 9, header = 16, version = 1;
    uint32_t magic = 0xba55ed50, entry = 64, length = (uint32_t)packed, arch = 80, rest;
    uint64_t size = entry + packed, flags = 0x8000, payload = packed;
    char *text = malloc(unpacked);

    *n = header + size;
    unsigned char *bytes = calloc(1, *n), *e = bytes + header, *at = e + entry;
    memcpy(bytes, &magic, 4);
    memcpy(bytes + 4, &version, 2);
    memcpy(bytes + 6, &header, 2);
    memcpy(bytes + 8, &size, 8);
    memcpy(e, &kind, 2);
    memcpy(e + 4, &entry, 4);
    memcpy(e + 8, &payload, 8);
    memcpy(e + 16, &length, 4);
    memcpy(e + 26, &major, 2);
    memcpy(e + 28, &arch, 4);
    memcpy(e + 40, &flags, 8);
    memcpy(e + 56, &unpacked, 8);
    memset(text, ' ', unpacked);
    size_t used = ZSTD_compress(at, packed, text, unpacked, 1);
    cr_assert(!ZSTD_isError(used) && packed - used >= 8, "%zu of %zu", used, packed);
    rest = (uint32_t)(packed - used - 8);
    memcpy(at + used, &skipped, 4);
    memcpy(at + used + 4, &rest, 4);
    free(text);
    return bytes;
}

/* What a few bytes may become: 2048 times as much, and 256 MiB at most. */
Test(fatbin, expansion_is_bounded, .timeout = 60)
{
    static const struct {
        size_t unpacked, packed;
        bool taken;
    } rows[] = {
        {2048 * 4096, 4096, true},           {2048 * 4097 - 1, 4096, true},
        {2048 * 4097, 4096, false},          {256u << 20, (256u << 20) / 2048, true},
        {(256u << 20) + 1, 1u << 20, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t n;
        struct fatbin f;
        unsigned char *bytes = spaces(rows[i].unpacked, rows[i].packed, &n);
        fatbin_open(bytes, n, 90, &f);
        cr_expect_eq(f.status, rows[i].taken ? FATBIN_OK : FATBIN_DAMAGED, "row %zu: %d %s", i,
                     f.status, f.message);
        if (rows[i].taken)
            cr_expect(f.ntexts == 1 && f.lengths[0] == rows[i].unpacked, "row %zu", i);
        else
            cr_expect(strstr(f.message, "impossible size"), "row %zu: %s", i, f.message);
        fatbin_close(&f);
        free(bytes);
    }
}

Test(fatbin, every_prefix_and_every_byte, .timeout = 60)
{
    static const char *const names[] = {"zstd", "lz4", "many", "debug"};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        char path[256];
        size_t n;
        struct fatbin f;
        snprintf(path, sizeof(path), TESTDATA "fatbin/%s.fatbin", names[k]);
        unsigned char *good = read_all(path, &n);
        for (size_t i = 1; i < n; i++) {
            unsigned char *cut = malloc(i);
            memcpy(cut, good, i);
            cr_expect_neq(fatbin_open(cut, i, 90, &f), FATBIN_OK);
            fatbin_close(&f);
            free(cut);
        }
        for (size_t i = 0; i < n; i++) {
            good[i] ^= 0xff;
            fatbin_open(good, n, 90, &f);
            fatbin_close(&f);
            good[i] ^= 0xff;
        }
        free(good);
    }
}

Test(fatbin, fuzz_cases, .timeout = 60)
{
    DIR *d = opendir(TESTDATA "fuzz/fatbin");
    cr_assert(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        size_t n;
        struct fatbin f;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), TESTDATA "fuzz/fatbin/%s", e->d_name);
        unsigned char *bytes = read_all(path, &n);
        fatbin_open(bytes, n, 90, &f);
        cr_expect(f.status == FATBIN_OK ? f.ntexts > 0 : f.message[0] != 0, "%s", path);
        fatbin_close(&f);
        free(bytes);
    }
    closedir(d);
}
