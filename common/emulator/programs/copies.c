/* Plain C against the runtime: 2-D and 3-D copies and fills, pinned memory, pointers. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (%s)\n", __LINE__, #condition,                                     \
                   cudaGetErrorName(cudaGetLastError()));                                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { W = 10, H = 6, D = 3 };

static void two_dimensions(void)
{
    unsigned char in[H][W], out[H][W] = {{0}}, *p;
    size_t pitch;

    for (int i = 0; i < H * W; i++)
        in[i / W][i % W] = (unsigned char)i;
    EXPECT(cudaMallocPitch((void **)&p, &pitch, W, H) == cudaSuccess && pitch >= W);
    EXPECT(cudaMemset2D(p, pitch, 0xee, W, H) == cudaSuccess);
    EXPECT(cudaMemcpy2D(p, pitch, in, W, W, H - 1, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaMemcpy2D(out, W, p, pitch, W, H, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(memcmp(in, out, (H - 1) * W) == 0 && out[H - 1][W - 1] == 0xee);
    EXPECT(cudaMemcpy2D(p, W - 1, in, W, W, H, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(p, pitch, in, W, W, H + 1, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue);
    EXPECT(cudaFree(p) == cudaSuccess);
}

static void three_dimensions(void)
{
    struct cudaExtent extent = {W, H, D}, part = {2, 2, 2};
    struct cudaPitchedPtr q;
    static unsigned char out[D][H][W];
    struct cudaMemcpy3DParms c = {0};

    EXPECT(cudaMalloc3D(&q, extent) == cudaSuccess);
    EXPECT(cudaMemset3D(q, 1, extent) == cudaSuccess);
    EXPECT(cudaMemset3D(q, 9, part) == cudaSuccess);
    c.srcPtr = q;
    c.dstPtr = (struct cudaPitchedPtr){out, W, W, H};
    c.extent = extent;
    c.kind = cudaMemcpyDeviceToHost;
    EXPECT(cudaMemcpy3D(&c) == cudaSuccess);
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                EXPECT(out[z][y][x] == (z < 2 && y < 2 && x < 2 ? 9 : 1));
    EXPECT(cudaFree(q.ptr) == cudaSuccess);
}

static void host_memory(void)
{
    struct cudaPointerAttributes a;
    int *pinned, *device, *own = malloc(4096);
    void *mapped;

    EXPECT(cudaMallocHost((void **)&pinned, 4096) == cudaSuccess);
    pinned[3] = 42;
    EXPECT(cudaPointerGetAttributes(&a, pinned) == cudaSuccess && a.type == cudaMemoryTypeHost);
    EXPECT(cudaHostGetDevicePointer(&mapped, pinned, 0) == cudaSuccess && mapped == pinned);
    EXPECT(cudaMalloc((void **)&device, 4096) == cudaSuccess);
    EXPECT(cudaPointerGetAttributes(&a, device) == cudaSuccess && a.type == cudaMemoryTypeDevice &&
           a.device == 0 && a.hostPointer == NULL);
    EXPECT(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, 0) == cudaSuccess);
    EXPECT(cudaPointerGetAttributes(&a, own) == cudaSuccess &&
           a.type == cudaMemoryTypeUnregistered);
    EXPECT(cudaHostRegister(own, 4096, cudaHostRegisterDefault) == cudaSuccess);
    EXPECT(cudaHostRegister(own, 4096, 0) == cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaMemcpy(own, device, 4096, cudaMemcpyDefault) == cudaSuccess && own[3] == 42);
    EXPECT(cudaHostUnregister(own) == cudaSuccess);
    EXPECT(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered);
    EXPECT(cudaFree(pinned) == cudaErrorInvalidValue);
    EXPECT(cudaFreeHost(pinned) == cudaSuccess);
    EXPECT(cudaFree(device) == cudaSuccess);
    free(own);
}

/* Untouched memory costs nothing: 4 GiB are there at once. */
static void large(void)
{
    size_t before, after, total, size = (size_t)4 << 30;
    char *p, byte = 1;

    EXPECT(cudaMemGetInfo(&before, &total) == cudaSuccess);
    EXPECT(cudaMalloc((void **)&p, size) == cudaSuccess);
    EXPECT(cudaMemGetInfo(&after, &total) == cudaSuccess && before - after == size);
    EXPECT(cudaMemcpy(p + size - 1, &byte, 1, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaFree(p) == cudaSuccess);
}

int main(void)
{
    two_dimensions();
    three_dimensions();
    host_memory();
    large();
    printf("ok\n");
    return 0;
}
