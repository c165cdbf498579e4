// One output a thread, straight from global memory, handed in as six kernels whose step is how tiles come
// and go: no map, no ring, no cluster, no tensor core.
// class: no-evidence
// only: mm_tma mm_wgmma mm_roles mm_persistent mm_store mm_cluster
// expect: tma-used=fail wgmma-used=fail roles-used=fail persistent-used=fail store-used=fail cluster-used=fail
// expect: tma-clean=fail wgmma-clean=fail roles-clean=fail persistent-clean=fail store-clean=fail cluster-clean=fail
// hint: tma-used: tensor cores
// hint: wgmma-used: tensor cores
// hint: roles-used: global_ld_bytes
// hint: persistent-used: global_ld_bytes
// hint: store-used: tensor cores
// hint: cluster-used: global_ld_bytes
// hint: tma-clean: async_bytes
// hint: wgmma-clean: async_bytes
// hint: roles-clean: async_bytes
// hint: persistent-clean: async_bytes
// hint: store-clean: async_bytes
// hint: cluster-clean: async_bytes
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>

#define SAME(kernel)                                                                               \
    LAUNCH(kernel, 256, 1, 1);                                                                     \
    TENSOR(kernel) = {.tile = {16, 16}};                                                           \
    KERNEL kernel(const half *a, const half *b, float *c, int m, int n, int k)                     \
    {                                                                                              \
        int across = (n + 15) / 16;                                                                \
        int row = blockIdx.x / across * 16 + threadIdx.x / 16;                                     \
        int col = blockIdx.x % across * 16 + threadIdx.x % 16;                                     \
        float sum = 0;                                                                             \
                                                                                                   \
        if (row >= m || col >= n)                                                                  \
            return;                                                                                \
        for (int i = 0; i < k; i++)                                                                \
            sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);                    \
        c[row * n + col] = sum;                                                                    \
    }
SAME(mm_tma)
SAME(mm_wgmma)
SAME(mm_roles)
SAME(mm_persistent)
SAME(mm_store)
SAME(mm_cluster)
