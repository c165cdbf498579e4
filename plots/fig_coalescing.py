"""fig_coalescing.py - useful bandwidth, and sectors a request, against stride and offset; the
layouts without a parameter as bars."""
import names
import records
import style


def swept(recs, machine):
    """Variants that were run over a parameter, by name of variant."""
    return recs.sweeps(machine=machine, lab="coalescing")


def sectors(row):
    """Sectors a request, of the side that suffers more."""
    sides = [s for s in (row.value("sectors_per_ld"), row.value("sectors_per_st")) if s is not None]
    return max(sides) if sides else None


def draw_sweep(machine, variant, rows, what):
    article = "an" if what[0] in "aeiou" else "a"
    both = any(sectors(r) is not None for r in rows)
    fig, axes = style.figure(ncols=2 if both else 1, width=12.2 if both else 9,
                             height=5.3 if both else 6.2, squeeze=False,
                             gridspec_kw={"width_ratios": [1.45, 1]} if both else None)
    axes = axes[0]
    fig.subplots_adjust(left=0.075, right=0.97, top=0.84, wspace=0.2)
    x = list(range(len(rows)))
    axes[0].bar(x, [r["gbps"] for r in rows], color=style.BLUE, width=0.7)
    for i, r in zip(x, rows):
        axes[0].text(i, r["gbps"], f"{r['gbps']:,.0f}", ha="center", va="bottom",
                     fontsize=11 if len(rows) < 10 else 8.5)
    axes[0].set_ylabel("useful bandwidth, GB/s")
    if both:
        points = [(i, sectors(r)) for i, r in zip(x, rows) if sectors(r) is not None]
        axes[1].bar(*zip(*points), color=style.ORANGE, width=0.7, hatch="//", edgecolor=style.PAPER)
        for i, s in points:
            axes[1].text(i, s, f"{s:.3g}", ha="center", va="bottom", fontsize=11)
        axes[1].set_ylabel("32-byte sectors a request")
        axes[1].set_yticks([0, 4, 8, 16, 24, 32])
        axes[1].set_ylim(0, 35)
    for ax in axes:
        ax.grid(axis="x", visible=False)
        ax.set_xticks(x, [str(r["param"]) for r in rows], fontsize=14 if len(rows) < 10 else 11)
        ax.set_xlabel(f"{what}, in elements")
    fig.suptitle(f"What {article} {what} costs: {names.variant(variant)}, {names.machine(rows[0])}", x=0.012,
                 ha="left", fontsize=17.5, fontweight="bold", y=0.975)
    style.provenance(fig, rows, note=counted_note(rows) if both else "")
    return fig


def counted_note(rows):
    kinds = "/".join(dict.fromkeys(r["counters_evidence"] for r in rows if r["counters_evidence"]))
    return f"counters: {kinds}" if kinds else ""


def draw_layouts(machine, rows):
    rows = sorted(rows, key=lambda r: r["gbps"])
    fig, ax = style.figure(width=11, height=1.8 + 0.62 * len(rows))
    fig.subplots_adjust(left=0.35, right=0.93, top=1 - 0.75 / fig.get_figheight())
    ax.barh(range(len(rows)), [r["gbps"] for r in rows], color=style.BLUE, height=0.64)
    for y, r in enumerate(rows):
        s = sectors(r)
        text = f" {r['gbps']:,.0f}" + (f"  ({s:.3g} sectors a request)" if s is not None else "")
        inside = r["gbps"] > 0.6 * rows[-1]["gbps"]
        ax.text(r["gbps"], y, text + " ", va="center", fontsize=12, ha="right" if inside else "left",
                color=style.PAPER if inside else style.INK)
    ax.set_yticks(range(len(rows)), [names.variant(r) for r in rows])
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("useful bandwidth, GB/s")
    fig.suptitle(f"Same bytes, other layout: {names.machine(rows[0])}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.975)
    style.provenance(fig, rows, note=counted_note(rows))
    return fig


def figures(recs):
    all_rows = recs.where(lab="coalescing")
    for machine in all_rows.machines():
        curves = swept(recs, machine)
        for variant, rows in curves.items():
            what = "stride" if "stride" in variant else "offset"
            name = what if what in variant else variant
            yield f"coalescing-{name}-{machine}", draw_sweep(machine, variant, rows, what)
        single = {}
        for r in all_rows.where(machine=machine):
            if r["variant"] not in curves and r.time_ms and r["gbps"] and \
                    r["n"] >= single.get(r["variant"], r)["n"]:
                single[r["variant"]] = r
        if single:
            yield f"coalescing-layouts-{machine}", draw_layouts(machine, records.Records(single.values()))


if __name__ == "__main__":
    style.main(figures)
