// fft.cu - a program on cuFFT: a kernel between a transform and its inverse, errors, work areas.
//
// What it says of errors is held to a GPU's cuFFT by `make test-gpu-programs`.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cufft.h>
#include <vector>

#define EXPECT(x)                                                                                  \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            std::printf("line %d: %s\n", __LINE__, #x);                                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void scale(cufftComplex *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        x[i].x *= by;
        x[i].y *= by;
    }
}

// A plane there and back, real to complex, on a stream of its own.
static int there_and_back()
{
    const int nx = 48, ny = 40, half = ny / 2 + 1;
    std::vector<float> in(nx * ny), out(nx * ny);
    cufftHandle to, back;
    cufftComplex *spectrum;
    float *plane;
    cudaStream_t stream;

    for (int i = 0; i < nx * ny; i++)
        in[i] = (float)(i * 7 % 31) / 31;
    EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
    EXPECT(cudaMalloc(&plane, sizeof(float) * nx * ny) == cudaSuccess);
    EXPECT(cudaMalloc(&spectrum, sizeof(cufftComplex) * nx * half) == cudaSuccess);
    EXPECT(cufftPlan2d(&to, nx, ny, CUFFT_R2C) == CUFFT_SUCCESS);
    EXPECT(cufftPlan2d(&back, nx, ny, CUFFT_C2R) == CUFFT_SUCCESS);
    EXPECT(cufftSetStream(to, stream) == CUFFT_SUCCESS);
    EXPECT(cufftSetStream(back, stream) == CUFFT_SUCCESS);
    cudaMemcpyAsync(plane, in.data(), sizeof(float) * nx * ny, cudaMemcpyHostToDevice, stream);
    EXPECT(cufftExecR2C(to, plane, spectrum) == CUFFT_SUCCESS);
    scale<<<(nx * half + 255) / 256, 256, 0, stream>>>(spectrum, nx * half, 1.f / (nx * ny));
    EXPECT(cufftExecC2R(back, spectrum, plane) == CUFFT_SUCCESS);
    cudaMemcpyAsync(out.data(), plane, sizeof(float) * nx * ny, cudaMemcpyDeviceToHost, stream);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    for (int i = 0; i < nx * ny; i++)
        EXPECT(std::fabs(in[i] - out[i]) <= 1e-5);
    EXPECT(cufftDestroy(to) == CUFFT_SUCCESS && cufftDestroy(back) == CUFFT_SUCCESS);
    cudaFree(plane);
    cudaFree(spectrum);
    cudaStreamDestroy(stream);
    return 0;
}

// Columns of a matrix, in double precision: strides.
static int columns()
{
    const int rows = 35, cols = 6;
    int n[] = {rows}, embed[] = {rows};
    std::vector<std::complex<double>> in(rows * cols), out(rows * cols);
    cufftDoubleComplex *data;
    cufftHandle plan;

    for (int i = 0; i < rows * cols; i++)
        in[i] = {std::sin(i), std::cos(3 * i)};
    EXPECT(cudaMalloc(&data, sizeof(in[0]) * rows * cols) == cudaSuccess);
    cudaMemcpy(data, in.data(), sizeof(in[0]) * rows * cols, cudaMemcpyHostToDevice);
    EXPECT(cufftPlanMany(&plan, 1, n, embed, cols, 1, embed, cols, 1, CUFFT_Z2Z, cols) ==
           CUFFT_SUCCESS);
    EXPECT(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS);
    cudaMemcpy(out.data(), data, sizeof(in[0]) * rows * cols, cudaMemcpyDeviceToHost);
    for (int c = 0; c < cols; c++)
        for (int k = 0; k < rows; k++) {
            std::complex<double> sum;

            for (int j = 0; j < rows; j++)
                sum += in[j * cols + c] * std::polar(1.0, -2 * M_PI * j * k / rows);
            EXPECT(std::abs(sum - out[k * cols + c]) <= 1e-11);
        }
    EXPECT(cufftDestroy(plan) == CUFFT_SUCCESS);
    cudaFree(data);
    return 0;
}

static int refusals()
{
    cufftHandle plan;
    size_t size;
    int version;

    EXPECT(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    EXPECT(cufftPlan1d(&plan, 16, (cufftType)7, 1) == CUFFT_INVALID_TYPE);
    EXPECT(cufftDestroy(12345) == CUFFT_INVALID_PLAN);
    EXPECT(cufftCreate(&plan) == CUFFT_SUCCESS);
    EXPECT(cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, &size) == CUFFT_SUCCESS);
    EXPECT(cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, &size) == CUFFT_INVALID_PLAN);
    EXPECT(cufftDestroy(plan) == CUFFT_SUCCESS);
    EXPECT(cufftGetVersion(&version) == CUFFT_SUCCESS && version / 1000 == 12);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}

int main()
{
    if (there_and_back() || columns() || refusals())
        return 1;
    std::printf("ok\n");
    return 0;
}
