"""fig_divergence.py - time and active lanes against the number of paths a warp takes."""
import names
import style


def swept(recs, machine):
    return recs.sweeps(machine=machine, lab="divergence")


def draw(recs, machine):
    lines = swept(recs, machine)
    fig, (left, right) = style.figure(ncols=2, width=13.4, height=6.2)
    fig.subplots_adjust(left=0.065, right=0.86, top=0.85, wspace=0.2)
    ends, used, counted = [], [], []
    for i, (name, rows) in enumerate(lines.items()):
        kw = dict(style.look(i), label=names.variant(name))
        paths = [r["param"] for r in rows]
        left.plot(paths, [r.time_ms / rows[0].time_ms for r in rows], **kw)
        lanes, counting = recs.counts(rows, "active_lanes_pred_on")
        if lanes:
            right.plot(*zip(*lanes), **kw)
            counted += counting
        ends.append((kw["label"], *(lanes[-1] if lanes else (paths[-1], 1)), kw["color"]))
        used += rows
    paths = sorted({r["param"] for r in used})
    left.plot(paths, paths, color=style.GREY, linewidth=1.2, linestyle=(0, (2, 2)), marker="", label="_ideal")
    left.text(paths[-2], paths[-2] * 1.08, "each path in turn", color=style.GREY, ha="right", va="bottom")
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_xticks(paths, [str(p) for p in paths])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("paths in a warp")
        ax.set_yscale("log", base=2)
        style.plain_ticks(ax.yaxis)
    left.set_ylabel("time, relative to one path")
    right.set_ylabel("active lanes an instruction, of 32")
    fig.suptitle(f"Divergence: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used, note=names.counted("active lanes", counted))
    style.label_ends(right, ends)
    return fig


def figures(recs):
    for machine in recs.where(lab="divergence").machines():
        if swept(recs, machine):
            yield f"divergence-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
