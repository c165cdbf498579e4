/* run_test.c - what the fuzzer of run_fuzz.c found, run again: nothing crashes or hangs. */
#include "run_fuzz.c"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>

#define DATA "common/emulator/testdata/fuzz/"

static unsigned replay(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);

    cr_assert(d, "%s", folder);
    for (struct dirent *e; (e = readdir(d));) {
        char path[1024];
        static uint8_t bytes[1 << 17];

        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f)
            continue;
        LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), f));
        fclose(f);
        n++;
    }
    closedir(d);
    return n;
}

Test(run, fuzz_cases, .timeout = 120)
{
    LLVMFuzzerInitialize(NULL, NULL);
    cr_assert(freopen("/dev/null", "w", stderr));
    cr_assert_geq(replay(DATA "run"), 2);
    cr_assert_geq(replay(DATA "ptx"), 10);
}

/* What ptxas refuses, or no thread has room for, is refused here before it runs. */
static const struct {
    const char *file, *says;
} refused[] = {
    {"call_sizes.ptx", "arguments or results of the call are not those of f"},
    {"device_call_sizes.ptx", "are not those of __cudaCDP2LaunchDeviceV2"},
    {"device_launch.ptx", "launches kernels: not supported without the CUDA runtime"},
    {"fragment_short.ptx", "made of 4 32-bit registers"},
    {"local_wraps.ptx", "of local memory a thread, 524288 are the most"},
    {"param_wraps.ptx", "bytes of .param variables: a thread has 524288"},
    {"vector_short.ptx", "this access takes 4 elements"},
    {"wmma_shape.ptx", "this wmma shape: not supported"},
};

Test(run, refused)
{
    cr_assert(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        char path[1024], text[2048];
        struct emu_module *m;

        snprintf(path, sizeof(path), DATA "run/%s", refused[i].file);
        FILE *f = fopen(path, "rb");
        cr_assert(f, "%s", path);
        const char *at = text;
        size_t size = fread(text, 1, sizeof(text), f);
        fclose(f);
        cr_assert_eq(emu_module_load(&at, &size, 1, "test", &m), cudaSuccess, "%s", path);
        struct emu_launch l = {.func = emu_module_func(m, "k"),
                               .grid = {1, 1, 1},
                               .block = {32, 1, 1},
                               .params = &(uint64_t){0}};
        cr_expect_neq(emu_launch(&l, NULL), cudaSuccess, "%s", path);
        cr_expect(strstr(emu_error_text(), refused[i].says), "%s: %s", path, emu_error_text());
        emu_module_unload(m);
    }
}

Test(run, parameters_of_kernels_end)
{
    static const struct {
        const char *version;
        int bytes;
        cudaError_t result;
    } rows[] = {{"8.0", 4352, cudaSuccess},
                {"8.0", 4353, cudaErrorInvalidPtx},
                {"8.1", 32764, cudaSuccess},
                {"8.1", 32765, cudaErrorInvalidPtx},
                {"8.1", 1 << 30, cudaErrorInvalidPtx}};

    cr_assert(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[256];
        const char *at = text;
        struct emu_module *m;
        size_t n = (size_t)snprintf(text, sizeof(text),
                                    ".version %s\n.target sm_90\n.address_size 64\n"
                                    ".entry k(.param .b8 a[%d]) { ret; }",
                                    rows[i].version, rows[i].bytes);

        cr_expect_eq(emu_module_load(&at, &n, 1, "test", &m), rows[i].result, "%s", text);
        if (rows[i].result == cudaSuccess)
            emu_module_unload(m);
    }
}
