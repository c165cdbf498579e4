"""pictures.py - pictures of what one block did, drawn from the emulator's trace (trace.py).

    lanes(trace)      lanes × instructions, active ones filled: divergence at a glance
    sectors(traces)   the addresses of a warp's requests over sectors
    banks(trace)      the words of a warp's shared accesses over banks, conflicts marked
    tree(trace)       the reduction tree as it really ran

Each draws the whole, or what there is of it at one moment: a frame of an animation (movies.py),
with the axes of the whole.
"""
import re
from collections import Counter

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Polygon, Rectangle

import records
import style
import trace as tracing

IDLE, LINE, MASKED = "#eef1f4", "#9aa5b1", "#d3dae1"
MAX_WARPS, MAX_PANELS = 4, 6
MAX_NUMBERED = 32  # rows; more are drawn lower than a number is


def foot(fig, trace, note="", alone=True):
    """Where the picture comes from: a counted run, of which block, of which case unless traces of
    several stand side by side."""
    h, run = trace.header, trace.header.get("run", {})
    grid, threads = ("×".join(str(x) for x in h[k] if x > 1) or "1" for k in ("grid", "threads"))
    text = f"{h['kernel']}, block {h['index']} of {grid}, {threads} threads"
    if run:
        text += f", {run['case']}" if alone else ""
        text += f" · {run['device']} · backend emulator · counted, from a trace · {run['date']} · seed {run['seed']}"
    else:
        text += " · trace of the emulator, counted"
    if trace.truncated:
        text += " · the trace was cut at its size limit"
    said = fig.text(0.012, 0.012, "", fontsize=10, color=style.GREY, va="bottom", gid="provenance", linespacing=1.35)
    lines = [line for part in (note, text) if part for line in _broken(said, part, 0.976 * fig.bbox.width)]
    said.set_text("\n".join(lines))
    grown = (len(lines) - bool(note) - 1) * 1.35 * 10 / 72 / fig.get_figheight()
    if grown > 0:
        fig.subplots_adjust(bottom=fig.subplotpars.bottom + grown)


def _broken(said, text, width):
    """A foot in lines of at most `width` pixels, broken at its dots."""
    lines = []
    for part in text.split(" · "):
        said.set_text(f"{lines[-1]} · {part}" if lines else part)
        if lines and said.get_window_extent().width <= width:
            lines[-1] = said.get_text()
        else:
            lines.append(part)
    return lines


def _alone(parts):
    return len({id(trace) for trace, _, _ in parts}) == 1


def title(fig, text):
    fig.suptitle(text, x=0.012, ha="left", fontsize=19, fontweight="bold", y=0.985)


def place(trace, access):
    """'line 83, load': where an access stands in the source, as a panel is headed."""
    line = trace.site(access).get("line")
    return f"line {line}, {access['kind']}" if line else f"{trace.site(access).get('opcode', access['kind'])}"


# ---- lanes × instructions ----

def lane_grid(trace, warps):
    """Array (32 × warps, columns): NaN where the warp issued nothing, 0 idle lane, 1 active."""
    steps, columns, barriers = trace.steps()
    grid = np.full((tracing.WARP * warps, columns), np.nan)
    for s in steps:
        if s.warp < warps:
            bits = np.array([s.mask >> i & 1 for i in range(tracing.WARP)], dtype=float)
            rows = slice(s.warp * tracing.WARP, (s.warp + 1) * tracing.WARP)
            grid[rows, s.start:s.start + s.length] = bits[:, None]
    return grid, barriers


def alike(trace):
    """[[warp, …]]: warps that did the same at the same time, each such group once."""
    grid, _ = lane_grid(trace, trace.warps)
    groups = {}
    for w in range(trace.warps):
        rows = grid[w * tracing.WARP:(w + 1) * tracing.WARP]
        groups.setdefault(np.nan_to_num(rows, nan=-1).tobytes(), []).append(w)
    return list(groups.values())


def said_of(warps):
    """'warps 0, 2-5'"""
    runs = []
    for w in warps:
        if runs and w == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], w]
        else:
            runs.append([w])
    return f"warp{'s' if len(warps) > 1 else ''} " + ", ".join("–".join(map(str, r)) for r in runs)


def stretches(image):
    """[(state, first row, row after, first column, column after)]: the picture in as few rectangles
    as rows of equal stretches allow. Drawn as such it stays sharp at any size; of an image with a
    row a lane, a projector would make stripes of its own."""
    open_, out = {}, []
    for y, row in enumerate(image):
        cuts = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        here = {(int(row[a]), int(a), int(b)) for a, b in zip(cuts, cuts[1:])}
        out += [(k[0], top, y, k[1], k[2]) for k, top in open_.items() if k not in here]
        open_ = {k: open_.get(k, y) for k in here}
    return out + [(k[0], top, len(image), k[1], k[2]) for k, top in open_.items()]


def draw_lanes(ax, image):
    """0 nothing, 1 masked off, 2 active."""
    for state, colour in ((1, MASKED), (2, style.BLUE)):
        boxes = [[(a, top), (b, top), (b, end), (a, end)] for s, top, end, a, b in stretches(image) if s == state]
        ax.add_collection(PolyCollection(boxes, facecolor=colour, edgecolor=colour, linewidth=0.15))
    ax.set_xlim(0, image.shape[1])
    ax.set_ylim(len(image), 0)


def _lane_image(ax, grid, now):
    """The grid as rectangles; with now = (first, until), columns from `until` on are not there yet
    and those from `first` on are marked as the ones being issued."""
    image = np.where(np.isnan(grid), 0, np.where(grid > 0, 2, 1))
    if now:
        image[:, now[1]:] = 0
        ax.axvspan(*now, facecolor="none", edgecolor=style.ORANGE, linewidth=2, zorder=3)
    draw_lanes(ax, image)


def step_said(trace, now, warps):
    """'warp 0, 8 of 32 lanes, line 83: …': the instructions of one frame, in the first warp that
    has any there."""
    steps = [s for s in trace.steps()[0] if s.warp in warps and s.start < now[1] and s.start + s.length > now[0]]
    if not steps:
        return "all warps wait"
    first = min(steps, key=lambda s: s.warp)
    text = trace.line({"site": first.site})
    text = f"line {text}" if text[:1].isdigit() else text
    return f"warp {first.warp}, {first.mask.bit_count()} of 32 lanes, {text}"


def lanes(trace, name=None, now=None):
    """A band for each warp, or for several that did the same."""
    groups = alike(trace)[:MAX_WARPS]
    shown = [group[0] for group in groups]
    whole, barriers = lane_grid(trace, trace.warps)
    if not whole.shape[1]:
        raise records.RecordError("the trace holds no instructions")
    grid = np.concatenate([whole[w * tracing.WARP:(w + 1) * tracing.WARP] for w in shown])
    fig, ax = style.figure(width=13, height=2.3 + (0.3 if now else 0) + max(2.4, 1.15 * len(shown)))
    h = fig.get_figheight()
    fig.subplots_adjust(right=0.985, top=1 - (1.0 if now else 0.75) / h, bottom=1.1 / h)
    _lane_image(ax, grid, now)
    for b in barriers:
        if not now or b <= now[1]:
            ax.axvline(b, color=style.RED, linewidth=1.0, linestyle=(0, (4, 2)))
    for i in range(1, len(shown)):
        ax.axhline(i * tracing.WARP, color=style.PAPER, linewidth=4)
    ax.grid(False)
    ax.set_yticks([i * tracing.WARP + 16 for i in range(len(shown))], [said_of(group) for group in groups])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("instructions, in the order each warp issued them")
    done = whole[:, :now[1]] if now else whole
    on, issued = np.nansum(done), np.count_nonzero(~np.isnan(done))
    title(fig, f"{name or trace.header['kernel']}: {32 * on / issued:.1f} of 32 lanes active" +
               (" so far" if now else ""))
    if now:
        ax.set_title(step_said(trace, now, shown)[:110], fontsize=12, fontweight="normal", pad=5,
                     color=style.INK)
    left_out = trace.warps - sum(map(len, groups))
    more = f" ({left_out} more warp{'s' if left_out > 1 else ''} not shown)" if left_out else ""
    foot(fig, trace, f"blue: active lane · grey: lane masked off · white: warp waits or is done · "
                     f"dashed: block barrier{more}")
    style.fit(fig)
    return fig


# ---- addresses over sectors ----

def requests_of(trace, limit=MAX_PANELS):
    """The first request of each global access of warp 0; copies of a line that look the same,
    as unrolling makes, count once."""
    found = {}
    for e in trace.accesses(space="global", warp=0):
        found.setdefault((trace.site(e).get("line"), e["kind"], len(tracing.sectors(e)), e["mask"]), e)
    return list(found.values())[:limit]


def _lane_colours():
    from matplotlib import colormaps
    return colormaps["cividis"](np.linspace(0.05, 0.95, tracing.WARP))


def first_lanes(access, lanes):
    """The request as it were if only the lanes below `lanes` had asked."""
    kept = [(lane, a) for lane, a in zip(tracing.lanes_of(access["mask"]), access["addresses"]) if lane < lanes]
    return {**access, "mask": sum(1 << lane for lane, _ in kept), "addresses": [a for _, a in kept]}


def _cells(ax, boxes, **look):
    """Rectangles (x, y, width, height) of one look, drawn as one."""
    corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes]
    ax.add_collection(PolyCollection(corners, **{"linewidth": 0} | look))


def _runs(sharing, row, size):
    """[(row, [address, …])]: words side by side that several lanes share, and those that one lane has."""
    runs = []
    for address in sorted(sharing):
        y, many = row[address // 128], len(sharing[address]) > 1
        if runs and runs[-1][0] == y and many and len(sharing[runs[-1][1][-1]]) > 1 and address - runs[-1][1][-1] == size:
            runs[-1][1].append(address)
        else:
            runs.append((y, [address]))
    return runs


def _say_shared(ax, x, y, counts, kind, room):
    """Behind words side by side that several lanes each share: how many. Nothing where it has no room."""
    each, (least, most) = "each " if len(counts) > 1 else "", (min(counts), max(counts))
    text = f"{each}{'read ' if kind == 'load' else ''}by {least if least == most else f'{least} to {most}'} lanes"
    said = ax.text(x, y, text, ha="left", va="center", zorder=4, fontsize=8)
    box = ax.transData.inverted().transform_bbox(said.get_window_extent())
    if box.x1 > room:
        said.remove()


def _draw_request(ax, access, label, lanes, rows):
    """Rows are lines of 128 bytes: four sectors of eight words. As many as the tallest beside it
    has, so that all are drawn alike."""
    lines = sorted({s // 4 for s in tracing.sectors(access)})
    row = {line: y for y, line in enumerate(lines)}
    access = first_lanes(access, lanes)
    found = tracing.sectors(access)
    touched = set(found)
    for line, y in row.items():
        for s in range(4):
            hit = 4 * line + s in touched
            ax.add_patch(Rectangle((8 * s, y), 8, 0.86, facecolor="#fde9c9" if hit else style.PAPER,
                                   edgecolor=style.ORANGE if hit else style.PALE, linewidth=1.6 if hit else 0.8,
                                   zorder=2 if hit else 1))
    colours, used = _lane_colours(), set()
    small = len(lines) > 12
    ax.set_xlim(-0.3, 32.3)
    ax.set_ylim(max(rows, 3), -0.15)
    sharing = {}
    for lane, address in zip(tracing.lanes_of(access["mask"]), access["addresses"]):
        sharing.setdefault(address, []).append(lane)
    width = access["size"] / 4
    for address, who in sharing.items():
        lane = who[0]
        x, y = address % 128 / 4, row[address // 128]
        used.update(range(address, address + access["size"]))
        ax.add_patch(Rectangle((x + 0.06, y + 0.1), width - 0.12, 0.66, facecolor=colours[lane], zorder=3,
                               linewidth=0))
        if not small:
            ax.text(x + width / 2, y + 0.44, str(lane), ha="center", va="center", zorder=4, fontsize=7,
                    color=style.PAPER if lane < 18 else style.INK)
    for y, run in () if small else _runs(sharing, row, access["size"]):
        counts = [len(sharing[address]) for address in run]
        later = [a % 128 / 4 for a in sharing if row[a // 128] == y and a > run[-1]]
        if min(counts) > 1:
            _say_shared(ax, run[-1] % 128 / 4 + width + 0.2, y + 0.44, counts, access["kind"], min(later, default=32))
    moved = len(found) * tracing.SECTOR
    narrow = ax.get_subplotspec().get_gridspec().ncols > 2
    ax.set_title(f"{label}: {len(found)} sector{'' if len(found) == 1 else 's'}" +
                 (f", {len(used)} of {moved} {'B' if narrow else 'bytes'}{'' if narrow else ' used'}" if found else ""),
                 fontsize=10 if narrow else 12, pad=6)
    ax.set_axis_off()
    return len(found)


def sectors(parts, name, lanes=tracing.WARP):
    """parts: [(trace, access, label)]; panels side by side. Of a frame, the lanes below `lanes`."""
    if not parts:
        raise records.RecordError("the trace holds no access to global memory by warp 0")
    rows_of = [len({s // 4 for s in tracing.sectors(a)}) for _, a, _ in parts]
    cols = min(3 if max(rows_of) > 16 else 2, len(parts))
    nrows = -(-len(parts) // cols)
    tall = [max(len({s // 4 for s in tracing.sectors(a)}) for _, a, _ in parts[r * cols:(r + 1) * cols])
            for r in range(nrows)]
    heights = [0.9 + 0.16 * min(32, max(t, 4)) for t in tall]
    fig, axes = style.figure(ncols=cols, nrows=nrows, width=13, height=1.5 + sum(heights), squeeze=False,
                             gridspec_kw={"height_ratios": heights})
    h = fig.get_figheight()
    fig.subplots_adjust(left=0.012, right=0.988, top=1 - 0.95 / h, bottom=0.62 / h, hspace=0.25, wspace=0.05)
    for i, (ax, part) in enumerate(zip(axes.flat, parts)):
        _draw_request(ax, part[1], part[2], lanes, tall[i // cols])
    for ax in list(axes.flat)[len(parts):]:
        ax.set_axis_off()
    title(fig, f"{name}: what one request of a warp touches" +
               ("" if lanes >= tracing.WARP else f", lanes 0 to {lanes - 1}" if lanes > 1 else
                ", lane 0" if lanes else ", before a lane asks"))
    foot(fig, parts[0][0], "a row is 128 bytes, in four sectors of 32 · orange: sector that must move · "
                           "filled: words of lanes 0 (dark) to 31 (light)", _alone(parts))
    return fig


# ---- words over banks ----

def shared_of(trace, limit=MAX_PANELS):
    """Shared accesses of warp 0 worth a look: each place's first and, where the pattern changes
    over a loop, each new degree of conflict. What products and bulk copies read and write lane by
    lane here, no lane asks the banks for on a GPU."""
    found, seen = [], set()
    for e in trace.accesses(space="shared", warp=0):
        if re.match(r"wgmma|cp\.async\.bulk", trace.site(e).get("opcode", "")):
            continue
        key = (trace.site(e).get("line"), e["kind"], len(tracing.wavefronts(e)), e["mask"].bit_count())
        if key not in seen:
            seen.add(key)
            found.append(e)
    worst = sorted(found, key=lambda e: (-tracing.conflicts(e), e["n"]))[:limit]
    return sorted(worst, key=lambda e: e["n"])


def _draw_banks(ax, access, label, served, rows):
    """A row a pass; as many rows as the tallest beside it has."""
    passes = tracing.wavefronts(access)
    need = len(passes) - tracing.conflicts(access)
    cells, shared = {IDLE: [], style.BLUE: [], style.RED: []}, []
    for p, banks in enumerate(passes):
        here = banks if served is None or p < served else {}
        for b in range(tracing.BANKS):
            colour = IDLE if b not in here else style.RED if p >= need else style.BLUE
            cells[colour].append((b + 0.05, p + 0.06, 0.9, 0.88))
        for b, (_, who) in here.items() if rows <= MAX_NUMBERED else ():
            several = len(who) > 1
            ax.text(b + 0.5, p + (0.44 if several else 0.5), str(who[0]), ha="center", va="center", fontsize=7,
                    color=style.PAPER, zorder=3)
            if several:
                shared.append((b + 0.16, p + 0.8, 0.68, 0.11))
    for colour, boxes in cells.items():
        _cells(ax, boxes, facecolor=colour)
    _cells(ax, shared, facecolor=style.PAPER)
    extra = tracing.conflicts(access)
    said = f"{len(passes)} pass{'es' if len(passes) > 1 else ''}" + (f", {extra} by conflicts" if extra else "")
    if served is not None:
        said = f"done, {said}" if served >= len(passes) else f"pass {served} of {len(passes)}" if served \
            else "nothing served yet"
    asking = access["mask"].bit_count()
    ax.set_title(f"{label}, {asking} lane{'s' * (asking > 1)}: {said}", fontsize=12, pad=6)
    ax.set_xlim(0, tracing.BANKS)
    ax.set_ylim(rows, 0)
    ax.set_xticks([0.5, 8.5, 16.5, 24.5, 31.5], ["0", "8", "16", "24", "31"], fontsize=9)
    ax.set_yticks([])
    ax.grid(False)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0)


def banks(parts, name, served=None):
    """parts: [(trace, access, label)]. Of a frame, the first `served` passes of each."""
    if not parts:
        raise records.RecordError("the trace holds no access to shared memory by warp 0")
    cols = min(2, len(parts))
    nrows = -(-len(parts) // cols)
    tall = [max(len(tracing.wavefronts(a)) for _, a, _ in parts[r * cols:(r + 1) * cols]) for r in range(nrows)]
    heights = [0.17 * min(32, max(t, 3)) for t in tall]
    between = 1.0  # inches, of SCALE: a panel's title, and the banks' numbers of the one above it
    fig, axes = style.figure(ncols=cols, nrows=nrows, width=13, height=1.3 + between * nrows + sum(heights), squeeze=False,
                             gridspec_kw={"height_ratios": heights})
    h = fig.get_figheight()
    fig.subplots_adjust(left=0.015, right=0.985, top=1 - 1.0 / h, bottom=0.85 / h, wspace=0.06,
                        hspace=between / (sum(heights) / nrows))
    for i, (ax, part) in enumerate(zip(axes.flat, parts)):
        _draw_banks(ax, part[1], part[2], served, max(tall[i // cols], 3))
    for ax in list(axes.flat)[len(parts):]:
        ax.set_axis_off()
    title(fig, f"{name}: words over the 32 banks")
    conflict = any(tracing.conflicts(a) for _, a, _ in parts)
    several = any(len(who) > 1 for _, a, _ in parts for banks in tracing.wavefronts(a) for _, who in banks.values())
    foot(fig, parts[0][0], "a row is one pass over the banks; the number is the lane served" +
         " · red: a pass that only a conflict makes necessary" * conflict +
         " · underlined: one word for several lanes" * several, _alone(parts))
    return fig


# ---- the reduction tree ----

def tree_edges(trace):
    """Sums that were made of two words or more: [(word, level, sources)]; the tree's edges."""
    return [n for n in trace.additions() if len(n.sources) >= 2]


def _useful(nodes):
    """Only what the last sum of word 0 is made of: unrolled tails add more than is needed."""
    by = {}
    for n in nodes:
        by[(n.word, n.level)] = n
    root = max((n for n in nodes if n.word == 0), key=lambda n: n.level, default=None)
    keep, todo = set(), [(root.word, root.level)] if root else []
    while todo:
        key = todo.pop()
        if key in keep or key not in by:
            continue
        keep.add(key)
        todo += list(by[key].sources)
    return [n for n in nodes if (n.word, n.level) in keep]


def is_tree(nodes):
    """Every sum is of two, each goes into one further sum at most, and some of them are of sums.
    Stores after loads of other words are not: a tile that is brought, counts that are made."""
    used = Counter(source for n in nodes for source in n.sources)
    return all(len(n.sources) == 2 for n in nodes) and max(used.values()) == 1 and max(n.level for n in nodes) > 1


def useful_edges(trace):
    """(the tree's sums, how many more were made); RecordError where there is no tree."""
    made = tree_edges(trace)
    nodes = _useful(made)
    if not nodes:
        raise records.RecordError("the trace holds no sums in shared memory: no tree to draw")
    if not is_tree(nodes):
        raise records.RecordError("what is stored in shared memory is no tree of sums: no tree to draw")
    return nodes, len(made) - len(nodes)


def level_said(nodes, level):
    """'step 3 of 7: 16 additions of words 4 apart', for a frame."""
    depth = max(n.level for n in nodes)
    here = [n for n in nodes if n.level == level]
    if not here:
        return "loaded, nothing added yet"
    apart = {abs(w - n.word) for n in here for w, _ in n.sources if w != n.word}
    return (f"step {level} of {depth}: {len(here)} addition{'' if len(here) == 1 else 's'}" +
            (f" of words {apart.pop()} apart" if len(apart) == 1 else ""))


CLEAR = 3.0  # pixels from one line to the next, below which they are a blot


def families(nodes):
    """{(lower level, level, distance): [(word, to word)]}: lines that run side by side."""
    out = {}
    for n in nodes:
        for word, lower in n.sources:
            out.setdefault((lower, n.level, n.word - word), []).append((word, n.word))
    return {k: sorted(v) for k, v in out.items()}


def one_in(ax, lower, upper, distance, lines):
    """Of parallel lines: one in how many is drawn, so that they can be told apart."""
    if len(lines) < 3 or not distance:
        return 1
    (x0, y0), (x1, y1) = ax.transData.transform([(0, lower), (distance, upper)])
    step = ax.transData.transform([(lines[1][0] - lines[0][0], 0)])[0][0] - ax.transData.transform([(0, 0)])[0][0]
    apart = step * abs(y1 - y0) / np.hypot(x1 - x0, y1 - y0)
    return max(1, 2 ** int(np.ceil(np.log2(CLEAR / apart)))) if apart < CLEAR else 1


def _draw_edges(ax, nodes, level):
    """Lines from what was added to where it went; those of a frame's own step stand out. Where they
    would touch, a band and some of them; returns one in how many, at most."""
    most = 1
    for (lower, upper, distance), lines in families(nodes).items():
        fresh, moved = upper == level, distance != 0
        colour = (style.RED if fresh else style.BLUE) if moved else LINE
        each = one_in(ax, lower, upper, distance, lines)
        most = max(most, each)
        if each > 1:
            (a, c), (b, d) = lines[0], lines[-1]
            ax.add_patch(Polygon([(a, lower), (b, lower), (d, upper), (c, upper)], facecolor=colour, alpha=0.13, linewidth=0))
        for word, to in lines[::each] + (lines[-1:] if each > 1 else []):
            ax.plot([word, to], [lower, upper], marker="", linewidth=2.0 if fresh else 1.0 if moved else 0.8, color=colour,
                    zorder=2 if moved else 1, solid_capstyle="round")
    return most


def tree(trace, name=None, level=None):
    nodes, waste = useful_edges(trace)
    depth = max(n.level for n in nodes)
    words = sorted({w for n in nodes for w, _ in n.sources} | {n.word for n in nodes})
    fig, ax = style.figure(width=13, height=6.2)
    fig.subplots_adjust(left=0.085, right=0.985, top=0.86, bottom=0.22)
    ax.set_xlim(-2, max(words) + 4)
    ax.set_ylim(-0.4, depth + 0.5)
    done = [n for n in nodes if level is None or n.level <= level]
    each = _draw_edges(ax, done, level)
    ax.plot([w for w in words], [0] * len(words), linestyle="", marker="o", markersize=4, color=LINE,
            markeredgewidth=0, zorder=3)
    for step in range(1, (depth if level is None else level) + 1):
        here = sorted({n.word for n in nodes if n.level == step})
        ax.plot(here, [step] * len(here), linestyle="", marker="o", markersize=6.5, zorder=4,
                color=style.RED if step == level else style.BLUE)
        ax.text(1.0, step, f" {len(here)}", transform=ax.get_yaxis_transform(), va="center", fontsize=11,
                color=style.GREY, ha="right")
    ax.set_yticks(range(depth + 1), ["loaded"] + [f"step {i}" for i in range(1, depth + 1)])
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("word of shared memory")
    title(fig, f"{name or trace.header['kernel']}: " +
               (f"{len(nodes)} additions in {depth} steps" if level is None else level_said(nodes, level)))
    foot(fig, trace, ("blue" if level is None else "red") + ": a word is added to another; right: additions in that "
         "step" + (f" · in a band, one line of up to {each} is drawn" if each > 1 else "") +
         (f" · {waste} more additions were made whose results nobody uses" if waste else ""))
    return fig
