/* fast_clock.c - a CUDA runtime whose events tell times that no memory system can reach: part
 * of the library that stands in for a GPU's in gpu_path_test.c.
 *
 * It is the emulator's, its own functions hidden and cudaEventElapsedTime renamed (grading.mk).
 */
#include <cuda_runtime_api.h>

cudaError_t emulated_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = emulated_elapsed(ms, start, end);
    *ms /= 1000;
    return e;
}
