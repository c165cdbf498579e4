"""fig_reduction.py - the reduction ladder over sizes: time and bandwidth of every variant.
One figure a machine: reduction-MACHINE."""
import re

import names
import records
import style


def rows_of(recs, machine):
    """The lecture's experiment, sums of 2^p integers; other cases say what they are besides."""
    rows = recs.where(machine=machine, lab="reduction", case=lambda c: re.fullmatch(r"n=2\^\d+", c)).timed()
    return records.Records(sorted(rows, key=names.ladder))


def draw(recs, machine):
    rows = rows_of(recs, machine)
    if not rows:
        raise records.RecordError(f"no records of reduction on {machine}")
    fig, (left, right) = style.figure(ncols=2, width=14, height=6.6)
    fig.subplots_adjust(left=0.07, right=0.79, top=0.86, wspace=0.22)
    ends = []
    for i, variant in enumerate(rows.values("variant")):
        mine = sorted(rows.where(variant=variant), key=lambda r: r["n"])
        n = [r["n"] for r in mine]
        kw = dict(style.look(i), label=names.variant(mine[0]))
        left.plot(n, [r.time_ms for r in mine], **kw)
        gbps = [r["gbps"] for r in mine]
        right.plot(n, gbps, **kw)
        ends.append((kw["label"], n[-1], gbps[-1], kw["color"]))
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        style.power_ticks(ax.xaxis, [r["n"] for r in rows])
        style.plain_ticks(ax.yaxis)
        ax.set_xlabel("integers summed")
    left.set_ylabel("time, ms")
    right.set_ylabel("bandwidth, GB/s")
    left.set_title("Time", fontsize=15)
    right.set_title("Bandwidth", fontsize=15)
    fig.suptitle(f"Parallel reduction, step by step: {names.machine(rows[0])}", x=0.012, ha="left",
                 fontsize=19, fontweight="bold", y=0.985)
    style.provenance(fig, rows)
    style.label_ends(right, ends)
    return fig


def figures(recs):
    for machine in recs.where(lab="reduction").machines():
        if len({r["n"] for r in rows_of(recs, machine)}) > 1:  # one size is a table's: fig_reduction_table
            yield f"reduction-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
