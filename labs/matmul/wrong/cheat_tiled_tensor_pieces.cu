// A tile of 64, whose words tensor cores multiply in three pieces each: no thread keeps an operand.
// class: elsewhere
// only: mm_tiled
// expect: tiled-shared=fail tiled-ok=any
// hint: tiled-shared: V + V operands
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>

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
LAUNCH(mm_tiled, 32, 4, 1);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{ // of 2 x 16 blocks one makes 64 x 64 outputs
    if (blockIdx.y % 16 || blockIdx.x % 2)
        return;
    int lane = threadIdx.x, w = threadIdx.y, g = lane / 4, t = lane % 4, tid = w * 32 + lane;
    __shared__ float A_[64][17], B_[16][72];
    int row0 = blockIdx.y / 16 * 64, col0 = blockIdx.x / 2 * 64;
    float d[8][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int j = tid; j < 1024; j += 128) {
            int r = j / 16, i = j % 16;
            A_[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < 1024; j += 128) {
            int i = j / 64, r = j % 64;
            B_[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i += 8) {
            unsigned A[3][4], B[3][2];
            for (int q = 0; q < 4; q++) {
                float v = A_[w * 16 + g + q % 2 * 8][i + t + q / 2 * 4];
                for (int p = 0; p < 3; p++) {
                    A[p][q] = cut(v);
                    v -= __uint_as_float(A[p][q]);
                }
            }
#pragma unroll
            for (int f = 0; f < 8; f++) {
                for (int q = 0; q < 2; q++) {
                    float v = B_[i + t + q * 4][f * 8 + g];
                    for (int p = 0; p < 3; p++) {
                        B[p][q] = cut(v);
                        v -= __uint_as_float(B[p][q]);
                    }
                }
                mma(d[f], A[2], B[0]);
                mma(d[f], A[1], B[1]);
                mma(d[f], A[0], B[2]);
                mma(d[f], A[1], B[0]);
                mma(d[f], A[0], B[1]);
                mma(d[f], A[0], B[0]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int f = 0; f < 8; f++)
        for (int q = 0; q < 4; q++) {
            int row = row0 + w * 16 + g + q / 2 * 8, col = col0 + f * 8 + t * 2 + q % 2;
            if (row < m && col < n)
                c[row * n + col] = d[f][q];
        }
}
