/* parse.c - a PTX module: directives, functions and their bodies (PTX ISA 4.3, 5.4, 11).
 *
 * Interface: ptx.h. Recursive descent, each function named after what it reads, with the
 * form above it; statements are a loop, so that braces take no stack.
 */
#include "private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_MAJOR 9

/* ---- small directives ---- */

/* ".pragma" string { "," string } ";": hints to the compiler, of no effect here */
static void parse_pragma(struct parser *p)
{
    do {
        advance(p);
        expect(p, T_STRING, "a string");
    } while (p->tok.kind == ',');
    expect(p, ';', "';'");
}

/* ".version" major "." minor */
static void parse_version(struct parser *p)
{
    struct ptx_module *m = p->module;
    struct token t = p->ahead;
    char text[16];
    int end = 0;
    advance(p);
    snprintf(text, sizeof(text), "%.*s", t.length < 15 ? (int)t.length : 15, p->text + t.offset);
    if (t.kind != T_FLOAT ||
        sscanf(text, "%5u.%5u%n", &m->version_major, &m->version_minor, &end) != 2 || text[end])
        parse_fail(p, &t, "expected a version such as 9.0, found %s", token_text(p, &t));
    p->error->newer = m->version_major > NEWEST_MAJOR;
    if (p->error->newer)
        parse_fail(p, &t,
                   "PTX version %s is newer than %d.x, the newest supported: compile with "
                   "CUDA 13",
                   text, NEWEST_MAJOR);
    advance(p);
}

/* ".target" name { "," name } */
static void parse_target(struct parser *p)
{
    struct ptx_module *m = p->module;
    do {
        advance(p);
        struct token t = p->tok;
        expect(p, T_IDENT, "a target");
        const char *text = t.name->text;
        char suffix = 0;
        int end = 0;
        if (strncmp(text, "sm_", 3) != 0)
            continue; /* debug, texmode_…: nothing depends on them */
        if (sscanf(text, "sm_%4u%n%c", &m->sm, &end, &suffix) < 1 || (suffix && text[end + 1]))
            parse_fail(p, &t, "unknown target '%s'", text);
        m->target = text;
        m->sm_suffix = suffix;
    } while (p->tok.kind == ',');
}

/* ".address_size" n */
static void parse_address_size(struct parser *p)
{
    advance(p);
    struct token t = p->tok;
    if (parse_uint(p, 64, ".address_size") != 64)
        parse_fail(p, &t, "only .address_size 64 is supported");
}

/* ".alias" name "," target ";": resolved at the end */
static void parse_alias(struct parser *p)
{
    struct alias *a = arena_alloc(p, sizeof(*a));
    advance(p);
    a->name = p->tok;
    expect(p, T_IDENT, "a function");
    expect(p, ',', "','");
    a->target = p->tok;
    expect(p, T_IDENT, "a function");
    expect(p, ';', "';'");
    a->next = p->aliases;
    p->aliases = a;
}

static struct ptx_func *function_named(struct parser *p, const struct token *t)
{
    struct binding *b = t->name->top;
    if (!b || b->kind != BIND_FUNC)
        parse_fail(p, t, "'%s' is not a function", t->name->text);
    return b->func;
}

static void redirect(struct ptx_operand *o, struct ptx_func *const *targets)
{
    if (o->func && targets[o->func->index])
        o->func = targets[o->func->index];
    for (uint32_t i = 0; i < o->nelems; i++)
        redirect(&o->elems[i], targets);
}

static void redirect_all(struct ptx_module *m, struct ptx_func *const *targets)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t j = 0; j < m->funcs[i]->ninsns; j++)
            for (uint32_t k = 0; k < m->funcs[i]->insns[j].noperands; k++)
                redirect(&m->funcs[i]->insns[j].operands[k], targets);
}

/* An alias is the same function under another name. Instructions come to name the target;
 * what is left, for whoever looks the alias up by name, shares the target's body and
 * variables. */
static void finish_aliases(struct parser *p)
{
    struct ptx_func **targets = NULL; /* by index; NULL: not an alias */
    if (p->aliases)
        targets = arena_alloc(p, p->module->nfuncs * sizeof(struct ptx_func *));
    for (struct alias *a = p->aliases; a; a = a->next) {
        struct ptx_func *f = function_named(p, &a->name);
        struct ptx_func *target = function_named(p, &a->target);
        if (f->has_body)
            parse_fail(p, &a->name, "'%s' has a body: it cannot be an alias", f->name);
        if (!target->has_body || target->is_entry)
            parse_fail(p, &a->target, "'%s' is not a function with a body", target->name);
        struct ptx_func copy = *target;
        copy.name = f->name;
        copy.index = f->index;
        copy.is_visible = f->is_visible;
        copy.is_weak = f->is_weak;
        targets[f->index] = target;
        *f = copy;
    }
    if (targets)
        redirect_all(p->module, targets);
}

/* ---- functions ---- */

static void parse_dim3(struct parser *p, uint32_t dim[3], const char *what)
{
    dim[1] = dim[2] = 1;
    for (int i = 0; i < 3; i++) {
        dim[i] = (uint32_t)parse_uint(p, INT32_MAX, what);
        if (i == 2 || !accept_token(p, ','))
            return;
    }
}

/* { performance directive }, between a function's parameters and its body */
static void parse_tuning(struct parser *p, struct ptx_func *f)
{
    while (p->tok.kind == T_DOT) {
        struct token t = p->tok;
        if (t.name->directive == DIR_pragma) {
            parse_pragma(p);
            continue;
        }
        advance(p);
        switch ((enum directive)t.name->directive) {
        case DIR_maxntid:
            parse_dim3(p, f->maxntid, ".maxntid");
            break;
        case DIR_reqntid:
            parse_dim3(p, f->reqntid, ".reqntid");
            break;
        case DIR_reqnctapercluster:
            parse_dim3(p, f->reqnctapercluster, ".reqnctapercluster");
            break;
        case DIR_minnctapersm:
        case DIR_maxnctapersm: /* its name before PTX 2.0 */
            f->minnctapersm = (uint32_t)parse_uint(p, INT32_MAX, ".minnctapersm");
            break;
        case DIR_maxnreg:
            f->maxnreg = (uint32_t)parse_uint(p, INT32_MAX, ".maxnreg");
            break;
        case DIR_explicitcluster:
            f->explicit_cluster = true;
            break;
        case DIR_noreturn:
            f->is_noreturn = true;
            break;
        case DIR_blocksareclusters:
            break;
        case DIR_maxclusterrank:
        case DIR_abi_preserve:
        case DIR_abi_preserve_control:
            parse_uint(p, INT32_MAX, "this limit");
            break;
        default:
            parse_fail(p, &t, "unexpected %s after a function's parameters", token_text(p, &t));
        }
    }
}

/* "(" [ parameter { "," parameter } ] ")" */
static void parse_parameters(struct parser *p, struct ptx_func *owner, struct ptx_var ***list,
                             uint32_t *n)
{
    uint32_t capacity = 0;
    expect(p, '(', "'('");
    while (p->tok.kind != ')') {
        *list = array_grow(p, *list, &capacity, *n, sizeof(**list));
        (*list)[(*n)++] = parse_parameter(p, owner);
        if (p->tok.kind != ')')
            expect(p, ',', "',' or ')'");
    }
    advance(p);
    *list = array_trim(p, *list, &capacity, *n, sizeof(**list));
}

/* ".attribute" "(" … ")" of a function says nothing that matters here */
static void skip_attribute(struct parser *p)
{
    struct token where = p->tok;
    if (!accept_directive(p, DIR_attribute))
        return;
    expect(p, '(', "'('");
    for (uint32_t open = 1; open > 0; advance(p)) {
        if (p->tok.kind == T_EOF)
            parse_fail(p, &where, "this attribute does not end");
        open += p->tok.kind == '(';
        open -= p->tok.kind == ')';
    }
}

/* A function may be declared any number of times and defined once. All of them share one
 * struct, so that calls made before the definition are good. Returns it. */
static struct ptx_func *keep_func(struct parser *p, struct ptx_func *f, const struct token *name)
{
    struct ptx_module *m = p->module;
    struct binding *b = name->name->top;
    if (!b) {
        m->funcs = array_grow(p, m->funcs, &p->funcs_cap, m->nfuncs, sizeof(struct ptx_func *));
        f->index = m->nfuncs;
        m->funcs[m->nfuncs++] = f;
        bind_token(p, name, BIND_FUNC)->func = f;
        return f;
    }
    if (b->kind != BIND_FUNC)
        parse_fail(p, name, "'%s' is defined twice", name->name->text);
    struct ptx_func *old = b->func;
    if (old->has_body && f->has_body)
        parse_fail(p, name, "function '%s' is defined twice", f->name);
    if (old->is_entry != f->is_entry)
        parse_fail(p, name, "'%s' is declared both as .entry and as .func", f->name);
    if (!f->has_body)
        return old;
    f->index = old->index;
    f->is_visible |= old->is_visible;
    f->is_weak |= old->is_weak;
    *old = *f;
    for (uint32_t i = 0; i < old->nparams; i++)
        old->params[i]->func = old;
    for (uint32_t i = 0; i < old->nrets; i++)
        old->rets[i]->func = old;
    return old;
}

/* ---- bodies ---- */

static void bind_parameters(struct parser *p, const struct token *where, struct ptx_var **list,
                            uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct token t = *where;
        t.name = name_intern(p, list[i]->name, strlen(list[i]->name));
        if (strcmp(list[i]->name, "_") != 0)
            bind_token(p, &t, BIND_VAR)->var = list[i];
    }
}

static void new_label(struct parser *p, const struct token *name)
{
    struct ptx_func *f = p->func;
    bind_token(p, name, BIND_LABEL)->index = f->nlabels;
    f->labels = array_grow(p, f->labels, &p->labels_cap, f->nlabels, sizeof(*f->labels));
    f->labels[f->nlabels++] = (struct ptx_label){name->name->text, f->ninsns};
}

/* name ":" ".branchtargets" label { "," label } ";" */
static void parse_branchtargets(struct parser *p, const struct token *name)
{
    struct ptx_branch_table *t = arena_alloc(p, sizeof(*t));
    struct token *uses = NULL;
    uint32_t capacity = 0, n = 0;
    do {
        advance(p);
        uses = array_grow(p, uses, &capacity, n, sizeof(*uses));
        uses[n++] = p->tok;
        expect(p, T_IDENT, "a label");
    } while (p->tok.kind == ',');
    expect(p, ';', "';'");
    t->name = name->name->text;
    t->nlabels = n;
    t->labels = arena_alloc(p, n * sizeof(*t->labels));
    for (uint32_t i = 0; i < n; i++)
        refer(p, BIND_LABEL, &uses[i], 0, 0, &t->labels[i]);
    bind_token(p, name, BIND_TABLE)->table = t;
}

/* name ":" ".calltargets" function { "," function } ";" */
static void parse_calltargets(struct parser *p, const struct token *name)
{
    struct ptx_proto *proto = arena_alloc(p, sizeof(*proto));
    uint32_t capacity = 0;
    do {
        advance(p);
        struct token t = p->tok;
        expect(p, T_IDENT, "a function");
        proto->targets =
            array_grow(p, proto->targets, &capacity, proto->ntargets, sizeof(*proto->targets));
        proto->targets[proto->ntargets++] = function_named(p, &t);
    } while (p->tok.kind == ',');
    expect(p, ';', "';'");
    proto->name = name->name->text;
    bind_token(p, name, BIND_PROTO)->proto = proto;
}

/* name ":" ".callprototype" [ "(" ret ")" ] name [ "(" params ")" ] {directive} ";" */
static void parse_callprototype(struct parser *p, const struct token *name)
{
    struct ptx_proto *proto = arena_alloc(p, sizeof(*proto));
    struct ptx_func unused = {0};
    proto->name = name->name->text;
    advance(p);
    if (p->tok.kind == '(')
        parse_parameters(p, p->func, &proto->rets, &proto->nrets);
    expect(p, T_IDENT, "'_'");
    if (p->tok.kind == '(')
        parse_parameters(p, p->func, &proto->params, &proto->nparams);
    parse_tuning(p, &unused);
    expect(p, ';', "';'");
    bind_token(p, name, BIND_PROTO)->proto = proto;
}

/* name ":" [ list of targets ] */
static void parse_labelled(struct parser *p)
{
    struct token name = p->tok;
    advance(p);
    advance(p);
    if (at_directive(p, DIR_branchtargets))
        parse_branchtargets(p, &name);
    else if (at_directive(p, DIR_calltargets))
        parse_calltargets(p, &name);
    else if (at_directive(p, DIR_callprototype))
        parse_callprototype(p, &name);
    else
        new_label(p, &name);
}

/* linking: { ".extern" | ".visible" | ".weak" | ".common" } */
static struct var_flags parse_linking(struct parser *p)
{
    struct var_flags f = {0};
    for (;; advance(p)) {
        if (at_directive(p, DIR_extern))
            f.is_extern = true;
        else if (at_directive(p, DIR_visible))
            f.is_visible = true;
        else if (at_directive(p, DIR_weak))
            f.is_weak = true;
        else if (at_directive(p, DIR_common))
            f.is_common = true;
        else
            return f;
    }
}

static void parse_body_directive(struct parser *p)
{
    struct var_flags flags = parse_linking(p);
    if (at_space(p))
        parse_variables(p, flags);
    else if (at_directive(p, DIR_loc))
        parse_loc(p);
    else if (at_directive(p, DIR_pragma))
        parse_pragma(p);
    else if (at_directive(p, DIR_file))
        parse_file(p);
    else if (at_directive(p, DIR_section))
        parse_section(p);
    else
        parse_fail(p, &p->tok, "unexpected %s in a function's body", token_text(p, &p->tok));
}

static void parse_statement(struct parser *p, const struct token *name)
{
    if (p->tok.kind == T_EOF)
        parse_fail(p, name, "the body of '%s' does not end", name->name->text);
    if (p->tok.kind == '{') {
        scope_enter(p, &p->tok);
        advance(p);
    } else if (p->tok.kind == '}') {
        scope_leave(p);
        advance(p);
    } else if (p->tok.kind == T_DOT) {
        parse_body_directive(p);
    } else if (p->tok.kind == T_IDENT && p->ahead.kind == ':') {
        parse_labelled(p);
    } else if (!accept_token(p, ';')) {
        parse_instruction(p);
    }
}

/* body: "{" { statement } "}" */
static void parse_body(struct parser *p, struct ptx_func *f, const struct token *name)
{
    p->func = f;
    p->loc = (struct ptx_loc){0};
    p->regs_cap = p->insns_cap = p->labels_cap = p->func_vars_cap = 0;
    scope_enter(p, &p->tok);
    bind_parameters(p, name, f->rets, f->nrets);
    bind_parameters(p, name, f->params, f->nparams);
    advance(p);
    while (p->depth > 0)
        parse_statement(p, name);
    f->regs = array_trim(p, f->regs, &p->regs_cap, f->nregs, sizeof(*f->regs));
    f->insns = array_trim(p, f->insns, &p->insns_cap, f->ninsns, sizeof(*f->insns));
    f->labels = array_trim(p, f->labels, &p->labels_cap, f->nlabels, sizeof(*f->labels));
    f->vars = array_trim(p, f->vars, &p->func_vars_cap, f->nvars, sizeof(*f->vars));
    p->func = NULL;
    p->loc = (struct ptx_loc){0};
}

/* A kernel's parameters have an end (PTX ISA 5.2.1), as ptxas knows. */
static void check_parameters(struct parser *p, const struct ptx_func *f, const struct token *name)
{
    const struct ptx_module *m = p->module;
    bool more = m->version_major > 8 || (m->version_major == 8 && m->version_minor >= 1);
    uint64_t bytes = 0, most = more ? 32764 : 4352;
    for (uint32_t k = 0; k < f->nparams && f->is_entry; k++) {
        uint64_t align = f->params[k]->align ? f->params[k]->align : 1;
        bytes = (bytes + align - 1) / align * align + f->params[k]->size;
    }
    if (bytes > most)
        parse_fail(p, name, "kernel %s has %llu bytes of parameters, %llu are the most", f->name,
                   (unsigned long long)bytes, (unsigned long long)most);
}

/* function: (".entry" | ".func" [ "(" rets ")" ]) name [ "(" params ")" ] {directive}
 *           (";" | body) */
static void parse_function(struct parser *p, struct var_flags flags)
{
    struct ptx_func *f = arena_alloc(p, sizeof(*f));
    f->is_entry = at_directive(p, DIR_entry);
    f->is_extern = flags.is_extern;
    f->is_visible = flags.is_visible;
    f->is_weak = flags.is_weak;
    advance(p);
    skip_attribute(p);
    if (!f->is_entry && p->tok.kind == '(')
        parse_parameters(p, f, &f->rets, &f->nrets);
    struct token name = p->tok;
    expect(p, T_IDENT, "a function's name");
    f->name = name.name->text;
    f->loc.ptx_line = name.line;
    if (p->tok.kind == '(')
        parse_parameters(p, f, &f->params, &f->nparams);
    check_parameters(p, f, &name);
    parse_tuning(p, f);
    f->has_body = p->tok.kind == '{';
    if (f->has_body && f->is_extern)
        parse_fail(p, &name, "an .extern function cannot have a body");
    f = keep_func(p, f, &name);
    if (p->tok.kind == '{')
        parse_body(p, f, &name);
    else
        expect(p, ';', "';' or '{'");
}

/* ---- the module ---- */

static void parse_module_directive(struct parser *p)
{
    if (p->tok.kind != T_DOT)
        parse_fail(p, &p->tok, "expected a directive, found %s", token_text(p, &p->tok));
    struct var_flags flags = parse_linking(p);
    if (at_space(p)) {
        parse_variables(p, flags);
        return;
    }
    switch (p->tok.kind == T_DOT ? (enum directive)p->tok.name->directive : DIR_none) {
    case DIR_entry:
    case DIR_func:
        parse_function(p, flags);
        break;
    case DIR_version:
        parse_version(p);
        break;
    case DIR_target:
        parse_target(p);
        break;
    case DIR_address_size:
        parse_address_size(p);
        break;
    case DIR_alias:
        parse_alias(p);
        break;
    case DIR_file:
        parse_file(p);
        break;
    case DIR_section:
        parse_section(p);
        break;
    case DIR_pragma:
        parse_pragma(p);
        break;
    default:
        parse_fail(p, &p->tok, "unknown directive %s", token_text(p, &p->tok));
    }
}

/* module: ".version" … ".target" … { directive } */
static void parse_module(struct parser *p)
{
    names_init(p);
    lex_start(p);
    if (!at_directive(p, DIR_version))
        parse_fail(p, &p->tok, "this is not PTX: expected .version, found %s",
                   token_text(p, &p->tok));
    parse_version(p);
    if (!at_directive(p, DIR_target))
        parse_fail(p, &p->tok, "expected .target, found %s", token_text(p, &p->tok));
    while (p->tok.kind != T_EOF)
        parse_module_directive(p);
    if (!p->module->target)
        parse_fail(p, &p->tok, "no .target names an architecture such as sm_90");
    finish_aliases(p);
    finish_locations(p);
}

static void start(struct parser *p, const char *text, size_t length)
{
    if (length > MAX_TEXT)
        parse_fail(p, NULL, "PTX text of more than 1 GiB is not supported");
    p->text = arena_text(p, text, length);
    p->length = length;
    p->module = arena_alloc(p, sizeof(*p->module));
    p->module->text = p->text;
    p->module->length = length;
    p->module->address_size = 64;
}

/* Apart, so that no local variable of ptx_parse() lives across the jump. */
static bool attempt(struct parser *p, const char *text, size_t length)
{
    if (setjmp(p->failed) != 0)
        return false;
    start(p, text, length);
    parse_module(p);
    return true;
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *err)
{
    struct ptx_error unused;
    struct ptx_module *m = NULL;
    struct parser *p = calloc(1, sizeof(*p));
    if (!err)
        err = &unused;
    memset(err, 0, sizeof(*err));
    if (!p) {
        snprintf(err->message, sizeof(err->message), "out of memory");
        snprintf(err->text, sizeof(err->text), "out of memory");
        return NULL;
    }
    p->error = err;
    while (length > 0 && text[length - 1] == 0)
        length--; /* fatbins pad text with NULs */
    if (attempt(p, text, length)) {
        m = p->module;
        m->arena = p->arena.blocks;
    } else {
        arena_free(&p->arena);
    }
    free(p);
    return m;
}
