"""fig_black_scholes.py - where a million options' time goes, and how near the kernels come to memory's speed.

Times of single steps are in the file beside the record, black_scholes.timeline (common/harness/timeline.h).
"""
from matplotlib.patches import Rectangle

import fig_transfers
import names
import records
import style

SCHEDULES = ["pageable", "pinned", "overlap"]
KERNELS = ["move", "direct", "strided", "fast", "vector"]
CASE = "options=10^6"


def timelines():
    """{machine: steps} of the kept records."""
    found = {}
    for path in sorted((records.HERE / "records").glob("*/black_scholes.timeline")):
        for machine in records.load([path.with_suffix(".csv")]).machines():
            found[machine] = [s for s in fig_transfers.read(path) if s["case"] == CASE]
    return found


def bars(ax, own, top):
    """A schedule's steps, a thin row for each sort; the end in ms."""
    for s in own:
        y = top - fig_transfers.ROWS.index(s["what"]) / 3
        ax.add_patch(Rectangle((s["start_ms"], y - 1 / 3), s["end_ms"] - s["start_ms"], 0.3,
                               facecolor=fig_transfers.COLOURS[s["what"]], edgecolor=style.PAPER, linewidth=0.8))
    return max(s["end_ms"] for s in own)


def draw_time(steps, rows):
    fig, ax = style.figure(width=13.5, height=5.2)
    fig.subplots_adjust(left=0.13, right=0.985, top=0.84, bottom=0.15)
    most = 0
    for i, variant in enumerate(SCHEDULES):
        top = 1.5 * (len(SCHEDULES) - i) - 0.25
        end = bars(ax, [s for s in steps if s["variant"] == variant], top)
        ax.text(end, top - 0.5, f"  {end:#.3g} ms", va="center", fontsize=13)
        most = max(most, end)
    for what in fig_transfers.ROWS:
        ax.plot([], [], "s", color=fig_transfers.COLOURS[what], label={"copy_in": "copies in", "kernel": "kernel", "copy_out": "copies out"}[what])
    ax.set_xlim(0, 1.12 * most)
    ax.set_ylim(0, 1.5 * len(SCHEDULES))
    ax.set_yticks([1.5 * (len(SCHEDULES) - i) - 0.75 for i in range(len(SCHEDULES))], [names.variant(v) for v in SCHEDULES],
                  fontsize=14)
    ax.grid(False, axis="y")
    ax.set_xlabel("ms")
    ax.legend(loc="lower right", fontsize=12)
    fig.suptitle(f"A million options there and back: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.965)
    style.provenance(fig, rows)
    return fig


def kernels(rows):
    """{kernel: [(options, GB/s)]} over the sizes that are powers of two."""
    return {v: sorted((r["n"], r["gbps"]) for r in rows if r["variant"] == v and r["case"] != CASE and r["gbps"])
            for v in KERNELS}


def draw_kernels(rows):
    fig, ax = style.figure(width=11, height=6.2)
    fig.subplots_adjust(left=0.09, right=0.985, top=0.86, bottom=0.14)
    for i, (variant, own) in enumerate(kernels(rows).items()):
        ax.plot(*zip(*own), **style.look(i), label=names.variant(variant))
    ax.set_xscale("log", base=2)
    sizes = sorted({n for own in kernels(rows).values() for n, _ in own})
    ax.set_xticks(sizes, [f"$2^{{{n.bit_length() - 1}}}$" for n in map(int, sizes)])
    ax.set_xticks([], minor=True)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("options")
    ax.set_ylabel("GB/s, 20 bytes an option")
    ax.legend(loc="lower right", fontsize=12)
    fig.suptitle(f"The kernels alone: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=19, fontweight="bold", y=0.965)
    style.provenance(fig, rows)
    return fig


def figures(recs):
    rows = recs.where(lab="black_scholes")
    kept = timelines()
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if kept.get(machine):
            yield f"black-scholes-time-{machine}", draw_time(kept[machine], own.where(case=CASE))
        if all(len(points) > 2 for points in kernels(own).values()):
            yield f"black-scholes-kernels-{machine}", draw_kernels(own.where(variant=tuple(KERNELS)))


if __name__ == "__main__":
    style.main(figures)
