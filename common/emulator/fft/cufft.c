/* cufft.c - cuFFT's calls: plans by their handles, sizes, work areas, execution.
 *
 * Plans lie in a table; a handle is an index into it, from 1 on. A refused call says why on stderr.
 * A transform is a step (runtime/step.h): done when the call returns, in the order of its stream.
 *
 * Not modelled: the size of work areas, which is taken to be that of the data, once, and whose
 * memory nothing is kept in.
 */
#include "plan.h"
#include "base/alloc.h"
#include <pthread.h>
#include <stdlib.h>

#define AREA "cuFFT's work area"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct plan **plans; /* NULL: destroyed */
static int nplans = 1;      /* 0 is none */

/* ---- handles ---- */

static cufftResult refuse(cufftResult why, const char *call, const char *format, long long value)
{
    char *words = xformat(format, value), *line = xformat("%s: %s", call, words);

    warplab_say(line);
    free(words);
    free(line);
    return why;
}

/* NULL, and said so, for a handle of no plan. */
static struct plan *find(cufftHandle handle, const char *call)
{
    pthread_mutex_lock(&lock);
    struct plan *p = handle > 0 && handle < nplans ? plans[handle] : NULL;
    pthread_mutex_unlock(&lock);
    if (!p)
        refuse(CUFFT_INVALID_PLAN, call, "%lld is no plan", handle);
    return p;
}

static cufftHandle keep(struct plan *p)
{
    int i = 1;

    pthread_mutex_lock(&lock);
    while (i < nplans && plans[i])
        i++;
    if (i == nplans || !plans) {
        nplans = i + 1;
        plans = xrealloc(plans, (size_t)nplans * sizeof(struct plan *));
    }
    plans[i] = p;
    pthread_mutex_unlock(&lock);
    return i;
}

/* Every call is in the runtime's record; after a fault of the device none is done. */
static cufftResult enter(const char *call)
{
    return warplab_library_call(call) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_SETUP_FAILED;
}

static cufftResult create(cufftHandle *handle, const char *call)
{
    cufftResult r = enter(call);

    if (r)
        return r;
    if (!handle)
        return refuse(CUFFT_INVALID_VALUE, call, "nowhere to put the plan (NULL)", 0);
    *handle = keep(xcalloc(1, sizeof(struct plan)));
    return CUFFT_SUCCESS;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    return create(handle, __func__);
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    warplab_library_call(__func__);
    pthread_mutex_lock(&lock);
    plans[handle] = NULL;
    pthread_mutex_unlock(&lock);
    if (p->own_work)
        warplab_library_free(p->work);
    for (int d = 0; d < MOST_RANK; d++)
        transform_free(p->along[d]);
    free(p);
    return CUFFT_SUCCESS;
}

/* ---- what a plan is asked for ---- */

/* A call's arguments, as those of cufftMakePlanMany64. */
struct wish {
    const char *call;
    int rank;
    cufft_long n[MOST_RANK];
    bool advanced;
    struct layout in, out;
    cufftType type;
    cufft_long batch;
};

static cufftResult check(const struct wish *w)
{
    cufft_long elements = w->batch, bytes;

    if (!type_is_known(w->type))
        return refuse(CUFFT_INVALID_TYPE, w->call, "0x%llx is no type of a transform", w->type);
    if (w->batch < 1)
        return refuse(CUFFT_INVALID_SIZE, w->call, "a batch of %lld transforms", w->batch);
    for (int d = 0; d < w->rank; d++) {
        if (w->n[d] < 1)
            return refuse(CUFFT_INVALID_SIZE, w->call,
                          "a transform of %lld elements: there is at least one", w->n[d]);
        if (__builtin_mul_overflow(elements, w->n[d], &elements) ||
            __builtin_mul_overflow(elements, 64, &bytes))
            return refuse(CUFFT_INVALID_SIZE, w->call, "%lld elements and more: no device has them",
                          elements);
    }
    return CUFFT_SUCCESS;
}

/* The data of all batches, in complex numbers. */
static size_t work_size(const struct wish *w)
{
    size_t n = (type_is_double(w->type) ? 16 : 8) * (size_t)w->batch;

    for (int d = 0; d < w->rank; d++)
        n *= (size_t)(d + 1 == w->rank && type_is_real(w->type) ? w->n[d] / 2 + 1 : w->n[d]);
    return n;
}

static cufftResult size_of(const struct wish *w, size_t *size)
{
    cufftResult r = enter(w->call) ?: check(w);

    if (!r && !size)
        r = refuse(CUFFT_INVALID_VALUE, w->call, "nowhere to put the size (NULL)", 0);
    if (!r)
        *size = work_size(w);
    return r;
}

static cufftResult allocate_work(struct plan *p, const char *call)
{
    p->work = warplab_library_memory(p->work_size, AREA);
    if (!p->work)
        return refuse(CUFFT_ALLOC_FAILED, call, "no %lld bytes of device memory for the work area",
                      (long long)p->work_size);
    p->own_work = true;
    return CUFFT_SUCCESS;
}

/* Dimensions are those last: what a lower rank does not have is 1. */
static void fill(struct plan *p, const struct wish *w)
{
    int first = MOST_RANK - w->rank;

    p->type = w->type;
    p->rank = w->rank;
    p->batch = w->batch;
    p->advanced = w->advanced;
    p->in = w->in;
    p->out = w->out;
    for (int d = 0; d < MOST_RANK; d++) {
        p->n[d] = d < first ? 1 : w->n[d - first];
        p->in.embed[d] = d < first ? 1 : w->in.embed[d - first];
        p->out.embed[d] = d < first ? 1 : w->out.embed[d - first];
    }
    p->made = true;
}

static cufftResult make(cufftHandle handle, const struct wish *w, size_t *size)
{
    struct plan *p = find(handle, w->call);
    cufftResult r = p ? enter(w->call) ?: check(w) : CUFFT_INVALID_PLAN;

    if (r)
        return r;
    if (p->made)
        return refuse(CUFFT_INVALID_PLAN, w->call, "plan %lld is made already", handle);
    p->work_size = work_size(w);
    r = p->no_auto || p->work ? CUFFT_SUCCESS : allocate_work(p, w->call);
    if (r)
        return r;
    fill(p, w);
    if (size)
        *size = p->work_size;
    return CUFFT_SUCCESS;
}

static cufftResult create_and_make(cufftHandle *handle, const struct wish *w)
{
    cufftHandle h;
    cufftResult r = create(handle ? &h : NULL, w->call);

    if (r)
        return r;
    r = make(h, w, NULL);
    if (r)
        cufftDestroy(h);
    else
        *handle = h;
    return r;
}

/* ---- the ways to ask ---- */

static struct wish wish_of(const char *call, int rank, cufft_long x, cufft_long y, cufft_long z,
                           cufftType type, cufft_long batch)
{
    return (struct wish){.call = call, .rank = rank, .n = {x, y, z}, .type = type, .batch = batch};
}

/* False, with the answer: the rank, or what is NULL. Data are packed unless both sides say how they
 * lie; one alone is refused, as on a GPU. */
static bool many(struct wish *w, const char *call, int rank, const cufft_long *n,
                 const cufft_long *inembed, const cufft_long *onembed)
{
    *w = (struct wish){.call = call, .rank = rank, .advanced = inembed && onembed};
    if (rank < 1 || rank > MOST_RANK || !n) {
        refuse(CUFFT_INVALID_VALUE, call,
               n ? "a transform of rank %lld: 1, 2 or 3" : "no sizes (NULL)", rank);
        return false;
    }
    if (!inembed != !onembed) {
        refuse(CUFFT_INVALID_VALUE, call,
               inembed ? "inembed is given and onembed is NULL: both, or neither"
                       : "onembed is given and inembed is NULL: both, or neither",
               0);
        return false;
    }
    for (int d = 0; d < rank; d++) {
        w->n[d] = n[d];
        w->in.embed[d] = w->advanced ? inembed[d] : n[d];
        w->out.embed[d] = w->advanced ? onembed[d] : n[d];
    }
    return true;
}

static const cufft_long *widen(const int *from, int rank, cufft_long to[MOST_RANK])
{
    for (int d = 0; from && d < rank && d < MOST_RANK; d++)
        to[d] = from[d];
    return from ? to : NULL;
}

/* All that the four calls of plans with a layout have in common; `wide` are 64 bits. */
#define MANY_WISH(w, n, inembed, onembed)                                                          \
    struct wish w;                                                                                 \
    if (!many(&w, __func__, rank, n, inembed, onembed))                                            \
        return CUFFT_INVALID_VALUE;                                                                \
    w.in.stride = istride, w.in.dist = idist, w.out.stride = ostride, w.out.dist = odist;          \
    w.type = type, w.batch = batch
#define NARROW_WISH(w)                                                                             \
    cufft_long n_[MOST_RANK], i_[MOST_RANK], o_[MOST_RANK];                                        \
    MANY_WISH(w, widen(n, rank, n_), widen(inembed, rank, i_), widen(onembed, rank, o_))

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    struct wish w = wish_of(__func__, 1, nx, 1, 1, type, batch);

    return create_and_make(plan, &w);
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    struct wish w = wish_of(__func__, 2, nx, ny, 1, type, 1);

    return create_and_make(plan, &w);
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
    struct wish w = wish_of(__func__, 3, nx, ny, nz, type, 1);

    return create_and_make(plan, &w);
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch)
{
    NARROW_WISH(w);
    return create_and_make(plan, &w);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size)
{
    struct wish w = wish_of(__func__, 1, nx, 1, 1, type, batch);

    return make(plan, &w, size);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 2, nx, ny, 1, type, 1);

    return make(plan, &w, size);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 3, nx, ny, nz, type, 1);

    return make(plan, &w, size);
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *size)
{
    NARROW_WISH(w);
    return make(plan, &w, size);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                                cufft_long istride, cufft_long idist, cufft_long *onembed,
                                cufft_long ostride, cufft_long odist, cufftType type,
                                cufft_long batch, size_t *size)
{
    MANY_WISH(w, n, inembed, onembed);
    return make(plan, &w, size);
}

/* Which transform goes from one data type to the other, at work in a third; *type gets it. */
static cufftResult type_between(const char *call, cudaDataType in, cudaDataType out,
                                cudaDataType work, cufftType *type)
{
    static const struct {
        cudaDataType in, out, work;
        cufftType type;
    } known[] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
        {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
    };

    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
        if (known[k].in == in && known[k].out == out && known[k].work == work) {
            *type = known[k].type;
            return CUFFT_SUCCESS;
        }
    return refuse(CUFFT_NOT_SUPPORTED, call,
                  "half precision and sides of different precision: not supported by the emulator",
                  0);
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                                cufft_long istride, cufft_long idist, cudaDataType in,
                                cufft_long *onembed, cufft_long ostride, cufft_long odist,
                                cudaDataType out, cufft_long batch, size_t *size, cudaDataType work)
{
    cufftType type;
    cufftResult r = type_between(__func__, in, out, work, &type);

    if (r)
        return r;
    MANY_WISH(w, n, inembed, onembed);
    return make(plan, &w, size);
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *size)
{
    struct wish w = wish_of(__func__, 1, nx, 1, 1, type, batch);

    return size_of(&w, size);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 2, nx, ny, 1, type, 1);

    return size_of(&w, size);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 3, nx, ny, nz, type, 1);

    return size_of(&w, size);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *size)
{
    NARROW_WISH(w);
    return size_of(&w, size);
}

/* Those of a plan ask the same: nothing here depends on the plan. */
static cufftResult size_for(cufftHandle handle, const struct wish *w, size_t *size)
{
    return find(handle, w->call) ? size_of(w, size) : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size)
{
    struct wish w = wish_of(__func__, 1, nx, 1, 1, type, batch);

    return size_for(plan, &w, size);
}

cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 2, nx, ny, 1, type, 1);

    return size_for(plan, &w, size);
}

cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size)
{
    struct wish w = wish_of(__func__, 3, nx, ny, nz, type, 1);

    return size_for(plan, &w, size);
}

cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch, size_t *size)
{
    NARROW_WISH(w);
    return size_for(plan, &w, size);
}

cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                               cufft_long istride, cufft_long idist, cufft_long *onembed,
                               cufft_long ostride, cufft_long odist, cufftType type,
                               cufft_long batch, size_t *size)
{
    MANY_WISH(w, n, inembed, onembed);
    return size_for(plan, &w, size);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                               cufft_long istride, cufft_long idist, cudaDataType in,
                               cufft_long *onembed, cufft_long ostride, cufft_long odist,
                               cudaDataType out, cufft_long batch, size_t *size, cudaDataType work)
{
    cufftType type;
    cufftResult r = type_between(__func__, in, out, work, &type);

    if (r)
        return r;
    MANY_WISH(w, n, inembed, onembed);
    return size_for(plan, &w, size);
}

cufftResult cufftGetSize(cufftHandle handle, size_t *size)
{
    const struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    if (!p->made)
        return refuse(CUFFT_INVALID_PLAN, __func__, "plan %lld was created, and not made", handle);
    if (!size)
        return refuse(CUFFT_INVALID_VALUE, __func__, "nowhere to put the size (NULL)", 0);
    *size = p->work_size;
    return enter(__func__);
}

/* ---- settings ---- */

cufftResult cufftSetWorkArea(cufftHandle handle, void *area)
{
    struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    if (p->own_work)
        warplab_library_free(p->work);
    p->own_work = false;
    p->work = area;
    return enter(__func__);
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int on)
{
    struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    p->no_auto = !on;
    return enter(__func__);
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return enter(__func__);
}

cufftResult cufftGetVersion(int *version)
{
    if (!version)
        return refuse(CUFFT_INVALID_VALUE, __func__, "nowhere to put the version (NULL)", 0);
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    if (type != MAJOR_VERSION && type != MINOR_VERSION && type != PATCH_LEVEL)
        return refuse(CUFFT_INVALID_TYPE, __func__, "property %lld", type);
    if (!value)
        return refuse(CUFFT_INVALID_VALUE, __func__, "nowhere to put the version (NULL)", 0);
    *value = type == MAJOR_VERSION   ? CUFFT_VERSION / 1000
             : type == MINOR_VERSION ? CUFFT_VERSION / 100 % 10
                                     : CUFFT_VERSION % 100;
    return CUFFT_SUCCESS;
}

/* ---- execution ---- */

/* To a complex number's size, of real data too. */
static bool is_aligned(const struct plan *p, const void *in, const void *out)
{
    return ((uintptr_t)in | (uintptr_t)out) % (type_is_double(p->type) ? 16 : 8) == 0;
}

struct call {
    const char *name;
    cufftType type;
    int direction;
};

static cufftResult check_call(const struct plan *p, const struct call *c, const void *in,
                              const void *out)
{
    if (!p->made)
        return refuse(CUFFT_INVALID_PLAN, c->name, "the plan was created, and not made", 0);
    if (p->type != c->type)
        return refuse(CUFFT_INVALID_TYPE, c->name, "the plan is of type 0x%llx", p->type);
    if (c->direction != CUFFT_FORWARD && c->direction != CUFFT_INVERSE)
        return refuse(CUFFT_INVALID_VALUE, c->name,
                      "direction %lld: CUFFT_FORWARD is -1, CUFFT_INVERSE 1", c->direction);
    if (!in || !out)
        return refuse(CUFFT_INVALID_VALUE, c->name, "data at NULL", 0);
    if (!is_aligned(p, in, out))
        return refuse(CUFFT_INVALID_VALUE, c->name,
                      "data at an address that is no multiple of a complex number's size, %lld",
                      type_is_double(p->type) ? 16 : 8);
    if (!p->work)
        return refuse(CUFFT_NO_WORKSPACE, c->name,
                      "no work area of %lld bytes: cufftSetWorkArea() missing?",
                      (long long)p->work_size);
    return CUFFT_SUCCESS;
}

/* Tables are made for the first transform: many a plan is only asked for its size. */
static void prepare(struct plan *p)
{
    pthread_mutex_lock(&lock);
    for (int d = 0; d < MOST_RANK; d++)
        if (!p->along[d])
            p->along[d] = transform_new((size_t)p->n[d]);
    pthread_mutex_unlock(&lock);
}

static cufftResult execute(cufftHandle handle, struct call c, void *in, void *out)
{
    struct plan *p = find(handle, c.name);
    cufftResult r = p ? check_call(p, &c, in, out) : CUFFT_INVALID_PLAN;
    struct warplab_step *step;

    if (r)
        return r;
    if (warplab_step_begin(&step, c.name, p->stream))
        return refuse(CUFFT_EXEC_FAILED, c.name,
                      "the device takes no work: a fault before, or a stream that is none", 0);
    prepare(p);
    plan_run(p, step, in, out, c.direction == CUFFT_INVERSE);
    warplab_step_end(step, plan_passes(p));
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, void *in, void *out, int direction)
{
    return execute(plan, (struct call){__func__, CUFFT_C2C, direction}, in, out);
}

cufftResult cufftExecZ2Z(cufftHandle plan, void *in, void *out, int direction)
{
    return execute(plan, (struct call){__func__, CUFFT_Z2Z, direction}, in, out);
}

cufftResult cufftExecR2C(cufftHandle plan, void *in, void *out)
{
    return execute(plan, (struct call){__func__, CUFFT_R2C, CUFFT_FORWARD}, in, out);
}

cufftResult cufftExecD2Z(cufftHandle plan, void *in, void *out)
{
    return execute(plan, (struct call){__func__, CUFFT_D2Z, CUFFT_FORWARD}, in, out);
}

cufftResult cufftExecC2R(cufftHandle plan, void *in, void *out)
{
    return execute(plan, (struct call){__func__, CUFFT_C2R, CUFFT_INVERSE}, in, out);
}

cufftResult cufftExecZ2D(cufftHandle plan, void *in, void *out)
{
    return execute(plan, (struct call){__func__, CUFFT_Z2D, CUFFT_INVERSE}, in, out);
}

/* The plan's transform, whatever it is; where a side is real there is one direction. */
cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    const struct plan *p = find(handle, __func__);

    if (!p)
        return CUFFT_INVALID_PLAN;
    if (p->type == CUFFT_R2C || p->type == CUFFT_D2Z)
        direction = CUFFT_FORWARD;
    if (p->type == CUFFT_C2R || p->type == CUFFT_Z2D)
        direction = CUFFT_INVERSE;
    return execute(handle, (struct call){__func__, p->type, direction}, in, out);
}
