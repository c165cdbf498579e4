"""movies.py - pictures.py's pictures frame by frame: what one block did, as it went on.

Interface:
    steps(kind, what)          what tells the frames apart, one entry a frame
    frames(kind, what, name)   the figures, one after another

`what` is what the picture is drawn from: a trace for lanes and tree, panels for sectors and
banks. Lanes go on from one moment to the next at which a warp's active mask changes, the tree by
its steps, banks by passes. A request's lanes ask at once; they are shown one after another, so
that it is seen whose address adds a sector. No movie is longer than a lecture bears."""
import numpy as np

import pictures
import trace as tracing

MAX_FRAMES = 40
SECONDS = {"lanes": 0.7, "tree": 1.6, "sectors": 0.4, "banks": 0.7}  # a frame


def _moments(trace):
    """[(first, until)]: columns in which no shown warp changes its mask, starts or stops. Of a long
    run, several are taken together, so that MAX_FRAMES are enough."""
    shown = [group[0] for group in pictures.alike(trace)[:pictures.MAX_WARPS]]
    whole, _ = pictures.lane_grid(trace, trace.warps)
    masks = np.nan_to_num(np.concatenate([whole[w * tracing.WARP:(w + 1) * tracing.WARP] for w in shown]), nan=-1)
    cuts = [0, *(np.flatnonzero((np.diff(masks, axis=1) != 0).any(axis=0)) + 1)]
    each = -(-len(cuts) // MAX_FRAMES)
    cuts = [int(c) for c in cuts[::each]]
    return list(zip(cuts, [*cuts[1:], whole.shape[1]]))


def _levels(trace):
    return range(1 + max(n.level for n in pictures.useful_edges(trace)[0]))


STEPS = {
    "lanes": _moments,
    "tree": _levels,
    "sectors": lambda panels: range(tracing.WARP + 1),
    "banks": lambda panels: range(1 + max((len(tracing.wavefronts(a)) for _, a, _ in panels), default=0)),
}


def steps(kind, what):
    return list(STEPS[kind](what))


def frames(kind, what, name):
    for step in steps(kind, what):
        yield getattr(pictures, kind)(what, name, step)
