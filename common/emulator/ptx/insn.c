/* insn.c - instruction statements (PTX ISA 4.3.2, 6): guard, opcode, suffixes, operands.
 *
 * Suffixes are decoded by spelling alone, whatever the opcode; operands by their form. Both
 * are complete or an error: nothing is skipped.
 */
#include "private.h"
#include <stdio.h>
#include <string.h>

/* ---- suffixes ---- */

static void add_space(struct ptx_insn *in, enum ptx_space space)
{
    if (!in->has_space)
        in->space = space;
    else
        in->space2 = space;
    in->has_space = true;
}

static void add_type(struct parser *p, struct ptx_insn *in, enum ptx_type type)
{
    if (in->ntypes == sizeof(in->types) / sizeof(in->types[0]))
        parse_fail(p, &p->tok, "too many types on one instruction");
    in->types[in->ntypes++] = type;
}

static void add_mod(struct ptx_insn *in, unsigned mod)
{
    if ((mod == M_row || mod == M_col) && in->nlayouts < 2)
        in->col[in->nlayouts++] = mod == M_col;
    in->mods[mod >> 6] |= (uint64_t)1 << (mod & 63);
}

/* "m16n8k16", "m8n8" */
static bool add_shape(struct ptx_insn *in, const char *text)
{
    static const char letters[] = "mnk";
    uint16_t *parts[] = {&in->shape_m, &in->shape_n, &in->shape_k};
    unsigned sizes[3] = {0}, n = 0;
    while (n < 3 && *text == letters[n]) {
        const char *digit = ++text;
        while (*text >= '0' && *text <= '9' && text < digit + 4)
            sizes[n] = sizes[n] * 10 + (unsigned)(*text++ - '0');
        if (text == digit)
            return false;
        n++;
    }
    if (*text || n < 2)
        return false;
    for (unsigned i = 0; i < n; i++)
        *parts[i] = (uint16_t)sizes[i];
    return true;
}

/* ".mbarrier::complete_tx::bytes": every part must be a modifier */
static bool add_parts(struct ptx_insn *in, const struct name *name)
{
    if (!strchr(name->text, ':'))
        return false;
    for (const char *part = name->text; part;) {
        const char *end = strstr(part, "::");
        size_t length = end ? (size_t)(end - part) : strlen(part);
        int mod = mod_find(part, length);
        if (mod < 0)
            return false;
        add_mod(in, (unsigned)mod);
        part = end ? end + 2 : NULL;
    }
    return true;
}

/* Returns whether the suffix takes the last operand along (.L2::cache_hint). */
static bool parse_suffix(struct parser *p, struct ptx_insn *in)
{
    const struct name *name = p->tok.name;
    bool hint = false;
    switch ((enum suffix_kind)name->suffix_kind) {
    case SUFFIX_TYPE:
        add_type(p, in, name->suffix);
        break;
    case SUFFIX_MOD:
        add_mod(in, name->suffix);
        break;
    case SUFFIX_SPACE:
        add_space(in, name->suffix);
        break;
    case SUFFIX_VECTOR:
        in->vec = (uint8_t)name->suffix;
        break;
    case SUFFIX_DROP:
        hint = name->suffix == SUFFIX_HINT;
        in->cache = true;
        break;
    case SUFFIX_NONE:
        if (!add_shape(in, name->text) && !add_parts(in, name))
            parse_fail(p, &p->tok, "unknown suffix '.%s' of '%s'", name->text, ptx_op_name(in->op));
    }
    advance(p);
    return hint;
}

/* ---- special registers ---- */

static const struct {
    const char *text;
    enum ptx_sreg sreg;
    int comp; /* COMPONENT: .x .y .z follows */
} sregs[] = {
#define COMPONENT (-1)
    {"%tid", SREG_TID, COMPONENT},
    {"%ntid", SREG_NTID, COMPONENT},
    {"%ctaid", SREG_CTAID, COMPONENT},
    {"%nctaid", SREG_NCTAID, COMPONENT},
    {"%clusterid", SREG_CLUSTERID, COMPONENT},
    {"%nclusterid", SREG_NCLUSTERID, COMPONENT},
    {"%cluster_ctaid", SREG_CLUSTER_CTAID, COMPONENT},
    {"%cluster_nctaid", SREG_CLUSTER_NCTAID, COMPONENT},
    {"%laneid", SREG_LANEID, 0},
    {"%warpid", SREG_WARPID, 0},
    {"%nwarpid", SREG_NWARPID, 0},
    {"%smid", SREG_SMID, 0},
    {"%nsmid", SREG_NSMID, 0},
    {"%gridid", SREG_GRIDID, 0},
    {"%lanemask_eq", SREG_LANEMASK_EQ, 0},
    {"%lanemask_le", SREG_LANEMASK_LE, 0},
    {"%lanemask_lt", SREG_LANEMASK_LT, 0},
    {"%lanemask_ge", SREG_LANEMASK_GE, 0},
    {"%lanemask_gt", SREG_LANEMASK_GT, 0},
    {"%clock", SREG_CLOCK, 0},
    {"%clock_hi", SREG_CLOCK_HI, 0},
    {"%clock64", SREG_CLOCK64, 0},
    {"%globaltimer", SREG_GLOBALTIMER, 0},
    {"%globaltimer_lo", SREG_GLOBALTIMER_LO, 0},
    {"%globaltimer_hi", SREG_GLOBALTIMER_HI, 0},
    {"%dynamic_smem_size", SREG_DYNAMIC_SMEM_SIZE, 0},
    {"%total_smem_size", SREG_TOTAL_SMEM_SIZE, 0},
    {"%aggr_smem_size", SREG_AGGR_SMEM_SIZE, 0},
    {"%cluster_ctarank", SREG_CLUSTER_CTARANK, 0},
    {"%cluster_nctarank", SREG_CLUSTER_NCTARANK, 0},
    {"%is_explicit_cluster", SREG_IS_EXPLICIT_CLUSTER, 0},
    {"%current_graph_exec", SREG_CURRENT_GRAPH_EXEC, 0},
    {"%reserved_smem_offset_begin", SREG_RESERVED_SMEM_OFFSET, 0},
    {"%reserved_smem_offset_end", SREG_RESERVED_SMEM_OFFSET, 1},
    {"%reserved_smem_offset_cap", SREG_RESERVED_SMEM_OFFSET, 2},
    {"%reserved_smem_offset_0", SREG_RESERVED_SMEM_OFFSET, 3},
    {"%reserved_smem_offset_1", SREG_RESERVED_SMEM_OFFSET, 4},
};

/* The component a ".x" selects, -1: none. */
static int component(const struct parser *p, const char *letters)
{
    const char *text = p->tok.kind == T_DOT ? p->tok.name->text : "";
    const char *at = text[0] && !text[1] ? strchr(letters, text[0]) : NULL;
    return at ? (int)(at - letters) : -1;
}

static bool envreg(const char *text, struct ptx_operand *o)
{
    unsigned n;
    int end = 0;
    if (sscanf(text, "%%envreg%2u%n", &n, &end) != 1 || text[end] || n > 31)
        return false;
    o->sreg = SREG_ENVREG;
    o->comp = (uint8_t)n;
    return true;
}

static void parse_sreg(struct parser *p, const struct token *t, struct ptx_operand *o)
{
    const char *text = t->name->text;
    o->kind = OPD_SREG;
    if (envreg(text, o))
        return;
    for (size_t i = 0; i < sizeof(sregs) / sizeof(sregs[0]); i++) {
        if (strcmp(sregs[i].text, text) != 0)
            continue;
        o->sreg = sregs[i].sreg;
        int comp = sregs[i].comp;
        if (comp == COMPONENT) {
            comp = component(p, "xyz");
            if (comp < 0)
                parse_fail(p, t, "'%s' needs a component: .x, .y or .z", text);
            advance(p);
        }
        o->comp = (uint8_t)comp;
        return;
    }
    parse_fail(p, t, "'%s' is neither a declared register nor a special register", text);
}

/* ---- operands ---- */

static void parse_operand(struct parser *p, struct ptx_insn *in, struct ptx_operand *o);

/* Operands up to the closing token, into o->elems. */
static void parse_elements(struct parser *p, struct ptx_insn *in, struct ptx_operand *o, int close,
                           const char *what)
{
    uint32_t base = p->nscratch;
    while (p->tok.kind != close) {
        struct ptx_operand e = {0};
        parse_operand(p, in, &e);
        p->scratch = array_grow(p, p->scratch, &p->scratch_cap, p->nscratch, sizeof(e));
        p->scratch[p->nscratch++] = e;
        if (p->tok.kind != close)
            expect(p, ',', what);
    }
    advance(p);
    o->nelems = p->nscratch - base;
    if (o->nelems > 0) {
        o->elems = arena_alloc(p, o->nelems * sizeof(*o->elems));
        memcpy(o->elems, p->scratch + base, o->nelems * sizeof(*o->elems));
    }
    p->nscratch = base;
}

static int64_t parse_offset(struct parser *p)
{
    uint64_t offset = 0;
    while (p->tok.kind == '+' || p->tok.kind == '-') {
        struct token op = p->tok;
        advance(p);
        struct constant c = parse_constant_term(p);
        if (c.is_float)
            parse_fail(p, &op, "an offset must be an integer");
        offset += op.kind == '+' ? c.value : -c.value;
    }
    return (int64_t)offset;
}

static void vector_register(struct parser *p, const struct binding *b, struct ptx_operand *o)
{
    int comp = component(p, "xyzw");
    if (comp < 0)
        comp = component(p, "rgba");
    if (comp >= 0 && (uint32_t)comp < b->count) {
        advance(p);
        o->kind = OPD_REG;
        o->reg = b->index + (uint32_t)comp;
        return;
    }
    o->kind = OPD_VEC;
    o->nelems = b->count;
    o->elems = arena_alloc(p, b->count * sizeof(*o->elems));
    for (uint32_t i = 0; i < b->count; i++)
        o->elems[i] = (struct ptx_operand){.kind = OPD_REG, .reg = b->index + i};
}

/* variable { ("+" | "-") n } | variable "[" n "]" */
static void symbol(struct parser *p, const struct ptx_insn *in, const struct binding *b,
                   struct ptx_operand *o)
{
    o->kind = OPD_SYM;
    o->var = b->var;
    if (accept_token(p, '[')) { /* ISA 6.4.2: an element; its address where an address is taken */
        uint64_t n = parse_uint(p, MAX_BYTES, "an array's index");
        expect(p, ']', "']'");
        o->offset = (int64_t)(n * b->var->elem);
        if (in->op != OP_mov && in->op != OP_cvta)
            o->kind = OPD_ADDR;
        return;
    }
    o->offset = parse_offset(p);
}

/* A name that stands alone or begins an operand. */
static void parse_name(struct parser *p, struct ptx_insn *in, struct ptx_operand *o)
{
    struct token t = p->tok;
    advance(p);
    if (strcmp(t.name->text, "_") == 0) {
        o->kind = OPD_SINK;
        return;
    }
    struct binding *b = name_lookup(p, t.name);
    if (!b && t.name->text[0] == '%') {
        parse_sreg(p, &t, o);
        return;
    }
    if (!b)
        parse_fail(p, &t, "'%s' is not declared", t.name->text);
    switch (b->kind) {
    case BIND_REG:
        o->kind = OPD_REG;
        o->reg = b->index;
        break;
    case BIND_VECTOR_REG:
        vector_register(p, b, o);
        break;
    case BIND_VAR:
        symbol(p, in, b, o);
        break;
    case BIND_FUNC:
        o->kind = OPD_SYM;
        o->func = b->func;
        break;
    default:
        parse_fail(p, &t, "'%s' cannot be used as an operand here", t.name->text);
    }
}

static bool is_symbol(const struct token *t)
{
    return t->kind == T_IDENT && strcmp(t->name->text, "WARP_SZ") != 0;
}

/* "[" (register | variable | constant) offset { "," operand } "]" [".unified"] */
static void parse_address(struct parser *p, struct ptx_insn *in, struct ptx_operand *o)
{
    struct token where = p->tok;
    advance(p);
    if (is_symbol(&p->tok)) {
        struct ptx_operand base = {0};
        parse_name(p, in, &base);
        if (base.kind != OPD_REG && base.kind != OPD_SYM)
            parse_fail(p, &where, "an address is a register, a variable or a constant");
        o->has_reg = base.kind == OPD_REG;
        o->reg = base.reg;
        o->var = base.var;
        o->func = base.func;
        o->offset = base.kind == OPD_SYM ? base.offset : parse_offset(p);
    } else {
        struct constant c = parse_constant(p);
        if (c.is_float)
            parse_fail(p, &where, "an address must be an integer");
        o->offset = (int64_t)c.value;
    }
    o->kind = OPD_ADDR;
    if (p->tok.kind == ',') {
        advance(p);
        parse_elements(p, in, o, ']', "',' or ']'");
    } else {
        expect(p, ']', "']'");
    }
    if (p->tok.kind == T_DOT && strcmp(p->tok.name->text, "unified") == 0) {
        add_mod(in, M_unified);
        advance(p);
    }
}

static void immediate(struct parser *p, struct ptx_operand *o)
{
    struct constant c = parse_constant(p);
    o->kind = c.is_float ? OPD_FIMM : OPD_IMM;
    o->width = c.width;
    o->imm = c.value;
}

/* operand: "{" … "}" | "[" … "]" | ["!" | "-"] name ["|" name] | constant */
static void parse_operand(struct parser *p, struct ptx_insn *in, struct ptx_operand *o)
{
    if (++p->nesting > MAX_NESTING)
        parse_fail(p, &p->tok, "operands are nested more than %d deep", MAX_NESTING);
    int kind = p->tok.kind;
    bool sign = kind == '!' || kind == '-';
    if (accept_token(p, '{')) {
        o->kind = OPD_VEC;
        parse_elements(p, in, o, '}', "',' or '}'");
    } else if (kind == '[') {
        parse_address(p, in, o);
    } else if (is_symbol(&p->tok) || (sign && is_symbol(&p->ahead))) {
        if (sign)
            advance(p);
        parse_name(p, in, o);
        o->negated = sign;
        if (accept_token(p, '|')) {
            if (!is_symbol(&p->tok))
                parse_fail(p, &p->tok, "expected a predicate, found %s", token_text(p, &p->tok));
            o->pair = arena_alloc(p, sizeof(*o->pair));
            parse_name(p, in, o->pair);
        }
    } else {
        immediate(p, o);
    }
    p->nesting--;
}

/* ---- instructions ---- */

static struct ptx_operand *next_operand(struct parser *p, struct ptx_insn *in)
{
    if (in->noperands == PTX_MAX_OPERANDS)
        parse_fail(p, &p->tok, "instructions of more than %d operands are not supported",
                   PTX_MAX_OPERANDS);
    return &in->operands[in->noperands++];
}

static void parse_label_use(struct parser *p, struct ptx_insn *in)
{
    struct token t = p->tok;
    expect(p, T_IDENT, "a label");
    refer(p, BIND_LABEL, &t, p->func->ninsns, in->noperands, NULL);
    next_operand(p, in)->kind = OPD_LABEL;
}

static void parse_callee(struct parser *p, struct ptx_insn *in)
{
    struct token t = p->tok;
    struct ptx_operand *o = next_operand(p, in);
    if (!is_symbol(&t))
        parse_fail(p, &t, "expected a function, found %s", token_text(p, &t));
    parse_name(p, in, o);
    if (o->kind != OPD_REG && !o->func)
        parse_fail(p, &t, "%s cannot be called", token_text(p, &t));
}

static void parse_list(struct parser *p, struct ptx_insn *in)
{
    struct ptx_operand *o = next_operand(p, in);
    o->kind = OPD_LIST;
    if (accept_token(p, '('))
        parse_elements(p, in, o, ')', "',' or ')'");
}

/* "call" [ "(" ret ")" "," ] target [ "," "(" arg {"," arg} ")" ] [ "," prototype ] */
static void parse_call(struct parser *p, struct ptx_insn *in)
{
    bool returns = p->tok.kind == '(';
    parse_list(p, in);
    if (returns)
        expect(p, ',', "','");
    parse_callee(p, in);
    bool more = accept_token(p, ',');
    bool args = more && p->tok.kind == '(';
    parse_list(p, in);
    if (args)
        more = accept_token(p, ',');
    if (more) {
        struct token t = p->tok;
        expect(p, T_IDENT, "a prototype");
        refer(p, BIND_PROTO, &t, p->func->ninsns, 0, NULL);
    }
}

/* "brx.idx" index "," table */
static void parse_brx(struct parser *p, struct ptx_insn *in)
{
    parse_operand(p, in, next_operand(p, in));
    expect(p, ',', "','");
    struct token t = p->tok;
    expect(p, T_IDENT, "a .branchtargets label");
    refer(p, BIND_TABLE, &t, p->func->ninsns, 0, NULL);
}

static void parse_operands(struct parser *p, struct ptx_insn *in)
{
    if (p->tok.kind == ';' || p->tok.kind == '}')
        return;
    do
        parse_operand(p, in, next_operand(p, in));
    while (accept_token(p, ','));
}

/* "@" ["!"] predicate */
static void parse_guard(struct parser *p, struct ptx_insn *in)
{
    if (!accept_token(p, '@'))
        return;
    in->guarded = true;
    in->guard_negated = accept_token(p, '!');
    struct token t = p->tok;
    expect(p, T_IDENT, "a predicate");
    struct binding *b = name_lookup(p, t.name);
    if (!b || b->kind != BIND_REG || p->func->regs[b->index].type != PTX_PRED)
        parse_fail(p, &t, "'%s' is not a predicate register", t.name->text);
    in->guard = b->index;
}

/* instruction: [guard] opcode {suffix} operands ";" */
void parse_instruction(struct parser *p)
{
    struct ptx_func *f = p->func;
    struct token start = p->tok;
    struct ptx_insn in = {.vec = 1, .loc = p->loc, .text_offset = start.offset};
    bool hint = false;
    in.loc.ptx_line = start.line;
    parse_guard(p, &in);
    struct token op = p->tok;
    if (op.kind != T_IDENT)
        parse_fail(p, &op, "expected a statement, found %s", token_text(p, &op));
    if (op.name->op == 0)
        parse_fail(p, &op, "unknown opcode '%s'", op.name->text);
    in.op = op.name->op - 1;
    for (advance(p); p->tok.kind == T_DOT;)
        hint |= parse_suffix(p, &in);
    if (in.op == OP_call)
        parse_call(p, &in);
    else if (in.op == OP_bra)
        parse_label_use(p, &in);
    else if (in.op == OP_brx)
        parse_brx(p, &in);
    else
        parse_operands(p, &in);
    if (hint && in.noperands == 0)
        parse_fail(p, &op, "the operand of .L2::cache_hint is missing");
    if (hint)
        in.operands[--in.noperands] = (struct ptx_operand){0};
    in.text_length = p->tok.offset - start.offset;
    expect(p, ';', "';'");
    f->insns = array_grow(p, f->insns, &p->insns_cap, f->ninsns, sizeof(in));
    f->insns[f->ninsns++] = in;
}

/* From the text: guard skipped, the opcode and its suffixes without blanks. */
void ptx_opcode_text(const struct ptx_module *m, const struct ptx_insn *in, char *buf, size_t size)
{
    const char *s = m->text + in->text_offset, *end = s + in->text_length;
    size_t n = 0;
    if (s < end && *s == '@') {
        while (s < end && (*s == '@' || *s == '!' || *s == ' ' || *s == '\t'))
            s++;
        while (s < end && !strchr(" \t\r\n", *s))
            s++;
        while (s < end && strchr(" \t\r\n", *s))
            s++;
    }
    while (s < end && n + 1 < size && !strchr(" \t\r\n/;[{(", *s))
        buf[n++] = *s++;
    if (size > 0)
        buf[n] = 0;
}
