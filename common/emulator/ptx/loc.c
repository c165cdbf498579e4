/* loc.c - line information (PTX ISA 11.5): .file, .loc, and the names of inlined
 * functions in .section .debug_str. Other sections are read past.
 */
#include "private.h"
#include <string.h>

/* ".file" index string [ "," timestamp "," size ] */
void parse_file(struct parser *p)
{
    struct ptx_module *m = p->module;
    advance(p);
    uint32_t index = (uint32_t)parse_uint(p, MAX_FILES, "a file's number");
    struct token t = p->tok;
    expect(p, T_STRING, "a file's name");
    while (accept_token(p, ','))
        parse_uint(p, UINT64_MAX, "a timestamp or size");
    m->files = array_grow(p, m->files, &p->files_cap, index, sizeof(*m->files));
    m->files[index] = arena_text(p, p->text + t.offset, t.length);
    if (index > p->max_file)
        p->max_file = index;
}

/* ---- .loc ---- */

static void parse_place(struct parser *p, uint32_t *file, uint32_t *line, uint32_t *column)
{
    *file = (uint32_t)parse_uint(p, MAX_FILES, "a file's number");
    *line = (uint32_t)parse_uint(p, UINT32_MAX, "a line");
    *column = (uint32_t)parse_uint(p, UINT32_MAX, "a column");
    if (*file > p->max_file)
        p->max_file = *file;
}

/* (label | ".debug_str") [ "+" n ] */
static struct inlined_name parse_function_name(struct parser *p)
{
    struct inlined_name n = {0};
    struct token t = p->tok;
    if (t.kind == T_IDENT)
        n.label = t.name;
    else if (t.kind != T_DOT || strcmp(t.name->text, "debug_str") != 0)
        parse_fail(p, &t, "expected a label or .debug_str, found %s", token_text(p, &t));
    advance(p);
    if (accept_token(p, '+'))
        n.offset = parse_uint(p, UINT32_MAX, "an offset");
    return n;
}

static struct position *position_find(struct parser *p, uint32_t file, uint32_t line,
                                      uint32_t column);

static void positions_double(struct parser *p)
{
    uint32_t size = p->positions_size ? p->positions_size * 2 : 256, capacity = 0;
    struct position *old = p->positions;
    uint32_t old_size = p->positions_size;
    p->positions = array_grow(p, NULL, &capacity, size - 1, sizeof(*old));
    p->positions_size = size;
    p->npositions = 0;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].func)
            *position_find(p, old[i].file, old[i].line, old[i].column) = old[i];
}

/* The entry of a position; a new one is unused (func 0). */
static struct position *position_find(struct parser *p, uint32_t file, uint32_t line,
                                      uint32_t column)
{
    if (p->npositions >= p->positions_size / 2)
        positions_double(p);
    uint64_t h = (file * 0x9e3779b1ull ^ line) * 0x9e3779b97f4a7c15ull ^ column;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    uint32_t at = (uint32_t)(h >> 32) & (p->positions_size - 1);
    struct position *e;
    while (e = &p->positions[at], e->func) {
        if (e->file == file && e->line == line && e->column == column)
            return e;
        at = (at + 1) & (p->positions_size - 1);
    }
    p->npositions++;
    *e = (struct position){.file = file, .line = line, .column = column};
    return e;
}

/* Number of the inlining that a .loc names: the one of the same place again, or a new one. */
static uint32_t find_inlined(struct parser *p, uint32_t last, const struct ptx_inlined *site,
                             const struct inlined_name *function)
{
    struct ptx_module *m = p->module;
    if (last) {
        const struct ptx_inlined *i = &m->inlined[last];
        const struct inlined_name *n = &p->inlined_names[last];
        if (i->file == site->file && i->line == site->line && i->column == site->column &&
            i->parent == site->parent && n->label == function->label &&
            n->offset == function->offset)
            return last;
    }
    uint32_t k = m->ninlined ? m->ninlined : 1;
    m->inlined = array_grow(p, m->inlined, &p->inlined_cap, k, sizeof(*m->inlined));
    p->inlined_names =
        array_grow(p, p->inlined_names, &p->inlined_names_cap, k, sizeof(*p->inlined_names));
    m->inlined[k] = *site;
    p->inlined_names[k] = *function;
    m->ninlined = k + 1;
    return k;
}

/* ".loc" file line column [ "," "function_name" name ] [ "," "inlined_at" file line column ]
 *
 * The call site of an inlined function may be inlined itself: it is the position of an
 * earlier .loc, and what that one said of itself is this one's parent. */
void parse_loc(struct parser *p)
{
    struct ptx_inlined site = {0};
    struct inlined_name function = {0};
    bool inlined = false;
    struct ptx_loc *l = &p->loc;
    advance(p);
    parse_place(p, &l->file, &l->line, &l->column);
    while (accept_token(p, ',')) {
        struct token t = p->tok;
        const char *word = t.kind == T_IDENT ? t.name->text : "";
        advance(p);
        if (strcmp(word, "function_name") == 0) {
            function = parse_function_name(p);
        } else if (strcmp(word, "inlined_at") == 0) {
            parse_place(p, &site.file, &site.line, &site.column);
            inlined = true;
        } else {
            parse_fail(p, &t, "unknown attribute %s of .loc", token_text(p, &t));
        }
    }
    uint32_t func = p->module->nfuncs + 1;
    if (inlined) {
        struct position *up = position_find(p, site.file, site.line, site.column);
        site.parent = up->func == func ? up->inlined : 0;
        if (!up->func) /* looked up only: leave a mark, so that the table stays sound */
            *up = (struct position){site.file, site.line, site.column, func, 0};
    }
    struct position *here = position_find(p, l->file, l->line, l->column);
    uint32_t last = here->func == func ? here->inlined : 0;
    here->func = func;
    here->inlined = l->inlined = inlined ? find_inlined(p, last, &site, &function) : 0;
}

/* ---- .section ---- */

/* { label ":" | ".b8" n { "," n } }, up to the closing brace */
static void parse_debug_str(struct parser *p)
{
    while (p->tok.kind != '}') {
        struct token t = p->tok;
        if (t.kind == T_IDENT && p->ahead.kind == ':') {
            t.name->debug_offset = p->ndebug_str + 1;
            advance(p);
            advance(p);
            continue;
        }
        if (t.kind != T_DOT || strcmp(t.name->text, "b8") != 0)
            parse_fail(p, &t, "expected a label or .b8, found %s", token_text(p, &t));
        advance(p);
        do {
            p->debug_str = array_grow(p, p->debug_str, &p->debug_str_cap, p->ndebug_str + 1, 1);
            p->debug_str[p->ndebug_str++] = (char)parse_uint(p, 255, "a byte");
        } while (accept_token(p, ','));
    }
}

/* ".section" name "{" … "}" */
void parse_section(struct parser *p)
{
    struct token where = p->tok;
    advance(p);
    struct token t = p->tok;
    if (t.kind != T_DOT && t.kind != T_IDENT)
        parse_fail(p, &t, "expected a section's name, found %s", token_text(p, &t));
    advance(p);
    expect(p, '{', "'{'");
    if (strcmp(t.name->text, "debug_str") == 0)
        parse_debug_str(p);
    for (uint32_t open = 1; open > 0; advance(p)) {
        if (p->tok.kind == T_EOF)
            parse_fail(p, &where, "this section does not end");
        open += p->tok.kind == '{';
        open -= p->tok.kind == '}';
    }
}

/* ---- the end ---- */

static const char *function_text(const struct parser *p, const struct inlined_name *n)
{
    uint64_t at = n->offset;
    if (n->label && n->label->debug_offset == 0)
        return "?";
    if (n->label)
        at += n->label->debug_offset - 1;
    return at < p->ndebug_str ? p->debug_str + at : "?"; /* a NUL follows the last byte */
}

/* Line information comes last in the text: what refers to it is filled in now. */
void finish_locations(struct parser *p)
{
    struct ptx_module *m = p->module;
    for (uint32_t i = 1; i < m->ninlined; i++)
        m->inlined[i].function = function_text(p, &p->inlined_names[i]);
    m->files = array_grow(p, m->files, &p->files_cap, p->max_file, sizeof(*m->files));
    m->nfiles = p->max_file + 1;
    m->files[0] = NULL;
    for (uint32_t i = 1; i < m->nfiles; i++)
        if (!m->files[i])
            m->files[i] = "?";
}
