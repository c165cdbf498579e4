"""fig_ladder.py - what each step of the reduction ladder is worth: cumulative speedup over
variant 1 at 2^22 and 2^25, on every machine recorded, and on the G80 as the lectures print it."""
import csv

import fig_reduction_table
import names
import records
import style

G80 = records.HERE / "published.csv"


def published():
    with open(G80, encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(line for line in f if not line.startswith("#")) if r["ms"]]
    first = float(rows[0]["ms"])
    return [(r["number"], r["variant"], first / float(r["ms"])) for r in rows]


def curves(recs):
    """[(label, [(number, variant, speedup)], rows)]"""
    out = [("G80, 2008, $2^{22}$ (as published)", published(), [])]
    measured = {r["device"] for r in recs.where(lab="reduction", backend="gpu")}
    for machine in recs.where(lab="reduction").machines():
        rows = recs.where(machine=machine, lab="reduction")
        if rows[0]["backend"] != "gpu" and rows[0]["device"] in measured:
            continue  # a model of what was measured adds nothing here
        for n in fig_reduction_table.SIZES:
            table = fig_reduction_table.table(recs, machine, n)
            if len(table) > 1:
                rows = [r for r, _, _ in table]
                label = f"{names.machine(rows[0])}, $2^{{{n.bit_length() - 1}}}$"
                out.append((label, [(r["number"], r["variant"], total or 1.0) for r, _, total in table], rows))
    return out


def on_the_ladder(points):
    """(the steps, what stands beside the line)"""
    beside = names.beside([p[:2] for p in points])
    return [p for p in points if p[1] not in beside], [p for p in points if p[1] in beside]


def draw(recs):
    lines = curves(recs)
    used = [r for _, _, rows in lines for r in rows]
    if not used:
        raise records.RecordError("no records of reduction at 2^22 or 2^25")
    order = dict(sorted(((v, number) for _, points, _ in lines for number, v, _ in points),
                        key=lambda e: names.ladder({"variant": e[0], "number": e[1]})))
    place = {v: i for i, v in enumerate(order)}
    fig, ax = style.figure(width=13, height=7)
    fig.subplots_adjust(left=0.065, right=0.76, top=0.88)
    ends = []
    for i, (label, points, rows) in enumerate(lines):
        kw = style.look(i)
        if not rows:
            kw = {"color": style.GREY, "marker": "o", "linestyle": (0, (2, 1.5))}
        steps, aside = on_the_ladder(points)
        ax.plot([place[p[1]] for p in steps], [p[2] for p in steps], label=label, **kw)
        ax.plot([place[p[1]] for p in aside], [p[2] for p in aside], label="_aside", **(kw | {"linestyle": ""}))
        # What was published ends among another's points: its name hangs on the one before.
        end = points[-1 if rows else -2]
        ends.append((label, place[end[1]], end[2], kw["color"]))
    ax.set_yscale("log")
    ax.set_yticks([0.2, 0.5, 1, 2, 3, 5, 10, 20, 30], ["0.2×", "0.5×", "1×", "2×", "3×", "5×", "10×", "20×", "30×"])
    ax.set_yticks([], minor=True)
    broken = [names.variant(v, n).replace("interleaved", "inter-\nleaved").replace("sequential", "sequen-\ntial")
              for v, n in order.items()]
    ax.set_xticks(range(len(order)), [b.replace(" ", "\n") for b in broken], fontsize=9.5)
    ax.set_ylabel("speedup over variant 1")
    fig.suptitle("The same ladder, eighteen years apart", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.98)
    style.provenance(fig, used, note="G80: NVIDIA, CUDA Technical Training vol. II (2008), not re-measured")
    fig.subplots_adjust(bottom=fig.subplotpars.bottom + 0.115)
    style.label_ends(ax, ends, x=len(order) - 1)
    return fig


def figures(recs):
    if len(curves(recs)) > 1:
        yield "ladder", draw(recs)


if __name__ == "__main__":
    style.main(figures)
