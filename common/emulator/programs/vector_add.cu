/* The first program of any course: copies, a launch, an event pair. */
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 100000;
    std::vector<float> a(n), b(n), c(n);
    float *da, *db, *dc, ms = -1;
    cudaEvent_t start, stop;

    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    CHECK(cudaMalloc(&da, n * sizeof(float)));
    CHECK(cudaMalloc(&db, n * sizeof(float)));
    CHECK(cudaMalloc(&dc, n * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        if (c[i] != 3.0f * i) {
            printf("c[%d] = %g\n", i, c[i]);
            return 1;
        }
    }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    printf("ok %s\n", ms > 0 && ms < 100 ? "timed" : "not timed");
    return ms > 0 && ms < 100 ? 0 : 1;
}
