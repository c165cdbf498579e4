"""fig_bank_conflicts.py - time, and conflict degree (wavefronts a request), against stride."""
import names
import style


def curves(recs, machine):
    return recs.sweeps(machine=machine, lab="bank_conflicts")


def draw(recs, machine):
    lines = curves(recs, machine)
    fig, (left, right) = style.figure(ncols=2, width=14, height=6.4)
    fig.subplots_adjust(left=0.06, right=0.80, top=0.85, wspace=0.2)
    strides = sorted({r["param"] for rows in lines.values() for r in rows})
    place = {s: i for i, s in enumerate(strides)}
    ends, used, counted = [], [], []
    for i, (name, rows) in enumerate(lines.items()):
        kw = dict(style.look(i), label=names.variant(name))
        base = rows[0].time_ms
        left.plot([place[r["param"]] for r in rows], [r.time_ms / base for r in rows], **kw)
        degree, counting = recs.counts(rows, "conflict_degree_ld")
        degree = [(place[p], d) for p, d in degree if p in place]
        counted += counting
        if degree:
            right.plot(*zip(*degree), **kw)
        ends.append((kw["label"], *(degree[-1] if degree else (len(strides) - 1, 1)), kw["color"]))
        used += rows
    for ax in (left, right):
        ax.set_yscale("log", base=2)
        ax.set_xticks(range(len(strides)), [str(s) for s in strides])
        ax.set_xlabel("stride, in words")
        style.plain_ticks(ax.yaxis)
    left.set_ylabel(f"time, relative to stride {strides[0]}")
    right.set_ylabel("wavefronts a shared-memory load")
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
