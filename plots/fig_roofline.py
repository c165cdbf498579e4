"""fig_roofline.py - matrix multiplication under the device's roofs.

Intensity is flops by the formula over the bytes that the kernel asks global memory for,
counted: 32 bytes for each sector of each request. That is traffic between the SMs and L1/L2,
so the L1 roof bounds it; what the caches keep from DRAM shows as points above the DRAM roof.
Counters come from the record itself, or else from the emulator's for the same variant and case.
Kernels that load by tensor maps are left out (names.by_map())."""
import sys

import numpy as np

import fig_matmul
import names
import records
import style

SECTOR = 32


def counted_bytes(row, recs):
    """(bytes, row that counted them) or (None, None)."""
    twins = recs.where(machine="emulator", lab="matmul", variant=row["variant"], n=row["n"],
                       m=row["m"], k=row["k"])
    for source in (row, *twins):
        sectors = source.value("global_sectors")
        if sectors:
            return SECTOR * sectors, source
    return None, None


def points(recs, machine):
    """[(variant row, flop/byte, TFLOP/s, counting row)], each variant at its largest counted size."""
    out = []
    for rows in fig_matmul.series(recs, machine).values():
        for row in reversed(rows):
            if row["variant"] in names.by_map():
                continue
            traffic, source = counted_bytes(row, recs)
            if traffic:
                out.append((row, row["flops"] / traffic, row.value("tflops"), source))
                break
    return out


def name_roof(ax, name, bandwidth, rise, points):
    """Beside a rising roof, L1's above it and DRAM's below, where no point lies under the words."""
    upper = name == "L1"
    points = ax.transData.transform(points)
    for eighth in (5, 6, 4, 7, 3, 2, 1) if upper else (1, 2, 3, 4, 5, 6, 7):
        at = rise[len(rise) * eighth // 8]
        text = ax.annotate(f"{name} {bandwidth:.1f} TB/s", (at, at * bandwidth), xytext=(-8, 5) if upper else (9, -7),
                           textcoords="offset points", fontsize=11, ha="right" if upper else "left",
                           va="bottom" if upper else "top", color=style.GREY)
        if not text.get_window_extent().padded(8).count_contains(points):
            break
        text.remove()


def draw(recs, machine):
    found = points(recs, machine)
    limits = names.device(found[0][0]["device"])
    peak = limits["fp32_tflops"]
    fig, ax = style.figure(width=12, height=6.8)
    fig.subplots_adjust(left=0.075, right=0.97, top=0.88)
    ends = []
    low, high = min(p[1] for p in found) / 4, max(p[1] for p in found) * 8
    x = np.geomspace(low, high, 200)
    for key, text, dashes in (("l1_gbps", "L1", "-"), ("dram_gbps", "DRAM", (0, (5, 2)))):
        roof = np.minimum(x * limits[key] / 1000, peak)
        ax.plot(x, roof, color=style.INK, linewidth=1.6, linestyle=dashes, marker="", label=f"_{text}")
    if any(row["dtype"] == "f16" for row, *_ in found):
        ax.plot(x, np.minimum(x * limits["l1_gbps"] / 1000, limits["tensor_tflops"]), color=style.GREY,
                linewidth=1.2, linestyle=(0, (1, 1)), marker="", label="_tensor")
        ax.annotate(f"f16 tensor peak {limits['tensor_tflops']:,g} TFLOP/s", (high, limits["tensor_tflops"]),
                    xytext=(-4, 6), textcoords="offset points", ha="right", fontsize=11, color=style.GREY)
    ax.annotate(f"fp32 peak {peak:g} TFLOP/s", (high, peak), xytext=(-4, 6), textcoords="offset points",
                ha="right", fontsize=11, color=style.GREY)
    sizes = [row["n"] for row, *_ in found]
    usual = max(sizes, key=sizes.count)
    for i, (row, intensity, tflops, _) in enumerate(found):
        kw = style.look(i)
        ax.plot([intensity], [tflops], label=names.variant(row), **kw)
        own = "" if row["n"] == usual else f", n={row['n']:,}"
        ends.append((f"{names.variant(row)}{own}", intensity, tflops, kw["color"]))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    style.plain_ticks(ax.xaxis)
    style.plain_ticks(ax.yaxis)
    ax.set_xlabel("flops a byte asked of global memory (counted, 32 bytes a sector)")
    ax.set_ylabel("TFLOP/s")
    fig.suptitle(f"Matrix multiplication under the roofs: {names.machine(found[0][0])}", x=0.012, ha="left",
                 fontsize=19, fontweight="bold", y=0.98)
    kinds = sorted({f"{names.machine(s)} ({s['counters_evidence']})" for *_, s in found})
    style.provenance(fig, [p[0] for p in found], note=f"n = {usual:,} where no other stands; traffic: " + "; ".join(kinds))
    for key, text in (("l1_gbps", "L1"), ("dram_gbps", "DRAM")):
        rise = x[x * limits[key] / 1000 < peak]
        if len(rise):
            name_roof(ax, text, limits[key] / 1000, rise, [(e[1], e[2]) for e in ends])
    style.name_points(ax, sorted(ends, key=lambda e: (e[1], -e[2])))
    return fig


def figures(recs):
    for machine in recs.where(lab="matmul").machines():
        found = points(recs, machine)
        if not found:
            continue
        try:
            names.device(found[0][0]["device"])
        except records.RecordError as e:  # any student's GPU: every other figure can still be drawn
            print(f"matmul-roofline-{machine}: not drawn: {e}", file=sys.stderr)
        else:
            yield f"matmul-roofline-{machine}", draw(recs, machine)


if __name__ == "__main__":
    style.main(figures)
