/* CUB, called directly: device-wide sort, scan, reduce, and the occupancy templates. */
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(e_));                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
#define CUB(function, ...)                                                                         \
    do {                                                                                           \
        void *room_ = nullptr;                                                                     \
        size_t bytes_ = 0;                                                                         \
        CHECK(function(room_, bytes_, __VA_ARGS__));                                               \
        CHECK(cudaMalloc(&room_, bytes_));                                                         \
        CHECK(function(room_, bytes_, __VA_ARGS__));                                               \
        CHECK(cudaFree(room_));                                                                    \
    } while (0)

__global__ void twice(float *p)
{
    p[threadIdx.x] *= 2;
}

int main()
{
    const int n = 30000;
    std::vector<unsigned> h(n), got(n);
    unsigned *in, *out, state = 7, sum = 0;

    for (unsigned &x : h)
        x = (state = state * 1664525u + 1013904223u) >> 10;
    CHECK(cudaMalloc(&in, n * sizeof(*in)));
    CHECK(cudaMalloc(&out, n * sizeof(*out)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(*in), cudaMemcpyHostToDevice));

    CUB(cub::DeviceScan::ExclusiveSum, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(*out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; sum += h[i++])
        if (got[i] != sum)
            return printf("scan: [%d] = %u, not %u\n", i, got[i], sum), 1;
    CUB(cub::DeviceReduce::Sum, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, sizeof(*out), cudaMemcpyDeviceToHost));
    if (got[0] != sum)
        return printf("sum: %u, not %u\n", got[0], sum), 1;
    CUB(cub::DeviceRadixSort::SortKeys, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(*out), cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end());
    if (got != h)
        return printf("sort\n"), 1;

    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, twice, 0, 256));
    if (block != 256 || grid < 1)
        return printf("occupancy: %d blocks of %d\n", grid, block), 1;
    printf("ok\n");
    return 0;
}
