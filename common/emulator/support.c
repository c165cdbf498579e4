/* support.c - which instructions of some PTX the emulator runs, and how (warprun --support).
 *
 * Interface: warplabSupport(). Takes PTX text, a fatbin, a cubin, or a program with its
 * fatbins in the section .nv_fatbin. Prints how often each opcode occurs and whether it is
 * exact or, being approximate on a GPU too, within the ISA's error bounds; then the
 * functions that cannot run, each with the first reason.
 */
#include "cudart.h"
#include "warplab.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    char *opcode;
    uint64_t count;
};
struct report {
    struct tally *rows;
    size_t nrows;
    unsigned functions, failed, modules;
};

static void count_opcode(struct report *r, const char *opcode)
{
    for (size_t i = 0; i < r->nrows; i++) {
        if (strcmp(r->rows[i].opcode, opcode) == 0) {
            r->rows[i].count++;
            return;
        }
    }
    r->rows = xrealloc(r->rows, (r->nrows + 1) * sizeof *r->rows);
    r->rows[r->nrows++] = (struct tally){xstrdup(opcode), 1};
}

static void add_module(struct report *r, const struct emu_module *m)
{
    r->modules++;
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        struct emu_func *f = m->funcs[i];

        if (!f->ptx->has_body)
            continue;
        r->functions++;
        if (lower_func(f) != cudaSuccess) /* says why on stderr */
            r->failed++;
        for (uint32_t k = 0; f->sites && k < f->ptx->ninsns; k++)
            count_opcode(r, f->sites[k].opcode);
    }
}

/* Adds one image; false when it cannot be read. In a program, images without PTX are
 * passed over: the link step leaves one beside those that have some. */
static bool add_image(struct report *r, const void *data, size_t length, const char *name,
                      bool of_program)
{
    struct fatbin f;
    struct emu_module *m = NULL;
    enum fatbin_status s = fatbin_open(data, length, rt_ptx_limit(), &f);
    bool good = s == FATBIN_EMPTY || (s == FATBIN_NO_PTX && of_program);

    if (s != FATBIN_OK && !good)
        fprintf(stderr, "warplab: %s: %s\n", name, f.message);
    else if (s == FATBIN_OK &&
             emu_module_load(f.texts, f.lengths, f.ntexts, name, &m) == cudaSuccess)
        good = true;
    if (m) {
        add_module(r, m);
        emu_module_unload(m);
    }
    fatbin_close(&f);
    return good;
}

/* The fatbins of a program lie one after the other, each with its size in its header:
 * u32 magic, u16 version, u16 header bytes, u64 bytes that follow. */
static bool add_section(struct report *r, const uint8_t *data, size_t size, const char *name)
{
    bool good = true;

    for (size_t at = 0; at + 16 <= size;) {
        uint32_t magic;
        uint16_t header;
        uint64_t bytes;

        memcpy(&magic, data + at, 4);
        memcpy(&header, data + at + 6, 2);
        memcpy(&bytes, data + at + 8, 8);
        if (magic != 0xBA55ED50 || bytes > size - at - 16) {
            at += 8; /* padding between them */
            continue;
        }
        good = add_image(r, data + at, header + bytes, name, true) && good;
        at += header + bytes;
    }
    return good;
}

/* A program's section of that name; 0 bytes when there is none. */
static const uint8_t *elf_section(const uint8_t *data, size_t size, const char *name, size_t *bytes)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)data;
    const Elf64_Shdr *s, *names;

    *bytes = 0;
    if (size < sizeof *h || memcmp(data, ELFMAG, SELFMAG) != 0 || h->e_shoff >= size ||
        h->e_shnum > (size - h->e_shoff) / sizeof *s || h->e_shstrndx >= h->e_shnum)
        return NULL;
    s = (const Elf64_Shdr *)(data + h->e_shoff);
    names = &s[h->e_shstrndx];
    if (names->sh_offset > size || names->sh_size > size - names->sh_offset)
        return NULL;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        if (s[i].sh_name >= names->sh_size || s[i].sh_offset > size ||
            s[i].sh_size > size - s[i].sh_offset)
            continue;
        if (strncmp((const char *)data + names->sh_offset + s[i].sh_name, name,
                    names->sh_size - s[i].sh_name) != 0)
            continue;
        *bytes = s[i].sh_size;
        return data + s[i].sh_offset;
    }
    return NULL;
}

static int by_opcode(const void *a, const void *b)
{
    return strcmp(((const struct tally *)a)->opcode, ((const struct tally *)b)->opcode);
}

static void print_report(const struct report *r)
{
    if (r->nrows)
        qsort(r->rows, r->nrows, sizeof *r->rows, by_opcode);
    for (size_t i = 0; i < r->nrows; i++) {
        const char *op = r->rows[i].opcode;
        bool approximate = strstr(op, ".approx") || strstr(op, ".full");

        printf("%8lu  %-11s  %s\n", r->rows[i].count, approximate ? "approximate" : "exact", op);
    }
    printf("%u of %u functions in %u modules can run\n", r->functions - r->failed, r->functions,
           r->modules);
}

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;

    *size = 0;
    if (!f)
        return NULL;
    for (size_t n = 1, room = 0; n; *size += n) {
        if (room - *size < 65536)
            data = xrealloc(data, room = 2 * room + 131072);
        n = fread(data + *size, 1, room - *size - 1, f);
    }
    data[*size] = 0;
    fclose(f);
    return data;
}

int warplabSupport(const char *path)
{
    struct report r = {0};
    size_t size, bytes;
    uint8_t *data;
    const uint8_t *section;
    bool good;

    rt_enter();
    data = read_all(path, &size);
    if (!data) {
        fprintf(stderr, "warplab: cannot read %s\n", path);
        return 2;
    }
    section = elf_section(data, size, ".nv_fatbin", &bytes);
    good = section ? add_section(&r, section, bytes, path) : add_image(&r, data, size, path, false);
    section = elf_section(data, size, "__nv_relfatbin", &bytes); /* -rdc=true */
    if (section)
        good = add_section(&r, section, bytes, path) && good;
    if (!r.modules)
        fprintf(stderr, "warplab: %s: no PTX in it; nvcc embeds some with -arch=sm_XX\n", path);
    print_report(&r);
    for (size_t i = 0; i < r.nrows; i++)
        free(r.rows[i].opcode);
    free(r.rows);
    free(data);
    return good && r.modules && !r.failed ? 0 : 1;
}
