// clusters.cu - measures what a launch in clusters of two, and a barrier of the cluster, add to one
// without: event pairs around single launches, by turns; median and quartiles of 300.
//
//   nvcc -O3 -arch=sm_90a -std=c++17 -o clusters clusters.cu && { ./clusters; ./clusters; } >clusters-h200.txt
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

enum { ROUNDS = 330, FIRST = 30, THREADS = 384 };

template <int SYNCS> __global__ void plain(float *p, int n)
{
    for (int i = 0; i < SYNCS; i++)
        __syncthreads();
    if (n)
        *p = 1;
}

template <int SYNCS> __global__ void clustered(float *p, int n)
{
    for (int i = 0; i < SYNCS; i++)
        cooperative_groups::this_cluster().sync();
    if (n)
        *p = 1;
}

struct variant {
    const char *name;
    void (*kernel)(float *, int);
    unsigned cluster;
    std::vector<float> us;
};

static float once(const variant &v, unsigned grid, unsigned shared, cudaEvent_t a, cudaEvent_t b)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute of[1];
    float ms;

    of[0].id = cudaLaunchAttributeClusterDimension;
    of[0].val.clusterDim.x = v.cluster;
    of[0].val.clusterDim.y = of[0].val.clusterDim.z = 1;
    c.gridDim = grid, c.blockDim = THREADS, c.dynamicSmemBytes = shared;
    c.attrs = of, c.numAttrs = v.cluster > 1;
    cudaEventRecord(a);
    if (cudaLaunchKernelEx(&c, v.kernel, (float *)nullptr, 0))
        printf("launch failed\n");
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    return ms * 1000;
}

int main()
{
    variant all[] = {{"plain", plain<0>, 1, {}},
                     {"plain, 2 barriers", plain<2>, 1, {}},
                     {"cluster", clustered<0>, 2, {}},
                     {"cluster, 1 sync", clustered<1>, 2, {}},
                     {"cluster, 2 syncs", clustered<2>, 2, {}},
                     {"cluster, 12 syncs", clustered<12>, 2, {}}};
    const unsigned most = 225 * 1024;
    cudaEvent_t a, b;

    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (const variant &v : all)
        cudaFuncSetAttribute((const void *)v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    for (unsigned shared : {1024u, most})
        for (unsigned grid : {8u, 32u, 132u}) {
            for (variant &v : all)
                v.us.clear();
            for (int r = 0; r < ROUNDS; r++)
                for (variant &v : all) {
                    float us = once(v, grid, shared, a, b);
                    if (r >= FIRST)
                        v.us.push_back(us);
                }
            for (variant &v : all) {
                std::sort(v.us.begin(), v.us.end());
                size_t n = v.us.size();
                printf("%u blocks, %u bytes, %s: %.3f us (%.3f to %.3f)\n", grid, shared, v.name, v.us[n / 2],
                       v.us[n / 4], v.us[3 * n / 4]);
            }
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
