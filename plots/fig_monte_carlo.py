"""fig_monte_carlo.py - paths and options a second against the paths of an option, 64 options; and
one block an option against several, for other numbers of options."""
import names
import style

VARIANTS = ("price_loop", "price_block", "price_blocks", "price_switch", "price_curand")
OPTIONS = 64


def curve(rows, variant):
    """A kernel's rows over the number of paths."""
    own = [r for r in rows if r["variant"] == variant and r["case"].startswith("paths=") and r["m"] == OPTIONS
           and r.time_ms]
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
    axes[1].legend(loc="best", fontsize=11)
    fig.suptitle(f"Options priced by chance: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used)
    return fig


def swept(rows):
    """Runs of any number of options and paths."""
    return [r for r in rows if "paths=2^" in r["case"] and r.time_ms]


def ratios(rows):
    """{options: [(paths, time of one block / time of several)]} of the runs of any number of both."""
    times = {(r["m"], r["n"], r["variant"]): r.time_ms for r in swept(rows)}
    out = {}
    for m, n, variant in sorted(times):
        if variant == "price_block" and (m, n, "price_blocks") in times:
            out.setdefault(m, []).append((n, times[m, n, variant] / times[m, n, "price_blocks"]))
    return out


def draw_switch(rows):
    fig, ax = style.figure(width=9, height=6)
    fig.subplots_adjust(left=0.1, right=0.86, top=0.84)
    found = ratios(rows)
    for i, m in enumerate(found):
        ax.plot(*zip(*found[m]), **style.look(i), label=f"{m} option{'s' * (m > 1)}")
    ax.axhline(1, color=style.INK, linewidth=1)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_yticks([0.5, 1, 2, 4], ["1/2", "1", "2", "4"])
    ax.set_xlabel("paths of an option")
    ax.set_ylabel("times as fast: several blocks")
    ax.legend(loc="upper left", fontsize=11)
    fig.suptitle(f"One block an option or several: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=17,
                 fontweight="bold", y=0.97)
    style.provenance(fig, swept(rows))
    return fig


def figures(recs):
    rows = recs.where(lab="monte_carlo")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if len(ratios(own)) > 1:
            yield f"monte-carlo-switch-{machine}", draw_switch(own)
        if all(len(curve(own, v)) > 1 for v in VARIANTS[:3]):
            yield f"monte-carlo-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
