"""fig_bank_conflicts.py - time, and conflict degree (wavefronts a request), against stride."""
import names
import style


def curves(recs, machine):
    return recs.sweeps(machine=machine, lab="bank_conflicts")


def is_power(stride):
    return stride & (stride - 1) == 0


def places(strides):
    """{stride: x}: powers of two in a row, a doubling a step; the others apart, on their right."""
    powers, others = [s for s in strides if is_power(s)], [s for s in strides if not is_power(s)]
    return {s: i for i, s in enumerate(powers)} | {s: len(powers) + 0.5 + i for i, s in enumerate(others)}


def plot(ax, points, place, kw):
    """A line through the powers of two, dots for the others: between 2, 3 and 4 nothing goes on."""
    for label, power, line in ((kw["label"], True, kw["linestyle"]), ("_others", False, "")):
        mine = [(place[s], y) for s, y in points if is_power(s) == power]
        if mine:
            ax.plot(*zip(*mine), **(kw | {"label": label, "linestyle": line}))


def draw(recs, machine):
    lines = curves(recs, machine)
    fig, (left, right) = style.figure(ncols=2, width=13, height=5.5)
    fig.subplots_adjust(left=0.065, right=0.785, top=0.85, wspace=0.22)
    strides = sorted({r["param"] for rows in lines.values() for r in rows})
    place = places(strides)
    last = max(s for s in strides if is_power(s))
    ends, used, counted = [], [], []
    for i, (name, rows) in enumerate(lines.items()):
        kw = dict(style.look(i), label=names.variant(name))
        base = rows[0].time_ms
        plot(left, [(r["param"], r.time_ms / base) for r in rows], place, kw)
        degree, counting = recs.counts(rows, "conflict_degree_ld")
        degree = [(p, d) for p, d in degree if p in place]
        counted += counting
        plot(right, degree, place, kw)
        at = degree[-1] if degree else (last, 1)
        ends.append((kw["label"], place[at[0]], at[1], kw["color"]))
        used += rows
    for ax in (left, right):
        ax.set_yscale("log", base=2)
        ax.set_xticks([place[s] for s in strides], [str(s) for s in strides])
        ax.set_xlabel("stride, in words")
        style.plain_ticks(ax.yaxis)
    left.set_ylabel(f"time, relative to stride {strides[0]}")
    right.set_ylabel("wavefronts a load")
    fig.suptitle(f"Bank conflicts: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used, note=names.counted("wavefronts", counted))
    style.label_ends(right, ends)
    return fig


def figures(recs):
    for machine in recs.where(lab="bank_conflicts").machines():
        if curves(recs, machine):
            yield f"bank-conflicts-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
