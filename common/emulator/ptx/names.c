/* names.c - interned names, keyword tables, scopes.
 *
 * A name's meaning is a stack of bindings, one per scope that declares it, innermost on
 * top; leaving a scope pops what it declared (PTX ISA 4.4.2, 5.4.6). Uses of labels wait in
 * their scope until it ends, since a label may follow its use.
 */
#include "private.h"
#include <string.h>

/* ---- keywords ---- */

static const struct {
    const char *text;
    unsigned bits;
} types[PTX_TYPE_COUNT] = {[PTX_NOTYPE] = {"notype", 0},
#define X(id, text, bits) [PTX_##id] = {text, bits},
                           PTX_TYPES(X)
#undef X
};

static const char *const ops[OP_COUNT] = {
#define OPCODE(name, ...) [OP_##name] = #name,
#define UNSUPPORTED(name) [OP_##name] = #name,
#include "opcodes.def"
};

static const char *const mods[M_COUNT] = {[M_none] = "",
#define X(name) [M_##name] = #name,
                                          PTX_MODS(X)
#undef X
};

static const char *const directives[] = {"",
#define X(name) #name,
                                         PTX_DIRECTIVES(X)
#undef X
};

static const struct {
    const char *text;
    enum suffix_kind kind;
    uint16_t value;
} suffixes[] = {
    {"reg", SUFFIX_SPACE, SPACE_REG},
    {"const", SUFFIX_SPACE, SPACE_CONST},
    {"global", SUFFIX_SPACE, SPACE_GLOBAL},
    {"local", SUFFIX_SPACE, SPACE_LOCAL},
    {"param", SUFFIX_SPACE, SPACE_PARAM},
    {"param::entry", SUFFIX_SPACE, SPACE_PARAM},
    {"param::func", SUFFIX_SPACE, SPACE_PARAM},
    {"shared", SUFFIX_SPACE, SPACE_SHARED},
    {"shared::cta", SUFFIX_SPACE, SPACE_SHARED},
    {"shared::cluster", SUFFIX_SPACE, SPACE_SHARED_CLUSTER},
    {"v2", SUFFIX_VECTOR, 2},
    {"v4", SUFFIX_VECTOR, 4},
    {"v8", SUFFIX_VECTOR, 8},
    /* These change no result. */
    {"ca", SUFFIX_DROP, 0},
    {"cg", SUFFIX_DROP, 0},
    {"cs", SUFFIX_DROP, 0},
    {"cv", SUFFIX_DROP, 0},
    {"lu", SUFFIX_DROP, 0},
    {"wb", SUFFIX_DROP, 0},
    {"wt", SUFFIX_DROP, 0},
    {"L1::evict_normal", SUFFIX_DROP, 0},
    {"L1::evict_unchanged", SUFFIX_DROP, 0},
    {"L1::evict_first", SUFFIX_DROP, 0},
    {"L1::evict_last", SUFFIX_DROP, 0},
    {"L1::no_allocate", SUFFIX_DROP, 0},
    {"L2::evict_normal", SUFFIX_DROP, 0},
    {"L2::evict_unchanged", SUFFIX_DROP, 0},
    {"L2::evict_first", SUFFIX_DROP, 0},
    {"L2::evict_last", SUFFIX_DROP, 0},
    {"L2::64B", SUFFIX_DROP, 0},
    {"L2::128B", SUFFIX_DROP, 0},
    {"L2::256B", SUFFIX_DROP, 0},
    {"L2::cache_hint", SUFFIX_DROP, SUFFIX_HINT},
};

const char *ptx_type_name(enum ptx_type t)
{
    return (unsigned)t < PTX_TYPE_COUNT ? types[t].text : "?";
}

unsigned ptx_type_bits(enum ptx_type t)
{
    return (unsigned)t < PTX_TYPE_COUNT ? types[t].bits : 0;
}

const char *ptx_op_name(enum ptx_op op)
{
    return (unsigned)op < OP_COUNT ? ops[op] : "?";
}

const char *ptx_mod_name(enum ptx_mod m)
{
    return (unsigned)m < M_COUNT ? mods[m] : "?";
}

/* ---- interning ---- */

/* FNV-1a. The seed, another in every process, keeps names chosen to collide from doing so. */
static uint32_t hash_text(const struct parser *p, const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325 ^ (uintptr_t)p;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
    return (uint32_t)(h ^ h >> 32);
}

static void names_double(struct parser *p)
{
    uint32_t size = p->names_size ? p->names_size * 2 : NAME_TABLE_SIZE;
    uint32_t capacity = 0;
    struct name **table = array_grow(p, NULL, &capacity, size - 1, sizeof(*table));
    for (uint32_t i = 0; i < p->names_size; i++) {
        struct name *n = p->names[i];
        if (!n)
            continue;
        uint32_t at = n->hash & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = n;
    }
    p->names = table;
    p->names_size = size;
}

/* Where a name is in the table, or the empty place where it would go. */
static struct name **find_slot(struct parser *p, const char *text, size_t length, uint32_t hash)
{
    uint32_t at = hash & (p->names_size - 1);
    for (; p->names[at]; at = (at + 1) & (p->names_size - 1)) {
        struct name *n = p->names[at];
        if (n->hash == hash && n->length == length && memcmp(n->text, text, length) == 0)
            break;
    }
    return &p->names[at];
}

static struct name *name_find(struct parser *p, const char *text, size_t length)
{
    return *find_slot(p, text, length, hash_text(p, text, length));
}

static struct name *name_new(struct parser *p, const char *text, size_t length, uint32_t hash)
{
    struct name *n = arena_alloc(p, sizeof(*n));
    n->text = arena_text(p, text, length);
    n->length = (uint32_t)length;
    n->hash = hash;
    p->nnames++;
    return n;
}

struct name *name_intern(struct parser *p, const char *text, size_t length)
{
    if (p->nnames >= p->names_size / 2)
        names_double(p);
    uint32_t hash = hash_text(p, text, length);
    struct name **slot = find_slot(p, text, length, hash);
    if (!*slot)
        *slot = name_new(p, text, length, hash);
    return *slot;
}

static struct name *keyword(struct parser *p, const char *text)
{
    return name_intern(p, text, strlen(text));
}

static void set_suffix(struct name *n, enum suffix_kind kind, unsigned value)
{
    n->suffix_kind = (uint8_t)kind;
    n->suffix = (uint16_t)value;
}

void names_init(struct parser *p)
{
    for (unsigned i = 0; i < OP_COUNT; i++)
        keyword(p, ops[i])->op = (uint16_t)(i + 1);
    for (unsigned i = 1; i < sizeof(directives) / sizeof(directives[0]); i++)
        keyword(p, directives[i])->directive = (uint8_t)i;
    for (unsigned i = M_none + 1; i < M_COUNT; i++)
        set_suffix(keyword(p, mods[i]), SUFFIX_MOD, i);
    for (unsigned i = 1; i < PTX_TYPE_COUNT; i++)
        set_suffix(keyword(p, types[i].text), SUFFIX_TYPE, i);
    for (unsigned i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
        set_suffix(keyword(p, suffixes[i].text), suffixes[i].kind, suffixes[i].value);
}

int mod_find(const char *text, size_t length)
{
    for (int i = M_none + 1; i < M_COUNT; i++)
        if (strlen(mods[i]) == length && memcmp(mods[i], text, length) == 0)
            return i;
    return -1;
}

/* ---- bindings ---- */

struct binding *bind_at(struct parser *p, struct name *name, enum binding_kind kind, uint32_t depth)
{
    struct binding *b = arena_alloc(p, sizeof(*b));
    b->kind = kind;
    b->depth = depth;
    b->name = name;
    b->below = name->top;
    name->top = b;
    b->next_in_scope = p->scopes[depth].bindings;
    p->scopes[depth].bindings = b;
    return b;
}

struct binding *bind_token(struct parser *p, const struct token *where, enum binding_kind kind)
{
    struct name *name = where->name;
    if (name->top && name->top->depth == p->depth)
        parse_fail(p, where, "'%s' is declared twice in the same scope", name->text);
    return bind_at(p, name, kind, p->depth);
}

uint32_t reg_new(struct parser *p, const char *name, enum ptx_type type)
{
    struct ptx_func *f = p->func;
    f->regs = array_grow(p, f->regs, &p->regs_cap, f->nregs, sizeof(*f->regs));
    f->regs[f->nregs] = (struct ptx_reg){.name = name, .type = type};
    return f->nregs++;
}

/* The innermost range that a name's text, a prefix and a number, belongs to. "%r12" can be
 * %r<13>'s or %r1<3>'s, so every split is tried. */
static const struct reg_range *find_range(struct parser *p, const struct name *name)
{
    const struct reg_range *best = NULL;
    uint64_t number = 0, scale = 1;
    for (uint32_t at = name->length - 1; at > 0 && scale <= UINT32_MAX; at--, scale *= 10) {
        char digit = name->text[at];
        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * scale;
        if (digit == '0' && at + 1 < name->length)
            continue; /* %r05 is not %r<9>'s */
        const struct name *prefix = name_find(p, name->text, at);
        for (const struct reg_range *r = prefix ? prefix->ranges : NULL; r; r = r->below) {
            if (number < r->count) {
                if (!best || r->depth > best->depth)
                    best = r;
                break;
            }
        }
    }
    return best;
}

void range_new(struct parser *p, struct name *prefix, uint32_t count, enum ptx_type type)
{
    struct reg_range *r = arena_alloc(p, sizeof(*r));
    struct scope *s = &p->scopes[p->depth];
    *r = (struct reg_range){.prefix = prefix,
                            .count = count,
                            .type = type,
                            .depth = p->depth,
                            .below = prefix->ranges,
                            .next_in_scope = s->ranges};
    prefix->ranges = r;
    s->ranges = r;
}

struct binding *name_lookup(struct parser *p, struct name *name)
{
    struct binding *b = name->top;
    if ((b && b->depth == p->depth) || !p->func)
        return b;
    char last = name->text[name->length - 1];
    if (last < '0' || last > '9')
        return b;
    const struct reg_range *r = find_range(p, name);
    if (!r || (b && b->depth >= r->depth))
        return b;
    b = bind_at(p, name, BIND_REG, r->depth);
    b->index = reg_new(p, name->text, r->type);
    b->count = 1;
    return b;
}

/* ---- scopes ---- */

void scope_enter(struct parser *p, const struct token *where)
{
    if (p->depth > MAX_NESTING)
        parse_fail(p, where, "braces are nested more than %d deep", MAX_NESTING);
    p->scopes[++p->depth] = (struct scope){0};
}

void refer(struct parser *p, enum binding_kind kind, const struct token *where, uint32_t insn,
           uint32_t operand, uint32_t *slot)
{
    struct pending *u = arena_alloc(p, sizeof(*u));
    *u = (struct pending){.kind = kind,
                          .name = where->name,
                          .where = *where,
                          .insn = insn,
                          .operand = operand,
                          .slot = slot};
    struct scope *s = &p->scopes[p->depth];
    u->next = s->pending;
    s->pending = u;
}

static const char *kind_name(enum binding_kind kind)
{
    return kind == BIND_LABEL   ? "label"
           : kind == BIND_PROTO ? ".callprototype or .calltargets"
                                : ".branchtargets";
}

static void resolve(struct parser *p, const struct pending *u, const struct binding *b)
{
    struct ptx_insn *in = u->slot ? NULL : &p->func->insns[u->insn];
    if (b->kind != u->kind)
        parse_fail(p, &u->where, "'%s' is not a %s", u->name->text, kind_name(u->kind));
    if (u->kind == BIND_PROTO)
        in->callproto = b->proto;
    else if (u->kind == BIND_TABLE)
        in->table = b->table;
    else if (u->slot)
        *u->slot = b->index;
    else
        in->operands[u->operand].label = b->index;
}

void scope_leave(struct parser *p)
{
    struct scope *s = &p->scopes[p->depth];
    for (struct pending *u = s->pending, *next; u; u = next) {
        struct binding *b = u->name->top;
        next = u->next;
        if (b && b->depth == p->depth) {
            resolve(p, u, b);
        } else if (p->depth == 1) {
            parse_fail(p, &u->where, "%s '%s' is not defined", kind_name(u->kind), u->name->text);
        } else {
            u->next = p->scopes[p->depth - 1].pending;
            p->scopes[p->depth - 1].pending = u;
        }
    }
    for (struct binding *b = s->bindings; b; b = b->next_in_scope)
        b->name->top = b->below;
    for (struct reg_range *r = s->ranges; r; r = r->next_in_scope)
        r->prefix->ranges = r->below;
    p->depth--;
}
