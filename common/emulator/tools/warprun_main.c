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
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_row {
    const char *name, *variable, *value, *help; /* value: what is to follow, NULL for none */
} options[] = {
    {"--check", "WARPLAB_CHECK", NULL,
     "find races, reads of memory never written, barriers in divergent code, leaks"},
    {"--profile", "WARPLAB_PROFILE", "FILE",
     "write a row a launch and a copy, with counters (CSV, or JSON for .json)"},
    {"--device", "WARPLAB_DEVICE", "NAME",
     "model this GPU: g80, gtx980, a100, h200 (default), or a file's path"},
    {"--threads", "WARPLAB_THREADS", "N", "host threads; 0, the default, for all cores"},
    {"--steps", "WARPLAB_STEPS", "N", "end a launch after N warp instructions; 0 for no limit"},
};
#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static void usage(FILE *out)
{
    fprintf(out, "usage: warprun [options] PROGRAM [ARGS...]\n"
                 "       warprun --support FILE.ptx|PROGRAM\n\n"
                 "Runs a CUDA program built with `nvcc -cudart shared` without a GPU.\n\n");
    for (size_t i = 0; i < NOPTIONS; i++) {
        int n = fprintf(out, "  %s %s", options[i].name, options[i].value ? options[i].value : "");

        fprintf(out, "%*s %s (%s)\n", n < 18 ? 18 - n : 0, "", options[i].help,
                options[i].variable);
    }
    fprintf(out, "  %-16s %s\n", "--support FILE",
            "count the instructions in it: exact, approximate, or not supported");
    fprintf(out, "  %-16s %s\n", "--version", "the version, and where the emulator lies");
    fprintf(out, "  %-16s %s\n", "--help", "this text");
}

static _Noreturn void refuse(const char *format, const char *what)
{
    fprintf(stderr, "warprun: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n");
    exit(127);
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

/* Says so when the emulator cannot take the place of the program's runtime. */
static void look_at(const struct elf *e, const char *path, const char *library)
{
    if (!elf_dynamic(e, DT_NEEDED, "libcudart.so.13")) {
        if (elf_dynamic(e, DT_NEEDED, "libcudart.so"))
            refuse("%s was built with another CUDA version: rebuild it with CUDA 13", path);
        if (elf_find(e, ".nv_fatbin").data)
            refuse("%s has the CUDA runtime linked into it (nvcc's default), where the emulator "
                   "cannot take its place: rebuild with `nvcc -cudart shared`",
                   path);
    }
    if (elf_dynamic(e, DT_RPATH, "")) /* goes before LD_LIBRARY_PATH; a preload goes first */
        prepend("LD_PRELOAD", library);
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
        look_at(&e, path, library); /* a script, say: what it starts finds the emulator */
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

static int version(void)
{
    printf("warprun %s (CUDA 13, %s/libcudart.so.13)\n", RELEASE, library_folder());
    return 0;
}

/* Applies the option at argv[i]; returns how many words it took. */
static int apply(char **argv, int i)
{
    const char *word = argv[i];

    for (size_t k = 0; k < NOPTIONS; k++) {
        const struct option_row *o = &options[k];
        size_t n = strlen(o->name);

        if (strncmp(word, o->name, n) != 0 || (word[n] && word[n] != '='))
            continue;
        if (!o->value) {
            if (word[n])
                refuse("%s takes no value", o->name);
            setenv(o->variable, "1", 1);
            return 1;
        }
        if (word[n] == '=') {
            setenv(o->variable, word + n + 1, 1);
            return 1;
        }
        if (!argv[i + 1])
            refuse("%s: a value is missing", o->name);
        setenv(o->variable, argv[i + 1], 1);
        return 2;
    }
    refuse("no option %s; see warprun --help", word);
}

int main(int argc, char **argv)
{
    int i = 1;

    while (i < argc && argv[i][0] == '-') {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0)
            return version();
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "--support") == 0) {
            if (i + 1 >= argc)
                refuse("%s: a file is missing", argv[i]);
            return support(argv[i + 1]);
        }
        i += apply(argv, i);
    }
    if (i >= argc) {
        usage(stderr);
        return 2;
    }
    char *path = find_in_path(argv[i]);
    prepare(path);
    execv(path, argv + i);
    refuse(errno == ENOENT ? "no program %s" : "cannot run %s", argv[i]);
}
