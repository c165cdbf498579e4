// ipc.cu - a process for each device writes to memory of all in turn; the first one made it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int n = 100000, most = 16;

// Each process adds one to each element: with atomics, since they run side by side.
__global__ void grow(unsigned *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd_system(&x[i], 1u);
}

struct handles {
    int devices;
    cudaIpcMemHandle_t memory[most];
    cudaIpcEventHandle_t event[most];
};

static int child(int device)
{
    handles h;

    if (read(0, &h, sizeof(h)) != sizeof(h))
        return 1;
    CHECK(cudaSetDevice(device));
    for (int i = 0; i < h.devices; i++) {
        unsigned *x;
        cudaEvent_t event;

        CHECK(cudaIpcOpenMemHandle((void **)&x, h.memory[i], cudaIpcMemLazyEnablePeerAccess));
        CHECK(cudaIpcOpenEventHandle(&event, h.event[i]));
        CHECK(cudaStreamWaitEvent(0, event, 0));
        grow<<<(n + 255) / 256, 256>>>(x);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaIpcCloseMemHandle(x));
        CHECK(cudaEventDestroy(event));
    }
    return 0;
}

static pid_t start(const char *self, int device, const handles *h)
{
    char number[16];
    int pipes[2];

    snprintf(number, sizeof(number), "%d", device);
    if (pipe(pipes) || write(pipes[1], h, sizeof(*h)) != sizeof(*h))
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[0], 0);
        execl(self, self, number, (char *)NULL);
        _exit(1);
    }
    close(pipes[0]);
    close(pipes[1]);
    return pid;
}

int main(int argc, char **argv)
{
    static unsigned host[n];
    unsigned *x[most];
    cudaEvent_t event[most];
    handles h;
    pid_t pid[most];
    int status;

    if (argc > 1)
        return child(atoi(argv[1]));
    memset(&h, 0, sizeof(h));
    CHECK(cudaGetDeviceCount(&h.devices));
    h.devices = h.devices < most ? h.devices : most;
    for (int i = 0; i < h.devices; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaMalloc(&x[i], sizeof(host)));
        CHECK(cudaMemset(x[i], 0, sizeof(host)));
        CHECK(cudaIpcGetMemHandle(&h.memory[i], x[i]));
        CHECK(cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming | cudaEventInterprocess));
        CHECK(cudaIpcGetEventHandle(&h.event[i], event[i]));
        CHECK(cudaEventRecord(event[i]));
        CHECK(cudaDeviceSynchronize());
    }
    for (int i = 0; i < h.devices; i++)
        pid[i] = start(argv[0], i, &h);
    for (int i = 0; i < h.devices; i++) {
        if (waitpid(pid[i], &status, 0) != pid[i] || status != 0) {
            printf("process %d: status %d\n", i, status);
            return 1;
        }
    }
    for (int i = 0; i < h.devices; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaMemcpy(host, x[i], sizeof(host), cudaMemcpyDeviceToHost));
        for (int k = 0; k < n; k++) {
            if (host[k] != (unsigned)h.devices) {
                printf("x[%d][%d] is %u, not %d\n", i, k, host[k], h.devices);
                return 1;
            }
        }
        CHECK(cudaFree(x[i]));
        CHECK(cudaEventDestroy(event[i]));
    }
    printf("ok %d\n", h.devices);
    return 0;
}
