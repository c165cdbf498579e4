/* threats_test.c - a submission, an archive or a program for each threat a grader must survive.
 *
 * threats/NN_*.cu are submissions to the coalescing lab whose first lines say what they must
 * get. What is no kernel is tried here. The numbers are those of the list in README.md.
 * What is about a GPU's times is in gpu_path_test.c (12), and in threats/gpu for a real one.
 */
#include "expect.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "base/clock.h"
#include "grading/intake/submissions.h"
#include "marked.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <ctype.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAB "coalescing"

static struct engine_options options(void)
{
    struct engine_options o;
    engine_defaults(&o);
    o.secret = "threats-secret";
    o.only = "energy_soa";
    o.steps = 2000000;
    return o;
}

static json_t *mark(const struct engine_options *o, const char *source, size_t n)
{
    struct engine e;
    struct text why = {0};
    cr_assert(engine_open(&e, LAB, o, &why), "%s", text_str(&why));
    json_t *v = marked(&e, "submission", source, n);
    engine_close(&e);
    return v;
}

static const char *get(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

#define RIGHT                                                                                      \
    "#include \"warplab.cuh\"\n"                                                                   \
    "KERNEL energy_soa(const float *f, float *out, unsigned n)\n"                                  \
    "{\n"                                                                                          \
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
    "    if (i < n)\n"                                                                             \
    "        out[i] = 0.5f * f[3 * n + i] * (f[i] * f[i] + f[n + i] * f[n + i] + f[2 * n + i] * "  \
    "f[2 * n + i]);\n"

static const char right[] = RIGHT "}\n";

static void assert_full(const json_t *v)
{
    cr_assert_str_eq(get(v, "status"), "graded", "%s: %s", get(v, "status"), get(v, "message"));
    double score = json_number_value(json_object_get(v, "score")),
           max = json_number_value(json_object_get(v, "max"));
    char *all = json_dumps(json_object_get(v, "rows"), JSON_INDENT(1));
    cr_assert(score == max && max > 0, "%g of %g: %s", score, max, all);
    free(all);
}

/* ---- the submissions ---- */

struct threat_file {
    char path[512];
};

ParameterizedTestParameters(threats, submission)
{
    struct engine_options o = options();
    char *pattern = xformat("%s/grading/threats/*.cu", o.root);
    glob_t g = {0};
    glob(pattern, 0, NULL, &g);
    struct threat_file *all = cr_malloc((g.gl_pathc + 1) * sizeof(*all));
    for (size_t i = 0; i < g.gl_pathc; i++)
        snprintf(all[i].path, sizeof(all[i].path), "%s", g.gl_pathv[i]);
    size_t n = g.gl_pathc;
    globfree(&g);
    free(pattern);
    return cr_make_param_array(struct threat_file, all, n);
}

ParameterizedTest(struct threat_file *f, threats, submission, .timeout = 120)
{
    struct engine_options o = options();
    struct engine e;
    struct text t = {0};
    struct text why = {0};
    cr_assert(engine_open(&e, LAB, &o, &why), "%s", text_str(&why));
    cr_assert_eq(expect_file(&e, &o, f->path, "wrong", &t), 0, "%s:\n%s", f->path, text_str(&t));
    text_free(&t);
    engine_close(&e);
}

/* A file's name of 3 kB, with all that JSON escapes, is a name like any other: what is right is
 * marked right, and what is wrong is the submission's fault and not the grader's. */
Test(threats, long_names_of_lines, .timeout = 60)
{
    struct engine_options o = options();
    struct text name = {0}, source = {0};
    for (int i = 0; i < 300; i++)
        text_add(&name, "a \\\\ \\\" <&");
    text_add(&name, ".cu");
    cr_assert_geq(name.length, 3000);
    text_addf(&source, "#line 1 \"%s\"\n%s}\n", name.s, RIGHT);
    json_t *v = mark(&o, source.s, source.length);
    assert_full(v);
    json_decref(v);
    source.length = 0;
    text_addf(&source, "#line 1 \"%s\"\n%s    out[n + i] = f[i];\n}\n", name.s, RIGHT);
    v = mark(&o, source.s, source.length);
    cr_assert_str_eq(get(v, "status"), "graded", "%s", get(v, "message"));
    cr_assert(!json_is_true(json_object_get(v, "needs_human")));
    char *all = json_dumps(json_object_get(v, "rows"), 0);
    cr_assert(!strstr(all, "\"status\": \"error\"") && strstr(all, "\"status\": \"fail\""), "%s",
              all);
    cr_assert(strstr(all, "out of bounds") || strstr(all, "illegal address"), "%s", all);
    free(all);
    json_decref(v);
    text_free(&name);
    text_free(&source);
}

/* A race among the lanes of a warp, which the toolkit's own code is granted. */
#define LANES                                                                                      \
    "KERNEL energy_soa(const float *f, float *out, unsigned n)\n"                                  \
    "{\n"                                                                                          \
    "    __shared__ float energy[256];\n"                                                          \
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i ^ 1;\n"                         \
    "    if (k < n)\n"                                                                             \
    "        energy[threadIdx.x ^ 1] = 0.5f * f[3 * n + k] * (f[k] * f[k] + f[n + k] * f[n + k] "  \
    "+ f[2 * n + k] * f[2 * n + k]);\n"

/* Whatever file a racing kernel says it is from, it races. */
Test(threats, t30_code_that_says_it_is_the_toolkits, .timeout = 100)
{
    struct engine_options o = options();
    static const char *const says[] = {
        "",
        "#line 1 \"/usr/include/x.h\"\n",
        "# 1 \"/usr/local/cuda/include/cub/block/x.cuh\"\n",
        "%:line 7 \"/usr/local/cuda/targets/x86_64-linux/include/cooperative_groups.h\"\n",
        "#\\\nline 7 \"cooperative_groups.h\"\n",
        "namespace _6thrust { __device__ int x; }\n",
    };
    for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
        char *source = xformat("#include \"warplab.cuh\"\n#include <cooperative_groups.h>\n%s%s%s",
                               says[i], LANES,
                               i ? "    asm volatile(\".loc 2 5 1;\");\n"
                                   "    if (i < n) out[i] = energy[threadIdx.x];\n}\n"
                                 : "    __syncwarp();\n"
                                   "    if (i < n) out[i] = energy[threadIdx.x];\n}\n");
        json_t *v = mark(&o, source, strlen(source));
        if (i) {
            char *all = json_dumps(json_object_get(v, "rows"), 0);
            cr_assert(strstr(all, "shared-race on"), "%s: %s", says[i], all);
            free(all);
        } else {
            assert_full(v);
        }
        json_decref(v);
        free(source);
    }
}

/* Who calls them honestly is clean. */
Test(threats, t30_the_toolkits_code, .timeout = 100)
{
    struct engine_options o = options();
    static const char honest[] =
        "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n"
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n" RIGHT
        "    namespace cg = cooperative_groups;\n"
        "    typedef cub::BlockReduce<float, 256> Reduce; typedef cub::BlockScan<float, 256> "
        "Scan;\n"
        "    __shared__ typename Reduce::TempStorage a; __shared__ typename Scan::TempStorage b;\n"
        "    float x = i < n ? out[i] : 0, sum = Reduce(a).Sum(x), upto;\n"
        "    Scan(b).InclusiveSum(x, upto);\n"
        "    auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
        "    if (cg::reduce(tile, x, cg::plus<float>()) + sum + upto == 1e-30f) out[i] = 0;\n}\n";
    json_t *v = mark(&o, honest, sizeof(honest) - 1);
    assert_full(v);
    json_decref(v);
}

/* 4: no input is seen twice in one process, so there is nothing to remember. */
Test(threats, t04_no_input_repeats, .timeout = 60)
{
    struct engine_options o = options();
    char *path = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root), *all;
    size_t i, k, length;
    cr_assert_eq(file_read_no_link(path, 1 << 20, &all, &length), 0);
    o.only = NULL; /* nor by two kernels of a file */
    json_t *v = mark(&o, all, length), *x, *y;
    assert_full(v);
    free(all);
    free(path);
    cr_assert_gt(json_array_size(json_object_get(v, "runs")), 20);
    json_array_foreach(json_object_get(v, "runs"), i, x)
    {
        json_array_foreach(json_object_get(v, "runs"), k, y)
            cr_assert(i == k || !*get(x, "seed") || strcmp(get(x, "seed"), get(y, "seed")),
                      "%s and %s have the same inputs", get(x, "case"), get(y, "case"));
    }
    json_decref(v);
}

/* The same submission gets the same verdict, byte for byte; another secret gives other inputs. */
Test(threats, t14_repeatable_and_secret, .timeout = 60)
{
    struct engine_options o = options();
    json_t *a = mark(&o, right, sizeof(right) - 1), *b = mark(&o, right, sizeof(right) - 1);
    cr_assert(json_equal(a, b));
    o.secret = "another-secret";
    json_t *c = mark(&o, right, sizeof(right) - 1);
    assert_full(c);
    const char *seed = get(json_array_get(json_object_get(a, "runs"), 0), "seed");
    cr_assert_str_neq(seed, get(json_array_get(json_object_get(c, "runs"), 0), "seed"));
    json_decref(a);
    json_decref(b);
    json_decref(c);
}

/* A later submission has other inputs on every case, public ones too: no answer carries over. */
Test(threats, t29_no_answer_carries_over, .timeout = 60)
{
    struct engine_options o = options();
    json_t *a = mark(&o, right, sizeof(right) - 1), *b = mark(&o, right, sizeof(right) - 2), *x, *y;
    size_t i, k, shown = 0;
    json_array_foreach(json_object_get(a, "runs"), i, x)
    {
        shown += *get(x, "seed") != 0;
        json_array_foreach(json_object_get(b, "runs"), k, y)
            cr_assert(!*get(x, "seed") || strcmp(get(x, "seed"), get(y, "seed")), "%s and %s",
                      get(x, "case"), get(y, "case"));
    }
    cr_assert_gt(shown, 3);
    json_decref(a);
    json_decref(b);
}

/* Wrong, out of bounds, racing or endless on sizes that are not public alone. Each also prints
 * the size, and keeps it in a variable, so that any later run could bring it out. */
#define PUBLIC "n == 1 || n == 1001 || n == 4096"
#define TELLS(more)                                                                                \
    "#include \"warplab.cuh\"\n__device__ unsigned seen; __shared__ int word;\n"                   \
    "KERNEL energy_soa(const float *f, float *out, unsigned n)\n{\n"                               \
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
    "    bool hidden = !(" PUBLIC ");\n"                                                           \
    "    if (hidden && !i) { seen = n; printf(\"n is %u\\n\", n); }\n"                             \
    "    if (i < n)\n"                                                                             \
    "        out[i] = 0.5f * f[3 * n + i] * (f[i] * f[i] + f[n + i] * f[n + i] + f[2 * n + i] * "  \
    "f[2 * n + i]);\n" more "}\n"

static uint64_t hidden_size(const struct engine_options *o, const char *source)
{
    char digest[DIGEST_HEX];
    struct marked_case c;
    digest_hex(source, strlen(source), digest);
    struct draw d = {o->secret, digest};
    cr_assert(case_named(lab_named(LAB), rubric_of(LAB), "energy_soa", "hidden-particles", &d, &c));
    return c.c.n;
}

/* A file of one line is told of it, too. */
Test(threats, t29_the_first_line_is_told, .timeout = 120)
{
    static const char source[] =
        "extern \"C\" __global__ void energy_soa(const float *f, float *out,"
        " unsigned n) { out[~0u] = n; }\n";
    struct engine_options o = options();
    int told = 0;
    size_t i;
    json_t *x;
    o.only = "energy_soa";
    json_t *v = mark(&o, source, sizeof(source) - 1);
    json_array_foreach(json_object_get(v, "rows"), i, x)
    {
        if (strcmp(get(x, "kind"), "checks"))
            continue;
        cr_expect_eq(json_integer_value(json_object_get(x, "line")), 1, "%s", get(x, "why"));
        told++;
    }
    cr_expect_eq(told, 1);
    json_decref(v);
}

/* As a number of its own: digests and seeds have all kinds of digits in them. */
static bool tells_number(const char *text, const char *number)
{
    size_t n = strlen(number);
    for (const char *s = text; (s = strstr(s, number)); s++)
        if ((s == text || !isalnum((unsigned char)s[-1])) && !isalnum((unsigned char)s[n]))
            return true;
    return false;
}

Test(threats, t29_hidden_cases_tell_their_kind_alone, .timeout = 120)
{
    struct engine_options o = options();
    static const struct {
        const char *source, *says;
    } all[] = {
        {TELLS("if (hidden && i < n) out[i] = n;\n"), "its results are wrong"},
        {TELLS("if (hidden && i < n) out[n + n] = n;\n"), "out of bounds"},
        {TELLS("while (hidden && ((volatile float *)out)[0] != 12345.f) ;\n"),
         "did not come to an end"},
        {TELLS("if (hidden && i < n) ((float *)f)[i] = n;\n"), "writes to its input"},
        {TELLS("if (hidden) assert(n == i);\n"), "assertion"},
        {TELLS("if (hidden) { word = i; if (i == 40) out[i] = word + n; }\n"), "wrong"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char size[24];
        json_t *v = mark(&o, all[i].source, strlen(all[i].source));
        char *text = json_dumps(v, 0);
        snprintf(size, sizeof(size), "%llu", (unsigned long long)hidden_size(&o, all[i].source));
        const char *kind = strstr(text, "On a hidden case (");
        cr_assert(kind && strstr(kind, " particles): "), "%s", text);
        cr_assert(strstr(text, all[i].says), "%s: %s", all[i].says, text);
        cr_assert(!tells_number(text, size) && !strstr(text, "n is"), "%s: %s", size, text);
        free(text);
        json_decref(v);
    }
}

/* Right, and with nothing left of what the row is about, at sizes that are not public: of four
 * loads each waits for the one before; it does not end where two loads of one word differ; each
 * thread reads the word that it has stored itself. */
#define COPIES(more)                                                                               \
    "#include \"warplab.cuh\"\n"                                                                   \
    "KERNEL copy_4(const volatile float *in, volatile float *out, unsigned n)\n{\n"                \
    "    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;\n"                                \
    "    bool hidden = n > 1 && n != 1025 && n != 4096 && n != 5003 && n != 1 << 20;\n"            \
    "    float v[4];\n"                                                                            \
    "    for (unsigned j = 0; j < 4; j++)\n"                                                       \
    "        if (i + j * blockDim.x < n) { v[j] = in[i + j * blockDim.x]; " more " }\n"            \
    "    for (unsigned j = 0; j < 4; j++)\n"                                                       \
    "        if (i + j * blockDim.x < n) out[i + j * blockDim.x] = v[j];\n}\n"

/* Whether a class of instructions has a part in the results is told of a hidden case without the
 * share: a kernel can make that of what it sees. */
Test(threats, t29_no_share_of_a_hidden_case, .timeout = 120)
{
    static const struct {
        const char *lab, *only, *row, *source, *says;
    } all[] = {
        {"latency_hiding", "copy_4", "copy-overlap",
         COPIES("if (hidden) out[i + j * blockDim.x] = v[j];"),
         "more results change than are asked for"},
        {"latency_hiding", "copy_4", "copy-overlap",
         COPIES("if (hidden && __float_as_uint(in[i + j * blockDim.x]) != __float_as_uint(v[j])) "
                "asm(\"trap;\");"),
         "the kernel does not come to its end"},
        {"matmul", "mm_pipeline", "pipeline-fast", "labs/matmul/wrong/edits.txt:vector_as_pipeline",
         "too few results change"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct engine_options o = options();
        struct engine e;
        struct text t = {0};
        size_t k;
        json_t *row;
        o.only = all[i].only;
        o.steps = 20000000;
        cr_assert(engine_open(&e, all[i].lab, &o, &t), "%s", text_str(&t));
        char *path = xformat("%s/%s", o.root, all[i].source), *source = NULL;
        size_t length = 0;
        if (strncmp(all[i].source, "labs/", 5))
            source = xstrdup(all[i].source), length = strlen(source);
        else
            cr_assert(known_source(path, &source, &length, &t), "%s", text_str(&t));
        json_t *v = marked(&e, "submission", source, length);
        free(source);
        free(path);
        json_array_foreach(json_object_get(v, "rows"), k, row)
        {
            const char *why = get(row, "why"), *place = strstr(why, " (a hidden case (");
            if (strcmp(get(row, "id"), all[i].row))
                continue;
            cr_expect(place && !strncmp(why, "With ", 5) && strstr(why, all[i].says), "%s", why);
            cr_expect_geq(why + strcspn(why, "0123456789"), place, "%s", why);
        }
        json_decref(v);
        engine_close(&e);
    }
}

/* 18: whoever comes after one that never ends is marked as ever. */
Test(threats, t18_the_next_is_unaffected, .timeout = 60)
{
    struct engine_options o = options();
    static const char endless[] =
        RIGHT "    for (volatile float *w = out; w[0] != 12345.0f;)\n        ;\n}\n";
    struct engine e;
    struct text why = {0};
    cr_assert(engine_open(&e, LAB, &o, &why), "%s", text_str(&why));
    json_t *v = marked(&e, "endless", endless, sizeof(endless) - 1);
    cr_assert_eq(json_number_value(json_object_get(v, "score")), 0);
    json_decref(v);
    v = marked(&e, "right", right, sizeof(right) - 1);
    assert_full(v);
    json_decref(v);
    engine_close(&e);
}

/* ---- 31: time ---- */

static pid_t parent_of(pid_t pid, bool *compiler)
{
    char *path = xformat("/proc/%d/stat", (int)pid), line[512] = "";
    FILE *f = fopen(path, "r");
    int parent = 0;
    if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
        sscanf(strrchr(line, ')') + 1, " %*c %d", &parent);
    *compiler = strstr(line, "(grade-cc)");
    if (f)
        fclose(f);
    free(path);
    return parent;
}

/* The compiler in a box of this process's, once there is one. */
static pid_t find_compiler(void)
{
    for (;; usleep(2000)) {
        DIR *d = opendir("/proc");
        for (struct dirent *e; (e = readdir(d));) {
            pid_t pid = atoi(e->d_name), up = pid;
            bool compiler, any;
            if (pid <= 1)
                continue;
            up = parent_of(pid, &compiler);
            while (compiler && up > 1 && up != getpid())
                up = parent_of(up, &any);
            if (compiler && up == getpid()) {
                closedir(d);
                return pid;
            }
        }
        closedir(d);
    }
}

static void *stop_compiler(void *unused)
{
    (void)unused;
    kill(find_compiler(), SIGSTOP);
    return NULL;
}

/* A compiler that somebody stops for longer than it has is tried again. */
Test(threats, t31_a_stopped_compiler, .timeout = 100)
{
    struct engine_options o = options();
    pthread_t thread;
    o.compile_s = 5;
    pthread_create(&thread, NULL, stop_compiler, NULL);
    json_t *v = mark(&o, right, sizeof(right) - 1);
    pthread_join(thread, NULL);
    assert_full(v);
    json_decref(v);
}

/* What the clock ends twice is nobody's fault: no mark, and a person is asked. */
Test(threats, t31_the_clock_is_no_mark, .timeout = 100)
{
    struct engine_options o = options();
    static const char endless[] =
        RIGHT "    for (volatile float *w = out; w[0] != 12345.0f;)\n        ;\n}\n";
    o.compile_s = 0.001;
    json_t *v = mark(&o, right, sizeof(right) - 1);
    cr_assert_str_eq(get(v, "status"), "failed", "%s", get(v, "status"));
    cr_assert(json_is_true(json_object_get(v, "needs_human")));
    json_decref(v);
    o = options();
    o.run_s = 0.5;
    o.steps = o.steps_all = 1ull << 50;
    v = mark(&o, endless, sizeof(endless) - 1);
    cr_assert(json_is_true(json_object_get(v, "needs_human")));
    json_t *row = json_array_get(json_object_get(v, "rows"), 0);
    cr_assert_str_eq(get(row, "status"), "error", "%s: %s", get(row, "status"), get(row, "why"));
    json_decref(v);
}

/* A launch that never ends costs what is left, and the next rows say so: the same each time. */
Test(threats, t31_steps_of_all_runs, .timeout = 60)
{
    struct engine_options o = options();
    static const char endless[] =
        RIGHT "    for (volatile float *w = out; n != 1 && w[0] != 12345.0f;)\n        ;\n}\n";
    o.steps_all = 3000000;
    json_t *a = mark(&o, endless, sizeof(endless) - 1), *b = mark(&o, endless, sizeof(endless) - 1);
    char *all = json_dumps(a, 0);
    cr_assert(json_equal(a, b));
    cr_assert_eq(json_number_value(json_object_get(a, "score")), 0);
    cr_assert(!json_is_true(json_object_get(a, "needs_human")));
    cr_assert(strstr(all, "3000000 warp instructions together, and they are used up"), "%s", all);
    free(all);
    json_decref(a);
    json_decref(b);
    a = mark(&o, right, sizeof(right) - 1);
    assert_full(a);
    json_decref(a);
}

/* What takes long takes more steps: as many rounds of a loop end, or do not. Checked or not, a
 * launch that does not is charged alike, four to one. */
Test(threats, t31_steps_by_what_they_take, .timeout = 60)
{
    struct engine_options o = options();
    static const char added[] =
        RIGHT "    for (unsigned q = 0; i < 32 && q < 200000; q++)\n"
              "        asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(i));\n}\n",
                      matched[] = RIGHT "    for (unsigned q = 0; i < 32 && q < 200000; q++)\n"
                                        "        i += __match_any_sync(__activemask(), i) == 7;\n"
                                        "}\n";
    json_t *v = mark(&o, added, sizeof(added) - 1);
    assert_full(v);
    json_decref(v);
    v = mark(&o, matched, sizeof(matched) - 1);
    char *all = json_dumps(v, 0);
    cr_assert_eq(json_number_value(json_object_get(v, "score")), 0);
    cr_assert(strstr(all, "did not finish within 2000000 steps"), "%s", all);
    cr_assert(strstr(all, "did not finish within 250000 steps"), "%s", all);
    cr_assert(!json_is_true(json_object_get(v, "needs_human")));
    free(all);
    json_decref(v);
}

/* 18: a source "file" that never ends, named by the submission, is not read for its lines. */
Test(threats, t18_endless_source, .timeout = 100)
{
    static const char *const files[] = {"/dev/zero", "/proc/self/pagemap", "/dev/stdin", "/tmp"};
    struct engine_options o = options();
    char *path = xformat("%s/labs/" LAB "/wrong/tile_writes_columns.cu", o.root), *source;
    size_t n;
    cr_assert_eq(file_read_no_link(path, 1 << 20, &source, &n), 0);
    o.only = "transpose_shared";
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char *line = strstr(source, "KERNEL"),
             *text =
                 xformat("%.*s#line 7 \"%s\"\n%s", (int)(line - source), source, files[i], line);
        double from = now_s();
        json_t *v = mark(&o, text, strlen(text));
        cr_assert_str_eq(get(v, "status"), "graded");
        cr_assert(now_s() - from < 10, "%s took %g s", files[i], now_s() - from);
        json_decref(v);
        free(text);
    }
    free(source);
    free(path);
}

/* 19: a flood is cut, said to be cut, and costs nothing else. That is in practice; in a marked
 * run nothing that a device prints is shown. */
Test(threats, t19_printf_flood, .timeout = 100)
{
    struct engine_options o = options();
    static const char flood[] =
        RIGHT "    for (int k = 0; i < 1000 && k < 40; k++)\n"
              "        printf(\"<script>alert(1)</script> %d %d \\033[31m\\n\", i, k);\n}\n";
    o.steps = 4000000; /* a step for each character of a format, and more */
    json_t *v = mark(&o, flood, sizeof(flood) - 1);
    assert_full(v);
    cr_assert(!json_object_get(v, "output") && !json_object_get(v, "output_dropped"));
    json_decref(v);
    o.secret = NULL;
    v = mark(&o, flood, sizeof(flood) - 1);
    assert_full(v);
    cr_assert_gt(json_integer_value(json_object_get(v, "output_dropped")), 100000);
    cr_assert_leq(strlen(get(v, "output")), 20000);
    cr_assert(!strchr(get(v, "output"), '\033'));
    json_decref(v);
}

/* 20: what a compiler's message would print is not there to be read. */
Test(threats, t20_include_of_secrets, .timeout = 100)
{
    struct engine_options o = options();
    char secret[] = "/tmp/secretXXXXXX";
    int fd = mkstemp(secret);
    cr_assert_geq(fd, 0);
    cr_assert_gt(dprintf(fd, "TOPSECRET is here\n"), 0);
    close(fd);
    char *solution = xformat("%s/solutions/" LAB "/" LAB ".cu", o.root),
         *tables = xformat("%s/labs/" LAB "/grader.c", o.root);
    const char *const paths[] = {secret,
                                 solution,
                                 tables,
                                 "../../solutions/" LAB "/" LAB ".cu",
                                 "/proc/self/environ",
                                 "/proc/1/environ",
                                 "/proc/1/cmdline",
                                 "/proc/self/mountinfo",
                                 "/proc/self/maps",
                                 "/dev/stdin",
                                 "/etc/ld.so.cache",
                                 "/etc/passwd",
                                 "/etc/hostname",
                                 "/root/.bashrc",
                                 "/box/solutions/" LAB "/" LAB ".cu"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (!BOX_NO_PROC && (!strncmp(paths[i], "/proc/", 6) || !strncmp(paths[i], "/dev/", 5)))
            continue; /* a build with AddressSanitizer has to see it */
        char *source = xformat("#include \"%s\"\n%s", paths[i], right);
        json_t *v = mark(&o, source, strlen(source));
        char *all = json_dumps(v, 0);
        cr_assert(!strstr(all, "TOPSECRET") && !strstr(all, "root:x:") &&
                      !strstr(all, "strided_copy"),
                  "%s: %s", paths[i], all);
        cr_assert(strstr(all, "cannot open source file"), "%s could be included: %s", paths[i],
                  all);
        free(all);
        free(source);
        json_decref(v);
    }
    unlink(secret);
    free(solution);
    free(tables);
}

/* 22: bombs end at the box's limits, whole. */
Test(threats, t22_compile_bombs, .timeout = 120)
{
    struct engine_options o = options();
    static const char *const bombs[] = {
        "__device__ int big[1 << 28] = {1};\n",
        "template <int n> struct deep { static const long v = deep<n - 1>::v + deep<n - 2 + n % "
        "2>::v; };\n"
        "__device__ long x = deep<1000000>::v;\n",
        "template <class A, class B> struct pair {};\n"
        "template <int n, class T> struct twice { typedef typename twice<n - 1, pair<T, pair<T, "
        "T>>>::type type; };\n"
        "template <class T> struct twice<0, T> { typedef T type; };\n"
        "__device__ typename twice<60, int>::type x;\n",
        "constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; i++) for (long k = 0; k "
        "< n; k++) s += i ^ k; return s; }\n"
        "__device__ long x = spin(1000000);\n",
    };
    for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
        o.compile_s = i ? 2 : 4; /* the first fills memory, which takes longer */
        char *source = xformat("%s%s", bombs[i], right);
        double from = now_s();
        json_t *v = mark(&o, source, strlen(source));
        double took = now_s() - from;
        cr_assert(took < 60, "bomb %zu took %g s", i, took);
        /* by processor time; by the clock where others keep the machine busy */
        cr_assert(strcmp(get(v, "status"), "failed") ||
                      strstr(get(v, "message"), "compiling took longer than"),
                  "bomb %zu: %s", i, get(v, "message"));
        free(source);
        json_decref(v);
    }
}

/* A kernel that works by the second in which it is compiled would have another mark each time. */
Test(threats, t32_time_of_compiling, .timeout = 60)
{
    static const char *const times[] = {"__TIME__", "__DA\\\nTE__", "JOINED(__TI, ME__)",
                                        "JOINED(JOIN(_, _), JOIN(TIME, __))"};
    static const char joins[] = "#define JOINS(a, b) a##b\n#define JOINED(a, b) JOINS(a, b)\n"
                                "#define JOIN(a, b) a%:%:b\n",
                      said[] = "// not by __TIME__, nor \"__DATE__\"\n";
    struct engine_options o = options();
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        char *source = xformat("%s%s    if (i < n && (%s)[3] == 'z')\n        out[i] = 0;\n}\n",
                               joins, RIGHT, times[i]);
        json_t *v = mark(&o, source, strlen(source));
        char *all = json_dumps(v, 0);
        cr_assert_str_eq(get(v, "status"), "not compiled", "%s: %s", times[i], all);
        cr_assert(strstr(all, "not the same each time"), "%s: %s", times[i], all);
        json_decref(v);
        free(all);
        free(source);
    }
    char *source = xformat("%s%s%s", said, joins, right);
    json_t *v = mark(&o, source, strlen(source));
    assert_full(v);
    json_decref(v);
    free(source);
}

/* PTX that no assembler takes for this GPU is the student's mistake, and nobody has to look. */
Test(threats, t33_instructions_of_other_gpus, .timeout = 60)
{
    static const char source[] =
        RIGHT "    unsigned long long x = i;\n"
              "    asm volatile(\"fma.rn.f32x2 %0, %0, %0, %0;\" : \"+l\"(x));\n}\n";
    struct engine_options o = options();
    json_t *v = mark(&o, source, sizeof(source) - 1);
    char *all = json_dumps(v, 0);
    cr_assert_str_eq(get(v, "status"), "not compiled", "%s", all);
    cr_assert(strstr(all, "sm_100 or higher"), "%s", all);
    cr_assert(!json_is_true(json_object_get(v, "needs_human")), "%s", all);
    free(all);
    json_decref(v);
}

/* 23: nothing of our environment reaches compiler or runner. */
Test(threats, t23_environment, .timeout = 60)
{
    struct engine_options o = options();
    setenv("NVCC_APPEND_FLAGS", "--nonsense", 1);
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    setenv("WARPLAB_STEPS", "1", 1);
    json_t *v = mark(&o, right, sizeof(right) - 1);
    unsetenv("LD_PRELOAD");
    assert_full(v);
    json_decref(v);
}

/* 24: declared sizes are not allocated before they are known to fit. */
Test(threats, t24_huge_variables, .timeout = 60)
{
    struct engine_options o = options();
    static const char *const huge[] = {"__device__ char a[1ull << 30];\n",
                                       "__device__ char a[1ull << 45];\n",
                                       "__device__ char a[1ull << 38];\n"};
    for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
        char *source =
            xformat("%s%s", huge[i], RIGHT "    if (n == 12345)\n        a[i] = 1;\n}\n");
        double from = now_s();
        json_t *v = mark(&o, source, strlen(source));
        cr_assert(now_s() - from < 10);
        cr_assert(*get(v, "status"));
        free(source);
        json_decref(v);
    }
}

/* ---- 25: archives ---- */

static void add_member(struct archive *a, const char *name, const char *link, const char *data,
                       size_t n)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, link ? AE_IFLNK : AE_IFREG);
    archive_entry_set_perm(e, 0644);
    if (link)
        archive_entry_set_symlink(e, link);
    archive_entry_set_size(e, link ? 0 : (la_int64_t)n);
    cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
    if (!link)
        archive_write_data(a, data, n);
    archive_entry_free(e);
}

static const struct submission *of(const struct submissions *s, const char *student)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].student, student))
            return &s->v[i];
    cr_assert_fail("no submission of %s", student);
    return NULL;
}

Test(threats, t25_archives, .timeout = 60)
{
    char folder[] = "/tmp/archiveXXXXXX";
    struct text why = {0};
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    struct archive *a = archive_write_new();
    size_t large = 300u << 10;
    char *zeros = xzalloc(64u << 20);
    memset(zeros, ' ', 64u << 20);
    archive_write_set_format_pax_restricted(a);
    archive_write_add_filter_gzip(a);
    cr_assert_eq(archive_write_open_filename(a, "class.tar.gz"), ARCHIVE_OK);
    add_member(a, "ok_1_11_coalescing.cu", NULL, right, sizeof(right) - 1);
    add_member(a, "link_2_12_coalescing.cu", "/etc/passwd", NULL, 0);
    add_member(a, "../out_3_13_coalescing.cu", NULL, "x", 1);
    add_member(a, "/tmp/abs_4_14_coalescing.cu", NULL, "x", 1);
    add_member(a, "big_5_15_coalescing.cu", NULL, zeros, large);
    add_member(a, "bomb_6_16_coalescing.cu", NULL, zeros, 64u << 20);
    add_member(a, "good_7_17_coalescing.cu", NULL, right, sizeof(right) - 1);
    archive_write_close(a);
    archive_write_free(a);
    free(zeros);
    struct submissions s;
    cr_assert(submissions_read("class.tar.gz", LAB, &s, &why), "%s", text_str(&why));
    cr_assert_eq(s.system, NAMES_CANVAS);
    cr_assert(of(&s, "1")->source && of(&s, "7")->source);
    static const struct {
        const char *student, *why;
    } bad[] = {{"2", "link"}, {"3", "'..'"}, {"4", "absolute"}, {"5", "larger"}, {"6", "larger"}};
    for (size_t i = 0; i < 5; i++) {
        const struct submission *x = of(&s, bad[i].student);
        cr_assert(!x->source && strstr(x->problem, bad[i].why), "%s: %s", x->student, x->problem);
    }
    submissions_free(&s);
    int files = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        files += e->d_name[0] != '.';
    closedir(d);
    cr_assert_eq(files, 1, "something was unpacked");
    cr_assert(access("../out_3_13_coalescing.cu", F_OK) &&
              access("/tmp/abs_4_14_coalescing.cu", F_OK));
    unlink("class.tar.gz");
    rmdir(folder);
}

/* ---- 26, 28: programs in the box ---- */

/* What argv prints in a box that also has the host's /usr/bin. */
static int in_box(const char *const *argv, struct text *out, double wall_s, pid_t *inner)
{
    struct box_spec spec = {.argv = argv,
                            .wall_s = wall_s,
                            .cpu_s = 5,
                            .log_cap = 4096,
                            .binds = {{"/usr/bin", "/usr/bin"}},
                            .nbinds = 1};
    struct box b;
    size_t dropped;
    cr_assert(box_start(&b, &spec), "%s", text_str(&b.log));
    box_drain(&b, out, 65536, &dropped);
    box_finish(&b);
    text_bytes(out, text_str(&b.log), b.log.length);
    int code = b.end == BOX_EXITED ? b.exit_code : -(int)b.end;
    if (inner)
        *inner = b.inner;
    box_close(&b);
    return code;
}

Test(threats, t26_descriptors)
{
    struct text t = {0};
    int secret = open("/etc/hostname", O_RDONLY); /* without CLOEXEC */
    dup2(secret, 77);
    const char *argv[] = {"/usr/bin/ls", "/proc/self/fd", NULL};
    cr_assert_eq(in_box(argv, &t, 10, NULL), 0, "%s", text_str(&t));
    cr_assert_str_eq(t.s, "0\n1\n2\n3\n"); /* 3 is ls's own */
    text_free(&t);
}

/* Nor does what can be read in a box tell of a folder of this machine. */
Test(threats, t26_folders_of_the_host)
{
    struct engine_options o = options();
    struct text t = {0};
    const char *argv[] = {"/usr/bin/cat", "/proc/1/cmdline", "/proc/1/environ", NULL};
    in_box(argv, &t, 10, NULL);
    cr_assert(memmem(t.s, t.length, "bwrap", 5) && !memmem(t.s, t.length, "--ro-bind", 9), "%s",
              t.s);
    text_free(&t);
    char *program = xformat("%s/grade-cc", o.bin), *bytes;
    size_t n;
    cr_assert_eq(file_read_no_link(program, 64 << 20, &bytes, &n), 0);
    cr_expect(!memmem(bytes, n, o.root, strlen(o.root)), "%s names %s", program, o.root);
    cr_expect(!memmem(bytes, n, CUDA_INCLUDE, strlen(CUDA_INCLUDE)), "%s names the toolkit",
              program);
    free(bytes);
    free(program);
}

Test(threats, t28_no_processes)
{
    struct text t = {0};
    const char *argv[] = {"/usr/bin/sh", "-c", "/usr/bin/sleep 100 & echo started", NULL};
    int code = in_box(argv, &t, 10, NULL);
    cr_assert(code != 0 && !strstr(t.s, "started"), "%d %s", code, t.s);
    text_free(&t);
}

Test(threats, t28_dies_with_its_box)
{
    struct text t = {0};
    pid_t inner;
    const char *argv[] = {"/usr/bin/sleep", "100", NULL};
    double from = now_s();
    cr_assert_eq(in_box(argv, &t, 0.5, &inner), -BOX_TIMEOUT);
    cr_assert(now_s() - from < 5);
    cr_assert_gt(inner, 0);
    for (int i = 0; i < 100 && kill(inner, 0) == 0; i++)
        usleep(10000);
    cr_assert(kill(inner, 0) < 0 && errno == ESRCH, "process %d lives on", (int)inner);
    text_free(&t);
}

Test(threats, box_sees_little)
{
    struct text t = {0};
    const char *argv[] = {
        "/usr/bin/sh", "-c",
        "for f in /*; do echo $f; done; [ -w /usr/lib ] && echo writable; "
        "for f in /etc/passwd /root /home /work; do [ -e $f ] && echo sees $f; done; "
        "while read -r line; do echo $line; done < /proc/net/dev; true",
        NULL};
    cr_assert_eq(in_box(argv, &t, 10, NULL), 0, "%s", text_str(&t));
    cr_assert(!strstr(t.s, "sees") && !strstr(t.s, "writable") && !strstr(t.s, "eth"), "%s", t.s);
    text_free(&t);
}

/* ---- 27: odd names and contents ---- */

static char *with_ends(const char *mark_at_start, const char *const ends[2], const char *text)
{
    struct text t = {0};
    int line = 0;
    text_add(&t, mark_at_start);
    for (; *text; text++) {
        if (*text == '\n')
            text_add(&t, ends[line++ % 2]);
        else
            text_addf(&t, "%c", *text);
    }
    return t.s;
}

/* Marks at the start and ends of lines, as each system's editors leave them. */
static void assert_text_as_saved(const struct engine_options *o)
{
    static const struct {
        const char *mark;
        const char *ends[2];
    } rows[] = {{"\xef\xbb\xbf", {"\n", "\n"}},
                {"", {"\r", "\r"}},
                {"\xef\xbb\xbf", {"\r\n", "\r\n"}},
                {"", {"\r\n", "\n"}}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *source = with_ends(rows[i].mark, rows[i].ends, right);
        json_t *v = mark(o, source, strlen(source));
        assert_full(v);
        json_decref(v);
        free(source);
    }
    static const struct {
        const char *bytes;
        size_t n;
        const char *says;
    } wide[] = {{"\xff\xfe#\0i\0", 6, "UTF-16"},
                {"\xfe\xff\0#\0i", 6, "UTF-16"},
                {"#\0i\0n\0", 6, "UTF-16"},
                {"\xff\xfe\0\0#\0\0\0", 8, "UTF-32"},
                {"#\0\0\0i\0\0\0", 8, "UTF-32"}};
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        json_t *v = mark(o, wide[i].bytes, wide[i].n);
        cr_assert_str_eq(get(v, "status"), wide[i].says);
        cr_assert(strstr(get(v, "message"), wide[i].says) && strstr(get(v, "message"), "save it"),
                  "%s: %s", wide[i].says, get(v, "message"));
        json_decref(v);
    }
}

Test(threats, t27_odd_files, .timeout = 60)
{
    struct engine_options o = options();
    static const char *const names[] = {
        "--json.cu",   "-rf",          "a b.cu", "quote\"'.cu",     "new\nline.cu",
        "\xff\xfe.cu", "$(reboot).cu", ";.cu",   "\xe2\x80\xae.cu", "con.cu"};
    char folder[] = "/tmp/oddXXXXXX";
    struct text why = {0};
    cr_assert(mkdtemp(folder));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = xformat("%s/%s", folder, names[i]);
        cr_assert_eq(file_write(path, right, sizeof(right) - 1), 0);
        free(path);
    }
    struct submissions s;
    cr_assert(submissions_read(folder, LAB, &s, &why), "%s", text_str(&why));
    cr_assert_eq(s.n, 10);
    for (int i = 0; i < s.n; i++) {
        if (!strcmp(s.v[i].student, "-rf")) { /* no .cu */
            cr_assert(!s.v[i].source && s.v[i].problem);
            continue;
        }
        cr_assert(s.v[i].source, "%s", s.v[i].problem);
        if (i < 3) { /* marked with this name; the rest would only take time */
            struct engine e;
            cr_assert(engine_open(&e, LAB, &o, &why), "%s", text_str(&why));
            json_t *v = marked(&e, s.v[i].original, s.v[i].source, s.v[i].length);
            assert_full(v);
            json_decref(v);
            engine_close(&e);
        }
    }
    submissions_free(&s);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = xformat("%s/%s", folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    static const struct {
        const char *text;
        size_t n;
        const char *status;
    } contents[] = {{"", 0, "empty"},
                    {" \n\t\n", 4, "empty"},
                    {"\x7f"
                     "ELF\0\1\2",
                     7, "not text"},
                    {"\xfa nonsense", 10, "not compiled"}};
    for (size_t i = 0; i < 4; i++) {
        json_t *v = mark(&o, contents[i].text, contents[i].n);
        cr_assert_str_eq(get(v, "status"), contents[i].status);
        json_decref(v);
    }
    assert_text_as_saved(&o);
    size_t n = SUBMISSION_MAX_BYTES + 1;
    char *huge = xzalloc(n + 1);
    memset(huge, '/', n);
    json_t *v = mark(&o, huge, n);
    cr_assert_str_eq(get(v, "status"), "too large");
    json_decref(v);
    free(huge);
}
