/* arena.c - memory of one PTX module, growing arrays, and how a parse fails.
 *
 * Everything a module owns is in one list of blocks. Small pieces are cut from chunks;
 * an array is a block of its own, so that it can grow in place.
 */
#include "private.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 32768

__attribute__((noreturn)) static void out_of_memory(struct parser *p)
{
    parse_fail(p, NULL, "out of memory");
}

static struct arena_block *block_new(struct parser *p, size_t size)
{
    struct arena *a = &p->arena;
    struct arena_block *b = calloc(1, sizeof(*b) + size);
    if (b) {
        b->size = size;
        b->next = a->blocks;
        if (a->blocks)
            a->blocks->prev = b;
        a->blocks = b;
        return b;
    }
    out_of_memory(p);
}

void *arena_alloc(struct parser *p, size_t size)
{
    struct arena *a = &p->arena;
    size = (size + 15) & ~(size_t)15;
    if (size > CHUNK / 4)
        return block_new(p, size)->bytes;
    if (!a->chunk || a->used + size > a->chunk->size) {
        a->chunk = block_new(p, CHUNK);
        a->used = 0;
    }
    void *piece = a->chunk->bytes + a->used;
    a->used += size;
    return piece;
}

const char *arena_text(struct parser *p, const char *text, size_t length)
{
    char *copy = arena_alloc(p, length + 1);
    memcpy(copy, text, length);
    return copy;
}

static struct arena_block *block_of(void *array)
{
    return (struct arena_block *)((unsigned char *)array - offsetof(struct arena_block, bytes));
}

static void *array_resize(struct parser *p, void *array, size_t size)
{
    if (!array)
        return block_new(p, size)->bytes;
    struct arena_block *b = block_of(array);
    size_t old = b->size;
    b = realloc(b, sizeof(*b) + size);
    if (!b)
        out_of_memory(p);
    b->size = size;
    if (size > old)
        memset(b->bytes + old, 0, size - old);
    if (b->prev)
        b->prev->next = b;
    else
        p->arena.blocks = b;
    if (b->next)
        b->next->prev = b;
    return b->bytes;
}

void *array_grow(struct parser *p, void *array, uint32_t *capacity, uint32_t n, size_t element)
{
    if (n < *capacity)
        return array;
    uint64_t wanted = *capacity < 4 ? 4 : *capacity + (uint64_t)*capacity / 2;
    if (wanted <= n)
        wanted = (uint64_t)n + 1;
    if (wanted > UINT32_MAX)
        out_of_memory(p);
    array = array_resize(p, array, wanted * element);
    *capacity = (uint32_t)wanted;
    return array;
}

void *array_trim(struct parser *p, void *array, uint32_t *capacity, uint32_t n, size_t element)
{
    if (!array || n == *capacity || n == 0)
        return array;
    *capacity = n;
    return array_resize(p, array, n * element);
}

static void free_blocks(struct arena_block *b)
{
    while (b) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
}

void arena_free(struct arena *a)
{
    free_blocks(a->blocks);
    a->blocks = NULL;
    a->chunk = NULL;
}

void ptx_free(struct ptx_module *m)
{
    if (m)
        free_blocks(m->arena);
}

/* ---- errors ---- */

#define SHOWN 100 /* characters of a source line in a message */

/* The line around offset with a caret under it, in at most size bytes. Lines of inline
 * assembly can be thousands of characters long: a window of them is shown. */
static void show_line(const struct parser *p, size_t offset, char *out, size_t size)
{
    size_t start = offset, end = offset;
    while (start > 0 && p->text[start - 1] != '\n')
        start--;
    while (end < p->length && p->text[end] != '\n')
        end++;
    while (start < offset && isspace((unsigned char)p->text[start]))
        start++;
    if (offset - start > SHOWN * 2 / 3)
        start = offset - SHOWN * 2 / 3;
    if (end - start > SHOWN)
        end = start + SHOWN;
    char line[SHOWN + 1];
    size_t n = end - start;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p->text[start + i];
        line[i] = (char)(c < 32 || c > 126 ? (c == '\t' || c == '\r' ? ' ' : '?') : c);
    }
    while (n > 0 && line[n - 1] == ' ' && n > offset - start)
        n--;
    line[n] = 0;
    snprintf(out, size, "\n  %s\n  %*s^", line, (int)(offset - start), "");
}

void parse_fail(struct parser *p, const struct token *where, const char *format, ...)
{
    struct ptx_error *e = p->error;
    *e = (struct ptx_error){.newer = e->newer};
    int n = 0;
    if (where) {
        size_t start = where->offset;
        while (start > 0 && p->text[start - 1] != '\n')
            start--;
        e->line = where->line;
        e->column = (uint32_t)(where->offset - start + 1);
        n = snprintf(e->message, sizeof(e->message), "line %u: ", e->line);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(e->message + n, sizeof(e->message) - (size_t)n, format, args);
    va_end(args);
    n = snprintf(e->text, sizeof(e->text), "%s", e->message);
    if (where)
        show_line(p, where->offset, e->text + n, sizeof(e->text) - (size_t)n);
    longjmp(p->failed, 1);
}
