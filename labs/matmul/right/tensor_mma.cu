// Right: mma.sync and ldmatrix written out in PTX, two warps of 16 x 32 outputs, k by 16.
// only: mm_tensor
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>

#define L 32
#define S 32

static __device__ void ldmatrix4(unsigned r[4], const half *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(p)));
}

static __device__ void ldmatrix2_trans(unsigned r[2], const half *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"((unsigned)__cvta_generic_to_shared(p)));
}

static __device__ void mma(float c[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

LAUNCH(mm_tensor, 64, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) half sa[L][S + 8], sb[S][L + 8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[4][4] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = threadIdx.x; j < L * S; j += 64) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : half(0);
            sb[r][i] = k0 + r < k && col0 + i < n ? b[(k0 + r) * n + col0 + i] : half(0);
        }
        __syncthreads();
        for (int i = 0; i < S; i += 16) {
            unsigned af[4];
            ldmatrix4(af, &sa[warp * 16 + lane % 16][i + lane / 16 * 8]);
            for (int x = 0; x < 4; x++) {
                unsigned bf[2];
                ldmatrix2_trans(bf, &sb[i + lane % 16][x * 8]);
                mma(sum[x], af, bf);
            }
        }
        __syncthreads();
    }
    for (int x = 0; x < 4; x++)
        for (int j = 0; j < 4; j++) { // a lane has two neighbours in two rows
            int row = row0 + warp * 16 + lane / 4 + j / 2 * 8;
            int col = col0 + x * 8 + lane % 4 * 2 + j % 2;
            if (row < m && col < n)
                c[row * n + col] = sum[x][j];
        }
}
