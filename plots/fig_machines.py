"""fig_machines.py - machines compared, a figure for each lab: what every variant reaches on the one
case that most of the machines have run. Needs records of two machines or more."""
import names
import records
import style


def common(recs, lab):
    """Rows of the case that the most machines share, among equals with the most variants, then the
    largest; none where no two machines have a case in common."""
    groups = {}
    for row in recs.where(lab=lab).timed():
        if row["gbps"]:
            groups.setdefault((row["case"], row["dtype"], row["op"], row["n"]), []).append(row)
    best = max(groups.values(), default=[],
               key=lambda g: (len({r.machine for r in g}), len({r["variant"] for r in g}), g[0]["n"] or 0))
    return records.Records(best if len({r.machine for r in best}) > 1 else [])


def draw(lab, rows):
    flops = lab == "matmul"
    order = sorted({(names.ladder(r), r["variant"]) for r in rows})
    place = {variant: x for x, (_, variant) in enumerate(order)}
    fig, ax = style.figure(width=13, height=7.0)
    fig.subplots_adjust(left=0.075, right=0.74, top=0.88)
    ends = []
    for i, machine in enumerate(rows.machines()):
        mine = sorted(rows.where(machine=machine), key=lambda r: place[r["variant"]])
        kw = dict(style.look(i), label=names.machine(mine[0]))
        values = [r.value("tflops") if flops else r["gbps"] for r in mine]
        ax.plot([place[r["variant"]] for r in mine], values, **kw)
        ends.append((kw["label"], place[mine[-1]["variant"]], values[-1], kw["color"]))
    low, high = ax.dataLim.intervaly
    if high > 4 * low:
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1.1 * high)
    style.plain_ticks(ax.yaxis)
    ax.set_ylabel("TFLOP/s" if flops else "GB/s by the lab's formula")
    shown = {r["variant"]: names.variant(r).replace("interleaved", "inter-\nleaved").replace(" ", "\n") for r in rows}
    ax.set_xticks(range(len(order)), [shown[v] for _, v in order], fontsize=9.5)
    ax.margins(x=0.03)
    fig.suptitle(f"{lab.replace('_', ' ').capitalize()} on {len(ends)} machines: {rows[0]['case']}", x=0.012,
                 ha="left", fontsize=19, fontweight="bold", y=0.98)
    style.provenance(fig, rows)
    lines = max(t.count("\n") for t in shown.values()) + 1
    fig.subplots_adjust(bottom=fig.subplotpars.bottom + 0.11 * lines / fig.get_figheight())
    style.label_ends(ax, ends)
    return fig


def figures(recs):
    for lab in recs.values("lab"):
        rows = common(recs, lab)
        if rows:
            yield f"machines-{lab.replace('_', '-')}", draw(lab, rows)


if __name__ == "__main__":
    style.main(figures)
