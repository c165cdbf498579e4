"""fig_matmul_traffic.py - counted loads from global and shared memory, in elements, beside the
lecture's formulas 2N³, 2N³/V and 2N³/L. Of the kernels that the formulas are of: tensor cores'
tiles come by instructions that are no thread's loads."""
import fig_matmul
import names
import style

WORD = 4


def counted(row, space):
    """Elements the lanes asked for: bytes over 4."""
    value = row.get(f"{space}_ld_bytes")
    return None if value is None else value / WORD


def rows_with_counts(recs, machine):
    rows = [r for rows in fig_matmul.series(recs, machine).values() for r in rows
            if r["dtype"] == "f32" and counted(r, "global") is not None]
    if not rows:
        return []
    sizes = {}
    for r in rows:
        sizes.setdefault(r["n"], []).append(r)
    return max(sizes.values(), key=lambda rs: (len(rs), rs[0]["n"]))


def draw(recs, machine):
    rows = rows_with_counts(recs, machine)
    n = rows[0]["n"]
    fig, ax = style.figure(width=12, height=2.2 + 0.5 * len(rows))
    fig.subplots_adjust(left=0.24, right=0.965, top=1 - 0.8 / fig.get_figheight())
    full = 2 * n**3
    for i, (space, colour, hatch) in enumerate((("global", style.BLUE, ""), ("shared", style.ORANGE, "//"))):
        values = [counted(r, space) or 0 for r in rows]
        at = [y + (i - 0.5) * 0.38 for y in range(len(rows))]
        ax.barh(at, [v / full for v in values], height=0.36, color=colour, hatch=hatch,
                edgecolor=style.PAPER, label=space)
        first = next((y for y, v in zip(at, values) if v), None)  # says of what the bars are
        for y, v in zip(at, values):
            if v:
                ratio = full / v
                text = " 2n³" if abs(ratio - 1) < 0.02 else f" 2n³ / {ratio:.3g}"
                ax.text(v / full, y, text + (f" {space}" if y == first else ""), va="center", fontsize=11)
    ax.set_yticks(range(len(rows)), [names.variant(r) for r in rows])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.22 * max(1, max((counted(r, s) or 0) for r in rows for s in ("global", "shared")) / full))
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("elements loaded, as a share of 2n³")
    fig.suptitle(f"What tiling saves: loads at n = {n}", x=0.012, ha="left", fontsize=19,
                 fontweight="bold", y=0.985)
    style.provenance(fig, rows, counters=True)
    return fig


def figures(recs):
    for machine in recs.where(lab="matmul").machines():
        if rows_with_counts(recs, machine):
            yield f"matmul-traffic-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
