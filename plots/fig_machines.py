"""fig_machines.py - machines compared, a figure for each lab: what every variant reaches on the one
case that most of the machines have run, and of which they have most kernels in common. Needs records
of two machines or more. Of data that lie where the last run left them on every machine: the emulator
models no other times."""
import names
import records
import style


def compared(rows):
    """How many dots stand beside another machine's: rows of a kernel after its first machine's."""
    return len({(r.machine, r["variant"]) for r in rows}) - len({r["variant"] for r in rows})


def common(recs, lab):
    """Rows of the case that the most machines share, among equals with the most kernels that more than
    one of them ran, then with the most kernels, then what the lab is about (its shown.json), then the
    largest; none where no kernel is compared, or it is one kernel's: no picture."""
    groups = {}
    for row in recs.where(lab=lab).timed():
        if row["gbps"]:
            groups.setdefault((row["case"], row["dtype"], row["op"], row["n"]), []).append(row)
    best = max(groups.values(), default=[], key=lambda g: (len({r.machine for r in g}), compared(g),
                                                           len({r["variant"] for r in g}),
                                                           g[0]["case"] == names.compared(lab), g[0]["n"] or 0))
    return records.Records(best if compared(best) and len({r["variant"] for r in best}) > 1 else [])


def rate(row, flops):
    """By the hot time; the record's own figure is by the cold one where there is one."""
    return row.value("tflops" if flops else "gbps") * row.time_ms / row["hot_ms"]


def draw(lab, rows):
    """Kernels down the side, a dot a machine: kernels are no scale, so that nothing joins them but
    the machines' dots of each one."""
    flops = lab == "matmul"
    order = sorted({(names.ladder(r), r["variant"]) for r in rows})
    place = {variant: y for y, (_, variant) in enumerate(order)}
    value = {(r.machine, r["variant"]): rate(r, flops) for r in rows}
    machines = rows.machines()
    lines = -(-len(machines) // 2)  # of the legend
    fig, ax = style.figure(width=12, height=2.3 + 0.3 * lines + 0.42 * len(order))
    h = fig.get_figheight()
    fig.subplots_adjust(right=0.97, top=1 - (0.6 + 0.27 * lines) / h)
    for variant, y in place.items():
        mine = [v for (_, name), v in value.items() if name == variant]
        ax.plot([min(mine), max(mine)], [y, y], color=style.PALE, linewidth=3, marker="", zorder=1, label="_span")
    for i, machine in enumerate(machines):
        mine = rows.where(machine=machine)
        look = style.look(i) | {"linestyle": ""}
        ax.plot([value[machine, r["variant"]] for r in mine], [place[r["variant"]] for r in mine],
                label=names.machine(mine[0]), markersize=max(6, 14 - 5 * i), **look)  # of equal ones each is seen
    low, high = ax.dataLim.intervalx
    if high > 4 * low:
        ax.set_xscale("log")
        ax.set_xlim(low / 1.3, high * 1.3)
    else:
        ax.set_xlim(0, 1.1 * high)
    style.plain_ticks(ax.xaxis)
    ax.set_xlabel(("TFLOP/s" if flops else "GB/s by the lab's formula") + ", hot: data where the last run left them")
    shown = {r["variant"]: names.variant(r) for r in rows}
    ax.set_yticks(range(len(order)), [shown[v] for _, v in order], fontsize=12)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    fig.suptitle(f"{lab.replace('_', ' ').capitalize()} on {len(machines)} machines: {rows[0]['case']}", x=0.012,
                 ha="left", fontsize=19, fontweight="bold", y=0.98)
    style.provenance(fig, rows)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=12, frameon=False,
              handletextpad=0.2, borderaxespad=0.1)
    return fig


def figures(recs):
    for lab in recs.values("lab"):
        rows = common(recs, lab)
        if rows:
            yield f"machines-{lab.replace('_', '-')}", draw(lab, rows)


if __name__ == "__main__":
    style.main(figures)
