"""fig_matmul.py - matrix multiplication: TFLOP/s against size."""
import names
import records
import style


def series(recs, machine):
    """variant -> rows of square products over n."""
    rows = recs.where(machine=machine, lab="matmul", gflops=lambda g: g is not None).timed()
    rows = records.Records(r for r in rows if len({r["n"], r["m"] or r["n"], r["k"] or r["n"]}) == 1)
    return {v: sorted(rows.where(variant=v), key=lambda r: r["n"]) for v in rows.values("variant")}


def draw(recs, machine):
    lines = {v: rows for v, rows in series(recs, machine).items() if rows}
    used = [r for rows in lines.values() for r in rows]
    fig, ax = style.figure(width=12, height=6.8)
    fig.subplots_adjust(left=0.075, right=0.74, top=0.88)
    ends = []
    for i, (name, rows) in enumerate(lines.items()):
        kw = dict(style.look(i), label=names.variant(rows[0]))
        y = [r.value("tflops") for r in rows]
        ax.plot([r["n"] for r in rows], y, **kw)
        ends.append((kw["label"], rows[-1]["n"], y[-1], kw["color"]))
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(sorted({r["n"] for r in used}), [f"{n:,}" for n in sorted({r["n"] for r in used})])
    ax.set_xticks([], minor=True)
    style.plain_ticks(ax.yaxis)
    ax.set_xlabel("n, of an n × n times n × n product")
    ax.set_ylabel("TFLOP/s")
    fig.suptitle(f"Matrix multiplication: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.98)
    style.provenance(fig, used)
    last = max(r["n"] for r in used)
    style.label_ends(ax, [e for e in ends if e[1] == last])
    style.name_points(ax, [e for e in ends if e[1] < last], size=12, weight="bold")  # a leader would cross the chart
    return fig


def figures(recs):
    for machine in recs.where(lab="matmul").machines():
        if any(len({r["n"] for r in rows}) > 1 for rows in series(recs, machine).values()):  # one size is no curve
            yield f"matmul-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
