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
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f)
            continue;
        LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, f));
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
