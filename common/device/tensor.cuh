/* tensor.cuh - what tensor kernels say in PTX, one instruction a function, by its name there; and
 * the record by which the harness passes tensor maps.
 *
 *     TENSOR(mm_wgmma) = {
 *         .tile = {128, 256}, // rows and columns of c that a block makes at a time
 *         .map = {{0, TENSOR_F16, {64, 128}, SWIZZLE_128B, PROMOTE_256B},  // of argument 0
 *                 {1, TENSOR_F16, {64, 64}, SWIZZLE_128B, PROMOTE_256B}}}; // of argument 1
 *     KERNEL mm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
 *                     float *c, int m, int n, int k)
 *
 * The harness reads the record from the module, and encodes a map of that array, all of it, with
 * cuTensorMapEncodeTiled; the kernel gets it in the array's place.
 *
 * Where a device has an instruction not, its function is there, and traps: the file compiles for
 * all of them.
 */
#ifndef WARPLAB_TENSOR_CUH
#define WARPLAB_TENSOR_CUH

/* ---- the record ---- */

enum { TENSOR_NONE, TENSOR_F16, TENSOR_F32, TENSOR_BF16 };      /* types of elements */
enum { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B };  /* of 16-byte chunks */
enum { PROMOTE_NONE, PROMOTE_64B, PROMOTE_128B, PROMOTE_256B }; /* what L2 fetches */

struct tensor_record {
    unsigned tile[2];    /* rows and columns of c that a block makes at a time */
    unsigned cluster;    /* as CLUSTER(n) beside the kernel: the grid is a multiple of it */
    unsigned persistent; /* 1: one block a multiprocessor, however many tiles there are */
    struct {
        unsigned argument; /* 0: the first one */
        unsigned type;
        unsigned box[2]; /* elements of a row, then rows */
        unsigned swizzle, promotion;
    } map[4];
};
#define TENSOR(kernel) extern "C" __device__ const struct tensor_record kernel##_tensor

/* ---- which device has what ---- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define PTX_80(...) asm volatile(__VA_ARGS__)
#else
#define PTX_80(...) __trap()
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define PTX_90(...) asm volatile(__VA_ARGS__)
#define CLUSTER(n)  __cluster_dims__(n, 1, 1) /* before the kernel's name: blocks of a cluster */
#else
#define PTX_90(...) __trap()
#define CLUSTER(n)
#endif
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define PTX_90A(...) asm volatile(__VA_ARGS__) /* of that one device: sm_90a */
#else
#define PTX_90A(...) __trap()
#endif

#ifndef CUDA_VERSION /* cuda.h has it, too */
typedef struct alignas(64) CUtensorMap_st {
    unsigned long long opaque[16];
} CUtensorMap;
#endif

static __device__ inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- mma.sync and how its operands come (sm_80) ---- */

/* 16 bytes from global to shared memory; 0 of them are read when there are none: zeros then. */
static __device__ inline void cp_async_16(unsigned to, const void *from, bool some)
{
    PTX_80("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(some ? 16 : 0)
           : "memory");
}
static __device__ inline void cp_async_4(unsigned to, const void *from, bool some)
{
    PTX_80("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(some ? 4 : 0)
           : "memory");
}
static __device__ inline void cp_async_commit()
{
    PTX_80("cp.async.commit_group;" ::: "memory");
}
/* Waits until at most n groups are under way. */
template <int n> static __device__ inline void cp_async_wait()
{
    PTX_80("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
/* Four 8 x 8 matrices of 16-bit elements, lane i giving the address of row i % 8 of matrix i / 8.
 */
static __device__ inline void ldmatrix_x4(unsigned (&r)[4], unsigned row)
{
    PTX_80("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
           : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
           : "r"(row)
           : "memory");
}
static __device__ inline void ldmatrix_x4_trans(unsigned (&r)[4], unsigned row)
{
    PTX_80("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
           : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
           : "r"(row)
           : "memory");
}
static __device__ inline void mma_m16n8k16_f16(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                               unsigned b1)
{
    PTX_80("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
           "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
           : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
           : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* ---- barriers that count arrivals and bytes (sm_90) ---- */

typedef unsigned long long mbarrier;

static __device__ inline void mbarrier_init(mbarrier *b, unsigned arrivals)
{
    PTX_90("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals)
           : "memory");
}
/* After the last init, by the thread that made it: other threads', blocks' and copies may come. */
static __device__ inline void fence_mbarrier_init()
{
    PTX_90("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ inline void mbarrier_arrive(mbarrier *b)
{
    PTX_90("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/* At the same barrier of block `rank` of the cluster. It publishes nothing that this thread wrote:
 * that would take a fence of the whole device, each time. */
static __device__ inline void mbarrier_arrive_remote(mbarrier *b, unsigned rank)
{
    PTX_90("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
           "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(b)),
           "r"(rank)
           : "memory");
}
/* Arrives, and says that copies of so many bytes belong to this phase. */
static __device__ inline void mbarrier_arrive_expect_tx(mbarrier *b, unsigned bytes)
{
    PTX_90("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
           "r"(bytes)
           : "memory");
}
/* Until the phase of this parity (0 the first) is complete. */
static __device__ inline void mbarrier_wait(mbarrier *b, unsigned parity)
{
    PTX_90("{ .reg .pred done;\n"
           "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
           "@!done bra.uni again; }" ::"r"(shared_address(b)),
           "r"(parity)
           : "memory");
}

/* ---- tiles by tensor map (sm_90) ---- */

static __device__ inline void prefetch_tensormap(const CUtensorMap *map)
{
    PTX_90("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
/* The box whose first element is at column x, row y; its bytes are counted at the barrier. */
static __device__ inline void tensor_load_2d(unsigned to, const CUtensorMap *map, int x, int y,
                                             mbarrier *b)
{
    PTX_90("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
           "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
           "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
           : "memory");
}
/* Into the same place of each block of the cluster whose bit is set in `blocks`. */
static __device__ inline void tensor_load_2d_multicast(unsigned to, const CUtensorMap *map, int x,
                                                       int y, mbarrier *b, unsigned short blocks)
{
    PTX_90("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
           ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
           "l"(map), "r"(x), "r"(y), "r"(shared_address(b)), "h"(blocks)
           : "memory");
}
static __device__ inline void tensor_store_2d(const CUtensorMap *map, int x, int y, unsigned from)
{
    PTX_90("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
           "r"(x), "r"(y), "r"(from)
           : "memory");
}
static __device__ inline void bulk_commit_group()
{
    PTX_90("cp.async.bulk.commit_group;" ::: "memory");
}
/* Until all but n groups of this thread have read what they copy. */
template <int n> static __device__ inline void bulk_wait_group_read()
{
    PTX_90("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
/* What this thread wrote to shared memory, before copies and wgmma read it. */
static __device__ inline void fence_proxy_async()
{
    PTX_90("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- clusters ---- */

static __device__ inline unsigned cluster_ctarank()
{
    unsigned rank = 0;
    PTX_90("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ inline void cluster_sync()
{
    PTX_90("barrier.cluster.arrive.release.aligned;\n"
           "barrier.cluster.wait.acquire.aligned;" ::
               : "memory");
}
/* Of so many threads, a multiple of 32: one of the block's 16 barriers, 0 being __syncthreads'. */
static __device__ inline void named_barrier_sync(int barrier, int threads)
{
    PTX_90("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* ---- warp groups (sm_90a) ---- */

/* All four warps of a group give registers up, or wait for more; a multiple of 8. */
template <int n> static __device__ inline void setmaxnreg_dec()
{
    PTX_90A("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n));
}
template <int n> static __device__ inline void setmaxnreg_inc()
{
    PTX_90A("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n));
}
static __device__ inline void wgmma_fence()
{
    PTX_90A("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ inline void wgmma_commit_group()
{
    PTX_90A("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* The sums of all but the last n groups may be touched from here on, their operands overwritten. */
template <int n> static __device__ inline void wgmma_wait_group()
{
    PTX_90A("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}
/* Describes an operand swizzled in rows of 128 bytes, as a box of a tensor map comes: 8 rows, an
 * atom, are 1024 bytes. `lead` is for what lies transposed and is wider than a row. */
static __device__ inline unsigned long long wgmma_descriptor_128(unsigned address, unsigned lead)
{
    return (address & 0x3ffff) >> 4 | (unsigned long long)(lead >> 4) << 16 |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

/* d (+)= a b: 64 x 16 times 16 x n, by the four warps of a group. Lane l of warp w has of row
 * 16 w + l / 4 + 8 (i / 2 % 2) column 8 (i / 4) + 2 (l % 4) + i % 2 in d[i]. transpose_b: its rows
 * lie along n, as a row-major matrix's do. */
#define WGMMA_8(d, i)                                                                              \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define WGMMA_N64(name, type)                                                                      \
    template <int transpose_b>                                                                     \
    __device__ inline void name(float(&d)[32], unsigned long long a, unsigned long long b,         \
                                int add)                                                           \
    {                                                                                              \
        PTX_90A("{ .reg .pred p; setp.ne.b32 p, %34, 0; "                                          \
                "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {"                   \
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"   \
                "}, %32, %33, p, 1, 1, 0, %35; }"                                                  \
                : WGMMA_8(d, 0), WGMMA_8(d, 8), WGMMA_8(d, 16), WGMMA_8(d, 24)                     \
                : "l"(a), "l"(b), "r"(add), "n"(transpose_b));                                     \
    }
#define WGMMA_N128(name, type)                                                                     \
    template <int transpose_b>                                                                     \
    __device__ inline void name(float(&d)[64], unsigned long long a, unsigned long long b,         \
                                int add)                                                           \
    {                                                                                              \
        PTX_90A("{ .reg .pred p; setp.ne.b32 p, %66, 0; "                                          \
                "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {"                  \
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"   \
                "}, %64, %65, p, 1, 1, 0, %67; }"                                                  \
                : WGMMA_8(d, 0), WGMMA_8(d, 8), WGMMA_8(d, 16), WGMMA_8(d, 24), WGMMA_8(d, 32),    \
                  WGMMA_8(d, 40), WGMMA_8(d, 48), WGMMA_8(d, 56)                                   \
                : "l"(a), "l"(b), "r"(add), "n"(transpose_b));                                     \
    }
#define WGMMA_N256(name, type)                                                                     \
    template <int transpose_b>                                                                     \
    __device__ inline void name(float(&d)[128], unsigned long long a, unsigned long long b,        \
                                int add)                                                           \
    {                                                                                              \
        PTX_90A("{ .reg .pred p; setp.ne.b32 p, %130, 0; "                                         \
                "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {"                  \
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
                "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
                "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
                "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
                "%110, %111, "                                                                     \
                "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "   \
                "%125, %126, %127"                                                                 \
                "}, %128, %129, p, 1, 1, 0, %131; }"                                               \
                : WGMMA_8(d, 0), WGMMA_8(d, 8), WGMMA_8(d, 16), WGMMA_8(d, 24), WGMMA_8(d, 32),    \
                  WGMMA_8(d, 40), WGMMA_8(d, 48), WGMMA_8(d, 56), WGMMA_8(d, 64), WGMMA_8(d, 72),  \
                  WGMMA_8(d, 80), WGMMA_8(d, 88), WGMMA_8(d, 96), WGMMA_8(d, 104),                 \
                  WGMMA_8(d, 112), WGMMA_8(d, 120)                                                 \
                : "l"(a), "l"(b), "r"(add), "n"(transpose_b));                                     \
    }
WGMMA_N64(wgmma_m64n64k16_f16, "f16")
WGMMA_N128(wgmma_m64n128k16_f16, "f16")
WGMMA_N256(wgmma_m64n256k16_f16, "f16")
WGMMA_N64(wgmma_m64n64k16_bf16, "bf16")
WGMMA_N128(wgmma_m64n128k16_bf16, "bf16")
WGMMA_N256(wgmma_m64n256k16_bf16, "bf16")

#endif
