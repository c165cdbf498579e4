/* peers.cu - the toolkit's own code for the work of a lab's last rung (peers.h). Built by nvcc. */
#include "peers.h"

#include <cub/device/device_reduce.cuh>
#include <cublasLt.h>
#include <cublas_v2.h>

static const char *of_runtime(cudaError_t e)
{
    return e == cudaSuccess ? nullptr : cudaGetErrorString(e);
}

static const char *of_blas(cublasStatus_t s)
{
    return s == CUBLAS_STATUS_SUCCESS ? nullptr : cublasGetStatusString(s);
}

/* Memory of at least so many bytes, which stays. */
static const char *room(void **memory, size_t *has, size_t bytes)
{
    if (bytes <= *has)
        return nullptr;
    cudaFree(*memory);
    *memory = nullptr;
    *has = 0;
    const char *why = of_runtime(cudaMalloc(memory, bytes));
    if (!why)
        *has = bytes;
    return why;
}

const char *peer_copy(const struct peer_work *w)
{
    return of_runtime(
        cudaMemcpyAsync(w->out, w->in[0], w->out_bytes, cudaMemcpyDeviceToDevice, nullptr));
}

/* ---- CUB ---- */

/* `once(memory, bytes)` is one of its calls: without memory it says how much it wants. */
template <class Once> static const char *reduced(Once once)
{
    static void *memory;
    static size_t has;
    size_t bytes = 0;
    const char *why = of_runtime(once(nullptr, bytes));

    if (!why)
        why = room(&memory, &has, bytes);
    return why ? why : of_runtime(once(memory, bytes));
}

template <class T> static const char *sum(const struct peer_work *w)
{
    return reduced([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Sum(memory, bytes, static_cast<const T *>(w->in[0]),
                                      static_cast<T *>(w->out), w->n);
    });
}

const char *peer_sum_i32(const struct peer_work *w)
{
    return sum<int>(w);
}

const char *peer_sum_f32(const struct peer_work *w)
{
    return sum<float>(w);
}

const char *peer_min_i32(const struct peer_work *w)
{
    return reduced([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Min(memory, bytes, static_cast<const int *>(w->in[0]),
                                      static_cast<int *>(w->out), w->n);
    });
}

const char *peer_max_i32(const struct peer_work *w)
{
    return reduced([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Max(memory, bytes, static_cast<const int *>(w->in[0]),
                                      static_cast<int *>(w->out), w->n);
    });
}

/* ---- cuBLAS ----
 * Its matrices are stored by columns; ours, read so, are their transposes: c' = b' a'. */

enum { WORKSPACE = 64 << 20 };

const char *peer_sgemm(const struct peer_work *w)
{
    static cublasHandle_t handle;
    static void *workspace;
    static size_t has;
    const float one = 1, zero = 0;
    const char *why = room(&workspace, &has, WORKSPACE);
    int m = static_cast<int>(w->m), n = static_cast<int>(w->n), k = static_cast<int>(w->k);

    if (!why && !handle) {
        why = of_blas(cublasCreate(&handle));
        if (!why)
            why = of_blas(cublasSetWorkspace(handle, workspace, has));
        if (!why)
            why = of_blas(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    }
    return why ? why
               : of_blas(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                  static_cast<const float *>(w->in[1]), n,
                                  static_cast<const float *>(w->in[0]), k, &zero,
                                  static_cast<float *>(w->out), n));
}

/* What stays from call to call of one shape. */
struct product {
    uint64_t m, n, k;
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t choice;
};

static const char *choose(cublasLtHandle_t handle, struct product *p, cudaDataType_t type,
                          const struct peer_work *w)
{
    cublasLtMatmulPreference_t wish;
    size_t most = WORKSPACE;
    int found = 0;
    const char *why = of_blas(cublasLtMatmulPreferenceCreate(&wish));

    if (!why && !p->what)
        why = of_blas(cublasLtMatmulDescCreate(&p->what, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    if (p->a) {
        cublasLtMatrixLayoutDestroy(p->a);
        cublasLtMatrixLayoutDestroy(p->b);
        cublasLtMatrixLayoutDestroy(p->c);
    }
    if (!why)
        why = of_blas(cublasLtMatrixLayoutCreate(&p->a, type, w->k, w->m, w->k));
    if (!why)
        why = of_blas(cublasLtMatrixLayoutCreate(&p->b, type, w->n, w->k, w->n));
    if (!why)
        why = of_blas(cublasLtMatrixLayoutCreate(&p->c, CUDA_R_32F, w->n, w->m, w->n));
    if (!why)
        why = of_blas(cublasLtMatmulPreferenceSetAttribute(
            wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most)));
    if (!why)
        why = of_blas(cublasLtMatmulAlgoGetHeuristic(handle, p->what, p->b, p->a, p->c, p->c, wish,
                                                     1, &p->choice, &found));
    if (!why && !found)
        why = "cublasLt knows no algorithm for this shape";
    p->m = w->m;
    p->n = w->n;
    p->k = w->k;
    cublasLtMatmulPreferenceDestroy(wish);
    return why;
}

template <cudaDataType_t type> static const char *gemm(const struct peer_work *w)
{
    static cublasLtHandle_t handle;
    static struct product p;
    static void *workspace;
    static size_t has;
    const float one = 1, zero = 0;
    const char *why = room(&workspace, &has, WORKSPACE);

    if (!why && !handle)
        why = of_blas(cublasLtCreate(&handle));
    if (!why && (p.m != w->m || p.n != w->n || p.k != w->k))
        why = choose(handle, &p, type, w);
    return why ? why
               : of_blas(cublasLtMatmul(handle, p.what, &one, w->in[1], p.b, w->in[0], p.a, &zero,
                                     w->out, p.c, w->out, p.c, &p.choice.algo, workspace, has,
                                     nullptr));
}

const char *peer_gemm_f16(const struct peer_work *w)
{
    return gemm<CUDA_R_16F>(w);
}

const char *peer_gemm_bf16(const struct peer_work *w)
{
    return gemm<CUDA_R_16BF>(w);
}
