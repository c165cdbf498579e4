/* machine.c - a machine's description over a pipe (machine.h). */
#include "machine.h"

#include <string.h>

struct packed {
    uint32_t emulator;
    struct device_limits limits;
    uint64_t memory_bytes, l2_bytes;
    double clock_mhz, peak_gbps, peak_l1_gbps, peak_flops;
    char device[256], version[128], arch[16];
};

bool machine_write(const struct wire *w, const struct machine *m)
{
    struct packed p;

    memset(&p, 0, sizeof(p));
    p.emulator = m->emulator;
    p.limits = m->limits;
    p.memory_bytes = m->memory_bytes;
    p.l2_bytes = m->l2_bytes;
    p.clock_mhz = m->clock_mhz;
    p.peak_gbps = m->peak_gbps;
    p.peak_l1_gbps = m->peak_l1_gbps;
    p.peak_flops = m->peak_flops;
    memcpy(p.device, m->device, sizeof(p.device));
    memcpy(p.version, m->version, sizeof(p.version));
    memcpy(p.arch, m->arch, sizeof(p.arch));
    return wire_put(w, &p, sizeof(p));
}

static bool between(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

/* A lab's plan divides by these and multiplies with them. */
static bool limits_are_a_devices(const struct device_limits *l)
{
    return between(l->sms, 1, 4096) && between(l->max_threads_per_block, 1, 1024) &&
           between(l->max_threads_per_sm, 1, 65536) && between(l->shared_per_block, 1, 1 << 24) &&
           between(l->cc, 10, 999);
}

bool machine_read(const struct wire *w, struct machine *m)
{
    struct packed p;

    if (!wire_get(w, &p, sizeof(p)) || !limits_are_a_devices(&p.limits))
        return false;
    *m = (struct machine){.emulator = p.emulator != 0,
                          .limits = p.limits,
                          .memory_bytes = p.memory_bytes,
                          .l2_bytes = p.l2_bytes,
                          .clock_mhz = p.clock_mhz,
                          .peak_gbps = p.peak_gbps,
                          .peak_l1_gbps = p.peak_l1_gbps,
                          .peak_flops = p.peak_flops};
    memcpy(m->device, p.device, sizeof(m->device) - 1);
    memcpy(m->version, p.version, sizeof(m->version) - 1);
    memcpy(m->arch, p.arch, sizeof(m->arch) - 1);
    return true;
}
