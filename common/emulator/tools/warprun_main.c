/* warprun - runs a CUDA program on the emulator, the way valgrind runs programs.
 *
 * It sets environment variables and becomes the program: the emulator's folder first in
 * LD_LIBRARY_PATH, a WARPLAB_ variable an option. The emulator lies in ../lib/warplab
 * (installed) or ../lib (built) as seen from this file. A program that holds the CUDA runtime
 * itself (nvcc's default) cannot be reached that way: it is told how to be rebuilt.
 */
#include "release.h"
#include "base/alloc.h"
#include "base/elf.h"
#include "base/file.h"
#include <argp.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NO_PROGRAM = 127,
    OPT_CHECK = 256,
    OPT_PROFILE,
    OPT_DEVICE,
    OPT_DEVICES,
    OPT_THREADS,
    OPT_STEPS,
    OPT_FAIL,
    OPT_RECORD,
    OPT_SUPPORT
};

static const struct argp_option options[] = {
    {"check", OPT_CHECK, 0, 0,
     "Find races, reads of memory never written, barriers in divergent code, leaks "
     "(WARPLAB_CHECK=1 in the environment does the same)",
     1},
    {"profile", OPT_PROFILE, "FILE", 0,
     "Write a row a launch and a copy, with counters: CSV, or JSON for .json (WARPLAB_PROFILE)", 1},
    {"device", OPT_DEVICE, "NAME", 0,
     "Model this GPU: g80, gtx980, a100, h200 (default), or a file's path (WARPLAB_DEVICE)", 1},
    {"devices", OPT_DEVICES, "N", 0, "So many of them, 1 (default) to 16 (WARPLAB_DEVICES)", 1},
    {"threads", OPT_THREADS, "N", 0,
     "Host threads; 0, the default, for all cores (WARPLAB_THREADS)", 1},
    {"steps", OPT_STEPS, "N", 0,
     "End a launch after N warp instructions; 0 for no limit (WARPLAB_STEPS)", 1},
    {"fail", OPT_FAIL, "CALL:N[=ERROR]", 0,
     "Make the N-th call of a function of the runtime fail: cudaMalloc:2; back:N: let the N-th "
     "word copied to the host be wrong, back:slight: a float by a thousandth, back:nan: a "
     "float no number, back:infinite: infinite, back:huge: 1e30, back:sign: with the other sign, "
     "back:small: the one nearest to 0 1 more, back:below: 1 less, back:many: many words, "
     "back:zero: all 0, back:swapped: two in each other's place, back:17=78: these two, "
     "back:17=evened: eight, by errors that make each other up; late: let nothing fail, but do "
     "copies and kernels only where something waits for them; several with commas "
     "(WARPLAB_FAIL)",
     1},
    {"record", OPT_RECORD, "FILE", 0,
     "Write what the program did: calls of each function, bytes copied, memory left, counters "
     "(WARPLAB_RECORD)",
     1},
    {"support", OPT_SUPPORT, "FILE", 0,
     "Count the instructions in it: exact, approximate, or not supported", 2},
    {0}};

/* What stands in the environment for an option. */
static const struct {
    int key;
    const char *name;
} variables[] = {{OPT_CHECK, "WARPLAB_CHECK"},     {OPT_PROFILE, "WARPLAB_PROFILE"},
                 {OPT_DEVICE, "WARPLAB_DEVICE"},   {OPT_DEVICES, "WARPLAB_DEVICES"},
                 {OPT_THREADS, "WARPLAB_THREADS"}, {OPT_STEPS, "WARPLAB_STEPS"},
                 {OPT_FAIL, "WARPLAB_FAIL"},       {OPT_RECORD, "WARPLAB_RECORD"}};

struct words {
    const char *support; /* NULL: run the program */
    char **program;      /* and its arguments */
};

static _Noreturn void refuse(const char *format, const char *what)
{
    fprintf(stderr, "warprun: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n");
    exit(NO_PROGRAM);
}

static char *find_in_path(const char *program)
{
    const char *path = getenv("PATH");

    if (strchr(program, '/') || !path)
        return xstrdup(program);
    for (const char *p = path; *p; p += strcspn(p, ":"), p += *p == ':') {
        char *found = xformat("%.*s/%s", (int)strcspn(p, ":"), p, program);

        if (access(found, X_OK) == 0)
            return found;
        free(found);
    }
    return xstrdup(program);
}

/* ---- the emulator ---- */

/* The folder of libraries beside this program's own. Installed, the library has one for itself:
 * beside others' libraries, every program would take it for NVIDIA's. */
static char *library_folder(void)
{
    char *self = realpath("/proc/self/exe", NULL), *slash;

    if (!self)
        refuse("cannot find its own place: %s", strerror(errno));
    for (int up = 0; up < 2; up++)
        if ((slash = strrchr(self, '/')))
            *slash = '\0';
    char *folder = xformat("%s/lib/warplab", self);
    if (access(folder, X_OK))
        *strrchr(folder, '/') = '\0';
    free(self);
    return folder;
}

static void prepend(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char *text = xformat("%s%s%s", value, old && *old ? ":" : "", old ? old : "");

    setenv(variable, text, 1);
    free(text);
}

/* What stands in for CUDA's libraries, beside the runtime. */
static const char *const libraries[] = {"libcufft.so.12", "libnccl.so.2"};

/* A path of the program's own goes before LD_LIBRARY_PATH; a preload goes first. */
static void preload(const struct elf *e, const char *folder, const char *library)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        if (!elf_dynamic(e, DT_NEEDED, libraries[i]))
            continue;
        char *path = xformat("%s/%s", folder, libraries[i]);
        prepend("LD_PRELOAD", path);
        free(path);
    }
    prepend("LD_PRELOAD", library);
}

/* Says so when the emulator cannot take the place of the program's runtime. */
static void look_at(const struct elf *e, const char *path, const char *folder, const char *library)
{
    if (!elf_dynamic(e, DT_NEEDED, "libcudart.so.13")) {
        if (elf_dynamic(e, DT_NEEDED, "libcudart.so"))
            refuse("%s was built with another CUDA version: rebuild it with CUDA 13", path);
        if (elf_find(e, ".nv_fatbin").data)
            refuse("%s has the CUDA runtime linked into it (nvcc's default), where the emulator "
                   "cannot take its place: rebuild with `nvcc -cudart shared`",
                   path);
    }
    if (elf_dynamic(e, DT_RPATH, ""))
        preload(e, folder, library);
}

static void prepare(const char *path)
{
    char *folder = library_folder(), *library = xformat("%s/libcudart.so.13", folder), *data;
    size_t size;
    struct elf e;

    if (access(library, R_OK))
        refuse("%s is missing: run `make emulator`, or install warplab again", library);
    prepend("LD_LIBRARY_PATH", folder);
    if (!file_read(path, SIZE_MAX, &data, &size) && elf_open(&e, data, size))
        look_at(&e, path, folder, library); /* a script, say: what it starts finds the emulator */
    free(data);
    free(library);
    free(folder);
}

static int support(const char *path)
{
    char *folder = library_folder(), *file = xformat("%s/libcudart.so.13", folder);
    int (*report)(const char *) = NULL;
    void *library = dlopen(file, RTLD_NOW);

    if (library)
        *(void **)&report = dlsym(library, "warplabSupport");
    if (!report)
        refuse("cannot load the emulator: %s", dlerror());
    free(file);
    free(folder);
    return report(path);
}

static void version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "warprun %s (CUDA 13, %s/libcudart.so.13)\n", RELEASE, library_folder());
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case OPT_SUPPORT:
        w->support = arg;
        return 0;
    case ARGP_KEY_ARG: /* what follows is the program's own */
        w->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        argp_err_exit_status = 2;
        if (!w->program && !w->support)
            argp_usage(state);
        return 0;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (variables[i].key == key)
            return setenv(variables[i].name, arg ? arg : "1", 1);
    return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "PROGRAM [ARGS...]\n--support FILE.ptx|PROGRAM",
        "Runs a CUDA program built with `nvcc -cudart shared` without a GPU.",
        0,
        0,
        0};
    struct words w = {0};
    argp_program_version_hook = version;
    argp_err_exit_status = NO_PROGRAM;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &w);
    if (w.support)
        return support(w.support);
    char *path = find_in_path(w.program[0]);
    prepare(path);
    execv(path, w.program);
    if (errno == ENOENT)
        refuse("no program %s", w.program[0]);
    refuse("cannot run %s", xformat("%s: %s", w.program[0], strerror(errno)));
}
