/* warprun - runs a CUDA program on the emulator, the way valgrind runs programs.
 *
 * It sets environment variables and becomes the program: the emulator's folder first in
 * LD_LIBRARY_PATH, a WARPLAB_ variable an option. The emulator lies in ../lib as seen
 * from this file. A program that holds the CUDA runtime itself (nvcc's default) cannot be
 * reached that way: it is told how to be rebuilt.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
#define NOPTIONS (sizeof options / sizeof options[0])

static void usage(FILE *out)
{
    fprintf(out, "usage: warprun [options] PROGRAM [ARGS...]\n"
                 "       warprun --support FILE.ptx|PROGRAM\n\n"
                 "Runs a CUDA program built with `nvcc -cudart shared` without a GPU.\n\n");
    for (size_t i = 0; i < NOPTIONS; i++) {
        char left[40];

        snprintf(left, sizeof left, "%s %s", options[i].name,
                 options[i].value ? options[i].value : "");
        fprintf(out, "  %-16s %s (%s)\n", left, options[i].help, options[i].variable);
    }
    fprintf(out, "  %-16s %s\n", "--support FILE",
            "count the instructions in it: exact, approximate, or not supported");
    fprintf(out, "  %-16s %s\n", "--help", "this text");
}

static void die(const char *format, const char *what)
{
    fprintf(stderr, "warprun: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n");
    exit(127);
}

/* ---- what kind of program it is ---- */

struct elf {
    const uint8_t *data;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
};

static bool elf_open(const char *path, struct elf *e)
{
    struct stat st;
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return false;
    }
    e->size = (size_t)st.st_size;
    e->data = mmap(NULL, e->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (e->data == MAP_FAILED)
        return false;
    e->header = (const Elf64_Ehdr *)e->data;
    e->sections = (const Elf64_Shdr *)(e->data + e->header->e_shoff);
    return memcmp(e->data, ELFMAG, SELFMAG) == 0 && e->data[EI_CLASS] == ELFCLASS64 &&
           e->header->e_shentsize == sizeof(Elf64_Shdr) && e->header->e_shoff < e->size &&
           e->header->e_shnum <= (e->size - e->header->e_shoff) / sizeof(Elf64_Shdr) &&
           e->header->e_shstrndx < e->header->e_shnum;
}

/* Section i's bytes; NULL when it is not wholly in the file. */
static const void *section_data(const struct elf *e, size_t i)
{
    const Elf64_Shdr *s = &e->sections[i];

    if (i >= e->header->e_shnum || s->sh_offset > e->size || s->sh_size > e->size - s->sh_offset)
        return NULL;
    return e->data + s->sh_offset;
}

static bool has_section(const struct elf *e, const char *name)
{
    size_t names = e->header->e_shstrndx, room = e->sections[names].sh_size;
    const char *text = section_data(e, names);

    for (size_t i = 0; text && i < e->header->e_shnum; i++) {
        size_t at = e->sections[i].sh_name;

        if (at < room && strncmp(text + at, name, room - at) == 0)
            return true;
    }
    return false;
}

/* The value-th string of the dynamic section's entries with this tag that starts so. */
static bool has_dynamic(const struct elf *e, Elf64_Sxword tag, const char *prefix)
{
    for (size_t i = 0; i < e->header->e_shnum; i++) {
        const Elf64_Shdr *s = &e->sections[i];
        const Elf64_Dyn *d = section_data(e, i);
        const char *strings = section_data(e, s->sh_link);

        if (s->sh_type != SHT_DYNAMIC || !d || !strings)
            continue;
        for (size_t k = 0; k < s->sh_size / sizeof *d; k++)
            if (d[k].d_tag == tag && d[k].d_un.d_val < e->sections[s->sh_link].sh_size &&
                strncmp(strings + d[k].d_un.d_val, prefix, strlen(prefix)) == 0)
                return true;
    }
    return false;
}

static char *find_in_path(const char *program)
{
    const char *path = getenv("PATH");
    char *found = malloc(4096);

    if (!found)
        exit(127);
    if (strchr(program, '/') || !path) {
        snprintf(found, 4096, "%s", program);
        return found;
    }
    for (const char *p = path; *p; p += strcspn(p, ":"), p += *p == ':') {
        snprintf(found, 4096, "%.*s/%s", (int)strcspn(p, ":"), p, program);
        if (access(found, X_OK) == 0)
            return found;
    }
    snprintf(found, 4096, "%s", program);
    return found;
}

/* ---- the emulator ---- */

static void find_library(char *folder, size_t size)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (n <= 0)
        die("cannot find its own place: %s", strerror(errno));
    self[n] = '\0';
    slash = strrchr(self, '/');
    *slash = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(folder, size, "%s/lib", self);
}

static void prepend(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char text[16384];

    snprintf(text, sizeof text, "%s%s%s", value, old && *old ? ":" : "", old ? old : "");
    setenv(variable, text, 1);
}

static void prepare(const char *path)
{
    char folder[4200], library[4300];
    struct elf e;

    find_library(folder, sizeof folder);
    snprintf(library, sizeof library, "%s/libcudart.so.13", folder);
    if (access(library, R_OK))
        die("%s is missing: run `make emulator`", library);
    prepend("LD_LIBRARY_PATH", folder);
    if (!elf_open(path, &e))
        return; /* a script, say: what it starts finds the emulator */
    if (!has_dynamic(&e, DT_NEEDED, "libcudart.so.13")) {
        if (has_dynamic(&e, DT_NEEDED, "libcudart.so"))
            die("%s was built with another CUDA version: rebuild it with CUDA 13", path);
        if (has_section(&e, ".nv_fatbin"))
            die("%s has the CUDA runtime linked into it (nvcc's default), where the emulator "
                "cannot take its place: rebuild with `nvcc -cudart shared`",
                path);
    }
    if (has_dynamic(&e, DT_RPATH, "")) /* goes before LD_LIBRARY_PATH; a preload goes first */
        prepend("LD_PRELOAD", library);
}

static int support(const char *path)
{
    char folder[4200];

    int (*report)(const char *) = NULL;
    void *library;

    find_library(folder, sizeof folder);
    strncat(folder, "/libcudart.so.13", sizeof folder - strlen(folder) - 1);
    library = dlopen(folder, RTLD_NOW);
    if (library)
        *(void **)&report = dlsym(library, "warplabSupport");
    if (!report)
        die("cannot load the emulator: %s", dlerror());
    return report(path);
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
                die("%s takes no value", o->name);
            setenv(o->variable, "1", 1);
            return 1;
        }
        if (word[n] == '=') {
            setenv(o->variable, word + n + 1, 1);
            return 1;
        }
        if (!argv[i + 1])
            die("%s: a value is missing", o->name);
        setenv(o->variable, argv[i + 1], 1);
        return 2;
    }
    die("no option %s; see warprun --help", word);
    return 0;
}

int main(int argc, char **argv)
{
    int i = 1;

    while (i < argc && argv[i][0] == '-') {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "--support") == 0) {
            if (i + 1 >= argc)
                die("%s: a file is missing", argv[i]);
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
    die(errno == ENOENT ? "no program %s" : "cannot run %s", argv[i]);
}
