/* Thrust and CUB over the whole device, each against the same on the host. Their headers take a
 * compiler seconds to read: one program for all, or for one part: algorithms [cub|thrust|more]. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <map>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

/* ---- CUB, called directly: sort, scan, reduce, and the occupancy templates ---- */

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(e_));                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
#define CUB_MALLOC(function, ...)                                                                  \
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

static int cub_part()
{
    const int n = 30000;
    std::vector<unsigned> h(n), got(n);
    unsigned *in, *out, state = 7, sum = 0;

    for (unsigned &x : h)
        x = (state = state * 1664525u + 1013904223u) >> 10;
    CHECK(cudaMalloc(&in, n * sizeof(*in)));
    CHECK(cudaMalloc(&out, n * sizeof(*out)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(*in), cudaMemcpyHostToDevice));

    CUB_MALLOC(cub::DeviceScan::ExclusiveSum, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(*out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; sum += h[i++])
        if (got[i] != sum)
            return printf("scan: [%d] = %u, not %u\n", i, got[i], sum), 1;
    CUB_MALLOC(cub::DeviceReduce::Sum, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, sizeof(*out), cudaMemcpyDeviceToHost));
    if (got[0] != sum)
        return printf("sum: %u, not %u\n", got[0], sum), 1;
    CUB_MALLOC(cub::DeviceRadixSort::SortKeys, in, out, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(*out), cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end());
    if (got != h)
        return printf("sort\n"), 1;

    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, twice, 0, 256));
    if (block != 256 || grid < 1)
        return printf("occupancy: %d blocks of %d\n", grid, block), 1;
    return 0;
}

/* ---- Thrust, and CUB under it: sort, scan, reduce ---- */

static int thrust_part()
{
    const int n = 50000;
    thrust::host_vector<int> h(n);
    unsigned state = 1;

    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        h[i] = (int)(state >> 8) % 100000;
    }
    thrust::device_vector<int> d = h, scanned(n);
    long long want = 0, got = thrust::reduce(d.begin(), d.end(), 0LL);

    for (int i = 0; i < n; i++)
        want += h[i];
    if (got != want)
        return printf("reduce: %lld, not %lld\n", got, want), 1;
    thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
    thrust::host_vector<int> s = scanned;
    for (int i = 0, sum = 0; i < n; i++)
        if (s[i] != (sum += h[i]))
            return printf("scan: [%d] = %d, not %d\n", i, s[i], sum), 1;
    thrust::sort(d.begin(), d.end());
    thrust::host_vector<int> sorted = d;
    std::sort(h.begin(), h.end());
    for (int i = 0; i < n; i++)
        if (sorted[i] != h[i])
            return printf("sort: [%d] = %d, not %d\n", i, sorted[i], h[i]), 1;
    return 0;
}

/* ---- more of both: by key, in place, merging, histograms, runs, segments ---- */

static int failures;

template <typename A, typename B> static void same(const char *what, const A &device, const B &host)
{
    thrust::host_vector<typename A::value_type> got = device;

    if (got.size() == host.size() && std::equal(host.begin(), host.end(), got.begin()))
        return;
    printf("%s differs (%zu and %zu elements)\n", what, got.size(), host.size());
    failures++;
}

/* Both steps of a CUB algorithm: ask for temporary memory, then run. */
#define CUB(function, ...)                                                                         \
    do {                                                                                           \
        size_t bytes = 0;                                                                          \
        function(nullptr, bytes, __VA_ARGS__);                                                     \
        thrust::device_vector<char> room(bytes);                                                   \
        if (function(thrust::raw_pointer_cast(room.data()), bytes, __VA_ARGS__) != cudaSuccess)    \
            printf("%s failed\n", #function), failures++;                                          \
    } while (0)

struct is_multiple_of_three {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 3 == 0;
    }
};
struct square {
    __host__ __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};

static void in_place(const std::vector<int> &data)
{
    thrust::device_vector<int> d = data;
    std::vector<int> h = data;

    thrust::stable_sort(d.begin(), d.end(), thrust::greater<int>());
    std::stable_sort(h.begin(), h.end(), std::greater<int>());
    same("stable_sort", d, h);
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    h.erase(std::unique(h.begin(), h.end()), h.end());
    same("unique", d, h);
    d.erase(thrust::remove_if(d.begin(), d.end(), is_multiple_of_three()), d.end());
    h.erase(std::remove_if(h.begin(), h.end(), is_multiple_of_three()), h.end());
    same("remove_if", d, h);
}

static void by_key(const std::vector<int> &data)
{
    thrust::device_vector<int> keys = data, values(data.size()), k(data.size()), v(data.size());
    std::map<int, int> sums;

    for (size_t i = 0; i < data.size(); i++)
        sums[data[i] % 100] += (int)i;
    thrust::transform(keys.begin(), keys.end(), thrust::make_constant_iterator(100), keys.begin(),
                      thrust::modulus<int>());
    thrust::sequence(values.begin(), values.end());
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    auto end =
        thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), k.begin(), v.begin());
    std::vector<int> want;
    for (auto &s : sums)
        want.push_back(s.second);
    v.resize(end.second - v.begin());
    same("reduce_by_key", v, want);
}

static void merging(std::vector<int> data)
{
    size_t half = data.size() / 2;
    std::sort(data.begin(), data.begin() + half);
    std::sort(data.begin() + half, data.end());
    thrust::device_vector<int> d = data, merged(data.size());
    std::vector<int> h(data.size());

    thrust::merge(d.begin(), d.begin() + half, d.begin() + half, d.end(), merged.begin());
    std::merge(data.begin(), data.begin() + half, data.begin() + half, data.end(), h.begin());
    same("merge", merged, h);
    long long sum =
        thrust::transform_reduce(d.begin(), d.end(), square(), 0LL, thrust::plus<long long>());
    for (int x : data)
        sum -= square()(x);
    if (sum)
        printf("transform_reduce is off by %lld\n", sum), failures++;
}

static void cub_ones(const std::vector<int> &data)
{
    int n = (int)data.size(), segments = 10;
    thrust::device_vector<int> d = data, histogram(16), unique(n), lengths(n), runs(1), offsets,
                               sums;
    std::vector<int> h(16), bounds, want, sorted = data;

    for (int x : data)
        h[x * 16 / 100000]++;
    CUB(cub::DeviceHistogram::HistogramEven, thrust::raw_pointer_cast(d.data()),
        thrust::raw_pointer_cast(histogram.data()), 17, 0, 100000, n);
    same("histogram", histogram, h);

    for (int i = 0; i <= segments; i++)
        bounds.push_back((int)((long long)n * i / segments));
    for (int i = 0; i < segments; i++)
        want.push_back(std::accumulate(data.begin() + bounds[i], data.begin() + bounds[i + 1], 0));
    offsets = bounds;
    sums.resize(segments);
    CUB(cub::DeviceSegmentedReduce::Sum, thrust::raw_pointer_cast(d.data()),
        thrust::raw_pointer_cast(sums.data()), segments, thrust::raw_pointer_cast(offsets.data()),
        thrust::raw_pointer_cast(offsets.data()) + 1);
    same("segmented reduce", sums, want);

    CUB(cub::DeviceMergeSort::SortKeys, thrust::raw_pointer_cast(d.data()), n, thrust::less<int>());
    std::sort(sorted.begin(), sorted.end());
    same("merge sort", d, sorted);
    CUB(cub::DeviceRunLengthEncode::Encode, thrust::raw_pointer_cast(d.data()),
        thrust::raw_pointer_cast(unique.data()), thrust::raw_pointer_cast(lengths.data()),
        thrust::raw_pointer_cast(runs.data()), n);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    unique.resize(runs[0]);
    same("runs", unique, sorted);
}

static int more_part()
{
    std::vector<int> data(20000);
    unsigned state = 7;

    for (int &x : data) {
        state = state * 1664525u + 1013904223u;
        x = (int)(state >> 8) % 100000;
    }
    in_place(data);
    by_key(data);
    merging(data);
    cub_ones(data);
    return failures || cudaDeviceSynchronize() != cudaSuccess;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*failed)();
    } parts[] = {{"cub", cub_part}, {"thrust", thrust_part}, {"more", more_part}};
    int ran = 0;

    for (auto &part : parts) {
        if (argc > 1 && strcmp(argv[1], part.name))
            continue;
        if (part.failed())
            return 1;
        ran++;
    }
    printf(ran ? "ok\n" : "no such part\n");
    return !ran;
}
