/* profile.c - the device profile: the constants of one GPU.
 *
 * Profiles are `key = value` text: the files of profiles/, which are compiled in, or any
 * file when WARPLAB_DEVICE has a slash in it. Every key must be there, once, and no
 * other: a misspelt key would be a silent default.
 */
#include "profile.h"
#include "options.h"
#include "base/alloc.h"
#include "base/file.h"
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILT_IN(key)                                                                              \
    __asm__(".section .rodata\n"                                                                   \
            "profile_" #key ": .incbin \"emulator/profiles/" #key ".conf\"\n"                      \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char profile_##key[] __attribute__((visibility("hidden")));

BUILT_IN(g80)
BUILT_IN(gtx980)
BUILT_IN(a100)
BUILT_IN(h200)

static const struct {
    const char *key, *text;
} built_in[] = {
    {"g80", profile_g80},
    {"gtx980", profile_gtx980},
    {"a100", profile_a100},
    {"h200", profile_h200},
};

enum type { TEXT, U32, U64, REAL, DIM3, VERSION, RULES };
#define FIELD(type, name)                                                                          \
    {                                                                                              \
#name, type, offsetof(struct device_profile, name)                                         \
    }

static const struct field {
    const char *name;
    enum type type;
    size_t offset;
} fields[] = {
    FIELD(TEXT, name),
    {"cc", VERSION, offsetof(struct device_profile, cc_major)},
    FIELD(U32, sms),
    FIELD(U32, warp_size),
    FIELD(U32, max_threads_per_block),
    FIELD(U32, max_threads_per_sm),
    FIELD(U32, max_blocks_per_sm),
    FIELD(DIM3, max_block_dim),
    FIELD(DIM3, max_grid_dim),
    FIELD(U32, registers_per_sm),
    FIELD(U32, registers_per_block),
    FIELD(U32, max_registers_per_thread),
    FIELD(U32, register_allocation_unit),
    FIELD(U32, shared_per_sm),
    FIELD(U32, shared_per_block),
    FIELD(U32, shared_per_block_optin),
    FIELD(U32, shared_reserved_per_block),
    FIELD(U32, shared_allocation_unit),
    FIELD(U32, const_bytes),
    FIELD(U64, memory_bytes),
    FIELD(U64, l2_bytes),
    FIELD(U32, banks),
    FIELD(U32, bank_bytes),
    FIELD(U32, sector_bytes),
    FIELD(U32, coalescing_group),
    FIELD(RULES, coalescing_rules),
    FIELD(REAL, clock_mhz),
    FIELD(REAL, memory_clock_mhz),
    FIELD(U32, memory_bus_bits),
    FIELD(U32, issue_per_cycle),
    FIELD(U32, fp32_lanes),
    FIELD(U32, fp64_lanes),
    FIELD(U32, fp16_lanes),
    FIELD(U32, sfu_lanes),
    FIELD(U32, int_lanes),
    FIELD(REAL, tensor_flop_per_cycle),
    FIELD(REAL, mma_f16_flop_per_cycle),
    FIELD(REAL, mma_tf32_flop_per_cycle),
    FIELD(REAL, mma_f64_flop_per_cycle),
    FIELD(REAL, mma_int8_flop_per_cycle),
    FIELD(REAL, mma_int1_flop_per_cycle),
    FIELD(REAL, mma_warp_part),
    FIELD(REAL, dram_gbps),
    FIELD(REAL, l2_gbps),
    FIELD(REAL, shared_bytes_per_cycle),
    FIELD(REAL, dram_latency_cycles),
    FIELD(REAL, dram_spread_cycles),
    FIELD(REAL, l2_latency_cycles),
    FIELD(REAL, l1_latency_cycles),
    FIELD(REAL, shared_latency_cycles),
    FIELD(REAL, alu_latency_cycles),
    FIELD(REAL, fp64_latency_cycles),
    FIELD(REAL, special_latency_cycles),
    FIELD(REAL, division_latency_cycles),
    FIELD(REAL, int_division_latency_cycles),
    FIELD(REAL, matrix_latency_cycles),
    FIELD(REAL, wgmma_latency_cycles),
    FIELD(REAL, branch_cycles),
    FIELD(REAL, barrier_cycles),
    FIELD(REAL, barrier_warp_cycles),
    FIELD(REAL, cluster_barrier_cycles),
    FIELD(REAL, cluster_barrier_warp_cycles),
    FIELD(REAL, mbarrier_cycles),
    FIELD(REAL, mbarrier_peer_cycles),
    FIELD(REAL, bulk_latency_cycles),
    FIELD(REAL, machine_insts_per_ptx),
    FIELD(REAL, division_insts),
    FIELD(REAL, block_issue_cycles),
    FIELD(REAL, block_start_cycles),
    FIELD(REAL, block_start_warp_cycles),
    FIELD(REAL, block_every_cycles),
    FIELD(REAL, bank_wait_cycles),
    FIELD(REAL, l1_pass_cycles),
    FIELD(REAL, l1_lines_per_pass),
    FIELD(REAL, l1_sectors_per_cycle),
    FIELD(REAL, l2_sm_bytes_per_cycle),
    FIELD(REAL, bulk_bytes_per_cycle),
    FIELD(REAL, bulk_burst_bytes_per_cycle),
    FIELD(REAL, atomic_passes_per_cycle),
    FIELD(REAL, atomic_chain_cycles),
    FIELD(REAL, const_cache_bytes),
    FIELD(REAL, const_miss_cycles),
    FIELD(REAL, bounds_norm),
    FIELD(REAL, launch_overhead_us),
    FIELD(REAL, event_overhead_us),
    FIELD(REAL, pcie_gbps),
    FIELD(REAL, pcie_both_gbps),
    FIELD(REAL, copy_in_latency_us),
    FIELD(REAL, copy_out_latency_us),
    FIELD(REAL, pageable_in_latency_us),
    FIELD(REAL, pageable_in_gbps),
    FIELD(REAL, pageable_in_far_gbps),
    FIELD(REAL, pageable_out_gbps),
    FIELD(REAL, host_cache_mb),
    FIELD(REAL, mapped_gbps),
    FIELD(REAL, mapped_both_gbps),
    FIELD(REAL, prefetch_latency_us),
    FIELD(REAL, prefetch_in_gbps),
    FIELD(REAL, prefetch_out_gbps),
    FIELD(REAL, fault_latency_us),
    FIELD(REAL, fault_in_gbps),
    FIELD(REAL, fault_out_gbps),
    FIELD(REAL, peer_gbps),
    FIELD(REAL, peer_latency_us),
    FIELD(REAL, staged_gbps),
    FIELD(REAL, staged_latency_us),
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

static struct device_profile profile;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool read_u32s(const char *value, uint32_t *out, int n)
{
    int used = 0;

    for (int i = 0; i < n; i++, value += used)
        if (*value == '-' || sscanf(value, "%u%n", &out[i], &used) != 1 ||
            (i + 1 < n && value[used++] != ' '))
            return false;
    return *value == '\0';
}

static bool read_value(const struct field *f, const char *value, struct device_profile *p)
{
    void *at = (char *)p + f->offset;
    uint32_t *u = at;
    int used = 0;

    switch (f->type) {
    case TEXT:
        snprintf(at, sizeof(p->name), "%s", value);
        return *value && strlen(value) < sizeof(p->name);
    case U32:
        return read_u32s(value, u, 1);
    case DIM3:
        return read_u32s(value, u, 3);
    case U64:
        return *value != '-' && sscanf(value, "%lu%n", (uint64_t *)at, &used) == 1 && !value[used];
    case REAL:
        return sscanf(value, "%lf%n", (double *)at, &used) == 1 && !value[used] &&
               *(double *)at >= 0;
    case RULES:
        *u = strcmp(value, "sectors") == 0 ? 0 : 1;
        return *u == 0 || strcmp(value, "strict") == 0;
    case VERSION:
        return sscanf(value, "%u.%u%n", &u[0], &u[1], &used) == 2 && !value[used];
    }
    return false;
}

/* One `key = value` line; NULL when it is right, else what is wrong. */
static const char *read_line(char *line, struct device_profile *p, bool *seen)
{
    char *value = strstr(line, " = ");

    if (!value)
        return "expected `key = value`";
    *value = '\0';
    value += 3;
    for (size_t i = 0; i < NFIELDS; i++) {
        if (strcmp(line, fields[i].name) != 0)
            continue;
        if (seen[i])
            return "given twice";
        seen[i] = true;
        return read_value(&fields[i], value, p) ? NULL : "not a value of the right kind";
    }
    return "no such key";
}

/* Is there a way to count what the profile asks for? (exec/ops/mem.c, rules.c) */
static bool counts_by_rules(const struct device_profile *p)
{
    bool strict = p->coalescing_rules != 0;

    for (uint32_t n = strict ? 8 : 32; n <= 32; n *= 2)
        if (p->coalescing_group == n)
            for (uint32_t b = strict ? 8 : 32; b <= 32; b *= 2)
                if (p->banks == b)
                    return p->bank_bytes == 4 && p->sector_bytes == 32;
    return false;
}

/* Reads a profile; false after a message. Zero would make the model divide by it. */
static bool parse(const char *name, const char *text, struct device_profile *p)
{
    bool seen[NFIELDS] = {false};
    memset(p, 0, sizeof(*p));
    for (int number = 1; *text; number++) {
        size_t n = strcspn(text, "\n");
        const char *wrong = NULL;

        char *line = xformat("%.*s", (int)n, text);

        if (*line && *line != '#')
            wrong = read_line(line, p, seen);
        if (wrong)
            fprintf(stderr, "warplab: device profile %s:%d: %s: %s\n", name, number, line, wrong);
        free(line);
        if (wrong)
            return false;
        text += n + (text[n] == '\n');
    }
    for (size_t i = 0; i < NFIELDS; i++) {
        if (!seen[i]) {
            fprintf(stderr, "warplab: device profile %s: %s is missing\n", name, fields[i].name);
            return false;
        }
    }
    if (p->warp_size != 32 || !p->sms || !p->clock_mhz || !p->banks || !p->bank_bytes ||
        !p->sector_bytes || !p->register_allocation_unit || !p->shared_allocation_unit) {
        fprintf(stderr,
                "warplab: device profile %s: warp_size must be 32, and sms, clock_mhz, "
                "banks, bank_bytes, sector_bytes and allocation units above 0\n",
                name);
        return false;
    }
    if (!p->issue_per_cycle || !p->l1_sectors_per_cycle || !p->l2_sm_bytes_per_cycle ||
        !p->atomic_passes_per_cycle || p->bounds_norm < 1) {
        fprintf(stderr,
                "warplab: device profile %s: issue_per_cycle, l1_sectors_per_cycle, "
                "l2_sm_bytes_per_cycle and atomic_passes_per_cycle must be above 0, and "
                "bounds_norm at least 1\n",
                name);
        return false;
    }
    if (!p->pcie_gbps || !p->pcie_both_gbps || !p->pageable_in_gbps || !p->pageable_in_far_gbps ||
        !p->pageable_out_gbps || !p->mapped_gbps || !p->mapped_both_gbps || !p->prefetch_in_gbps ||
        !p->prefetch_out_gbps || !p->fault_in_gbps || !p->fault_out_gbps) {
        fprintf(stderr, "warplab: device profile %s: the bandwidths of copies must be above 0\n",
                name);
        return false;
    }
    if (!counts_by_rules(p)) {
        fprintf(stderr,
                "warplab: device profile %s: coalescing_rules = sectors goes with 32 banks and a "
                "coalescing_group of 32, strict with 8, 16 or 32 of each; both with bank_bytes 4 "
                "and sector_bytes 32\n",
                name);
        return false;
    }
    return true;
}

static void from_file(const char *path)
{
    const char *base = strrchr(path, '/') + 1;
    size_t length;
    char *text;
    int e = file_read(path, 1 << 20, &text, &length);

    if (e) {
        fprintf(stderr, "warplab: cannot read device profile %s: %s\n", path, file_why(e));
        _exit(2);
    }
    if (!parse(path, text, &profile))
        _exit(2);
    profile.key = xformat("%.*s", (int)strcspn(base, "."), base);
    free(text);
}

bool device_profile_named(const char *key, struct device_profile *out)
{
    for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++) {
        if (strcmp(key, built_in[i].key) != 0)
            continue;
        if (!parse(key, built_in[i].text, out))
            abort();
        out->key = built_in[i].key;
        return true;
    }
    return false;
}

static void select_profile(void)
{
    const char *wanted = emu_options()->device;

    if (strchr(wanted, '/')) {
        from_file(wanted);
        return;
    }
    if (device_profile_named(wanted, &profile))
        return;
    fprintf(stderr, "warplab: no device profile \"%s\"; there are", wanted);
    for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
        fprintf(stderr, " %s", built_in[i].key);
    fprintf(stderr, " (or a file's path with a slash in it)\n");
    _exit(2);
}

const struct device_profile *device_profile(void)
{
    pthread_once(&once, select_profile);
    return &profile;
}
