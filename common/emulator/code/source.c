/* source.c - places in the sources for messages and counters (source.h). */
#include "source.h"
#include "base/alloc.h"
#include "emulator/base/options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 120 /* bytes of a file's name in a message */

/* ---- the toolkit's headers ---- */

/* Parts of the paths that nvcc and NVRTC give the headers of a toolkit, wherever it was
 * installed (/usr/local/cuda-13.0, a package of pip's or conda's, a CCCL of one's own). */
static const char *const toolkit_parts[] = {
    "/targets/x86_64-linux/include/",
    "/targets/sbsa-linux/include/",
    "/cuda/include/",
    "/include/cccl/",
    "/include/cooperative_groups",
    "/include/crt/",
    "/nvidia/cu13/include/",
    "/nvidia/cuda_runtime/include/",
    "/cub/cub/",
    "/thrust/thrust/",
    "/libcudacxx/include/",
};
static const char *const toolkit_starts[] = {
    "/usr/include/",
    "/usr/lib/gcc/",
    "/usr/local/cuda",
    "cooperative_groups",
};

bool source_is_toolkit(const char *path)
{
    for (size_t i = 0; i < sizeof(toolkit_starts) / sizeof(*toolkit_starts); i++)
        if (!strncmp(path, toolkit_starts[i], strlen(toolkit_starts[i])) &&
            (toolkit_starts[i][0] != '/' || strstr(path, "/include")))
            return true;
    for (size_t i = 0; i < sizeof(toolkit_parts) / sizeof(*toolkit_parts); i++)
        if (strstr(path, toolkit_parts[i]))
            return true;
    return false;
}

static bool ends_with(const char *path, const char *name)
{
    size_t n = strlen(path), m = strlen(name);

    return n >= m && !strcmp(path + n - m, name);
}

/* One instruction a function, by its name: what is said of it is said of who calls it. */
static bool is_wrapper(const char *path)
{
    return ends_with(path, "/device/tensor.cuh");
}

static bool is_below(const char *path)
{
    return source_is_toolkit(path) || is_wrapper(path);
}

/* CUB's merges read one element past the end of a tile and do not use it, CUTLASS's matrix products
 * the stage after the last: that is no business of a program's that calls them. */
bool site_of_a_library(const char *kernel, const struct site *s)
{
    if (!emu_options()->libraries)
        return false;
    return strncmp(kernel, "_ZN3cub", 7) == 0 || strncmp(kernel, "_ZN6thrust", 10) == 0 ||
           strncmp(kernel, "_ZN7cutlass", 11) == 0 ||
           (s->inner_file && source_is_toolkit(s->inner_file) &&
            !ends_with(s->inner_file, "/crt/mma.hpp")) || /* load_matrix_sync and the like */
           (s->file && source_is_toolkit(s->file));
}

/* ---- sites ---- */

static const char *file_name(const struct ptx_module *m, uint32_t file)
{
    return file && file < m->nfiles ? m->files[file] : NULL;
}

void site_locate(const struct ptx_module *m, const struct ptx_loc *loc, struct site *s)
{
    const char *file = file_name(m, loc->file);

    s->ptx_line = loc->ptx_line;
    s->file = file;
    s->line = loc->line;
    s->column = loc->column;
    if (!file || !is_below(file))
        return;
    for (uint32_t i = loc->inlined; i && i < m->ninlined; i = m->inlined[i].parent) {
        const struct ptx_inlined *call = &m->inlined[i];
        const char *caller = file_name(m, call->file);

        if (!caller || is_below(caller))
            continue;
        s->inner_file = file;
        s->inner_line = loc->line;
        s->file = caller;
        s->line = call->line;
        s->column = call->column;
        return;
    }
}

void source_put(struct text *t, const char *path)
{
    size_t n = strlen(path);

    if (n > LONGEST_NAME) {
        path += n - LONGEST_NAME;
        while ((*path & 0xc0) == 0x80) /* from the start of a character */
            path++;
        text_add(t, "…");
    }
    text_printable(t, path, strlen(path), false);
}

char *site_text(const struct site *s)
{
    const char *slash = s && s->inner_file ? strrchr(s->inner_file, '/') : NULL;
    struct text t = {0};

    if (s && s->file && (s->line || s->inner_file)) {
        source_put(&t, s->file);
        text_addf(&t, ":%u", s->line);
    } else if (s) {
        text_addf(&t, "PTX line %u", s->ptx_line);
    }
    if (s && s->inner_file) {
        text_add(&t, " (in ");
        source_put(&t, slash ? slash + 1 : s->inner_file);
        text_addf(&t, ":%u)", s->inner_line);
    }
    return text_take(&t);
}

/* ---- places in PTX that does not parse ---- */

static const char *next_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    return newline ? newline + 1 : end;
}

/* "	.loc	1 12 3" or "	.file	1 "saxpy.cu"": the words after the directive. */
static const char *directive(const char *line, const char *end, const char *word)
{
    size_t n = strlen(word);

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if ((size_t)(end - line) < n || strncmp(line, word, n) != 0)
        return NULL;
    return line + n;
}

/* Adds the name that a .file directive of this number gives. */
static bool put_file(struct text *t, const char *text, const char *end, unsigned number)
{
    for (const char *at = text; at < end; at = next_line(at, end)) {
        const char *line_end = next_line(at, end), *words = directive(at, end, ".file");
        const char *from = words ? memchr(words, '"', (size_t)(line_end - words)) : NULL;
        const char *to = from ? memchr(from + 1, '"', (size_t)(line_end - from - 1)) : NULL;

        if (!to || (unsigned)atoi(words) != number)
            continue;
        char *name = xformat("%.*s", (int)(to - from - 1), from + 1);
        source_put(t, name);
        free(name);
        return true;
    }
    return false;
}

char *source_before(const char *text, size_t length, uint32_t ptx_line)
{
    const char *end = text + length, *at = text;
    unsigned file = 0, line = 0;
    struct text t = {0};

    for (uint32_t n = 1; n < ptx_line && at < end; n++, at = next_line(at, end)) {
        const char *words = directive(at, end, ".loc");
        char numbers[64];

        if (!words && directive(at, end, "}"))
            file = 0; /* the end of a function, most likely */
        if (!words)
            continue;
        snprintf(numbers, sizeof(numbers), "%.*s", 32 < end - words ? 32 : (int)(end - words),
                 words);
        if (sscanf(numbers, "%9u %9u", &file, &line) != 2)
            file = 0;
    }
    if (file && put_file(&t, text, end, file))
        text_addf(&t, ":%u", line);
    return text_take(&t);
}
