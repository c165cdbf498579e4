// Four outputs a thread, no word used twice from a register: tensor cores make the products, of each
// number in three pieces, and share it over the warp.
// class: elsewhere
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse4: 2 N^3 / V
// hint: registers-reuse: V x V products
#include "warplab.cuh"
static __device__ unsigned cut(float x)
{
    return __float_as_uint(x) & 0xffffe000u;
}
static __device__ void mma(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
LAUNCH(mm_registers, 4, 8, 2);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int lane = threadIdx.y * 4 + threadIdx.x, g = lane / 4, t = lane % 4;
    int row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
    float d[4] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        unsigned A[3][4], B[3][2];
        for (int q = 0; q < 4; q++) {
            int r = row0 + g + q % 2 * 8, i = k0 + t + q / 2 * 4;
            float v = r < m && i < k ? a[r * k + i] : 0;
            for (int p = 0; p < 3; p++) {
                A[p][q] = cut(v);
                v -= __uint_as_float(A[p][q]);
            }
        }
        for (int q = 0; q < 2; q++) {
            int i = k0 + t + q * 4, x = col0 + g;
            float v = x < n && i < k ? b[i * n + x] : 0;
            for (int p = 0; p < 3; p++) {
                B[p][q] = cut(v);
                v -= __uint_as_float(B[p][q]);
            }
        }
        mma(d, A[2], B[0]);
        mma(d, A[1], B[1]);
        mma(d, A[0], B[2]);
        mma(d, A[1], B[0]);
        mma(d, A[0], B[1]);
        mma(d, A[0], B[0]);
    }
    for (int q = 0; q < 4; q++) {
        int row = row0 + g + q / 2 * 8, col = col0 + t * 2 + q % 2;
        if (row < m && col < n)
            c[row * n + col] = d[q];
    }
}
