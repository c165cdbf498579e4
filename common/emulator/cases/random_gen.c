/* random_gen.c - writes random PTX programs without undefined behaviour.
 *
 * Every register, local and shared byte is written before it is read; threads exchange data
 * between block barriers only; operations on several lanes name only lanes that come there;
 * atomics commute and their old value is not looked at; no program may look at the sign or
 * payload of a NaN, except where half precision has one NaN only. So a difference between two
 * machines is an error of one of them.
 *
 * What code may do depends on which threads are sure to execute it together (enum place).
 * The same seed gives the same text on every machine.
 */
#include "random_gen.h"
#include "random_rows.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place { BLOCK, WARPS, LANES, SIMPLE };
enum { NR = 10, ND = 6, NH = 4, NF = 5, NG = 3, NP = 4, FUNCS = 3, MAX_DEPTH = 3 };
enum { NHALF = 4, NPAIR = 3 }; /* registers of f16 and of bf16; of f16x2 and of bf16x2 */
enum { TEXT = 1 << 20 };

static const struct random_shape shapes[] = {{2, {64, 1, 1}}, {3, {96, 1, 1}}, {2, {48, 1, 1}},
                                             {3, {70, 1, 1}}, {2, {8, 9, 1}},  {1, {5, 3, 4}},
                                             {4, {64, 1, 1}}, {2, {16, 4, 1}}, {2, {33, 1, 1}},
                                             {1, {96, 1, 1}}, {3, {4, 4, 4}},  {2, {3, 7, 4}}};

struct gen {
    uint64_t state;
    char *text;
    size_t n;
    unsigned insns, labels, threads, depth;
    bool partial; /* some warp has fewer than 32 lanes */
    bool tail;    /* behind the last barrier: shared atomics are over */
    int func;     /* inside function … (which calls those before it); -1: the kernel */
    unsigned next[8], end[8]; /* labels of the loops around: continue, break */
    unsigned loops;           /* how many of them lie in this function and place */
    unsigned loops_from;      /* of which the first that may be left */
};

/* ---- text ---- */
void random_fail(const char *what, const char *which)
{
    fprintf(stderr, "ptxrandom: %s: %s\n", what, which);
    exit(2);
}
static uint64_t next64(struct gen *g)
{
    uint64_t x = g->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
static unsigned rnd(struct gen *g, unsigned n)
{
    return (unsigned)((next64(g) >> 32) * n >> 32);
}
__attribute__((format(printf, 2, 3))) static void emit(struct gen *g, const char *format, ...)
{
    va_list ap;
    size_t from = g->n;
    va_start(ap, format);
    g->n += (size_t)vsnprintf(g->text + g->n, TEXT - g->n, format, ap);
    va_end(ap);
    if (g->n >= TEXT)
        random_fail("program too long", "");
    for (const char *p = g->text + from; *p; p++)
        g->insns += *p == ';';
}
/* "@%p3" or "@!%p3". (One number is drawn in each statement: a
 * compiler may draw a call's arguments in any order, and a program must be the same from all.) */
static void guard(struct gen *g)
{
    unsigned p = rnd(g, NP);
    emit(g, "@%s%%p%u", rnd(g, 2) ? "!" : "", p);
}
static unsigned immediate(struct gen *g)
{
    static const unsigned edges[] = {0, 1, 2, 31, 32, 33, 255, 0x7fffffff, 0x80000000, 0xffffffff};
    if (rnd(g, 2))
        return edges[rnd(g, 10)];
    unsigned bits = (unsigned)next64(g);
    return bits >> rnd(g, 31);
}
/* A template of random_rows.h: @r @d @h @f @g @p read a register of a pool, as do @k (f16),
 * @w (f16x2), @j (bf16) and @u (bf16x2), capitals write one; @x @y are a register or a 32-bit
 * immediate, an f32 one; @b a byte; <a|b> is a or b. */
static void operand(struct gen *g, char c)
{
    static const char pools[] = "rdhfgpkjwu";
    static const unsigned sizes[] = {NR, ND, NH, NF, NG, NP, NHALF, NHALF, NPAIR, NPAIR};
    char low = (char)(c | 32);
    if (c == 'x' || c == 'y') {
        if (rnd(g, 4))
            operand(g, c == 'x' ? 'r' : 'f');
        else if (c == 'x')
            emit(g, "0x%x", immediate(g));
        else
            emit(g, "0f%08x", 0x3c000000u + (unsigned)(next64(g) & 0x87ffffff));
    } else if (c == 'b') {
        emit(g, "%u", rnd(g, 256));
    } else {
        const char *at = strchr(pools, low);
        if (!at)
            random_fail("unknown operand in a template", (char[]){c, 0});
        emit(g, "%%%c%u", low, rnd(g, sizes[at - pools]));
    }
}
static const char *choose(struct gen *g, const char *p, char *out)
{
    unsigned n = 1, k;
    for (const char *q = p; *q != '>'; q++)
        n += *q == '|';
    for (k = rnd(g, n); k; k--)
        p = strchr(p, '|') + 1;
    size_t len = strcspn(p, "|>");
    memcpy(out, p, len);
    out[len] = 0;
    return strchr(p, '>') + 1;
}
static void expand(struct gen *g, const char *template)
{
    char word[48];
    for (const char *p = template; *p;)
        if (*p == '@' && p[1] == '@') { /* a guard */
            emit(g, "@");
            p++;
            operand(g, p[1]);
            p += 2;
        } else if (*p == '@') {
            operand(g, p[1]);
            p += 2;
        } else if (*p == '<') {
            p = choose(g, p + 1, word);
            expand(g, word);
        } else {
            emit(g, *p == ';' ? "%c\n" : "%c", *p);
            p++;
        }
}
static void simple(struct gen *g)
{
    const char *row = simple_rows[rnd(g, SIMPLE_ROWS)];
    bool never = *row == '!';
    row += never;
    bool single = strchr(row, ';') == row + strlen(row) - 1;
    if (single && !never && rnd(g, 5) == 0) {
        guard(g);
        emit(g, " ");
    }
    expand(g, row);
}

/* ---- structure ---- */
static void statements(struct gen *g, enum place at, unsigned n);

/* Parts the lanes of a warp. (Not by "ne" to an immediate: where ptxas 13.0 so knows x, its
 * "subc.cc d, x, x" is wrong.) */
static const char part[] = "setp.<lt.s32 %q0, @r, @x|gt.s32 %q0, @r, @x|ne.s32 %q0, @r, @r>;";

/* A condition for %q0 that is equal in all threads (BLOCK), of a warp (WARPS), or not. */
static void condition(struct gen *g, enum place at)
{
    if (at == LANES)
        expand(g, part);
    else
        emit(g, "and.b32 %%t0, %s, 1;\nsetp.eq.u32 %%q0, %%t0, %u;\n",
             at == BLOCK ? "%cta" : "%warp", rnd(g, 2));
}
/* Which place code inside a condition or loop has, when it stands at `at`. */
static enum place inner(struct gen *g, enum place at)
{
    unsigned k = rnd(g, 4);
    if (at == SIMPLE || at == LANES || k < 2)
        return LANES;
    return at == BLOCK && k == 2 ? BLOCK : WARPS;
}
static void branch(struct gen *g, enum place at)
{
    enum place in = inner(g, at);
    unsigned other = g->labels++, end = g->labels++;
    bool both = rnd(g, 2);
    condition(g, in);
    emit(g, "@%s%%q0 bra L%u;\n", rnd(g, 2) ? "!" : "", other);
    statements(g, in, 1 + rnd(g, 4));
    if (both)
        emit(g, "bra L%u;\n", end);
    emit(g, "L%u:\n", other);
    if (both) {
        statements(g, in, 1 + rnd(g, 4));
        emit(g, "L%u:\n", end);
    }
}
static void loop(struct gen *g, enum place at)
{
    enum place in = inner(g, at);
    unsigned k = g->loops++, top = g->labels++, from = g->loops_from;
    bool late = rnd(g, 2);
    g->next[k] = g->labels++;
    g->end[k] = g->labels++;
    if (in == LANES)
        expand(g, "and.b32 %t0, @r, <3|3|7>;");
    else
        emit(g, "and.b32 %%t0, %s, 1;\n", in == BLOCK ? "%cta" : "%warp");
    if (in != LANES) /* to leave this loop or one around it would part what must stay together */
        g->loops_from = k + 1;
    else if (at != LANES)
        g->loops_from = k;
    emit(g, "add.u32 %%c%u, %%t0, 1;\nL%u:\n", k, top);
    if (!late)
        emit(g, "setp.eq.u32 %%q1, %%c%u, 0;\n@%%q1 bra L%u;\n", k, g->end[k]);
    statements(g, in, 1 + rnd(g, 4));
    emit(g, "L%u:\nsub.u32 %%c%u, %%c%u, 1;\n", g->next[k], k, k);
    if (late)
        emit(g, "setp.ne.u32 %%q1, %%c%u, 0;\n@%%q1 bra L%u;\n", k, top);
    else
        emit(g, "bra L%u;\n", top);
    emit(g, "L%u:\n", g->end[k]);
    g->loops--;
    g->loops_from = from;
}
/* continue or break, of any loop that all of whose lanes may part */
static void leave(struct gen *g)
{
    if (g->loops <= g->loops_from)
        return;
    unsigned k = g->loops_from + rnd(g, g->loops - g->loops_from);
    unsigned to = rnd(g, 2) ? g->next[k] : g->end[k];
    guard(g);
    emit(g, " bra L%u;\n", to);
}
static void indexed(struct gen *g, enum place at)
{
    enum place in = at == BLOCK || at == WARPS ? at : LANES;
    unsigned n = 2 + rnd(g, 4), first = g->labels, end;
    g->labels += n + 2;
    end = first + n;
    if (in == LANES || rnd(g, 2)) {
        in = LANES;
        expand(g, "mov.b32 %t0, @r;");
    } else {
        emit(g, "mov.b32 %%t0, %s;\n", in == BLOCK ? "%cta" : "%warp");
    }
    emit(g, "rem.u32 %%t0, %%t0, %u;\nL%u: .branchtargets L%u", n, end + 1, first);
    for (unsigned k = 1; k < n; k++)
        emit(g, ", L%u", first + k);
    emit(g, ";\nbrx.idx %%t0, L%u;\n", end + 1);
    for (unsigned k = 0; k < n; k++) {
        emit(g, "L%u:\n", first + k);
        statements(g, in, 1 + rnd(g, 2));
        if (k + 1 < n && rnd(g, 4)) /* else on into the next one */
            emit(g, "bra L%u;\n", end);
    }
    emit(g, "L%u:\n", end);
}

/* Functions f0, f1, … (.b32, .b64) -> .b32; the first argument is below 4 for f0, which
 * calls itself that deep. All threads of a block call equally deep: where depth differs from
 * lane to lane, ptxas 13.0 takes the warp to be together again behind the call and does not
 * see to it, so that a shuffle or barrier there goes wrong (at -O0 it does not). */
static void call(struct gen *g)
{
    int most = g->func < 0 ? FUNCS : g->func;
    unsigned proto = g->labels++;
    bool indirect = g->func < 0 && rnd(g, 3) == 0;
    if (most <= 0)
        return;
    emit(g, "mov.u32 %%t0, %%ctaid.x;\nadd.u32 %%t0, %%t0, %u;\nand.b32 %%t0, %%t0, 3;\n",
         rnd(g, 4));
    emit(g, "{\n.param .b32 ca;\n.param .b64 cb;\n.param .b32 cz;\nst.param.b32 [ca], %%t0;\n");
    expand(g, "st.param.b64 [cb], @d;");
    if (indirect) {
        expand(g, "and.b32 %t1, @r, 1;");
        emit(g,
             "mul.wide.u32 %%e0, %%t1, 8;\nmov.u64 %%e1, table;\nadd.u64 %%e0, %%e0, %%e1;\n"
             "ld.global.u64 %%e0, [%%e0];\n"
             "L%u: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"
             "call (cz), %%e0, (ca, cb), L%u;\n",
             proto, proto);
    } else {
        emit(g, "call (cz), f%u, (ca, cb);\n", rnd(g, (unsigned)most));
    }
    expand(g, "ld.param.b32 @R, [cz];");
    emit(g, "}\n");
}

/* ---- memory ---- */
static void private_memory(struct gen *g)
{
    expand(g, rnd(g, 2) ? "and.b32 %t0, @r, 7; mul.wide.u32 %e0, %t0, 8; add.u64 %e0, %e0, %loc;"
                        : "and.b32 %t0, @r, 1; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %own;"
                          "cvt.u64.u32 %e0, %t0; cvta.shared.u64 %e0, %e0;");
    expand(g, private_rows[rnd(g, PRIVATE_ROWS)]);
}
/* Own slot written, barrier, any slot read, barrier: three arrays for three kinds of data. */
static void exchange(struct gen *g)
{
    const struct exchange_row *e = &exchange_rows[rnd(g, EXCHANGE_ROWS)];
    emit(g, "mad.lo.u32 %%t0, %%tid1, %u, %%%s;\n", e->slot, e->array);
    expand(g, e->store);
    emit(g, "%s;\n", rnd(g, 3) ? "bar.sync 0" : "barrier.sync 1");
    for (unsigned k = 1 + rnd(g, 2); k; k--) {
        expand(g, "mov.b32 %t1, @r;");
        emit(g, "rem.u32 %%t1, %%t1, %u;\nmad.lo.u32 %%t1, %%t1, %u, %%%s;\n", g->threads, e->slot,
             e->array);
        expand(g, e->load);
    }
    emit(g, "bar.sync 0;\n");
}
static void atomic(struct gen *g)
{
    unsigned k = rnd(g, ATOMIC_ROWS);
    bool shared = !g->tail && g->func < 0 && rnd(g, 2);
    const char *ops = atomic_rows[k].op;
    expand(g, "and.b32 %t0, @r, 15;");
    if (shared)
        emit(g, "mad.lo.u32 %%t0, %%t0, 8, %%acs;\n");
    else
        emit(g, "mad.wide.u32 %%e0, %%t0, 8, %%acc;\n");
    const char *address = shared ? "%t0" : "%e0", *space = shared ? "shared" : "global";
    unsigned offset = k * ACC_WORDS * 8;
    if (k == 0 && rnd(g, 3) == 0) { /* by hand: a loop that lanes leave when their turn comes */
        unsigned top = g->labels++;
        expand(g, "mov.b32 %t3, @r;");
        emit(g, "ld.relaxed.gpu.%s.b32 %%t1, [%s];\nL%u:\nadd.u32 %%t2, %%t1, %%t3;\n", space,
             address, top);
        emit(g, "mov.b32 %%t4, %%t1;\natom.%s.cas.b32 %%t1, [%s], %%t4, %%t2;\n", space, address);
        emit(g, "setp.ne.u32 %%q1, %%t1, %%t4;\n@%%q1 bra L%u;\n", top);
        return;
    }
    if (rnd(g, 2))
        emit(g, "red.%s.%s [%s+%u], ", space, ops, address, offset);
    else
        emit(g, "atom.%s.%s %s, [%s+%u], ", space, ops, atomic_rows[k].wide ? "%e2" : "%t2",
             address, offset);
    expand(g, atomic_rows[k].value);
    emit(g, ";\n");
}

/* ---- several lanes ---- */
static void collective(struct gen *g, const char *mask)
{
    emit(g, "mov.b32 %%m, %s;\n", mask);
    expand(g, lane_rows[rnd(g, g->partial ? LANE_ROWS_ANY : LANE_ROWS)]);
}
/* Lanes part by a predicate; each side names just its own lanes. */
static void sides(struct gen *g)
{
    unsigned other = g->labels++, end = g->labels++;
    expand(g, part);
    emit(g, "vote.sync.ballot.b32 %%v, %%q0, %%all;\n@!%%q0 bra L%u;\n", other);
    for (int side = 0; side < 2; side++) {
        if (side)
            emit(g, "bra L%u;\nL%u:\nxor.b32 %%v, %%v, %%all;\n", end, other);
        for (unsigned k = 1 + rnd(g, 3); k; k--) {
            simple(g);
            emit(g, "mov.b32 %%m, %%v;\n");
            if (rnd(g, 3) == 0)
                emit(g, "bar.warp.sync %%m;\n");
            expand(g, lane_rows[rnd(g, LANE_ROWS_SOME)]);
        }
    }
    emit(g, "L%u:\n", end);
    if (rnd(g, 2))
        emit(g, "bar.warp.sync %%all;\n");
}

/* ---- a program ---- */
static void statement(struct gen *g, enum place at)
{
    unsigned k = rnd(g, 40);
    bool deep = g->depth >= MAX_DEPTH;
    if (k < 3 && !deep)
        branch(g, at);
    else if (k < 5 && !deep)
        loop(g, at);
    else if (k < 6 && !deep)
        indexed(g, at);
    else if (k < 7 && at == LANES)
        leave(g);
    else if (k < 8)
        call(g);
    else if (k < 10 && g->func < 0)
        private_memory(g);
    else if (k < 12 && g->func < 0)
        atomic(g);
    else if (k < 16 && at <= WARPS)
        collective(g, "%all");
    else if (k < 17 && at <= WARPS)
        sides(g);
    else if (k < 20 && at == BLOCK)
        exchange(g);
    else if (k < 21 && at == BLOCK)
        expand(g, "bar.red.<popc.u32 @R|and.pred @P|or.pred @P>, 0, @p;");
    else
        simple(g);
}
static void statements(struct gen *g, enum place at, unsigned n)
{
    g->depth++;
    while (n--)
        statement(g, at);
    g->depth--;
}

static void declare(struct gen *g)
{
    emit(g, ".reg .b32 %%r<%d>, %%t<6>, %%c<8>;\n.reg .b64 %%d<%d>, %%e<4>, %%x<2>;\n", NR, ND);
    emit(g, ".reg .b16 %%h<%d>, %%k<%d>, %%j<%d>, %%s<2>;\n.reg .b32 %%w<%d>, %%u<%d>;\n", NH,
         NHALF, NHALF, NPAIR, NPAIR);
    emit(g, ".reg .f32 %%f<%d>;\n.reg .f64 %%g<%d>;\n", NF, NG);
    emit(g, ".reg .pred %%p<%d>, %%q<4>;\n", NP);
}
/* f16: any bits. bf16 has so many more exponents that few sums would have to be rounded:
 * numbers from 2^-7 to 2. */
static void fill_halves(struct gen *g)
{
    static const char *const how[] = {
        "mov.b64 {%k0, %k1, %k2, %k3}, %x0;\nmov.b64 {%j0, %j1, %j2, %j3}, %x1;\n",
        "mov.b64 {%w0, %w1}, %x0;\nmov.b64 {%u0, %u1}, %x1;\n"
        "mov.b32 %w2, {%k3, %k1};\nmov.b32 %u2, {%j3, %j1};\n"};
    for (int k = 0; k < 2; k++)
        emit(g,
             "mad.lo.u64 %%x0, %%x0, 6364136223846793005, 1442695040888963407;\n"
             "and.b64 %%x1, %%x0, 0x83ff83ff83ff83ff;\nor.b64 %%x1, %%x1, 0x3c003c003c003c00;\n%s",
             how[k]);
}
/* Fills the pools from %x0. */
static void fill_pools(struct gen *g)
{
    static const struct {
        char pool;
        int n;
        const char *how; /* from %x0, by way of %t0: the upper half */
    } fill[] = {
        {'r', NR, "mov.b32 %%%c%d, %%t0;\n"},        {'d', ND, "mov.b64 %%%c%d, %%x0;\n"},
        {'h', NH, "cvt.u16.u32 %%%c%d, %%t0;\n"},    {'f', NF, "cvt.rn.f32.s32 %%%c%d, %%t0;\n"},
        {'g', NG, "cvt.rn.f64.s64 %%%c%d, %%x0;\n"}, {'p', NP, "setp.gt.s32 %%%c%d, %%t0, 0;\n"}};
    for (size_t k = 0; k < sizeof(fill) / sizeof(fill[0]); k++)
        for (int i = 0; i < fill[k].n; i++) {
            emit(g,
                 "mad.lo.u64 %%x0, %%x0, 6364136223846793005, 1442695040888963407;\n"
                 "shr.u64 %%x1, %%x0, %u;\ncvt.u32.u64 %%t0, %%x1;\n",
                 rnd(g, 4) ? 32 : 52);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            emit(g, fill[k].how, fill[k].pool, i);
#pragma GCC diagnostic pop
            if (fill[k].pool == 'f' && i)
                emit(g, "mul.rn.f32 %%f%d, %%f%d, 0f%08x;\n", i, i, 0x2f000000 + i * 0x01800000);
        }
    fill_halves(g);
}
static void fold(struct gen *g, const char *how, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        for (const char *p = how; *p; p++)
            if (*p == '#')
                emit(g, "%u", i);
            else
                emit(g, "%c", *p);
        emit(g, "\nxor.b64 %%x0, %%x0, %%x1;\nmul.lo.u64 %%x0, %%x0, 0x9e3779b97f4a7c15;\n"
                "shr.u64 %%x1, %%x0, 29;\nxor.b64 %%x0, %%x0, %%x1;\n");
    }
}
static void fold_all(struct gen *g)
{
    emit(g, "mov.b64 %%x0, 0x123456789;\n");
    fold(g, "cvt.u64.u32 %x1, %r#;", NR);
    fold(g, "mov.b64 %x1, %d#;", ND);
    fold(g, "mov.b64 %x1, {%h0, %h1, %h2, %h3};", 1);
    fold(g, "selp.b64 %x1, 1, 2, %p#;", NP);
    fold(g, "mov.b64 %x1, {%k0, %k1, %k2, %k3};", 1);
    fold(g, "mov.b64 %x1, {%j0, %j1, %j2, %j3};", 1);
    fold(g, "mov.b64 %x1, {%w#, %u#};", NPAIR);
    /* all NaNs as one */
    fold(g,
         "mov.b32 %t0, %f#; setp.nan.f32 %q0, %f#, %f#; selp.b32 %t0, 1, %t0, %q0;"
         "cvt.u64.u32 %x1, %t0;",
         NF);
    fold(g, "mov.b64 %x1, %g#; setp.nan.f64 %q0, %g#, %g#; selp.b64 %x1, 1, %x1, %q0;", NG);
}
#define PROTOTYPE "(.param .b32 z) f%d (.param .b32 a, .param .b64 b)"
static void function(struct gen *g, int k)
{
    unsigned end = g->labels++;
    g->func = k;
    g->depth = MAX_DEPTH - 2;
    emit(g, ".func " PROTOTYPE "\n{\n", k);
    declare(g);
    emit(g, ".reg .b32 %%arg;\nld.param.b64 %%x0, [b];\nld.param.b32 %%arg, [a];\n");
    fill_pools(g);
    emit(g, "mov.b32 %%r0, %%arg;\n");
    if (k == 0) {
        emit(g,
             "setp.eq.u32 %%q3, %%arg, 0;\n@%%q3 bra L%u;\n"
             "{\n.param .b32 a0;\n.param .b64 b0;\n.param .b32 z0;\nsub.u32 %%t0, %%arg, 1;\n"
             "st.param.b32 [a0], %%t0;\nst.param.b64 [b0], %%d0;\ncall (z0), f0, (a0, b0);\n"
             "ld.param.b32 %%r1, [z0];\n}\nL%u:\n",
             end, end);
        end = g->labels++;
    }
    statements(g, LANES, 4 + rnd(g, 6));
    fold_all(g);
    emit(g, "cvt.u32.u64 %%t0, %%x0;\nst.param.b32 [z], %%t0;\nret;\n}\n");
    g->func = -1;
    g->depth = 0;
}
static void set_up(struct gen *g, const struct random_shape *s)
{
    unsigned t = g->threads;
    emit(g,
         ".visible .entry k(.param .u64 out, .param .u64 acc)\n{\n"
         ".shared .align 16 .b8 sown[%u];\n.shared .align 8 .b8 si[%u], sf[%u], sg[%u], sacc[%u];\n"
         ".local .align 8 .b8 depot[64];\n",
         t * 16, t * 8, t * 4, t * 8, ACC_BYTES);
    emit(g,
         ".reg .b32 %%tid1, %%cta, %%warp, %%lane, %%lanes, %%all, %%m, %%v, %%own, %%acs, %%si, "
         "%%sf, %%sg;\n.reg .b64 %%acc, %%out, %%loc;\n"
         "mov.u32 %%tid1, %%tid.z;\nmov.u32 %%warp, %%tid.y;\nmov.u32 %%lane, %%tid.x;\n");
    emit(g, "mad.lo.u32 %%tid1, %%tid1, %u, %%warp;\nmad.lo.u32 %%tid1, %%tid1, %u, %%lane;\n",
         s->block[1], s->block[0]);
    emit(g,
         "mov.u32 %%cta, %%ctaid.x;\nshr.u32 %%warp, %%tid1, 5;\nmov.u32 %%lane, %%laneid;\n"
         "shl.b32 %%lanes, %%warp, 5;\nsub.u32 %%lanes, %u, %%lanes;\n"
         "min.u32 %%lanes, %%lanes, 32;\nmov.b32 %%all, 1;\nshl.b32 %%all, %%all, %%lanes;\n"
         "sub.u32 %%all, %%all, 1;\nmov.u32 %%si, si;\nmov.u32 %%sf, sf;\nmov.u32 %%sg, sg;\n"
         "mov.u32 %%own, sown;\nmad.lo.u32 %%own, %%tid1, 16, %%own;\nmov.u32 %%acs, sacc;\n"
         "mov.u64 %%loc, depot;\ncvta.local.u64 %%loc, %%loc;\n",
         t);
    emit(g, "ld.param.u64 %%acc, [acc];\ncvta.to.global.u64 %%acc, %%acc;\n"
            "ld.param.u64 %%out, [out];\ncvta.to.global.u64 %%out, %%out;\n"
            "mov.b32 %%m, %%all;\nmov.b32 %%v, %%all;\n");
}
/* Everything that may be read is written once. */
static void fill_memory(struct gen *g)
{
    unsigned top = g->labels++, words = ACC_BYTES / 8;
    for (unsigned k = 0; k < 8; k++)
        emit(g, "st.local.b64 [depot+%u], %%d%u;\n", 8 * k, k % ND);
    emit(g, "st.shared.v2.b64 [%%own], {%%d0, %%d1};\n"
            "mad.lo.u32 %%t0, %%tid1, 8, %%si;\nst.shared.b64 [%%t0], %%d2;\n"
            "mad.lo.u32 %%t0, %%tid1, 4, %%sf;\nst.shared.f32 [%%t0], %%f1;\n"
            "mad.lo.u32 %%t0, %%tid1, 8, %%sg;\nst.shared.f64 [%%t0], %%g1;\n");
    emit(g,
         "mov.b32 %%c0, %%tid1;\nmov.b64 %%x1, 0x123456789abcdef;\nL%u:\n"
         "setp.lt.u32 %%q0, %%c0, %u;\n@%%q0 mad.lo.u32 %%t0, %%c0, 8, %%acs;\n"
         "@%%q0 st.shared.b64 [%%t0], %%x1;\nadd.u32 %%c0, %%c0, %u;\n"
         "@%%q0 bra L%u;\nbar.sync 0;\n",
         top, words, g->threads, top);
}
static void store_result(struct gen *g)
{
    emit(g,
         "mad.lo.u32 %%t0, %%cta, %u, %%tid1;\nmad.wide.u32 %%e0, %%t0, 8, %%out;\n"
         "st.global.b64 [%%e0], %%x0;\n",
         g->threads);
}
static void kernel(struct gen *g, const struct random_shape *s)
{
    set_up(g, s);
    declare(g);
    emit(g,
         ".reg .b32 %%start;\nmad.lo.u32 %%start, %%cta, %u, %%tid1;\n"
         "cvt.u64.u32 %%x0, %%start;\nadd.u64 %%x0, %%x0, 0x%" PRIx64 ";\n"
         "mul.lo.u64 %%x0, %%x0, 0x9e3779b97f4a7c15;\n",
         g->threads, next64(g));
    fill_pools(g);
    fill_memory(g);
    statements(g, BLOCK, 25 + rnd(g, 40));
    /* what the shared atomics came to */
    emit(g,
         "bar.sync 0;\nrem.u32 %%t0, %%tid1, %u;\nmad.lo.u32 %%t0, %%t0, 8, %%acs;\n"
         "ld.shared.b64 %%e0, [%%t0];\nxor.b64 %%d0, %%d0, %%e0;\n",
         ACC_BYTES / 8);
    g->tail = true;
    for (unsigned k = rnd(g, 3); k; k--) {
        unsigned on = g->labels++;
        statements(g, LANES, 2 + rnd(g, 5));
        condition(g, LANES);
        emit(g, "@%%q0 bra L%u;\nmov.b64 %%x0, %%d%u;\n", on, rnd(g, ND));
        store_result(g);
        emit(g, "%s;\nL%u:\n", rnd(g, 2) ? "exit" : "ret", on);
    }
    statements(g, LANES, 2 + rnd(g, 8));
    fold_all(g);
    store_result(g);
    emit(g, "ret;\n}\n");
}
void random_generate(struct random_program *p, uint64_t seed)
{
    struct gen all = {.state = seed * 0xd1342543de82ef95ull + 1, .text = p->text, .func = -1};
    struct gen *g = &all;
    if (!g->text && !(g->text = malloc(TEXT)))
        random_fail("out of memory", "");
    const struct random_shape *s = &shapes[rnd(g, sizeof(shapes) / sizeof(shapes[0]))];
    g->threads = s->block[0] * s->block[1] * s->block[2];
    g->partial = g->threads % 32 != 0;
    emit(g,
         "// seed %" PRIu64 ": %u blocks of (%u,%u,%u)\n"
         ".version 8.0\n.target sm_90\n.address_size 64\n",
         seed, s->grid, s->block[0], s->block[1], s->block[2]);
    for (int k = 0; k < FUNCS; k++)
        emit(g, ".func " PROTOTYPE ";\n", k);
    emit(g, ".global .align 8 .u64 table[2] = {f0, f1};\n");
    for (int k = 0; k < FUNCS; k++)
        function(g, k);
    kernel(g, s);
    *p = (struct random_program){g->text, g->n, g->insns, *s};
}
