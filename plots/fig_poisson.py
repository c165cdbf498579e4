"""fig_poisson.py - a Poisson problem's time over the plane's size, a curve a variant."""
import names
import style

VARIANTS = ["solve_naive", "solve_shared", "read_pairs", "solve_half", "solve_fused", "transforms"]


def curve(rows, variant):
    """[(n, microseconds)] of the square planes, in order."""
    own = [r for r in rows if r["variant"] == variant and r["n"] == r["m"] and r["hot_ms"]]
    return sorted((r["n"], 1e3 * r["hot_ms"]) for r in own)


def draw(rows):
    fig, ax = style.figure(width=12.5, height=6.2)
    ends, used = [], []
    shown = [v for v in VARIANTS if curve(rows, v)]
    for i, variant in enumerate(shown):
        points = curve(rows, variant)
        look = style.look(i)
        ax.plot([n for n, _ in points], [us for _, us in points], label=names.variant(variant), **look)
        ends.append((names.variant(variant), *points[-1], look["color"]))
        used += [r for r in rows if r["variant"] == variant]
    ax.set_xscale("log", base=2)
    sizes = [n for n, _ in curve(rows, VARIANTS[0])]
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.set_xticks([], minor=True)
    if max(e[2] for e in ends) > 10 * min(us for v in shown for _, us in curve(rows, v)):
        ax.set_yscale("log")
        style.plain_ticks(ax.yaxis)
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("columns and rows")
    ax.set_ylabel("microseconds, cuFFT's calls included")
    fig.suptitle(f"A library in the middle: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used)
    style.fit(fig, [e[0] for e in ends])
    style.label_ends(ax, ends)
    return fig


def figures(recs):
    rows = recs.where(lab="poisson")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if all(len(curve(own, v)) > 1 for v in VARIANTS[:-1]):
            yield f"poisson-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
