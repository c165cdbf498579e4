/* model.c - modelled time of a launch: see model.h, and MODEL.md for how near it comes.
 *
 *   time = launch overhead + (sum of bound^norm)^(1/norm)
 *
 * With one bound far above the others that is the bound; where several are near each other they
 * get in each other's way, and the time is above the greatest. All constants are the device
 * profile's.
 *
 * Throughput bounds. Work is taken to be spread evenly over the blocks, and blocks evenly
 * over the SMs; the busiest SM has ceil(blocks / SMs) of them, so a last partial wave
 * costs what a full one does ("share" below). For each resource of an SM
 *       cycles = work * share / (what it does in a cycle)
 * and for L2 and DRAM
 *       seconds = bytes / bandwidth.
 *
 * Latency bound. A block lives for the cycles that its own warps' dependences take (pace.h), and
 * an SM holds `resident` blocks at a time, hence
 *       cycles = ceil(blocks of the SM / resident) * life, and between two a block's start,
 * which is Little's law with the block as the customer: too few warps in flight and the
 * memory's latency shows.
 *
 * Not modelled: instruction mix beyond the pipes named, conflicts between DRAM rows and between
 * slices of L2, TLB misses, clocks that change, other kernels at the same time.
 */
#include "model.h"
#include "emulator/code/code.h"
#include <math.h>

/* Sums that several bounds need. */
struct work {
    const struct counters *c;
    const struct model_launch *l;
    const struct device_profile *d;
    double hz, blocks;
    double share; /* of the work that the busiest SM has */
    double l2_bytes, dram_bytes;
};

static double or_else(double a, double b)
{
    return a > 0 ? a : b;
}

static double sectors_asked(const struct counters *c)
{
    return (double)(c->global_ld_sectors + c->global_st_sectors + c->global_atom_sectors +
                    c->local_ld_sectors + c->local_st_sectors);
}

static struct work work_of(const struct counters *c, const struct model_launch *l,
                           const struct device_profile *d)
{
    const struct sampled *s = &l->sampled;
    struct work w = {.c = c, .l = l, .d = d, .hz = d->clock_mhz * 1e6};
    double sectors = s->known ? (double)s->l2_sectors : sectors_asked(c);
    /* without an L2, what is used twice is fetched twice */
    double moved = s->known && d->l2_bytes ? (double)s->dram_sectors : sectors;

    w.blocks = (double)l->blocks;
    w.share = ceil(w.blocks / d->sms) / w.blocks;
    w.l2_bytes = sectors * d->sector_bytes;
    w.dram_bytes = moved * d->sector_bytes;
    return w;
}

/* What the busiest SM needs for `work` of the launch at `rate` a cycle. */
static double on_sm(const struct work *w, double work, double rate)
{
    return work > 0 ? work * w->share / rate / w->hz : 0;
}

/* ---- the bounds ---- */

double model_issue_rate(const struct device_profile *d)
{
    return fmin(d->issue_per_cycle, fmax(d->fp32_lanes, d->int_lanes) / 32.0);
}

/* PTX counts a division as one instruction; machine code has a sequence for it. */
static double issue(const struct work *w)
{
    double slots = w->d->machine_insts_per_ptx * (double)w->c->inst_executed +
                   (double)w->c->div_ops * (w->d->division_insts - 1);

    return on_sm(w, slots, model_issue_rate(w->d));
}

static double fp32(const struct work *w)
{
    return on_sm(w, (double)w->c->flop_fp32, 2.0 * w->d->fp32_lanes);
}

static double fp64(const struct work *w)
{
    return on_sm(w, (double)w->c->flop_fp64, 2.0 * or_else(w->d->fp64_lanes, w->d->fp32_lanes));
}

static double fp16(const struct work *w)
{
    return on_sm(w, (double)w->c->flop_fp16, 2.0 * or_else(w->d->fp16_lanes, w->d->fp32_lanes));
}

static double sfu(const struct work *w)
{
    return on_sm(w, 32.0 * (double)w->c->sfu_ops, w->d->sfu_lanes);
}

/* Flop a cycle of an SM: at the tensor cores' best, by the factors' type, and by mma.sync. */
static double best_rate(const struct device_profile *d, enum ptx_type factor)
{
    double f16 = or_else(d->tensor_flop_per_cycle, 2.0 * d->fp32_lanes);

    switch (factor) {
    case PTX_F16:
    case PTX_BF16:
        return f16;
    case PTX_TF32:
        return f16 / 2;
    default: /* of 8 bits */
        return 2 * f16;
    }
}

static double mma_rate(const struct device_profile *d, enum ptx_type factor)
{
    double f16 = or_else(d->mma_f16_flop_per_cycle, 2.0 * d->fp32_lanes);

    switch (factor) {
    case PTX_F16:
    case PTX_BF16:
        return f16;
    case PTX_TF32:
        return or_else(d->mma_tf32_flop_per_cycle, f16);
    case PTX_F64:
        return or_else(d->mma_f64_flop_per_cycle, 2.0 * d->fp64_lanes);
    case PTX_B1:
        return or_else(d->mma_int1_flop_per_cycle, f16);
    default:
        return or_else(d->mma_int8_flop_per_cycle, f16);
    }
}

double model_tensor_cycles(const struct device_profile *d, const struct insn_cost *c)
{
    double rate = c->wgmma ? best_rate(d, c->factor) : mma_rate(d, c->factor);

    return c->tensor * (double)d->issue_per_cycle / rate;
}

/* Of wgmma's operations it is not known which are of which type: where both it and mma.sync are
 * there, it has its part of each. */
static double tensor(const struct work *w)
{
    const struct counters *c = w->c;
    double part = c->tensor_flop ? (double)c->wgmma_ops / (double)c->tensor_flop : 0, cycles = 0;
    const struct {
        enum ptx_type factor;
        uint64_t ops;
    } all[] = {{PTX_F16, c->tensor_ops_fp16},  {PTX_BF16, c->tensor_ops_bf16},
               {PTX_TF32, c->tensor_ops_tf32}, {PTX_F64, c->tensor_ops_fp64},
               {PTX_E4M3, c->tensor_ops_fp8},  {PTX_S8, c->tensor_ops_int8},
               {PTX_B1, c->tensor_ops_int1}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        cycles += (double)all[i].ops * (part / best_rate(w->d, all[i].factor) +
                                        (1 - part) / mma_rate(w->d, all[i].factor));
    return on_sm(w, cycles, 1);
}

static double shared(const struct work *w)
{
    const struct sampled *s = &w->l->sampled;
    double wavefronts = (double)(w->c->shared_ld_wavefronts + w->c->shared_st_wavefronts +
                                 w->c->shared_atom_requests + w->c->shared_atom_passes);

    wavefronts += (double)s->shared_skipped - (double)s->shared_joined;
    return on_sm(w, wavefronts, w->d->shared_bytes_per_cycle / (w->d->banks * w->d->bank_bytes));
}

/* A load of constants is as fast as another instruction while a block's all fit their cache; else
 * a line of them comes anew each time that a warp goes to it. */
static double constants(const struct work *w)
{
    double fits = w->d->const_cache_bytes;
    bool misses = fits > 0 && (double)w->l->sampled.const_bytes > fits;

    return misses ? on_sm(w, (double)w->l->sampled.const_visits, 1 / w->d->const_miss_cycles) : 0;
}

static double l1(const struct work *w)
{
    double global = (double)(w->c->global_ld_requests + w->c->global_st_requests +
                             w->c->global_atom_requests + w->c->global_red_requests);
    double local = (double)(w->c->local_ld_requests + w->c->local_st_requests);
    double passes = fmax(global, (double)w->l->sampled.l1_passes) + local;
    double sectors = sectors_asked(w->c) / w->d->l1_sectors_per_cycle;

    return on_sm(w, fmax(passes * w->d->l1_pass_cycles, sectors), 1);
}

/* To the SM come a warp's loads at one rate, bulk copies, for other blocks of the cluster, too, at
 * another. What several SMs' bulk copies ask for, the device's L2 reads once. */
static double l2(const struct work *w)
{
    double once = w->l2_bytes - (double)w->l->sampled.l2_repeated * w->d->sector_bytes;
    double device = w->d->l2_gbps > 0 ? fmax(once, 0) / (w->d->l2_gbps * 1e9) : 0;
    double bulk = (double)w->c->tma_ld_bytes;
    double others = (double)w->l->sampled.cluster_sectors * w->d->sector_bytes;
    double loads = fmax(w->l2_bytes - fmax(bulk - others, 0), 0);
    double come = on_sm(w, loads, w->d->l2_sm_bytes_per_cycle);

    if (bulk > 0)
        come += on_sm(w, bulk, w->d->bulk_bytes_per_cycle);
    return w->d->l2_bytes ? fmax(device, come) : 0;
}

static double dram(const struct work *w)
{
    return w->dram_bytes / (w->d->dram_gbps * 1e9);
}

/* Pinned memory that a kernel uses where it is: over the bus, what goes both ways at the same time
 * slower each way. */
static double host(const struct work *w)
{
    const struct sampled *s = &w->l->sampled;
    double in = 32 * (double)s->host_in_sectors, out = 32 * (double)s->host_out_sectors;
    double both = fmin(in, out);

    return both / (w->d->mapped_both_gbps * 1e9) +
           (fmax(in, out) - both) / (w->d->mapped_gbps * 1e9);
}

/* Another device's memory, over the link, each way by itself. */
static double peer(const struct work *w)
{
    double sectors =
        fmax((double)w->l->sampled.peer_in_sectors, (double)w->l->sampled.peer_out_sectors);

    return sectors > 0 && w->d->peer_gbps > 0 ? 32 * sectors / (w->d->peer_gbps * 1e9) : 0;
}

/* Lanes' atomics, spread over L2; or those at one address, one request after the other: lanes of a
 * request that share it are added up before. */
static double atomics(const struct work *w)
{
    double passes = (double)w->c->global_atom_passes / (w->d->atomic_passes_per_cycle * w->d->sms);

    return fmax(passes, (double)w->l->sampled.atom_chain * w->d->atomic_chain_cycles) / w->hz;
}

/* Of the sectors that leave the SM, those that L2 has to fetch. */
static double far_part(const struct work *w)
{
    return w->l2_bytes > 0 ? fmin(w->dram_bytes / w->l2_bytes, 1) : 0;
}

static double latency(const struct work *w)
{
    const struct sampled *s = &w->l->sampled;
    double life = s->life_l2 + (s->life_dram - s->life_l2) * far_part(w);
    double waves = ceil(ceil(w->blocks / w->d->sms) / fmax(w->l->occupancy.blocks_per_sm, 1));
    double warps = ceil(w->l->threads_per_block / 32.0);
    double start = w->d->block_start_cycles + w->d->block_start_warp_cycles * warps;

    return (waves * life + (waves - 1) * start) / w->hz;
}

static double blocks(const struct work *w)
{
    return w->blocks * w->d->block_every_cycles / w->hz;
}

static const struct {
    const char *name;
    double (*seconds)(const struct work *w);
} bounds[] = {
    {"issue", issue},     {"fp32", fp32},     {"fp64", fp64},     {"fp16", fp16},
    {"sfu", sfu},         {"tensor", tensor}, {"shared", shared}, {"const", constants},
    {"l1", l1},           {"l2", l2},         {"dram", dram},     {"atomics", atomics},
    {"latency", latency}, {"blocks", blocks}, {"host", host},     {"peer", peer},
};

/* Has each SM one block at a time? Then nobody else's warps issue in the meantime, and what its own
 * do is in its life. */
static bool is_alone(const struct work *w)
{
    return w->blocks <= w->d->sms || w->l->occupancy.blocks_per_sm <= 1;
}

static bool is_lived(double (*seconds)(const struct work *w))
{
    return seconds == issue || seconds == fp32 || seconds == latency;
}

void model_time(const struct counters *c, const struct model_launch *l,
                const struct device_profile *d, struct emu_result *out)
{
    struct work w = work_of(c, l, d);
    double longest = 0, life = 0, sum = 0, overhead = d->launch_overhead_us * 1e-6;
    bool alone = is_alone(&w);

    out->bound = "launch";
    for (size_t i = 0; l->blocks && i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        double t = bounds[i].seconds(&w);

        if (alone && is_lived(bounds[i].seconds))
            life = fmax(life, t);
        else
            sum += pow(t, d->bounds_norm);
        if (t > longest) {
            longest = t;
            if (t > overhead)
                out->bound = bounds[i].name;
        }
    }
    sum += pow(life, d->bounds_norm);
    out->modelled_ms = (overhead + pow(sum, 1 / d->bounds_norm)) * 1e3;
    out->occupancy = l->occupancy.fraction;
    out->occupancy_limiter = l->occupancy.limiter;
    out->blocks_per_sm = l->occupancy.blocks_per_sm;
    out->sampled = l->sampled;
}

/* A pageable copy goes at the speed at which a core copies to and from the driver's own buffer:
 * to the device faster as long as a cache of the host holds what it reads. */
static double pageable_us(const struct device_profile *d, double bytes, bool in)
{
    double near = fmin(bytes, d->host_cache_mb * 1e6);

    if (!in)
        return d->copy_out_latency_us + bytes / (d->pageable_out_gbps * 1e3);
    return d->pageable_in_latency_us + near / (d->pageable_in_gbps * 1e3) +
           (bytes - near) / (d->pageable_in_far_gbps * 1e3);
}

static double prefetch_us(const struct device_profile *d, double bytes, bool in)
{
    return d->prefetch_latency_us +
           bytes / ((in ? d->prefetch_in_gbps : d->prefetch_out_gbps) * 1e3);
}

double model_copy_ms(const struct device_profile *d, uint64_t bytes, struct copy_path path)
{
    bool in = path.way == COPY_IN;

    if (path.way == COPY_ON_HOST)
        return 0;
    if (path.way == COPY_ON_DEVICE)
        return d->launch_overhead_us * 1e-3 + 2.0 * (double)bytes / (d->dram_gbps * 1e6);
    if (path.way == COPY_PEER)
        return d->peer_latency_us * 1e-3 + (double)bytes / (d->peer_gbps * 1e6);
    if (path.way == COPY_STAGED)
        return d->staged_latency_us * 1e-3 + (double)bytes / (d->staged_gbps * 1e6);
    if (path.memory == PAGEABLE_MEMORY)
        return 1e-3 * pageable_us(d, (double)bytes, in);
    if (path.memory == MANAGED_MEMORY)
        return 1e-3 * prefetch_us(d, (double)bytes, in);
    return 1e-3 * (in ? d->copy_in_latency_us : d->copy_out_latency_us) +
           (double)bytes / (d->pcie_gbps * 1e6);
}

double model_passes_ms(const struct device_profile *d, uint64_t bytes, unsigned passes)
{
    double gbps = bytes <= d->l2_bytes && d->l2_gbps > 0 ? d->l2_gbps : d->dram_gbps;

    return passes * (d->launch_overhead_us * 1e-3 + (double)bytes / (gbps * 1e6));
}

double model_link_ms(const struct device_profile *d, uint64_t bytes)
{
    enum copy_way way = d->peer_gbps > 0 ? COPY_PEER : COPY_STAGED;

    return d->launch_overhead_us * 1e-3 +
           (bytes ? model_copy_ms(d, bytes, (struct copy_path){way, PINNED_MEMORY}) : 0);
}

double model_fault_ms(const struct device_profile *d, uint64_t bytes, bool to_device)
{
    double gbps = to_device ? d->fault_in_gbps : d->fault_out_gbps;

    return bytes ? 1e-3 * d->fault_latency_us + (double)bytes / (gbps * 1e6) : 0;
}
