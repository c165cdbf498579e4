/* model.c - modelled time of a launch: see model.h, and MODEL.md for how near it comes.
 *
 *   time = launch overhead + max(bounds)
 *
 * Throughput bounds. Work is taken to be spread evenly over the blocks, and blocks evenly
 * over the SMs; the busiest SM has ceil(blocks / SMs) of them, so a last partial wave
 * costs what a full one does ("share" below). For each resource of an SM
 *       cycles = work * share / (what it does in a cycle)
 * and for L2 and DRAM
 *       seconds = bytes / bandwidth.
 *
 * Latency bound. A block lives for
 *       life = start + instructions * alu latency / 2 + requests / MLP * memory latency
 *              + shared requests * shared latency / 2 + barriers * barrier latency
 * (numbers per warp); an SM holds `resident` blocks at a time, hence
 *       cycles = ceil(blocks of the SM / resident) * life,
 * which is Little's law with the block as the customer: too few warps in flight and the
 * memory's latency shows. Consecutive waves overlap smoothly when there are many.
 *
 * Not modelled: instruction mix beyond the pipes named, dependences between particular
 * instructions (half of the ALU latency and MLP loads at a time stand for them), conflicts
 * between DRAM rows, TLB misses, clocks that change, other kernels at the same time.
 */
#include "model.h"
#include <math.h>

/* Calibrated on the kernels of model_test.c; the same for every device. */
#define MLP             2.0    /* loads a warp has in flight */
#define BLOCK_START     1400.0 /* cycles to start, drain and replace a block */
#define BARRIER_LATENCY 30.0   /* cycles */
#define LSU_REQUESTS    1.0    /* warp requests, or lines of them, in L1 a cycle and SM */
#define L1_SECTORS      4.0    /* sectors a cycle and SM */
#define L2_SM_BYTES     64.0   /* bytes a cycle between an SM and L2 */
#define ATOMIC_PASSES   0.5    /* passes at L2 a cycle, per SM's worth of L2 */

/* Sums that several bounds need. */
struct work {
    const struct counters *c;
    const struct model_launch *l;
    const struct device_profile *d;
    double hz, blocks, warps; /* warps in the whole launch */
    double share;             /* of the work that the busiest SM has */
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
    struct work w = {.c = c, .l = l, .d = d, .hz = d->clock_mhz * 1e6};
    double sectors = or_else((double)l->l2_sectors, sectors_asked(c));
    /* without an L2, what is used twice is fetched twice */
    double unique = or_else(d->l2_bytes ? (double)l->unique_sectors : 0, sectors);
    double resident = fmin((double)l->l2_resident_sectors, unique);

    w.blocks = (double)l->blocks;
    w.warps = w.blocks * ((l->threads_per_block + d->warp_size - 1) / d->warp_size);
    w.share = ceil(w.blocks / d->sms) / w.blocks;
    w.l2_bytes = sectors * d->sector_bytes;
    w.dram_bytes = fmin(unique - resident, sectors) * d->sector_bytes;
    return w;
}

/* What the busiest SM needs for `work` of the launch at `rate` a cycle. */
static double on_sm(const struct work *w, double work, double rate)
{
    return work > 0 ? work * w->share / rate / w->hz : 0;
}

/* ---- the bounds ---- */

/* PTX counts a division as one instruction; machine code has a sequence for it. */
static double issue(const struct work *w)
{
    double expansion = w->d->cc_major < 2 ? 36 : 20;
    double slots = (double)w->c->inst_executed + (double)w->c->div_ops * (expansion - 1);
    double rate = fmin(w->d->issue_per_cycle, fmax(w->d->fp32_lanes, w->d->int_lanes) / 32.0);

    return on_sm(w, slots, rate);
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

static double tensor(const struct work *w)
{
    return on_sm(w, (double)w->c->tensor_flop,
                 or_else(w->d->tensor_flop_per_cycle, 2.0 * w->d->fp32_lanes));
}

static double shared(const struct work *w)
{
    double wavefronts = (double)(w->c->shared_ld_wavefronts + w->c->shared_st_wavefronts +
                                 w->c->shared_atom_requests + w->c->shared_atom_passes);

    return on_sm(w, wavefronts, w->d->shared_bytes_per_cycle / (w->d->banks * w->d->bank_bytes));
}

static double l1(const struct work *w)
{
    double requests =
        (double)(w->c->global_ld_requests + w->c->global_st_requests + w->c->global_atom_requests +
                 w->c->global_red_requests + w->c->local_ld_requests + w->c->local_st_requests);

    requests = fmax(requests, (double)w->l->l1_lines);
    return on_sm(w, fmax(requests / LSU_REQUESTS, sectors_asked(w->c) / L1_SECTORS), 1);
}

static double l2(const struct work *w)
{
    double device = w->d->l2_gbps > 0 ? w->l2_bytes / (w->d->l2_gbps * 1e9) : 0;

    return w->d->l2_bytes ? fmax(device, on_sm(w, w->l2_bytes, L2_SM_BYTES)) : 0;
}

static double dram(const struct work *w)
{
    return w->dram_bytes / (w->d->dram_gbps * 1e9);
}

static double atomics(const struct work *w)
{
    return (double)w->c->global_atom_passes / (ATOMIC_PASSES * w->d->sms) / w->hz;
}

/* Of all sectors asked for: those that miss L1, and of those that miss L2, too. */
static double memory_latency(const struct work *w)
{
    double asked = sectors_asked(w->c) * w->d->sector_bytes;
    double miss = asked > 0 ? fmin(w->l2_bytes / asked, 1) : 1;
    double far = w->l2_bytes > 0 ? w->dram_bytes / w->l2_bytes : 1;
    double beyond = far * w->d->dram_latency_cycles +
                    (1 - far) * or_else(w->d->l2_latency_cycles, w->d->dram_latency_cycles);

    return miss * beyond + (1 - miss) * w->d->shared_latency_cycles;
}

static double latency(const struct work *w)
{
    const struct counters *c = w->c;
    double loads = (double)(c->global_ld_requests + c->global_atom_requests + c->local_ld_requests);
    double near = (double)(c->shared_ld_requests + c->shared_atom_requests + c->shuffles);
    double life = BLOCK_START + (double)c->inst_executed / w->warps * w->d->alu_latency_cycles / 2 +
                  fmax(loads / w->warps / MLP, loads > 0) * memory_latency(w) +
                  near / w->warps * w->d->shared_latency_cycles / 2 +
                  (double)c->barriers / w->warps * BARRIER_LATENCY;
    double of_the_sm = ceil(w->blocks / w->d->sms);
    double resident = fmax(w->l->occupancy.blocks_per_sm, 1);

    return ceil(of_the_sm / resident) * life / w->hz;
}

static const struct {
    const char *name;
    double (*seconds)(const struct work *w);
} bounds[] = {
    {"issue", issue}, {"fp32", fp32},     {"fp64", fp64},       {"fp16", fp16},
    {"sfu", sfu},     {"tensor", tensor}, {"shared", shared},   {"l1", l1},
    {"l2", l2},       {"dram", dram},     {"atomics", atomics}, {"latency", latency},
};

void model_time(const struct counters *c, const struct model_launch *l,
                const struct device_profile *d, struct emu_result *out)
{
    struct work w = work_of(c, l, d);
    double longest = 0, overhead = d->launch_overhead_us * 1e-6;

    out->bound = "launch";
    for (size_t i = 0; l->blocks && i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        double t = bounds[i].seconds(&w);

        if (t > longest) {
            longest = t;
            if (t > overhead)
                out->bound = bounds[i].name;
        }
    }
    out->modelled_ms = (overhead + longest) * 1e3;
    out->occupancy = l->occupancy.fraction;
    out->occupancy_limiter = l->occupancy.limiter;
    out->blocks_per_sm = l->occupancy.blocks_per_sm;
}

double model_copy_ms(const struct device_profile *d, uint64_t bytes, bool pcie)
{
    if (pcie)
        return d->pcie_latency_us * 1e-3 + (double)bytes / (d->pcie_gbps * 1e6);
    return d->launch_overhead_us * 1e-3 + 2.0 * (double)bytes / (d->dram_gbps * 1e6);
}
