"""fig_first_program.py - what each part of the first program takes, over the number of elements."""
import names
import style

PARTS = ("saxpy", "to_device", "to_host", "cpu")


def curve(rows, part):
    return sorted((r for r in rows if r["variant"] == part and r["n"] and r.time_ms), key=lambda r: r["n"])


def draw(rows):
    fig, ax = style.figure(width=12, height=6)
    fig.subplots_adjust(left=0.085, right=0.975, top=0.85, bottom=0.16)
    used, ends = [], []
    for i, part in enumerate(PARTS):
        own = curve(rows, part)
        if not own:
            continue
        ax.plot([r["n"] for r in own], [1e3 * r.time_ms for r in own], **style.look(i))
        ends.append((names.variant(part), own[-1]["n"], 1e3 * own[-1].time_ms, style.look(i)["color"]))
        used += own
    sizes = sorted({r["n"] for r in used})
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xlim(sizes[0] / 2, sizes[-1] * 1.5)
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes], fontsize=10)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("elements")
    ax.set_ylabel("microseconds")
    fig.suptitle(f"What each part takes: {names.machine(used[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, used)
    style.label_ends(ax, ends)
    return fig


def figures(recs):
    rows = recs.where(lab="first_program")
    for machine in rows.machines():
        own = rows.where(machine=machine)
        if len(curve(own, "saxpy")) > 2:
            yield f"first-program-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
