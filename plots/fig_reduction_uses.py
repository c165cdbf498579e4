"""fig_reduction_uses.py - the same sum by few blocks and by many."""
import names
import style


def curve(rows):
    """The sum's rows over the number of blocks, at the longest array."""
    own = [r for r in rows if r["variant"] == "sum_grid" and r["param"] and r.time_ms]
    longest = max((r["n"] for r in own), default=0)
    return sorted((r for r in own if r["n"] == longest), key=lambda r: r["param"])


def draw(own):
    fig, ax = style.figure(width=12, height=5.8)
    fig.subplots_adjust(left=0.085, right=0.975, top=0.84, bottom=0.2)
    blocks = [r["param"] for r in own]
    ax.plot(blocks, [r["gbps"] for r in own], **style.look(0))
    ax.set_xscale("log", base=2)
    ax.set_xticks(blocks, [f"{b:,}" for b in blocks], fontsize=11)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("blocks of 128 threads")
    ax.set_ylabel("GB/s")
    ax.set_ylim(bottom=0)
    sms = names.device(own[0]["device"])["sms"]
    for each, words, side in ((8, "8 × SMs", "right"), (16, "all that fit at once", "left")):
        if sms and blocks[0] <= each * sms <= blocks[-1]:
            ax.axvline(each * sms, color=style.GREY, linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
            ax.annotate(words, (each * sms, 0.04), xycoords=("data", "axes fraction"), fontsize=12, ha=side,
                        xytext=(-5 if side == "right" else 5, 0), textcoords="offset points", color=style.GREY)
    fig.suptitle(f"One sum, few blocks and many: {names.machine(own[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, own)
    return fig


def figures(recs):
    rows = recs.where(lab="reduction_uses")
    for machine in rows.machines():
        own = curve(rows.where(machine=machine))
        if len(own) > 2:
            yield f"sum-grid-{machine}", draw(own)


if __name__ == "__main__":
    style.main(figures)
