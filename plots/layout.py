"""layout.py - is every word of a figure to be read? By matplotlib's own extents.

Interface:
    problems(fig)    ["'a' and 'b' overlap", "'c' is cut at the right", …]; empty for a good figure

Text on text, text that leaves the paper, and a name's leader line that goes through a point or
through other text. Text on a bar or a picture's cell is meant, and not looked at.
"""
from itertools import combinations

import numpy as np

TOUCH = 1.5  # pixels that boxes may share: their borders are looser than the letters


def _tick_labels(axis):
    low, high = sorted(axis.get_view_interval())
    slack = 1e-6 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if low - slack <= tick.get_loc() <= high + slack:
            yield from (tick.label1, tick.label2)


def _candidates(fig):
    yield from fig.texts
    if fig._suptitle:
        yield fig._suptitle
    for ax in fig.axes:
        yield from (*ax.texts, ax.title, ax._left_title, ax._right_title)
        if ax.get_legend():
            yield from ax.get_legend().get_texts()
        if ax.axison:
            for axis in (ax.xaxis, ax.yaxis):
                yield axis.label
                yield from _tick_labels(axis)


def words(fig):
    """[(text, its box)] of all that is written, in pixels."""
    renderer, found = fig.canvas.get_renderer(), {}
    for t in _candidates(fig):
        if t.get_visible() and t.get_text().strip():
            found[id(t)] = (t.get_text(), t.get_window_extent(renderer))
    return list(found.values())


def _cut(text, box, paper):
    sides = (("left", paper.x0 - box.x0), ("right", box.x1 - paper.x1), ("bottom", paper.y0 - box.y0),
             ("top", box.y1 - paper.y1))
    return [f"{text!r} is cut at the {side}" for side, over in sides if over > TOUCH]


def _overlap(a, b):
    return min(a.x1, b.x1) - max(a.x0, b.x0) > TOUCH and min(a.y1, b.y1) - max(a.y0, b.y0) > TOUCH


def _leaders(fig):
    """Lines that join a name to its curve (style.label_ends): [(axes, ends in pixels)]."""
    for ax in fig.axes:
        for line in ax.get_lines():
            if line.get_label() == "_label":
                yield ax, line.get_transform().transform(line.get_xydata())


def _points(ax):
    """Markers that are drawn, in pixels: [(x, y, radius)]."""
    for line in ax.get_lines():
        if line.get_marker() not in ("", "None", None, " ") and line.get_visible():
            radius = line.get_markersize() / 2 * ax.figure.dpi / 72
            for x, y in line.get_transform().transform(line.get_xydata()):
                yield line.get_label(), x, y, radius


def _distance(start, end, point):
    """From a point to the piece of a line, and how far along it is nearest."""
    along = end - start
    at = np.clip(np.dot(point - start, along) / max(np.dot(along, along), 1e-9), 0, 1)
    return np.hypot(*(start + at * along - point)), at


def _crossed(fig):
    """A leader may begin at its own point; it goes through no other one."""
    for ax, (start, end) in _leaders(fig):
        for name, x, y, radius in _points(ax):
            distance, at = _distance(start, end, np.array([x, y]))
            if at > 0 and distance < radius - TOUCH:
                yield f"a name's line goes through a point of {name!r}"


def problems(fig):
    fig.draw_without_rendering()
    found = words(fig)
    out = [said for text, box in found for said in _cut(text, box, fig.bbox)]
    out += [f"{a!r} and {b!r} overlap" for (a, one), (b, other) in combinations(found, 2) if _overlap(one, other)]
    return out + list(dict.fromkeys(_crossed(fig)))
