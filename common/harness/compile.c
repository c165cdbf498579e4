/* compile.c - a .cu file to PTX or machine code with NVRTC (compile.h).
 *
 * Device-only: host code in the file is never built, let alone run. -default-device makes
 * helper functions without a specifier device functions, as there is no other side.
 */
#include "compile.h"
#include "host_headers.h"
#include "undefined.h"
#include "base/alloc.h"
#include "base/file.h"

#include <dlfcn.h>
#include <glob.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define CTRL_Z          '\x1a'

#define SOURCE_MAX  (4u << 20)
#define OPTIONS_MAX (8 + COMPILE_MAX_INCLUDES + 5)

struct options {
    char *v[OPTIONS_MAX];
    int n;
};

static void add(struct options *o, char *option)
{
    o->v[o->n++] = option;
}

const char *compile_headers(const struct compile_request *r)
{
    const char *named = getenv("WARPLAB_CUDA_INCLUDE");

    return named ? named : r->toolkit;
}

static void add_default_includes(struct options *o, const char *cuda)
{
    add(o, xformat("-I%s/common/device", course_root()));
    if (cuda) {
        add(o, xformat("-I%s", cuda));
        add(o, xformat("-I%s/cccl", cuda));
    }
    add(o, xformat("-I%s/common/device/std", course_root()));
}

static struct options options_of(const struct compile_request *r, bool minimal)
{
    struct options o = {0};

    add(&o, xstrdup("-std=c++20"));
    add(&o, xstrdup("-lineinfo"));
    add(&o, xstrdup("-default-device"));
    add(&o, xformat("-arch=%s", r->arch));
    if (minimal)
        add(&o, xstrdup("-minimal"));
    if (r->quick)
        add(&o, xstrdup("--Ofast-compile=max"));
    for (int i = 0; i < r->nincludes && i < COMPILE_MAX_INCLUDES; i++)
        add(&o, xformat("-I%s", r->includes[i]));
    if (!r->no_default_includes)
        add_default_includes(&o, compile_headers(r));
    return o;
}

/* NVRTC writes "file(12): error: …"; editors and people look for "file:12: error: …". */
char *compile_readable(const char *log)
{
    char *out = xzalloc(strlen(log) + 1), *w = out;

    while (*log) {
        size_t line = strcspn(log, "\n");
        size_t open = strcspn(log, "(\n");
        size_t digits = open < line ? strspn(log + open + 1, "0123456789") : 0;

        if (digits && !strncmp(log + open + 1 + digits, "): ", 3)) {
            w += sprintf(w, "%.*s:%.*s", (int)open, log, (int)digits, log + open + 1);
            log += open + digits + 2;
            line -= open + digits + 2;
        }
        memcpy(w, log, line);
        w += line;
        log += line;
        if (*log)
            *w++ = *log++;
    }
    *w = '\0';
    return out;
}

/* What says that a function stands inside another: where one before it has no end. */
static char *with_advice(char *log)
{
    static const char *const inside[] = {"linkage specification is not allowed",
                                         "a __global__ function or function template cannot",
                                         "a function-definition is not allowed here"};

    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        const char *at = strstr(log, inside[i]), *line = at, *end;

        if (!at)
            continue;
        while (line > log && line[-1] != '\n')
            line--;
        end = at + strcspn(at, "\n");
        char *told = xformat("%.*s\n    it stands inside another function or block: is a } missing "
                             "before this line?%s",
                             (int)(end - log), log, end);
        free(log);
        return told;
    }
    return log;
}

/* A header that only host code has, after the compiler's words. */
static char *with_header_advice(char *log)
{
    static const char found[] = "cannot open source file \"";
    char *at = strstr(log, found), *name, *told;

    if (!at)
        return log;
    name = at + strlen(found);
    const char *advice = host_header(name, strcspn(name, "\"\n"));
    if (!advice)
        return log;
    char *end = at + strcspn(at, "\n");
    told = xformat("%.*s\n    <%.*s> is a header of host code, of which a kernel can call nothing: "
                   "%s%s",
                   (int)(end - log), log, (int)strcspn(name, "\"\n"), name, advice, end);
    free(log);
    return told;
}

static char *program_log(nvrtcProgram program)
{
    size_t size = 0;

    if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || !size)
        return xstrdup("");
    char *raw = xzalloc(size + 1);
    nvrtcGetProgramLog(program, raw);
    char *log = with_header_advice(with_advice(compile_readable(raw)));
    free(raw);
    return log;
}

static bool take_image(nvrtcProgram program, bool ptx, struct compiled *out)
{
    nvrtcResult r =
        ptx ? nvrtcGetPTXSize(program, &out->size) : nvrtcGetCUBINSize(program, &out->size);

    if (r != NVRTC_SUCCESS || !out->size)
        return false;
    out->image = xzalloc(out->size + 1);
    r = ptx ? nvrtcGetPTX(program, out->image) : nvrtcGetCUBIN(program, out->image);
    return r == NVRTC_SUCCESS;
}

/* As ptxas has it: PTX is not linked with anything. */
static bool all_defined(const struct compile_request *r, struct compiled *out)
{
    char *name = undefined_function(out->image);

    if (!name)
        return true;
    free(out->image);
    free(out->log);
    out->image = NULL;
    out->log =
        xformat("%s: error: %s is called and not defined: a lab's file is linked with nothing, "
                "so that kernels launch no kernels and the runtime copies nothing for them\n",
                r->path, name);
    free(name);
    return false;
}

/* NVRTC opens libnvrtc-builtins by name alone, which fails where it is in no path of the
 * loader's, as with the PyPI packages. Opened here, from beside libnvrtc, it is found. */
static void open_builtins(void)
{
    static bool done;
    Dl_info nvrtc;
    glob_t found;

    if (done || !dladdr((void *)nvrtcVersion, &nvrtc) || !strrchr(nvrtc.dli_fname, '/'))
        return;
    done = true;
    char *pattern =
        xformat("%.*s/libnvrtc-builtins.so.[0-9]*",
                (int)(strrchr(nvrtc.dli_fname, '/') - nvrtc.dli_fname), nvrtc.dli_fname);
    if (!glob(pattern, 0, NULL, &found))
        dlopen(found.gl_pathv[found.gl_pathc - 1], RTLD_NOW);
    globfree(&found);
    free(pattern);
}

/* As an editor on any system saves it: without the marks at its start (two, where a file was put
 * behind another's) and DOS's Ctrl-Z at its end, and with lines that end in a line feed, so that
 * NVRTC counts them as people do. */
static void plain_text(char *source)
{
    const char *from = source;
    char *to = source, *end = source + strlen(source);

    while (!strncmp(from, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
        from += strlen(BYTE_ORDER_MARK);
    while (end > from && end[-1] == CTRL_Z)
        *--end = '\0';

    for (; *from; from++) {
        if (*from != '\r')
            *to++ = *from;
        else if (from[1] != '\n')
            *to++ = '\n';
    }
    *to = '\0';
}

/* One try. Minimal: NVRTC reads no declarations of textures, surfaces and the device runtime,
 * which hardly a file needs; what it makes of the others is the same. */
static bool compile_source(const struct compile_request *r, const char *source, bool minimal,
                           struct compiled *out)
{
    nvrtcProgram program;
    nvrtcResult result = nvrtcCreateProgram(&program, source, r->path, 0, NULL, NULL);

    if (result != NVRTC_SUCCESS) {
        out->log = xformat("%s: NVRTC: %s", r->path, nvrtcGetErrorString(result));
        return false;
    }
    struct options o = options_of(r, minimal);
    result = nvrtcCompileProgram(program, o.n, (const char *const *)o.v);
    out->log = program_log(program);
    if (result == NVRTC_SUCCESS && !take_image(program, !strncmp(r->arch, "compute", 7), out))
        result = NVRTC_ERROR_INTERNAL_ERROR;
    if (result != NVRTC_SUCCESS && !out->log[0]) {
        free(out->log);
        out->log = xformat("%s: NVRTC: %s", r->path, nvrtcGetErrorString(result));
    }
    for (int i = 0; i < o.n; i++)
        free(o.v[i]);
    nvrtcDestroyProgram(&program);
    return result == NVRTC_SUCCESS && (strncmp(r->arch, "compute", 7) || all_defined(r, out));
}

/* CUB and libcu++ name types of the runtime: a first try would be in vain. */
static bool may_be_minimal(const char *source)
{
    return !strstr(source, "<cub/") && !strstr(source, "<cuda/");
}

bool compile_source_text(const struct compile_request *r, const char *source, struct compiled *out)
{
    memset(out, 0, sizeof(*out));
    open_builtins();
    return compile_source(r, source, may_be_minimal(source), out);
}

/* In a process of its own: what it made, to a file. */
static void compile_apart(const struct compile_request *r, const char *source, int seconds,
                          FILE *to)
{
    struct rlimit limit;
    struct compiled c;

    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = (rlim_t)seconds;
    setrlimit(RLIMIT_CPU, &limit);
    bool ok = compile_source_text(r, source, &c);
    if (ok)
        fwrite(c.image, 1, c.size, to);
    else
        fputs(c.log, to);
    fflush(to);
    _exit(ok ? 0 : 1);
}

bool compile_source_within(const struct compile_request *r, const char *source, int seconds,
                           struct compiled *out)
{
    FILE *made = tmpfile();
    int status = 0;

    memset(out, 0, sizeof(*out));
    pid_t child = made ? fork() : -1;
    if (!child)
        compile_apart(r, source, seconds, made);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        if (made)
            fclose(made);
        return compile_source_text(r, source, out);
    }
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) <= 1, ok = ended && !WEXITSTATUS(status);
    fseek(made, 0, SEEK_END);
    size_t size = (size_t)ftell(made);
    char *text = xzalloc(size + 1);
    rewind(made);
    ok = fread(text, 1, size, made) == size && ok;
    fclose(made);
    out->image = ok ? text : NULL;
    out->size = ok ? size : 0;
    out->log = ok ? xstrdup("") : text;
    out->late = !ended;
    return ok;
}

/* False, with the log: no machine code comes of it. */
static bool put_registers(const struct compile_request *r, const char *source, struct compiled *out)
{
    struct compile_request again = *r;
    struct compiled c = {0};
    char *arch = xformat("sm%s", r->arch + strcspn(r->arch, "_"));

    again.arch = arch;
    if (compile_source(&again, source, false, &c)) {
        char *told = compiled_registers(c.image, c.size);
        size_t length = strlen(told);
        told = xrealloc(told, length + out->size);
        memcpy(told + length, out->image, out->size);
        free(out->image);
        out->image = told;
        out->size += length;
    } else {
        free(out->log);
        out->log = xstrdup(c.log);
    }
    bool ok = c.image != NULL;
    compiled_free(&c);
    free(arch);
    return ok;
}

bool compile_cuda(const struct compile_request *r, struct compiled *out)
{
    struct text why = {0};
    size_t size;
    char *source = file_load(r->path, SOURCE_MAX, &size, &why);

    memset(out, 0, sizeof(*out));
    if (!source || strlen(source) != size) {
        const char *encoding = source ? text_encoding(source, size) : NULL;
        if (encoding)
            text_addf(&why, "%s: is %s, which no CUDA compiler reads: save it as UTF-8", r->path,
                      encoding);
        else if (source)
            text_addf(&why, "%s: holds a NUL byte: not a text file", r->path);
        out->log = text_take(&why);
        free(source);
        return false;
    }
    plain_text(source);
    bool ok = compile_source_text(r, source, out);
    if (!ok && may_be_minimal(source)) {
        compiled_free(out);
        ok = compile_source(r, source, false, out);
    }
    if (ok && r->registers)
        ok = put_registers(r, source, out);
    free(source);
    return ok;
}

void compiled_free(struct compiled *c)
{
    free(c->image);
    free(c->log);
    memset(c, 0, sizeof(*c));
}
