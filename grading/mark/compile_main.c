/* compile_main.c - the compiler in the box: source on standard input, image on standard output.
 *
 * argv: the file's name in messages, the architecture. The answer is struct cc_reply, the
 * image, the log. Compilation is the harness's own (compile.h); limits are the box's.
 */
#include "harness/compile.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/lex.h"
#include "session.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_input(size_t *length)
{
    char *s;
    int e = file_read_fd(0, SIZE_MAX / 2, &s, length);
    if (e)
        die("cannot read the source: %s", strerror(e));
    return s;
}

static void put(int fd, const void *data, size_t n)
{
    if (file_write_fd(fd, data, n))
        _exit(3);
}

/* ---- what is not the same each time ---- */
/* Is it __TIME__ or __DATE__, or a part of one that nobody needs but who puts it together? A single
 * underscore is one where words are put together. */
static bool is_of_time(const struct token *t, bool joins)
{
    if (!memchr(t->s, '_', (size_t)t->n) || (t->n == 1 && !joins))
        return false;
    char *name = xformat("%.*s", t->n, t->s);
    bool part = strstr("__TIME__", name) || strstr("__DATE__", name);
    free(name);
    return part;
}
static bool names_time(const char *source)
{
    char *text = joined(source);
    struct list l = lex(text);
    bool joins = false, found = false;
    for (int i = 0; i + 1 < l.n; i++)
        joins |= is(&l.v[i], "#") && is(&l.v[i + 1], "#");
    for (int i = 0; i < l.n && !found; i++)
        found = is_name(&l.v[i]) && is_of_time(&l.v[i], joins);
    free(l.v);
    free(text);
    return found;
}
static void refuse(struct compiled *c)
{
    static const char why[] = "error: __TIME__ and __DATE__ are not the same each time that this "
                              "is compiled, and no result may hang on them: leave them out\n";
    char *log = xformat("%s%s", c->log, why);
    free(c->log);
    c->log = log;
}

static bool whole_program; /* host code too: run/program.h */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct compile_request *r = state->input;
    if (key == ARGP_KEY_ARG && state->arg_num == 0 && !strchr(arg, '/'))
        r->path = arg;
    else if (key == ARGP_KEY_ARG && state->arg_num == 1)
        r->arch = arg;
    else if (key == ARGP_KEY_ARG && state->arg_num == 2 && !strcmp(arg, "program"))
        whole_program = true;
    else if (key == ARGP_KEY_ARG && state->arg_num == 2 && !strcmp(arg, "registers"))
        r->registers = true;
    else if (key == ARGP_KEY_ARG || (key == ARGP_KEY_END && !r->arch))
        argp_usage(state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "NAME ARCH [program|registers]",
    .doc = "Compiles the source on standard input for ARCH. The answer on standard output is for "
           "the grader. NAME is the file's in messages, without a folder; \"program\": host code, "
           "too, with nvcc; \"registers\": PTX that says what kernels need in machine code."};

/* Findings name the source with its folder. In a box /tmp is empty, and the name always the same;
 * without one (practice) somebody may work there already. */
static const char *own_folder(void)
{
    static char unique[] = "/tmp/gradeXXXXXX";
    return mkdir("/tmp/grade", 0700) == 0 ? "/tmp/grade" : mkdtemp(unique);
}

int main(int argc, char **argv)
{
    struct compile_request request = {.path = NULL};
    struct text why = {0};
    size_t length;
    int out = fcntl(1, F_DUPFD_CLOEXEC, 10);
    if (argp_parse(&argp, argc, argv, 0, NULL, &request))
        return 2;
    dup2(2, 1); /* nothing else may write into the answer */
    char *source = read_input(&length);
    const char *folder = own_folder();
    if (!folder || chdir(folder) || !file_save(request.path, source, length, &why))
        die("cannot keep the source in /tmp: %s", text_str(&why));
    struct compiled c;
    setenv("SOURCE_DATE_EPOCH", "0", 1); /* a program may say when it was compiled */
    bool ok = whole_program ? compile_program(&request, &c) : compile_cuda(&request, &c);
    if (ok && !whole_program && names_time(source)) {
        refuse(&c);
        ok = false;
    }
    struct cc_reply r = {.magic = CC_MAGIC,
                         .ok = ok,
                         .image_bytes = ok ? (uint32_t)c.size : 0,
                         .log_bytes = (uint32_t)strlen(c.log)};
    put(out, &r, sizeof(r));
    put(out, c.image, r.image_bytes);
    put(out, c.log, r.log_bytes);
    unlink(request.path);
    rmdir(folder);
    _exit(0);
}
