/* programs_test.c - the programs of programs/check, built with nvcc and run.
 *
 * wrong.cu expects one finding of each kernel, right.cu and nolines.cu none; they judge themselves.
 * Skipped where there is no nvcc or the library is not built.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *build_folder(void)
{
    const char *b = getenv("B");

    return b ? b : "build";
}

#define NVCC CUDA_INCLUDE "/../bin/nvcc"

static int run(const char *format, const char *name, const char *flags)
{
    char cwd[1024], command[4096];
    const char *b = build_folder();

    cr_assert(getcwd(cwd, sizeof(cwd)));
    snprintf(command, sizeof(command), format, cwd, b, name, flags);
    return WEXITSTATUS(system(command));
}

static void program(const char *name, const char *flags)
{
    char library[1024];

    snprintf(library, sizeof(library), "%s/lib/libcudart.so.13", build_folder());
    if (access(library, R_OK) || access(NVCC, X_OK))
        cr_skip_test(NVCC " and %s are needed", library);
    cr_assert_eq(run("R=%s B=%s N=%s F='%s'; mkdir -p $B/test; "
                     "S=$R/common/emulator/programs/check/$N.cu; "
                     "[ $B/test/check_$N -nt $S ] || " NVCC " -std=c++17 $F "
                     "-cudart shared -o $B/test/check_$N $S",
                     name, flags),
                 0, "%s.cu does not compile", name);
    cr_assert_eq(
        run("R=%s B=%s N=%s F='%s'; WARPLAB_CHECK=1 LD_LIBRARY_PATH=$(realpath $B/lib) timeout 120 "
            "$B/test/check_$N 2>$B/test/check_$N.err",
            name, flags),
        0, "%s.cu: see above", name);
}

Test(check_programs, wrong_ones_are_found)
{
    program("wrong", "-arch=sm_90 -lineinfo");
}

Test(check_programs, right_ones_are_left_alone)
{
    program("right", "-arch=sm_90 -lineinfo");
}

Test(check_programs, without_lines)
{
    program("nolines", "-arch=sm_80");
}
