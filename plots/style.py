"""style.py - the one look of all figures.

Interface:
    figure(…)            a figure of slide shape with the shared settings
    look(i)              colour, marker and line style number i of the cycle: colour-blind safe
                         (Okabe & Ito), and told apart in grey print by marker and dashes
    fit(fig)             margins that just hold the labels
    label_ends(ax, …)    writes curves' names at their right ends, pushed apart, no legend box
    name_points(ax, …)   writes points' names beside them, where nothing else stands
    provenance(fig, rows)  the foot line: device, backend, evidence, date, seed
    save(fig, name)      build/plots/NAME.{pdf,svg,png}, each written whole or not at all
    animate(figs, name)  build/plots/NAME.gif, and NAME-frames.pdf with a page a frame for slides
"""
import os
import tempfile
from collections import namedtuple
from itertools import combinations
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: E402

import records  # noqa: E402

INK, GREY, PALE, PAPER = "#1a1a1a", "#666666", "#d9d9d9", "#ffffff"
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
PURPLE, SKY, YELLOW = "#cc79a7", "#56b4e9", "#f0e442"
ALARM = RED

SCALE = 0.85

CYCLE = (  # colour, marker, dashes
    (BLUE, "o", "-"),
    (RED, "s", "-"),
    (GREEN, "^", "-"),
    (PURPLE, "D", "-"),
    (ORANGE, "v", "-"),
    (SKY, "P", (0, (5, 1.5))),
    (INK, "X", "-"),
    (BLUE, "*", (0, (1, 1))),
    (RED, "h", (0, (3, 1, 1, 1))),
    (GREEN, "<", (0, (5, 1.5))),
)

plt.rcParams.update({
    "font.family": "DejaVu Sans",
    "font.size": 14,
    "axes.titlesize": 18,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 14,
    "axes.labelsize": 14,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "lines.linewidth": 2.4,
    "lines.markersize": 8,
    "lines.markeredgecolor": PAPER,
    "lines.markeredgewidth": 0.8,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "figure.max_open_warning": 0,
    "svg.hashsalt": "warplab",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
})


def look(i):
    """Keyword arguments of curve i."""
    colour, marker, dashes = CYCLE[i % len(CYCLE)]
    return {"color": colour, "marker": marker, "linestyle": dashes}


def figure(ncols=1, nrows=1, width=11.0, height=6.2, **kw):
    """A figure and its axes. Sizes are as if type were small: all are made smaller by SCALE,
    so that type comes out large enough for the back row."""
    return plt.subplots(nrows, ncols, figsize=(SCALE * width, SCALE * height), **kw)


def power_ticks(axis, values):
    """Ticks 2^17, 2^18 … where the values are powers of two, plain numbers elsewhere."""
    def text(v, _):
        v = int(round(v))
        if v >= 1024 and v & (v - 1) == 0:
            return f"$2^{{{v.bit_length() - 1}}}$"
        return f"{v:,}"
    axis.set_ticks(sorted(set(values)))
    axis.set_major_formatter(FuncFormatter(text))
    axis.set_ticks([], minor=True)


def plain(v, _=None):
    """1500 → 1,500; 0.25 → 0.25: tick labels of a logarithmic axis."""
    return f"{v:,.0f}" if v >= 1 else f"{v:g}"


def plain_ticks(axis):
    """Plain numbers on a logarithmic axis; where it spans little, 2 and 5 are written too."""
    low, high = axis.get_view_interval()
    if axis.get_scale() == "log" and axis.get_transform().base == 10 and low > 0 and high / low < 60:
        axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(FuncFormatter(lambda v, _: ""))


def _spread(wanted, gap, low, high):
    """Positions as near to `wanted` (ascending) as a least distance allows."""
    placed = []
    for y in wanted:
        placed.append([y, 1, y])  # centre, members, sum of wishes
        while len(placed) > 1 and \
                placed[-1][0] - placed[-2][0] < gap * (placed[-1][1] + placed[-2][1]) / 2:
            _, n2, s2 = placed.pop()
            _, n1, s1 = placed.pop()
            placed.append([(s1 + s2) / (n1 + n2), n1 + n2, s1 + s2])
    out = []
    for centre, n, _ in placed:
        out += [centre + (i - (n - 1) / 2) * gap for i in range(n)]
    for i in reversed(range(len(out))):  # from the edges in, those alone that have to give way
        out[i] = min(out[i], high if i == len(out) - 1 else out[i + 1] - gap)
    for i in range(len(out)):
        out[i] = max(out[i], low if i == 0 else out[i - 1] + gap)
    return out


def fit(fig, names=(), size=12):
    """Margins just wide enough for the axes' own labels, and on the right for `names`."""
    axes = [ax for ax in fig.axes if ax.axison]
    if not axes:
        return
    width = fig.bbox.width
    room = max(ax.bbox.x0 - ax.get_tightbbox().x0 for ax in axes)
    left = (room + 12) / width
    right = 1 - 24 / width
    if names:
        probes = [fig.text(0, 0, n, fontsize=size, fontweight="bold") for n in names]
        right = 1 - (max(t.get_window_extent().width for t in probes) + 0.34 * fig.dpi) / width
        for t in probes:
            t.remove()
    ncols = axes[0].get_subplotspec().get_gridspec().ncols
    gap = (room + 24) / width
    each = (right - left - (ncols - 1) * gap) / ncols
    fig.subplots_adjust(left=left, right=right, wspace=gap / each)


def leader(ax, of, path, colour):
    """A thin line that joins a name to its point `of` (in data); the path is in the axes' fractions."""
    line, = ax.plot(*np.transpose(path), transform=ax.transAxes, color=colour, linewidth=0.8, marker="", clip_on=False,
                    zorder=1, label="_label")
    line.of = of  # for layout.py


def label_ends(ax, curves, size=12, pad=14, x=None, room=()):
    """Names beside the right ends of curves: (name, last x, last y, colour). Names keep the
    order of the curves and are pushed apart until none covers another; a thin line joins
    each to its curve. Room is made for them and for other panels' names, `room`. Call last, when limits
    and scales are set."""
    if not curves:
        return
    ax.autoscale(False)  # or the leaders drawn below would move the limits that they are for
    fit(ax.figure, [*(c[0] for c in curves), *room], size)
    ax.apply_aspect()
    to_px = ax.transData.transform
    entries = sorted(((to_px((cx, cy)), name, colour, (cx, cy)) for name, cx, cy, colour in curves),
                     key=lambda e: e[0][1])
    gap = size * 1.3 * ax.figure.dpi / 72
    box = ax.get_window_extent()
    ys = _spread([e[0][1] for e in entries], gap, box.y0, box.y1)
    right = max(e[0][0] for e in entries) if x is None else to_px((x, ax.get_ylim()[0]))[0]
    inverse = ax.transAxes.inverted().transform
    for ((px, py), name, colour, of), y in zip(entries, ys):
        start, end = inverse((px + 4.4 * ax.figure.dpi / 72, py)), inverse((right + pad * ax.figure.dpi / 72, y))
        leader(ax, of, (start, end), colour)
        ax.text(end[0] + 0.004, end[1], name, transform=ax.transAxes, color=colour, fontsize=size,
                va="center", ha="left", fontweight="bold", clip_on=False)


def _box_of(ax, line):
    """Boxes of a line's markers, in pixels."""
    radius = line.get_markersize() / 2 * ax.figure.dpi / 72
    for x, y in line.get_transform().transform(line.get_xydata()):
        yield x - radius, y - radius, x + radius, y + radius


def _shared(a, b):
    """Pixels that a box (x0, y0, x1, y1), or each of several, has in common with each of some."""
    a, b = np.asarray(a, float)[..., None, :], np.asarray(b, float).reshape(-1, 4)
    sides = np.minimum(a[..., 2:], b[:, 2:]) - np.maximum(a[..., :2], b[:, :2])
    return np.prod(np.maximum(sides, 0), axis=-1)


def _along(path):
    """Small boxes along a line, 4 pixels apart."""
    for a, b in zip(path, path[1:]):
        n = max(2, int(np.hypot(*(b - a)) / 4))
        yield from ((x - 1, y - 1, x + 1, y + 1) for x, y in zip(np.linspace(a[0], b[0], n), np.linspace(a[1], b[1], n)))


def _off(box, point):
    """From a box (x0, y0, x1, y1) to a point; 0 inside."""
    return np.hypot(max(box[0] - point[0], 0, point[0] - box[2]), max(box[1] - point[1], 0, point[1] - box[3]))


# Where a name may stand: right, left, above, below, then aslant and further off.
PLACES = [(d * x, d * y, ha, va) for d in (1, 2.2, 3.6, 5, 6.5, 8, 9.5, 11) for x, y, ha, va in (
    (8, 0, "left", "center"), (-8, 0, "right", "center"), (0, 7, "center", "bottom"), (0, -7, "center", "top"),
    (6, 6, "left", "bottom"), (6, -6, "left", "top"), (-6, 6, "right", "bottom"), (-6, -6, "right", "top"),
    (8, 3, "left", "center"), (8, -3, "left", "center"), (-8, 3, "right", "center"), (-8, -3, "right", "center"))]
WORDS = 5    # how much worse it is to cover a word than a line
OWN = 1.5    # pixels from a point, within which a mark is its own
JOINED = 12  # points off its own, from where on a thin line joins a name to it
FEW = 32     # of a name's best places, those tried with another's
Place = namedtuple("Place", "cost offset box around leader area")


def _leader(at, box, radius):
    """From a point's edge to the nearest place of a name's box."""
    to = np.array([np.clip(at[0], box[0], box[2]), np.clip(at[1], box[1], box[3])])
    return np.array([at + (to - at) * radius / np.hypot(*(to - at)), to])


def _crosses(leader, boxes):
    return leader is not None and bool(_shared(leader, boxes).any())


def _possible(ax, point, size, places, taken, weight):
    """What each place of a name costs: pixels of it that cover a mark, a word (these weigh more) or a line
    or are off the axes, and all of it for each of these that there is; all of it where another's point is
    nearer, or where its leader crosses a word or a mark, be its own under it. A leader over lines costs little."""
    (name, x, y, colour), (marks, words, lines) = point, taken
    dot, page, at = ax.figure.dpi / 72, ax.get_window_extent().extents, ax.transData.transform((x, y))
    middles = [np.array([(m[0] + m[2]) / 2, (m[1] + m[3]) / 2]) for m in marks]
    others = [c for c in middles if np.hypot(*(c - at)) > 2]
    in_way = [m for m, c in zip(marks, middles) if np.hypot(*(c - at)) > OWN] + [w for w in words if _off(w, at) > 2]
    for rank, (dx, dy, ha, va) in enumerate(places or PLACES):
        text = ax.annotate(name, (x, y), (dx, dy), textcoords="offset points", fontsize=size, ha=ha, va=va,
                           fontweight=weight)
        box = text.get_window_extent().extents
        text.remove()
        around = box + np.array([-0.25, 0, 0.25, 0]) * size * dot  # a space to the next word
        area = (box[2] - box[0]) * (box[3] - box[1])
        bad = [_shared(around, marks).sum(), WORDS * _shared(around, words).sum(), _shared(around, lines).sum(),
               area - _shared(box, page).sum()]
        cost = 0.01 * rank + sum(bad) + area * sum(pixels > 1 for pixels in bad)
        joins = None
        if not places and _off(box, at) > JOINED * dot:
            joins = list(_along(_leader(at, box, 5 * dot)))
            cost += area * _crosses(joins, in_way) + 0.1 * area * _crosses(joins, lines)
        elif min((_off(box, c) for c in others), default=np.inf) < _off(box, at) - 1:
            cost += area
        yield Place(cost, (dx, dy, ha, va), box, around, joins, area)


def _meet(a, b):
    """_shared() of two boxes: there are many pairs of places."""
    across, up = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return across * up if across > 0 and up > 0 else 0


def _clash(a, b):
    """What two names' places cost one another."""
    crossed = _crosses(a.leader, [b.box, *(b.leader or ())]) or _crosses(b.leader, [a.box])
    over = max(_meet(a.around, b.box), _meet(b.around, a.box))
    return WORDS * over + (crossed + (over > 1)) * (a.area + b.area)


def _settled(options):
    """A place for each name, so that all cost little: one after another, then each anew, and two at a
    time where they clash or one stands badly, as long as that helps. (what all cost, the places)"""
    chosen = []
    for some in options:
        chosen.append(min(some, key=lambda p: p.cost + sum(_clash(p, q) for q in chosen)))

    def whole(i, place, but=()):
        return place.cost + sum(_clash(place, q) for k, q in enumerate(chosen) if k != i and k not in but)
    for _ in range(5):
        before = list(chosen)
        for i, some in enumerate(options):
            chosen[i] = min(some, key=lambda p, i=i: whole(i, p))
        for i, k in combinations(range(len(chosen)), 2):
            if _clash(chosen[i], chosen[k]) or any(chosen[a].cost > chosen[a].area / 2 for a in (i, k)):
                alone = [sorted(((whole(a, p, (b,)), p) for p in options[a]), key=lambda e: e[0])[:FEW]
                         for a, b in ((i, k), (k, i))]
                _, chosen[i], chosen[k] = min(((c + d + _clash(p, q), p, q) for c, p in alone[0] for d, q in alone[1]),
                                              key=lambda e: e[0])
        if all(p is q for p, q in zip(before, chosen)):
            break
    return sum(p.cost for p in chosen) + sum(_clash(p, q) for p, q in combinations(chosen, 2)), chosen


def _choose(options):
    """The better of two orders to begin with."""
    here, there = _settled(options), _settled(options[::-1])
    return here[1] if here[0] <= there[0] else there[1][::-1]


def name_points(ax, points, size=11, places=None, weight="normal"):
    """Names beside points: (name, x, y, colour). Each stands where it covers no point, no word and no
    line, in the axes, and nearest to its own point or joined to it by a thin line; where there is no
    such place, where it covers least. Only at `places`, where they are given. Call last."""
    ax.apply_aspect()
    ax.autoscale(False)
    marked = [line for line in ax.get_lines() if line.get_marker() not in ("", "None")]
    lines = [line for line in ax.get_lines() if line.get_linestyle() not in ("None", "", " ")]
    taken = ([box for line in marked for box in _box_of(ax, line)], [t.get_window_extent().extents for t in ax.texts],
             [box for line in lines for box in _along(line.get_transform().transform(line.get_xydata()))])
    chosen = _choose([list(_possible(ax, point, size, places, taken, weight)) for point in points])
    for (name, x, y, colour), place in zip(points, chosen):
        dx, dy, ha, va = place.offset
        ax.annotate(name, (x, y), (dx, dy), textcoords="offset points", fontsize=size, color=colour, ha=ha, va=va,
                    annotation_clip=False, fontweight=weight, label="_name")
        if place.leader:
            path = _leader(ax.transData.transform((x, y)), place.box, 5 * ax.figure.dpi / 72)
            leader(ax, (x, y), ax.transAxes.inverted().transform(path), colour)


def _span(values):
    values = sorted({v for v in values if v not in (None, "")})
    if not values:
        return ""
    return str(values[0]) if values[0] == values[-1] else f"{values[0]} to {values[-1]}"


def provenance_text(rows, counters=False):
    """One line for each machine: what it is, how the figures were come by, when, which seed."""
    lines = []
    for machine in records.Records(rows).machines():
        mine = [r for r in rows if r.machine == machine]
        column = "counters_evidence" if counters else "evidence"
        evidence = "/".join(dict.fromkeys(r[column] for r in mine if r[column]))
        parts = [mine[0]["device"], f"backend {mine[0]['backend']}", evidence or "evidence not stated",
                 _span(r["date"][:10] for r in mine)]
        seeds = _span(r["seed"] for r in mine)
        if seeds:
            parts.append(f"seed {seeds}")
        lines.append(" · ".join(p for p in parts if p))
    return "\n".join(lines)


def provenance(fig, rows, counters=False, note=""):
    """Writes the foot line and makes room for it."""
    text = provenance_text(rows, counters)
    if note:
        text = note + "\n" + text
    lines = text.count("\n") + 1
    fig.text(0.012, 0.012, text, fontsize=10, color=GREY, va="bottom", ha="left", linespacing=1.35,
             gid="provenance")
    fig.subplots_adjust(bottom=(0.75 + 0.2 * lines) / fig.get_figheight())
    fit(fig)


def write_whole(path, write):
    """Lets write(temporary path) finish before the name appears."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, tmp = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
    os.close(handle)
    try:
        write(tmp)
        os.chmod(tmp, 0o644)
        os.replace(tmp, path)
    except BaseException:
        os.unlink(tmp)
        raise


METADATA = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


def out_folder(folder):
    return Path(folder or os.environ.get("PLOTS_OUT") or records.ROOT / "build" / "plots")


def save(fig, name, folder=None, kinds=("pdf", "svg", "png")):
    """Writes the figure; returns the paths."""
    folder, paths = out_folder(folder), []
    for kind in kinds:
        path = folder / f"{name}.{kind}"
        write_whole(path, lambda tmp, k=kind: fig.savefig(tmp, format=k, dpi=150, metadata=METADATA[k]))
        paths.append(path)
    plt.close(fig)
    return paths


def animate(figs, name, folder=None, seconds=1.4, hold=3.0, dpi=80):
    """Figures of one size, one a frame, the last one held; returns the paths. A PDF reader does
    not play GIFs: decks step through the pages of NAME-frames.pdf instead."""
    from matplotlib.backends.backend_pdf import PdfPages
    from PIL import Image
    folder = out_folder(folder)
    gif, pdf, images = folder / f"{name}.gif", folder / f"{name}-frames.pdf", []

    def pages(tmp):
        with PdfPages(tmp, metadata=METADATA["pdf"]) as book:
            for fig in figs:
                book.savefig(fig)
                fig.set_dpi(dpi)
                fig.canvas.draw()
                images.append(np.asarray(fig.canvas.buffer_rgba())[..., :3].copy())
                plt.close(fig)
    write_whole(pdf, pages)
    some = np.concatenate(images[::-max(1, len(images) // 6)])  # one palette, so that only changes are written
    palette = Image.fromarray(some).quantize(64, Image.Quantize.MAXCOVERAGE)
    images = [Image.fromarray(i).quantize(palette=palette, dither=Image.Dither.NONE) for i in images]
    times = [int(1000 * seconds)] * (len(images) - 1) + [int(1000 * max(hold, seconds))]
    write_whole(gif, lambda tmp: images[0].save(tmp, format="GIF", save_all=True, append_images=images[1:],
                                                duration=times, loop=0, disposal=1))
    return [pdf, gif]


def main(figures):
    """What a figure's script does when started by itself: `python fig_X.py [RECORD.csv …]`."""
    import sys
    try:
        made = [p for name, fig in figures(records.load(sys.argv[1:] or None)) for p in save(fig, name)]
    except records.RecordError as e:
        sys.exit(f"{Path(sys.argv[0]).name}: {e}")
    if not made:
        sys.exit(f"{Path(sys.argv[0]).name}: the records hold nothing for this figure")
    print("\n".join(records.shown(p) for p in made))
