/* cufft_api.h - what of cuFFT's interface this library needs: names and numbers of CUDA 13's
 * cufft.h.
 *
 * Declared here because NVIDIA's header comes with a library of 0.2 GB, which nobody needs who has
 * no GPU. Where a toolkit has the header, fft_test.c holds these to it.
 */
#ifndef EMULATOR_FFT_CUFFT_API_H
#define EMULATOR_FFT_CUFFT_API_H

#include <cuda_runtime_api.h>
#include <library_types.h>

typedef enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_NOT_SUPPORTED = 16,
} cufftResult;

typedef enum {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
} cufftType;

#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1
#define CUFFT_VERSION 12000

typedef int cufftHandle;
typedef long long int cufft_long;

/* Data are void: float, double, and two of them. */
cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size);
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size);
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *size);
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                                cufft_long istride, cufft_long idist, cufft_long *onembed,
                                cufft_long ostride, cufft_long odist, cufftType type,
                                cufft_long batch, size_t *size);
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *size);
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *size);
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *size);
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *size);
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size);
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size);
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size);
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch, size_t *size);
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                               cufft_long istride, cufft_long idist, cufft_long *onembed,
                               cufft_long ostride, cufft_long odist, cufftType type,
                               cufft_long batch, size_t *size);
cufftResult cufftGetSize(cufftHandle plan, size_t *size);
cufftResult cufftSetWorkArea(cufftHandle plan, void *area);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int on);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftExecC2C(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, void *in, void *out);
cufftResult cufftExecC2R(cufftHandle plan, void *in, void *out);
cufftResult cufftExecZ2Z(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, void *in, void *out);
cufftResult cufftExecZ2D(cufftHandle plan, void *in, void *out);
/* The first two: the data type of both sides and of the work say which transform it is. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                                cufft_long istride, cufft_long idist, cudaDataType in,
                                cufft_long *onembed, cufft_long ostride, cufft_long odist,
                                cudaDataType out, cufft_long batch, size_t *size,
                                cudaDataType work);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, cufft_long *n, cufft_long *inembed,
                               cufft_long istride, cufft_long idist, cudaDataType in,
                               cufft_long *onembed, cufft_long ostride, cufft_long odist,
                               cudaDataType out, cufft_long batch, size_t *size, cudaDataType work);
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftGetVersion(int *version);
cufftResult cufftGetProperty(libraryPropertyType type, int *value);

#endif
