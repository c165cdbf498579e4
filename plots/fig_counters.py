"""fig_counters.py - the emulator's counted figures beside a GPU's measured counters: for each
counter the ratio counted / measured, one dot an experiment. 1 is agreement."""
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


def draw(recs):
    found, zeros = pairs(recs)
    if not found:
        raise records.RecordError("no experiment has both counted and measured counters")
    shown = [c for c in COUNTERS if c in found]
    fig, ax = style.figure(width=12, height=2.2 + 0.46 * len(shown))
    fig.subplots_adjust(left=0.27, right=0.86, top=1 - 0.75 / fig.get_figheight())
    low, high = 0.25, 4.0
    for y, counter in enumerate(shown):
        ratios = [r for r, *_ in found[counter]]
        inside = [min(max(r, low), high) for r in ratios]
        ax.plot(inside, [y] * len(inside), linestyle="", marker="o", markersize=9, alpha=0.55, color=style.BLUE)
        exact = sum(abs(r - 1) <= 0.01 for r in ratios) + zeros.get(counter, 0)
        ax.text(1.015, y, f"{exact} of {len(ratios) + zeros.get(counter, 0)}", transform=ax.get_yaxis_transform(),
                va="center", fontsize=12)
    ax.text(1.015, -0.9, "within 1 %", transform=ax.get_yaxis_transform(), fontsize=12, fontweight="bold",
            va="center")
    ax.axvline(1, color=style.INK, linewidth=1.4)
    ax.set_xscale("log", base=2)
    ax.set_xlim(low * 0.93, high * 1.07)
    ax.set_xticks([0.25, 0.5, 1, 2, 4], ["¼ or less", "½", "1", "2", "4 or more"])
    ax.set_xticks([], minor=True)
    ax.set_ylim(len(shown) - 0.4, -1.3)
    ax.set_yticks(range(len(shown)), [c.replace("_", " ") for c in shown])
    ax.set_xlabel("counted on the emulator / measured on the GPU")
    fig.suptitle("The emulator's counts against the hardware's counters", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.985)
    used = {id(r): r for ps in found.values() for _, a, b in ps for r in (a, b)}
    style.provenance(fig, list(used.values()), counters=True)
    fig.subplots_adjust(right=0.86)
    return fig


def figures(recs):
    if pairs(recs)[0]:
        yield "counters", draw(recs)


if __name__ == "__main__":
    style.main(figures)
