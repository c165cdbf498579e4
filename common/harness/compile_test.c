/* compile_test.c - NVRTC: messages, names, and what a file may see. Needs no device. */
#include "compile.h"
#include "base/file.h"
#include "run/module.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct compiled compile_text(const char *text, const char *arch, bool bare)
{
    char path[] = "/tmp/compile_test_XXXXXX";
    struct compile_request r = {.path = path, .arch = arch, .no_default_includes = bare};
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

Test(compile, bare_means_no_course_headers)
{
    struct compiled c = compile_text(GOOD, "compute_90", true);

    cr_assert_null(c.image);
    cr_assert(strstr(c.log, "warplab.cuh"), "%s", c.log);
    compiled_free(&c);
}

Test(compile, missing_and_binary_files)
{
    struct compile_request r = {.path = "/nonexistent/x.cu", .arch = "compute_90"};
    struct compiled c;

    cr_assert_not(compile_cuda(&r, &c));
    cr_assert(strstr(c.log, "/nonexistent/x.cu"), "%s", c.log);
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
    struct compile_request r = {.path = path, .arch = "compute_90"};
    struct compiled c;

    for (int i = 0; i < 200; i++)
        strcat(path, "/nowhere");
    cr_assert_not(compile_cuda(&r, &c));
    cr_assert(strstr(c.log, "/nowhere: No such file or directory"), "%s", c.log);
    compiled_free(&c);
}
