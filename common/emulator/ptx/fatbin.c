/* fatbin.c - unpacks what nvcc embeds: wrapper, container, entries, PTX and cubin metadata.
 *
 * Layouts, little endian, as nvcc 13 writes them (no public specification; the tests compare
 * with nvcc's own output):
 *
 *   wrapper    u32 magic 0x466243b1  u32 version  u64 data  u64 ext
 *              version 1: data -> container
 *              version 2 (-rdc=true): data -> container of linked machine code;
 *              ext -> pointers to one container per translation unit, ended by NULL
 *   container  u32 magic 0xba55ed50  u16 version 1  u16 header bytes  u64 bytes after it
 *   entry      see struct entry; header, then payload
 *
 * Not modelled: link-time IR (kind 8), options records, encrypted or split entries.
 */
#include "fatbin.h"
#include <link.h>
#include <lz4.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC   0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
#define ELF_MAGIC       0x464c457fu
#define EM_CUDA         190
#define MAX_CONTAINERS  65536
#define MAX_UNPACKED    (256u << 20)
#define MAX_RATIO       2048 /* of compression; PTX reaches about 100 */

enum entry_kind { ENTRY_PTX = 1, ENTRY_CUBIN = 2, ENTRY_LTO = 8 };

#define FLAG_LZ4    0x2000
#define FLAG_ZSTD   0x8000
#define FLAG_ARCH   0x100000 /* sm_90a: that architecture alone */
#define FLAG_FAMILY 0x200000 /* sm_100f: that family alone */

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *ext;
};

struct container {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
};

struct entry {
    uint16_t kind, version;
    uint32_t header;  /* bytes of this header, names included */
    uint64_t payload; /* bytes, padded */
    uint32_t packed;  /* bytes when compressed, else 0 */
    uint32_t options; /* offset of compiler options */
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name, name_length;
    uint64_t flags, unused, unpacked;
};
_Static_assert(sizeof(struct container) == 16 && sizeof(struct entry) == 64, "file layout");

struct span {
    const unsigned char *bytes;
    uint64_t length;
};

/* An entry that was chosen, and where its payload is. */
struct choice {
    struct entry entry;
    struct span payload;
    int score; /* 0: none chosen */
};

struct reader {
    struct fatbin *out;
    uint32_t sm;
    struct choice cubin;
    uint32_t newer_ptx, machine_code; /* architectures seen but of no use, 0: none */
    bool lto;
};

/* ---- results ---- */

static enum fatbin_status fail(struct fatbin *out, enum fatbin_status status, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));

static enum fatbin_status fail(struct fatbin *out, enum fatbin_status status, const char *format,
                               ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->message, sizeof(out->message), format, args);
    va_end(args);
    return out->status = status;
}

static enum fatbin_status damaged(struct fatbin *out, const char *what)
{
    return fail(out, FATBIN_DAMAGED, "this fatbin is damaged: %s", what);
}

static enum fatbin_status no_memory(struct fatbin *out)
{
    return fail(out, FATBIN_MEMORY, "out of memory while unpacking a fatbin");
}

static enum fatbin_status no_ptx(struct fatbin *out, uint32_t arch)
{
    return fail(out, FATBIN_NO_PTX,
                "only machine code for sm_%u is embedded, no PTX: rebuild with -arch=sm_%u, which "
                "embeds PTX, instead of -gencode arch=compute_%u,code=sm_%u",
                arch, arch, arch, arch);
}

/* Takes ownership of text. */
static enum fatbin_status add_text(struct fatbin *out, char *text, uint32_t sm)
{
    size_t n = (size_t)out->ntexts + 1;
    const char **texts = realloc(out->texts, n * sizeof(*texts));
    if (texts)
        out->texts = texts;
    size_t *lengths = realloc(out->lengths, n * sizeof(*lengths));
    if (lengths)
        out->lengths = lengths;
    if (!texts || !lengths) {
        free(text);
        return no_memory(out);
    }
    texts[n - 1] = text;
    lengths[n - 1] = strlen(text);
    if (n == 1)
        out->ptx_sm = sm;
    out->ntexts = (int)n;
    return FATBIN_OK;
}

/* ---- payloads ---- */

static int64_t decompress(const struct entry *e, struct span from, char *to)
{
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(to, e->unpacked, from.bytes, from.length);
        return ZSTD_isError(n) ? -1 : (int64_t)n;
    }
    return LZ4_decompress_safe((const char *)from.bytes, to, (int)from.length, (int)e->unpacked);
}

/* Copies or decompresses a payload into *to (malloc, with a NUL after it). */
static enum fatbin_status unpack(struct fatbin *out, const struct choice *c, char **to,
                                 uint64_t *length)
{
    const struct entry *e = &c->entry;
    struct span from = c->payload;
    bool packed = e->packed != 0 || e->unpacked != 0;
    *to = NULL;
    if (packed && !(e->flags & (FLAG_ZSTD | FLAG_LZ4)))
        return fail(out, FATBIN_COMPRESSION,
                    "this PTX is compressed in a way that is not known (flags 0x%llx): rebuild "
                    "with CUDA 13 or with nvcc --no-compress",
                    (unsigned long long)e->flags);
    if (packed && (e->packed > from.length || e->unpacked > MAX_UNPACKED ||
                   e->unpacked / MAX_RATIO > e->packed))
        return damaged(out, "a compressed entry has an impossible size");
    if (packed)
        from.length = e->packed;
    *length = packed ? e->unpacked : from.length;
    *to = malloc(*length + 1);
    if (!*to)
        return no_memory(out);
    (*to)[*length] = 0;
    if (!packed) {
        memcpy(*to, from.bytes, from.length);
    } else if (decompress(e, from, *to) != (int64_t)e->unpacked) {
        free(*to);
        *to = NULL;
        return damaged(out, "an entry does not decompress");
    }
    return FATBIN_OK;
}

/* ---- machine code: registers per thread from .nv.info (EIATTR_REGCOUNT) ---- */

struct elf_header {
    unsigned char ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t align, entsize;
};

struct elf_symbol {
    uint32_t name;
    unsigned char info, other;
    uint16_t section;
    uint64_t value, size;
};

static bool section_at(struct span elf, unsigned i, struct elf_section *s)
{
    struct elf_header h;
    memcpy(&h, elf.bytes, sizeof(h));
    if (i >= h.shnum || h.shoff > elf.length || (elf.length - h.shoff) / sizeof(*s) <= i)
        return false;
    memcpy(s, elf.bytes + h.shoff + i * sizeof(*s), sizeof(*s));
    return s->offset <= elf.length && s->size <= elf.length - s->offset;
}

/* The string at an offset of a string table; NULL when it does not end in it. */
static const char *string_at(struct span elf, const struct elf_section *table, uint64_t offset)
{
    if (offset >= table->size)
        return NULL;
    const char *text = (const char *)elf.bytes + table->offset + offset;
    return memchr(text, 0, table->size - offset) ? text : NULL;
}

static bool find_section(struct span elf, const char *name, struct elf_section *s)
{
    struct elf_header h;
    struct elf_section names;
    memcpy(&h, elf.bytes, sizeof(h));
    if (!section_at(elf, h.shstrndx, &names))
        return false;
    for (unsigned i = 0; i < h.shnum; i++) {
        if (!section_at(elf, i, s))
            continue;
        /* A table of hundreds of sections with one unending name each would be quadratic:
         * compare what can match only. */
        size_t n = strlen(name) + 1;
        if (s->name < names.size && names.size - s->name >= n &&
            memcmp(elf.bytes + names.offset + s->name, name, n) == 0)
            return true;
    }
    return false;
}

static const char *symbol_name(struct span elf, uint32_t index, const struct elf_section *symbols,
                               const struct elf_section *strings)
{
    struct elf_symbol sym;
    if (index >= symbols->size / sizeof(sym))
        return NULL;
    memcpy(&sym, elf.bytes + symbols->offset + index * sizeof(sym), sizeof(sym));
    return string_at(elf, strings, sym.name);
}

static bool add_kernel(struct fatbin *out, const char *name, uint32_t registers)
{
    uint32_t n = out->nkernels;
    if ((n & (n - 1)) == 0) { /* full: sizes are powers of two */
        size_t size = n ? 2 * (size_t)n : 1;
        struct fatbin_kernel *k = realloc(out->kernels, size * sizeof(*k));
        if (!k)
            return false;
        out->kernels = k;
    }
    out->kernels[n] = (struct fatbin_kernel){strdup(name), registers};
    if (!out->kernels[n].name)
        return false;
    out->nkernels = n + 1;
    return true;
}

/* .nv.info is a list of {u8 format, u8 attribute, u16 value or size} and, for format 4, that
 * many bytes: for attribute 0x2f a symbol's index and its register count. What does not make
 * sense ends the list: counts are a help, not a need. */
static void read_registers(struct fatbin *out, struct span elf)
{
    enum { FORMAT_SIZED = 4, REGCOUNT = 0x2f };
    struct elf_section info, symbols, strings;
    if (elf.length < sizeof(struct elf_header) || !find_section(elf, ".nv.info", &info) ||
        !find_section(elf, ".symtab", &symbols) || !section_at(elf, symbols.link, &strings))
        return;
    const unsigned char *at = elf.bytes + info.offset, *end = at + info.size;
    uint64_t names = 0; /* bytes copied: no more than the file holds */
    while (end - at >= 4) {
        uint16_t size;
        uint32_t value[2];
        unsigned format = at[0], attribute = at[1];
        memcpy(&size, at + 2, sizeof(size));
        at += 4;
        if (format != FORMAT_SIZED)
            continue;
        if (size > end - at)
            return;
        if (attribute == REGCOUNT && size >= sizeof(value)) {
            memcpy(value, at, sizeof(value));
            const char *name = symbol_name(elf, value[0], &symbols, &strings);
            names += name ? strlen(name) + 1 : 0;
            if (names > elf.length || (name && !add_kernel(out, name, value[1])))
                return;
        }
        at += size;
    }
}

static uint32_t cubin_arch(const struct elf_header *h)
{
    return h->ident[8] >= 8 ? h->flags >> 8 & 0xff : h->flags & 0xff;
}

/* ---- containers ---- */

/* How well PTX for an architecture suits sm: the newest that is not newer wins; on a tie the
 * one without architecture-specific features. 0: not at all. */
static int ptx_score(const struct entry *e, uint32_t sm)
{
    bool exact = e->flags & FLAG_ARCH, family = e->flags & FLAG_FAMILY;
    if (e->arch > sm || (exact && e->arch != sm) || (family && e->arch / 10 != sm / 10))
        return 0;
    return 2 * (int)(e->arch & 0xffff) + !(exact || family) + 1;
}

static int cubin_score(uint32_t arch, uint32_t sm)
{
    int n = (int)(arch & 0xffff) + 1;
    if (arch > sm)
        return 1;
    return arch / 10 == sm / 10 ? n + 0x10000 : n;
}

static void consider(struct choice *best, const struct entry *e, struct span payload, int score)
{
    if (score > best->score)
        *best = (struct choice){*e, payload, score};
}

/* Sorts one entry into what is known so far. */
static void look_at(struct reader *r, const struct entry *e, struct span payload,
                    struct choice *ptx)
{
    if (e->kind == ENTRY_PTX) {
        int score = ptx_score(e, r->sm);
        if (score == 0)
            r->newer_ptx = e->arch;
        consider(ptx, e, payload, score);
    } else if (e->kind == ENTRY_CUBIN) {
        if (r->machine_code == 0)
            r->machine_code = e->arch;
        consider(&r->cubin, e, payload, cubin_score(e->arch, r->sm));
    } else if (e->kind == ENTRY_LTO) {
        r->lto = true;
    }
}

/* What a program has linked says its own length: damaged, it may say too much. */
struct segment {
    uintptr_t at;
    uint64_t left;
};
static int find_segment(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct segment *s = arg;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t offset = s->at - (uintptr_t)(object->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_LOAD && offset < p->p_memsz) {
            s->left = p->p_memsz - offset;
            return 1;
        }
    }
    return 0;
}
/* Bytes up to the end of the program's or library's segment; UINT64_MAX: it is in none. */
static uint64_t left_in_segment(const void *p)
{
    struct segment s = {(uintptr_t)p, UINT64_MAX};
    dl_iterate_phdr(find_segment, &s);
    return s.left;
}

/* Reads one container of at most limit bytes and adds its best PTX to the result. */
static enum fatbin_status read_container(struct reader *r, const unsigned char *bytes,
                                         uint64_t limit)
{
    struct container c;
    struct choice ptx = {0};
    if (limit < sizeof(c))
        return damaged(r->out, "it ends in its header");
    memcpy(&c, bytes, sizeof(c));
    if (c.magic != CONTAINER_MAGIC || c.header < sizeof(c))
        return damaged(r->out, "its header makes no sense");
    if (c.header > limit || c.size > limit - c.header)
        return damaged(r->out, "it is shorter than its header says");
    struct span rest = {bytes + c.header, c.size};
    while (rest.length > 0) {
        struct entry e;
        if (rest.length < sizeof(e))
            return damaged(r->out, "it ends inside an entry");
        memcpy(&e, rest.bytes, sizeof(e));
        if (e.header < sizeof(e) || e.header > rest.length || e.payload > rest.length - e.header)
            return damaged(r->out, "an entry is longer than what holds it");
        look_at(r, &e, (struct span){rest.bytes + e.header, e.payload}, &ptx);
        rest.bytes += e.header + e.payload;
        rest.length -= e.header + e.payload;
    }
    if (ptx.score == 0)
        return FATBIN_OK;
    char *text;
    uint64_t length;
    enum fatbin_status status = unpack(r->out, &ptx, &text, &length);
    return status ? status : add_text(r->out, text, ptx.entry.arch);
}

/* With -rdc the linked machine code has the register counts, the units have the PTX. */
static enum fatbin_status read_wrapper(struct reader *r, const struct wrapper *w)
{
    enum fatbin_status status = FATBIN_OK;
    if (w->version != 1 && w->version != 2)
        return fail(r->out, FATBIN_UNKNOWN, "fatbin wrapper of unknown version %u", w->version);
    if (w->data)
        status = read_container(r, w->data, left_in_segment(w->data));
    if (w->version == 1 || !w->ext)
        return status;
    struct choice linked = r->cubin;
    for (int i = 0; !status && w->ext[i]; i++) {
        if (i == MAX_CONTAINERS)
            return damaged(r->out, "its list of translation units does not end");
        status = read_container(r, w->ext[i], left_in_segment(w->ext[i]));
    }
    r->cubin = linked;
    return status;
}

static void read_cubin(struct reader *r)
{
    struct fatbin *out = r->out;
    char *elf;
    uint64_t length;
    if (r->cubin.score == 0)
        return;
    if (unpack(out, &r->cubin, &elf, &length) == FATBIN_OK) {
        out->cubin_sm = r->cubin.entry.arch;
        read_registers(out, (struct span){(const unsigned char *)elf, length});
        free(elf);
    }
    out->status = FATBIN_OK; /* the PTX alone is enough to run */
    out->message[0] = 0;
}

static enum fatbin_status conclude(struct reader *r)
{
    struct fatbin *out = r->out;
    if (out->ntexts > 0) {
        read_cubin(r);
        return out->status;
    }
    if (r->newer_ptx)
        return fail(out, FATBIN_TOO_NEW,
                    "the PTX is for sm_%u, which sm_%u cannot run: rebuild with -arch=sm_%u",
                    r->newer_ptx, r->sm, r->sm);
    if (r->lto)
        return fail(out, FATBIN_LTO_ONLY,
                    "only link-time-optimisation code (code=lto_XX) is embedded, no PTX: rebuild "
                    "with -arch=sm_%u and without -dlto",
                    r->sm);
    if (r->machine_code)
        return no_ptx(out, r->machine_code);
    return fail(out, FATBIN_EMPTY, "this fatbin holds no code");
}

/* ---- bare images ---- */

static enum fatbin_status read_elf(struct reader *r, const void *image, size_t length)
{
    struct elf_header h = {0};
    if (length && length < sizeof(h))
        return damaged(r->out, "its ELF header is cut off");
    memcpy(&h, image, sizeof(h));
    if (h.machine != EM_CUDA)
        return fail(r->out, FATBIN_UNKNOWN, "this ELF file is not GPU code (machine %u)",
                    h.machine);
    return no_ptx(r->out, cubin_arch(&h));
}

/* Text: a directive, a comment or blanks first, and no control characters near the start. */
static bool looks_like_ptx(const char *text, size_t length)
{
    for (size_t i = 0; i < 256 && (length == 0 || i < length) && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < 32 && (c < '\t' || c > '\r')) || c == 127)
            return false;
    }
    return text[0] && strchr(" \t\r\n./#", text[0]);
}

static bool read_told(struct fatbin *out, const char *text)
{
    char name[1024];
    uint32_t registers;
    int end;
    for (; sscanf(text, "// registers: %1023s %" SCNu32 "%n", name, &registers, &end) == 2 &&
           text[end] == '\n';
         text += end + 1)
        if (!add_kernel(out, name, registers))
            return false;
    return true;
}
static enum fatbin_status read_text(struct reader *r, const char *image, size_t length)
{
    size_t n = length ? strnlen(image, length) : strlen(image);
    char *text = malloc(n + 1);
    if (!text)
        return no_memory(r->out);
    memcpy(text, image, n);
    text[n] = 0;
    if (!read_told(r->out, text)) {
        free(text);
        return no_memory(r->out);
    }
    return add_text(r->out, text, 0);
}

enum fatbin_status fatbin_open(const void *image, size_t length, uint32_t sm, struct fatbin *out)
{
    struct reader r = {.out = out, .sm = sm};
    uint32_t magic = 0;
    *out = (struct fatbin){0};
    if (!image)
        return fail(out, FATBIN_UNKNOWN, "no image was given");
    if (looks_like_ptx(image, length))
        return read_text(&r, image, length);
    if (length && length < sizeof(magic))
        return fail(out, FATBIN_UNKNOWN, "an image of %zu bytes holds no code", length);
    size_t known = length ? sizeof(magic) : strnlen(image, sizeof(magic)); /* no magic has a 0 */
    memcpy(&magic, image, known);
    if (magic == ELF_MAGIC)
        return read_elf(&r, image, length);
    enum fatbin_status status = FATBIN_OK;
    if (magic == WRAPPER_MAGIC && length == 0)
        status = read_wrapper(&r, image);
    else if (magic == CONTAINER_MAGIC)
        status = read_container(&r, image, length ? length : left_in_segment(image));
    else
        return fail(out, FATBIN_UNKNOWN,
                    "this image is neither PTX, a fatbin nor a cubin (it begins with 0x%08x)",
                    magic);
    return status ? status : conclude(&r);
}

void fatbin_close(struct fatbin *f)
{
    for (int i = 0; i < f->ntexts; i++)
        free((void *)(uintptr_t)f->texts[i]);
    for (uint32_t i = 0; i < f->nkernels; i++)
        free(f->kernels[i].name);
    free(f->texts);
    free(f->lengths);
    free(f->kernels);
    *f = (struct fatbin){0};
}

uint32_t fatbin_registers(const struct fatbin *f, const char *name)
{
    for (uint32_t i = 0; i < f->nkernels; i++)
        if (strcmp(f->kernels[i].name, name) == 0)
            return f->kernels[i].registers;
    return 0;
}
