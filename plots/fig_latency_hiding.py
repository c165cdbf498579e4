"""fig_latency_hiding.py - what an SM gets done against the warps that it can switch between."""
import names
import style

# What belongs in one panel: its title, what is on its y axis, the kernels, the column.
PANELS = [
    ("multiply-adds", "TFLOP/s", ("steps_1", "steps_4"), "gflops", 1e-3),
    ("walks along a list", "GB/s", ("walk_1", "walk_4"), "gbps", 1),
    ("copy", "GB/s", ("copy_1", "copy_4"), "gbps", 1),
]


def curve(rows, variant):
    """A kernel's rows over the number of warps, at its longest table and most steps."""
    own = [r for r in rows if r["variant"] == variant and r["param"] and r.time_ms]
    size = max(((r["m"], r["k"]) for r in own), default=None)
    return sorted((r for r in own if (r["m"], r["k"]) == size), key=lambda r: r["param"])


def draw(rows):
    fig, axes = style.figure(ncols=len(PANELS), width=15.5, height=5.8)
    fig.subplots_adjust(left=0.055, right=0.985, top=0.8, wspace=0.24)
    used = []
    for ax, (title, unit, variants, column, scale) in zip(axes, PANELS):
        for i, variant in enumerate(variants):
            own = curve(rows, variant)
            ax.plot([r["param"] for r in own], [r[column] * scale for r in own],
                    **style.look(i), label=names.variant(variant))
            used += own
        warps = sorted({r["param"] for v in variants for r in curve(rows, v)})
        ax.set_xscale("log", base=2)
        ax.set_xticks(warps, [str(w) for w in warps])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("warps an SM has, of one each")
        ax.set_ylabel(unit)
        ax.set_ylim(bottom=0)
        ax.set_title(title, loc="left", fontsize=14)
        ax.legend(loc="lower right", fontsize=11)
    axes[-1].set_xlabel("warps an SM has room for")
    fig.suptitle(f"Something else to do: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used)
    return fig


def figures(recs):
    rows = recs.where(lab="latency_hiding")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if all(curve(own, v) for _, _, variants, _, _ in PANELS for v in variants):
            yield f"latency-hiding-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
