/* labcc_main.c - build/bin/labcc: compiles a lab's .cu as the harness does. */
#include "compile.h"
#include "base/alloc.h"
#include "base/file.h"
#include "lab/machine.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct labcc {
    struct compile_request request;
    const char *output;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write PTX or machine code there (default: FILE.ptx or FILE.cubin)",
     0},
    {"arch", 'a', "ARCH", 0, EMULATOR_ARCH " for PTX (default), sm_90 for machine code", 0},
    {"include", 'I', "DIR", 0, "Look for headers there first", 0},
    {"no-default-includes", 'n', 0, 0, "Only the -I folders, not the course's and the toolkit's",
     0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct labcc *l = state->input;
    struct compile_request *r = &l->request;

    switch (key) {
    case 'o':
        l->output = arg;
        return 0;
    case 'a':
        r->arch = arg;
        return 0;
    case 'I':
        if (r->nincludes == COMPILE_MAX_INCLUDES)
            argp_error(state, "at most %d -I folders", COMPILE_MAX_INCLUDES);
        else
            r->includes[r->nincludes++] = arg;
        return 0;
    case 'n':
        r->no_default_includes = true;
        return 0;
    case ARGP_KEY_ARG:
        if (r->path)
            argp_usage(state);
        r->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!r->path)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static char *default_output(const struct compile_request *r)
{
    const char *base = strrchr(r->path, '/');

    base = base ? base + 1 : r->path;
    const char *dot = strrchr(base, '.');
    return xformat("%.*s.%s", dot ? (int)(dot - base) : (int)strlen(base), base,
                   strncmp(r->arch, "compute", 7) ? "cubin" : "ptx");
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "FILE.cu", "Compiles a lab's device code with NVRTC.", 0, 0, 0};
    struct labcc l = {.request = {.arch = EMULATOR_ARCH, .toolkit = CUDA_INCLUDE}};
    struct compiled c;
    struct text why = {0};

    if (argp_parse(&argp, argc, argv, 0, NULL, &l))
        return 2;
    bool ok = compile_cuda(&l.request, &c);
    fputs(c.log, stderr);
    if (!ok) {
        compiled_free(&c);
        return 1;
    }
    char *output = l.output ? xstrdup(l.output) : default_output(&l.request);
    size_t size = strncmp(l.request.arch, "compute", 7) ? c.size : strlen(c.image);
    ok = file_save(output, c.image, size, &why);
    if (!ok)
        fprintf(stderr, "labcc: %s\n", why.s);
    text_free(&why);
    free(output);
    compiled_free(&c);
    return ok ? 0 : 1;
}
