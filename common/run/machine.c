/* machine.c - tells GPU and emulator apart, reads the device's limits (machine.h). */
#include "machine.h"
#include "emulator.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static double attribute(enum cudaDeviceAttr a)
{
    int value = 0;

    if (cudaDeviceGetAttribute(&value, a, 0) != cudaSuccess)
        cudaGetLastError();
    return value;
}

/* Ceilings, not targets. DRAM moves data twice a memory clock. An SM's L1 answers 128 bytes
 * a clock. The most operations an SM does a clock are its tensor cores': 4096 for dense f16
 * on compute capability 9.0, no more on others that this course meets, except 10.x with
 * 8192 (NVIDIA's whitepapers). */
static void read_peaks(struct machine *m)
{
    double clock_hz = 1e3 * attribute(cudaDevAttrClockRate);
    double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate);

    m->clock_mhz = clock_hz / 1e6;
    m->peak_gbps = 2 * memory_hz * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1e9;
    m->peak_l1_gbps = m->limits.sms * 128.0 * clock_hz / 1e9;
    m->peak_flops = m->limits.sms * (m->limits.cc >= 100 ? 8192.0 : 4096.0) * clock_hz;
}

/* The shared memory of a block is what a kernel can be given when it asks for it, which
 * exec_open() does. The emulator runs PTX; its profiles of old devices still take today's. */
static void describe(struct machine *m, const struct cudaDeviceProp *p)
{
    snprintf(m->device, sizeof(m->device), "%s", p->name);
    m->limits = (struct device_limits){
        .sms = (uint32_t)p->multiProcessorCount,
        .max_threads_per_block = (uint32_t)p->maxThreadsPerBlock,
        .max_threads_per_sm = (uint32_t)p->maxThreadsPerMultiProcessor,
        .shared_per_block = (uint32_t)p->sharedMemPerBlockOptin,
        .cc = (uint32_t)(p->major * 10 + p->minor),
    };
    m->memory_bytes = p->totalGlobalMem;
    m->l2_bytes = (uint64_t)p->l2CacheSize;
    if (m->emulator)
        snprintf(m->arch, sizeof(m->arch), EMULATOR_ARCH);
    else /* wgmma and setmaxnreg are cc 9.0's alone */
        snprintf(m->arch, sizeof(m->arch), m->limits.cc == 90 ? "sm_%ua" : "sm_%u", m->limits.cc);
}

static void read_version(struct machine *m)
{
    int driver = 0, runtime = 0;

    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (m->emulator)
        snprintf(m->version, sizeof(m->version), "%s", emulator_version());
    else
        snprintf(m->version, sizeof(m->version), "CUDA driver %d, runtime %d", driver, runtime);
}

bool machine_open(struct machine *m, struct text *why)
{
    struct cudaDeviceProp properties;

    memset(m, 0, sizeof(*m));
    m->emulator = emulator_here();
    cudaError_t e = cudaGetDeviceProperties(&properties, 0);
    if (e != cudaSuccess) {
        text_addf(why, "no device: %s (%s)", cudaGetErrorString(e), cudaGetErrorName(e));
        return false;
    }
    describe(m, &properties);
    m->devices = LAB_MAX_RANKS;
    if (!m->emulator && cudaGetDeviceCount(&m->devices) != cudaSuccess)
        m->devices = 1;
    read_version(m);
    read_peaks(m);
    return true;
}

/* nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM = 1, …) without linking the library. */
uint32_t machine_clock_now(void)
{
    static void *nvml, *device;
    static int (*clock)(void *, int, unsigned *);
    unsigned mhz = 0;

    if (emulator_here())
        return 0;
    if (!nvml && (nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW))) {
        int (*init)(void), (*by_index)(unsigned, void **);

        *(void **)&init = dlsym(nvml, "nvmlInit_v2");
        *(void **)&by_index = dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
        *(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
        if (!init || !by_index || !clock || init() || by_index(0, &device))
            clock = NULL;
    }
    return clock && !clock(device, 1, &mhz) ? mhz : 0;
}

/* Errors after which a context is lost: every later call returns them again. */
bool machine_error_is_sticky(cudaError_t e)
{
    switch (e) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
        return true;
    default:
        return false;
    }
}

void machine_revive(void)
{
    if (emulator_here())
        emulator_revive();
    else
        cudaDeviceReset();
    cudaGetLastError();
}
