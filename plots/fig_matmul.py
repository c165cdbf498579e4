"""fig_matmul.py - matrix multiplication: TFLOP/s against size, a panel for floats and one for 16-bit
inputs: all in one are more curves than there are colours."""
import names
import records
import style


def series(recs, machine):
    """variant -> rows of square products over n."""
    rows = recs.where(machine=machine, lab="matmul", gflops=lambda g: g is not None).timed()
    rows = records.Records(r for r in rows if len({r["n"], r["m"] or r["n"], r["k"] or r["n"]}) == 1)
    return {v: sorted(rows.where(variant=v), key=lambda r: r["n"]) for v in rows.values("variant")}


def draw_panel(ax, lines):
    """The curves of one panel; their ends, to be named: (name, n, TFLOP/s, colour)."""
    ends = []
    for i, rows in enumerate(lines):
        kw = dict(style.look(i), label=names.variant(rows[0]))
        y = [r.value("tflops") for r in rows]
        ax.plot([r["n"] for r in rows], y, **kw)
        ends.append((kw["label"], rows[-1]["n"], y[-1], kw["color"]))
    return ends


def panels(lines):
    """[(title, curves)] of the two kinds that there are curves of."""
    floats = [rows for rows in lines if rows[0]["dtype"] == "f32"]
    halves = [rows for rows in lines if rows[0]["dtype"] != "f32"]
    said = " and ".join(dict.fromkeys(rows[0]["dtype"] for rows in halves))
    return [(title, group) for title, group in (("f32", floats), (f"{said} inputs", halves)) if group]


def draw(recs, machine):
    found = [rows for rows in series(recs, machine).values() if rows]
    lines = [rows for rows in found if len({r["n"] for r in rows}) > 1]
    points = [f"{names.variant(rows[0])} (n = {rows[0]['n']:,})" for rows in found if rows not in lines]
    used, shown = [r for rows in lines for r in rows], panels(lines)
    sizes = sorted({r["n"] for r in used})
    fig, axes = style.figure(nrows=len(shown), width=12, height=2.4 + 2.9 * len(shown), sharex=True, squeeze=False)
    fig.subplots_adjust(left=0.075, right=0.74, top=1 - 0.95 / fig.get_figheight(), hspace=0.2)
    ends = {}
    for ax, (title, group) in zip(axes[:, 0], shown):
        ends[ax] = draw_panel(ax, group)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
        ax.set_xticks([], minor=True)
        style.plain_ticks(ax.yaxis)
        ax.set_ylabel("TFLOP/s")
        ax.set_title(title, fontsize=14, pad=6)
    axes[-1, 0].set_xlabel("n, of an n × n times n × n product")
    fig.suptitle(f"Matrix multiplication: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.98)
    style.provenance(fig, used, note="of one size, and no curve: " + ", ".join(points) if points else "")
    for ax, of in ends.items():
        style.label_ends(ax, [e for e in of if e[1] == sizes[-1]], room=[e[0] for es in ends.values() for e in es])
        style.name_points(ax, [e for e in of if e[1] < sizes[-1]], size=12, weight="bold")  # a leader would cross the chart
    return fig


def figures(recs):
    for machine in recs.where(lab="matmul").machines():
        if any(len({r["n"] for r in rows}) > 1 for rows in series(recs, machine).values()):  # one size is no curve
            yield f"matmul-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
