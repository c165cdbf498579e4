/* bench.cu - the fixed kernels of make bench-emulator. Each is called (in, out, n). */
#include "warplab.cuh"

/* The lecture's first reduction: interleaved addressing, half of each warp off. */
KERNEL reduce_divergent(const int *in, int *out, unsigned n)
{
    __shared__ int s[128];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (tid % (2 * step) == 0)
            s[tid] += s[tid + step];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* Square matrices of side n, one output a thread. */
KERNEL matmul_naive(const float *in, float *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, row = x / n, column = x % n;
    float sum = 0;

    if (row >= n)
        return;
    for (unsigned k = 0; k < n; k++)
        sum += in[row * n + k] * in[k * n + column];
    out[x] = sum;
}

KERNEL fma_loop(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i % n], b = a;

    for (int k = 0; k < 1024; k++) {
        a = a * 0.999f + 0.5f;
        b = b * 0.998f + 0.25f;
    }
    out[i] = a + b;
}

KERNEL copy(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

/* Tiles of 32 × 32 through padded shared memory; n is a power of 4. */
KERNEL transpose(const float *in, float *out, unsigned n)
{
    __shared__ float tile[32][33];
    unsigned side = 1;

    while (side * side < n)
        side *= 2;
    unsigned tiles = side / 32, bx = blockIdx.x % tiles * 32, by = blockIdx.x / tiles * 32;
    unsigned tx = threadIdx.x % 32, ty = threadIdx.x / 32;

    for (unsigned j = ty; j < 32; j += blockDim.x / 32)
        tile[j][tx] = in[(by + j) * side + bx + tx];
    __syncthreads();
    for (unsigned j = ty; j < 32; j += blockDim.x / 32)
        out[(bx + j) * side + by + tx] = tile[tx][j];
}

KERNEL atomics(const int *in, int *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&out[(unsigned)in[i] % 256], 1);
}

/* ---- tensor instructions: n rounds of eight a warp, a fused operation for each product ---- */

/* Two numbers of a half's digits each, of any type: words that differ from lane to lane. */
static __device__ unsigned some_words(const unsigned *in, unsigned k)
{
    unsigned x = (threadIdx.x + 32 * k + in[threadIdx.x]) * 2654435761u;

    return (x & 0x07f707f7) | 0x38003800; /* halves of 0.5 to 2; no byte is NaN */
}

#define MMA_KERNEL(name, instruction, sums)                                                        \
    KERNEL name(const unsigned *in, unsigned *out, unsigned n)                                     \
    {                                                                                              \
        unsigned a[4], b[2], c[8][4] = {}, all = 0;                                                \
                                                                                                   \
        for (int k = 0; k < 4; k++)                                                                \
            a[k] = some_words(in, k);                                                              \
        for (int k = 0; k < 2; k++)                                                                \
            b[k] = some_words(in, 4 + k);                                                          \
        for (unsigned i = 0; i < n; i++)                                                           \
            for (int j = 0; j < 8; j++)                                                            \
                asm volatile("mma.sync.aligned." instruction " " sums                              \
                             : "+r"(c[j][0]), "+r"(c[j][1]), "+r"(c[j][2]), "+r"(c[j][3])          \
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  \
        for (int j = 0; j < 32; j++)                                                               \
            all ^= c[j / 4][j % 4];                                                                \
        out[blockIdx.x * blockDim.x + threadIdx.x] = all;                                          \
    }
#define FOUR "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define TWO  "{%0, %1}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1};"
MMA_KERNEL(mma_f16, "m16n8k16.row.col.f32.f16.f16.f32", FOUR)
MMA_KERNEL(mma_f16_f16, "m16n8k16.row.col.f16.f16.f16.f16", TWO)
MMA_KERNEL(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", FOUR)
MMA_KERNEL(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", FOUR)
MMA_KERNEL(mma_s8, "m16n8k32.row.col.s32.s8.s8.s32", FOUR)

KERNEL mma_f64(const unsigned *in, double *out, unsigned n)
{
    double a = some_words(in, 0), b = some_words(in, 1), c[8][2] = {}, all = 0;

    for (unsigned i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
                         "{%0, %1};"
                         : "+d"(c[j][0]), "+d"(c[j][1])
                         : "d"(a), "d"(b));
    for (int j = 0; j < 16; j++)
        all += c[j / 2][j % 2];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

KERNEL wmma_f16(const unsigned *in, float *out, unsigned n)
{
    unsigned a[8];
    float c[8] = {}, all = 0;

    for (int k = 0; k < 8; k++)
        a[k] = some_words(in, k);
    for (unsigned i = 0; i < 8 * n; i++)
        asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, "
                     "%7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%8, %9, %10, %11, %12, %13, "
                     "%14, %15}, {%0, %1, %2, %3, %4, %5, %6, %7};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
                       "+f"(c[6]), "+f"(c[7])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]),
                       "r"(a[7]));
    for (int j = 0; j < 8; j++)
        all += c[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/* Both factors from shared memory, a load for each product: rows of a, columns of b, 16 bytes more
 * than they need apart. */
#define WMMA_KERNEL(name, shape, sums, factors, type, line, elements)                              \
    KERNEL name(const unsigned *in, float *out, unsigned n)                                        \
    {                                                                                              \
        __shared__ alignas(32) unsigned tiles[2][16 * (line / 4 + 4)];                             \
        unsigned a = (unsigned)__cvta_generic_to_shared(tiles), b = a + sizeof(tiles[0]);          \
        float c[8] = {}, all = 0;                                                                  \
                                                                                                   \
        for (unsigned k = threadIdx.x; k < sizeof(tiles) / 4; k += blockDim.x)                     \
            tiles[0][k] = some_words(in, k);                                                       \
        __syncthreads();                                                                           \
        for (unsigned i = 0; i < 4 * n; i++)                                                       \
            asm volatile(                                                                          \
                "{ .reg .b32 a<8>, b<8>;\n"                                                        \
                "wmma.load.a.sync.aligned.row." shape ".shared." type " {" factors("a") "}, "      \
                "[%8], " elements ";\n"                                                            \
                "wmma.load.b.sync.aligned.col." shape ".shared." type " {" factors("b") "}, "      \
                "[%9], " elements ";\n" PRODUCT(shape, sums, factors) PRODUCT(shape, sums, factors) \
                "}"                                                                                \
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),          \
                  "+f"(c[6]), "+f"(c[7])                                                           \
                : "r"(a), "r"(b));                                                                 \
        for (int j = 0; j < 8; j++)                                                                \
            all += c[j];                                                                           \
        out[blockIdx.x * blockDim.x + threadIdx.x] = all;                                          \
    }
#define PRODUCT(shape, sums, factors)                                                              \
    "wmma.mma.sync.aligned.row.col." shape "." sums " {%0, %1, %2, %3, %4, %5, %6, %7}, "          \
    "{" factors("a") "}, {" factors("b") "}, {%0, %1, %2, %3, %4, %5, %6, %7};\n"
#define OF_FOUR(x)  x "0, " x "1, " x "2, " x "3"
#define OF_EIGHT(x) OF_FOUR(x) ", " x "4, " x "5, " x "6, " x "7"
WMMA_KERNEL(wmma_shared_f16, "m16n16k16", "f32.f32", OF_EIGHT, "f16", 32, "24")
WMMA_KERNEL(wmma_shared_bf16, "m16n16k16", "f32.bf16.bf16.f32", OF_FOUR, "bf16", 32, "24")
WMMA_KERNEL(wmma_shared_tf32, "m16n16k8", "f32.tf32.tf32.f32", OF_FOUR, "tf32", 32, "12")

KERNEL wmma_shared_f64(const unsigned *in, double *out, unsigned n)
{
    __shared__ alignas(32) unsigned tiles[2][8 * 12];
    unsigned a = (unsigned)__cvta_generic_to_shared(tiles), b = a + sizeof(tiles[0]);
    double c[2] = {}, all = 0;

    for (unsigned k = threadIdx.x; k < sizeof(tiles) / 4; k += blockDim.x)
        tiles[0][k] = some_words(in, k);
    __syncthreads();
    for (unsigned i = 0; i < 4 * n; i++)
        asm volatile("{ .reg .f64 a, b;\n"
                     "wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {a}, [%2], 6;\n"
                     "wmma.load.b.sync.aligned.col.m8n8k4.shared.f64 {b}, [%3], 6;\n"
                     "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%0, %1}, {a}, {b}, "
                     "{%0, %1};\n"
                     "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%0, %1}, {a}, {b}, "
                     "{%0, %1}; }"
                     : "+d"(c[0]), "+d"(c[1])
                     : "r"(a), "r"(b));
    for (int j = 0; j < 2; j++)
        all += c[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/* Both factors in shared memory, chunk by chunk, not swizzled: 64 x 16 by 16 x 64. */
#define WGMMA_KERNEL(name, instruction, turned)                                                    \
    KERNEL name(const unsigned *in, float *out, unsigned n)                                        \
    {                                                                                              \
        __shared__ alignas(128) unsigned tiles[2][512];                                            \
        unsigned at = (unsigned)__cvta_generic_to_shared(tiles) >> 4, tid = threadIdx.x;           \
        unsigned long long a = at | 8ull << 16 | 16ull << 32, b = a + 128;                         \
        float c[32] = {}, all = 0;                                                                 \
                                                                                                   \
        for (unsigned k = 0; k < 8; k++)                                                           \
            tiles[0][tid + 128 * k] = some_words(in, k);                                           \
        asm volatile("fence.proxy.async;");                                                        \
        __syncthreads();                                                                           \
        for (unsigned i = 0; i < 8 * n; i++)                                                       \
            asm volatile(                                                                          \
                "{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"                                           \
                "wgmma.mma_async.sync.aligned." instruction " {%0, %1, %2, %3, %4, %5, %6, %7, "   \
                "%8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "   \
                "%24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1" turned "; }"          \
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),          \
                  "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]),        \
                  "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]),    \
                  "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),    \
                  "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),    \
                  "+f"(c[30]), "+f"(c[31])                                                         \
                : "l"(a), "l"(b));                                                                 \
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;");        \
        for (int j = 0; j < 32; j++)                                                               \
            all += c[j];                                                                           \
        out[blockIdx.x * blockDim.x + threadIdx.x] = all;                                          \
    }
WGMMA_KERNEL(wgmma_f16, "m64n64k16.f32.f16.f16", ", 0, 1")
WGMMA_KERNEL(wgmma_e4m3, "m64n64k32.f32.e4m3.e4m3", "")

/* Rows 80 bytes apart, so that no two of a matrix meet in a bank. */
KERNEL ldmatrix(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ alignas(16) unsigned tile[32 * 20];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * 80, all = 0, r[4];

    for (unsigned k = threadIdx.x; k < 32 * 20; k += blockDim.x)
        tile[k] = some_words(in, k);
    __syncthreads();
    for (unsigned i = 0; i < 4 * n; i++) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at));
        all ^= r[0] ^ r[1] ^ r[2] ^ r[3];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at));
        all ^= r[0] ^ r[1] ^ r[2] ^ r[3];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
