/* main_test.c - a lab's program from outside: what it says and how it exits. Runs on the
 * emulator, with the tiny lab of testlab.c. */
#include "base/alloc.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD  "#include \"warplab.cuh\"\n"
#define INDEX "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define SCALE_FLOAT                                                                                \
    "KERNEL scale_float(const float *x, float *y, unsigned n) {\n" INDEX                           \
    "    if (i < n) y[i] = 2 * x[i] + 1;\n}\n"
#define SCALE(body) "KERNEL scale(const int *x, int *y, unsigned n) {\n" INDEX "    " body "\n}\n"
#define RIGHT       SCALE("if (i < n) y[i] = 2 * x[i] + 1;")

struct outcome {
    int status;
    char *output;
};

#define RACE                                                                                       \
    SCALE("__shared__ int s[1024]; s[threadIdx.x] = 0; __syncthreads(); "                          \
          "s[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x]; if (i < n) y[i] = 2 * x[i] + 1;")
#define LUCKY                                                                                      \
    SCALE("__shared__ int s[128]; s[threadIdx.x] = i < n ? x[i] : 0;\n"                            \
          "    if (i < n && s[threadIdx.x ^ 1] != i + 5000) y[i] = 2 * x[i] + 1;")

static char *program(void)
{
    char self[4096] = "", *slash;

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 && (slash = strrchr(self, '/')))
        *slash = '\0';
    return xformat("%s/testlab", self);
}

static struct outcome lab(const char *source, const char *options)
{
    struct outcome o = {-1, xzalloc(1 << 16)};
    struct text why = {0};
    char path[] = "/tmp/run_test_XXXXXX", *self = program(), *command;
    size_t used = 0, n;

    close(mkstemp(path));
    cr_assert(file_save(path, source, strlen(source), &why), "%s", text_str(&why));
    command = xformat("%s --file %s %s 2>&1", self, path, options);
    FILE *pipe = popen(command, "r");
    while ((n = fread(o.output + used, 1, (1 << 16) - 1 - used, pipe)) > 0)
        used += n;
    o.status = WEXITSTATUS(pclose(pipe));
    unlink(path);
    free(command);
    free(self);
    return o;
}

/* What a student may hand in, and what must be said about it. */
static const struct {
    const char *what, *source, *options;
    int status;
    const char *says;
} rows[] = {
    {"right", HEAD RIGHT SCALE_FLOAT, "", 0, "testlab: all right (5 checked)"},
    {"right, checked", HEAD RIGHT SCALE_FLOAT, "--check", 0, "Checks: no bad access"},
    {"a race",
     HEAD SCALE("__shared__ int s[128]; s[threadIdx.x] = 1; int one = s[threadIdx.x ^ 32];\n"
                "    if (i < n) y[i] = 2 * x[i] + one;") SCALE_FLOAT,
     "--check --kernel scale --case one", 1, /* one block: others might be first */
     ":4: scale block (0,0,0) thread (32,0,0): race in shared memory: "},
    {"a race, and right results", HEAD LUCKY SCALE_FLOAT, "--kernel scale --case n=1000", 0,
     "scale's results are right here, but may be wrong on a GPU:\n"},
    {"a race, by what the file says in the toolkit",
     HEAD "#line 1 \"/usr/include/x.h\"\n" LUCKY SCALE_FLOAT, "--kernel scale --case n=1000", 0,
     "scale's results are right here, but may be wrong on a GPU:\n"},
    {"a race, by what the file says in the toolkit, checked",
     HEAD "#line 1 \"/usr/include/x.h\"\n" LUCKY SCALE_FLOAT,
     "--kernel scale --case n=1000 --check", 1, "race in shared memory: "},
    {"a race, without being asked",
     HEAD SCALE("__shared__ int s[128]; s[threadIdx.x] = 1; int one = s[threadIdx.x ^ 32];\n"
                "    if (i < n) y[i] = 2 * x[i] + one;") SCALE_FLOAT,
     "--kernel scale --case one --causes", 1, "cause scale race"},
    {"own size", HEAD RIGHT SCALE_FLOAT, "--n 2^12+1 --kernel 1", 0, "n=4097"},
    {"own sizes", HEAD RIGHT SCALE_FLOAT, "--n 100 --rows 3 --kernel 1", 0, "n=100 m=3"},
    {"record", HEAD "LAUNCH(scale, 64, 1, 1);\n" RIGHT SCALE_FLOAT, "", 0, "all right"},
    {"silly record", HEAD "LAUNCH(scale, 4000, 1, 1);\n" RIGHT SCALE_FLOAT, "", 0,
     "block_x 4000 is out of range, 1024 is used"},
    {"record of no kernel", HEAD "LAUNCH(scael, 64, 1, 1);\n" RIGHT SCALE_FLOAT, "", 0,
     "LAUNCH(scael, …) is ignored: the lab has no such kernel. Did you mean scale?\n"},
    {"best is tried",
     HEAD RIGHT SCALE_FLOAT "KERNEL scale_best(const int *x, int *y, unsigned n) {}\n", "", 1,
     "scale_best is wrong in 2 of 3 cases, such as one"},
    {"empty kernel", HEAD SCALE("") SCALE_FLOAT, "", 1, "never written"},
    {"wrong value", HEAD SCALE("if (i < n) y[i] = 2 * x[i] + 2;") SCALE_FLOAT, "", 1,
     "y: its only element is wrong"},
    {"changes input",
     HEAD SCALE("if (i < n) { y[i] = 2 * x[i] + 1; ((int *)x)[i] = 0; }") SCALE_FLOAT, "", 1,
     "changed its input x"},
    {"forgets the tail", HEAD SCALE("if (i < n / 128 * 128) y[i] = 2 * x[i] + 1;") SCALE_FLOAT,
     "--kernel scale --case n=1000", 1, "with \"i < n\" in place of \"i < n / 128 * 128\""},
    {"past the end", HEAD SCALE("y[i] = 2 * x[i] + 1;") SCALE_FLOAT, "--kernel scale", 1,
     "x[1], of 1 element\n"},
    {"one past the end",
     HEAD "LAUNCH(scale, 32, 1, 1);\n" SCALE("y[i + n / 1000] = 2 * x[i % n] + 1;") SCALE_FLOAT,
     "--kernel scale --case n=1000", 1, "y[1000], of 1000 elements\n"},
    {"the same for every input", HEAD SCALE("if (i < n) y[i] = 7;") SCALE_FLOAT,
     "--kernel scale --case n=1000", 1, "y is the same for two inputs that differ\n"},
    {"never ends", HEAD SCALE("while (n) y[0] = *(volatile int *)x;") SCALE_FLOAT,
     "--kernel scale --case n=1000 --steps 100000", 1, "cudaErrorLaunchTimeout"},
    {"missing", HEAD SCALE_FLOAT, "", 1, "no kernel \"scale\". The file has scale_float."},
    {"all missing", HEAD "KERNEL other(int *x) {}\n", "", 1,
     "no kernel \"scale\", \"scale_float\". The file has other."},
    {"no kernel at all", "int x;\n", "", 1,
     "there is no kernel in it (\"scale\", \"scale_float\"): each is to be declared KERNEL"},
    {"missing, in a word", HEAD SCALE_FLOAT, "--causes", 1, "cause scale name\n"},
    {"syntax, in a word", HEAD "KERNEL scale(\n", "--causes", 1, "cause file syntax\n"},
    {"to be written, in a word", HEAD SCALE("// TODO") SCALE_FLOAT, "--causes", 1,
     "cause scale todo\n"},
    {"begun, its TODO stands", HEAD SCALE("// TODO\n    if (i < n) y[i] = x[i];") SCALE_FLOAT, "",
     1, "scale is wrong in 2 of 3 cases, such as one"},
    {"misspelt", HEAD "KERNEL scael(const int *x, int *y, unsigned n) {}\n" SCALE_FLOAT, "", 1,
     "Did you mean scael?"},
    {"C++ name", "__global__ void scale(const int *x, int *y, unsigned n) {}\n" HEAD SCALE_FLOAT,
     "", 1, "has a C++ name"},
    {"does not compile", HEAD "KERNEL scale(\n", "", 1, ": error"},
    {"one error and many notes",
     HEAD RIGHT "KERNEL scale_float(float *y) { atomicAdd(y, make_int2(1, 2)); }\n", "", 1,
     "more lines: DETAIL=1 behind the command shows them\n"},
    {"one error alone", HEAD RIGHT "KERNEL scale_float(float *y) { *y = z; }\n", "", 1,
     "does not compile: nothing was run.\n"},
    {"one error, and a warning",
     HEAD RIGHT "KERNEL scale_float(float *y, unsigned n) { if (n >= 0) *y = z; }\n", "", 1,
     "nothing was run. Look at the warnings, too.\n"},
    {"two errors", HEAD RIGHT "KERNEL scale_float(float *y) { *y = z; *y = w; }\n", "", 1,
     "nothing was run. Mend the first error first; the others may come from it.\n"},
    {"one error and all its notes",
     HEAD RIGHT "KERNEL scale_float(float *y) { atomicAdd(y, make_int2(1, 2)); }\n", "-v", 1,
     "Note #3326-D: function \"atomicAdd(double *, double)\""},
    {"what next, without a program", HEAD "KERNEL scale(\n", "--kernel 1", 1,
     "next: mend it, then make run LAB=testlab KERNEL=1 FILE="},
    {"nothing to run", HEAD RIGHT SCALE_FLOAT, "--kernel scale_float --case one", 1,
     "next: make run LAB=testlab ARGS=--list"},
    {"host header", "#include <unistd.h>\n" HEAD RIGHT SCALE_FLOAT, "", 1,
     "hint: the file is compiled for the device alone"},
    {"host code", HEAD RIGHT SCALE_FLOAT "int main() { int *p; cudaMalloc(&p, 4); }\n", "", 1,
     "hint: the host's part"},
    {"a power", HEAD RIGHT SCALE_FLOAT "__device__ float f(float x) { return x ^ 2; }\n", "", 1,
     "hint: ^ is exclusive or, not a power"},
    {"endless schedule",
     HEAD "#include \"schedule.cuh\"\n" RIGHT SCALE_FLOAT
          "SCHEDULE(a) { for (;;) s.kernel(0, 0); };\n",
     "", 1, "hint: what stands there has to be known when the file is compiled"},
    {"faults once", HEAD SCALE("y[i + (1 << 28)] = 1;") SCALE_FLOAT, "--kernel scale", 1,
     "Until that is mended scale is not run on the cases that are left"},
    {"faults later", HEAD SCALE("y[n > 1 ? i + (1 << 28) : 0] = 7;") SCALE_FLOAT, "--kernel scale",
     1, "its launch failed. Until that is mended scale is not run on the cases that are left"},
    {"the TODO stands", HEAD SCALE("// TODO") SCALE_FLOAT, "", 1,
     "Still to be written, their TODO stands: scale\n"},
    {"what to write next", HEAD SCALE("// TODO") SCALE_FLOAT, "", 1,
     "next: write scale, then make run LAB=testlab KERNEL=scale FILE="},
    {"how many are right", HEAD SCALE("// TODO") SCALE_FLOAT, "", 1,
     "testlab: not right yet: of 2 kernels 1 right, 1 still to be written"},
    {"one asked for", HEAD SCALE("// TODO") SCALE_FLOAT, "--kernel scale", 1,
     "Still to be written, their TODO stands: scale\n"},
    {"one asked for that does something", HEAD SCALE("if (i < n) y[i] = x[i]; // TODO") SCALE_FLOAT,
     "--kernel scale", 1,
     "scale is wrong in 2 of 3 cases, such as one: y: its only element is wrong"},
    {"every failure", HEAD SCALE("// TODO") SCALE_FLOAT, "--verbose", 1,
     "scale is wrong on case n=4096: y: 4096 of 4096"},
    {"every failure, and its cause", HEAD SCALE("if (i < n) y[i] = 7;") SCALE_FLOAT, "--verbose", 1,
     "y is the same for two inputs that differ\n"},
    {"the rest is right", HEAD SCALE("// TODO") SCALE_FLOAT, "", 1, "This is a part"},
    {"what next", HEAD SCALE("if (i < n) y[i] = 7;") SCALE_FLOAT, "", 1,
     "next: mend it, then make run LAB=testlab KERNEL=scale FILE="},
    {"what next, of a size of one's own", HEAD SCALE("if (i < n) y[i] = 7;") SCALE_FLOAT,
     "--kernel scale --n 77 --param 3", 1, " N=77 ARGS='--param 3'\n"},
    {"what next, where two are wrong",
     HEAD SCALE(
         "if (i < n) y[i] = 7;") "KERNEL scale_float(const float *x, float *y, unsigned n) { "
                                 "if (n) y[0] = 7; }\n",
     "", 1, "next: mend the first of these, then"},
    {"right, and a race that a barrier was tried for", HEAD RACE SCALE_FLOAT,
     "--kernel scale --check", 1,
     "of 1 kernel 1 right; what the checks have found may go wrong on a GPU\n"
     "next: mend it, then make run LAB=testlab KERNEL=scale FILE="},
    {"right, and a race", HEAD RACE SCALE_FLOAT, "--no-time", 0,
     "all results right (5 checked), and scale may be wrong on a GPU\nnext: mend scale"},
    {"a race, told once", HEAD RACE SCALE_FLOAT, "--kernel scale --check", 1,
     "· seed 20260917\nscale's results are right here, but may be wrong on a GPU:\n"},
    {"what next, of a case", HEAD SCALE("if (i < n) y[i] = 7;") SCALE_FLOAT, "--case n=1000", 1,
     " CASE='n=1000'\n"},
    {"one parameter more",
     HEAD "KERNEL scale(const int *x, int *y, unsigned n, int z) {\n" INDEX
          "    if (i < n) y[i] = 2 * x[i] + 1;\n}\n" SCALE_FLOAT,
     "", 1, "scale is declared with 4 parameters, but is launched with 3 arguments"},
    {"large parameter",
     HEAD "struct s { int v[99]; };\nKERNEL scale(const int *x, int *y, s n) {}\n" SCALE_FLOAT, "",
     1, "a parameter of 396 bytes"},
    {"no such kernel", HEAD RIGHT SCALE_FLOAT, "--kernel 7", 2, "no kernel called \"7\""},
    {"a kernel's name, nearly", HEAD RIGHT SCALE_FLOAT, "--kernel scal", 2,
     "next: make run LAB=testlab KERNEL='scale'"},
    {"the others, when one is right", HEAD RIGHT SCALE_FLOAT, "--kernel scale --no-time", 0,
     "next: make run LAB=testlab FILE="},
    {"a GPU's case, by name", HEAD RIGHT SCALE_FLOAT, "--kernel scale --case gpu --no-time", 0,
     "all right (1 checked)"},
    {"a case is no kernel", HEAD RIGHT SCALE_FLOAT, "--kernel empty", 2,
     "no kernel called \"empty\""},
    {"a kernel is no case", HEAD RIGHT SCALE_FLOAT, "--case scale", 2, "no case called \"scale\""},
    {"the first case, by name", HEAD RIGHT SCALE_FLOAT, "--kernel scale --case empty --no-time", 0,
     "all right (1 checked)"},
    {"a size without an element",
     HEAD "KERNEL scale(const int *x, int *y, unsigned n) { // TODO\n}\n" SCALE_FLOAT,
     "--kernel scale --n 0 --no-time", 0, "nothing was checked: with n = 0"},
    {"a size that cannot be, and what can", HEAD RIGHT SCALE_FLOAT, "--n 2^31 --kernel scale", 2,
     "next: make run LAB=testlab KERNEL=scale FILE="},
    {"what is not timed", HEAD RIGHT SCALE_FLOAT, "--kernel scale --untimed", 0,
     "all right (3 checked)"},
    {"own size of floats", HEAD RIGHT SCALE_FLOAT, "--n 100 --kernel scale_float", 0,
     "all right (1 checked)"},
    {"own size, like a case", HEAD RIGHT SCALE_FLOAT, "--n 100 --case f32", 0,
     "all right (1 checked)"},
    {"like no timed case", HEAD RIGHT SCALE_FLOAT, "--dtype u32 --kernel scale --param 1", 0,
     "n=0"},
    {"a size that cannot be", HEAD RIGHT SCALE_FLOAT, "--n 2^31", 2,
     "n=2147483648: at most 2^30 elements"},
    {"no such case", HEAD RIGHT SCALE_FLOAT, "--case x", 2, "no case called \"x\""},
    {"no such file", HEAD RIGHT SCALE_FLOAT, "--file /none.cu", 2, "there is no file /none.cu"},
    {"where the own file is", HEAD RIGHT SCALE_FLOAT, "--file /none.cu", 2,
     "next: make run LAB=testlab runs labs/testlab/testlab.cu"},
    {"a folder", HEAD RIGHT SCALE_FLOAT, "--file /tmp", 2, "/tmp is a folder, not a file"},
    {"an unknown option", HEAD RIGHT SCALE_FLOAT, "--nonsense", 2,
     " --nonsense\nnext: make run LAB=testlab ARGS=--help lists the options\n"},
    {"a word that is none", HEAD RIGHT SCALE_FLOAT, "nonsense", 2,
     " nonsense\nnext: make run LAB=testlab ARGS=--help lists the options\n"},
    {"N= by its name", HEAD RIGHT SCALE_FLOAT, "--n abc", 2, "--n (N=): \"abc\" is not a number"},
    {"what next, without a size", HEAD RIGHT SCALE_FLOAT, "--n abc", 2,
     "or 2^20-1\nnext: make run LAB=testlab N=100\n"},
    {"what next, without an extent", HEAD RIGHT SCALE_FLOAT, "--rows abc", 2,
     "or 2^20-1\nnext: make run LAB=testlab ARGS='--rows 100'\n"},
    {"what next, without a type", HEAD RIGHT SCALE_FLOAT, "--dtype abc", 2,
     "no element type\nnext: make run LAB=testlab ARGS=--help lists them"},
};

Test(run, says_and_exits_as_it_should, .timeout = 120)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct outcome o = lab(rows[i].source, rows[i].options);

        cr_expect_eq(o.status, rows[i].status, "%s: exit status %d\n%s", rows[i].what, o.status,
                     o.output);
        cr_expect(strstr(o.output, rows[i].says), "%s: \"%s\" is not in:\n%s", rows[i].what,
                  rows[i].says, o.output);
        free(o.output);
    }
}

/* Who looks on behind a right result gives a launch fewer steps than the student's own has. */
Test(run, does_not_tell_of_its_own_limit, .timeout = 60)
{
    struct outcome o =
        lab(HEAD SCALE("for (int k = 0; k < 1 << 17; k++)\n"
                       "        asm volatile(\"add.u32 %0, %0, 1;\" : \"+r\"(i));\n"
                       "    i -= 1 << 17;\n    if (i < n) y[i] = 2 * x[i] + 1;") SCALE_FLOAT,
            "--kernel scale --case n=1000 --no-time");

    cr_expect(strstr(o.output, "all right (1 checked)"), "%s", o.output);
    cr_expect_not(strstr(o.output, "steps"), "%s", o.output);
    free(o.output);
}

/* As on a GPU, which the compiler is asked for. */
Test(run, refuses_more_registers_than_there_are, .timeout = 60)
{
    static const char *const many =
        SCALE_FLOAT SCALE("int s[96]; for (int k = 0; k < 96; k++) s[k] = x[(i + k) % n];\n"
                          "    __syncthreads(); int t = 0;\n"
                          "    for (int k = 0; k < 96; k++) t += s[k] * s[95 - k];\n"
                          "    if (i < n) y[i] = t == 77777777 ? t : 2 * x[i] + 1;");
    char *source = xformat(HEAD "LAUNCH(scale, 1024);\n%s", many);
    struct outcome o = lab(source, "");

    cr_expect_eq(o.status, 1);
    cr_expect(strstr(o.output, "registers a thread are too many for a block of 1024 threads"), "%s",
              o.output);
    cr_expect_null(strstr(o.output, "it is right"), "%s", o.output);
    free(o.output);
    free(source);
    source = xformat(HEAD "LAUNCH(scale, 512);\n%s", many);
    o = lab(source, "");
    cr_expect_eq(o.status, 0, "%s", o.output);
    free(o.output);
    free(source);
}

/* 4096 ints, coalesced: 4 sectors a request, one request a warp. */
Test(run, counts_are_exact, .timeout = 60)
{
    struct text why = {0};
    char csv[] = "/tmp/run_test_csv_XXXXXX", *options, *text;
    size_t size;

    close(mkstemp(csv));
    options = xformat("--csv %s", csv);
    struct outcome o = lab(HEAD RIGHT SCALE_FLOAT, options);
    cr_assert_eq(o.status, 0, "%s", o.output);
    text = file_load(csv, 1 << 20, &size, &why);
    cr_assert(text, "%s", text_str(&why));
    cr_assert(strstr(text, ",128,32,1,1,"), "%s", text); /* block, grid, items, launches */
    cr_assert(strstr(text, ",counted,"), "%s", text);
    cr_assert(strstr(text, ",128,512,16384,4096,128,512,16384,1024,31744,2097152,0,0,0,0,"), "%s",
              text);
    unlink(csv);
    free(text);
    free(options);
    free(o.output);
}

/* A file that fails a check gets no time in the record. */
Test(run, wrong_results_are_not_timed, .timeout = 60)
{
    struct text why = {0};
    char csv[] = "/tmp/run_test_csv_XXXXXX", *options, *text;
    size_t size;

    close(mkstemp(csv));
    options = xformat("--csv %s", csv);
    struct outcome o =
        lab(HEAD SCALE("if (i < 4096) y[i] = 2 * x[i] + (n == 1000);") SCALE_FLOAT, options);
    cr_assert_eq(o.status, 1);
    text = file_load(csv, 1 << 20, &size, &why);
    cr_assert(text, "%s", text_str(&why));
    cr_assert(strstr(text, ",emulator,,fail,0,,,,"), "%s", text);
    unlink(csv);
    free(text);
    free(options);
    free(o.output);
}
