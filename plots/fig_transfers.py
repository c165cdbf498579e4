"""fig_transfers.py - who works when in the transfers lab's schedules, and what a copy costs by its size.

Times of single steps are in the files beside the records, NAME.timeline (common/harness/timeline.h).
"""
import csv

import numpy as np
from matplotlib.patches import Rectangle

import names
import records
import style

SHOWN = ["pageable", "pinned", "mapped", "two_streams", "pipeline"]
ROWS = ["copy_in", "kernel", "copy_out"]
WORDS = {"copy_in": "in", "kernel": "kernel", "copy_out": "out"}
COLOURS = {"copy_in": style.BLUE, "kernel": style.ORANGE, "copy_out": style.GREEN}


def read(path):
    """The steps of a timeline: dictionaries, numbers as such."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    steps = list(csv.DictReader(lines))
    for s in steps:
        s |= {k: int(s[k]) for k in ("n", "step", "stream", "offset", "elements", "bytes")}
        s |= {k: float(s[k]) for k in ("start_ms", "end_ms")}
    return steps


def timelines():
    """{machine: steps} of the kept records."""
    found = {}
    for path in sorted((records.HERE / "records").glob("*/transfers.timeline")):
        for machine in records.load([path.with_suffix(".csv")]).machines():
            found[machine] = read(path)
    return found


def largest(steps):
    """The case with work to do whose input is largest."""
    return max((s["n"], s["case"]) for s in steps if not s["case"].startswith("copy"))[1]


def draw_timeline(steps, rows):
    case = largest(steps)
    own = [s for s in steps if s["case"] == case]
    shown = [v for v in SHOWN if any(s["variant"] == v for s in own)]
    most = max(s["end_ms"] for s in own if s["variant"] != "pageable" and s["variant"] in shown)
    fig, axes = style.figure(nrows=len(shown), width=11.5, height=1.12 * len(shown) + 1.7, sharex=True)
    fig.subplots_adjust(left=0.085, right=0.985, top=0.86, bottom=0.12, hspace=0.75)
    for ax, variant in zip(axes, shown):
        end = 0
        for s in (s for s in own if s["variant"] == variant):
            y = len(ROWS) - 1 - ROWS.index(s["what"])
            ax.add_patch(Rectangle((s["start_ms"], y + 0.1), s["end_ms"] - s["start_ms"], 0.8,
                                   facecolor=COLOURS[s["what"]], edgecolor=style.PAPER, linewidth=1.2))
            end = max(end, s["end_ms"])
        ax.set_xlim(0, 1.12 * most)
        ax.set_ylim(0, len(ROWS))
        ax.set_yticks([2.5, 1.5, 0.5], [WORDS[r] for r in ROWS], fontsize=11.5)
        ax.grid(False, axis="y")
        ax.set_title(names.variant(variant), loc="left", fontsize=13, pad=3)
        if end > 1.12 * most:
            ax.text(0.995, 0.5, f"goes on until {end:,.3g} ms", transform=ax.transAxes, ha="right", va="center",
                    fontsize=12.5)
        else:
            ax.axvline(end, color=style.INK, linewidth=1, linestyle=":")
            ax.text(end, 2.9, f" {end:.3g} ms", va="top", ha="left", fontsize=12.5)
    axes[-1].set_xlabel("ms")
    fig.suptitle(f"Who works when: {own[0]['n']:,} elements, {names.machine(rows[0])}", x=0.012, ha="left", fontsize=18,
                 fontweight="bold", y=0.985)
    style.provenance(fig, rows)
    return fig


def copies(steps, variant, what):
    """[(bytes, µs)] of whole copies in the cases that do little else."""
    return sorted((s["bytes"], 1e3 * (s["end_ms"] - s["start_ms"])) for s in steps
                  if s["variant"] == variant and s["what"] == what and s["case"].startswith("copy"))


def fit(points):
    """(latency in µs, GB/s): t = latency + bytes / bandwidth, with errors taken in parts of each."""
    size, us = np.array(points, dtype=float).T
    terms = np.stack([1 / us, size / us], axis=1)
    latency, slope = np.linalg.lstsq(terms, np.ones(len(us)), rcond=None)[0]
    return latency, 1e-3 / slope


def draw_copies(steps, rows):
    fig, axes = style.figure(ncols=2, width=14, height=6)
    fig.subplots_adjust(left=0.07, right=0.985, top=0.8, wspace=0.2)
    i = 0
    for what in ("copy_in", "copy_out"):
        for variant in ("pageable", "pinned"):
            points = copies(steps, variant, what)
            latency, gbps = fit(points)
            axes[0].plot(*zip(*points), **style.look(i),
                         label=f"{variant}, {WORDS[what]}: {latency:.1f} µs + bytes / {gbps:.1f} GB/s")
            i += 1
    axes[0].set_xlabel("bytes of a copy")
    axes[0].set_ylabel("µs")
    axes[0].set_yscale("log")
    axes[0].set_title("one copy", loc="left", fontsize=14)
    for k, variant in enumerate(dict.fromkeys(r["variant"] for r in rows)):
        own = sorted((4 * r["n"], r["gbps"]) for r in rows
                     if r["variant"] == variant and r["case"].startswith("copy") and r["gbps"])
        axes[1].plot(*zip(*own), **style.look(k), label=names.variant(variant))
    axes[1].set_xlabel("bytes there, and as many back")
    axes[1].set_ylabel("GB/s, both ways together")
    axes[1].set_title("the whole schedule", loc="left", fontsize=14)
    for ax in axes:
        ax.set_xscale("log", base=2)
        sizes = sorted({s["bytes"] for s in steps if s["bytes"] and s["variant"] == "pinned"})
        ticks = {4: "4 B", 2**10: "1 KiB", 2**18: "256 KiB", 2**22: "4 MiB", 2**26: "64 MiB", 2**30: "1 GiB"}
        ticks = {b: words for b, words in ticks.items() if b in sizes}
        ax.set_xticks(list(ticks), ticks.values(), fontsize=12)
        ax.set_xticks([], minor=True)
        ax.legend(loc="upper left", fontsize=11)
    fig.suptitle(f"What transfers cost: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=19, fontweight="bold",
                 y=0.975)
    style.provenance(fig, rows)
    return fig


def figures(recs):
    rows = recs.where(lab="transfers")
    kept = timelines()
    for machine in rows.machines():
        if machine in kept:
            own = rows.where(machine=machine)
            yield f"transfers-timeline-{machine}", draw_timeline(kept[machine], own)
            yield f"transfers-copies-{machine}", draw_copies(kept[machine], own)


if __name__ == "__main__":
    style.main(figures)
