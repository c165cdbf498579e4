"""movies.py - pictures.py's pictures frame by frame: what one block did, as it went on.

Interface:
    steps(kind, what)          what tells the frames apart, one entry a frame
    frames(kind, what, name)   the figures, one after another

`what` is what the picture is drawn from: a trace for lanes and tree, panels for sectors and
banks. Lanes go on from one moment to the next at which a warp's active mask or place changes,
the tree by its steps, banks by passes. A request's lanes ask at once; they are shown one after
another, so that it is seen whose address adds a sector."""
import pictures
import trace as tracing

MAX_FRAMES = 80
SECONDS = {"lanes": 0.7, "tree": 1.6, "sectors": 0.4, "banks": 0.7}  # a frame


def _moments(trace):
    """[(first, until)]: columns in which no shown warp changes what it does. Of a long run,
    several are taken together, so that MAX_FRAMES are enough."""
    warps = min(trace.warps, pictures.MAX_WARPS)
    steps, columns, _ = trace.steps()
    shown = [s for s in steps if s.warp < warps]
    cuts = sorted({s.start for s in shown} | {s.start + s.length for s in shown} - {columns})
    each = -(-len(cuts) // MAX_FRAMES) if cuts else 1
    cuts = cuts[::each]
    return list(zip(cuts, [*cuts[1:], columns]))


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
