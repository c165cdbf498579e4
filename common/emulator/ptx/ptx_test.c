/* ptx_test.c - the PTX reader: what each form of text becomes, and what it refuses. */
#include "ptx.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TESTDATA "common/emulator/testdata/"
#define HEADER   ".version 9.0\n.target sm_90\n.address_size 64\n"

static char *read_all(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s: cannot open (tests run in the repository's root)", path);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    *length = fread(text, 1, (size_t)n, f);
    text[*length] = 0;
    fclose(f);
    return text;
}

static struct ptx_module *parse(const char *text)
{
    struct ptx_error e;
    struct ptx_module *m = ptx_parse(text, strlen(text), &e);
    cr_assert(m, "%s", e.text);
    return m;
}

static struct ptx_module *parse_path(const char *path)
{
    size_t n;
    struct ptx_error e;
    char *text = read_all(path, &n);
    struct ptx_module *m = ptx_parse(text, n, &e);
    cr_assert(m, "%s", e.text);
    free(text);
    return m;
}

static const struct ptx_func *func_named(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (strcmp(m->funcs[i]->name, name) == 0)
            return m->funcs[i];
    cr_assert(false, "no function %s", name);
    return NULL;
}

static const struct ptx_var *var_named(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nvars; i++)
        if (strcmp(m->vars[i]->name, name) == 0)
            return m->vars[i];
    cr_assert(false, "no variable %s", name);
    return NULL;
}

/* ---- an instruction as text again, from its decoded form alone ---- */

struct out {
    char text[1024];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    o->n += (size_t)vsnprintf(o->text + o->n, sizeof(o->text) - o->n, format, args);
    va_end(args);
    cr_assert(o->n < sizeof(o->text));
}

static void show(struct out *o, const struct ptx_func *f, const struct ptx_operand *d);

static void show_list(struct out *o, const struct ptx_func *f, const struct ptx_operand *d)
{
    for (uint32_t i = 0; i < d->nelems; i++) {
        put(o, "%s", i ? "," : "");
        show(o, f, &d->elems[i]);
    }
}

static void show_base(struct out *o, const struct ptx_func *f, const struct ptx_operand *d)
{
    if (d->has_reg)
        put(o, "%s", f->regs[d->reg].name);
    else if (d->var || d->func)
        put(o, "&%s", d->var ? d->var->name : d->func->name);
    if (d->offset)
        put(o, "%+lld", (long long)d->offset);
}

static void show(struct out *o, const struct ptx_func *f, const struct ptx_operand *d)
{
    put(o, "%s", d->negated ? "!" : "");
    switch (d->kind) {
    case OPD_NONE:
        put(o, "none");
        break;
    case OPD_REG:
        put(o, "%s", f->regs[d->reg].name);
        break;
    case OPD_IMM:
        put(o, "%lld", (long long)d->imm);
        break;
    case OPD_FIMM:
        put(o, "0%c%0*llx", d->width == 32 ? 'f' : 'd', d->width / 4, (unsigned long long)d->imm);
        break;
    case OPD_SYM:
        show_base(o, f, d);
        break;
    case OPD_ADDR:
        put(o, "[");
        show_base(o, f, d);
        put(o, "%s", d->nelems ? ";" : "");
        show_list(o, f, d);
        put(o, "]");
        break;
    case OPD_VEC:
        put(o, "{");
        show_list(o, f, d);
        put(o, "}");
        break;
    case OPD_LABEL:
        put(o, "->%s@%u", f->labels[d->label].name, f->labels[d->label].insn);
        break;
    case OPD_SREG:
        put(o, "sreg%d.%d", d->sreg, d->comp);
        break;
    case OPD_SINK:
        put(o, "_");
        break;
    case OPD_LIST:
        put(o, "(");
        show_list(o, f, d);
        put(o, ")");
        break;
    }
    if (d->pair) {
        put(o, "|");
        show(o, f, d->pair);
    }
}

/* "op mods : types : spaces vN mMnNkK : operands", without what is not there */
static void show_insn(struct out *o, const struct ptx_func *f, const struct ptx_insn *in)
{
    static const char *const spaces[] = {"generic", "reg",   "const",  "global",
                                         "local",   "param", "shared", "cluster"};
    if (in->guarded)
        put(o, "@%s%s ", in->guard_negated ? "!" : "", f->regs[in->guard].name);
    put(o, "%s", ptx_op_name(in->op));
    for (int i = 0; i < M_COUNT; i++)
        if (ptx_has(in, i))
            put(o, " %s", ptx_mod_name(i));
    for (int i = 0; i < in->ntypes; i++)
        put(o, "%s%s", i ? " " : " : ", ptx_type_name(in->types[i]));
    if (in->has_space)
        put(o, " : %s", spaces[in->space]);
    if (in->space2)
        put(o, " %s", spaces[in->space2]);
    if (in->vec > 1)
        put(o, " v%d", in->vec);
    if (in->shape_m)
        put(o, " m%dn%dk%d", in->shape_m, in->shape_n, in->shape_k);
    for (uint32_t i = 0; i < in->noperands; i++) {
        put(o, "%s", i ? ", " : " : ");
        show(o, f, &in->operands[i]);
    }
}

/* ---- statements ---- */

static const struct {
    const char *text, *expected;
} statements[] = {
    /* operands */
    {"mov.u32 r, %tid.y;", "mov : u32 : r, sreg0.1"},
    {"mov.u32 r, %envreg12;", "mov : u32 : r, sreg21.12"},
    {"mov.u32 r, -5;", "mov : u32 : r, -5"},
    {"mov.u64 d, 0xFFFFFFFFFFFFFFFFU;", "mov : u64 : d, -1"},
    {"mov.u32 r, 017;", "mov : u32 : r, 15"},
    {"mov.u32 r, 0b1011;", "mov : u32 : r, 11"},
    {"mov.u32 r, (1+2)*3 - 10 / -3;", "mov : u32 : r, 12"},
    {"mov.u32 r, WARP_SZ*2;", "mov : u32 : r, 64"},
    {"mov.u32 r, 1 << 4 | 3 == 3 && 1;", "mov : u32 : r, 1"},
    {"mov.u32 r, -8 >> 1;", "mov : u32 : r, -4"},
    {"mov.u32 r, (-8 >> 1U) / 2;", "mov : u32 : r, -2"},
    {"mov.u32 r, (.u64)-8 >> 60;", "mov : u32 : r, 15"},
    {"mov.u32 r, (-9223372036854775807 - 1) / -1;", "mov : u32 : r, -9223372036854775808"},
    {"mov.u32 r, 2 > 1 ? 10 : 20;", "mov : u32 : r, 10"},
    {"mov.f32 f, 0f3F800000;", "mov : f32 : f, 0f3f800000"},
    {"mov.f64 g, 0d3FF0000000000000;", "mov : f64 : g, 0d3ff0000000000000"},
    {"mov.f64 g, -1.5e1;", "mov : f64 : g, 0dc02e000000000000"},
    {"mov.f64 g, .5;", "mov : f64 : g, 0d3fe0000000000000"},
    {"mov.f32 f, -0f3F800000;", "mov : f32 : f, 0fbf800000"},
    {"mov.u64 d, v+4;", "mov : u64 : d, &v+4"},
    {"mov.u64 d, v[3];", "mov : u64 : d, &v+12"},
    {"ld.global.u32 r, v[3];", "ld : u32 : global : r, [&v+12]"},
    {"ld.shared.f32 f, [r+-8];", "ld : f32 : shared : f, [r-8]"},
    {"ld.global.b8 r, [d-(2+2)*4];", "ld : b8 : global : r, [d-16]"},
    {"st.global.u32 [v+4], 3;", "st : u32 : global : [&v+4], 3"},
    {"ld.u32 r, [64];", "ld : u32 : r, [+64]"},
    {"mov.b64 d, {r, _};", "mov : b64 : d, {r,_}"},
    {"shfl.sync.bfly.b32 r|p, s, 1, 31, -1;", "shfl sync bfly : b32 : r|p, s, 1, 31, -1"},
    {"elect.sync _|p, -1;", "elect sync : _|p, -1"},
    {"setp.eq.and.s32 p, r, s, !q;", "setp eq and : s32 : p, r, s, !q"},
    {"@!p bra L;", "@!p bra : ->L@0"},
    {"bra.uni L;", "bra uni : ->L@0"},
    {"tex.a2d.v4.f32.s32 {f,f,f,f}, [d, {r,r,s,s}];",
     "tex a2d : f32 s32 v4 : {f,f,f,f}, [d;{r,r,s,s}]"},
    {"mov.f32 q4.z, f;", "mov : f32 : q4, f"},
    {"mov.v4.f32 q4, {f,f,f,f};", "mov : f32 v4 : {q4,q4,q4,q4}, {f,f,f,f}"},
    {"ld.global.u32 r, [d].unified;", "ld unified : u32 : global : r, [d]"},
    /* calls */
    {"call fn;", "call : (), &fn, ()"},
    {"call.uni (r), fn, (s, 4);", "call uni : (r), &fn, (s,4)"},
    {"call (r), d, (s), proto;", "call : (r), d, (s)"},
    {"call d, proto;", "call : (), d, ()"},
    {"brx.idx.uni r, table;", "brx uni idx : r"},
    /* suffixes */
    {"ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {r,r,r,r}, [d];",
     "ld nc : u32 : global v4 : {r,r,r,r}, [d]"},
    {"ld.global.L2::cache_hint.f32 f, [d], d;", "ld : f32 : global : f, [d]"},
    {"cp.async.ca.shared.global [r], [d], 16;", "cp async : shared global : [r], [d], 16"},
    {"st.shared::cluster.u32 [r], s;", "st : u32 : cluster : [r], s"},
    {"ld.param::entry.u32 r, [a];", "ld : u32 : param : r, [&a]"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r], [d], s, [r];",
     "cp async bulk mbarrier complete_tx bytes : cluster global : [r], [d], s, [r]"},
    {"wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {r}, [r], 16;",
     "wmma sync aligned load b col : f16 : shared m16n16k16 : {r}, [r], 16"},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r,r,r,r}, [r];",
     "ldmatrix sync aligned trans x4 : b16 : shared m8n8k0 : {r,r,r,r}, [r]"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f},{r},{r},{f};",
     "mma sync aligned row col : f32 f16 f16 f32 m16n8k16 : {f}, {r}, {r}, {f}"},
    {"vabsdiff4.u32.u32.u32.add r, r, s, s;", "vabsdiff4 add : u32 u32 u32 : r, r, s, s"},
    {"prmt.b32.b4e r, r, s, 3;", "prmt b4e : b32 : r, r, s, 3"},
    {"cvt.rn.satfinite.e4m3x2.f32 r, f, f;", "cvt rn satfinite : e4m3x2 f32 : r, f, f"},
    /* several on a line, empty ones, comments between tokens */
    {";; add /* x */ .s32 r, // y\n r, 1 ; ;", "add : s32 : r, r, 1"},
};

Test(ptx, statements)
{
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        char text[2048];
        snprintf(text, sizeof(text),
                 HEADER ".global .u32 v[8];\n.func fn;\n.func host(.param .b32 a) {\n"
                        ".reg .b32 r, s; .reg .b64 d; .reg .f32 f; .reg .f64 g; .reg .pred p, q;\n"
                        ".reg .v4 .f32 q4;\nproto: .callprototype _ (.param .b32 _);\n"
                        "table: .branchtargets L, L;\nL:\n%s\n}\n",
                 statements[i].text);
        struct ptx_module *m = parse(text);
        struct out o = {0};
        const struct ptx_func *f = func_named(m, "host");
        cr_expect_eq(f->ninsns, 1, "%s", statements[i].text);
        show_insn(&o, f, &f->insns[0]);
        cr_expect_str_eq(o.text, statements[i].expected, "%s\n  gives %s\n  not   %s",
                         statements[i].text, o.text, statements[i].expected);
        ptx_free(m);
    }
}

/* ---- what is refused ---- */

static const struct {
    const char *text, *expected;
} refused[] = {
    {"", "line 1: this is not PTX: expected .version, found the end of the text"},
    {"hello", "line 1: this is not PTX: expected .version, found 'hello'"},
    {".version 10.2\n.target sm_90",
     "line 1: PTX version 10.2 is newer than 9.x, the newest supported: compile with CUDA 13"},
    {".version 9.0\n.address_size 64", "line 2: expected .target, found '.address_size'"},
    {".version 9.0\n.target debug", "line 2: no .target names an architecture such as sm_90"},
    {HEADER ".address_size 32", "line 4: only .address_size 64 is supported"},
    {HEADER ".func f { foo.b32 x; }", "line 4: unknown opcode 'foo'"},
    {HEADER ".func f {\n .reg .b32 r;\n add.s33 r, r, r; }",
     "line 6: unknown suffix '.s33' of 'add'"},
    {HEADER ".func f { mov.u32 r, 1; }", "line 4: 'r' is not declared"},
    {HEADER ".func f { .reg .b32 %r<3>; mov.u32 %r3, 1; }",
     "line 4: '%r3' is neither a declared register nor a special register"},
    {HEADER ".func f { .reg .b32 %r<9>; mov.u32 %r05, 1; }",
     "line 4: '%r05' is neither a declared register nor a special register"},
    {HEADER ".func f { .reg .b32 r; mov.u32 r, %tid; }",
     "line 4: '%tid' needs a component: .x, .y or .z"},
    {HEADER ".func f { .reg .b32 r, r; }", "line 4: 'r' is declared twice in the same scope"},
    {HEADER ".func f { .reg .b32 r<2>; .reg .b32 r<3>; }",
     "line 4: 'r<…>' is declared twice in the same scope"},
    {HEADER ".func f {\n bra L; { L: } }", "line 5: label 'L' is not defined"},
    {HEADER ".func f { .reg .b32 L; bra L; }", "line 4: 'L' is not a label"},
    {HEADER ".func f { L: L: }", "line 4: 'L' is declared twice in the same scope"},
    {HEADER ".func f { .reg .b32 r; @r bra L; L: }", "line 4: 'r' is not a predicate register"},
    {HEADER ".func f { call g; }", "line 4: 'g' is not declared"},
    {HEADER ".func f { ret }", "line 4: expected ';', found '}'"},
    {HEADER ".func f { ret;", "line 4: the body of 'f' does not end"},
    {HEADER ".func f { ret; } .func f { ret; }", "line 4: function 'f' is defined twice"},
    {HEADER ".func f;\n.entry f { }", "line 5: 'f' is declared both as .entry and as .func"},
    {HEADER ".func f(.reg .b32 a);", "line 4: expected a .param declaration, found '.reg'; other "
                                     "parameters are not supported"},
    {HEADER ".global .u32 x; .global .u32 x;", "line 4: 'x' is defined twice"},
    {HEADER ".global .texref t;",
     "line 4: texture and surface references: not supported (CUDA 12 removed them: make an object "
     "with cudaCreateTextureObject or cudaCreateSurfaceObject)"},
    {HEADER ".global .u32 x = 1/0;", "line 4: division by zero"},
    {HEADER ".global .u32 x[2] = {1,2,3};", "line 4: there are more values than elements"},
    {HEADER ".global .u32 x[2] = {{1},2};",
     "line 4: this variable has no dimension for these braces"},
    {HEADER ".global .u32 x[];", "line 4: the size of 'x' is missing"},
    {HEADER ".global .b8 x[2000000000];",
     "line 4: an array's size must be between 0 and 1073741824"},
    {HEADER ".global .b8 x[1073741824]; .global .b64 y[1000000][1000000];",
     "line 4: this variable is larger than 1 GiB"},
    {HEADER ".global .b8 x[1073741824] = {1};\n.global .b8 y[2] = {1};",
     "line 5: initialised variables take more than 1 GiB in all"},
    {HEADER ".shared .u32 x = 1;", "line 4: only .global and .const variables have initial values"},
    {HEADER ".global .b8 x = y;", "line 4: an address does not fit a .b8"},
    {HEADER ".global .b8 x = 0xFE(y);", "line 4: the mask of an address must select one byte"},
    {HEADER ".global .align 3 .b8 x;", "line 4: .align must be a power of two"},
    {HEADER ".global .pred x;", "line 4: a variable cannot be of type .pred"},
    {HEADER ".local .u32 x;", "line 4: '.local' variables belong inside a function"},
    {HEADER ".global .f32 x = 0f3F8;",
     "line 4: this floating-point constant needs 8 hexadecimal digits"},
    {HEADER ".global .u64 x = 99999999999999999999;", "line 4: this constant does not fit 64 bits"},
    {HEADER ".global .u32 x = 08;", "line 4: unexpected '8' in a constant"},
    {HEADER "/* no end", "line 4: this comment does not end"},
    {HEADER ".file 1 \"no end\n", "line 4: this string does not end"},
    {HEADER "\x01", "line 4: unexpected byte 0x01"},
    {HEADER ".frob 1", "line 4: unknown directive '.frob'"},
    {HEADER ".alias a, b;", "line 4: 'a' is not a function"},
};

Test(ptx, refused)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct ptx_error e;
        const char *text = refused[i].text;
        struct ptx_module *m = ptx_parse(text, strlen(text), &e);
        cr_expect(!m, "accepted: %s", text);
        cr_expect_str_eq(e.message, refused[i].expected, "%s\n  says     %s\n  expected %s", text,
                         e.message, refused[i].expected);
        ptx_free(m);
    }
}

Test(ptx, error_shows_line_and_caret)
{
    struct ptx_error e;
    const char *text = HEADER ".func f {\n\t.reg .b32 r;\n\tadd.s33\tr, r;\n}";
    cr_assert(!ptx_parse(text, strlen(text), &e));
    cr_expect_eq(e.line, 6);
    cr_expect_eq(e.column, 5);
    cr_expect_str_eq(e.text, "line 6: unknown suffix '.s33' of 'add'\n  add.s33 r, r;\n     ^");
}

/* ---- limits: an error, in no time, whatever the size ---- */

static char *repeat(const char *before, const char *piece, size_t n, const char *after)
{
    size_t size = strlen(before) + n * strlen(piece) + strlen(after) + 1;
    char *text = malloc(size), *at = text + sprintf(text, "%s", before);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, piece);
    strcpy(at, after);
    return text;
}

Test(ptx, depth_is_bounded, .timeout = 20)
{
    static const struct {
        const char *before, *piece, *expected;
    } deep[] = {
        {HEADER ".func f {", "{", "line 4: braces are nested more than 200 deep"},
        {HEADER ".global .u32 x = ", "(", "line 4: parentheses are nested more than 200 deep"},
        {HEADER ".global .u32 x = ", "-", "line 4: parentheses are nested more than 200 deep"},
        {HEADER ".global .u32 x = ", "1?", "line 4: parentheses are nested more than 200 deep"},
        {HEADER ".global .u64 x = ", "generic(",
         "line 4: parentheses are nested more than 200 deep"},
        {HEADER ".global .u32 x[9] = ", "{",
         "line 4: this variable has no dimension for these braces"},
        {HEADER ".global .u32 x", "[1]", "line 4: more than 16 dimensions"},
        {HEADER ".func f { mov.b32 ", "{", "line 4: operands are nested more than 200 deep"},
        {HEADER ".func f { mov.b32 ", "[1,", "line 4: operands are nested more than 200 deep"},
    };
    for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
        struct ptx_error e;
        char *text = repeat(deep[i].before, deep[i].piece, 300000, "");
        cr_expect(!ptx_parse(text, strlen(text), &e));
        cr_expect_str_eq(e.message, deep[i].expected, "%s", e.message);
        free(text);
    }
}

/* Each of these took time that grows with the square of the size in some parser. */
Test(ptx, time_is_linear, .timeout = 20)
{
    static const char *const many[][3] = {
        {HEADER ".func f {", "bra L;", "L: }"},
        {HEADER ".func f { .reg .b32 r; L:", "{ .reg .b32 r; { bra L; } L: }", "}"},
        {HEADER ".func f {.reg .b32 %r<4000000000>;", "mov.b32 %r7, %r3999999999;", "}"},
        {HEADER, ".func f(.param .b32 a);\n", ""},
        {HEADER ".func f {", ".loc 1 2 3, function_name x, inlined_at 1 2 3\n", "}"},
        {HEADER ".global .u8 x[] = {", "1,", "};"},
        {HEADER ".func f { .reg .b32 r; mov.b32 r, 1", "+1", "; }"},
        {HEADER, "\n\n\n\n", ""},
    };
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        struct ptx_error e;
        char *text = repeat(many[i][0], many[i][1], 50000, many[i][2]);
        struct ptx_module *m = ptx_parse(text, strlen(text), &e);
        cr_expect(m, "%s", e.text);
        ptx_free(m);
        free(text);
    }
}

/* ---- a module with every form ---- */

Test(ptx, module)
{
    struct ptx_module *m = parse_path(TESTDATA "forms.ptx");
    cr_expect_eq(m->version_major, 9);
    cr_expect_str_eq(m->target, "sm_90a");
    cr_expect_eq(m->sm, 90);
    cr_expect_eq(m->sm_suffix, 'a');
    cr_expect_str_eq(m->files[1], "forms.cu");
    const struct ptx_func *k = func_named(m, "kernel"), *later = func_named(m, "later");
    cr_expect(k->is_entry && k->is_visible && k->has_body && k->explicit_cluster);
    cr_expect_eq(k->maxntid[0], 128);
    cr_expect_eq(k->maxntid[1], 2);
    cr_expect_eq(k->maxntid[2], 1);
    cr_expect_eq(k->minnctapersm, 4);
    cr_expect_eq(k->maxnreg, 64);
    cr_expect_eq(k->reqnctapercluster[0], 2);
    cr_expect_eq(k->nparams, 2);
    cr_expect_eq(k->params[1]->size, 24);
    cr_expect_eq(k->params[1]->align, 8);
    cr_expect(later->has_body, "a declaration becomes the definition");
    cr_expect(func_named(m, "wide")->is_noreturn);
    cr_expect(func_named(m, "vprintf")->is_extern);
    const struct ptx_func *other = func_named(m, "other");
    cr_expect(other->has_body && other->insns == later->insns && other != later, "an alias");
    ptx_free(m);
}

Test(ptx, data)
{
    struct ptx_module *m = parse_path(TESTDATA "forms.ptx");
    const struct ptx_var *v = var_named(m, "text");
    cr_expect(v->size == 4 && memcmp(v->init, "foo", 4) == 0);
    v = var_named(m, "pointers");
    cr_assert_eq(v->nrelocs, 3);
    cr_expect(v->relocs[0].generic && v->relocs[0].size == 8);
    cr_expect(!v->relocs[1].generic && v->relocs[1].addend == 2 && v->relocs[1].offset == 8);
    cr_expect(v->relocs[2].offset == 24 && v->relocs[2].addend == -1);
    cr_expect_eq(v->init[16], 7);
    v = var_named(m, "bytes");
    cr_assert_eq(v->nrelocs, 3);
    cr_expect(v->relocs[1].shift == 8 && v->relocs[1].generic && v->relocs[1].addend == 4);
    cr_expect(v->relocs[2].shift == 48 && v->relocs[2].size == 1);
    static const float table[6] = {1.5f, -0.25f, 1, 2}, vectors[8] = {1, 2, 0, 0, 3};
    v = var_named(m, "table");
    cr_expect(v->size == 24 && memcmp(v->init, table, 24) == 0 && v->space == SPACE_CONST);
    v = var_named(m, "vectors");
    cr_expect(v->size == 32 && v->elem == 16 && v->align == 16 && !memcmp(v->init, vectors, 32));
    static const int32_t open[] = {1, 19, -1, -3, 4, 32};
    v = var_named(m, "open");
    cr_expect(v->size == sizeof(open) && memcmp(v->init, open, sizeof(open)) == 0);
    double third;
    memcpy(&third, var_named(m, "third")->init, 8);
    cr_expect_eq(third, 1.0 / 3);
    v = var_named(m, "merged");
    cr_expect(!v->is_extern && v->is_visible && v->init[0] == 3);
    cr_expect(var_named(m, "shared_with_host")->is_managed);
    cr_expect(var_named(m, "weak_one")->is_weak && var_named(m, "common_one")->is_common);
    v = var_named(m, "dynamic");
    cr_expect(v->is_extern && v->is_array && v->size == 0 && v->space == SPACE_SHARED);
    cr_expect_eq(var_named(m, "fixed")->size, 64);
    ptx_free(m);
}

/* Registers re-declared in inner braces are other registers; labels belong to their braces. */
Test(ptx, scopes)
{
    struct ptx_module *m =
        parse(HEADER ".func f { .reg .b32 r, %x<4>, %x1<3>; L: mov.b32 r, %x3;\n"
                     "{ .reg .b64 r, %x<2>; bra L; mov.b64 r, %x1; mov.b32 %x3, %x12; L: }\n"
                     "{ mov.b32 r, %x3; bra L; } { .reg .b64 %x<20>; mov.b64 %x12, 0; } }");
    const struct ptx_func *f = m->funcs[0];
    cr_assert_eq(f->ninsns, 7);
    const struct ptx_insn *in = f->insns;
    cr_expect_neq(in[0].operands[0].reg, in[2].operands[0].reg);
    cr_expect_eq(f->regs[in[2].operands[0].reg].type, PTX_B64);
    cr_expect_eq(f->regs[in[2].operands[1].reg].type, PTX_B64, "%%x1 of the inner %%x<2>");
    cr_expect_eq(in[3].operands[0].reg, in[0].operands[1].reg, "%%x3 is still the outer one");
    cr_expect_str_eq(f->regs[in[3].operands[1].reg].name, "%x12");
    cr_expect_eq(in[4].operands[0].reg, in[0].operands[0].reg);
    cr_expect_eq(in[4].operands[1].reg, in[0].operands[1].reg);
    cr_expect_eq(f->regs[in[6].operands[0].reg].type, PTX_B64, "the inner %%x<20>, not %%x1<3>");
    cr_expect_eq(f->labels[in[1].operands[0].label].insn, 4, "a later label of the same braces");
    cr_expect_eq(f->labels[in[5].operands[0].label].insn, 0, "the outer label");
    ptx_free(m);
}

Test(ptx, calls_and_tables)
{
    struct ptx_module *m = parse_path(TESTDATA "forms.ptx");
    const struct ptx_func *k = func_named(m, "kernel");
    int seen = 0;
    for (uint32_t i = 0; i < k->ninsns; i++) {
        const struct ptx_insn *in = &k->insns[i];
        if (in->op == OP_brx) {
            cr_assert(in->table && in->table->nlabels == 2);
            cr_expect_str_eq(k->labels[in->table->labels[1]].name, "before");
            seen++;
        } else if (in->op == OP_call && in->callproto && in->callproto->targets) {
            cr_expect_eq(in->callproto->ntargets, 2);
            cr_expect_eq(in->callproto->targets[0], func_named(m, "later"));
            seen++;
        } else if (in->op == OP_call && in->callproto) {
            cr_expect(in->callproto->nparams == 1 && in->callproto->rets[0]->size == 4);
            seen++;
        } else if (in->op == OP_call) {
            cr_expect_eq(in->operands[1].func, func_named(m, "later"));
            cr_expect_str_eq(in->operands[2].elems[0].var->name, "arg");
            seen++;
        }
    }
    cr_expect_eq(seen, 4);
    ptx_free(m);
}

Test(ptx, aliases)
{
    struct ptx_module *m = parse(HEADER ".func g; .func h;\n.entry k { call g; call h; }\n"
                                        ".func h { ret; } .alias g, h;");
    const struct ptx_func *k = func_named(m, "k"), *h = func_named(m, "h");
    cr_expect_eq(k->insns[0].operands[1].func, h);
    cr_expect_eq(k->insns[1].operands[1].func, h);
    cr_expect_eq(func_named(m, "g")->insns, h->insns);
    ptx_free(m);
}

Test(ptx, inlining)
{
    struct ptx_module *m = parse_path(TESTDATA "forms.ptx");
    const struct ptx_func *k = func_named(m, "kernel");
    const struct ptx_insn *ld = NULL;
    for (uint32_t i = 0; i < k->ninsns && !ld; i++)
        if (ptx_has(&k->insns[i], M_nc))
            ld = &k->insns[i];
    cr_assert(ld);
    cr_expect(ld->loc.file == 1 && ld->loc.line == 12 && ld->loc.column == 5);
    const struct ptx_inlined *in = &m->inlined[ld->loc.inlined];
    cr_expect_str_eq(in->function, "_Z2");
    cr_expect_eq(in->line, 11);
    cr_assert_neq(in->parent, 0);
    cr_expect_str_eq(m->inlined[in->parent].function, "_Z1");
    cr_expect_eq(m->inlined[in->parent].line, 10);
    cr_expect_eq(m->inlined[in->parent].parent, 0);
    ptx_free(m);
}

Test(ptx, opcode_text)
{
    struct ptx_module *m = parse(HEADER ".func f { .reg .pred p; .reg .b32 r;\n"
                                        "@!p\tld.global.nc.L1::no_allocate.v2.u32 {r,r},[r];\n"
                                        "ret; }");
    char text[64];
    ptx_opcode_text(m, &m->funcs[0]->insns[0], text, sizeof(text));
    cr_expect_str_eq(text, "ld.global.nc.L1::no_allocate.v2.u32");
    ptx_opcode_text(m, &m->funcs[0]->insns[0], text, 4);
    cr_expect_str_eq(text, "ld.");
    ptx_opcode_text(m, &m->funcs[0]->insns[1], text, sizeof(text));
    cr_expect_str_eq(text, "ret");
    ptx_free(m);
}

/* ---- what the fuzzer found, and every cut of a good module ---- */

Test(ptx, fuzz_cases, .timeout = 60)
{
    DIR *d = opendir(TESTDATA "fuzz/ptx");
    cr_assert(d);
    for (struct dirent *f; (f = readdir(d));) {
        char path[512];
        size_t n;
        struct ptx_error e;
        if (f->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), TESTDATA "fuzz/ptx/%s", f->d_name);
        char *text = read_all(path, &n);
        struct ptx_module *m = ptx_parse(text, n, &e);
        cr_expect(m || e.message[0], "%s: no reason given", path);
        ptx_free(m);
        free(text);
    }
    closedir(d);
}

Test(ptx, every_prefix, .timeout = 60)
{
    size_t n;
    char *text = read_all(TESTDATA "forms.ptx", &n);
    for (size_t i = 0; i < n; i++) {
        struct ptx_error e;
        char *cut = malloc(i + 1); /* exact, so that a sanitizer sees any step beyond */
        memcpy(cut, text, i);
        struct ptx_module *m = ptx_parse(cut, i, &e);
        cr_expect(m || e.message[0]);
        ptx_free(m);
        free(cut);
    }
    free(text);
}
