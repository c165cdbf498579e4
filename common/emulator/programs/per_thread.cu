/* Built with --default-stream per-thread: the API under its other names. */
#include <cstdio>
#include <thread>

__global__ void set(int *p, int value)
{
    p[threadIdx.x] = value;
}

static void work(int value, int *wrong)
{
    int *p, host[32];

    *wrong = 1;
    if (cudaMallocAsync((void **)&p, sizeof(host), 0))
        return;
    set<<<1, 32>>>(p, value);
    if (cudaMemcpyAsync(host, p, sizeof(host), cudaMemcpyDeviceToHost, 0) ||
        cudaStreamSynchronize(0) || cudaFreeAsync(p, 0))
        return;
    *wrong = host[0] != value || host[31] != value;
}

int main()
{
    int wrong[4];
    std::thread t[4];

    for (int i = 0; i < 4; i++)
        t[i] = std::thread(work, i + 1, &wrong[i]);
    for (int i = 0; i < 4; i++)
        t[i].join();
    if (wrong[0] | wrong[1] | wrong[2] | wrong[3])
        return printf("wrong\n"), 1;
    printf("ok\n");
    return 0;
}
