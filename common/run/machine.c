/* machine.c - tells GPU and emulator apart, reads the device's limits (machine.h).
 *
 * The emulator is recognised by its own functions (warplab.h), found with dlsym: the same
 * program runs on both, only the library path differs.
 */
#include "machine.h"
#include "emulator/runtime/warplab.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static struct {
    uint64_t (*counter)(const char *);
    double (*modelled_ms)(void);
    const char *(*bound)(void);
    double (*occupancy)(void);
    void (*reset)(void);
    size_t (*finding_count)(void);
    const char *(*finding)(size_t);
    int (*set_check)(int);
    uint64_t (*set_steps)(uint64_t);
    void (*revive)(void);
} emulator;

static const struct {
    const char *name;
    void *slot;
} symbols[] = {
    {"warplabCounter", &emulator.counter},    {"warplabModelledMs", &emulator.modelled_ms},
    {"warplabBound", &emulator.bound},        {"warplabOccupancy", &emulator.occupancy},
    {"warplabReset", &emulator.reset},        {"warplabFindingCount", &emulator.finding_count},
    {"warplabFinding", &emulator.finding},    {"warplabSetCheck", &emulator.set_check},
    {"warplabSetSteps", &emulator.set_steps}, {"warplabRevive", &emulator.revive},
};

static bool find_emulator(void)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *f = dlsym(RTLD_DEFAULT, symbols[i].name);

        if (!f)
            return false;
        memcpy(symbols[i].slot, &f, sizeof(f));
    }
    return true;
}

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

bool machine_open(struct machine *m, char *err, size_t errsize)
{
    struct cudaDeviceProp properties;
    cudaError_t e;

    memset(m, 0, sizeof(*m));
    m->emulator = find_emulator();
    e = cudaGetDeviceProperties(&properties, 0);
    if (e != cudaSuccess) {
        snprintf(err, errsize,
                 "no device: %s (%s). Without a GPU, use the emulator: make run BACKEND=emulator …",
                 cudaGetErrorString(e), cudaGetErrorName(e));
        return false;
    }
    snprintf(m->device, sizeof(m->device), "%s", properties.name);
    m->limits.sms = (uint32_t)properties.multiProcessorCount;
    m->limits.max_threads_per_block = (uint32_t)properties.maxThreadsPerBlock;
    m->limits.max_threads_per_sm = (uint32_t)properties.maxThreadsPerMultiProcessor;
    m->limits.shared_per_block = (uint32_t)properties.sharedMemPerBlockOptin;
    m->limits.cc = (uint32_t)(properties.major * 10 + properties.minor);
    m->memory_bytes = properties.totalGlobalMem;
    m->l2_bytes = (size_t)properties.l2CacheSize;
    /* The emulator runs PTX; its profiles of old devices still take today's. */
    if (m->emulator)
        snprintf(m->arch, sizeof(m->arch), "compute_90");
    else
        snprintf(m->arch, sizeof(m->arch), "sm_%u", m->limits.cc);
    read_peaks(m);
    return true;
}

/* nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM = 1, …) without linking the library. */
double machine_clock_now(void)
{
    void *nvml = emulator.reset ? NULL : dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void), (*by_index)(unsigned, void **), (*clock)(void *, int, unsigned *);
    void *device = NULL;
    unsigned mhz = 0;

    if (!nvml)
        return 0;
    *(void **)&init = dlsym(nvml, "nvmlInit_v2");
    *(void **)&by_index = dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
    if (!init || !by_index || !clock || init() || by_index(0, &device) || clock(device, 1, &mhz))
        return 0;
    return mhz;
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

/* ---- the emulator's calls ---- */

void emulator_reset(void)
{
    if (emulator.reset)
        emulator.reset();
}

void emulator_counters(struct counters *out)
{
    for (int i = 0; emulator.counter && i < ncounters; i++)
        counter_set(out, i, emulator.counter(counter_infos[i].name));
}

double emulator_modelled_ms(void)
{
    return emulator.modelled_ms ? emulator.modelled_ms() : 0;
}

double emulator_occupancy(void)
{
    return emulator.occupancy ? emulator.occupancy() : 0;
}

const char *emulator_bound(void)
{
    const char *bound = emulator.bound ? emulator.bound() : NULL;

    return bound ? bound : "";
}

void machine_revive(void)
{
    if (emulator.revive)
        emulator.revive();
    else
        cudaDeviceReset();
    cudaGetLastError();
}

void emulator_set_steps(uint64_t steps)
{
    if (emulator.set_steps)
        emulator.set_steps(steps);
}

void emulator_set_check(bool on)
{
    if (emulator.set_check)
        emulator.set_check(on);
}

size_t emulator_findings(void)
{
    return emulator.finding_count ? emulator.finding_count() : 0;
}

const char *emulator_finding(size_t i)
{
    return emulator.finding ? emulator.finding(i) : NULL;
}
