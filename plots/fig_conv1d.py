"""fig_conv1d.py - convolution against width: time of each variant, and how many bytes it asks
global memory for an output (reuse)."""
import names
import style

SECTOR = 32


def series(recs, machine):
    """The lab's own widths; others were measured of one kernel alone."""
    return recs.sweeps(machine=machine, lab="conv1d", case=lambda name: name.startswith("width="))


def bytes_per_output(row):
    """Bytes that loads bring from L2 or L1, a sector each, for an output."""
    sectors = row.value("global_ld_sectors")
    return None if sectors is None else SECTOR * sectors / row["n"]


def draw(recs, machine):
    lines = series(recs, machine)
    used = [r for rows in lines.values() for r in rows]
    reuse = any(bytes_per_output(r) is not None for r in used)
    fig, axes = style.figure(ncols=2 if reuse else 1, width=14 if reuse else 10, height=6.4, squeeze=False)
    axes = axes[0]
    fig.subplots_adjust(left=0.075, right=0.83, top=0.85, wspace=0.22)
    ends = []
    for i, (name, rows) in enumerate(lines.items()):
        kw = dict(style.look(i), label=names.variant(name))
        axes[0].plot([r["param"] for r in rows], [r["gbps"] for r in rows], **kw)
        last = (rows[-1]["param"], rows[-1]["gbps"])
        points = [(r["param"], bytes_per_output(r)) for r in rows if bytes_per_output(r) is not None]
        if points:
            axes[1].plot(*zip(*points), **kw)
        ends.append((kw["label"], *(points[-1] if points else last), kw["color"]))
    widths = sorted({r["param"] for r in used})
    for ax in axes:
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(widths, [str(w) for w in widths])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("width of the filter")
        style.plain_ticks(ax.yaxis)
    axes[0].set_ylabel("useful bandwidth, GB/s")
    if reuse:
        axes[1].set_ylabel("global bytes loaded an output")
    fig.suptitle(f"Convolution against width: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    kinds = "/".join(dict.fromkeys(r["counters_evidence"] for r in used if r["counters_evidence"]))
    style.provenance(fig, used, note=f"bytes loaded: {kinds}" if kinds else "")
    style.label_ends(axes[-1], ends)
    return fig


def figures(recs):
    for machine in recs.where(lab="conv1d").machines():
        if series(recs, machine):
            yield f"conv1d-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
