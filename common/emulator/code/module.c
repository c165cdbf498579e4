/* module.c - loaded PTX modules: their functions, and storage for their variables. */
#include "code.h"
#include "emulator/base/mem.h"
#include "emulator/base/occupancy.h"
#include "emulator/base/profile.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_BASE (5ull << 48) /* addresses of functions: no memory is there */

struct emu_module *emu_modules;
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t next_function = FUNCTION_BASE;

/* ---- functions ---- */
static void lay_out_params(struct emu_func *f)
{
    const struct ptx_func *p = f->ptx;
    uint64_t at = 0;
    f->param_offset = xcalloc(p->nparams + 1, 4);
    f->param_size = xcalloc(p->nparams + 1, 4);
    for (uint32_t k = 0; k < p->nparams; k++) {
        struct ptx_var *v = p->params[k];
        uint32_t align = v->align ? v->align : v->elem ? v->elem : 1;
        at = ROUND_UP(at, (uint64_t)align);
        v->address = at;
        f->param_offset[k] = (uint32_t)at;
        f->param_size[k] = (uint32_t)v->size;
        at += v->size;
    }
    f->info.nparams = p->nparams;
    f->info.param_bytes = (uint32_t)at;
    f->info.param_offset = f->param_offset;
    f->info.param_size = f->param_size;
}
static uint64_t threads_of(const uint32_t ntid[3])
{
    uint64_t n = 1;
    for (int k = 0; k < 3; k++)
        n *= ntid[k] ? ntid[k] : 1;
    return n;
}
static struct emu_func *func_new(struct emu_module *m, struct ptx_func *p, uint32_t version)
{
    const struct device_profile *d = device_profile();
    struct emu_func *f = xcalloc(1, sizeof(*f));
    f->module = m;
    f->ptx = p;
    f->index = m->nfuncs;
    f->address = atomic_fetch_add(&next_function, 16);
    f->info.name = p->name;
    f->info.registers_estimated = true;
    f->info.ptx_version = version;
    f->info.max_threads = d->max_threads_per_block;
    if (p->maxntid[0]) {
        uint64_t n = threads_of(p->maxntid);
        f->info.max_threads = n < f->info.max_threads ? (uint32_t)n : f->info.max_threads;
    }
    memcpy(f->info.reqntid, p->reqntid, sizeof(f->info.reqntid));
    if (p->is_entry)
        lay_out_params(f);
    return f;
}

/* ---- names: sorted, what was found first before others of its name ---- */
struct named {
    const char *name;
    void *what;
    uint32_t order;
};
static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}
static void *find_name(const struct named *list, uint32_t n, const char *name)
{
    uint32_t low = 0;
    while (n > 0) {
        uint32_t half = n / 2;
        if (strcmp(list[low + half].name, name) < 0) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return list && list[low].name && !strcmp(list[low].name, name) ? list[low].what : NULL;
}
static void sort_functions(struct emu_module *m)
{
    m->func_names = xcalloc(m->nfuncs + 1, sizeof(*m->func_names));
    for (uint32_t i = 0; i < m->nfuncs; i++) /* those with a body first */
        m->func_names[i] = (struct named){m->funcs[i]->info.name, m->funcs[i],
                                          m->funcs[i]->ptx->has_body ? i : m->nfuncs + i};
    qsort(m->func_names, m->nfuncs, sizeof(*m->func_names), by_name);
}
struct emu_func *module_find_any(struct emu_module *m, const char *name)
{
    return find_name(m->func_names, m->nfuncs, name);
}
struct emu_func *module_func_by_address(struct emu_module *m, uint64_t address)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->address == address)
            return m->funcs[i]->ptx->has_body ? m->funcs[i]
                                              : module_find_any(m, m->funcs[i]->info.name);
    return NULL;
}

/* ---- variables ---- */
static bool has_storage(const struct ptx_var *v)
{
    return v->space == SPACE_GLOBAL || v->space == SPACE_CONST;
}
static void sort_variables(struct emu_module *m)
{
    uint32_t n = 0;
    for (int k = 0; k < m->nptx; k++)
        n += m->ptx[k]->nvars;
    m->var_names = xcalloc(n + 1, sizeof(*m->var_names));
    for (int k = 0; k < m->nptx; k++)
        for (uint32_t i = 0; i < m->ptx[k]->nvars; i++) {
            struct ptx_var *v = m->ptx[k]->vars[i];
            if (has_storage(v) && !v->is_extern) {
                m->var_names[m->nvar_names] = (struct named){v->name, v, m->nvar_names};
                m->nvar_names++;
            }
        }
    qsort(m->var_names, m->nvar_names, sizeof(*m->var_names), by_name);
}
static struct ptx_var *definition(struct emu_module *m, const char *name)
{
    return find_name(m->var_names, m->nvar_names, name);
}
static void fill(const struct ptx_var *v)
{
    if (v->init)
        memcpy(mem_host(v->address, v->size), v->init, v->size);
}
static cudaError_t place_variable(struct emu_module *m, struct ptx_var *v)
{
    if (!has_storage(v) || v->is_extern || v->address)
        return cudaSuccess;
    enum mem_kind kind = v->is_managed ? MEM_MANAGED : MEM_GLOBAL;
    struct ptx_var *same = v->is_managed && m->first ? definition(m->first, v->name) : NULL;
    if (same) {
        v->address = same->address;
        return cudaSuccess;
    }
    struct mem_alloc *a = mem_alloc_on(m->device, v->size ? v->size : 1, v->align, kind, v->name);
    if (!a)
        return emu_fail(cudaErrorMemoryAllocation, "%s: no memory for variable %s (%llu bytes)",
                        m->name, v->name, (unsigned long long)v->size);
    a->read_only = v->space == SPACE_CONST;
    v->address = a->addr;
    m->vars = xrealloc(m->vars, (m->nvars + 1) * sizeof(*m->vars));
    m->vars[m->nvars++] = a;
    fill(v);
    return cudaSuccess;
}
static cudaError_t relocate(struct emu_module *m, struct ptx_var *v)
{
    for (uint32_t k = 0; k < v->nrelocs && v->address; k++) {
        const struct ptx_reloc *r = &v->relocs[k];
        uint64_t value;
        struct ptx_var *to = definition(m, r->symbol);
        struct emu_func *f = to ? NULL : module_find_any(m, r->symbol);
        if (to)
            value = to->address;
        else if (f)
            value = f->address;
        else
            return emu_fail(cudaErrorInvalidPtx,
                            "%s: initialiser of %s names %s, which is not defined", m->name,
                            v->name, r->symbol);
        value = (value + (uint64_t)r->addend) >> r->shift;
        uint8_t *host = mem_host(v->address + r->offset, r->size);
        if (host)
            memcpy(host, &value, r->size > 8 ? 8 : r->size);
    }
    return cudaSuccess;
}
static cudaError_t place_variables(struct emu_module *m)
{
    cudaError_t e = cudaSuccess;
    for (int k = 0; k < m->nptx && e == cudaSuccess; k++) {
        struct ptx_module *p = m->ptx[k];
        for (uint32_t i = 0; i < p->nvars && e == cudaSuccess; i++) {
            struct ptx_var *first =
                has_storage(p->vars[i]) ? definition(m, p->vars[i]->name) : NULL;
            if (first && first != p->vars[i] && (p->vars[i]->is_weak || p->vars[i]->is_common)) {
                e = place_variable(m, first);
                p->vars[i]->address = first->address;
            } else {
                e = place_variable(m, p->vars[i]);
            }
        }
        for (uint32_t i = 0; i < p->nfuncs && e == cudaSuccess; i++)
            for (uint32_t j = 0; j < p->funcs[i]->nvars && e == cudaSuccess; j++)
                e = place_variable(m, p->funcs[i]->vars[j]);
    }
    for (int k = 0; k < m->nptx && e == cudaSuccess; k++)
        for (uint32_t i = 0; i < m->ptx[k]->nvars && e == cudaSuccess; i++) {
            struct ptx_var *v = m->ptx[k]->vars[i];
            if (has_storage(v) && v->is_extern) {
                struct ptx_var *d = definition(m, v->name);
                v->address = d ? d->address : 0;
            } else if (has_storage(v)) {
                e = relocate(m, v);
            }
        }
    return e;
}
static void refill(struct emu_module *m, struct ptx_var *v)
{
    struct ptx_var *first = has_storage(v) && !v->is_extern ? definition(m, v->name) : NULL;
    if (!first || (first != v && (v->is_weak || v->is_common)))
        return;
    fill(v);
    relocate(m, v);
}
void emu_modules_renew(void)
{
    pthread_mutex_lock(&modules_lock);
    for (struct emu_module *m = emu_modules; m; m = m->next) {
        for (uint32_t i = 0; i < m->nvars; i++)
            mem_wipe(m->vars[i]);
        for (int k = 0; k < m->nptx; k++) {
            for (uint32_t i = 0; i < m->ptx[k]->nvars; i++)
                refill(m, m->ptx[k]->vars[i]);
            for (uint32_t i = 0; i < m->ptx[k]->nfuncs; i++)
                for (uint32_t j = 0; j < m->ptx[k]->funcs[i]->nvars; j++)
                    fill(m->ptx[k]->funcs[i]->vars[j]);
        }
    }
    pthread_mutex_unlock(&modules_lock);
}

/* ---- loading ---- */
static cudaError_t parse_error(const char *name, const char *text, size_t length,
                               const struct ptx_error *err)
{
    cudaError_t e = err->newer ? cudaErrorUnsupportedPtxVersion : cudaErrorInvalidPtx;
    char *where = source_before(text, length, err->line);
    emu_fail(e, "%s: %s%s%s", name, where, *where ? ": PTX " : "",
             err->text[0] ? err->text : err->message);
    free(where);
    return e;
}
static void add_functions(struct emu_module *m)
{
    for (int k = 0; k < m->nptx; k++) {
        struct ptx_module *p = m->ptx[k];
        uint32_t version = p->version_major * 10 + p->version_minor;
        for (uint32_t i = 0; i < p->nfuncs; i++) {
            m->funcs = xrealloc(m->funcs, (m->nfuncs + 1) * sizeof(*m->funcs));
            struct emu_func *f = func_new(m, p->funcs[i], version);
            m->funcs[m->nfuncs++] = f;
            if (p->funcs[i]->is_entry && p->funcs[i]->has_body) {
                m->entries = xrealloc(m->entries, (m->nentries + 1) * sizeof(*m->entries));
                m->entries[m->nentries++] = f;
            }
        }
    }
}
cudaError_t emu_module_load(const char *const *texts, const size_t *lengths, int ntexts,
                            const char *name, struct emu_module **out)
{
    return emu_module_load_on(0, NULL, texts, lengths, ntexts, name, out);
}
cudaError_t emu_module_load_on(unsigned device, struct emu_module *first, const char *const *texts,
                               const size_t *lengths, int ntexts, const char *name,
                               struct emu_module **out)
{
    struct emu_module *m = xcalloc(1, sizeof(*m));
    m->device = device;
    m->first = first;
    m->name = xstrdup(name ? name : "PTX");
    m->ptx = xcalloc((size_t)ntexts + 1, sizeof(*m->ptx));
    cudaError_t e = cudaSuccess;
    for (int k = 0; k < ntexts && e == cudaSuccess; k++) {
        struct ptx_error err = {0};
        m->ptx[k] = ptx_parse(texts[k], lengths[k], &err);
        if (!m->ptx[k])
            e = parse_error(m->name, texts[k], lengths[k], &err);
        else if (m->ptx[k]->address_size != 64)
            e = emu_fail(cudaErrorInvalidPtx, "%s: 32-bit addresses are not supported", m->name);
        else
            m->nptx++;
    }
    if (e == cudaSuccess) {
        add_functions(m);
        sort_functions(m);
        sort_variables(m);
        e = place_variables(m);
    }
    pthread_mutex_lock(&modules_lock);
    m->next = emu_modules;
    emu_modules = m;
    pthread_mutex_unlock(&modules_lock);
    if (e != cudaSuccess) {
        emu_module_unload(m);
        return e;
    }
    *out = m;
    return cudaSuccess;
}
void emu_module_hand_over(struct emu_module *from, struct emu_module *to)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < from->nvars; i++) {
        if (from->vars[i]->kind != MEM_MANAGED) {
            from->vars[kept++] = from->vars[i];
            continue;
        }
        to->vars = xrealloc(to->vars, (to->nvars + 1) * sizeof(*to->vars));
        to->vars[to->nvars++] = from->vars[i];
        mem_hand_over(from->vars[i], to->device);
    }
    from->nvars = kept;
}

static void (*watchers[4])(const struct emu_func *f);
static int nwatchers;

void module_watch(void (*fn)(const struct emu_func *f))
{
    if (nwatchers == sizeof(watchers) / sizeof(watchers[0]))
        panic("module_watch: too many");
    watchers[nwatchers++] = fn;
}
static void func_free(struct emu_func *f)
{
    for (int k = 0; k < nwatchers; k++)
        watchers[k](f);
    if (f->sites)
        for (uint32_t i = 0; i < f->ptx->ninsns; i++)
            free((void *)(uintptr_t)f->sites[i].opcode);
    for (uint32_t i = 0; i < f->ninsns; i++) {
        const struct call_info *ci = f->insns[i].data;
        free((void *)(uintptr_t)f->insns[i].places);
        if (ci && f->insns[i].site && f->ptx->insns[f->insns[i].site->index].op == OP_call) {
            free(ci->args);
            free(ci->rets);
        }
        free((void *)(uintptr_t)ci);
    }
    free(f->insns);
    free(f->blocks);
    free(f->consts);
    free(f->params);
    free(f->costs);
    free(f->floats_before);
    free(f->sites);
    free(f->shared);
    free(f->param_offset);
    free(f->param_size);
    free(f);
}
void emu_module_unload(struct emu_module *m)
{
    pthread_mutex_lock(&modules_lock);
    struct emu_module **at = &emu_modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    pthread_mutex_unlock(&modules_lock);
    for (uint32_t i = 0; i < m->nvars; i++)
        mem_free(m->vars[i]->addr);
    for (uint32_t i = 0; i < m->nfuncs; i++)
        func_free(m->funcs[i]);
    for (int k = 0; k < m->nptx; k++)
        ptx_free(m->ptx[k]);
    free(m->sum_slots);
    free(m->sum_counts);
    free(m->vars);
    free(m->func_names);
    free(m->var_names);
    free(m->funcs);
    free(m->entries);
    free(m->ptx);
    free(m->name);
    free(m);
}

/* ---- look-ups ---- */
struct emu_func *emu_module_func(struct emu_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->nentries; i++)
        if (!strcmp(m->entries[i]->info.name, name))
            return m->entries[i];
    return NULL;
}
uint32_t emu_module_func_count(struct emu_module *m)
{
    return m->nentries;
}
struct emu_func *emu_module_func_at(struct emu_module *m, uint32_t i)
{
    return i < m->nentries ? m->entries[i] : NULL;
}
const struct emu_func_info *emu_func_info(struct emu_func *f)
{
    lower_func(f);
    return &f->info;
}
bool emu_module_var(struct emu_module *m, const char *name, uint64_t *addr, uint64_t *size,
                    bool *managed)
{
    struct ptx_var *v = definition(m, name);
    if (!v)
        return false;
    if (addr)
        *addr = v->address;
    if (size)
        *size = v->size;
    if (managed)
        *managed = v->is_managed;
    return true;
}
size_t emu_variables(void *to, const void *from)
{
    size_t at = 0;
    for (const struct emu_module *m = emu_modules; m; m = m->next)
        for (uint32_t i = 0; i < m->nvars; i++) {
            const struct mem_alloc *a = m->vars[i];
            if (a->read_only)
                continue;
            if (to)
                memcpy((char *)to + at, a->host, a->size);
            if (from)
                memcpy(a->host, (const char *)from + at, a->size);
            at += a->size;
        }
    return at;
}
void emu_func_set_registers(struct emu_func *f, uint32_t registers)
{
    f->info.registers = registers;
    f->info.registers_estimated = false;
}
void emu_func_set_needed(struct emu_func *f, uint32_t registers)
{
    f->needed = registers;
}
uint32_t emu_registers_known(const struct emu_func *f)
{
    return f->info.registers_estimated ? f->needed : f->info.registers;
}
static uint32_t fit(struct emu_func *f, uint32_t threads, uint32_t registers,
                    uint32_t dynamic_shared, const char **limiter)
{
    struct occupancy o =
        occupancy_of(device_profile(), threads, registers, f->info.shared_bytes + dynamic_shared);
    if (limiter)
        *limiter = o.limiter;
    return o.blocks_per_sm;
}
uint32_t emu_registers(const struct emu_func *f, uint32_t threads)
{
    uint32_t most = threads ? occupancy_registers(device_profile(), threads) : 0;
    bool spills = f->info.registers_estimated && f->info.registers > most;
    return spills ? most : f->info.registers;
}
/* As ptxas does: those that .maxnreg gives, or what .minnctapersm blocks of .maxntid threads leave
 * to each other. */
uint32_t emu_entry_registers(const struct emu_func *f)
{
    const struct ptx_func *p = f->ptx;
    const uint32_t *ntid = p->maxntid[0] ? p->maxntid : p->reqntid;
    uint32_t most = p->maxnreg;
    if (p->minnctapersm && ntid[0]) {
        uint32_t left = occupancy_shared_out(device_profile(), threads_of(ntid), p->minnctapersm);
        most = most && most < left ? most : left;
    }
    if (most && !f->info.registers_estimated)
        most = f->info.registers;
    return ROUND_UP(most, 8u); /* they are given out in eights */
}
uint32_t emu_occupancy(struct emu_func *f, uint32_t threads, uint32_t dynamic_shared,
                       const char **limiter)
{
    lower_func(f);
    return fit(f, threads, emu_registers(f, threads), dynamic_shared, limiter);
}
uint32_t emu_occupancy_known(struct emu_func *f, uint32_t threads, uint32_t dynamic_shared,
                             const char **limiter)
{
    lower_func(f);
    return fit(f, threads, emu_registers_known(f), dynamic_shared, limiter);
}
