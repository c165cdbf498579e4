/* similar_test.c - a copy is known under each disguise that costs its maker nothing, and right
 * solutions that were written apart are not taken for copies. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/testing.h"
#include "grading/mark/expect.h"
#include "similar.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct prints prints_of_path(const char *path)
{
    char *text;
    size_t n;
    cr_assert_eq(file_read(path, 1 << 20, &text, &n), 0, "%s", path);
    struct prints p = prints_of(text);
    free(text);
    return p;
}

static struct prints skeleton_of(const char *lab)
{
    char *path = xformat("%s/labs/%s/%s.cu", course_root(), lab, lab);
    struct prints p = prints_of_path(path);
    free(path);
    return p;
}

/* Where a statement begins, in a function or its loop: \\1 its first word, \\2 the rest. */
#define STATEMENT "s/^    (for|if|int|unsigned|T|float|double|__syncthreads)\\b(.*)$/"
/* An assignment that may be the body of something: \\1 is what is before it, \\2 it. */
#define ASSIGNMENT "s/^( +)([a-z_]+(\\[[^]=]*\\])* [-+*]?= .*;)$/"

/* Scripts of sed that change how a solution is written and nothing of what it does. */
static const struct {
    const char *name, *script;
} disguises[] = {
    {"brackets", "s/ = ([^;{,]*);/ = ((\\1));/; s/\\[([a-z]+)\\]/[(\\1)]/g"},
    {"braces", "s/^( +)(sum|out|field|tile)(.*;)$/\\1{ { \\2\\3 } }/; s/;$/;;/"},
    {"digraphs", "s/\\[/<:/g; s/\\]/:>/g; s/\\{/<%/g; s/\\}/%>/g; s/^#/%:/"},
    {"words for operators", "s/&&/and/g; s/\\|\\|/or/g; s/!([a-z(])/not \\1/g; s/ \\^ / xor /g"},
    {"joined lines",
     "s/thread/thr\\\\\\nead/g; s/(float|if|for)/\\\\ \\n\\1/g; s/\\+=/+\\\\\\n=/g"},
    {"comments", "s/;$/; \\/\\/ for (;;) { x[0]++; }/; s/ = / \\/* if (x) \"y\" *\\/ = /g"},
    {"layout", "s/^ +//; s/([-+*;<>=])/ \\1 /g; s/([-+<>=])  ([=+<>-])/\\1\\2/g"},
    {"names", "s/\\b(in|out|n|i|x0|y0|tx|dx|dy|sum|width|height|tile|field)\\b/my_\\1_0/g"},
    {"types",
     "1i using real = float; typedef unsigned natural;\n"
     "s/\\bunsigned\\b/natural/g; s/\\bfloat\\b/real/g; s/natural ([a-z])/const natural \\1/"},
    {"numbers", "s/\\b32\\b/0x20u/g; s/\\b0\\.5f/5e-1f/g; s/\\b64\\b/6'4/g"},
    {"macros", "1i #define BEGIN {\\n#define END }\\n#define LP (\\n#define AT threadIdx.x\n"
               "s/\\{/ BEGIN /g; s/\\}/ END /g; s/ \\(/ LP /g; s/threadIdx\\.x/AT/g"},
    {"macros with parameters",
     "1i #define GET(a, i) a[i]\\n#define IF(c) if (c)\\n#define ID(x) x\n"
     "s/\\b([a-z]+)\\[([a-z0-9 +]+)\\]/GET(\\1, \\2)/g; s/ = / ID(=) /g; "
     "s/\\bif \\(([^()]*)\\)$/IF(\\1)/"},
    {"text that is not compiled", "s/;$/;\\n#if 0\\nfor (;;) break; #if x\\n#endif\\n#endif/"},
    {"line ends of old", "s/$/\\r/;1h;1!H;$!d;g;s/\\r\\n/\\r/g"},
    {"a name that nothing defines", "s/;$/;\\n#ifdef NEVER\\nfor (;;) x[q] += q * 3;\\n#endif/"},
    {"a name that the compiler defines",
     "s/;$/;\\n#ifndef __CUDACC__\\nfor (;;) x[q] += q * 3;\\n#endif/"},
    {"a name that a header defines",
     "s/;$/;\\n#ifndef KERNEL\\nfor (;;) x[q] += q * 3;\\n#elif !defined(WARPLAB_CUH)\\nx++;\\n"
     "#endif/"},
    {"defined", "s/;$/;\\n#if defined(NOPE) || !defined __cplusplus\\nwhile (a < b) a += 2;\\n"
                "#endif/"},
    {"words for numbers", "s/;$/;\\n#if false\\nwhile (a < b) a += 2;\\n#endif/"},
    {"a condition of numbers",
     "s/;$/;\\n#if 0 > 1 || (7 \\& 8) || -1 < 0u\\nwhile (a < b) a += 2;\\n"
     "#endif/"},
    {"a condition of macros", "1i #define A(x) x##0\\n#define B 2\n"
                              "s/;$/;\\n#if A(1) < B * 5\\nwhile (a < b) a += 2;\\n#endif/"},
    {"a header that is not there",
     "s/;$/;\\n#if !__has_include(\"warplab.cuh\")\\nwhile (a < b) a += 2;\\n#endif/"},
    {"the other branch",
     "s/^( +[a-z][^#{}()]*;)$/#if 1\\n\\1\\n#else\\nfor (;;) x = y * 2;\\n#endif/"},
    {"the third branch", "s/^( +[a-z][^#{}()]*;)$/#if 0\\nx++;\\n#elif __CUDA_ARCH__ < 100\\n"
                         "for (;;) x = y * 2;\\n#elif 1\\n\\1\\n#elif 1\\ny--;\\n#endif/"},
    {"any arguments",
     "1i #define V(...) __VA_ARGS__\\n#define W(a, ...) a __VA_OPT__(, __VA_ARGS__)\n"
     "s/^( +)([a-z][^;#{}]*);$/\\1V(W(\\2));/"},
    {"named arguments", "1i #define V(a...) a\ns/^( +)([a-z][^;#{}]*);$/\\1V(V(\\2));/"},
    {"pasted names", "1i #define C(a, b) a##b\\n#define D(a, b) C(a, b)\n"
                     "s/\\bthreadIdx\\b/C(thread,Idx)/g; s/\\bfor\\b/D(fo,r)/g; "
                     "s/\\b__syncthreads\\b/D(C(__sy, nc), threads)/g"},
    {"a macro's name from a macro", "1i #define P(x) x\\n#define Q P\\n#define R() Q\n"
                                    "s/ = ([^;{(,]*);/ = R()(Q(\\1));/"},
    {"pragmas", "s/;$/; _Pragma(\"diag_suppress 177\")/"},
    {"sums for subscripts", "s/\\b([a-z_]+)\\[([a-zA-Z0-9_ .+]+)\\]/(*(\\1 + (\\2)))/g"},
    {"addresses", "s/\\b([a-z_]+)\\[([a-zA-Z0-9_ .+]+)\\]/(*\\&\\1[\\2])/g"},
    {"signs", "s/ = ([^;{,]*);/ = +(\\1);/"},
    {"statements of nothing", "s/^( +[a-z][^;#{}]*;)$/\\1 (void)0; asm volatile(\"\"); int q;/"},
    {"what is never done",
     "s/^( +[a-z][^;#{}]*;)$/\\1 if (0) { int q = 1; (void)q; } if (false) q++; while (0) q--;/"},
    {"nothing added", "s/ = ([^;{,]*);/ = 0 + (\\1);/"},
    {"times one", "s/ = ([^;{,]*);/ = 1 * (\\1);/; s/return ([^;]*);/return (\\1) * 1;/"},
    {"or nothing", "s/ = ([^;{,]*);/ = (\\1) | 0;/; s/\\[([a-z]+)\\]/[\\1 << 0]/g"},
    {"signs twice", "s/ = ([^;{,]*);/ = - -(\\1);/; s/\\bif \\(([^()]*)\\)$/if (!!(\\1))/"},
    {"casts", "s/ = ([^;{,]*);/ = (float)(\\1);/; s/\\[([a-z]+)\\]/[(int)\\1]/g"},
    {"casts by name", "s/ = ([^;{,]*);/ = static_cast<float>(\\1);/"},
    {"commas", "s/ = ([^;{,]*);/ = (0, \\1);/"},
    {"unused variables", STATEMENT "int junk = n * 3 + 1; \\1\\2/; " ASSIGNMENT
                                   "\\1{ float jq = n; \\2 jq = jq * 2 + n; }/"},
    {"unused chains", STATEMENT
     "int ju = n * 3, jv = ju + 4, jt; jt = jv \\& ju; jt += jv; jt++; \\1\\2/; " ASSIGNMENT
     "\\1{ int jt = n, jw = jt + 3; jw *= jt; \\2 }/"},
    {"unused arrays", STATEMENT "int u[2]; u[0] = n * 3; u[1] = u[0] + n; \\1\\2/"},
    {"unused conditions",
     STATEMENT "int u = n * 3; if (u > 4) { u += n; } else if (u == 2) u = 2; else u--; \\1\\2/"},
    {"unused loops", STATEMENT "int u = n; for (int e = 0; e < 3; e++) { u = u * 5 + e; } "
                               "while (u > 3) u -= n; \\1\\2/"},
    {"what is always done", ASSIGNMENT "\\1if (1) { \\2 }/"},
    {"the other of two", ASSIGNMENT "\\1if (true) { \\2 } else { x[n] = n * 3 + 1; }/"},
    {"what is done once", ASSIGNMENT "\\1do { \\2 } while (0);/"},
    {"split declarations", "s/^( +)(unsigned|int|float|T) ([a-z]+) = /\\1\\2 \\3; \\3 = /"},
    {"assignments in full", "s/^( *)([a-z][^ ;]*) \\+= (.*);/\\1\\2 = \\2 + (\\3);/; "
                            "s/([a-z]+) ([*\\/])= 2/\\1 = \\1 \\2 2/g; "
                            "s/([a-z]+) \\+= ([^;()]*)\\)/\\1 = \\2 + \\1)/g"},
    {"increments", "s/\\b([a-z]+)\\+\\+/++\\1/g"},
    {"increments in full", "s/\\b([a-z]+)\\+\\+/\\1 += 1/g"},
    {"turned comparisons",
     "s/\\b([a-z0-9]+( [-+*] [a-z0-9]+)?) < ([a-z0-9.]+( [-+*\\/] [a-z0-9.]+)?)"
     "(;|\\)| &&| \\?)/\\3 > \\1\\5/g; "
     "s/([a-z]+) > 0;/0 < \\1;/g"},
    {"unused statements",
     ASSIGNMENT "\\1{ int ju(n), jv{3}; (void)ju; jv; n * ju + 1; n = n; \\2 }/"},
    {"constant conditions",
     ASSIGNMENT "\\1if (2 > 1 \\&\\& !0) { do { \\2 } while (n != n); } else {}/"},
    {"constant choices", "s/ = ([^;{,]*);/ = 1 ? (\\1) : n * 3 + 1;/"},
    {"names for numbers",
     "1i constexpr int TWO = 2, NONE = 0;\\nconst unsigned LANES = 32;\\nstatic "
     "constexpr int ONE = 1;\n"
     "s/\\b2\\b/TWO/g; s/\\b0\\b/NONE/g; s/\\b32\\b/LANES/g; s/\\b1\\b/ONE/g"},
    {"differences of nothing", "s/ = ([^;{,]*);/ = (\\1) + (n - n);/"},
    {"a lambda called at once",
     ASSIGNMENT "\\1[\\&] { \\2 }();/; s/^(.*return) ([^;]*);/\\1 [=] { return \\2; }();/"},
    {"a lambda's value", "s/ = ([^;{,]*);/ = [\\&]() -> float { return \\1; }();/"},
    {"a lambda's parameters", "s/ = ([^;{,]*);/ = [=](auto q) mutable { return q; }(\\1);/"},
    {"a switch of one case", ASSIGNMENT "\\1switch (0) { default: \\2 }/"},
    {"a switch's other cases", ASSIGNMENT "\\1switch (2) { case 0: n = n * 3; break; case 1 + 1: { "
                                          "\\2 break; } default: for (;;) n++; }/"},
    {"loops of one round", ASSIGNMENT "\\1for (int once = 0; once < 1; ++once) { \\2 }/"},
    {"loops of a flag", ASSIGNMENT "\\1for (bool go = true; go; go = false) \\2/"},
    {"loops down to nothing", ASSIGNMENT "\\1for (int q = 2; q > 0; q -= 2) { \\2 }/"},
    {"loops that are left", ASSIGNMENT "\\1for (;;) { \\2 break; }/; s/^(    )(int|unsigned) "
                                       "([a-z]+) = (.*);/&\\1while (true) { \\3 = \\4; break; }/"},
    {"empty asm", "s/^( +[a-z][^;#{}]*;)$/\\1 asm volatile(\"\" : : : \"memory\"); asm(\"\" : "
                  "\"+r\"(n)); __asm__ __volatile__(\"\\/\\/ x\");/"},
    {"asm of nothing",
     STATEMENT "int jq; asm volatile(\"{ .reg .u32 t; mov.u32 t, 7;\" \" add.u32 %0, t, 1; }\" : "
               "\"=r\"(jq) : \"r\"(n)); asm(\"mov.u32 %0, %1;\" : \"=r\"(jq) : \"r\"(n * 3)); asm "
               "volatile(\"{ .reg .u32 t; mov.u32 t, 7; }\"); \\1\\2/"},
    {"a copy of each value",
     "s/^( +)([a-z]+(\\[[^]=]*\\])*) ([-+*]?=) ([^;{,]*);$/\\1{ const float vq = \\5; \\2 \\4 vq; "
     "}/; "
     "s/^( +)(int|unsigned|float|T) ([a-z]+) = ([^;,{]*);$/\\1\\2 \\3q = \\4, \\3 = \\3q;/"},
    {"copies of names", ASSIGNMENT "\\1{ const auto nq = n; auto np = nq; \\2 }/; " STATEMENT
                                   "const auto nq = n; \\1\\2/"},
    {"all of these", "s/^( *)([a-z][^ ;]*) \\+= (.*);/\\1\\2 = \\2 + 1 * (\\3);/; s/ = ([^;{,]*);/ "
                     "= 0 + ((float)(\\1)) ;/; s/\\b([a-z]+)\\+\\+/\\1 += 1/g; s/([(=] "
                     "?)([a-z0-9]+) < ([a-z0-9.]+)(;|\\)| &&| \\?)/\\1\\3 > \\2\\4/g; " STATEMENT
                     "int junk = n * 3; \\1\\2/; " ASSIGNMENT "\\1if (1) { \\2 }/"},
    {"order", "/^KERNEL/,/^\\}/{H;$!d;s/.*//}\n$G"},
};

/* What a solution shares with itself behind the disguise, the skeleton aside. */
static double seen_through(const char *lab, const char *script)
{
    char *path = xformat("%s/solutions/%s/%s.cu", course_root(), lab, lab),
         file[] = "/tmp/sedXXXXXX";
    close(mkstemp(file));
    cr_assert_eq(file_write(file, script, strlen(script)), 0);
    char *text = shell(NULL, "sed -E -f %s %s", file, path);
    struct prints given = skeleton_of(lab), a = prints_of_path(path), b = prints_of(text);
    prints_subtract(&a, &given);
    prints_subtract(&b, &given);
    double share = prints_overlap(&a, &b);
    unlink(file);
    free(text);
    free(path);
    prints_free(&given);
    prints_free(&a);
    prints_free(&b);
    return share;
}

Test(similar, sees_through_disguises, .timeout = 120)
{
    static const char *const labs[] = {"coalescing", "reduction", "conv1d", "matmul"};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof(disguises) / sizeof(disguises[0]); i++) {
            double share = seen_through(labs[k], disguises[i].script);
            cr_expect_geq(share, 0.9, "%s of %s: %.0f %%", disguises[i].name, labs[k], 100 * share);
        }
}

/* The file that this one says it was made from, allocated, or NULL. */
static char *origin_of(const char *path)
{
    struct expect e;
    struct text why = {0};
    char *text, *origin = NULL;
    size_t n;
    cr_assert_eq(file_read(path, 1 << 20, &text, &n), 0, "%s", path);
    cr_assert(expect_parse(text, &e, &why), "%s: %s", path, text_str(&why));
    if (e.after)
        origin = xformat("%.*s%s.cu", (int)(strrchr(path, '/') + 1 - path), path, e.after);
    expect_free(&e);
    free(text);
    return origin;
}

/* Files written apart are apart; one made from another is found to be. */
static void expect_apart(const char *lab, glob_t *files)
{
    struct prints *v = xzalloc(files->gl_pathc * sizeof(*v)), given = skeleton_of(lab);
    bool *made = xzalloc(files->gl_pathc * sizeof(*made));
    for (size_t i = 0; i < files->gl_pathc; i++) {
        char *origin = origin_of(files->gl_pathv[i]);
        made[i] = origin;
        v[i] = prints_of_path(files->gl_pathv[i]);
        prints_subtract(&v[i], &given);
        for (size_t k = 0; k < i && !made[i]; k++)
            if (!made[k])
                cr_expect_lt(prints_overlap(&v[i], &v[k]), 0.8, "%s and %s", files->gl_pathv[i],
                             files->gl_pathv[k]);
        if (!made[i])
            continue;
        struct prints o = prints_of_path(origin);
        prints_subtract(&o, &given);
        cr_expect_geq(prints_overlap(&v[i], &o), 0.8, "%s and %s", files->gl_pathv[i], origin);
        prints_free(&o);
        free(origin);
    }
    free(made);
    for (size_t i = 0; i < files->gl_pathc; i++)
        prints_free(&v[i]);
    prints_free(&given);
    free(v);
}

/* At the share that `grade similar` shows pairs from. */
Test(similar, right_solutions_are_no_copies)
{
    static const char *const labs[] = {"bank_conflicts", "coalescing", "conv1d",
                                       "divergence",     "matmul",     "reduction"};
    for (size_t i = 0; i < sizeof(labs) / sizeof(labs[0]); i++) {
        char *pattern = xformat("%s/labs/%s/right/*.cu", course_root(), labs[i]);
        glob_t files;
        cr_assert_eq(glob(pattern, 0, NULL, &files), 0, "%s", pattern);
        expect_apart(labs[i], &files);
        globfree(&files);
        free(pattern);
    }
}

/* What a compiler refuses is read all the same, to its end. */
Test(similar, broken_conditionals, .timeout = 20)
{
    struct text deep = {0}, nested = {0};
    text_add(&deep, "#if ");
    text_add(&nested, "#define f(x, ...) x ## __VA_ARGS__ # x ##\n");
    for (int i = 0; i < 60000; i++) {
        text_add(&deep, "!(");
        text_add(&nested, "#if f(\n");
    }
    const char *const all[] = {deep.s,
                               nested.s,
                               "#if",
                               "#if 1 /",
                               "#if 1 % 0\n#endif",
                               "#else",
                               "#elif x",
                               "#endif",
                               "#include",
                               "#include <",
                               "#include \"",
                               "#if defined",
                               "#if defined(",
                               "#if 1 ? 2",
                               "#if __has_include(",
                               "#define f(...) __VA_OPT__\nf(1)",
                               "#define f() #\nf()",
                               "#define f(x) ##\nf(1)",
                               "#define __VA_OPT__(x) y\n#define g __VA_OPT__(1)\ng",
                               "#",
                               "_Pragma(",
                               "*",
                               "if (0)"};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct prints p = prints_of(all[i]);
        prints_free(&p);
    }
    text_free(&deep);
    text_free(&nested);
}

/* Sources made to be dear: each is read in bounded time and memory. */
Test(similar, macros_without_end, .timeout = 20)
{
    struct text nothing = {0}, growth = {0}, commas = {0};
    text_add(&nothing, "#define a0\n");
    text_add(&growth, "#define a0 x\n");
    for (int i = 1; i < 40; i++) {
        text_addf(&nothing, "#define a%d a%d a%d\n", i, i - 1, i - 1);
        text_addf(&growth, "#define a%d a%d a%d\n", i, i - 1, i - 1);
    }
    text_add(&nothing,
             "a31 a39\n#define f(f) f(f) f(f)\nf(f(f(f(f(f)))))\n#define g(\n#define\ng(");
    text_add(&growth, "a31 a39\n");
    text_add(&commas, "#define f(x, y) ");
    for (int i = 0; i < 40000; i++)
        text_add(&commas, "y ");
    text_add(&commas, "\nf(");
    for (int i = 0; i < 40000; i++)
        text_add(&commas, ",");
    struct text *all[] = {&nothing, &growth, &commas};
    for (int i = 0; i < 3; i++) {
        struct prints p = prints_of(all[i]->s);
        prints_free(&p);
        text_free(all[i]);
    }
}

/* Code of one kind without end, which each rule has to come through in linear time. */
Test(similar, code_without_end, .timeout = 60)
{
    static const char *const pieces[] = {"(",
                                         "[",
                                         "{",
                                         "((x))",
                                         "if (x) ",
                                         "if (1) ",
                                         "do {",
                                         "do x; ",
                                         "for (",
                                         "for (;;) ",
                                         "else ",
                                         "a > ",
                                         "a, ",
                                         "++",
                                         "- ",
                                         "a[",
                                         "(a[x] = a[",
                                         "if (x) y; else ",
                                         "int a = ",
                                         "int a[2];",
                                         "f(a) > (",
                                         "0 + (",
                                         "x = x + (",
                                         "{ int a = a; ",
                                         "} else {",
                                         "(int) ",
                                         "a_cast<",
                                         "while (x(",
                                         "int a, b; a = b;",
                                         "x > y ? ",
                                         "if (1) {} else { ",
                                         "[] { ",
                                         "[](int q) { return q; }(",
                                         "[](int q) { return q + q; }(x)",
                                         "switch (0) { ",
                                         "switch (0) { case 1: ",
                                         "case 0: ",
                                         "for (int i = 0; i < 1; i++) ",
                                         "while (1) { ",
                                         "while (1) { break; }",
                                         "asm(\"\" ",
                                         "asm(\"\" : ",
                                         "{ int a = b; ",
                                         "{ int a = b; int b = a; ",
                                         "{ int a = x + y; int b = a; c = b + b + b; }",
                                         "int a = b, b = a + a; ",
                                         "f(",
                                         ")",
                                         "}",
                                         "]"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct text t = {0};
        for (int k = 0; k < 60000; k++)
            text_add(&t, pieces[i]);
        struct prints p = prints_of(t.s);
        prints_free(&p);
        text_free(&t);
    }
}
