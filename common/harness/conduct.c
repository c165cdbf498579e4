/* conduct.c - what a whole program does, by the runtime's record (diagnosing.h). */
#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"
#include "diagnosing.h"
#include "lab/dataset.h"
#include "lab/plan.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double recorded(const struct outputs *o, const char *name)
{
    double value = 0;

    return record_value(o, name, &value) ? value : 0;
}

/* Memory that a kernel may use where the host does: nothing need be copied. */
static bool shares_memory(const struct outputs *o)
{
    static const char *const calls[] = {"cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc",
                                        "cudaHostRegister", "cudaMallocFromPoolAsync"};
    bool shares = false;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        char *name = xformat("calls.%s", calls[i]);
        shares |= recorded(o, name) > 0;
        free(name);
    }
    return shares;
}

static double result_bytes(const struct plan *p)
{
    double bytes = 0;

    for (int b = 0; b < p->nbuffers; b++)
        bytes += p->buffers[b].role == BUF_OUTPUT ? (double)plan_buffer_bytes(p, b) : 0;
    return bytes;
}

/* What the runtime, or the program, has said of a call of its own is the cause; else what it has
 * left out, by the runtime's record. */
bool by_conduct(struct search *s, const struct lab_case *c)
{
    struct sample sample;

    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    const struct outputs *o = &sample.outputs;
    const char *said = o->said ? o->said + strspn(o->said, " \n") : "";
    bool call = !strncmp(said, "warplab: ", 9) || !strncmp(said, "cuda", 4);
    bool known = o->record && *o->record && elements_of(s, c), shares = known && shares_memory(o);

    if (call)
        s->d->cause = "call";
    else if (known && recorded(o, "launches") < 1)
        diagnosis_add(s->d, "launches", "it launches no kernel");
    else if (known && !shares && recorded(o, "memcpyHtoD") < 1)
        diagnosis_add(s->d, "copies", "it copies nothing to the device (cudaMemcpyHostToDevice)");
    else if (known && !shares && recorded(o, "memcpyDtoH") < 1)
        diagnosis_add(s->d, "copies", "it copies nothing back (cudaMemcpyDeviceToHost)");
    else if (known && !shares && recorded(o, "memcpyDtoH") < result_bytes(&sample.plan))
        diagnosis_add(s->d, "copies", "it copies %.0f bytes back, of %.0f",
                      recorded(o, "memcpyDtoH"), result_bytes(&sample.plan));
    sample_free(&sample);
    return s->d->cause;
}

/* ---- a copy that is too short ---- */

enum { COPIES = 16 };

/* Of the arrays among the inputs, those with a bit in `which`; a number or two are a kernel's
 * arguments. */
static double input_bytes(const struct plan *p, unsigned which)
{
    double bytes = 0;
    int n = 0;

    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role == BUF_INPUT && p->buffers[b].count > 2 && which >> n++ & 1)
            bytes += (double)plan_buffer_bytes(p, b);
    }
    return bytes;
}

/* Are so many bytes some of the inputs, whole? Then a copy is missing, and none is too short. */
static bool is_some_inputs(const struct plan *p, double bytes)
{
    bool is = false;

    for (unsigned which = 0; which < 1u << p->nbuffers && p->nbuffers < COPIES; which++)
        is |= bytes == input_bytes(p, which);
    return is;
}

/* Of calls cudaMemcpy(a, b, size, cudaMemcpyHostToDevice) in the file, the words of `size`; how
 * many there are. */
static int copies_in(const struct scan *s, int from[COPIES], int to[COPIES])
{
    int n = 0;

    for (int i = 0; i < s->n && n < COPIES; i++) {
        bool call =
            word_is_any(s, i, (const char *const[]){"cudaMemcpy", "cudaMemcpyAsync", NULL}) &&
            word_is(s, i + 1, "(");
        int close = call ? word_match(s, i + 1, 1) : -1, commas = 0, depth = 0;
        bool there = false;

        for (int k = i + 2; k < close; k++) {
            depth += word_is(s, k, "(") - word_is(s, k, ")");
            there |= word_is(s, k, "cudaMemcpyHostToDevice");
            if (!depth && word_is(s, k, ",") && ++commas == 2)
                from[n] = k + 1;
            else if (!depth && word_is(s, k, ",") && commas == 3)
                to[n] = k - 1;
        }
        n += there && commas >= 3 && from[n] <= to[n];
    }
    return n;
}

static bool names_bytes(const char *size)
{
    return strstr(size, "sizeof") || strstr(size, "byte") || strchr(size, '*');
}

/* The one whose size is told otherwise than all others', which are alike; -1: there is none. */
static int odd_copy(char *const *size, int n)
{
    for (int odd = 0; odd < n && n > 1; odd++) {
        bool alike = true;

        for (int k = 0; k < n; k++)
            alike &= k == odd ? strcmp(size[k], size[odd ? 0 : 1]) != 0
                              : !strcmp(size[k], size[odd ? 0 : 1]);
        if (alike && (n > 2 || names_bytes(size[!odd])) && !names_bytes(size[odd]))
            return odd;
    }
    return -1;
}

static void tell_odd_copy(struct search *s)
{
    struct scan scan = {0};
    int from[COPIES], to[COPIES];
    char *size[COPIES];

    scan_split(&scan, s->x->source);
    int n = copies_in(&scan, from, to);
    for (int i = 0; i < n; i++)
        size[i] = words_text(&scan, from[i], to[i]);
    int odd = odd_copy(size, n), line = 1;
    for (size_t k = 0; odd >= 0 && k < scan.v[from[odd]].at; k++)
        line += scan.text[k] == '\n';
    if (odd >= 0)
        diagnosis_add(s->d, NULL,
                      "%s:%d: this copy to the device has \"%s\" for its size in bytes, where "
                      "\"%s\" stands elsewhere",
                      s->path, line, size[odd], size[!odd]);
    for (int i = 0; i < n; i++)
        free(size[i]);
    free(scan.text);
    scan_close(&scan);
}

/* What was read and never written is not for want of a copy: fewer bytes were copied than the
 * inputs have. */
bool by_short_copy(struct search *s, const struct lab_case *c)
{
    struct sample sample;

    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    const struct outputs *o = &sample.outputs;
    bool known = o->record && *o->record && !shares_memory(o);
    double copied = known ? recorded(o, "memcpyHtoD") : 0, all = input_bytes(&sample.plan, ~0u);
    bool is_short = copied > 0 && copied < all && !is_some_inputs(&sample.plan, copied);
    sample_free(&sample);
    if (!is_short)
        return false;
    diagnosis_add(s->d, NULL,
                  "%.0f bytes were copied to the device in all, of %.0f that the inputs have%s",
                  copied, all,
                  4 * copied == all ? ": is a size told in elements, where it counts bytes?" : "");
    if (s->x->source)
        tell_odd_copy(s);
    return true;
}

/* "first_program.cu:164" of an address of the program that ran; NULL: it is not known. For free().
 */
static char *line_of(const struct module *m, unsigned long offset)
{
    struct text said = {0}, ignored = {0};
    char *folder = m->program ? make_temporary_dir() : NULL,
         *file = folder ? xformat("%s/program", folder) : NULL, *at = xformat("0x%lx", offset),
         *line = NULL;
    char *argv[] = {"addr2line", "-e", file, at, NULL};

    if (file && file_write(file, m->program, m->program_size) == 0 &&
        call_program(argv, false, &said, &ignored) == 0) {
        char *name = said.s ? strrchr(said.s, '/') : NULL;
        size_t n = name ? strcspn(name, " \n") : 0;

        if (n > 1 && !memchr(name, '?', n))
            line = xformat("%.*s", (int)(n - 1), name + 1);
    }
    if (file)
        unlink(file);
    if (folder)
        rmdir(folder);
    text_free(&said);
    text_free(&ignored);
    free(folder);
    free(file);
    free(at);
    return line;
}

/* It ended by touching memory that is not there: where, the runtime has said. */
bool by_crash(struct search *s, const struct lab_case *c)
{
    static const char at[] = "that was at +0x";
    struct sample sample;

    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    const char *said = sample.outputs.said ? strstr(sample.outputs.said, at) : NULL;
    char *line = said ? line_of(s->x->verify->module, strtoul(said + strlen(at), NULL, 16)) : NULL;
    const char *file = strrchr(s->path, '/'), *colon = line ? strchr(line, ':') : NULL;
    bool own = colon && !strncmp(line, file ? file + 1 : s->path, (size_t)(colon - line));
    if (line)
        diagnosis_add(s->d, "crash",
                      "%s%s: that was here: a pointer or an index that leads to no memory (or a "
                      "loop's bound, where there is nothing)",
                      own ? s->path : "", own ? colon : line);
    free(line);
    sample_free(&sample);
    return s->d->cause;
}

/* The first output holds what an input held. */
static bool is_an_input(const struct search *s, const struct sample *r)
{
    const struct plan *p = &r->plan;
    struct dataset d = {0};
    bool same = false;
    int out = 0;

    while (out < p->nbuffers && p->buffers[out].role != BUF_OUTPUT)
        out++;
    if (out == p->nbuffers || !r->outputs.data[out])
        return false;
    dataset_make(&d, s->x->verify->lab, p, &r->input, s->x->verify->seed);
    for (int b = 0; b < p->nbuffers; b++)
        same |= p->buffers[b].role == BUF_INPUT &&
                plan_buffer_bytes(p, b) == plan_buffer_bytes(p, out) &&
                !memcmp(d.data[b], r->outputs.data[out], plan_buffer_bytes(p, out));
    dataset_free(&d);
    return same;
}

/* The kernels stored as much as the result is, and it is an input's. */
void by_other_array(struct search *s, const struct lab_case *c)
{
    struct sample sample;

    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    const struct outputs *o = &sample.outputs;
    double stored = o->counted ? (double)o->counters.global_st_bytes : 0;

    if (stored >= result_bytes(&sample.plan) && stored > 0 && is_an_input(s, &sample))
        diagnosis_add(s->d, NULL,
                      "the kernel has stored %.0f bytes, and none of what was copied back: does it "
                      "store to another array than that (are the arguments of the launch in the "
                      "parameters' order)?",
                      stored);
    sample_free(&sample);
}
