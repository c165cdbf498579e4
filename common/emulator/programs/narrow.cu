/* Products of matrices of 4-bit numbers and of single bits: by wmma, and by mma.sync in its largest
 * shapes, whose fragments are the ISA's (PTX ISA 9.7.14.5). */
#include <cstdio>
#include <cstdlib>
#include <mma.h>
using namespace nvcuda::wmma;
namespace narrow = nvcuda::wmma::experimental;

typedef fragment<accumulator, 8, 8, 32, int> sums;
template <typename A> __global__ void by_wmma(const int *a, const int *b, int *c)
{
    fragment<matrix_a, 8, 8, 32, A, row_major> fa;
    fragment<matrix_b, 8, 8, 32, A, col_major> fb;
    sums fc;

    load_matrix_sync(fa, a, 64); /* numbers: every second row of four words */
    load_matrix_sync(fb, b, 32);
    load_matrix_sync(fc, c, 8, mem_row_major);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 8, mem_row_major);
}
__global__ void bits_by_wmma(const int *a, const int *b, int *c, bool exclusive)
{
    fragment<matrix_a, 8, 8, 128, narrow::precision::b1, row_major> fa;
    fragment<matrix_b, 8, 8, 128, narrow::precision::b1, col_major> fb;
    fragment<accumulator, 8, 8, 128, int> fc;

    load_matrix_sync(fa, a, 256);
    load_matrix_sync(fb, b, 128);
    load_matrix_sync(fc, c, 8, mem_row_major);
    if (exclusive)
        bmma_sync(fc, fa, fb, fc, narrow::bmmaBitOpXOR);
    else
        bmma_sync(fc, fa, fb, fc, narrow::bmmaBitOpAND);
    store_matrix_sync(c, fc, 8, mem_row_major);
}
/* Words k and k + 1 of lane l are at 32k + l. */
#define MMA(name, form)                                                                            \
    __global__ void name(const int *a, const int *b, int *c)                                       \
    {                                                                                              \
        int l = threadIdx.x;                                                                       \
        asm volatile("mma.sync.aligned." form                                                      \
                     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"            \
                     : "+r"(c[l]), "+r"(c[32 + l]), "+r"(c[64 + l]), "+r"(c[96 + l])               \
                     : "r"(a[l]), "r"(a[32 + l]), "r"(a[64 + l]), "r"(a[96 + l]), "r"(b[l]),       \
                       "r"(b[32 + l]));                                                            \
    }
MMA(mixed, "m16n8k64.row.col.s32.s4.u4.s32")
MMA(clamped, "m16n8k64.row.col.satfinite.s32.s4.s4.s32")
MMA(common, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
MMA(different, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

/* ---- by hand ---- */
static int part(int word, int i, int bits, bool is_signed)
{
    int v = (int)((unsigned)word >> i * bits & ((1u << bits) - 1));

    return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}
struct kind {
    int bits;
    bool a_signed, b_signed, exclusive, clamps;
};
static int product(int a, int b, const kind &k)
{
    int sum = 0;

    for (int i = 0; i < 32 / k.bits; i++) {
        int x = part(a, i, k.bits, k.a_signed), y = part(b, i, k.bits, k.b_signed);
        sum += k.exclusive ? x ^ y : x * y;
    }
    return sum;
}
static int add(long long sum, const kind &k)
{
    if (k.clamps)
        sum = sum > 0x7fffffff ? 0x7fffffff : sum < -0x80000000ll ? -0x80000000ll : sum;
    return (int)sum;
}
static bool wmma_is(const int *a, const int *b, const int *before, const int *c, const kind &k)
{
    for (int i = 0; i < 64; i++) {
        long long sum = before[i];
        for (int q = 0; q < 4; q++)
            sum += product(a[i / 8 * 8 + q], b[i % 8 * 4 + q], k);
        if (c[i] != add(sum, k))
            return false;
    }
    return true;
}
static bool mma_is(const int *a, const int *b, const int *before, const int *c, const kind &k)
{
    for (int row = 0; row < 16; row++)
        for (int col = 0; col < 8; col++) {
            int at = (row / 8 * 2 + col % 2) * 32 + row % 8 * 4 + col / 2;
            long long sum = before[at];
            for (int q = 0; q < 8; q++)
                sum += product(a[(row / 8 + q / 4 * 2) * 32 + row % 8 * 4 + q % 4],
                               b[q / 4 * 32 + col * 4 + q % 4], k);
            if (c[at] != add(sum, k))
                return false;
        }
    return true;
}

#define EXPECT(launch, is, ...)                                                                    \
    do {                                                                                           \
        for (int i = 0; i < 128; i++) {                                                            \
            a[i] = rand() * 3;                                                                     \
            b[i] = rand() * 3;                                                                     \
            before[i] = c[i] = i % 5 ? i : i % 2 ? 0x7fffffff : -0x7fffffff - 1;                   \
        }                                                                                          \
        launch;                                                                                    \
        cudaError_t e = cudaDeviceSynchronize();                                                   \
        if (e || !is(a, b, before, c, kind{__VA_ARGS__})) {                                        \
            printf("line %d: %s (%s)\n", __LINE__, #launch, cudaGetErrorName(e));                  \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    int *a, *b, *c, before[128];

    if (cudaMallocManaged(&a, 512) || cudaMallocManaged(&b, 512) || cudaMallocManaged(&c, 512))
        return 1;
    EXPECT((by_wmma<narrow::precision::s4><<<1, 32>>>(a, b, c)), wmma_is, 4, true, true);
    EXPECT((by_wmma<narrow::precision::u4><<<1, 32>>>(a, b, c)), wmma_is, 4);
    EXPECT((bits_by_wmma<<<1, 32>>>(a, b, c, false)), wmma_is, 1);
    EXPECT((bits_by_wmma<<<1, 32>>>(a, b, c, true)), wmma_is, 1, false, false, true);
    EXPECT((mixed<<<1, 32>>>(a, b, c)), mma_is, 4, true, false);
    EXPECT((clamped<<<1, 32>>>(a, b, c)), mma_is, 4, true, true, false, true);
    EXPECT((common<<<1, 32>>>(a, b, c)), mma_is, 1);
    EXPECT((different<<<1, 32>>>(a, b, c)), mma_is, 1, false, false, true);
    printf("ok\n");
    return 0;
}
