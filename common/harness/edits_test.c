/* edits_test.c - which small changes of a file are tried. */
#include "edits.h"
#include "base/alloc.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#include \"warplab.cuh\"\n"
    "KERNEL other(float *x) { x[0] = 7; }\n"
    "// a - b is in no program\n"
    "__device__ float slope(float a, float b)\n"
    "{\n"
    "    return a / b + 1.25f;\n"
    "}\n"
    "KERNEL mine(const float *in, float *out, unsigned n, unsigned m)\n"
    "{\n"
    "    unsigned x = threadIdx.x, y = blockIdx.x;\n"
    "    if (x < n && y < m)\n"
    "        out[y * n + x] = slope(in[x], in[y]) * expf(-in[x & 3 + y]);\n"
    "}\n";

/* Is there a change of line `line` that has this text in it? */
static bool has(const char *kernels, int line, const char *text)
{
    struct edits e;
    bool found = false;

    edits_make(&e, source, kernels, "", "Use 0.319381530 and 2246822507, or 0x9e3779b9.");
    for (int i = 0; i < e.n && !found; i++) {
        char *changed = edits_apply(&e, i);

        found = edits_line(&e, i) == line && strstr(changed, text);
        free(changed);
    }
    edits_free(&e);
    return found;
}

Test(edits, what_people_slip_in)
{
    static const struct {
        int line;
        const char *text;
    } rows[] = {
        {6, "return b / a + 1.25f"},                             /* the other way round */
        {6, "return a * b + 1.25f"},                             /* another operator */
        {6, "return a * a / b + 1.25f"},                         /* a square */
        {6, "return a / (b + 1.25f)"},                           /* brackets */
        {6, "return b / b + 1.25f"},                             /* another name */
        {6, "return a / b + 1.52f"},                             /* two digits */
        {11, "if (x <= n && y < m)"},    {12, "out[x * m + y]"}, /* rows for columns */
        {12, "slope(in[y], in[x])"},                             /* arguments */
        {12, "expf(in[x & 3 + y])"},                             /* a sign */
        {12, "in[(x & 3) + y]"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect(has("mine", rows[i].line, rows[i].text), "%s", rows[i].text);
}

static const char scan_source[] = "KERNEL k(const int *in, int *out, int first, int n, int m)\n"
                                  "{\n"
                                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                  "    int count = in[j], sum = count;\n"
                                  "    sum += 8u >> i;\n"
                                  "    if (i < n && j + 1 < m)\n"
                                  "        out[i] = sum;\n"
                                  "    put(i);\n"
                                  "    i ^= 1;\n"
                                  "}\n";

/* What is changed into what, one after the other. */
static bool is_made(const struct edits *e, int line, const char *with)
{
    for (int i = 0; i < e->n; i++) {
        if (edits_line(e, i) == line && !strcmp(e->v[i].with, with))
            return true;
    }
    return false;
}

Test(edits, what_is_left_out_or_exchanged)
{
    struct edits e;

    edits_make(&e, scan_source, "k", "", "");
    cr_expect(is_made(&e, 3, "(first + blockIdx.x)"), "a parameter that is not used");
    cr_expect(is_made(&e, 3,
                      "blockIdx.y * blockDim.y + threadIdx.y;\n"
                      "    int j = blockIdx.x * blockDim.x + threadIdx.x"),
              "x and y, of both");
    cr_expect_not(is_made(&e, 3, "threadIdx") || is_made(&e, 3, "blockIdx"),
                  "a block's number for a thread's");
    cr_expect(is_made(&e, 3, "y") && !is_made(&e, 3, "z"), "a member that it has, too");
    cr_expect(is_made(&e, 5, "blockIdx.y * m + j"), "a row");
    cr_expect(is_made(&e, 6, "9u"), "a number with its type");
    cr_expect(is_made(&e, 7, "i < m && j + 1 < n"), "two parameters, in what is asked");
    cr_expect(is_made(&e, 7, "j < n && i + 1 < m"), "two like names");
    cr_expect(is_made(&e, 8, "sum - count"), "a sum without its own");
    cr_expect(is_made(&e, 9, "i ^= 1; put(i);\n"), "two statements");
    edits_free(&e);
}

static const char form_source[] =
    "#define PITCH n + 1\n"
    "constexpr int WIDE = 8;\n"
    "KERNEL k(const float4 *in, float *out, unsigned n, unsigned m)\n"
    "{\n"
    "    unsigned i = threadIdx.x, share = n / gridDim.x, part = i % 4;\n"
    "    bool some = i * n < m;\n"
    "    if (i < n - share && part / 2 & 1 == 0)\n"
    "        out[i] = in[i * n].x;\n"
    "    else if (i <= 0 || share < 0)\n"
    "        out[i] = __mulhi(i, n);\n"
    "    else if (some)\n"
    "        out[0] = __mulhi(n, i);\n"
    "    for (int k = WIDE - 1; k > 0; k--)\n"
    "        out[k] = out[k - 1] * PITCH;\n"
    "    if (n > m)\n"
    "        out[1] = 1;\n"
    "    out[2] = 2;\n"
    "    for (int k = 0; k < WIDE; k++)\n"
    "        out[k] += i * WIDE + k;\n"
    "    share = part;\n"
    "    out[3] = share > 7 ? n : m;\n"
    "}\n";

/* … told as these words. */
static bool is_told_at(const struct edits *e, int line, const char *words)
{
    bool told = false;

    for (int i = 0; i < e->n && !told; i++) {
        char *as = edits_words(e, i);

        told = edits_line(e, i) == line && !strcmp(as, words);
        free(as);
    }
    return told;
}

Test(edits, another_form)
{
    static const struct {
        int line;
        const char *with;
    } rows[] = {
        {1, "(n + 1)"},
        {5, "((n + gridDim.x - 1) / gridDim.x)"},
        {5, "i / 2"},
        {5, "(n - 1) / gridDim.x"},
        {6, "m + n - 1"},
        {20, "part = share"},
        {21, "m"},
        {6, "n - share"},
        {7, "i + share < n"},
        {7, "(part / 2 & 1)"},
        {7, "true"},
        {9, "!(i > 0 && share >= 0)"},
        {9, "if"},
        {13, "int k = 1; k < WIDE; k++"},
        {15, "if (n > m)\n        out[1] = 1; else out[2] = 2;\n"},
        {18, "int k = WIDE; k-- > 0;"},
        {19, "k * WIDE + i"},
    };
    struct edits e;

    edits_make(&e, form_source, "k", "", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect(is_made(&e, rows[i].line, rows[i].with), "%d: %s", rows[i].line, rows[i].with);
    cr_expect(is_told_at(
        &e, 6, "with \"i * m\" in place of \"i * n\", here and in the rest of the function,"));
    cr_expect(is_told_at(&e, 10,
                         "with \"__umulhi\" in place of \"__mulhi\", here and in the rest of the "
                         "function,"));
    cr_expect(is_told_at(
        &e, 9, "with \"if\" in place of \"else if\", here and in the rest of the function,"));
    edits_free(&e);
}

/* What would send all another way by chance: a comparison as a divisor, a remainder as a bound. */
static const char shaped[] =
    "__device__ int place(int i) { return i; }\n"
    "KERNEL k(const int *in, int *out, sums *all, unsigned n, float a, float b, float c)\n"
    "{\n"
    "    __shared__ int sm[512];\n"
    "    unsigned t = threadIdx.x, have = ALL, x = 0, y = 0, at = place(t);\n"
    "    if (t >= n) return;\n"
    "    unsigned i = 4 * t;\n"
    "    const int *row = &sm[place(t)];\n"
    "    if (t < n) out[t] = sm[at + 3];\n"
    "    sums &w = all[t];\n"
    "    w.first += w.second + row[4];\n"
    "    if (t / 32 < have / 2) out[n - t] = in[i / 4 + t % 64];\n"
    "    if (t < ALL && t == 31) x = 0;\n"
    "    x = have * row[1];\n"
    "    for (int r = 0; r < 4; r++) { x += r; y++; }\n"
    "    x = 0;\n"
    "    if (!(a > 0) || !(b > 0)) out[i] = fmaxf(a - b, 0);\n"
    "}\n";

Test(edits, something_else_of_what_there_is)
{
    static const struct {
        int line;
        const char *with, *why;
    } rows[] = {
        {9, "for (; t < n; t += blockDim.x)", "all in place of one"},
        {10, "", "a copy"},
        {9, "place(t + 3)", "all of the index"},
        {11, "sm[place(t + 4)]", "all of it, that was a pointer"},
        {6, "unsigned i = 4 * t; if (i >= n) return;\n", "of what is used"},
        {17, "!(b > 0) || !(c > 0)", "one that is not asked"},
        {11, "second", "another member"},
        {12, "t / 32 % 2 == 0", "every other one"},
        {12, "n - 1", "from the last"},
        {13, "have", "what is left"},
        {14, "row[have]", "its own"},
        {15, "{ x = 0; y = 0;", "all that a round begins with"},
        {13, "0", "the first"},
        {16, "x = 0, y++", "the next row"},
        {17, "a - b", "the operand alone"},
        {12, "i / 4 * 64", "so many groups"},
    };
    struct edits e;

    edits_make(&e, shaped, "k", "", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect(is_made(&e, rows[i].line, rows[i].with), "%s: %s", rows[i].why, rows[i].with);
    edits_free(&e);
}

static const char looked_around[] =
    "#define ROUND 4\n__device__ float at(int &a, int b) { a += b; return a; }\n"
    "KERNEL k(const float *in, float *out, int n, int kind)\n"
    "{\n"
    "    uint4 v = *(const uint4 *)in; float x = 0, tail = n % 32;\n"
    "    if (kind == 0) x = 1;\n"
    "    if (kind == 1) x = 2; else x = 3;\n"
    "    for (int r = 0; r < 9; r++) { n += 9; x += at(n + r + kind, kind + n); }\n"
    "    x *= 0.3333f + 0.3989f;\n"
    "    for (int r = 0; r < n; r++) { x += in[r]; out[r] = x; }\n"
    "    if (n / 32 < kind) out[n] = x;\n"
    "    out[kind / 32 % 32] = 3 * x; v.y += v.x * v.x;\n"
    "    for (unsigned i = 0; i <= n - 1; i++) out[i] = x;\n"
    "    for (unsigned half = 4; half > 0; half /= 2) if (kind + half < n) out[n * kind / 3] = x;\n"
    "    float last = in[min(kind + 1, n - 1)]; out[n * tail] = at(last);\n"
    "}\n";

Test(edits, what_is_around)
{
    static const struct {
        int line;
        const char *with, *why;
    } rows[] = {
        {8, "kind + n - 1", "one less than both"},
        {6, "if (kind == 0) x = 1;\n    else if (kind == 1) x = 2; else x = 3;", "a chain of else"},
        {5, "float4 v = *(const float4", "one type everywhere"},
        {5, "((n - 1) % 32 + 1)", "the whole rest"},
        {12, "kind / 32", "no rest"},
        {8, "9; r++) { x += at(n + r + kind, kind + n); n += 9;", "at the end of its loop"},
        {8, "kind + n + r", "what the other sum has"},
        {8, "10; r++) { n += 10", "one number everywhere"},
        {10, "x += in[r]; } out[r] = x;", "behind the loop"},
        {9, "(1.0f / 3)", "a third"},
        {9, "0.3989422804f", "all of its digits"},
        {11, "n < kind", "another guard"},
        {12, "v.y += v.y;", "the member of squares"},
        {13, "i < n; i++", "below the last"},
        {14, "if (kind < half)", "the first of a pair, called half"},
        {14, "(kind / 3)", "the last two first"},
        {14, "while (kind + half < n)", "again and again"},
        {15, "at((kind + 1 < n ? last : 0))", "nothing beyond the end"},
        {15, "n * ROUND", "a constant as a factor"},
        {2, "at(int a, int b)", "by value"},
    };
    struct edits e;

    edits_make(&e, looked_around, "k", "", "of which 0.3989422804 is one");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool made = false;

        for (int k = 0; k < e.n && !made; k++) {
            char *all = edits_apply(&e, k);

            made = edits_line(&e, k) == rows[i].line && strstr(all, rows[i].with);
            free(all);
        }
        cr_expect(made, "%s: %s", rows[i].why, rows[i].with);
    }
    edits_free(&e);
}

static const char reshaped[] =
    "KERNEL k(const float *in, float *out, unsigned n, unsigned m, part of, float a, float b)\n"
    "{\n"
    "    __shared__ float s[MOST];\n"
    "    unsigned t = threadIdx.x, y = 0, to = min(t + 4, n);\n"
    "    float by = in[y], mine = t < n ? in[t] : first();\n"
    "    s[t] = 0;\n"
    "    for (unsigned r = 0; r < of.end; r++, y++) { mine += s[t + 1]; __syncthreads(); }\n"
    "    out[n] = by;\n"
    "    for (unsigned r = 0; r < m; r++) out[r] = 1;\n"
    "    if (n * m % 4 == 0 && a + b != 0) out[t] = fmaxf(a, 0) + fmaxf(b, 0);\n"
    "    bool some = t < m;\n"
    "    out[t] = some ? in[(y + t) * m + t] : 0; y = shared_address(s);\n"
    "    s[t] = mine;\n"
    "    if (t < n / to) mine = mine + s[t + 1];\n"
    "}\n";

Test(edits, more_of_what_there_is)
{
    static const struct {
        int line;
        const char *with, *why;
    } rows[] = {
        {4, "of.end", "another bound"},
        {4, "n, t + 4", "the other way round"},
        {13, "of.end + t", "from a member on"},
        {7, "{ by = in[y];", "in each round"},
        {8, "for (unsigned r = 0; r < m; r++) out[r] = 1; out[n] = by;\n", "behind the loop"},
        {6, "for (unsigned each = t; each < MOST; each += 32) s[each] = 0;", "all of it"},
        {10, "n % 4 == 0 && m % 4 == 0", "each of a product"},
        {10, "a != 0 || b != 0", "each of a sum"},
        {10, "a + b", "the first alone"},
        {12, "first()", "as another choice"},
        {12, "m * 2", "in bytes"},
        {14, "{ mine = mine + s[t + 1]; s[t] = mine; }", "and back"},
        {14, "(2 * to)", "pairs"},
    };
    struct edits e;

    edits_make(&e, reshaped, "k", "", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect(is_made(&e, rows[i].line, rows[i].with), "%s: %s", rows[i].why, rows[i].with);
    edits_free(&e);
    edits_make_of(&e, OF_PLACES, reshaped, "k", (int[]){12, 12});
    cr_expect(is_made(&e, 11, "bool some = t < m && y + t < n"), "its row");
    edits_free(&e);
}

Test(edits, no_bound_of_remainders_and_no_divisor_of_comparisons)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(int *x, int n)\n"
               "{\n"
               "    if (threadIdx.x % 32 == n - 1 && threadIdx.x < n / 2)\n"
               "        x[n / 2] = n % 2 < x[0];\n"
               "}\n",
               "k", "", "");
    cr_expect_not(is_made(&e, 3, "(32 == n)") || is_made(&e, 3, "n % 2"));
    cr_expect(is_made(&e, 4, "n % 2"), "an index");
    cr_expect(is_made(&e, 4, "n / 2"), "a quotient for a remainder");
    edits_free(&e);
}

/* Functions that are not needed take time to compile; macros' calls between them stay. */
Test(edits, without_what_is_not_needed)
{
    struct edits e;

    edits_make(&e,
               "static __device__ int used(int x) { return x; }\n"
               "MAKE(other)\n"
               "static __device__ int unused(int x) { return 7; }\n"
               "struct s {\n int z;\n};\n"
               "#define SIZE sizeof(struct s)\n"
               "template <int V> struct vain {\n int y; int f() { return unused(V); }\n};\n"
               "KERNEL k(int *x) { x[0] = used(1); }\n",
               "k", "", "");
    cr_expect(strstr(e.lean, "return x") && strstr(e.lean, "MAKE(other)") &&
                  strstr(e.lean, "int z") && strstr(e.lean, "x[0]"),
              "%s", e.lean);
    cr_expect_null(strstr(e.lean, "return 7"));
    cr_expect_null(strstr(e.lean, "vain"));
    cr_expect_eq(strlen(e.lean), strlen(e.text));
    edits_free(&e);
}

/* Nor kernels that macros make of such functions, given by name, or named where the macro is
 * defined. */
Test(edits, without_kernels_of_macros)
{
    struct edits e;

    edits_make(&e,
               "#define KERNELS(f, T) \\\n    KERNEL f##_sum(T *x) { f<T>(x); }\n"
               "#define LAST(T) KERNEL last_##T(T *x) { last<T>(x); }\n"
               "#define WORK(T) KERNEL work_##T(T *x) { work<T>(x); }\n"
               "template <class T> __device__ void other(T *x) { x[0] = 7; }\n"
               "KERNELS(other, int)\n"
               "template <class T> __device__ void last(T *x) { x[0] = 8; }\n"
               "LAST(float)\n"
               "template <class T> __device__ void work(T *x) { x[0] = 9; }\n"
               "KERNELS(work, int)\n"
               "WORK(float)\n",
               "work work_sum", "", "");
    cr_expect(strstr(e.lean, "KERNELS(work, int)") && strstr(e.lean, "WORK(float)") &&
                  strstr(e.lean, "= 9"),
              "%s", e.lean);
    cr_expect_null(strstr(e.lean, "KERNELS(other"));
    cr_expect_null(strstr(e.lean, "LAST(float)"));
    cr_expect_null(strstr(e.lean, "= 8"));
    edits_free(&e);
}

/* Of a value, in a function that the kernel calls and the compiler has warned of. */
Test(edits, a_return_that_is_missing)
{
    const char *file = "template <class T> __device__ T twice(T x)\n{\n    x *= 2;\n}\n"
                       "__device__ int some(int x)\n{\n    if (x) return 1;\n}\n"
                       "KERNEL k(int *x) { x[0] = twice(x[0]) + some(x[1]); }\n"
                       "KERNEL other(int *x) { x[0] = some(x[0]); }\n",
               *log = "k.cu:4: warning #940-D: missing return statement at end of non-void "
                      "function \"twice<T>(T) [with T=int]\"\n"
                      "k.cu:8: warning #940-D: missing return statement at end of non-void "
                      "function \"some\"\n";
    int line = 0;
    char *name = edits_no_return(file, "k", log, &line);

    cr_expect(name && !strcmp(name, "twice") && line == 1);
    free(name);
    cr_expect_null(edits_no_return(file, "other", log, &line), "it has one");
    cr_expect_null(edits_no_return(file, "k", "", &line), "no warning");
}

Test(edits, of_one_sort)
{
    struct edits e;

    edits_make_of(&e, OF_LOOPS, scan_source, "k", NULL);
    cr_expect(is_made(&e, 6, "=") && is_made(&e, 8, "+="));
    cr_expect_not(is_made(&e, 9, ";"), "no statement is left out");
    edits_free(&e);
    edits_make_of(&e, OF_ORDER, scan_source, "k", (int[]){9, 9});
    cr_expect_str_eq(e.v[0].with, "i ^= 1; put(i);\n");
    edits_free(&e);
    edits_make_of(&e, OF_PLACES, scan_source, "k", (int[]){7, 7});
    cr_expect(is_made(&e, 7, "i <= n") && !is_made(&e, 8, "-sum"));
    cr_expect_eq(edits_line(&e, 0), 7, "the line that was seen first, not %d", edits_line(&e, 0));
    edits_free(&e);
}

static const char left_source[] = "#define TILE 32\n"
                                  "KERNEL k(const int *in, int *out, int n, int m, int width)\n"
                                  "{\n"
                                  "    int i = threadIdx.x, x = i % m + n, sum = 0, last;\n"
                                  "    for (int j = 0; j < TILE; j++) {\n"
                                  "        sum += in[(j + 1) * m + i];\n"
                                  "    }\n"
                                  "    last = sum;\n"
                                  "    for (; i < m; i++)\n"
                                  "        if (i > 1) out[i + n] = x; sum += last;\n"
                                  "    if (x)\n"
                                  "        out[blockIdx.x * blockDim.x] = last;\n"
                                  "    width = last / (TILE + 3);\n"
                                  "}\n";

Test(edits, without_a_return)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(int *out, int n)\n"
               "{\n"
               "    if (n < 7) return;\n"
               "    if (n < 8) {\n        return;\n    }\n"
               "    if (n < 9) return; else n = 1;\n"
               "    out[n] = 0;\n"
               "}\n",
               "k", "", "");
    cr_expect(is_told_at(&e, 3, "without \"if (n < 7) return;\""));
    cr_expect(is_told_at(&e, 4, "without \"if (n < 8) { return; }\""));
    cr_expect_not(is_told_at(&e, 7, "without \"if (n < 9) return;\""), "without its else");
    edits_free(&e);
}

Test(edits, leaves_behind_the_barriers)
{
    struct edits e;

    edits_make_of(&e, OF_LEAVING,
                  "KERNEL k(int *out, int n)\n"
                  "{\n"
                  "    if (n < 7) return;\n"
                  "    for (int i = 0; i < n; i++) {\n"
                  "        __syncthreads();\n"
                  "    }\n"
                  "    out[n] = 0;\n"
                  "    if (n < 8) return;\n"
                  "}\n",
                  "k", (int[]){5, 5});
    cr_expect(
        is_told_at(&e, 3, "with \"if (n < 7) return;\" behind line 6, where the last barrier is,"));
    cr_expect_eq(e.n, 3, "%d: behind the barrier there is none to wait for", e.n);
    edits_free(&e);
}

Test(edits, what_is_missing_or_too_much)
{
    static const struct {
        int line;
        const char *with, *why;
    } rows[] = {
        {6, "sum = 0; ", "what it starts with, in the loop"},
        {4, "(blockIdx.x * blockDim.x + threadIdx.x)", "a block's share"},
        {4, "(i + n) % m", "a remainder of all of it"},
        {4, "i % m", "one of two terms"},
        {7, "last = sum; }\n", "what is behind a loop, in it"},
        {10, "!(i > 1)", "the other way round"},
        {10, "{ out[i + n] = x; sum += last; }", "braces"},
        {8, ";", "a statement too much"},
        {11, "out[blockIdx.x * blockDim.x] = x ? last : 0;\n", "on as many lines"},
        {9, "i += blockDim.x", "a step"},
        {13, "last / (TILE + 3) % TILE", "going round"},
        {10, "n", "one name of an index"},
        {10, "i + n + 1", "beside it"},
        {5, "if (x >= n) return; ", "who has nothing to do"},
    };
    struct edits e;

    edits_make(&e, left_source, "k", "", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_expect(is_made(&e, rows[i].line, rows[i].with), "%s: %s", rows[i].why, rows[i].with);
    edits_free(&e);
}

/* Is there a change that is told so? */
static bool is_told(const struct edits *e, const char *words)
{
    bool told = false;

    for (int i = 0; i < e->n && !told; i++) {
        char *is = edits_words(e, i);

        told = !strcmp(is, words);
        free(is);
    }
    return told;
}

/* The number that a template is asked for is mostly the step's own: tree<4> is no tree<8>. */
Test(edits, no_other_step)
{
    struct edits e;

    edits_make(&e,
               "template <int N> __device__ void f(int *x) { x[N] = 4; }\n"
               "KERNEL k(int *x) { f<4>(x); }\n",
               "k", "", "");
    cr_expect(is_made(&e, 1, "8"));
    cr_expect_not(is_made(&e, 2, "8") || is_made(&e, 2, "5"));
    edits_free(&e);
}

/* Nothing is set to what is made of itself before it is set. */
Test(edits, nothing_of_what_is_not_set)
{
    struct edits e;

    edits_make(
        &e,
        "KERNEL k(const int *row, int *out, int n)\n{\n    int bits = row[0];\n    int m = n;\n"
        "    bits = m;\n    out[n] = bits + m;\n}\n",
        "k", "", "");
    for (int i = 0; i < e.n; i++)
        cr_expect(edits_line(&e, i) != 3 || !strstr(e.v[i].with, "+ bits"), "%s", e.v[i].with);
    cr_expect(is_made(&e, 5, "n") && is_made(&e, 4, "-n"));
    edits_free(&e);
}

/* A word alone says little. */
Test(edits, in_words)
{
    struct edits e;

    edits_make(&e, left_source, "k", "", "");
    cr_expect(is_told(&e, "without \"last = sum;\""));
    cr_expect(is_told(&e, "with \"sum = 0;\" put in before \"sum += in[(j + 1) * m + i]\""));
    cr_expect(is_told(&e, "with \"int i = threadIdx.y\" in place of \"int i = threadIdx.x\"") ||
              is_told(&e, "with \"j <= TILE\" in place of \"j < TILE\""));
    cr_expect(is_told(&e, "with \"sum = in[(j + 1) * m + i]\" in place of "
                          "\"sum += in[(j + 1) * m + i]\""));
    edits_free(&e);
}

/* Of an access out of bounds: guards come first, of its line. */
Test(edits, guards)
{
    struct edits e;

    edits_make_of(&e, OF_PLACES, left_source, "k", (int[]){6, 6});
    cr_expect_eq(edits_line(&e, 0), 6);
    cr_expect(is_made(&e, 6, "if (j + 1 < n && i < m) "), "row and column");
    cr_expect(is_made(&e, 6, "((j + 1) * m + i < n ? in[(j + 1) * m + i] : 0)"), "or zero");
    cr_expect_not(is_made(&e, 6, "if (n < m) "), "two sizes");
    edits_free(&e);
    edits_make_of(&e, OF_PLACES, left_source, "k", (int[]){12, 12});
    cr_expect(is_made(&e, 11, " && x < n") || is_made(&e, 12, "if (x < n) ") ||
              is_made(&e, 12, "blockIdx.x * blockDim.x + 1"));
    edits_free(&e);
}

/* The line that an index is set on comes before what lies nearer and has nothing to do with it. */
Test(edits, along_what_an_index_is_made_of)
{
    static const char far[] = "KERNEL k(int *out, int n, int m)\n"
                              "{\n"
                              "    int i = n * 3;\n"
                              "\n\n\n\n"
                              "    int other = m * 5;\n"
                              "    out[i] = 1;\n"
                              "    out[other] = 2;\n"
                              "}\n";
    struct edits e;
    int at[2] = {-1, -1};

    edits_make_of(&e, OF_PLACES, far, "k", (int[]){9, 9});
    for (int i = e.n - 1; i >= 0; i--) {
        at[0] = !strcmp(e.v[i].with, "n + 3") ? i : at[0];
        at[1] = !strcmp(e.v[i].with, "m + 5") ? i : at[1];
    }
    cr_expect(at[0] >= 0 && at[0] < at[1], "%d %d", at[0], at[1]);
    edits_free(&e);
}

Test(edits, of_what_the_kernel_names_alone)
{
    struct edits e;

    cr_expect_not(has("mine", 2, "x"));
    cr_expect(has("other", 2, "x[0] = 8"));
    cr_expect_not(has("other", 6, "a"));
    cr_expect_not(has("mine", 3, "a"), "a comment");
    edits_make(&e, source, "mine", "", "");
    cr_expect_null(strstr(e.text, "other"), "other kernels are left out");
    cr_expect_eq(strlen(e.text), strlen(source), "lines stay where they are");
    edits_free(&e);
}

/* The first change of this line, in the order of the list. */
static int first_of(const struct edits *e, int line)
{
    int i = 0;

    while (i < e->n && edits_line(e, i) != line)
        i++;
    return i;
}

/* Bounds before other numbers; no root of an index. */
Test(edits, the_likelier_first)
{
    static const char file[] = "__device__ float shared(float x) {\n return x < 2 ? x : 1; }\n"
                               "KERNEL k(float *x, unsigned n) {\n"
                               " unsigned i = threadIdx.x;\n"
                               " if (i < n) x[i] = shared(x[i] + 3);\n }\n"
                               "KERNEL sound(float *x) { x[0] = shared(x[0]); }\n";
    struct edits e, trusted;
    int sqrts = 0;

    edits_make(&e, file, "k", "", "");
    edits_make(&trusted, file, "k", "sound", "");
    cr_expect_eq(e.n, trusted.n, "only the order is another");
    cr_expect_lt(first_of(&e, 2), e.n / 2);
    int last = 0;
    for (int i = 0; i < trusted.n; i++)
        last = edits_line(&trusted, i) == 5 ? i : last;
    cr_expect_gt(first_of(&trusted, 2), last, "what a kernel needs that is right comes last");
    for (int i = 0; i < e.n; i++)
        sqrts += edits_line(&e, i) == 5 && strstr(e.v[i].with, "sqrtf(i)") != NULL;
    cr_expect_eq(sqrts, 0);
    edits_free(&e);
    edits_free(&trusted);
}

/* Where a record has a constant, or one that is made of it. */
Test(edits, constants_of_launch_records)
{
    static const char file[] = "#define WARPS 4\n"
                               "constexpr int BLOCK = 32 * WARPS;\n"
                               "#define MOST 9\n"
                               "LAUNCH(k, BLOCK, 1, 1);\n"
                               "KERNEL k(float *x) { x[BLOCK] = MOST; }\n"
                               "LAUNCH(other, 64, 1, 1);\n"
                               "KERNEL other(float *x) { x[0] = 1; }\n";
    static const bool launched[] = {[1] = true, [2] = true, [3] = false, [5] = false};
    struct edits e;

    edits_make(&e, file, "k", "", "");
    for (int i = 0; i < e.n; i++) {
        bool is = launched[edits_line(&e, i)];

        cr_expect_eq(edits_launched(&e, i, NULL), is, "%s", e.v[i].with);
        cr_expect_eq(edits_launched(&e, i, "other k"), is, "%s", e.v[i].with);
        cr_expect_not(edits_launched(&e, i, "other"), "%s", e.v[i].with);
    }
    cr_expect_lt(first_of(&e, 1), e.n);
    cr_expect_lt(first_of(&e, 2), e.n);
    edits_free(&e);
}

Test(edits, numbers_that_are_told)
{
    static const char told[] = "a1 = 0.319381530 and 2246822507, or 0x9e3779b9";
    static const struct {
        const char *number, *with; /* NULL: none of this number alone */
    } rows[] = {
        {"0.319381503f", "0.319381530f"},
        {"0.31938153", "0.319381530"},
        {"0.319381630f", "0.319381530f"},
        {"3246822507u", "2246822507u"},
        {"0x9E3779B9u", NULL},
        {"0x9e3779b8u", "0x9e3779b9u"},
        {"0.7107", "0.1707"},
        {"17", NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[128], want[128];
        struct edits e;

        snprintf(text, sizeof(text), "KERNEL k(float *x) { x[0] = %s; }", rows[i].number);
        snprintf(want, sizeof(want), "KERNEL k(float *x) { x[0] = %s; }", rows[i].with);
        edits_make(&e, text, "k", "", told);
        char *first = edits_apply(&e, 0);
        if (rows[i].with)
            cr_expect_str_eq(first, want);
        else
            cr_expect_not_null(strstr(first, rows[i].number), "%s", first);
        free(first);
        edits_free(&e);
    }
}

Test(edits, one_call_more)
{
    static const char text[] = "KERNEL none(int *x) { x[0] = 1; }\n"
                               "__device__ void put(int *s, int v)\n"
                               "{\n"
                               "    s[0] = v;\n"
                               "}\n"
                               "__device__ int get(int *s) { return s[1]; }\n"
                               "KERNEL k(int *x)\n"
                               "{\n"
                               "    __shared__ int s[2];\n"
                               "    for (int i = 0; i < 9; i++) {\n"
                               "        put(s, i);\n"
                               "        x[i] = 0;\n"
                               "    }\n"
                               "}\n";
    struct edits e;
    int lines[] = {0, 0, 0};

    edits_calls(&e, text, "k", (int[]){4, 4}, "f()");
    char *first = edits_apply(&e, 0);
    cr_expect_not_null(strstr(first, "    f(); s[0] = v;\n"), "%s", first);
    free(first);
    for (int i = 0; i < e.n; i++) {
        int line = edits_line(&e, i);

        cr_expect(line >= 4 && line != 6 && line != 7, "line %d names nothing of line 4", line);
        lines[0] += line == 10;
        lines[1] += line == 12;
        lines[2] += line == 14;
    }
    char *both = edits_apply_all(&e, (int[]){1, 0}, 2);
    cr_expect_eq(strlen(both), strlen(text) + 2 * strlen("f(); "), "%s", both);
    free(both);
    cr_expect(lines[0] == 1 && lines[1] == 1 && !lines[2],
              "before the loop, and in it, but not in its head, nor behind the last brace");
    edits_free(&e);
}

/* A loop's body without braces gets them, with the call in them. */
Test(edits, calls_in_loops_without_braces)
{
    static const char text[] = "KERNEL k(int *s, int n)\n{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        if (n > 3)\n            s[i] = n;\n"
                               "        else\n            s[n] = i;\n"
                               "    f();\n    while (n)\n        s[--n] = 1;\n"
                               "    *s = 0;\n}\n";
    struct edits e;

    edits_calls(&e, text, "k", (int[]){5, 5}, "f()");
    char *first = edits_apply(&e, 0);
    cr_expect_not_null(strstr(first, "s[n] = i; f(); }"), "%s", first);
    cr_expect(is_told_at(&e, 4,
                         "in the loop on line 3, in braces with its body (the one on line 8 comes "
                         "after the whole loop),"));
    cr_expect(is_told_at(&e, 10, "in the loop on line 9, in braces with its body,"));
    free(first);
    edits_free(&e);
}

/* A branch that some threads may not take is no place for a barrier that may stand before it. */
Test(edits, calls_before_a_branch_first)
{
    static const char text[] = "KERNEL k(int *s, int n)\n{\n"
                               "    s[0] = n;\n"
                               "    if (n > 3) {\n"
                               "        n = s[1];\n"
                               "    }\n}\n";
    struct edits e;

    edits_calls(&e, text, "k", (int[]){5, 5}, "f()");
    char *first = edits_apply(&e, 0);
    cr_expect_not_null(strstr(first, "    f(); if (n > 3) {\n"), "%s", first);
    free(first);
    edits_free(&e);
}

/* Where what is left over begins, for how much that is. */
Test(edits, where_the_rest_begins)
{
    static const char text[] = "KERNEL k(int *x, unsigned n)\n{\n"
                               "    for (unsigned j = n & 3; j < n; j++)\n        x[j] = 1;\n"
                               "    for (unsigned j = n % 8; j < n; j++)\n        x[j] = 1;\n}\n";
    struct edits e;

    edits_make_of(&e, OF_LOOPS, text, "k", (int[]){3, 3});
    cr_expect(is_made(&e, 3, "n - (n & 3)"));
    cr_expect(is_made(&e, 5, "n - n % 8"));
    edits_free(&e);
}

/* Blocks that do several rounds each, and the second part of what threads share out. */
Test(edits, a_share_of_several)
{
    static const char text[] = "#define RPT 4\n"
                               "KERNEL k(int *x, int n, int m)\n"
                               "{\n"
                               "    __shared__ int s[64];\n"
                               "    unsigned y = blockIdx.y * blockDim.y + threadIdx.y, w = 8;\n"
                               "    if (y < w)\n"
                               "        s[y] = x[y];\n"
                               "    else if (n + y < m)\n"
                               "        s[y] = x[n + y];\n"
                               "    for (int r = 0; r < RPT && y < n; r++, y += blockDim.y)\n"
                               "        x[y] = 0;\n"
                               "}\n";
    struct edits e;

    edits_make(&e, text, "k", "", "");
    cr_expect(is_made(&e, 5, "blockIdx.y * blockDim.y * RPT"));
    cr_expect_not(is_made(&e, 5, "blockIdx.y * blockDim.y * n"));
    bool both = false;
    for (int i = 0; i < e.n; i++)
        both |= e.v[i].told && strstr(e.v[i].told, "\"n + y - w\" in place of \"n + y\"");
    cr_expect(both);
    edits_free(&e);
    edits_make_of(&e, OF_PLACES, text, "k", (int[]){11, 11});
    cr_expect(is_made(&e, 5, "blockIdx.y * blockDim.y * RPT"));
    edits_free(&e);
}

Test(edits, an_atomic)
{
    static const char text[] = "KERNEL k(int *x, int n)\n"
                               "{\n"
                               "    if (n > 1)\n"
                               "        x[n - 1] += 2 * n; x[0] = x[0] + n; x[1] = n; *x += 1;\n"
                               "    for (int i = 0; i < n; i++) x[i]++;\n"
                               "}\n";
    static const char *const with[] = {"atomicAdd(&x[n - 1], 2 * n);", "atomicAdd(&x[0], n);",
                                       "atomicAdd(x, 1);", "atomicAdd(&x[i], 1);"};
    struct edits e;

    edits_atomics(&e, text, "k", (int[]){4, 5});
    cr_expect_eq(e.n, 4, "%d", e.n);
    for (int i = 0; i < e.n && i < 4; i++) {
        char *one = edits_apply(&e, i);

        cr_expect_not_null(strstr(one, with[i]), "%s", one);
        free(one);
    }
    edits_free(&e);
}

static const char joined[] = "#define N 4\n"
                             "KERNEL k(int *x, int n)\n"
                             "{\n"
                             "    int a = threadIdx.x, b[N];\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        if (i % 2)\n"
                             "            x[i] = a;\n"
                             "    __syncthreads(); // all\n"
                             "    x[a] = a + 1;\n"
                             "}\n";

static struct edit edit_at(const char *text, const char *was, char *with, bool before)
{
    return (struct edit){
        .at = (size_t)(strstr(text, was) - text), .length = before ? 0 : strlen(was), .with = with};
}

/* The text, with no blanks. For free(). */
static char *squeezed(const char *text)
{
    char *all = calloc(strlen(text) + 1, 1), *to = all;

    for (; *text; text++) {
        if (*text > ' ')
            *to++ = *text;
    }
    return all;
}

/* One or several in what a change is in: a value, a condition, a statement, a place for one. */
Test(edits, many_in_one_text)
{
    struct edit v[] = {
        edit_at(joined, "threadIdx.x,", "threadIdx.y,", false),
        edit_at(joined, "i < n", "i <= n", false),
        edit_at(joined, "x[i] = a", "x[i + 1] = a", false),
        edit_at(joined, "if (i % 2)\n            x[i] = a;", "x[i] = a;", false),
        edit_at(joined, "x[a] = a", "__syncwarp(); ", true),
        edit_at(joined, "b[N]", "b[2]", false),
        edit_at(joined, "N 4", "N 8", false),
        edit_at(joined, "i++", "i += 2", false),
    };
    static const bool wanted[] = {true, true, true, true, true, false, false, true};
    static const char *const parts[] = {
        "a=(warplab_changes(2u)?(#line1000000(int)(threadIdx.y)):#line1(int)(threadIdx.x)),b[N];",
        "(warplab_changes(4u)?(#line1001000(bool)(i<=n)):#line1(bool)(i<n));",
        "{if(warplab_changes(16u)){#line1003000{x[i]=a;}}else{#line1if(i%2){if(warplab_changes("
        "8u)){#line1002000{x[i+1]=a;}}else{#line1x[i]=a;}}}}",
        "__syncthreads();//all{if(warplab_changes(32u)){#line1004000{__syncwarp();}}else{#line1}}"
        "x[a]=a+1;",
        "(warplab_changes(256u)?(#line1007000(void)(i+=2)):#line1(void)(i++))",
    };
    struct edits e = {(char *)(uintptr_t)joined, NULL, v, sizeof(v) / sizeof(v[0])};
    bool in[sizeof(v) / sizeof(v[0])];
    int which[] = {0, 1, 2, 3, 4, 5, 6, 7};
    char *text = edits_join(joined, &e, which, e.n, in), *all = squeezed(text);

    for (int i = 0; i < e.n; i++)
        cr_expect_eq(in[i], wanted[i], "%s", v[i].with);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        cr_expect_not_null(strstr(all, parts[i]), "%s\nin %s", parts[i], all);
    free(all);
    free(text);
}

/* Two changes of one statement, and one of two places. */
Test(edits, joined_in_one_place)
{
    static const char text[] = "KERNEL k(int *x, int n)\n{\n    x[n] = n - 1, x[0] = n;\n}\n";
    struct edit v[] = {edit_at(text, "n - 1", "n - 2", false),
                       edit_at(text, "= n;", "+= n;", false),
                       edit_at(text, "x[n] = n - 1, x[0]", "x[1] = n - 1, x[1]", false)};
    struct edits e = {(char *)(uintptr_t)text, NULL, v, 3};
    bool in[3];
    char *joint = edits_join(text, &e, (int[]){0, 1, 2}, 3, in), *all = squeezed(joint);

    cr_expect_not_null(
        strstr(all, "{if(warplab_changes(14u)){#line1000000if(warplab_change()==1){x[n]=n-2,x[0]="
                    "n;}else#line1001000if(warplab_change()==2){x[n]=n-1,x[0]+=n;}else#line1002000{"
                    "x[1]=n-1,x[1]=n;}}else{#line1x[n]=n-1,x[0]=n;}}"),
        "%s", all);
    free(all);
    free(joint);
}

/* "} f(); {" is no statement. */
Test(edits, a_loop_in_two_is_joined_whole)
{
    static const char text[] = "KERNEL k(int *x, int n)\n{\n    for (int i = 0; i < n; i++) { x[i] "
                               "= n; f(); x[i]++; }\n}\n";
    struct edit v[] = {edit_at(text, "for (int i = 0; i < n; i++) { x[i] = n; f(); x[i]++; }",
                               "for (int i = 0; i < n; i++) { x[i] = n; } f(); for (int i = 0; i < "
                               "n; i++) { x[i]++; }",
                               false)};
    struct edits e = {(char *)(uintptr_t)text, NULL, v, 1};
    bool in;
    char *joint = edits_join(text, &e, (int[]){0}, 1, &in), *all = squeezed(joint);

    cr_expect(in && strstr(all, "{for(inti=0;i<n;i++){x[i]=n;}f();for(inti=0;i<n;i++){x[i]++;}}"),
              "%s", all);
    free(all);
    free(joint);
}

/* What comes behind it would hang on the if. */
Test(edits, an_empty_body_is_not_joined)
{
    static const char text[] = "KERNEL k(int *x, int n)\n{\n    if (n);\n    x[0] = n;\n}\n";
    struct edit v[] = {edit_at(text, ";\n    x", "\n    x", false),
                       edit_at(text, ";\n    x", "{}\n    x", false)};
    struct edits e = {(char *)(uintptr_t)text, NULL, v, 2};
    bool in[2];

    free(edits_join(text, &e, (int[]){0, 1}, 2, in));
    cr_expect(!in[0] && in[1]);
}

Test(edits, one_of_many_is_chosen)
{
    char ptx[] = "mov.b32 %r1, 0x5e1e0000;\nmov.b32 %r2, 0x5e1e0000;\nmov.b32 %r3, 0x5e1f0000;\n";
    bool refused[4] = {false};
    int others = edits_refused("k.cu:1002003: error: no\nk.cu:1000000: warning: so\n"
                               "k.cu:7: error: too\nk.cu:9009000: error: none\n",
                               refused, 4);

    edits_choose(ptx, 42);
    cr_expect_str_eq(
        ptx, "mov.b32 %r1, 0x5e1e002a;\nmov.b32 %r2, 0x5e1e002a;\nmov.b32 %r3, 0x5e1f0000;\n");
    edits_choose(ptx, 0);
    cr_expect_not_null(strstr(ptx, "%r2, 0x5e1e0000;"));
    cr_expect(refused[2] && !refused[0] && !refused[1] && !refused[3]);
    cr_expect_eq(others, 2);
}

Test(edits, comments_alone)
{
    char *all = edits_comments("// 0.25\nx = \"// 7\"; /* 1.5\n2 */ y = 3;\n");

    cr_expect_str_eq(all, "// 0.25/* 1.5\n2 */");
    free(all);
}

Test(edits, of_anything)
{
    static const char *const texts[] = {"",
                                        "}",
                                        "{",
                                        "KERNEL k(",
                                        "/* ",
                                        "\"",
                                        "#define x \\\n",
                                        "KERNEL k(int *x) { x[",
                                        "a)]}",
                                        "KERNEL k() { 1 -"};
    struct edits e;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        edits_make(&e, texts[i], "k x", "", texts[i]);
        for (int k = 0; k < e.n; k++) {
            bool in;
            char *joint = edits_join(e.text, &e, &k, 1, &in);

            cr_expect(strlen(joint) >= strlen(e.text));
            free(joint);
        }
        edits_free(&e);
    }
}

static const char meant_source[] =
    "KERNEL k(const unsigned *in, unsigned *out, unsigned n, unsigned first)\n"
    "{\n"
    "    unsigned row = blockIdx.y, lane = threadIdx.x % 32, sum = 0, x = in[first + row];\n"
    "    const unsigned *y = in;\n"
    "    y += blockIdx.x + threadIdx.x;\n"
    "    for (unsigned i = lane; i < n; i += 32)\n"
    "        sum += y[row * 8] * (x ^ (x >> 3) + i);\n"
    "    for (unsigned left = warpSize; left; left /= 4) {\n"
    "        out[lane] += out[lane + left * n];\n"
    "    }\n"
    "    if (lane & 2 * row - 1 == 0)\n"
    "        sum++;\n"
    "    switch (n) {\n"
    "    case 2: sum = f<0>(x); break;\n"
    "    case 1: sum = f<1>(__syncthreads_or(x));\n"
    "    }\n"
    "    out[0] = sum;\n"
    "    x = sum + 1;\n"
    "    sum = x * 2;\n"
    "    out[1] = out[0];\n"
    "}\n";

Test(edits, what_was_meant)
{
    struct edits e;

    edits_make(&e, meant_source, "k", "", "");
    cr_expect(is_made(&e, 5, "blockIdx.x * n"), "a row's place for its number");
    cr_expect(is_made(&e, 6, "for (unsigned i = threadIdx.x; i < n; i += blockDim.x)"),
              "a block's threads for a warp's");
    cr_expect(is_made(&e, 7, "(first + row)"), "with what is before it elsewhere");
    cr_expect(is_made(&e, 7, "row * n"), "another pitch");
    cr_expect(is_made(&e, 7, "(x ^ (x >> 3)) + i"), "a term outside the brackets");
    cr_expect(is_made(&e, 8, "warpSize / 4") && is_made(&e, 8, "warpSize * 4"), "a round");
    cr_expect(is_told_at(&e, 11,
                         "with \"out[0] += out[1]\" by thread 0 before this line (do the rounds "
                         "end with 2 elements left, as 2 / 4 is 0 on line 8?)"),
              "a last round");
    cr_expect(is_made(&e, 11, "(lane & 2 * row - 1)"), "brackets around all bits");
    cr_expect(is_told_at(&e, 14, "without this \"break\", so that it goes on into the next case,"),
              "a case that goes on");
    cr_expect(
        is_told_at(&e, 14, "with f<0> and f<1> exchanged, here and where the other stands next,"),
        "each for the other");
    cr_expect(is_told_at(&e, 17,
                         "with \"out[0]\" overwritten only behind line 20, which needs its old "
                         "value,"),
              "an old value");
    edits_free(&e);
}

static const char slipped_source[] =
    "#define SIZE 64\n"
    "#define ROW  8\n"
    "KERNEL k(const float *x, float *out, unsigned n, unsigned m)\n"
    "{\n"
    "    __shared__ float rows[SIZE];\n"
    "    const unsigned part = n / 4, i = threadIdx.x, next = i + part;\n"
    "    unsigned bits = m & SIZE, sum = bits / ROW * (ROW + 1);\n"
    "    out[i] = x[i];\n"
    "    out[next] = x[next];\n"
    "    const float *p = x + blockIdx.x * ROW;\n"
    "    for (int j = n - 1; j >= 0; j--, p++)\n"
    "        sum += *p * j;\n"
    "    bits >>= 1;\n"
    "    if (bits & 1)\n"
    "        sum += p[n];\n"
    "    for (unsigned r = 0; r < n / blockDim.x; r++)\n"
    "        sum += x[blockIdx.y * n + r];\n"
    "    while (m > 0) {\n"
    "        rows[i] += rows[i + m];\n"
    "        m /= 4;\n"
    "    }\n"
    "}\n";

Test(edits, what_was_slipped)
{
    struct edits e;

    edits_make(&e, slipped_source, "k", "", "");
    cr_expect(is_made(&e, 5, "SIZE + SIZE / ROW"), "rows with a gap");
    cr_expect(is_made(&e, 5, "SIZE + 1") && is_made(&e, 5, "2 * SIZE"), "a longer array");
    cr_expect(is_told_at(&e, 6,
                         "with \"(n + 4 - 1) / 4\" in place of \"n / 4\", and each place that "
                         "follows from it read and stored only below n,"),
              "a name that follows from a part");
    cr_expect(is_made(&e, 7, "(SIZE - 1)"), "the bits below one");
    cr_expect(is_made(&e, 10, "blockIdx.x * n"), "what rows have in place of a constant");
    cr_expect(is_made(&e, 11, "int j = 0; j < n; j++, p++"), "a loop up, with all that it moves");
    cr_expect(is_told_at(&e, 13, "with \"bits & 1\" asked before \"bits >>= 1\", not after it,"),
              "a question before");
    cr_expect(is_made(&e, 15, "*p"), "where a pointer is by then");
    cr_expect(is_made(&e, 16, "n / blockDim.x + (threadIdx.x < n % blockDim.x)"), "a rest's round");
    cr_expect(is_told_at(&e, 22,
                         "with \"rows[0] += rows[1]\" by thread 0 before this line (do the "
                         "rounds end with 2 elements left, as 2 / 4 is 0 on line 20?)"),
              "a last round of a while");
    edits_free(&e);
}

/* What is done alike nearby. */
Test(edits, what_is_done_alike)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(const float *x, float *y, float *z, unsigned n, unsigned step)\n{\n"
               "    __shared__ float tile[8];\n"
               "    unsigned i = threadIdx.x, m = 2;\n"
               "    x += step;\n    y += blockDim.x;\n"
               "    do {\n        m++;\n    } while (m < n);\n"
               "    z[i] = tile[m] * y[i];\n"
               "    z[i] = x[i + step];\n"
               "    if (i < n)\n        m = 3;\n"
               "    if (i != 0)\n        return;\n"
               "    if (i >= n)\n        return;\n"
               "    z[i] = 1;\n    z[i + 1] = 2;\n}\n",
               "k", "", "");
    cr_expect(is_made(&e, 6, "step"), "as far as the pointer before it");
    cr_expect(
        is_told_at(&e, 7, "with \"while (m < n)\" before the loop's body in place of behind it,"),
        "asked first");
    cr_expect(is_made(&e, 10, "x") && is_made(&e, 10, "y"), "another array");
    cr_expect(is_made(&e, 11, "i + step"), "to the place that it comes from");
    cr_expect(is_made(&e, 14, "n"), "what it is compared with elsewhere");
    cr_expect(is_told_at(&e, 19, "with \"if (i + 1 < n)\" before this store,"), "each store");
    edits_free(&e);
}

/* What a thread without an element brings is to change nothing; a term more makes no such of 0. */
Test(edits, brings_nothing)
{
    struct edits e;

    edits_make(
        &e,
        "template <class Op, class T> KERNEL k(const T *in, T *out, int n)\n{\n"
        "    T a = Op::neutral(T()), b = T();\n    out[n] = Op::apply(a, b);\n}\n"
        "KERNEL l(const unsigned *in, unsigned *out, int n)\n{\n"
        "    unsigned a = 1, bits = n < 3 ? in[n] : 0, i = 0;\n"
        "    out[i] = warp_and(bits);\n"
        "    unsigned half = (n + 1) / 2;\n    bits = in[n] + half;\n    i = 0;\n}\n"
        "template <class Op, class T> KERNEL m(T *out)\n{\n    T b = T(0);\n    *out = b;\n}\n",
        "k l m", "", "");
    cr_expect(is_told_at(&e, 3, "with \"b = Op::neutral(T())\" in place of \"b = T()\""));
    cr_expect(is_made(&e, 16, "Op::neutral(T())"), "of another function");
    cr_expect(is_told_at(&e, 8, "with \"0xffffffff\" in place of \"0\"") ||
              is_made(&e, 8, "0xffffffff"));
    cr_expect(is_told_at(&e, 10, "with \"(n + 2) / 2\" in place of \"(n + 1) / 2\""));
    cr_expect(is_made(&e, 11, "2 * n"));
    cr_expect_not(is_made(&e, 3, "T() + a") || is_made(&e, 12, "0 + bits") ||
                  is_made(&e, 12, "0xffffffff") || is_made(&e, 11, "n + n"));
    edits_free(&e);
}

/* What is right only as a factor is 1, or a quotient 0. */
Test(edits, not_what_a_one_makes_right)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(int *out, int n)\n{\n"
               "    int warps = blockDim.x / 32, each = (n + warps - 1) / warps, s = 0;\n"
               "    for (int i = 0; i < each; i += warps)\n        s++;\n"
               "    out[threadIdx.x] = s + (n + s - 1) / 2;\n}\n"
               "KERNEL l(int *out, int n)\n{\n"
               "    for (int i = threadIdx.y; i < n; i += 8)\n        out[i] = 1;\n}\n",
               "k l", "", "");
    cr_expect(is_made(&e, 4, "i++"));
    cr_expect_not(is_made(&e, 4, "i += blockDim.y"));
    cr_expect(is_made(&e, 10, "i += blockDim.y"), "with rows");
    cr_expect_not(is_made(&e, 3, "(n + warps) - 1"));
    cr_expect(is_made(&e, 6, "(n + s) - 1"), "by another number");
    edits_free(&e);
}

/* What a loop that takes several a round leaves over; and a loop that counts down. */
Test(edits, takes_what_is_left_over)
{
    struct edits e;

    edits_make(&e,
               "template <class Op, class T> KERNEL k(const T *in, T *out, int n, int m)\n{\n"
               "    T v = Op::neutral(T()), w = T(0);\n    int i = 0, k = m;\n"
               "    while (i + 1 < n) {\n        v += in[i];\n        v += in[i + 1];\n"
               "        i += 2;\n    }\n"
               "    for (i = 0; i + 3 < n; i += 4) {\n        v += in[i];\n"
               "        w += in[i + 1] + in[i + 2] + in[i + 3];\n    }\n"
               "    for (i = 0; i + m < n; i += 2 * m) {\n"
               "        v = Op::apply(v, Op::apply(in[i], in[i + m]));\n    }\n"
               "    while (--k)\n        v += w;\n    out[0] = v;\n}\n",
               "k", "", "");
    cr_expect(is_told_at(&e, 5, "with \"if (i < n) v += in[i];\" behind the loop,"));
    cr_expect(is_told_at(&e, 10, "with \"for (; i < n; i++) v += in[i];\" behind the loop,"));
    cr_expect(
        is_told_at(&e, 14,
                   "with \"i < n\" in place of \"i + m < n\" in the loop's head, and in it "
                   "\"(i + m < n ? in[i + m] : Op::neutral(T()))\" in place of \"in[i + m]\","));
    cr_expect(is_made(&e, 17, "k--"));
    edits_free(&e);
}

/* What a template is given, as the kernel's record has it by a name; not which step it is. */
Test(edits, as_the_record_has_it)
{
    struct edits e;

    edits_make(&e,
               "#define OUTPUTS 8\nLAUNCH(k, 128, 1, OUTPUTS);\nLAUNCH(l, 128, 1, 8);\n"
               "template <int V> __device__ void f(int *x) { *x = V; }\n"
               "KERNEL k(int *x) { f<4>(x); }\nKERNEL l(int *x) { f<4>(x); }\n",
               "k l", "", "");
    cr_expect(is_made(&e, 5, "f<OUTPUTS>"));
    cr_expect(is_told_at(&e, 5, "with \"f<OUTPUTS>\" in place of \"f<4>\""));
    cr_expect_not(is_made(&e, 6, "f<OUTPUTS>") || is_made(&e, 6, "f<8>"));
    edits_free(&e);
}

/* What the hardware has is not offered for change. */
Test(edits, leaves_lanes)
{
    struct edits e;

    edits_make(&e,
               "#define WARP_SIZE 32\n#define WARPS 32\nconstexpr unsigned LANES = 32;\n"
               "KERNEL k(const int *in, int *out, unsigned n)\n{\n"
               "    unsigned lane = n % LANES, w = n / WARP_SIZE;\n"
               "    out[n] = in[lane * WARPS + w];\n}\n",
               "k", "", "");
    cr_expect_not(is_made(&e, 1, "64") || is_made(&e, 1, "31") || is_made(&e, 3, "64"));
    cr_expect(is_made(&e, 2, "64"));
    edits_free(&e);
}

/* … as whole operands, and as what the line has once. */
Test(edits, told_whole_and_once)
{
    static char text[] = "KERNEL k(const int *in, int *out, int n)\n{\n"
                         "    int a = f(T()), b = T();\n"
                         "    if (4 * a + b <= n)\n"
                         "        out[a] = a == 7 && b == 7 ? in[n] : 8;\n"
                         "    if (n % 4 > 1)\n"
                         "        out[n] = in[n] - in[a];\n"
                         "    out[0] = n - (a + b) + n / 4;\n"
                         "    out[1] = n / (-a * a + b * b);\n"
                         "}\n";
    static const struct {
        const char *behind, *was, *with, *told;
    } rows[] = {
        {"b = ", "T()", "f(T())", "with \"b = f(T())\" in place of \"b = T()\""},
        {"a = f(", "T()", "g(n)", "with \"f(g(n))\" in place of \"f(T())\""},
        {"a + ", "b <= n", "b < n", "with \"4 * a + b < n\" in place of \"4 * a + b <= n\""},
        {"a == ", "7 && b", "7 || b", "with \"a == 7 || b == 7\" in place of \"a == 7 && b == 7\""},
        {"in[n] : ", "8", "9", "with \"9\" in place of \"8\""},
        {"n % ", "4 > 1", "4 >= 1", "with \"n % 4 >= 1\" in place of \"n % 4 > 1\""},
        {"= in[", "n", "b", "with \"in[b]\" in place of \"in[n]\""},
        {"n - (", "a + b", "a - b", "with \"a - b\" in place of \"a + b\""},
        {"n / (-", "a * a + b * b", "a * a - b * b",
         "with \"-a * a - b * b\" in place of \"-a * a + b * b\""},
        {"+ n / ", "4", "2 + a", "with \"n / 2 + a\" in place of \"n / 4\""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct edit change = {.at = (size_t)(strstr(text, rows[i].behind) - text) +
                                    strlen(rows[i].behind),
                              .length = strlen(rows[i].was),
                              .with = (char *)rows[i].with};
        struct edits e = {.text = text, .v = &change, .n = 1};
        char *is = edits_words(&e, 0);

        cr_expect_str_eq(is, rows[i].told);
        free(is);
    }
}

/* A block's threads as a number, where it is set or at all places. */
Test(edits, threads_of_a_block)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(float *x, int n)\n{\n"
               "    const int T = 256;\n"
               "    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)\n"
               "        x[i] = 64;\n"
               "}\n"
               "KERNEL h(float *x, int n)\n{\n"
               "    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)\n"
               "        x[i] = 64;\n"
               "}\n",
               "k h", "", "");
    cr_expect(is_made(&e, 3, "blockDim.x"), "where it is set");
    cr_expect_not(is_made(&e, 4, "blockDim.x"), "and not where it is used");
    cr_expect(is_made(&e, 9, "blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x"));
    edits_free(&e);
}

/* Steps that it lacks, and what they are for; of no other schedule, and no kernel. */
Test(edits, of_a_schedule)
{
    struct edits e;
    bool elsewhere = false;

    cr_assert(edits_schedule(&e,
                             "KERNEL work(float *x)\n{\n    x[0] = 7 - 1;\n}\n"
                             "SCHEDULE(other)\n{\n    s.memory = MAPPED;\n    s.kernel(0, 0);\n};\n"
                             "SCHEDULE(mine)\n{\n    s.memory = PINNED;\n"
                             "    for (unsigned i = 0; i < s.chunks - 1; i++) {\n"
                             "        s.copy_in(0, f(i, 1));\n"
                             "        s.record(0, i);\n"
                             "        s.kernel(1, 0);\n    }\n};\n",
                             "mine"));
    cr_expect(is_made(&e, 12, "MANAGED"));
    cr_expect(is_made(&e, 13, "s.chunks"));
    cr_expect(is_made(&e, 15, "s.record(0, i); s.wait(1, i);"));
    cr_expect(is_made(&e, 16, "f(i, 1)"), "the chunk of the step before");
    cr_expect(is_made(&e, 16, "s.kernel(1, 0); s.copy_out(1, 0);"));
    cr_expect(is_made(&e, 15, "s.kernel(1, 0); s.record(0, i);\n"), "the other way round");
    for (int i = 0; i < e.n; i++)
        elsewhere |= edits_line(&e, i) < 11;
    cr_expect_not(elsewhere);
    cr_expect(strstr(e.lean, "SCHEDULE(mine)") && !strstr(e.lean, "7 - 1"), "%s", e.lean);
    edits_free(&e);
    cr_expect_not(edits_schedule(&e, "KERNEL work(float *x)\n{\n    x[0] = 7;\n}\n", "mine"));
    edits_free(&e);
}

/* A buffer's number was taken for the chunk's, in all steps of a round. */
Test(edits, the_chunk_of_a_round)
{
    struct edits e;

    cr_assert(edits_schedule(&e,
                             "SCHEDULE(mine)\n{\n"
                             "    for (unsigned i = 0; i < s.chunks; i++) {\n"
                             "        unsigned b = i % 2;\n"
                             "        s.copy_in(b, b);\n"
                             "        s.kernel(b, b);\n"
                             "        s.copy_out(b, b);\n    }\n"
                             "    s.kernel(b, b);\n    s.copy_in(b, b);\n"
                             "    for (unsigned k = 0; k < s.chunks; k++) {\n"
                             "        s.kernel(k % 2, k % 2);\n"
                             "        s.sum(1, k % 2);\n    }\n};\n",
                             "mine"));
    cr_expect(is_made(&e, 12, "s.kernel(k % 2, k);\n        s.sum(1, k"));
    cr_expect(is_made(&e, 5, "s.copy_in(b, i);\n        s.kernel(b, i);\n        s.copy_out(b, i"));
    cr_expect(is_told_at(&e, 5,
                         "with \"i\" in place of \"b\" as the chunk of this step and of those "
                         "behind it,"));
    cr_expect_not(is_told_at(&e, 9,
                             "with \"i\" in place of \"b\" as the chunk of this step and of "
                             "those behind it,"),
                  "in no loop");
    edits_free(&e);
}

/* Who waits for ever does on that line: what it has comes before what it is made of. */
Test(edits, of_a_wait)
{
    static const char text[] = "KERNEL k(int *x, int n)\n{\n"
                               "    int of = n / 2;\n"
                               "    int bit = of % 2 + 1;\n"
                               "    while (x[bit + 1] != of)\n"
                               "        x[of] = n;\n"
                               "}\n";
    struct edits waits, places;
    int n = 0;

    edits_make_of(&waits, OF_WAITS, text, "k", (int[]){5, 5});
    edits_make_of(&places, OF_PLACES, text, "k", (int[]){5, 5});
    while (n < waits.n && edits_line(&waits, n) == 5)
        n++;
    cr_expect(n && n < waits.n);
    for (int i = n; i < waits.n; i++)
        cr_expect_neq(edits_line(&waits, i), 5, "%d of %d", i, waits.n);
    cr_expect_eq(waits.n, places.n, "all the same");
    edits_free(&waits);
    edits_free(&places);
}

/* Of two arguments in each other's places each call has one change alone: they come first. */
Test(edits, arguments_first)
{
    struct edits e;

    edits_make_of(&e, OF_LIKELY,
                  "KERNEL k(float *x, int row, int col)\n{\n"
                  "    auto ask = [&](int k0) {\n"
                  "        if (k0 < col && row > 0)\n"
                  "            load(x + k0 / 2, row, k0 + 1);\n"
                  "    };\n"
                  "    ask(col);\n"
                  "}\n",
                  "k", NULL);
    cr_assert(e.n > 2);
    cr_expect_str_eq(e.v[0].with, "row, x + k0 / 2");
    cr_expect_str_eq(e.v[1].with, "k0 + 1, row");
    edits_free(&e);
}

Test(edits, a_jump_stays_its_loops)
{
    struct edits e;
    int whiles = 0;

    edits_make(&e,
               "KERNEL k(float *x, int n)\n{\n"
               "    for (int i = threadIdx.x; i < n; i += 32) {\n"
               "        if (x[i] > 0) {\n            x[i] = 1;\n            break;\n        }\n"
               "        if (x[i] < 0)\n            continue;\n"
               "        if (x[i] > n)\n            x[i] -= n;\n"
               "    }\n}\n",
               "k", "", "");
    for (int i = 0; i < e.n; i++) {
        if (!e.v[i].told || strcmp(e.v[i].told, "with \"while\" in place of \"if\"") != 0)
            continue;
        cr_expect_eq(edits_line(&e, i), 10, "line %d", edits_line(&e, i));
        whiles++;
    }
    cr_expect_eq(whiles, 1);
    edits_free(&e);
}

/* … that begins so. */
static bool begins(const struct edits *e, int line, const char *with)
{
    bool found = false;

    for (int i = 0; i < e->n && !found; i++)
        found = edits_line(e, i) == line && !strncmp(e->v[i].with, with, strlen(with));
    return found;
}

/* Round a jump another loop would do nothing, nor does going on where a round ends. */
Test(edits, what_leaves_a_loop)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(float *x, int n)\n{\n"
               "    for (int i = 0; i < n; i++) {\n"
               "        x[i] = i;\n"
               "        if (i < 7)\n"
               "            break;\n"
               "    }\n"
               "    if (n < 9)\n"
               "        x[n] = 9;\n"
               "}\n",
               "k", "", "");
    cr_expect(begins(&e, 5, ";"), "all rounds");
    cr_expect_not(begins(&e, 5, "while (i < 7)"));
    cr_expect(begins(&e, 8, "while (n < 9)"));
    cr_expect_not(begins(&e, 5, "for (int each"));
    cr_expect(begins(&e, 8, "for (int each"));
    cr_expect_not(is_made(&e, 6, "continue"));
    cr_expect(is_made(&e, 6, "return"));
    edits_free(&e);
}

static void expect_zero(const char *was, const char *with, const char *zero)
{
    char *source = xformat("KERNEL k(int *x, int n) { x[0] = %s; }\n", was), *is = NULL;
    struct edits e;

    edits_make(&e, source, "k", "", "");
    for (int i = 0; i < e.n && !is; i++) {
        char *text = edits_apply(&e, i), *line = xformat("= %s;", with);

        is = strstr(text, line) ? edits_as_zero(&e, i) : NULL;
        free(text);
        free(line);
    }
    if (zero)
        cr_expect(is && strstr(is, zero), "%s: no %s in %s", with, zero, is ? is : "none");
    else
        cr_expect_null(is, "%s", is);
    free(is);
    edits_free(&e);
    free(source);
}

Test(edits, what_only_takes_a_term_away)
{
    expect_zero("n + threadIdx.x * 64", "n + threadIdx.x / 64", "n + 0;");
    expect_zero("n * 64 + 1", "n / 64 + 1", "= 0 + 1;");
    expect_zero("n / 64", "n * 64", NULL);
}

/* … of which other kernels alone have something. */
Test(edits, no_names_of_other_kernels)
{
    static const char *const uses[] = {"0", "EACH"};

    for (int i = 0; i < 2; i++) {
        char *source = xformat("#define EACH 4\n"
                               "KERNEL copy(float *x) { x[threadIdx.x * EACH] = 0; }\n"
                               "KERNEL k(float *x)\n{\n"
                               "    x[blockIdx.y * blockDim.y + threadIdx.x] = %s;\n"
                               "}\n",
                               uses[i]);
        struct edits e;

        edits_make(&e, source, "k", "", "");
        cr_expect_eq(is_made(&e, 5, "blockDim.y * EACH"), i == 1, "%s", uses[i]);
        edits_free(&e);
        free(source);
    }
}

Test(edits, tiles_as_far_apart_as_others)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(float *x)\n{\n"
               "    x[blockIdx.x * 32 + threadIdx.x] = 0;\n"
               "    x[blockIdx.y * blockDim.y + threadIdx.x] = 0;\n"
               "}\n",
               "k", "", "");
    cr_expect(is_made(&e, 4, "32"));
    edits_free(&e);
}

Test(edits, what_is_left_of_all_rounds)
{
    struct edits e;

    edits_make(&e,
               "KERNEL k(float *x, int n)\n{\n"
               "    for (int i = 0; i < n; i += 32) {\n"
               "        int steps = min(32, n);\n"
               "        x[i] = steps;\n"
               "    }\n"
               "}\n",
               "k", "", "");
    cr_expect(is_made(&e, 4, "n - i"));
    edits_free(&e);
}

Test(edits, without_a_loop_of_shuffles)
{
    static const char *const heads[] = {"    for (int d = 16; d > 0; d /= 2)\n",
                                        "    for (int d = 16; d > 0; d /= 2) "};
    static const char *const told[] = {"without the loop of lines 4 to 5", "without this loop"};

    for (int i = 0; i < 2; i++) {
        char *source = xformat("KERNEL k(int *x)\n{\n    int c = x[0];\n"
                               "%sc += __shfl_down_sync(~0u, c, d);\n    x[1] = c;\n}\n",
                               heads[i]);
        struct edits e;
        bool made = false;

        edits_make(&e, source, "k", "", "");
        for (int k = 0; k < e.n; k++)
            made |= e.v[k].told && !strcmp(e.v[k].told, told[i]);
        cr_expect(made, "%s", told[i]);
        edits_free(&e);
        free(source);
    }
}
