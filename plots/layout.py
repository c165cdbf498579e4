"""layout.py - is every word of a figure to be read? By matplotlib's own extents.

Interface:
    problems(fig)    ["'a' and 'b' overlap", "'c' is cut at the right", …]; empty for a good figure

Text on text, words of one line with no space between them, text that leaves the paper, text that a
curve, a point or a name's leader line goes through, a leader that goes through another's point, and a
name without one that stands nearer to another's point than to its own. Text on a bar or a picture's
cell is meant, and not looked at.
"""
import numpy as np
from matplotlib.transforms import Bbox

TOUCH = 1.5  # pixels that boxes may share: their borders are looser than the letters
SPACE = 0.2  # of the type's size: words of one line that are nearer read as one


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
    """[(text, its box in pixels, the type's size where it runs along a line)] of all that is written."""
    renderer, found = fig.canvas.get_renderer(), {}
    for t in _candidates(fig):
        if t.get_visible() and t.get_text().strip():
            size = t.get_fontsize() * fig.dpi / 72 if t.get_rotation() == 0 else 0
            found[id(t)] = (t.get_text(), t.get_window_extent(renderer), size)
    return list(found.values())


def _cut(text, box, paper):
    sides = (("left", paper.x0 - box.x0), ("right", box.x1 - paper.x1), ("bottom", paper.y0 - box.y0),
             ("top", box.y1 - paper.y1))
    return [f"{text!r} is cut at the {side}" for side, over in sides if over > TOUCH]


def _shared(low, high):
    """How far each pair of intervals reaches into one another; negative: how far they are apart."""
    return np.minimum.outer(high, high) - np.maximum.outer(low, low)


def _too_near(found):
    """Pairs of words that overlap, or that stand in one line and have no space between them."""
    low, high = (np.array([getattr(box, end) for _, box, _ in found]) for end in ("min", "max"))
    size = np.array([s for *_, s in found])
    across, up = (_shared(low[:, i], high[:, i]) for i in (0, 1))
    over = (across > TOUCH) & (up > TOUCH)
    height = high[:, 1] - low[:, 1]
    run = (across > -SPACE * np.minimum.outer(size, size)) & (up > np.minimum.outer(height, height) / 2) & ~over
    for said, which in (("overlap", over), ("run together", run)):
        for i, j in np.argwhere(np.triu(which, 1)):
            yield f"{found[i][0]!r} and {found[j][0]!r} {said}"


def _leaders(fig):
    """Lines that join a name to its point (style.leader): [(axes, ends, the point or None)], in pixels."""
    for ax in fig.axes:
        for line in ax.get_lines():
            if line.get_label() == "_label":
                of = getattr(line, "of", None)
                yield ax, line.get_transform().transform(line.get_xydata()), of and ax.transData.transform(of)


def _points(ax):
    """Markers that are drawn, in pixels: [(name, x, y, radius)]."""
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
    """A leader begins at its own point; it goes through no other one, not even one that its own lies under.
    Of a line that does not say its point, that is one that it begins in."""
    for ax, (start, end), of in _leaders(fig):
        for name, x, y, radius in _points(ax):
            distance, at = _distance(start, end, np.array([x, y]))
            own = at == 0 if of is None else np.hypot(*(of - (x, y))) < TOUCH
            if not own and distance < radius:
                yield f"a name's line goes through a point of {name!r}"


def _inner(box, within=None):
    """What of a box is surely letters, and of that what lies within another; None if nothing is."""
    x0, y0, x1, y1 = box.x0 + TOUCH, box.y0 + TOUCH, box.x1 - TOUCH, box.y1 - TOUCH
    if within is not None:
        x0, y0, x1, y1 = max(x0, within.x0), max(y0, within.y0), min(x1, within.x1), min(y1, within.y1)
    return Bbox.from_extents(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _struck(fig):
    """Words in the axes that a drawn line or a point goes through. One with a ground of its own hides it; one
    that fits into a point stands in it."""
    for ax in fig.axes:
        boxes = [(t.get_text(), t.get_window_extent()) for t in ax.texts
                 if t.get_visible() and t.get_text().strip() and not t.get_bbox_patch()]
        for line in ax.get_lines():
            if not line.get_visible():
                continue
            path = line.get_transform().transform_path(line.get_path())
            drawn = line.get_linestyle() not in ("None", "", " ")
            for text, box in boxes:
                letters = _inner(box, ax.bbox if line.get_clip_on() else None)
                if drawn and letters and len(path) > 1 and path.intersects_bbox(letters, filled=False):
                    yield f"{line.get_label()!r} goes through {text!r}"
        for name, x, y, radius in _points(ax):
            for text, box in boxes:
                if np.hypot(box.width, box.height) / 2 > radius - TOUCH and _from_box(box, x, y) < radius - 2 * TOUCH:
                    yield f"a point of {name!r} is on {text!r}"


def _from_box(box, x, y):
    """From a box to a point; 0 inside."""
    return np.hypot(max(box.x0 - x, 0, x - box.x1), max(box.y0 - y, 0, y - box.y1))


def _estranged(fig):
    """Names that style.name_points() wrote, without a leader, nearer to another curve's point."""
    for ax in fig.axes:
        lines = [[(x, y) for x, y in line.get_transform().transform(line.get_xydata())]
                 for line in ax.get_lines() if line.get_marker() not in ("", "None", None, " ") and line.get_visible()]
        lines = [points for points in lines if points]
        joined = [start for of, (start, _), _ in _leaders(fig) if of is ax]
        for t in ax.texts:
            if t.get_label() != "_name" or not lines:
                continue
            at = ax.transData.transform(t.xy)
            if any(np.hypot(*(at - start)) < fig.dpi / 8 for start in joined):
                continue
            box = t.get_window_extent()
            nearest = [min(np.hypot(*(at - p)) for p in points) for points in lines]
            own = int(np.argmin(nearest))
            far = [min(_from_box(box, *p) for p in points) for points in lines]
            if min(far) < far[own] - TOUCH:
                yield f"{t.get_text()!r} stands nearer to another's point than to its own"


def problems(fig):
    fig.draw_without_rendering()
    found = words(fig)
    out = [said for text, box, _ in found for said in _cut(text, box, fig.bbox)]
    return out + list(_too_near(found) if found else ()) + list(dict.fromkeys((*_crossed(fig), *_struck(fig)))) + \
        list(_estranged(fig))
