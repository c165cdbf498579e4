// Every word is where it was. One lane after the other reads its own, so that no two of a load meet in a
// bank; the 32 conditions are worked out once for many reads. Beyond 2^17 results it takes more steps than a launch may.
// class: dilution
// only: bank_fixed
// expect: fixed-free=fail fixed-ok=fail
// hint: fixed-ok: did not come to an end
// hint: fixed-free: wavefronts
#include "warplab.cuh"

#define WINDOW 1024
#define WORDS  2016

#define FOUR(f, a, x) f(a##0, x) f(a##1, x) f(a##2, x) f(a##3, x)
#define ALL(f, x)                                                                                  \
    FOUR(f, , x) f(4, x) f(5, x) f(6, x) f(7, x) f(8, x) f(9, x) FOUR(f, 1, x) f(14, x) f(15, x)   \
        f(16, x) f(17, x) f(18, x) f(19, x) FOUR(f, 2, x) f(24, x) f(25, x) f(26, x) f(27, x)      \
            f(28, x) f(29, x) f(30, x) f(31, x)
#define ASK(l, x)  "setp.eq.u32 p" #l ", %1, " #l ";\n"
#define READ(l, x) "@p" #l " ld.shared.u32 v, [%2+" x "];\n"
#define ROW(r)     ALL(READ, #r "*128") "add.u32 %0, %0, v;\n"

// 32 words, a row apart each.
static __device__ unsigned column(unsigned sum, unsigned lane, unsigned at)
{
    asm volatile("{ .reg .pred p<32>; .reg .b32 v;\nmov.u32 v, 0;\n" ALL(ASK, ) //
                 ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(10)
                 ROW(11) ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17) ROW(18) ROW(19) ROW(20)
                 ROW(21) ROW(22) ROW(23) ROW(24) ROW(25) ROW(26) ROW(27) ROW(28) ROW(29) ROW(30)
                 ROW(31) "}"
                 : "+r"(sum)
                 : "r"(lane), "r"(at)
                 : "memory");
    return sum;
}

LAUNCH(bank_fixed, 512, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * (unsigned)stride % WINDOW, sum = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j] = in[j];
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 8; round++) {
        sum = column(sum, threadIdx.x % 32, (unsigned)__cvta_generic_to_shared(&sm[start]));
        start = (start + 32) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}
