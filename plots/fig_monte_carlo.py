"""fig_monte_carlo.py - paths and options a second against the paths of an option, 64 options."""
import names
import style

VARIANTS = ("price_loop", "price_block", "price_blocks", "price_switch", "price_curand")
OPTIONS = 64


def curve(rows, variant):
    """A kernel's rows over the number of paths."""
    own = [r for r in rows if r["variant"] == variant and r["m"] == OPTIONS and r.time_ms]
    return sorted(own, key=lambda r: r["n"])


def draw(rows):
    fig, axes = style.figure(ncols=2, width=13.5, height=6)
    fig.subplots_adjust(left=0.07, right=0.985, top=0.8, wspace=0.2)
    used = []
    for ax, (title, unit, of) in zip(axes, [
            ("should be a horizontal line", "paths a second", lambda r: r["n"] * r["m"] / r.time_ms * 1e3),
            ("should be a straight diagonal", "options a second", lambda r: r["m"] / r.time_ms * 1e3)]):
        for i, variant in enumerate(VARIANTS):
            own = curve(rows, variant)
            ax.plot([r["n"] for r in own], [of(r) for r in own], **style.look(i), label=names.variant(variant))
            used += own
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xlabel(f"paths of each of {OPTIONS} options")
        ax.set_ylabel(unit)
        ax.set_title(title, loc="left", fontsize=14)
    axes[1].legend(loc="center left", fontsize=11)
    fig.suptitle(f"Options priced by chance: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used)
    return fig


def figures(recs):
    rows = recs.where(lab="monte_carlo")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if all(len(curve(own, v)) > 1 for v in VARIANTS[:3]):
            yield f"monte-carlo-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
