/* module.c - loads a student's image and finds what a variant needs in it (module.h). */
#include "module.h"
#include "emulator.h"
#include "base/alloc.h"
#include "base/elf.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 8

/* ---- names: PTX has ".entry NAME", machine code a section ".text.NAME" ---- */

static void add_name(char ***names, int *n, const char *name, size_t length)
{
    *names = xrealloc(*names, (size_t)(*n + 1) * sizeof(**names));
    (*names)[(*n)++] = xformat("%.*s", (int)length, name);
}

static int ptx_names(const char *text, char ***names)
{
    int n = 0;

    for (const char *p = strstr(text, ".entry"); p; p = strstr(p, ".entry")) {
        size_t length = 0;

        p += strlen(".entry");
        p += strspn(p, " \t\n");
        while (isalnum((unsigned char)p[length]) || p[length] == '_' || p[length] == '$')
            length++;
        if (length)
            add_name(names, &n, p, length);
    }
    return n;
}

/* What strstr() finds before the end: the rest of a long text is not read for it. */
static const char *within(const char *p, const char *end, const char *what)
{
    return memmem(p, (size_t)(end - p), what, strlen(what));
}

/* Of "(.param .u64 k_param_0, .param .align 4 .b8 k_param_1[8])". */
static char *ptx_parameters(const char *p)
{
    struct text t = {0};
    const char *end = p + strcspn(p, "){");

    while ((p = within(p, end, ".param "))) {
        p += strlen(".param ");
        text_add(&t, *p != '.'                ? "?"
                     : strchr("us", p[1])     ? "u"
                     : !strncmp(p, ".f32", 4) ? "f"
                     : !strncmp(p, ".f64", 4) ? "d"
                                              : "?");
    }
    return text_take(&t);
}

/* In the order of ptx_names(). */
static char **ptx_all_parameters(const char *text, int nkernels)
{
    char **all = xcalloc((size_t)nkernels + 1, sizeof(*all));
    int n = 0;

    for (const char *p = strstr(text, ".entry"); p && n < nkernels; p = strstr(p, ".entry")) {
        p += strlen(".entry");
        all[n++] = ptx_parameters(p);
    }
    return all;
}

/* In the order of ptx_names(). Bytes and 16 bits are in registers of 16. */
static bool *ptx_all_wide(const char *text, int nkernels)
{
    bool *all = xcalloc((size_t)nkernels + 1, sizeof(*all));
    int n = 0;

    for (const char *p = strstr(text, ".entry"), *next; p && n < nkernels; p = next) {
        next = strstr(p + 1, ".entry");
        const char *end = next ? next : p + strlen(p);
        all[n++] = !within(p, end, ".reg .b16") && !within(p, end, "call");
    }
    return all;
}

/* ".global .align 4 .u32 count = 1;", with or without ".visible", on a line of its own. */
static int ptx_variables(const char *text, char ***names)
{
    int n = 0;

    for (const char *line = strstr(text, ".version"); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t head = strcspn(line, "=;\n");

        if (*line != '.' || !within(line, line + head, ".global "))
            continue;
        while (head && strchr(" \t", line[head - 1]))
            head--;
        const char *bracket = memchr(line, '[', head), *end = bracket ? bracket : line + head;
        const char *name = end;
        while (name > line && !strchr(" \t", name[-1]))
            name--;
        if (end > name)
            add_name(names, &n, name, (size_t)(end - name));
    }
    return n;
}

static bool is_ptx(const void *image, size_t size)
{
    return size && !((const char *)image)[size - 1] && strstr(image, ".version");
}

static int elf_names(const struct elf *e, char ***names)
{
    int n = 0;

    for (unsigned i = 0; i < e->nsections; i++) {
        const char *name = elf_section(e, i).name;
        if (!strncmp(name, ".text.", 6) && name[6])
            add_name(names, &n, name + 6, strlen(name + 6));
    }
    return n;
}

int module_names(const void *image, size_t size, char ***names)
{
    struct elf e;

    *names = NULL;
    if (elf_open(&e, image, size))
        return elf_names(&e, names);
    return is_ptx(image, size) ? ptx_names(image, names) : 0;
}

/* ---- loading ---- */

bool module_load(struct module *m, const char *path, const void *image, size_t size,
                 struct text *why)
{
    memset(m, 0, sizeof(*m));
    cudaError_t e = cudaLibraryLoadData(&m->library, image, NULL, NULL, 0, NULL, NULL, 0);
    if (e != cudaSuccess) {
        text_addf(why, "%s: the device cannot load it: %s (%s)", path, cudaGetErrorString(e),
                  cudaGetErrorName(e));
        cudaGetLastError();
        return false;
    }
    m->path = xstrdup(path);
    m->nkernels = module_names(image, size, &m->kernels);
    m->parameters = is_ptx(image, size) ? ptx_all_parameters(image, m->nkernels) : NULL;
    m->wide = is_ptx(image, size) ? ptx_all_wide(image, m->nkernels) : NULL;
    m->nvariables = is_ptx(image, size) ? ptx_variables(image, &m->variables) : 0;
    return true;
}

static void free_names(char **names, int n)
{
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void module_unload(struct module *m)
{
    if (m->library)
        cudaLibraryUnload(m->library);
    if (m->parameters)
        free_names(m->parameters, m->nkernels);
    free(m->wide);
    free_names(m->kernels, m->nkernels);
    free_names(m->variables, m->nvariables);
    free(m->path);
    memset(m, 0, sizeof(*m));
}

/* -1: it is not there. */
static int kernel_at(const struct module *m, const char *kernel)
{
    for (int i = 0; i < m->nkernels; i++) {
        if (!strcmp(m->kernels[i], kernel))
            return i;
    }
    return -1;
}

const char *module_parameters(const struct module *m, const char *kernel)
{
    int at = m->parameters ? kernel_at(m, kernel) : -1;

    return at >= 0 ? m->parameters[at] : NULL;
}

bool module_is_wide(const struct module *m, const char *kernel)
{
    int at = m->wide ? kernel_at(m, kernel) : -1;

    return at >= 0 && m->wide[at];
}

/* ---- variables ---- */

/* Where variable i lies; *bytes is 0 where the runtime knows of none. */
static void *variable(const struct module *m, int i, size_t *bytes)
{
    void *p = NULL;

    *bytes = 0;
    if (cudaLibraryGetGlobal(&p, bytes, m->library, m->variables[i]) == cudaSuccess)
        return p;
    cudaGetLastError();
    return NULL;
}

void *module_state(const struct module *m, size_t *size)
{
    char *state = NULL;
    size_t bytes;

    *size = 0;
    for (int i = 0; i < m->nvariables; i++) {
        const void *p = variable(m, i, &bytes);

        state = xrealloc(state, *size + bytes + 1);
        if (p && cudaMemcpy(state + *size, p, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
            memset(state + *size, 0, bytes);
        *size += bytes;
    }
    return state;
}

void module_set_state(const struct module *m, const void *state)
{
    const char *from = state;
    size_t bytes;

    for (int i = 0; i < m->nvariables; i++, from += bytes) {
        void *p = variable(m, i, &bytes);

        if (p)
            cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice);
    }
}

const char *module_changed(const struct module *m, const void *before, const void *after)
{
    const char *a = before, *b = after;
    size_t bytes;

    for (int i = 0; i < m->nvariables; i++, a += bytes, b += bytes) {
        variable(m, i, &bytes);
        if (memcmp(a, b, bytes) != 0)
            return m->variables[i];
    }
    return NULL;
}

/* ---- kernels ---- */

/* reduce1 is another kernel than reduce3, not a misspelling of it. */
static bool only_digits_differ(const char *a, const char *b)
{
    while (*a && *b && (*a == *b || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* Is it one of the words of known? */
static bool is_known(const char *known, const char *name)
{
    size_t length = strlen(name);

    for (const char *p = known; p && (p = strstr(p, name)); p++) {
        if ((p == known || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
            return true;
    }
    return false;
}

const char *module_like(const struct module *m, const char *name, const char *known)
{
    const char *nearest = NULL;
    unsigned best = TEXT_FAR;

    for (int i = 0; i < m->nkernels; i++) {
        if (!strncmp(m->kernels[i], "_Z", 2) && strstr(m->kernels[i], name))
            return m->kernels[i];
        if (!only_digits_differ(name, m->kernels[i]) && !is_known(known, m->kernels[i]) &&
            text_near(name, m->kernels[i], &best))
            nearest = m->kernels[i];
    }
    return nearest;
}

void module_put_names(const struct module *m, struct text *t)
{
    text_addf(t, "The file has");
    for (int i = 0; i < m->nkernels && i < NAMES_SHOWN; i++)
        text_addf(t, " %s", m->kernels[i]);
    if (m->nkernels > NAMES_SHOWN)
        text_addf(t, " and %d more", m->nkernels - NAMES_SHOWN);
    text_addf(t, ".");
}

void module_put_like(const struct module *m, const char *name, const char *like, struct text *t)
{
    if (!m->nkernels)
        text_addf(t, "; it must be declared KERNEL %s(…) at file level", name);
    else if (like && !strncmp(like, "_Z", 2))
        text_addf(t, "; %s has a C++ name: declare it with KERNEL", like);
    else if (like)
        text_addf(t, ". Did you mean %s?", like);
}

static void missing_kernel(const struct module *m, const char *name, struct text *why)
{
    const char *like = module_like(m, name, NULL);

    text_addf(why, "%s: no kernel \"%s\"", m->path, name);
    module_put_like(m, name, like, why);
    if (!m->nkernels || (like && !strncmp(like, "_Z", 2)))
        return;
    text_add(why, like ? " " : ". ");
    module_put_names(m, why);
}

cudaKernel_t module_kernel(const struct module *m, const char *name, struct text *why)
{
    cudaKernel_t kernel = NULL;

    if (cudaLibraryGetKernel(&kernel, m->library, name) == cudaSuccess && kernel)
        return kernel;
    cudaGetLastError();
    missing_kernel(m, name, why);
    return NULL;
}

bool module_has_kernel(const struct module *m, const char *name)
{
    struct text why = {0};
    bool there = module_kernel(m, name, &why) != NULL;

    text_free(&why);
    return there;
}

char *module_lacks(const struct module *m, const struct lab_variant *v)
{
    char *names = xstrdup(v->kernels ? v->kernels : v->name), *save = NULL, *lacks = NULL;

    if (m->program) /* what its kernels are called is its own */
        *names = '\0';
    for (char *name = strtok_r(names, " ", &save); name && !lacks;
         name = strtok_r(NULL, " ", &save))
        lacks = module_has_kernel(m, name) ? NULL : xstrdup(name);
    free(names);
    return lacks;
}

/* ---- launch records ---- */

enum { RECORD_BYTES = 16 }; /* as in device/warplab.cuh: what a launch_record begins with */

/* The variable's bytes, where it has so many. */
static enum record_state read_global(const struct module *m, const char *variant, const char *what,
                                     void *out, size_t size)
{
    char *symbol = xformat("%s_%s", variant, what);
    void *address = NULL;
    size_t bytes = 0;
    enum record_state state = RECORD_NONE;

    if (!m->program && cudaLibraryGetGlobal(&address, &bytes, m->library, symbol) == cudaSuccess)
        state = bytes == size ? RECORD_GIVEN : RECORD_BAD;
    if (state == RECORD_GIVEN &&
        cudaMemcpy(out, address, size, cudaMemcpyDeviceToHost) != cudaSuccess)
        state = RECORD_BAD;
    cudaGetLastError();
    free(symbol);
    return state;
}

/* A file may have one of the two: what is missing stays 0, "as it comes". */
enum record_state module_given(const struct module *m, const char *variant,
                               struct launch_record *given)
{
    enum record_state launch = read_global(m, variant, "launch", given, RECORD_BYTES);
    enum record_state tensor =
        read_global(m, variant, "tensor", &given->tensor, sizeof(given->tensor));

    if (launch == RECORD_BAD || tensor == RECORD_BAD)
        return RECORD_BAD;
    return tensor == RECORD_GIVEN ? tensor : launch;
}

/* Estimates of registers are off by less than 2, as a rule; with bounds on a block's threads the
 * compiler makes it fit. */
static bool kernel_is_tight(const struct module *m, const char *kernel, int most, int threads)
{
    struct launch_record r = {0};
    struct cudaFuncAttributes a;
    cudaKernel_t k;

    if (module_given(m, kernel, &r) != RECORD_GIVEN ||
        cudaLibraryGetKernel(&k, m->library, kernel) != cudaSuccess ||
        cudaFuncGetAttributes(&a, (const void *)k) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    uint64_t block = (uint64_t)r.block_x * (r.block_y ? r.block_y : 1);
    return a.maxThreadsPerBlock == threads && block <= (uint64_t)threads &&
           2 * block * (uint64_t)a.numRegs >= (uint64_t)most;
}

bool module_is_tight(const struct module *m)
{
    int most = 0, threads = 0;

    if (!emulator_here() || !m->parameters ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxRegistersPerBlock, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess)
        return false;
    for (int i = 0; i < m->nkernels; i++)
        if (kernel_is_tight(m, m->kernels[i], most, threads))
            return true;
    return false;
}

enum record_state module_schedule(const struct module *m, const char *variant, struct schedule *s)
{
    return read_global(m, variant, "schedule", s, sizeof(*s));
}

static bool use_schedule(const struct module *m, const char *variant, struct launch_record *out,
                         struct schedule *s, struct text *why)
{
    switch (module_schedule(m, variant, s)) {
    case RECORD_NONE:
        text_addf(why, "%s: no schedule \"%s\": write SCHEDULE(%s) { … };", m->path, variant,
                  variant);
        return false;
    case RECORD_BAD:
        text_addf(why, "%s: %s_schedule is not %zu bytes: write SCHEDULE(%s) { … };", m->path,
                  variant, sizeof(*s), variant);
        return false;
    case RECORD_GIVEN:
        out->schedule = s;
        break;
    }
    return true;
}

bool module_record(const struct module *m, const struct lab_variant *v, struct launch_record *out,
                   struct schedule *s, struct text *note, struct text *why)
{
    struct launch_record given = {0};

    *out = v->record;
    if (v->has_schedule && !use_schedule(m, v->name, out, s, why))
        return false;
    if (!v->has_record)
        return true;
    switch (module_given(m, v->name, &given)) {
    case RECORD_NONE:
        break; /* the default stands */
    case RECORD_GIVEN:
        record_clamp(v, &given, out, note);
        break;
    case RECORD_BAD:
        text_addf(why, "%s: %s's record is not one: write LAUNCH(%s, block, …)%s", m->path, v->name,
                  v->name, v->has_tensor ? " and TENSOR(…) = {…}" : "");
        return false;
    }
    return true;
}
