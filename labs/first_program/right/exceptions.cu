// C++: vectors, objects that free what they hold, and an exception for each error.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

__global__ void saxpy(uint32_t n, float a, const float *x, float *y)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}

static void must(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(e));
}

static bool stays; // a destructor throws nothing

static void given_back(cudaError_t e)
{
    if (e != cudaSuccess)
        std::cerr << "not given back: " << cudaGetErrorName(e) << "\n";
    stays = stays || e != cudaSuccess;
}

struct array {
    float *p = nullptr;
    explicit array(size_t n) { must(cudaMalloc(&p, n * sizeof(float)), "allocation"); }
    array(const array &) = delete;
    ~array() { given_back(cudaFree(p)); }
};

struct event {
    cudaEvent_t e = nullptr;
    event() { must(cudaEventCreate(&e), "event"); }
    event(const event &) = delete;
    ~event() { given_back(cudaEventDestroy(e)); }
    void record() { must(cudaEventRecord(e), "event"); }
    float since(const event &before) const
    {
        float ms;
        must(cudaEventSynchronize(e), "event");
        must(cudaEventElapsedTime(&ms, before.e, e), "event");
        return ms;
    }
};

static void tell(const char *what, double ms, double bytes)
{
    std::cout << what << " " << ms << " ms " << bytes / ms / 1e6 << " GB/s\n";
}

static std::vector<float> on_device(float a, const std::vector<float> &x, std::vector<float> y)
{
    uint32_t n = (uint32_t)x.size();
    array dx(n), dy(n);
    event begin, there, done, back;

    begin.record();
    must(cudaMemcpy(dx.p, x.data(), 4 * (size_t)n, cudaMemcpyHostToDevice), "copy of x");
    must(cudaMemcpy(dy.p, y.data(), 4 * (size_t)n, cudaMemcpyHostToDevice), "copy of y");
    there.record();
    if (n)
        saxpy<<<(n + 127) / 128, 128>>>(n, a, dx.p, dy.p);
    must(cudaGetLastError(), "launch");
    done.record();
    must(cudaMemcpy(y.data(), dy.p, 4 * (size_t)n, cudaMemcpyDeviceToHost), "copy back");
    back.record();
    tell("to_device", there.since(begin), 8.0 * n);
    tell("kernel", done.since(there), 12.0 * n);
    tell("to_host", back.since(done), 4.0 * n);
    return y;
}

static void compare(float a, const std::vector<float> &x, const std::vector<float> &y,
                    const std::vector<float> &result)
{
    std::vector<float> expected(x.size());
    auto begin = std::chrono::steady_clock::now();

    for (size_t i = 0; i < x.size(); i++)
        expected[i] = a * x[i] + y[i];
    std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
    tell("cpu", ms.count(), 12.0 * x.size());
    for (size_t i = 0; i < x.size(); i++)
        if (!(std::fabs(result[i] - expected[i]) <= 1e-5f))
            throw std::runtime_error("wrong at " + std::to_string(i));
}

int main(int argc, char **argv)
try {
    uint32_t n = 0;
    float a = 0;
    std::ifstream in(argc > 1 ? argv[1] : "", std::ios::binary);

    in.read((char *)&n, 4).read((char *)&a, 4);
    std::vector<float> x(n), y(n);
    in.read((char *)x.data(), 4 * (std::streamsize)n).read((char *)y.data(), 4 * (std::streamsize)n);
    if (!in || argc != 3)
        throw std::runtime_error("usage: saxpy INPUT OUTPUT");
    std::vector<float> result = on_device(a, x, y);
    std::ofstream out(argv[2], std::ios::binary);
    out.write((const char *)result.data(), 4 * (std::streamsize)n).flush();
    if (!out)
        throw std::runtime_error("the result cannot be written");
    compare(a, x, y, result);
    return stays;
} catch (const std::exception &e) {
    std::cerr << e.what() << std::endl;
    return 1;
}
