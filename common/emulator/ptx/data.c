/* data.c - constant expressions (PTX ISA 4.5), declarations of registers, variables and
 * parameters (5.4), initialisers (5.4.4).
 */
#include "private.h"
#include <string.h>

/* ---- constant expressions ---- */

static void nest(struct parser *p)
{
    if (++p->nesting > MAX_NESTING)
        parse_fail(p, &p->tok, "parentheses are nested more than %d deep", MAX_NESTING);
}

/* primary: integer | float | WARP_SZ | "(" expression ")" */
static struct constant primary(struct parser *p)
{
    struct token t = p->tok;
    struct constant c = {.value = t.value};
    if (accept_token(p, T_INT)) {
        c.is_unsigned = t.is_unsigned;
    } else if (accept_token(p, T_FLOAT)) {
        c.is_float = true;
        c.width = t.width;
    } else if (accept_token(p, '(')) {
        nest(p);
        c = parse_constant(p);
        p->nesting--;
        expect(p, ')', "')'");
    } else if (t.kind == T_IDENT && strcmp(t.name->text, "WARP_SZ") == 0) {
        advance(p);
        c.value = 32;
    } else {
        parse_fail(p, &t, "expected a constant, found %s", token_text(p, &t));
    }
    return c;
}

static struct constant negate(struct constant c)
{
    if (c.is_float)
        c.value ^= (uint64_t)1 << (c.width - 1);
    else
        c.value = -c.value;
    return c;
}

static void integer_only(struct parser *p, const struct token *where, const struct constant *c)
{
    if (c->is_float)
        parse_fail(p, where, "constant expressions are of integers only");
}

/* "(.s64)" or "(.u64)" in front of an operand */
static bool at_cast(const struct parser *p)
{
    return p->tok.kind == '(' && p->ahead.kind == T_DOT &&
           p->ahead.name->suffix_kind == SUFFIX_TYPE;
}

static struct constant cast(struct parser *p, struct constant (*operand)(struct parser *))
{
    advance(p);
    enum ptx_type type = p->tok.name->suffix;
    if (type != PTX_S64 && type != PTX_U64)
        parse_fail(p, &p->tok, "constants are cast to .s64 or .u64 only");
    advance(p);
    expect(p, ')', "')'");
    struct token where = p->tok;
    struct constant c = operand(p);
    integer_only(p, &where, &c);
    c.is_unsigned = type == PTX_U64;
    return c;
}

/* unary: ("+" | "-" | "!" | "~" | cast) unary | primary */
static struct constant unary(struct parser *p)
{
    struct token t = p->tok;
    bool sign = t.kind == '-' || t.kind == '+', logic = t.kind == '!' || t.kind == '~';
    if (!sign && !logic && !at_cast(p))
        return primary(p);
    nest(p);
    struct constant c;
    if (sign || logic) {
        advance(p);
        c = unary(p);
        if (logic)
            integer_only(p, &t, &c);
    } else {
        c = cast(p, unary);
    }
    p->nesting--;
    if (t.kind == '-')
        return negate(c);
    if (t.kind == '~')
        c.value = ~c.value;
    else if (t.kind == '!')
        c = (struct constant){.value = !c.value};
    return c;
}

static int precedence(int kind)
{
    static const struct {
        int kind, level;
    } levels[] = {
        {T_OROR, 1}, {T_ANDAND, 2}, {'|', 3}, {'^', 4},  {'&', 5},  {T_EQ, 6},
        {T_NE, 6},   {'<', 7},      {'>', 7}, {T_LE, 7}, {T_GE, 7}, {T_SHL, 8},
        {T_SHR, 8},  {'+', 9},      {'-', 9}, {'*', 10}, {'/', 10}, {'%', 10},
    };
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (levels[i].kind == kind)
            return levels[i].level;
    return 0;
}

static uint64_t divide(struct parser *p, const struct token *op, uint64_t a, uint64_t b,
                       bool is_unsigned)
{
    bool quotient = op->kind == '/';
    if (b == 0)
        parse_fail(p, op, "division by zero");
    if (is_unsigned)
        return quotient ? a / b : a % b;
    if (b == UINT64_MAX) /* -1: INT64_MIN / -1 would trap */
        return quotient ? -a : 0;
    return (uint64_t)(quotient ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static uint64_t shift(int kind, struct constant a, uint64_t by)
{
    if (kind == T_SHL)
        return by < 64 ? a.value << by : 0;
    if (a.is_unsigned)
        return by < 64 ? a.value >> by : 0;
    uint64_t sign = a.value >> 63 ? UINT64_MAX : 0;
    return by < 64 ? a.value >> by | (by ? sign << (64 - by) : 0) : sign;
}

static bool compare(int kind, uint64_t a, uint64_t b, bool is_unsigned)
{
    uint64_t bias = is_unsigned ? 0 : (uint64_t)1 << 63;
    a ^= bias;
    b ^= bias;
    switch (kind) {
    case '<':
        return a < b;
    case '>':
        return a > b;
    case T_LE:
        return a <= b;
    case T_GE:
        return a >= b;
    case T_EQ:
        return a == b;
    default:
        return a != b;
    }
}

static struct constant apply(struct parser *p, const struct token *op, struct constant a,
                             struct constant b)
{
    integer_only(p, op, &a);
    integer_only(p, op, &b);
    bool u = a.is_unsigned || b.is_unsigned;
    struct constant c = {.is_unsigned = u};
    switch (op->kind) {
    case '+':
        c.value = a.value + b.value;
        break;
    case '-':
        c.value = a.value - b.value;
        break;
    case '*':
        c.value = a.value * b.value;
        break;
    case '/':
    case '%':
        c.value = divide(p, op, a.value, b.value, u);
        break;
    case '&':
        c.value = a.value & b.value;
        break;
    case '|':
        c.value = a.value | b.value;
        break;
    case '^':
        c.value = a.value ^ b.value;
        break;
    case T_SHL:
    case T_SHR:
        c.is_unsigned = a.is_unsigned;
        c.value = shift(op->kind, a, b.value);
        break;
    case T_ANDAND:
        c = (struct constant){.value = a.value && b.value};
        break;
    case T_OROR:
        c = (struct constant){.value = a.value || b.value};
        break;
    default:
        c = (struct constant){.value = compare(op->kind, a.value, b.value, u)};
    }
    return c;
}

/* binary: unary { operator of at least this level, binary } */
static struct constant binary(struct parser *p, int level)
{
    struct constant a = unary(p);
    for (int l; (l = precedence(p->tok.kind)) >= level && l > 0;) {
        struct token op = p->tok;
        advance(p);
        a = apply(p, &op, a, binary(p, l + 1));
    }
    return a;
}

struct constant parse_constant_term(struct parser *p)
{
    return binary(p, 10);
}

/* expression: binary [ "?" expression ":" expression ] */
struct constant parse_constant(struct parser *p)
{
    struct constant c = binary(p, 1);
    struct token where = p->tok;
    if (!accept_token(p, '?'))
        return c;
    nest(p);
    integer_only(p, &where, &c);
    struct constant yes = parse_constant(p);
    expect(p, ':', "':'");
    struct constant no = parse_constant(p);
    p->nesting--;
    return c.value ? yes : no;
}

uint64_t parse_uint(struct parser *p, uint64_t max, const char *what)
{
    struct token where = p->tok;
    struct constant c = parse_constant(p);
    integer_only(p, &where, &c);
    if ((!c.is_unsigned && (int64_t)c.value < 0) || c.value > max)
        parse_fail(p, &where, "%s must be between 0 and %llu", what, (unsigned long long)max);
    return c.value;
}

/* ---- types, alignment, dimensions ---- */

/* What stands between the state space and the names of a declaration. */
struct decl {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t vector; /* 1, 2, 4 */
    uint32_t align;  /* 0: natural */
    bool is_managed;
    struct token where;
};

static bool at_suffix(const struct parser *p, enum suffix_kind kind)
{
    return p->tok.kind == T_DOT && p->tok.name->suffix_kind == kind;
}

static bool at_reference(const struct parser *p)
{
    unsigned m = at_suffix(p, SUFFIX_MOD) ? p->tok.name->suffix : M_none;
    return m == M_texref || m == M_samplerref || m == M_surfref;
}

bool at_space(const struct parser *p)
{
    return at_suffix(p, SUFFIX_SPACE);
}

static uint32_t parse_align(struct parser *p)
{
    struct token where = p->tok;
    uint32_t align = (uint32_t)parse_uint(p, MAX_ALIGN, ".align");
    if (align == 0 || (align & (align - 1)) != 0)
        parse_fail(p, &where, ".align must be a power of two");
    return align;
}

/* ".attribute" "(" ".managed" | ".unified" "(" integer "," integer ")" { "," ... } ")" */
static void parse_attribute(struct parser *p, struct decl *d)
{
    expect(p, '(', "'('");
    do {
        struct token t = p->tok;
        const char *word = t.kind == T_DOT ? t.name->text : "";
        advance(p);
        if (strcmp(word, "managed") == 0) {
            d->is_managed = true;
        } else if (strcmp(word, "unified") == 0) {
            expect(p, '(', "'('");
            parse_uint(p, UINT64_MAX, "an identifier");
            expect(p, ',', "','");
            parse_uint(p, UINT64_MAX, "an identifier");
            expect(p, ')', "')'");
        } else {
            parse_fail(p, &t, "unknown attribute %s", token_text(p, &t));
        }
    } while (accept_token(p, ','));
    expect(p, ')', "')'");
}

/* ".ptr" [space] [".align" n]: what a kernel's pointer parameter points to; a hint */
static void parse_pointee(struct parser *p)
{
    if (at_space(p))
        advance(p);
    if (accept_directive(p, DIR_align))
        parse_align(p);
}

/* space { ".align" n | ".attribute" (…) | ".ptr" … | vector | type } */
static struct decl parse_decl(struct parser *p)
{
    struct decl d = {.space = p->tok.name->suffix, .vector = 1, .where = p->tok};
    for (advance(p); p->tok.kind == T_DOT;) {
        if (accept_directive(p, DIR_align)) {
            d.align = parse_align(p);
        } else if (accept_directive(p, DIR_attribute)) {
            parse_attribute(p, &d);
        } else if (d.space == SPACE_PARAM && accept_directive(p, DIR_ptr)) {
            parse_pointee(p);
        } else if (at_suffix(p, SUFFIX_VECTOR)) {
            d.vector = p->tok.name->suffix;
            advance(p);
        } else if (at_suffix(p, SUFFIX_TYPE) && d.type == PTX_NOTYPE) {
            d.type = p->tok.name->suffix;
            advance(p);
        } else if (at_reference(p)) {
            parse_fail(p, &p->tok,
                       "texture and surface references: not supported (CUDA 12 removed them: make "
                       "an object with cudaCreateTextureObject or cudaCreateSurfaceObject)");
        } else {
            parse_fail(p, &p->tok, "unexpected %s in a declaration", token_text(p, &p->tok));
        }
    }
    if (d.type == PTX_NOTYPE)
        parse_fail(p, &p->tok, "expected a type, found %s", token_text(p, &p->tok));
    return d;
}

static void check_name(struct parser *p)
{
    if (p->tok.kind != T_IDENT)
        parse_fail(p, &p->tok, "expected a name, found %s", token_text(p, &p->tok));
}

/* Elements at each level of a (multi-dimensional) array: span[0] all, span[n] of one
 * innermost piece. A vector counts as one more dimension. */
struct shape {
    uint64_t span[MAX_DIMENSIONS + 2];
    uint32_t levels; /* dimensions, vector included */
    bool is_array, unsized;
    uint64_t size; /* bytes */
};

/* { "[" [n] "]" }: only the first dimension may be left open */
static struct shape parse_shape(struct parser *p, const struct decl *d, uint32_t bytes)
{
    uint64_t dims[MAX_DIMENSIONS + 1];
    struct token where = p->tok;
    struct shape s = {0};
    uint32_t n = 0;
    while (accept_token(p, '[')) {
        if (n == MAX_DIMENSIONS)
            parse_fail(p, &where, "more than %d dimensions", MAX_DIMENSIONS);
        s.is_array = true;
        bool open = n == 0 && p->tok.kind == ']';
        s.unsized |= open;
        dims[n++] = open ? 0 : parse_uint(p, MAX_BYTES, "an array's size");
        expect(p, ']', "']'");
    }
    if (d->vector > 1)
        dims[n++] = d->vector;
    s.levels = n;
    s.span[n] = 1;
    for (uint32_t i = n; i-- > 0;) {
        s.span[i] = s.span[i + 1] * dims[i];
        if (s.span[i] * bytes > MAX_BYTES)
            parse_fail(p, &where, "this variable is larger than 1 GiB");
    }
    s.size = s.span[0] * bytes;
    return s;
}

/* ---- registers ---- */

/* Not parse_constant(), to which the '>' after it would be an operator. */
static uint64_t parse_range_size(struct parser *p)
{
    struct token t = p->tok;
    expect(p, T_INT, "a number of registers");
    if (t.value > UINT32_MAX)
        parse_fail(p, &t, "too many registers");
    return t.value;
}

/* ".reg" [vector] type name [ "<" n ">" ] { "," … } ";" */
static void parse_registers(struct parser *p, const struct decl *d)
{
    do {
        check_name(p);
        struct token t = p->tok;
        advance(p);
        if (accept_token(p, '<')) {
            uint32_t count = (uint32_t)parse_range_size(p);
            if (t.name->ranges && t.name->ranges->depth == p->depth)
                parse_fail(p, &t, "'%s<…>' is declared twice in the same scope", t.name->text);
            if (d->vector > 1)
                parse_fail(p, &t, "ranges of vector registers are not supported");
            range_new(p, t.name, count, d->type);
            expect(p, '>', "'>'");
            continue;
        }
        struct binding *b = bind_token(p, &t, d->vector > 1 ? BIND_VECTOR_REG : BIND_REG);
        b->count = d->vector;
        b->index = reg_new(p, t.name->text, d->type);
        for (uint32_t i = 1; i < d->vector; i++)
            reg_new(p, t.name->text, d->type);
    } while (accept_token(p, ','));
}

/* ---- initialisers ---- */

struct filler {
    struct ptx_var *var;
    const struct shape *shape;
    uint32_t bytes; /* of one scalar */
    uint8_t *data;
    uint32_t capacity; /* of data, for arrays without a size */
    uint64_t end;      /* scalars filled so far, for the same */
    struct ptx_reloc *relocs;
    uint32_t relocs_cap;
};

static void charge(struct parser *p, uint64_t bytes)
{
    p->init_bytes += bytes;
    if (p->init_bytes > MAX_BYTES)
        parse_fail(p, &p->tok, "initialised variables take more than 1 GiB in all");
}

/* The bytes of scalar number n. */
static uint8_t *place(struct parser *p, struct filler *f, uint64_t n)
{
    uint64_t end = (n + 1) * f->bytes;
    if (f->shape->unsized) {
        if (end > MAX_BYTES)
            parse_fail(p, &p->tok, "this variable is larger than 1 GiB");
        if (end > f->capacity) {
            uint32_t before = f->capacity;
            f->data = array_grow(p, f->data, &f->capacity, (uint32_t)end - 1, 1);
            charge(p, f->capacity - before);
        }
    }
    if (n + 1 > f->end)
        f->end = n + 1;
    return f->data + n * f->bytes;
}

/* The bits of a constant as a value of type. ".b32 = 0f…" takes the bits as they are. */
static uint64_t constant_bits(struct parser *p, const struct token *where, struct constant c,
                              enum ptx_type type)
{
    bool to32 = type == PTX_F32 || (c.is_float && ptx_type_bits(type) == 32);
    bool to64 = type == PTX_F64 || (c.is_float && ptx_type_bits(type) == 64);
    double d;
    float f;
    if (!to32 && !to64) {
        if (c.is_float)
            parse_fail(p, where, "a .%s cannot hold this constant", ptx_type_name(type));
        return c.value;
    }
    if (c.is_float && c.width == 32) {
        if (to32)
            return c.value;
        uint32_t bits = (uint32_t)c.value;
        memcpy(&f, &bits, sizeof(f));
        d = (double)f;
    } else if (c.is_float) {
        memcpy(&d, &c.value, sizeof(d));
    } else {
        d = c.is_unsigned ? (double)c.value : (double)(int64_t)c.value;
    }
    if (to64) {
        memcpy(&c.value, &d, sizeof(d));
        return c.value;
    }
    f = (float)d;
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

/* address: (name | "generic" "(" address ")") { ("+" | "-") term } */
static void parse_address(struct parser *p, struct ptx_reloc *r)
{
    check_name(p);
    struct token t = p->tok;
    advance(p);
    if (strcmp(t.name->text, "generic") == 0 && accept_token(p, '(')) {
        nest(p);
        parse_address(p, r);
        p->nesting--;
        r->generic = true;
        expect(p, ')', "')'");
    } else {
        r->symbol = t.name->text;
    }
    while (p->tok.kind == '+' || p->tok.kind == '-') {
        struct token op = p->tok;
        advance(p);
        struct constant c = parse_constant_term(p);
        integer_only(p, &op, &c);
        r->addend = (int64_t)((uint64_t)r->addend + (op.kind == '+' ? c.value : -c.value));
    }
}

/* mask "(" address ")": one byte of an address */
static void parse_masked(struct parser *p, struct ptx_reloc *r)
{
    struct token t = p->tok;
    advance(p);
    expect(p, '(', "'('");
    parse_address(p, r);
    expect(p, ')', "')'");
    while (r->shift < 64 && t.value >> r->shift != 0xff)
        r->shift += 8;
    if (r->shift >= 64 || t.value != (uint64_t)0xff << r->shift)
        parse_fail(p, &t, "the mask of an address must select one byte");
}

static bool at_address(const struct parser *p)
{
    return p->tok.kind == T_IDENT && strcmp(p->tok.name->text, "WARP_SZ") != 0;
}

/* scalar: constant | address | mask "(" address ")" */
static void fill_scalar(struct parser *p, struct filler *f, uint64_t n)
{
    struct token where = p->tok;
    bool masked = p->tok.kind == T_INT && p->ahead.kind == '(';
    uint8_t *to = place(p, f, n);
    if (!masked && !at_address(p)) {
        struct constant c = parse_constant(p);
        uint64_t bits = constant_bits(p, &where, c, f->var->type);
        for (uint32_t i = 0; i < f->bytes; i++)
            to[i] = (uint8_t)(i < 8 ? bits >> (8 * i) : 0);
        return;
    }
    uint32_t k = f->var->nrelocs;
    struct ptx_reloc r = {.offset = n * f->bytes, .size = f->bytes};
    if (masked)
        parse_masked(p, &r);
    else
        parse_address(p, &r);
    if (f->bytes != (masked ? 1 : 8) && !(f->bytes == 4 && !masked))
        parse_fail(p, &where, "an address does not fit a .%s", ptx_type_name(f->var->type));
    f->relocs = array_grow(p, f->relocs, &f->relocs_cap, k, sizeof(*f->relocs));
    f->relocs[k] = r;
    f->var->nrelocs++;
}

/* "{" (list | scalar) { "," … } "}": scalars fill the innermost places in order; an inner
 * list fills one piece of the next dimension */
static void fill_list(struct parser *p, struct filler *f, uint32_t level, uint64_t start)
{
    const struct shape *s = f->shape;
    uint64_t end = level == 0 && s->unsized ? MAX_BYTES : start + s->span[level];
    uint64_t at = start;
    expect(p, '{', "'{'");
    while (p->tok.kind != '}') {
        struct token where = p->tok;
        bool list = where.kind == '{';
        uint64_t piece = list && level < s->levels ? s->span[level + 1] : 1;
        if (list && (level + 1 >= s->levels || piece == 0 || (at - start) % piece != 0))
            parse_fail(p, &where, "this variable has no dimension for these braces");
        if (at + piece > end)
            parse_fail(p, &where, "there are more values than elements");
        if (list)
            fill_list(p, f, level + 1, at);
        else
            fill_scalar(p, f, at);
        at += piece;
        if (p->tok.kind != '}')
            expect(p, ',', "',' or '}'");
    }
    if (s->unsized && level > 0 && end > start)
        place(p, f, end - 1);
    advance(p);
}

static void parse_initialiser(struct parser *p, struct ptx_var *v, const struct shape *s,
                              uint32_t bytes)
{
    struct filler f = {.var = v, .shape = s, .bytes = bytes};
    if (v->space == SPACE_SHARED || v->space == SPACE_LOCAL || v->space == SPACE_PARAM)
        parse_fail(p, &p->tok, "only .global and .const variables have initial values");
    if (v->is_extern)
        parse_fail(p, &p->tok, "an .extern variable has no initial value");
    if (!s->unsized) {
        charge(p, v->size);
        f.data = arena_alloc(p, v->size ? v->size : 1);
    }
    if (s->levels == 0 && p->tok.kind != '{')
        fill_scalar(p, &f, 0);
    else
        fill_list(p, &f, 0, 0);
    if (s->unsized)
        v->size = (f.end * bytes + v->elem - 1) / v->elem * v->elem;
    if (s->unsized && v->size > f.end * bytes)
        place(p, &f, v->size / bytes - 1);
    v->init = f.data;
    v->relocs = array_trim(p, f.relocs, &f.relocs_cap, v->nrelocs, sizeof(*f.relocs));
}

/* ---- variables and parameters ---- */

static struct ptx_var *new_var(struct parser *p, const struct decl *d, const struct token *name,
                               struct shape *s)
{
    uint32_t bytes = ptx_type_bits(d->type) / 8;
    if (bytes == 0)
        parse_fail(p, name, "a variable cannot be of type .%s", ptx_type_name(d->type));
    struct ptx_var *v = arena_alloc(p, sizeof(*v));
    *s = parse_shape(p, d, bytes);
    v->name = name->name->text;
    v->space = d->space;
    v->type = d->type;
    v->elem = bytes * d->vector;
    v->align = d->align ? d->align : v->elem;
    v->size = s->size;
    v->is_array = s->is_array;
    v->is_managed = d->is_managed;
    v->func = p->func;
    v->loc = p->loc;
    v->loc.ptx_line = name->line;
    return v;
}

/* Puts v where its scope keeps variables; an earlier .extern declaration takes over what
 * the definition says, so that uses of it stay good. */
static void keep_var(struct parser *p, struct ptx_var *v, const struct token *name)
{
    struct ptx_module *m = p->module;
    struct binding *old = p->depth == 0 ? name->name->top : NULL;
    if (old) {
        if (old->kind != BIND_VAR || (!old->var->is_extern && !v->is_extern))
            parse_fail(p, name, "'%s' is defined twice", v->name);
        if (old->var->space != v->space)
            parse_fail(p, name, "'%s' was declared in another state space", v->name);
        if (!v->is_extern)
            *old->var = *v;
        return;
    }
    if (p->depth == 0 || v->space == SPACE_GLOBAL || v->space == SPACE_CONST) {
        m->vars = array_grow(p, m->vars, &p->vars_cap, m->nvars, sizeof(struct ptx_var *));
        m->vars[m->nvars++] = v;
    } else {
        struct ptx_func *f = p->func;
        f->vars = array_grow(p, f->vars, &p->func_vars_cap, f->nvars, sizeof(struct ptx_var *));
        f->vars[f->nvars++] = v;
    }
    bind_token(p, name, BIND_VAR)->var = v;
}

/* name {dimension} [ "=" initialiser ] */
static void parse_variable(struct parser *p, const struct decl *d, struct var_flags flags)
{
    check_name(p);
    struct token name = p->tok;
    struct shape s;
    advance(p);
    struct ptx_var *v = new_var(p, d, &name, &s);
    v->is_extern = flags.is_extern;
    v->is_visible = flags.is_visible;
    v->is_weak = flags.is_weak;
    v->is_common = flags.is_common;
    if (accept_token(p, '='))
        parse_initialiser(p, v, &s, ptx_type_bits(d->type) / 8);
    else if (s.unsized && !v->is_extern)
        parse_fail(p, &name, "the size of '%s' is missing", v->name);
    keep_var(p, v, &name);
}

void parse_variables(struct parser *p, struct var_flags flags)
{
    struct decl d = parse_decl(p);
    if (!p->func && (d.space == SPACE_REG || d.space == SPACE_PARAM || d.space == SPACE_LOCAL))
        parse_fail(p, &d.where, "%s variables belong inside a function", token_text(p, &d.where));
    if (d.space == SPACE_REG) {
        parse_registers(p, &d);
    } else {
        do
            parse_variable(p, &d, flags);
        while (accept_token(p, ','));
    }
    expect(p, ';', "';'");
}

struct ptx_var *parse_parameter(struct parser *p, struct ptx_func *owner)
{
    if (!at_suffix(p, SUFFIX_SPACE) || p->tok.name->suffix != SPACE_PARAM)
        parse_fail(p, &p->tok,
                   "expected a .param declaration, found %s; other parameters are not "
                   "supported",
                   token_text(p, &p->tok));
    struct decl d = parse_decl(p);
    check_name(p);
    struct token name = p->tok;
    struct shape s;
    advance(p);
    struct ptx_var *v = new_var(p, &d, &name, &s);
    v->func = owner;
    return v;
}
