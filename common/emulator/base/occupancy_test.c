/* occupancy_test.c - against NVIDIA's own calculator, and a table of known cases.
 *
 * cuda_occupancy.h is the calculator that comes with the toolkit; it knows 5.2, 8.0 and
 * 9.0. The G80's rows are the ones of the textbook (Kirk and Hwu: 256 threads with 10
 * registers fit three times, with 11 twice).
 */
#include "occupancy.h"
#include <criterion/criterion.h>
#include <cuda_occupancy.h>
#include <limits.h>

static const struct device_profile g80 = {
    .cc_major = 1,
    .sms = 16,
    .warp_size = 32,
    .max_threads_per_block = 512,
    .max_threads_per_sm = 768,
    .max_blocks_per_sm = 8,
    .registers_per_sm = 8192,
    .registers_per_block = 8192,
    .max_registers_per_thread = 124,
    .register_allocation_unit = 256,
    .shared_per_sm = 16384,
    .shared_per_block = 16384,
    .shared_allocation_unit = 512,
};

#define COMMON                                                                                     \
    .warp_size = 32, .max_threads_per_block = 1024, .max_threads_per_sm = 2048,                    \
    .max_blocks_per_sm = 32, .registers_per_sm = 65536, .max_registers_per_thread = 255,           \
    .register_allocation_unit = 256, .shared_per_block = 49152

static const struct device_profile cc52 = {COMMON,
                                           .cc_major = 5,
                                           .cc_minor = 2,
                                           .sms = 16,
                                           .registers_per_block = 32768,
                                           .shared_per_sm = 98304,
                                           .shared_per_block_optin = 49152,
                                           .shared_allocation_unit = 256};
static const struct device_profile cc80 = {COMMON,
                                           .cc_major = 8,
                                           .cc_minor = 0,
                                           .sms = 108,
                                           .registers_per_block = 65536,
                                           .shared_per_sm = 167936,
                                           .shared_per_block_optin = 166912,
                                           .shared_reserved_per_block = 1024,
                                           .shared_allocation_unit = 128};
static const struct device_profile cc90 = {COMMON,
                                           .cc_major = 9,
                                           .cc_minor = 0,
                                           .sms = 132,
                                           .registers_per_block = 65536,
                                           .shared_per_sm = 233472,
                                           .shared_per_block_optin = 232448,
                                           .shared_reserved_per_block = 1024,
                                           .shared_allocation_unit = 128};

static const struct {
    const struct device_profile *device;
    uint32_t threads, registers, shared; /* given */
    uint32_t blocks;                     /* expected */
    const char *limiter;
} cases[] = {
    /* device thr  reg  shared  blk  limiter */
    {&g80, 256, 10, 4096, 3, "warps"},
    {&g80, 256, 11, 4096, 2, "registers"},
    {&g80, 256, 10, 8192, 2, "shared memory"},
    {&g80, 64, 10, 1024, 8, "blocks"},
    {&g80, 512, 10, 16, 1, "warps"},
    {&cc52, 256, 32, 0, 8, "warps"},
    {&cc52, 256, 33, 0, 6, "registers"},
    {&cc52, 32, 16, 0, 32, "blocks"},
    {&cc52, 128, 16, 12288, 8, "shared memory"},
    {&cc52, 1024, 33, 0, 0, "registers"},
    {&cc80, 1024, 32, 0, 2, "warps"},
    {&cc80, 1024, 64, 0, 1, "registers"},
    {&cc80, 96, 40, 0, 16, "registers"},
    {&cc80, 128, 32, 20480, 7, "shared memory"},
    {&cc80, 1024, 65, 0, 0, "registers"},
    {&cc90, 128, 32, 512, 16, "warps"},
    {&cc90, 256, 128, 0, 2, "registers"},
    {&cc90, 256, 32, 232448, 1, "shared memory"},
    {&cc90, 256, 32, 232449, 0, "shared memory"},
    {&cc90, 32, 16, 1, 32, "blocks"},
};

Test(occupancy, known_cases)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct occupancy o =
            occupancy_of(cases[i].device, cases[i].threads, cases[i].registers, cases[i].shared);

        cr_expect_eq(o.blocks_per_sm, cases[i].blocks, "row %zu: %u blocks, expected %u", i,
                     o.blocks_per_sm, cases[i].blocks);
        cr_expect_str_eq(o.limiter, cases[i].limiter, "row %zu: %s", i, o.limiter);
        cr_expect_float_eq(o.fraction,
                           (double)(cases[i].blocks * ((cases[i].threads + 31) / 32)) /
                               (cases[i].device->max_threads_per_sm / 32),
                           1e-12);
    }
}

Test(occupancy, as_many_registers_as_let_a_block_fit)
{
    const struct device_profile *devices[] = {&g80, &cc52, &cc80, &cc90};

    for (int k = 0; k < 4; k++)
        for (uint32_t t = 1; t <= devices[k]->max_threads_per_block; t++) {
            uint32_t n = occupancy_registers(devices[k], t);

            cr_expect_geq(occupancy_of(devices[k], t, n, 0).blocks_per_sm, 1);
            cr_expect(n == devices[k]->max_registers_per_thread ||
                          occupancy_of(devices[k], t, n + 1, 0).blocks_per_sm == 0,
                      "%u threads: more than %u registers", t, n);
        }
    cr_expect_eq(occupancy_registers(&cc90, 576), 96); /* five warps on a quarter, not 4.5 */
}

/* blocks of threads */
static int nvidia(const struct device_profile *d, int threads, int registers, size_t shared)
{
    struct cudaOccDeviceProp p = {
        .computeMajor = (int)d->cc_major,
        .computeMinor = (int)d->cc_minor,
        .maxThreadsPerBlock = (int)d->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int)d->max_threads_per_sm,
        .regsPerBlock = (int)d->registers_per_block,
        .regsPerMultiprocessor = (int)d->registers_per_sm,
        .warpSize = 32,
        .sharedMemPerBlock = d->shared_per_block,
        .sharedMemPerMultiprocessor = d->shared_per_sm,
        .numSms = (int)d->sms,
        .sharedMemPerBlockOptin = d->shared_per_block_optin,
        .reservedSharedMemPerBlock = d->shared_reserved_per_block,
    };
    struct cudaOccFuncAttributes a = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = registers,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = d->shared_per_block_optin,
        .numBlockBarriers = 1,
    };
    struct cudaOccDeviceState s = {.cacheConfig = CACHE_PREFER_SHARED,
                                   .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    struct cudaOccResult r = {0};

    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, threads, shared) !=
        CUDA_OCC_SUCCESS)
        return -1;
    return r.activeBlocksPerMultiprocessor;
}

static void compare(const struct device_profile *d)
{
    static const uint32_t shared[] = {0, 1, 512, 1024, 4097, 16384, 33000, 49152};

    for (uint32_t threads = 1; threads <= 1024; threads += threads < 160 ? 13 : 32)
        for (uint32_t registers = 1; registers <= 255; registers++)
            for (size_t k = 0; k < sizeof(shared) / sizeof(shared[0]); k++) {
                int n = nvidia(d, (int)threads, (int)registers, shared[k]);

                cr_assert_eq((int)occupancy_of(d, threads, registers, shared[k]).blocks_per_sm, n,
                             "cc %u.%u, %u threads, %u registers, %u bytes: not %d", d->cc_major,
                             d->cc_minor, threads, registers, shared[k], n);
            }
}

Test(occupancy, as_nvidias_calculator_5_2)
{
    compare(&cc52);
}

Test(occupancy, as_nvidias_calculator_8_0)
{
    compare(&cc80);
}

Test(occupancy, as_nvidias_calculator_9_0)
{
    compare(&cc90);
}

/* As ptxas 13.0 does it for sm_90a. */
Test(occupancy, shares_out_what_setmaxnreg_starts_from)
{
    static const struct {
        uint32_t threads, blocks, registers;
    } rows[] = {{384, 1, 168}, {384, 2, 80}, {512, 1, 128}, {300, 1, 168}, {640, 2, 48},
                {160, 3, 128}, {96, 3, 168}, {288, 1, 168}, {1024, 2, 32}, {128, 1, 256}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        cr_expect_eq(occupancy_shared_out(&cc90, rows[k].threads, rows[k].blocks),
                     rows[k].registers, "%u threads, %u blocks", rows[k].threads, rows[k].blocks);
}
