"""fig_multi_gpu.py - time on one, two and four GPUs, and what scaling makes of it; many results in one
sum, fetched and in chunks."""
import names
import style

ONE = [("ball_sum", "random points", "points"), ("vector_sum", "a vector", "elements")]
MANY = ("many_gather", "many_sum", "many_chunks")


def times(rows, variant):
    """{ranks: {n: ms}} of a variant with one result."""
    found = {}
    for r in rows:
        if r["variant"] == variant and r.time_ms:
            found.setdefault(r["param"], {})[r["n"]] = r.time_ms
    return found


def speedup(of, ranks):
    """Strong scaling: [(n, time on one / time on `ranks`)]."""
    return [(n, of[1][n] / of[ranks][n]) for n in sorted(of[1]) if n in of[ranks]]


def weak(of, ranks):
    """Weak scaling: [(n of each, `ranks` times time on one for n / time on `ranks` for all)]."""
    return [(n, ranks * of[1][n] / of[ranks][ranks * n]) for n in sorted(of[1]) if ranks * n in of[ranks]]


def ranked(ranks):
    return "1 GPU" if ranks == 1 else f"{ranks} GPUs"


def draw(rows):
    fig, axes = style.figure(ncols=3, width=16, height=6)
    fig.subplots_adjust(left=0.055, right=0.985, top=0.8, wspace=0.24)
    most = max(times(rows, "ball_sum"))
    for ax, (variant, title, unit) in zip(axes, ONE):
        for i, (ranks, of) in enumerate(sorted(times(rows, variant).items())):
            ax.plot(sorted(of), [1e3 * of[n] for n in sorted(of)], **style.look(i), label=ranked(ranks))
        ax.set_yscale("log")
        ax.set_xlabel(unit)
        ax.set_ylabel("µs")
        ax.set_title(f"{title}: time", loc="left", fontsize=14)
        ax.legend(loc="upper left", fontsize=12)
    for i, (variant, title, _) in enumerate(ONE):
        of = times(rows, variant)
        axes[2].plot(*zip(*speedup(of, most)), **style.look(2 * i), label=f"{title}, all of it shared")
        if weak(of, most):
            axes[2].plot(*zip(*weak(of, most)), **style.look(2 * i + 1), label=f"{title}, as much each")
    axes[2].axhline(1, color=style.INK, linewidth=1)
    axes[2].set_ylim(0, 1.75 * most)
    axes[2].set_xlabel("n, in all or of each GPU")
    axes[2].set_ylabel("times one GPU's rate")
    axes[2].set_title(f"{ranked(most)} against one", loc="left", fontsize=14)
    axes[2].legend(loc="upper left", fontsize=11)
    for ax in axes:
        ax.set_xscale("log", base=2)
    fig.suptitle(f"What another GPU is worth: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, [r for r in rows if r["variant"] in ("ball_sum", "vector_sum")])
    return fig


def many(rows):
    """{variant: [(m, ms)]} of two ranks."""
    return {v: sorted((r["m"], r.time_ms) for r in rows if r["variant"] == v and r["param"] == 2 and r.time_ms)
            for v in MANY}


def draw_many(rows):
    fig, ax = style.figure(width=9, height=6)
    fig.subplots_adjust(left=0.1, right=0.97, top=0.84)
    found = many(rows)
    alone = {r["m"]: r.time_ms for r in rows if r["variant"] == "many_sum" and r["param"] == 1}
    for i, (variant, points) in enumerate(found.items()):
        ax.plot([m for m, _ in points], [alone[m] / ms for m, ms in points], **style.look(i),
                label=names.variant(variant))
    ax.axhline(1, color=style.INK, linewidth=1)
    ax.set_xscale("log", base=2)
    ax.set_ylim(0, 2)
    ax.set_xlabel("results, of 8 bytes each")
    ax.set_ylabel("times as fast as one GPU")
    ax.legend(loc="upper left", fontsize=12)
    fig.suptitle(f"Two GPUs, many results: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=17,
                 fontweight="bold", y=0.97)
    style.provenance(fig, [r for r in rows if r["variant"] in MANY])
    return fig


def figures(recs):
    rows = recs.where(lab="multi_gpu")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if all(len(times(own, v)) > 1 for v, _, _ in ONE):
            yield f"multi-gpu-{machine}", draw(own)
        if all(len(points) > 1 for points in many(own).values()):
            yield f"multi-gpu-many-{machine}", draw_many(own)


if __name__ == "__main__":
    style.main(figures)
