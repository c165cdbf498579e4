// rates.cu - measures how often one SM does an instruction, and how long it takes: mma.sync of each
// type, ldmatrix, and loads from shared, constant and global memory whose lanes ask for one word, for
// words side by side, or for lines apart.
//
//   nvcc -O3 -gencode arch=compute_90a,code=sm_90a -std=c++20 -o rates rates.cu && ./rates >rates-h200.txt
//
// One block. `alone`: cycles of one warp whose instructions wait for each other. `every`: cycles of
// the SM from one warp's instruction to the next, whichever warp's, with 4, 8, 16 and 32 warps that
// each have 4 (mma) or 16 (loads) under way. Each is run three times, the best counts.
#include <algorithm>
#include <cstdio>

enum { TURNS = 64, MOST = 1 << 20 };

static long long *cycles;
static unsigned *words;
__constant__ unsigned constants[8192];

// ---- mma.sync ----

#define FOUR(c, d) c(d[0]), c(d[1]), c(d[2]), c(d[3])
#define MMA_4_2_4(name, words, c, type)                                                            \
    struct name {                                                                                  \
        type d[4];                                                                                 \
        __device__ void step(const unsigned *x)                                                    \
        {                                                                                          \
            asm volatile("mma.sync.aligned." words " {%0, %1, %2, %3}, {%4, %5, %6, %7}, "         \
                         "{%8, %9}, {%0, %1, %2, %3};"                                             \
                         : FOUR(c, d)                                                              \
                         : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));      \
        }                                                                                          \
    };
MMA_4_2_4(f16_f32, "m16n8k16.row.col.f32.f16.f16.f32", "+f", float)
MMA_4_2_4(bf16_f32, "m16n8k16.row.col.f32.bf16.bf16.f32", "+f", float)
MMA_4_2_4(tf32_f32, "m16n8k8.row.col.f32.tf32.tf32.f32", "+f", float)
MMA_4_2_4(s8_s32, "m16n8k32.row.col.s32.s8.s8.s32", "+r", unsigned)
MMA_4_2_4(b1_s32, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "+r", unsigned)

struct f16_f16 {
    unsigned d[2];
    __device__ void step(const unsigned *x)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
                     "{%6, %7}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
    }
};
struct f16_k8 {
    float d[4];
    __device__ void step(const unsigned *x)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, "
                     "{%6}, {%0, %1, %2, %3};"
                     : FOUR("+f", d)
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]));
    }
};
struct tf32_k4 {
    float d[4];
    __device__ void step(const unsigned *x)
    {
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, "
                     "{%6}, {%0, %1, %2, %3};"
                     : FOUR("+f", d)
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]));
    }
};
struct s8_k16 {
    unsigned d[4];
    __device__ void step(const unsigned *x)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, "
                     "{%6}, {%0, %1, %2, %3};"
                     : FOUR("+r", d)
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]));
    }
};
struct f64_k4 {
    double d[2];
    __device__ void step(const unsigned *x)
    {
        double a = x[0], b = x[1];
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(a), "d"(b));
    }
};
struct f64_k16 {
    double d[4];
    __device__ void step(const unsigned *x)
    {
        double a = x[0], b = x[1];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                     "{%4, %4, %4, %4, %4, %4, %4, %4}, {%5, %5, %5, %5}, {%0, %1, %2, %3};"
                     : FOUR("+d", d)
                     : "d"(a), "d"(b));
    }
};

template <class MMA, int CHAINS> __global__ void __launch_bounds__(1024) multiply(unsigned *out, long long *t)
{
    unsigned x[6];
    for (int i = 0; i < 6; i++)
        x[i] = out[i]; // zeros, but nobody knows
    MMA m[CHAINS] = {};
    __syncthreads();
    long long a = clock64();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++)
#pragma unroll
        for (int j = 0; j < 16; j++)
            m[j % CHAINS].step(x);
    double sum = 0; // waits for the last one
    for (int c = 0; c < CHAINS; c++)
        sum += (double)m[c].d[0];
    if (sum == 12345)
        *out = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        *t = clock64() - a;
}

// ---- loads ----

// Each lane's place: from `base` on, what a warp has to itself, then `lane` bytes from lane to lane
// (of `group` lanes that ask for the same), `step` from load to load, wrapped at `wrap`.
struct pattern {
    unsigned base, warp, lane, group, step, wrap;
};

#define LOAD(name, words, reg, n, outs)                                                            \
    struct name {                                                                                  \
        template <class A> static __device__ unsigned get(A at)                                    \
        {                                                                                          \
            unsigned v[n];                                                                         \
            asm volatile(words : outs : reg(at) : "memory");                                       \
            return v[0];                                                                           \
        }                                                                                          \
    };
#define ONE  "=r"(v[0])
#define TWO  "=r"(v[0]), "=r"(v[1])
#define QUAD "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
LOAD(global_4, "ld.global.ca.u32 %0, [%1];", "l", 1, ONE)
LOAD(global_8, "ld.global.ca.v2.u32 {%0, %1}, [%2];", "l", 2, TWO)
LOAD(global_16, "ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];", "l", 4, QUAD)
LOAD(l2_4, "ld.global.cg.u32 %0, [%1];", "l", 1, ONE)
LOAD(l2_8, "ld.global.cg.v2.u32 {%0, %1}, [%2];", "l", 2, TWO)
LOAD(l2_16, "ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];", "l", 4, QUAD)
LOAD(constant_4, "ld.const.u32 %0, [%1];", "l", 1, ONE)
LOAD(shared_4, "ld.shared.u32 %0, [%1];", "r", 1, ONE)
LOAD(shared_8, "ld.shared.v2.u32 {%0, %1}, [%2];", "r", 2, TWO)
LOAD(shared_16, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];", "r", 4, QUAD)
LOAD(matrix_1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", "r", 1, ONE)
LOAD(matrix_2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];", "r", 2, TWO)
LOAD(matrix_4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", "r", 4, QUAD)
LOAD(matrix_4t, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];", "r", 4, QUAD)

template <pattern P> static __device__ unsigned place()
{
    return P.base + threadIdx.x / 32 * P.warp + threadIdx.x % 32 / P.group * P.lane;
}

// All memory holds zeros: an address that a loaded word is added to stays, but has to wait for it.
template <class A, pattern P, class AT> static __device__ unsigned load_alone(AT at)
{
    unsigned sum = 0;
    at += place<P>();
#pragma unroll 1
    for (int i = 0; i < TURNS; i++)
#pragma unroll
        for (int j = 0; j < 16; j++) {
            sum = A::get(at);
            at += sum;
        }
    return sum;
}

// Loads of two patterns by turns, eight different ones. `move` is 0, but nobody knows: else ptxas
// would take the next turn's for this one's.
template <class A, class B, pattern P, pattern Q, class AT> static __device__ unsigned load_many(AT at, unsigned move)
{
    AT first = at + place<P>(), second = at + place<Q>();
    unsigned sum = 0, v[8];
#pragma unroll 1
    for (int i = 0; i < 2 * TURNS; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++)
            v[j] = j % 2 ? B::get(second + j * Q.step % Q.wrap) : A::get(first + j * P.step % P.wrap);
        first += move;
        second += move;
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum ^= v[j];
    }
    return sum;
}

enum space { GLOBAL_MEMORY, SHARED_MEMORY, CONSTANT_MEMORY };
template <class A, class B, pattern P, pattern Q, space S>
__global__ void __launch_bounds__(1024) load(const char *from, unsigned *out, long long *t, int chain, unsigned move)
{
    extern __shared__ unsigned s[];
    if (S == SHARED_MEMORY)
        for (unsigned i = threadIdx.x; i < 40960; i += blockDim.x)
            s[i] = 0;
    for (int turn = 0; turn < 2; turn++) { // the second one counts: L1 has then what it can have
        unsigned sum;
        __syncthreads();
        long long a = clock64();
        if constexpr (S == SHARED_MEMORY) {
            unsigned at = (unsigned)__cvta_generic_to_shared(s);
            sum = chain ? load_alone<A, P>(at) : load_many<A, B, P, Q>(at, move);
        } else {
            unsigned long long at =
                S == GLOBAL_MEMORY ? (unsigned long long)from : __cvta_generic_to_constant(constants);
            sum = chain ? load_alone<A, P>(at) : load_many<A, B, P, Q>(at, move);
        }
        if (sum == 12345)
            *out = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            *t = clock64() - a;
    }
}

// ---- printing ----

static double per(double n)
{
    long long t;
    cudaMemcpy(&t, cycles, sizeof(t), cudaMemcpyDeviceToHost);
    return (double)t / n;
}

template <class F> static double least(double n, F launch)
{
    double least = 1e30;
    for (int k = 0; k < 3; k++) {
        launch();
        least = std::min(least, per(n));
    }
    return least;
}

template <class MMA> static void print_mma(const char *name, double flop)
{
    const double n = TURNS * 16;
    printf("mma %s alone %.1f every", name, least(n, [] { multiply<MMA, 1><<<1, 32>>>(words, cycles); }));
    double fast = 1e30;
    for (int warps : {4, 8, 16, 32}) {
        double x = least(n * warps, [=] { multiply<MMA, 4><<<1, 32 * warps>>>(words, cycles); });
        printf(" %.2f", x);
        fast = std::min(fast, x);
    }
    printf(" cycles, %.0f flop a cycle\n", flop / fast);
}

template <class A, class B, pattern P, pattern Q, space S> static void print_load(const char *name)
{
    const double n = TURNS * 16;
    const unsigned shared = S == SHARED_MEMORY ? 163840 : 0;
    auto f = load<A, B, P, Q, S>;
    cudaFuncSetAttribute((const void *)f, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    printf("load %s alone %.1f every", name,
           least(n, [=] { f<<<1, 32, shared>>>((const char *)(words + 64), words, cycles, 1, 0); }));
    for (int warps : {4, 8, 16, 32})
        printf(" %.2f", least(n * warps, [=] {
                   f<<<1, 32 * warps, shared>>>((const char *)(words + 64), words, cycles, 0, 0);
               }));
    printf(" cycles\n");
}

#define GLOBAL(name, a, p)   print_load<a, a, p, p, GLOBAL_MEMORY>(name)
#define SHARED(name, a, p)   print_load<a, a, p, p, SHARED_MEMORY>(name)
#define CONSTANT(name, p)    print_load<constant_4, constant_4, p, p, CONSTANT_MEMORY>(name)

static constexpr pattern one = {0, 512, 0, 1, 4, 64}, side_4 = {0, 2048, 4, 1, 128, 2048},
                         beside = {65536, 2048, 4, 1, 128, 2048}, side_8 = {0, 2048, 8, 1, 256, 2048},
                         side_16 = {0, 4096, 16, 1, 512, 4096}, halves = {0, 2048, 4, 16, 128, 2048},
                         far_halves = {0, 2048, 1024, 16, 128, 1024}, quarters = {0, 2048, 128, 8, 4, 128},
                         eighths = {0, 2048, 128, 4, 4, 128}, sixteenths = {0, 2048, 128, 2, 4, 128},
                         lines = {0, 4096, 128, 1, 4, 128}, sectors = {0, 1024, 32, 1, 4, 32},
                         of_all = {0, 0, 0, 1, 4, 64}, of_each = {0, 64, 0, 1, 4, 64},
                         side_by_side = {0, 0, 4, 1, 128, 1024},
                         quarters_apart = {0, 2048, 132, 8, 4, 128}, eighths_apart = {0, 2048, 132, 4, 4, 128},
                         sixteenths_apart = {0, 2304, 132, 2, 4, 128}, lines_apart = {0, 4352, 132, 1, 4, 128},
                         place_16 = {0, 512, 0, 1, 16, 64};

int main()
{
    cudaMalloc(&words, MOST + 1024);
    cudaMemset(words, 0, MOST + 1024);
    cudaMalloc(&cycles, 8);
    print_mma<f16_f32>("m16n8k16 f16 to f32", 4096);
    print_mma<f16_f16>("m16n8k16 f16 to f16", 4096);
    print_mma<f16_k8>("m16n8k8 f16 to f32", 2048);
    print_mma<bf16_f32>("m16n8k16 bf16", 4096);
    print_mma<tf32_f32>("m16n8k8 tf32", 2048);
    print_mma<tf32_k4>("m16n8k4 tf32", 1024);
    print_mma<s8_s32>("m16n8k32 s8", 8192);
    print_mma<s8_k16>("m16n8k16 s8", 4096);
    print_mma<b1_s32>("m16n8k256 b1", 65536);
    print_mma<f64_k4>("m8n8k4 f64", 512);
    print_mma<f64_k16>("m16n8k16 f64", 4096);
    SHARED("shared one word", shared_4, one);
    SHARED("shared 4 bytes a lane", shared_4, side_4);
    print_load<shared_4, shared_4, one, beside, SHARED_MEMORY>("shared one word, and 4 bytes a lane");
    SHARED("shared 8 bytes a lane", shared_8, side_8);
    SHARED("shared 16 bytes a lane", shared_16, side_16);
    SHARED("shared one place of 16 bytes", shared_16, place_16);
    SHARED("shared 4 bytes, 2 in a bank", shared_4, side_8);
    SHARED("shared 4 bytes, 4 in a bank", shared_4, side_16);
    SHARED("ldmatrix x1", matrix_1, side_16);
    SHARED("ldmatrix x2", matrix_2, side_16);
    SHARED("ldmatrix x4", matrix_4, side_16);
    SHARED("ldmatrix x4 trans", matrix_4t, side_16);
    CONSTANT("constant one word of one line", of_all);
    CONSTANT("constant one word, a line a warp", of_each);
    CONSTANT("constant 4 bytes a lane", side_by_side);
    GLOBAL("L1 one word", global_4, one);
    GLOBAL("L1 one place of 16 bytes", global_16, place_16);
    GLOBAL("L1 4 bytes a lane", global_4, side_4);
    print_load<global_4, global_4, one, beside, GLOBAL_MEMORY>("L1 one word, and 4 bytes a lane");
    print_load<global_4, global_4, of_all, beside, GLOBAL_MEMORY>("L1 one word of all, and 4 bytes a lane");
    GLOBAL("L1 8 bytes a lane", global_8, side_8);
    GLOBAL("L1 16 bytes a lane", global_16, side_16);
    GLOBAL("L1 every second word", global_4, side_8);
    GLOBAL("L1 every fourth word", global_4, side_16);
    GLOBAL("L1 every eighth word", global_4, sectors);
    GLOBAL("L1 2 words of a line", global_4, halves);
    GLOBAL("L1 2 words of 2 lines", global_4, far_halves);
    GLOBAL("L1 4 words of 4 lines", global_4, quarters);
    GLOBAL("L1 8 words of 8 lines", global_4, eighths);
    GLOBAL("L1 16 words of 16 lines", global_4, sixteenths);
    GLOBAL("L1 32 words of 32 lines", global_4, lines);
    GLOBAL("L1 4 words of 4 lines, in 4 banks", global_4, quarters_apart);
    GLOBAL("L1 8 words of 8 lines, in 8 banks", global_4, eighths_apart);
    GLOBAL("L1 16 words of 16 lines, in 16 banks", global_4, sixteenths_apart);
    GLOBAL("L1 32 words of 32 lines, in 32 banks", global_4, lines_apart);
    GLOBAL("L2 one word", l2_4, one);
    GLOBAL("L2 4 bytes a lane", l2_4, side_4);
    GLOBAL("L2 8 bytes a lane", l2_8, side_8);
    GLOBAL("L2 16 bytes a lane", l2_16, side_16);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
