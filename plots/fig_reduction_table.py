"""fig_reduction_table.py - the lecture's table: time, bandwidth, step and cumulative speedup
at one size, with the bandwidth as bars. One figure a machine and size."""
import fig_reduction
import names
import records
import style

SIZES = (2**22, 2**25)
COLUMNS = (("time, ms", 0.42), ("GB/s", 0.52), ("step", 0.60), ("in all", 0.68))


def table(recs, machine, n):
    """[(row, step, cumulative)] in the ladder's order; speedups from the times themselves. What is
    no step of the ladder has none, and the next one is not measured by it."""
    rows = sorted(fig_reduction.rows_of(recs, machine).where(n=n), key=names.ladder)
    beside = names.beside([(r["number"], r["variant"]) for r in rows])
    out, first, before = [], None, None
    for row in rows:
        t, is_step = row.time_ms, row["variant"] not in beside
        out.append((row, before / t if before and is_step else None, first / t if first else None))
        first, before = first or t, t if is_step else before
    return out


def draw(recs, machine, n):
    lines = table(recs, machine, n)
    if not lines:
        raise records.RecordError(f"no records of reduction at n={n} on {machine}")
    fig, ax = style.figure(width=12.5, height=1.75 + 0.5 * len(lines))
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(len(lines) - 0.4, -1.2)
    fig.subplots_adjust(left=0.012, right=0.99, top=1 - 0.62 / fig.get_figheight())
    best = max(r["gbps"] for r, _, _ in lines)
    for text, x in COLUMNS:
        ax.text(x, -0.85, text, ha="right", fontweight="bold")
    for y, (row, step, total) in enumerate(lines):
        ax.axhline(y - 0.5, color=style.PALE, linewidth=0.8)
        ax.text(0, y, names.variant(row), va="center", fontweight="bold")
        for (_, x), cell in zip(COLUMNS, (f"{row.time_ms:.4f}", f"{row['gbps']:,.0f}",
                                          f"{step:.2f}×" if step else "", f"{total:.2f}×" if total else "")):
            ax.text(x, y, cell, ha="right", va="center")
        ax.barh(y, 0.28 * row["gbps"] / best, left=0.71, height=0.62,
                color=style.BLUE if y else style.GREY)
    power = n.bit_length() - 1
    fig.suptitle(f"Reduction of $2^{{{power}}}$ integers: {names.machine(lines[0][0])}", x=0.012,
                 ha="left", fontsize=19, fontweight="bold", y=1 - 0.12 / fig.get_figheight(), va="top")
    style.provenance(fig, [r for r, _, _ in lines])
    return fig


def figures(recs):
    for machine in recs.where(lab="reduction").machines():
        for n in SIZES:
            if fig_reduction.rows_of(recs, machine).where(n=n):
                yield f"reduction-table-{machine}-2e{n.bit_length() - 1}", draw(recs, machine, n)


if __name__ == "__main__":
    style.main(figures)
