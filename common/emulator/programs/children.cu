// children.cu - kernels that launch kernels: streams of a grid, order, memory, errors, and what the
// device runtime answers. Built with -rdc=true and libcudadevrt.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int n = 1000;

struct step {
    double factor;
    short by;
};

// x = x * factor + by: what came before what can be read off the result.
template <typename T> __global__ void apply(T *x, step s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = (T)(x[i] * s.factor) + s.by;
}

template <typename T> __device__ void launch(T *x, int by, cudaStream_t stream = 0)
{
    apply<<<4, 256, 0, stream>>>(x, step{2, (short)by});
}

// ((0*2+1)*2+2)*2+3 = 11
__global__ void in_order(int *x)
{
    launch(x, 1);
    launch(x, 2);
    launch(x, 3);
}

// children, what was forgotten too, are over before the first of the tail: ((0*2+1)*2+2)*2+3
__global__ void at_the_tail(int *x, int *y)
{
    launch(x, 2, cudaStreamTailLaunch);
    launch(x, 3, cudaStreamTailLaunch);
    launch(y, 1, cudaStreamFireAndForget);
    launch(x, 1);
}

// a stream of its own for each half of the block; one waits for the other
__global__ void streams(int *x, int *y)
{
    __shared__ cudaStream_t s[2];
    __shared__ cudaEvent_t done;

    if (threadIdx.x < 2)
        cudaStreamCreateWithFlags(&s[threadIdx.x], cudaStreamNonBlocking);
    if (threadIdx.x == 0)
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    __syncthreads();
    if (threadIdx.x == 0) {
        launch(x, 1, s[0]);
        cudaEventRecord(done, s[0]);
        cudaStreamWaitEvent(s[1], done, 0);
    }
    __syncthreads();
    if (threadIdx.x == 1) {
        cudaMemcpyAsync(y, x, n * sizeof(int), cudaMemcpyDeviceToDevice, s[1]);
        launch(y, 5, s[1]);
    }
    __syncthreads();
    if (threadIdx.x < 2)
        cudaStreamDestroy(s[threadIdx.x]);
    if (threadIdx.x == 0)
        cudaEventDestroy(done);
}

// what a thread wrote before the launch, and its block before the barrier, its child sees
__global__ void add_shared(int *x, int *from)
{
    extern __shared__ int part[];

    part[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

__global__ void release(int *made)
{
    cudaFree(made);
}

__global__ void memory(int *x)
{
    __shared__ int *made;

    if (threadIdx.x == 0)
        cudaMalloc(&made, blockDim.x * sizeof(int));
    __syncthreads();
    made[threadIdx.x] = 3 * (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        add_shared<<<1, blockDim.x, blockDim.x * sizeof(int)>>>(x, made);
        release<<<1, 1, 0, cudaStreamTailLaunch>>>(made);
    }
}

// a tree of grids: each leaf adds one
__global__ void tree(int *x, int depth)
{
    if (depth == 0)
        atomicAdd(x, 1);
    else
        tree<<<1, 2>>>(x, depth - 1);
}

// with 0: libcudadevrt of CUDA 13.0 fills with that, whatever the value
__global__ void fill(char *x)
{
    cudaMemsetAsync(x, 0, 64, 0);
    cudaMemset2DAsync(x + 67, 8, 0, 2, 4, 0);
    cudaMemcpy2DAsync(x + 32, 8, x + 64, 8, 4, 4, cudaMemcpyDeviceToDevice, 0);
}

// errors and answers, by their places
__global__ void ask(int *out)
{
    cudaFuncAttributes a;
    cudaStream_t s;

    apply<<<1, 2048>>>((int *)nullptr, step{1, 0});
    out[0] = cudaPeekAtLastError();
    out[1] = cudaGetLastError();
    out[2] = cudaGetLastError();
    out[3] = cudaStreamCreateWithFlags(&s, 2);
    out[4] = cudaMemcpyAsync(out, out + 1, 4, cudaMemcpyDeviceToHost, 0);
    out[5] = cudaMemsetAsync(&s, 0, 8, 0);
    out[6] = cudaMemcpy2DAsync(out, 4, out + 8, 4, 8, 2, cudaMemcpyDeviceToDevice, 0);
    cudaGetLastError();
    out[7] = cudaDeviceGetAttribute(&out[8], cudaDevAttrWarpSize, 0);
    cudaGetDevice(&out[9]);
    cudaFuncGetAttributes(&a, apply<float>);
    out[10] = a.maxThreadsPerBlock;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out[11], apply<float>, 1024, 0);
    cudaRuntimeGetVersion(&out[12]);
    out[13] = cudaGetErrorName(cudaErrorInvalidValue)[9];
}

__global__ void wild(int *x)
{
    *x = 1;
}

__global__ void goes_wrong()
{
    wild<<<1, 1>>>((int *)16);
}

static int *x, *y, *host;

static void begin()
{
    CHECK(cudaMemset(x, 0, n * sizeof(int)));
    CHECK(cudaMemset(y, 0, n * sizeof(int)));
}

static void expect(const char *what, const int *at, int i, int value)
{
    CHECK(cudaMemcpy(host, at, n * sizeof(int), cudaMemcpyDeviceToHost));
    if (host[i] != value) {
        printf("%s: [%d] = %d, not %d\n", what, i, host[i], value);
        exit(1);
    }
}

static void answers()
{
    const int expected[] = {cudaErrorInvalidConfiguration,
                            cudaErrorInvalidConfiguration,
                            cudaSuccess,
                            cudaErrorInvalidValue,
                            cudaErrorInvalidMemcpyDirection,
                            cudaErrorInvalidValue,
                            cudaErrorInvalidPitchValue,
                            cudaSuccess,
                            32,
                            0,
                            1024,
                            2,
                            6000, // libcudadevrt's own
                            'I'};

    begin();
    ask<<<1, 1>>>(x);
    for (int i = 0; i < 14; i++)
        expect("ask", x, i, expected[i]);
}

__global__ void one(volatile int *p)
{
    *p = 1;
}
// Its child begins when it has ended: it waits in vain.
__global__ void waits_for_child(volatile int *p)
{
    one<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
    while (*p != 1)
        ;
}

int main(int argc, char **)
{
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    if (argc > 1) {
        waits_for_child<<<1, 1>>>(x);
        return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 0 : 1;
    }
    CHECK(cudaMalloc(&y, n * sizeof(int)));
    host = (int *)malloc(n * sizeof(int));
    begin();
    in_order<<<1, 1>>>(x);
    expect("in_order", x, n - 1, 11);
    begin();
    at_the_tail<<<1, 1>>>(x, y);
    apply<<<4, 256>>>(x, step{1, 1}); // when all of that is over
    expect("at_the_tail", x, n - 1, 12);
    expect("at_the_tail", y, n - 1, 1);
    begin();
    streams<<<1, 64>>>(x, y);
    expect("streams", y, n - 1, 7);
    memory<<<1, 256>>>(x);
    expect("memory", x, 0, 3 * 255);
    begin();
    tree<<<1, 1>>>(x, 6);
    expect("tree", x, 0, 64);
    CHECK(cudaMemset(x, 0xff, n * sizeof(int)));
    fill<<<1, 1>>>((char *)x);
    expect("fill", x, 0, 0);
    expect("fill", x, 16, 0x00ffffff);
    expect("fill", x, 8, 0x00ffffff);
    answers();
    goes_wrong<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) {
        printf("a child's fault did not come back\n");
        return 1;
    }
    printf("ok\n");
    return 0;
}
