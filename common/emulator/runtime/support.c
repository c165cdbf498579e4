/* support.c - which instructions of some PTX the emulator runs, and how (warprun --support).
 *
 * Interface: warplabSupport(). Takes PTX text, a fatbin, a cubin, or a program with its
 * fatbins in the section .nv_fatbin. Prints the functions that cannot run, each with all that
 * stands in the way (place, reason, instruction), then how often each opcode occurs and
 * whether it is exact, being approximate on a GPU too, within the ISA's error bounds, or not
 * supported.
 */
#include "cudart.h"
#include "base/elf.h"
#include "base/file.h"
#include "emulator/base/names.h"
#include "emulator/code/code.h"
#include "warplab.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REASONS 20  /* printed of one function */
#define MOST_LINES   200 /* printed in all */
#define MOST_ERRORS  20  /* places in one text that do not parse */

enum support { EXACT, APPROXIMATE, UNSUPPORTED };
struct tally {
    char *opcode;
    enum support support;
    uint64_t count;
};
struct reason {
    const struct emu_func *func;
    const struct ptx_insn *insn; /* NULL: the statement could not be read, and that was said */
    char *why;
};
struct place {
    int text;
    uint32_t line;
};
struct report {
    struct tally *rows;
    size_t nrows;
    unsigned functions, failed, modules, unread, lines, left_out;
    bool parts; /* of a program that is yet to be linked: what one lacks another may have */
    struct reason *reasons; /* of the module in work */
    size_t nreasons;
    struct place *unread_at; /* likewise: statements that do not parse */
    size_t nunread_at;
};

static void count_opcode(struct report *r, const struct site *site, bool runs)
{
    const char *opcode = site->opcode;
    enum support s = !runs ? UNSUPPORTED : site->approximate ? APPROXIMATE : EXACT;

    for (size_t i = 0; i < r->nrows; i++) {
        if (r->rows[i].support == s && strcmp(r->rows[i].opcode, opcode) == 0) {
            r->rows[i].count++;
            return;
        }
    }
    r->rows = xrealloc(r->rows, (r->nrows + 1) * sizeof(*r->rows));
    r->rows[r->nrows++] = (struct tally){xstrdup(opcode), s, 1};
}

/* ---- functions that cannot run ---- */

static void note(void *arg, const struct emu_func *f, const struct ptx_insn *in, const char *why)
{
    struct report *r = arg;

    if (r->parts && strstr(why, "which is not defined"))
        return;
    r->reasons = xrealloc(r->reasons, (r->nreasons + 1) * sizeof(*r->reasons));
    r->reasons[r->nreasons++] = (struct reason){f, in, xstrdup(why)};
}

static bool insn_fails(const struct report *r, const struct ptx_insn *in)
{
    for (size_t i = 0; i < r->nreasons; i++)
        if (r->reasons[i].insn == in)
            return true;
    return false;
}

static bool func_fails(const struct emu_func *f, void *arg)
{
    const struct report *r = arg;

    for (size_t i = 0; i < r->nreasons; i++)
        if (r->reasons[i].func == f)
            return true;
    return false;
}

static bool may_print(struct report *r)
{
    if (r->lines++ < MOST_LINES)
        return true;
    r->left_out++;
    return false;
}

static void print_reason(struct report *r, const struct reason *x)
{
    const struct ptx_module *m = ptx_module_of(x->func);
    struct site site = {0};
    int n = x->insn->text_length > 160 ? 160 : (int)x->insn->text_length;

    if (!may_print(r))
        return;
    site_locate(m, &x->insn->loc, &site);
    char *where = site_text(&site);
    printf("    %s: %s\n", where, x->why);
    free(where);
    printf("        PTX line %u: %.*s\n", x->insn->loc.ptx_line, n, m->text + x->insn->text_offset);
}

static void print_function(struct report *r, struct emu_func *f)
{
    unsigned n = 0;

    if (!lower_reaches(f, func_fails, r))
        return;
    r->failed++;
    if (may_print(r))
        printf("%s %s cannot run%s\n", f->ptx->is_entry ? "kernel" : "function",
               shown_name(f->info.name),
               func_fails(f, r) ? ":" : ": it calls a function that cannot");
    for (size_t i = 0; i < r->nreasons; i++)
        if (r->reasons[i].func == f && r->reasons[i].insn && n++ < MOST_REASONS)
            print_reason(r, &r->reasons[i]);
    if (n > MOST_REASONS && may_print(r))
        printf("    ... and %u more\n", n - MOST_REASONS);
}

/* Functions that statements were left out of. */
static void note_unread(struct report *r, const struct emu_module *m)
{
    for (size_t i = 0; i < r->nunread_at; i++) {
        for (uint32_t k = 0; k < m->nfuncs; k++) {
            const struct ptx_func *p = m->funcs[k]->ptx;
            uint32_t line = r->unread_at[i].line;

            if (p->ninsns && ptx_module_of(m->funcs[k]) == m->ptx[r->unread_at[i].text] &&
                line > p->loc.ptx_line && line < p->insns[p->ninsns - 1].loc.ptx_line)
                note(r, m->funcs[k], NULL, "");
        }
    }
    r->nunread_at = 0;
}

static void add_module(struct report *r, const struct emu_module *m)
{
    r->modules++;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->ptx->has_body)
            lower_survey(m->funcs[i], note, r);
    note_unread(r, m);
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        struct emu_func *f = m->funcs[i];

        if (!f->ptx->has_body)
            continue;
        r->functions++;
        for (uint32_t k = 0; k < f->ptx->ninsns; k++)
            count_opcode(r, &f->sites[k], !insn_fails(r, &f->ptx->insns[k]));
        print_function(r, f);
    }
    for (size_t i = 0; i < r->nreasons; i++)
        free(r->reasons[i].why);
    r->nreasons = 0;
}

/* ---- text that does not parse ---- */

/* Blanks the statement around an error, so that what follows can be read too: from the end
 * of the one before to its semicolon. False when there is no statement there. */
static bool blank_statement(char *text, size_t length, const struct ptx_error *e)
{
    size_t at = 0, from, to;

    for (uint32_t line = 1; line < e->line && at < length; at++)
        line += text[at] == '\n';
    at += e->column ? e->column - 1 : 0;
    for (from = at; from > 0 && text[from - 1] != ';' && text[from - 1] != '\n'; from--)
        ;
    for (to = at; to < length && text[to] != ';' && text[to] != '\n'; to++)
        ;
    if (to >= length || text[to] != ';')
        return false;
    memset(text + from, ' ', to + 1 - from);
    return true;
}

/* A copy of the text without the statements that do not parse, each of which is printed;
 * NULL when that does not make it PTX. */
static char *readable(struct report *r, const char *text, size_t length, const char *name,
                      int number)
{
    char *copy = xmalloc(length + 1);

    memcpy(copy, text, length);
    copy[length] = 0;
    for (unsigned i = 0; i < MOST_ERRORS; i++) {
        struct ptx_error e = {0};
        struct ptx_module *m = ptx_parse(copy, length, &e);

        ptx_free(m);
        if (m)
            return copy;
        r->unread++;
        r->unread_at = xrealloc(r->unread_at, (r->nunread_at + 1) * sizeof(*r->unread_at));
        r->unread_at[r->nunread_at++] = (struct place){number, e.line};
        char *where = source_before(text, length, e.line);
        if (may_print(r))
            printf("%s: %s%s%s\n", name, where, *where ? ": PTX " : "", e.text);
        free(where);
        if (!blank_statement(copy, length, &e))
            break;
    }
    free(copy);
    return NULL;
}

static bool add_texts(struct report *r, const struct fatbin *f, const char *name)
{
    char **texts = xcalloc((size_t)f->ntexts + 1, sizeof(*texts));
    size_t *lengths = xcalloc((size_t)f->ntexts + 1, sizeof(*lengths));
    struct emu_module *m = NULL;
    int n = 0;

    for (int i = 0; i < f->ntexts; i++) {
        texts[n] = readable(r, f->texts[i], f->lengths[i], name, n);
        lengths[n] = f->lengths[i];
        while (!texts[n] && r->nunread_at && r->unread_at[r->nunread_at - 1].text == n)
            r->nunread_at--;
        n += texts[n] != NULL;
    }
    if (n && emu_module_load((const char *const *)texts, lengths, n, name, &m) == cudaSuccess) {
        add_module(r, m);
        emu_module_unload(m);
    }
    for (int i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
    free(lengths);
    return m && n == f->ntexts;
}

/* Adds one image; false when it cannot be read. In a program, images without PTX are
 * passed over: the link step leaves one beside those that have some. So is, among what was linked
 * with -rdc=true, PTX that is too new: libcudadevrt's, of which no kernel needs anything here. */
static bool add_image(struct report *r, const void *data, size_t length, const char *name,
                      bool of_program)
{
    struct fatbin f;
    enum fatbin_status s = fatbin_open(data, length, rt_ptx_limit(), &f);
    bool good = s == FATBIN_EMPTY || (s == FATBIN_NO_PTX && of_program) ||
                (s == FATBIN_TOO_NEW && r->parts);

    if (s != FATBIN_OK && !good)
        fprintf(stderr, "warplab: %s: %s\n", name, f.message);
    else if (s == FATBIN_OK)
        good = add_texts(r, &f, name);
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
        if (magic != 0xBA55ED50 || header < 16 || header > size - at ||
            bytes > size - at - header) {
            at += 8; /* padding between them */
            continue;
        }
        good = add_image(r, data + at, header + bytes, name, true) && good;
        at += header + bytes;
    }
    return good;
}

static int by_opcode(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    int order = strcmp(x->opcode, y->opcode);

    return order ? order : (int)x->support - (int)y->support;
}

static void print_report(const struct report *r)
{
    static const char *const words[] = {"exact", "approximate", "not supported"};

    if (r->left_out)
        printf("... and %u more lines\n", r->left_out);
    if (r->nrows)
        qsort(r->rows, r->nrows, sizeof(*r->rows), by_opcode);
    for (size_t i = 0; i < r->nrows; i++)
        printf("%8lu  %-13s  %s\n", r->rows[i].count, words[r->rows[i].support], r->rows[i].opcode);
    if (r->unread)
        printf("%u statements were left out: no PTX that is known\n", r->unread);
    printf("%u of %u functions in %u modules can run\n", r->functions - r->failed, r->functions,
           r->modules);
}

/* All the fatbins of a program, or the one that the file is. False when some cannot be read. */
static bool add_file(struct report *r, const char *data, size_t size, const char *name)
{
    struct elf e;
    struct elf_section whole = {0}, parts = {0};

    if (elf_open(&e, data, size)) {
        whole = elf_find(&e, ".nv_fatbin");
        parts = elf_find(&e, "__nv_relfatbin"); /* -rdc=true */
    }
    bool good = whole.data ? add_section(r, whole.data, whole.size, name)
                           : add_image(r, data, size, name, false);
    r->parts = true;
    if (parts.data)
        good = add_section(r, parts.data, parts.size, name) && good;
    return good;
}

static void report_free(struct report *r)
{
    for (size_t i = 0; i < r->nrows; i++)
        free(r->rows[i].opcode);
    free(r->rows);
    free(r->reasons);
    free(r->unread_at);
}

int warplabSupport(const char *path)
{
    struct report r = {0};
    size_t size;
    char *data;

    rt_enter();
    if (file_read(path, SIZE_MAX, &data, &size)) {
        fprintf(stderr, "warplab: cannot read %s\n", path);
        return 2;
    }
    bool good = add_file(&r, data, size, path);
    if (!r.modules && !r.unread)
        fprintf(stderr, "warplab: %s: no PTX in it; nvcc embeds some with -arch=sm_XX\n", path);
    print_report(&r);
    report_free(&r);
    free(data);
    return good && r.modules && !r.failed && !r.unread ? 0 : 1;
}
