"""fig_opening.py - the README's figure: on the left what the lanes of a block do in reductions
1 to 3, counted on the emulator; on the right what each step of the ladder reaches on a GPU."""
import numpy as np

import fig_reduction_table
import names
import picture
import pictures
import style
import trace as tracing

SHOWN = ("reduce1", "reduce2", "reduce3")
SIZE = 2**25


def ladder(recs, machine):
    return [row for row, _, _ in fig_reduction_table.table(recs, machine, SIZE)]


def draw_lanes(ax, variant, columns):
    trace = tracing.read(picture.KEPT / f"reduction-{variant}.jsonl")
    grid, barriers = pictures.lane_grid(trace, trace.warps)
    pictures.draw_lanes(ax, np.where(np.isnan(grid), 0, np.where(grid > 0, 2, 1)))
    for b in barriers:
        ax.axvline(b, color=style.RED, linewidth=0.8, linestyle=(0, (3, 2)))
    for w in range(1, trace.warps):
        ax.axhline(w * tracing.WARP, color=style.PAPER, linewidth=2.5)
    ax.grid(False)
    ax.set_xlim(0, columns)
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    active = 32 * np.nansum(grid) / np.count_nonzero(~np.isnan(grid))
    ax.set_title(f"{names.variant(variant, variant[6])}: {active:.0f} of 32 lanes, {grid.shape[1]} instructions",
                 fontsize=11.5, pad=5)


def draw(recs, machine):
    rows = ladder(recs, machine)
    fig = style.plt.figure(figsize=(12, 6.3))
    grid = fig.add_gridspec(3, 2, width_ratios=(1, 1.05), left=0.02, right=0.975, top=0.825, bottom=0.15,
                            wspace=0.6, hspace=0.42)
    widest = max(tracing.read(picture.KEPT / f"reduction-{v}.jsonl").steps()[1] for v in SHOWN)
    for i, variant in enumerate(SHOWN):
        draw_lanes(fig.add_subplot(grid[i, 0]), variant, widest)
    ax = fig.add_subplot(grid[:, 1])
    ax.barh(range(len(rows)), [r["gbps"] for r in rows], color=style.BLUE, height=0.68)
    limit = names.device(rows[0]["device"])["dram_gbps"]
    for y, r in enumerate(rows):
        inside = r["gbps"] > 0.8 * limit
        ax.text(r["gbps"], y, f" {r['gbps']:,.0f} ", va="center", fontsize=12, fontweight="bold",
                ha="right" if inside else "left", color=style.PAPER if inside else style.INK)
    ax.axvline(limit, color=style.RED, linewidth=1.6)
    ax.text(limit, -0.75, f"the memory's limit: {limit:,.0f} GB/s ", color=style.RED, ha="right", va="bottom",
            fontsize=11)
    ax.set_yticks(range(len(rows)), [names.variant(r) for r in rows], fontsize=12)
    ax.invert_yaxis()
    ax.set_xlim(0, limit * 1.01)
    ax.set_xlabel("GB/s", fontsize=12)
    ax.grid(axis="y", visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    power = SIZE.bit_length() - 1
    fig.text(0.02, 0.975, "What the lanes do", fontsize=19, fontweight="bold", va="top")
    fig.text(0.02, 0.912, "one block of 128 threads: active lanes blue, masked grey, barriers dashed",
             fontsize=10.5, color=style.GREY, va="top")
    fig.text(0.515, 0.975, f"What it costs: {names.machine(rows[0])}", fontsize=19, fontweight="bold", va="top")
    fig.text(0.515, 0.912, f"summing $2^{{{power}}}$ integers, nine steps of one lab", fontsize=10.5,
             color=style.GREY, va="top")
    fig.text(0.02, 0.02, "left: trace of the emulator, counted\nright: " + style.provenance_text(rows),
             fontsize=9.5, color=style.GREY, va="bottom", gid="provenance")
    return fig


def figures(recs):
    for machine in recs.where(lab="reduction", backend="gpu").machines():
        if ladder(recs, machine) and all((picture.KEPT / f"reduction-{v}.jsonl").exists() for v in SHOWN):
            yield "opening", draw(recs, machine)
            return


if __name__ == "__main__":
    style.main(figures)
