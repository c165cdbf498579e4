/* compile_test.c - NVRTC: messages, names, and what a file may see. Needs no device. */
#include "compile.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/machine.h"
#include "run/module.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct compiled compile_text(const char *text, const char *arch, bool bare)
{
    char path[] = "/tmp/compile_test_XXXXXX";
    struct compile_request r = {
        .path = path, .arch = arch, .no_default_includes = bare, .toolkit = CUDA_INCLUDE};
    struct compiled c;
    struct text why = {0};
    int fd = mkstemp(path);

    close(fd);
    cr_assert(file_save(path, text, strlen(text), &why), "%s", text_str(&why));
    compile_cuda(&r, &c);
    unlink(path);
    return c;
}

#define GOOD                                                                                       \
    "#include \"warplab.cuh\"\n#include <stdint.h>\n#include <cuda_fp16.h>\n"                      \
    "LAUNCH(copy, 128, 1, 4);\n"                                                                   \
    "KERNEL copy(const int *a, int *b, uint32_t n) { if (threadIdx.x < n) b[0] = a[0]; }\n"        \
    "KERNEL other(int *b) { b[0] = 1; }\n"

static void expect_names(const char *arch)
{
    struct compiled c = compile_text(GOOD, arch, false);
    char **names;

    cr_assert(c.image, "%s", c.log);
    int n = module_names(c.image, c.size, &names);
    cr_assert_eq(n, 2, "%s: %d names", arch, n);
    cr_assert(!strcmp(names[0], "copy") || !strcmp(names[1], "copy"));
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    compiled_free(&c);
}

Test(compile, finds_kernels_in_ptx)
{
    expect_names("compute_90");
}

Test(compile, finds_kernels_in_machine_code)
{
    expect_names("sm_90");
}

/* PTX with and without what machine code of it needs, which comes first. */
Test(compile, says_what_machine_code_needs)
{
    char path[] = "/tmp/compile_test_XXXXXX";
    struct compile_request r = {.path = path, .arch = "compute_90", .toolkit = CUDA_INCLUDE};
    struct compiled c, told;
    struct text why = {0};
    char **names;

    close(mkstemp(path));
    cr_assert(file_save(path, GOOD, strlen(GOOD), &why), "%s", text_str(&why));
    cr_assert(compile_cuda(&r, &c), "%s", c.log);
    r.registers = true;
    cr_assert(compile_cuda(&r, &told), "%s", told.log);
    unlink(path);
    cr_expect_eq(told.size, strlen(told.image) + 1);
    const char *ptx = told.image + told.size - c.size;
    cr_assert_gt(told.size, c.size);
    cr_expect_str_eq(ptx, c.image);
    for (const char *line = told.image; line < ptx; line = strchr(line, '\n') + 1)
        cr_expect(!strncmp(line, "// registers: copy ", strlen("// registers: copy ")) ||
                      !strncmp(line, "// registers: other ", strlen("// registers: other ")),
                  "%s", line);
    int n = module_names(told.image, told.size, &names);
    cr_expect_eq(n, 2);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    compiled_free(&c);
    compiled_free(&told);
}

/* What another file would have to define: ptxas refuses it, so PTX for the emulator is refused. */
Test(compile, links_nothing)
{
    static const char *const archs[] = {"compute_90", "sm_90"};

    for (int k = 0; k < 2; k++) {
        struct compiled c = compile_text(
            "extern \"C\" __device__ int cudaMemsetAsync(void *, int, unsigned long long, void "
            "*);\n"
            "extern \"C\" __global__ void k(int *p) { cudaMemsetAsync(p, 0, 4, 0); }\n",
            archs[k], false);
        cr_expect_null(c.image);
        cr_expect(strstr(c.log, "cudaMemsetAsync"), "%s", c.log);
        compiled_free(&c);
        c = compile_text("__device__ __noinline__ int twice(int x) { return 2 * x; }\n"
                         "extern \"C\" __global__ void k(int *p) { p[0] = twice(p[1]);\n"
                         "printf(\"%d (\", *(int *)malloc(4)); assert(p[2]); }\n",
                         archs[k], false);
        cr_expect(c.image, "%s", c.log);
        compiled_free(&c);
    }
}

Test(compile, says_where)
{
    struct compiled c =
        compile_text("__global__ void f()\n{\n    nonsense;\n}\n", "compute_90", false);

    cr_assert_null(c.image);
    cr_assert(strstr(c.log, ":3: error"), "%s", c.log);
    compiled_free(&c);
}

Test(compile, has_no_host_side)
{
    struct compiled c = compile_text("#include <unistd.h>\n", "compute_90", false);

    cr_assert_null(c.image);
    compiled_free(&c);
    c = compile_text("__host__ int f() { return 1; }\n", "compute_90", false);
    cr_assert_null(c.image);
    cr_assert(strstr(c.log, ":1: error"), "%s", c.log);
    compiled_free(&c);
}

/* What the first try, without textures and the device runtime, takes no notice of. */
Test(compile, knows_textures_too)
{
    struct compiled c =
        compile_text("extern \"C\" __global__ void f(cudaTextureObject_t t, float *o)\n"
                     "{\n    o[0] = tex1Dfetch<float>(t, 3);\n}\n",
                     "compute_90", true);

    cr_assert(c.image, "%s", c.log);
    compiled_free(&c);
    c = compile_text("__global__ void f(cudaTextureObject_t t)\n{\n    nonsense;\n}\n",
                     "compute_90", true);
    cr_assert(strstr(c.log, ":3: error") && !strstr(c.log, "cudaTextureObject_t"), "%s", c.log);
    compiled_free(&c);
}

/* A } that is missing shows where the next kernel begins. */
Test(compile, says_where_a_brace_may_be_missing)
{
    struct compiled c = compile_text("extern \"C\" __global__ void f(float *o)\n"
                                     "{\n    if (threadIdx.x) {\n        o[0] = 1;\n}\n"
                                     "extern \"C\" __global__ void g(float *o)\n{\n}\n",
                                     "compute_90", true);

    cr_assert(strstr(c.log, "is a } missing before this line?"), "%s", c.log);
    compiled_free(&c);
    c = compile_text("extern \"C\" __global__ void f(float *o)\n{\n    o[0] = x;\n}\n",
                     "compute_90", true);
    cr_assert(c.log && !strstr(c.log, "missing before"), "%s", c.log);
    compiled_free(&c);
}

Test(compile, bare_means_no_course_headers)
{
    struct compiled c = compile_text(GOOD, "compute_90", true);

    cr_assert_null(c.image);
    cr_assert(strstr(c.log, "warplab.cuh"), "%s", c.log);
    compiled_free(&c);
}

Test(compile, missing_and_binary_files)
{
    struct compile_request r = {
        .path = "/nonexistent/x.cu", .arch = "compute_90", .toolkit = CUDA_INCLUDE};
    struct compiled c;

    cr_assert_not(compile_cuda(&r, &c));
    cr_assert(strstr(c.log, "/nonexistent/x.cu"), "%s", c.log);
    compiled_free(&c);
}

/* What nvcc takes in device code, whatever it is called there. */
static const char headers[] =
    "#include <cstdint>\n"
    "#include <climits>\n"
    "#include <limits>\n"
    "#include <type_traits>\n"
    "#include <cassert>\n"
    "#include <cstdio>\n"
    "#include <cmath>\n"
    "#include <algorithm>\n"
    "#include <cstdlib>\n"
    "#include <cstring>\n"
    "#include <utility>\n"
    "#include <assert.h>\n"
    "#include <string.h>\n"
    "#include <stdlib.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <float.h>\n"
    "#include <limits.h>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <tuple>\n"
    "#include <functional>\n"
    "#include <array>\n"
    "#include <numeric>\n"
    "#include <climits>\n"
    "#include <cfloat>\n"
    "#include <cstddef>\n"
    "#include <cub/cub.cuh>\n"
    "#include <cuda/std/array>\n"
    "#include \"warplab.cuh\"\n"
    "KERNEL k(int *p, float *f, std::uint32_t n, uint64_t m, std::int64_t q, size_t s)\n"
    "{\n"
    "    static_assert(std::is_same<int, std::remove_const_t<const int>>::value, \"\");\n"
    "    assert(n > 0);\n"
    "    *p = std::max(*p, std::numeric_limits<int>::max() - INT_MAX) + std::min(1, 2) + (int)m + "
    "(int)q + CHAR_BIT + (int)s;\n"
    "    *f = std::sqrt(*f) + sqrtf(*f) + std::fabs(*f) + FLT_MAX + abs(-3) + INFINITY + HUGE_VALF "
    "+ "
    "std::numeric_limits<float>::infinity();\n"
    "    int a[4] = {1, 2, 3, 4}, b[4];\n"
    "    memcpy(b, a, sizeof(a)); std::memset(a, 0, sizeof(a));\n"
    "    std::swap(a[0], b[1]);\n"
    "    printf(\"%d\\n\", b[n % 4] + a[0] + std::clamp(3, 1, 2));\n"
    "    uint8_t x = UINT8_MAX; p[1] = x + INT64_MAX % 3 + SIZE_MAX % 5;\n"
    "}\n";

Test(compile, has_the_headers_that_device_code_asks_for)
{
    struct compiled c = compile_text(headers, "compute_90", false);

    cr_assert(c.image, "%s", c.log);
    compiled_free(&c);
}

/* All of the folder's, sorted by name. */
static int std_headers(char **names, int most)
{
    char pattern[4096];
    glob_t found;
    int n = 0;

    snprintf(pattern, sizeof(pattern), "%s/common/device/std/*", course_root());
    cr_assert(!glob(pattern, 0, NULL, &found));
    for (; n < (int)found.gl_pathc && n < most; n++)
        names[n] = strdup(strrchr(found.gl_pathv[n], '/') + 1);
    globfree(&found);
    return n;
}

Test(compile, has_headers_that_stand_alone, .timeout = 300)
{
    char *names[100], text[4096];
    int n = std_headers(names, 100);

    cr_assert(n > 40);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof(text), "#include <%s>\n#include <%s>\n", names[i], names[i]);
        struct compiled c = compile_text(text, "compute_90", false);
        cr_expect(c.image && !*c.log, "%s: %s", names[i], c.log);
        compiled_free(&c);
        free(names[i]);
    }
}

/* Forwards and backwards: each before each other, and none says what another does otherwise. */
Test(compile, has_headers_in_any_order, .timeout = 120)
{
    char *names[100], forwards[8192] = "", backwards[8192] = "";
    int n = std_headers(names, 100);

    for (int i = 0; i < n; i++) {
        sprintf(forwards + strlen(forwards), "#include <%s>\n", names[i]);
        sprintf(backwards + strlen(backwards), "#include <%s>\n", names[n - 1 - i]);
    }
    for (int i = 0; i < n; i++)
        free(names[i]);
    for (int k = 0; k < 2; k++) {
        char *text = xformat("%s#include <cuda/std/cmath>\n#include <cuda/std/climits>\n"
                             "#include \"warplab.cuh\"\n",
                             k ? backwards : forwards);
        struct compiled c = compile_text(text, "compute_90", false);
        cr_expect(c.image && !*c.log, "%s: %s", text, c.log);
        compiled_free(&c);
        free(text);
    }
}

/* libcu++ says some of the same for itself. */
Test(compile, has_headers_beside_the_toolkits, .timeout = 60)
{
#define TOOLKITS                                                                                   \
    "#include <cuda/std/chrono>\n#include <cuda/barrier>\n#include <cuda/pipeline>\n"              \
    "#include <cuda/atomic>\n#include <cuda/std/cstdlib>\n#include <cuda/std/cstddef>\n"           \
    "#include <cuda/std/ctime>\n#include <cuda/std/cmath>\n#include <cuda/std/climits>\n"          \
    "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n#include <mma.h>\n"
    static const char *const texts[] = {"#include \"warplab.cuh\"\n" TOOLKITS,
                                        TOOLKITS "#include \"warplab.cuh\"\n"};

    for (size_t i = 0; i < 2; i++) {
        struct compiled c = compile_text(texts[i], "compute_90", false);

        cr_expect(c.image && !*c.log, "%zu: %s", i, c.log);
        compiled_free(&c);
    }
}

/* As nvcc takes it without an include; with all of std in sight no call has two meanings. */
#define MATH                                                                                       \
    "KERNEL k(float *f, double *d, int n)\n{\n"                                                    \
    "    f[0] = std::fma(f[0], 2.f, 1.f) + std::fmod(f[1], 3.f) + std::erf(f[2]) + "               \
    "std::erfc(f[3]) "                                                                             \
    "+ std::remainder(f[4], 2.f) + std::hypot(f[5], f[6]) + std::cbrt(f[7]) + std::nanf(\"\") + "  \
    "std::fdim(f[1], f[2]) + std::modf(f[1], f + 2) + std::remquo(f[1], f[2], &n) + "              \
    "std::erff(f[3]) + std::fmaf(f[1], f[2], f[3]) + M_PIf;\n"                                     \
    "    d[0] = std::fma(d[0], 2., 1.) + std::erf(d[1]) + std::nan(\"\") + M_PI + M_E + M_SQRT2 "  \
    "+ "                                                                                           \
    "M_SQRT1_2 + MAXFLOAT + EXIT_FAILURE + EXIT_SUCCESS + RAND_MAX + std::pow(f[1], n) + "         \
    "pow(f[1], d[1]) + std::sqrt(n) + std::fmax(f[1], d[1]) + std::hypot(d[1], d[2]) + "           \
    "(uint)std::labs(n) + HUGE_VAL + std::isnormal(d[1]) + FP_ILOGB0 + (std::double_t)n;\n"        \
    "    static_assert(sizeof(std::size_t) == 8 && M_PI > 3.14159);\n}\n"

#define UNQUALIFIED                                                                                \
    "using namespace std;\nKERNEL m(float *f, double *d, int n)\n{\n"                              \
    "    f[0] = sqrt(f[0]) + abs(f[1]) + max(f[2], 1.f) + isnan(f[3]) + floor(f[4]) + sqrt(n) + "  \
    "fma(f[1], f[2], f[3]) + abs(n) + pow(f[1], 2) + min(n, 3) + fabs(d[1]) + hypot(d[1], "        \
    "d[2]);\n"                                                                                     \
    "    d[0] = exp(d[0]) + sin(d[1]) + log2(d[2]) + remainder(d[3], d[4]) + M_PI;\n}\n"

Test(compile, has_the_mathematics_of_cuda)
{
    static const char *const texts[] = {
        "#include \"warplab.cuh\"\n" MATH UNQUALIFIED,
        "#include \"warplab.cuh\"\n#include <cmath>\n" MATH UNQUALIFIED,
        "#include <math.h>\n#include \"warplab.cuh\"\n" MATH UNQUALIFIED,
        "#include <complex>\n#include <numeric>\n#include <cuda/std/cmath>\n"
        "#include <cub/cub.cuh>\n#include \"warplab.cuh\"\n" MATH UNQUALIFIED,
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct compiled c = compile_text(texts[i], "compute_90", false);

        cr_expect(c.image && !*c.log, "%zu: %s", i, c.log);
        compiled_free(&c);
    }
    struct compiled c = compile_text(GOOD, "compute_90", false); /* unused, it leaves nothing */
    cr_assert(c.image && !strstr(c.image, "warplab_std") && !strstr(c.image, "cuda3std"));
    compiled_free(&c);
}

/* Names that C++ files use, with std:: and without. */
Test(compile, has_what_the_headers_of_cxx_are_for)
{
    static const char text[] =
        "#include \"warplab.cuh\"\n#include <complex>\n#include <array>\n#include <tuple>\n"
        "#include <utility>\n#include <new>\n#include <iterator>\n#include <initializer_list>\n"
        "#include <bit>\n#include <numbers>\n#include <span>\n#include <optional>\n"
        "#include <algorithm>\n#include <numeric>\n#include <functional>\n#include <climits>\n"
        "#include <cfloat>\n#include <inttypes.h>\n#include <stdbool.h>\nusing namespace std;\n"
        "struct point { float x, y; };\n"
        "int total(std::initializer_list<int> l) { int s = 0; for (int x : l) s += x; return s; }\n"
        "KERNEL k(float *f, long *l, int n)\n{\n"
        "    complex<float> z{f[0], f[1]}, w = sqrt(z) + std::sqrt(z) * std::exp(z) + pow(z, "
        "2.f);\n"
        "    f[0] = abs(w) + std::abs(w) + w.real() + norm(z) + std::abs(f[1]) + abs(n);\n"
        "    std::array a{1, 2, 3};\n    auto [q, r] = std::pair(1, 2.f);\n"
        "    auto [s, t, u] = std::tuple(1, 2.f, 3.0);\n    auto [x, y, v] = a;\n"
        "    f[1] = q + r + s + t + u + x + y + v + std::tuple_size<std::tuple<int, int>>::value "
        "+\n"
        "           std::get<0>(a) + std::tuple_size_v<decltype(a)>;\n"
        "    char raw[sizeof(point)];\n    point *o = new (raw) point{1, 2}, g = std::move(*o);\n"
        "    f[2] = g.x + total({1, 2}) + std::popcount(7u) + numbers::pi_v<float> + "
        "std::distance(begin(a), end(a)) + std::max({1, 2, n}) + std::exchange(n, 3);\n"
        "    int c[3] = {3, 2, 1};\n    std::swap(c[0], c[1]);\n    std::span<int> e(c);\n"
        "    std::optional<int> maybe = n;\n"
        "    f[3] = e[1] + *maybe + std::gcd(n, 4) + std::accumulate(c, c + 3, 0) + std::size(c) "
        "+\n"
        "           std::invoke(std::plus<>(), 1, n) + std::bit_cast<int>(f[5]) + DBL_MAX_10_EXP;\n"
        "    l[0] = std::min(l[0], LONG_MAX) + std::forward<int>(n) + true;\n"
        "    printf(\"%\" PRIu64 \"\\n\", (uint64_t)n);\n}\n";
    struct compiled c = compile_text(text, "compute_90", false);

    cr_assert(c.image && !*c.log, "%s", c.log);
    compiled_free(&c);
}

/* What a device has not, traps there: the file is one for all of them. */
Test(compile, has_tensor_instructions_for_every_device)
{
    static const char text[] =
        "#include \"warplab.cuh\"\n#include \"tensor.cuh\"\n"
        "TENSOR(multiply) = {.tile = {64, 64}, .cluster = 2, .map = {{0, TENSOR_F16, {64, 64}}}};\n"
        "KERNEL CLUSTER(2) __launch_bounds__(256, 1) multiply(const __grid_constant__ CUtensorMap "
        "a, float *c)\n"
        "{\n    __shared__ __align__(1024) char s[8192];\n    __shared__ mbarrier b;\n"
        "    unsigned to = shared_address(s), r[4];\n    float d[4] = {}, e[32] = {};\n"
        "    mbarrier_init(&b, 1); fence_mbarrier_init(); cluster_sync();\n"
        "    setmaxnreg_inc<232>(); tensor_load_2d_multicast(to, &a, 0, 0, &b, 3);\n"
        "    mbarrier_arrive_expect_tx(&b, 8192); mbarrier_wait(&b, 0);\n"
        "    cp_async_16(to, c, true); cp_async_commit(); cp_async_wait<0>();\n"
        "    ldmatrix_x4(r, to); mma_m16n8k16_f16(d, r, r[0], r[1]);\n"
        "    wgmma_fence();\n"
        "    wgmma_m64n64k16_f16<1>(e, wgmma_descriptor_128(to, 16), wgmma_descriptor_128(to, 16), "
        "1);\n"
        "    wgmma_commit_group(); wgmma_wait_group<0>();\n"
        "    mbarrier_arrive_remote(&b, cluster_ctarank() ^ 1);\n"
        "    c[threadIdx.x] = d[0] + e[0];\n}\n";
    static const char *const archs[] = {"sm_75",  "sm_80",  "sm_89",      "sm_90",
                                        "sm_90a", "sm_100", EMULATOR_ARCH};

    for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
        struct compiled c = compile_text(text, archs[i], false);

        cr_expect(c.image, "%s: %s", archs[i], c.log);
        compiled_free(&c);
    }
}

/* Each text has its mistake on line 3, however lines end. */
Test(compile, counts_lines_that_end_in_any_way)
{
    static const char *const texts[] = {
        "\xef\xbb\xbf#include \"warplab.cuh\"\n\nnonsense\n",
        "#include \"warplab.cuh\"\r\n\r\nnonsense\r\n",
        "#include \"warplab.cuh\"\r\rnonsense\r",
        "\xef\xbb\xbf#include \"warplab.cuh\"\r\n\rnonsense\n",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct compiled c = compile_text(texts[i], "compute_90", false);

        cr_assert(!c.image && strstr(c.log, ":3: error"), "%zu: %s", i, c.log);
        compiled_free(&c);
    }
}

/* Two marks, where a file was put behind another's, and DOS's end of a file. */
Test(compile, takes_off_marks_and_ends)
{
    static const char *const texts[] = {
        "\xef\xbb\xbf\xef\xbb\xbf#include \"warplab.cuh\"\nKERNEL k(int *p) { *p = 1; }\n",
        "#include \"warplab.cuh\"\r\nKERNEL k(int *p) { *p = 1; }\r\n\x1a",
        "#include \"warplab.cuh\"\nKERNEL k(int *p) { *p = 1; }\x1a\x1a",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct compiled c = compile_text(texts[i], "compute_90", false);

        cr_expect(c.image && !*c.log, "%zu: %s", i, c.log);
        compiled_free(&c);
    }
}

Test(compile, says_what_stands_in_for_a_host_header)
{
    static const struct {
        const char *header, *told;
    } rows[] = {
        {"vector",
         "    <vector> is a header of host code, of which a kernel can call nothing: use an "
         "array of fixed size, or <array>\n"},
        {"iostream", "printf()"},
        {"string", "char arrays"},
        {"map", "an array"},
        {"memory", "pointers"},
        {"ctype.h", "compare characters"},
        {"unistd.h", "no files"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[100];

        snprintf(text, sizeof(text), "\n#include <%s>\n", rows[i].header);
        struct compiled c = compile_text(text, "compute_90", false);
        cr_expect(!c.image && strstr(c.log, ":2: ") && strstr(c.log, rows[i].told), "%s", c.log);
        compiled_free(&c);
    }
    struct compiled c = compile_text("#include <nonsense>\n", "compute_90", false);
    cr_expect(!c.image && !strstr(c.log, "host code"), "%s", c.log);
    compiled_free(&c);
}

Test(compile, says_what_utf_16_is)
{
    char path[] = "/tmp/compile_test_XXXXXX";
    struct compile_request r = {.path = path, .arch = "compute_90", .toolkit = CUDA_INCLUDE};
    struct compiled c;
    struct text why = {0};

    close(mkstemp(path));
    cr_assert(file_save(path, "\xff\xfe/\0/\0\n\0", 8, &why), "%s", text_str(&why));
    cr_assert_not(compile_cuda(&r, &c));
    cr_assert(strstr(c.log, "UTF-16") && strstr(c.log, "save it as UTF-8"), "%s", c.log);
    unlink(path);
    compiled_free(&c);
}

Test(names, broken_images_have_none)
{
    struct compiled c = compile_text(GOOD, "sm_90", false);
    char **names;

    for (size_t n = 0; n < c.size; n += 7) { /* cut short anywhere: no crash, names or none */
        int found = module_names(c.image, n, &names);

        for (int i = 0; i < found; i++)
            free(names[i]);
        free(names);
    }
    cr_assert_eq(module_names("", 0, &names), 0);
    compiled_free(&c);
}

/* However long the path, the reason stands behind it. */
Test(compile, a_long_path_has_its_reason)
{
    char path[1601] = "";
    struct compile_request r = {.path = path, .arch = "compute_90", .toolkit = CUDA_INCLUDE};
    struct compiled c;

    for (int i = 0; i < 200; i++)
        strcat(path, "/nowhere");
    cr_assert_not(compile_cuda(&r, &c));
    cr_assert(strstr(c.log, "/nowhere: No such file or directory"), "%s", c.log);
    compiled_free(&c);
}

/* ---- whole programs: nvcc and the host's compiler ---- */

static struct compiled compile_whole(const char *text)
{
    char path[] = "/tmp/compile_testXXXXXX";
    struct compile_request r = {.path = path, .arch = "compute_90", .toolkit = CUDA_INCLUDE};
    struct compiled c;
    int fd = mkstemp(path);

    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    compile_program(&r, &c);
    unlink(path);
    return c;
}

Test(compile, a_program_is_an_executable_file, .timeout = 120)
{
    struct compiled c = compile_whole("#include <cstdio>\n__global__ void k() {}\n"
                                      "int main() { k<<<1, 1>>>(); return puts(\"ok\") < 0; }\n");

    if (c.no_compiler) /* no nvcc in this toolkit, or no g++: as the log says */
        cr_assert(strstr(c.log, "install"), "%s", c.log);
    else
        cr_assert(c.image && c.size > 1000 && !memcmp(c.image, "\177ELF", 4), "%s", c.log);
    compiled_free(&c);
}

Test(compile, a_programs_mistakes_have_their_line, .timeout = 120)
{
    struct compiled c = compile_whole("int main()\n{\n    return nothing;\n}\n");

    cr_assert_null(c.image);
    cr_assert(c.no_compiler || strstr(c.log, ":3: error: identifier \"nothing\""), "%s", c.log);
    compiled_free(&c);
}

Test(compile, says_what_to_install)
{
    setenv("PATH", "/none", 1);
    struct compiled c = compile_whole("int main() { return 0; }\n");

    cr_assert(c.no_compiler && !c.image);
    cr_assert(strstr(c.log, "install"), "%s", c.log);
    compiled_free(&c);
}
