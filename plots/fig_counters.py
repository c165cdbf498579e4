"""fig_counters.py - the emulator's counted figures beside a GPU's measured counters: for each
counter the ratio counted / measured, one dot an experiment, a panel for each lab that has cases
in common. 1 is agreement."""
import math
import statistics

import names
import records
import style

# Counters whose meaning is the same on both sides; instruction counts differ by nature
# (PTX against machine code) and are shown last, so that nobody mistakes them. Bank conflicts
# are part of the wavefronts; a ratio of their own would set a handful against none.
COUNTERS = (
    "global_ld_requests", "global_ld_sectors", "global_st_requests", "global_st_sectors",
    "shared_ld_wavefronts", "shared_st_wavefronts",
    "global_atom_requests", "global_red_requests", "barriers",
    "inst_executed", "thread_inst_executed_pred_on",
)


def pairs(recs):
    """counter -> [(ratio, gpu row, emulator row)] where both sides have it and it is not 0;
    and counter -> how often both said 0."""
    measured = recs.where(counters_evidence="measured")
    out, zeros = {}, {}
    for row in measured:
        if row["variant"] in names.by_map():
            continue
        for twin in recs.where(machine="emulator", counters_evidence="counted", device=row["device"], lab=row["lab"],
                               variant=row["variant"], case=row["case"], dtype=row["dtype"], op=row["op"]):
            for counter in COUNTERS:
                real, counted = row.get(counter), twin.get(counter)
                if real is None or counted is None:
                    continue
                if real == 0 and counted == 0:
                    zeros[counter] = zeros.get(counter, 0) + 1
                else:
                    ratio = counted / real if real else float("inf")
                    out.setdefault(counter, []).append((ratio, row, twin))
    return out, zeros


OTHER_BY_NATURE = ("inst_executed", "thread_inst_executed_pred_on")
LOW, HIGH, CLOSE = 0.25, 4.0, 0.01  # of ratios: the axis, and what counts as agreement
NEAR = 2                            # places for names in an octave: dots of one place share theirs
FAR = 0.1                           # dots further off than this are named
ABOVE_OR_BELOW = [(dx, dy, ha, "bottom" if dy > 0 else "top") for dy in (5, -5)
                  for dx, ha in ((0, "center"), (3, "right"), (-3, "left"), (-4, "right"), (4, "left"))]


def outliers(y, pairs):
    """(kernels, x, y, colour) of dots that lie apart; how many kernels, where they are more than two."""
    apart = {}
    for ratio, row, _ in pairs:
        if abs(ratio - 1) > FAR:
            at = min(max(ratio, LOW), HIGH)
            apart.setdefault(round(NEAR * math.log2(at)), []).append((at, row["variant"]))
    for near in apart.values():
        variants = sorted({variant for _, variant in near})
        yield (", ".join(variants) if len(variants) < 3 else f"{len(variants)} kernels",
               statistics.median(at for at, _ in near), y, style.GREY)


def draw_lab(ax, lab, shown, found, zeros):
    """A panel: a row for each counter, a dot for each experiment, and how many agree; the dots
    to be named."""
    apart = []
    for y, counter in enumerate(shown):
        ratios = [r for r, *_ in found.get(counter, ())]
        total = len(ratios) + zeros.get(counter, 0)
        if not total:
            continue
        ax.plot([min(max(r, LOW), HIGH) for r in ratios], [y] * len(ratios), linestyle="", marker="o", markersize=8,
                alpha=0.5, color=style.BLUE)
        if counter not in OTHER_BY_NATURE:
            apart += outliers(y, found.get(counter, ()))
        exact = sum(abs(r - 1) <= CLOSE for r in ratios) + zeros.get(counter, 0)
        ax.text(1.02, y, f"{exact} of {total}", transform=ax.get_yaxis_transform(), va="center", fontsize=11,
                fontweight="normal" if exact == total else "bold")
    ax.text(1.02, -0.9, "within 1 %", transform=ax.get_yaxis_transform(), fontsize=9, color=style.GREY, va="center")
    ax.axvline(1, color=style.INK, linewidth=1.4)
    ax.set_xscale("log", base=2)
    ax.set_xlim(LOW * 0.9, HIGH * 1.11)
    ax.set_xticks([0.25, 0.5, 1, 2, 4], ["≤ ¼", "½", "1", "2", "≥ 4"])
    ax.set_xticks([], minor=True)
    ax.set_ylim(len(shown) - 0.4, -1.3)
    ax.set_title(lab.replace("_", " "), fontsize=14, pad=6)
    return apart


def compared(recs):
    """lab -> what pairs() has of it, of the labs that have a pair."""
    labs = {}
    for lab in recs.values("lab"):
        found, zeros = pairs(recs.where(lab=lab))
        if found:
            labs[lab] = found, zeros
    return labs


def most_of(labs):
    """The two labs with the most experiments: as much as can be read on a slide."""
    def experiments(lab):
        found, zeros = labs[lab]
        return max(len(found.get(c, ())) + zeros.get(c, 0) for c in COUNTERS)
    kept = sorted(labs, key=experiments, reverse=True)[:2]
    return {lab: labs[lab] for lab in labs if lab in kept}


def draw(labs):
    if not labs:
        raise records.RecordError("no experiment has both counted and measured counters")
    shown = [c for c in COUNTERS if any(c in found for found, _ in labs.values())]
    cols = min(3, len(labs))
    rows = -(-len(labs) // cols)
    fig, axes = style.figure(ncols=cols, nrows=rows, width=max(11, 4.2 + 4.1 * cols),
                             height=1.9 + rows * (1.0 + 0.4 * len(shown)), squeeze=False, sharey=True, sharex=True)
    apart = {ax: draw_lab(ax, lab, shown, found, zeros) for ax, (lab, (found, zeros)) in zip(axes.flat, labs.items())}
    for ax in list(axes.flat)[len(labs):]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_yticks(range(len(shown)), [c.replace("_", " ") for c in shown], fontsize=12)
        for tick, counter in zip(ax.get_yticklabels(), shown):
            tick.set_color(style.GREY if counter in OTHER_BY_NATURE else style.INK)
    fig.suptitle("The emulator's counts against the hardware's counters", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.985)
    used = {id(r): r for found, _ in labs.values() for ps in found.values() for _, a, b in ps for r in (a, b)}
    style.provenance(fig, list(used.values()), counters=True,
                     note="counted on the emulator / measured on the GPU; a dot is an experiment, no dot: both are 0\n"
                          "grey: instructions of PTX against those of machine code, which differ by nature")
    inch = fig.get_figheight(), fig.get_figwidth()
    fig.draw_without_rendering()
    label = max(t.get_window_extent().width for t in axes[0][0].get_yticklabels()) / fig.dpi
    fig.subplots_adjust(left=(label + 0.25) / inch[1], right=1 - 0.95 / inch[1], top=1 - 0.95 / inch[0], wspace=0.34,
                        hspace=0.3)
    for ax, points in apart.items():
        style.name_points(ax, points, 8, ABOVE_OR_BELOW)
    return fig


def figures(recs):
    labs = compared(recs)
    if labs:
        yield "counters", draw(labs)
        yield "counters-most", draw(most_of(labs))


if __name__ == "__main__":
    style.main(figures)
