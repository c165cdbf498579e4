"""diagrams.py - what threads and blocks share, drawn to scale of a small example.

Interface:
    DIAGRAMS     {name: function that draws it}
    fetched(…)   who brings each word of a strip;  holder(…) which lane holds an element
    levels(…), longest_chain(…)  of a tree;  steps(…), by_processors(…)  of Brent's graph

Nothing here is measured or counted: all of it follows from the sizes that the foot line states,
by the same expressions as the kernels'. mma's fragments are those of the PTX ISA (mma.m16n8k16).
"""
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

import style

L, S, V = 8, 4, 2          # a block's tile, a strip's depth, a thread's outputs each way
SIDE = L // V              # threads a side of the block
THREADS = SIDE * SIDE
BLOCK, WIDTH = 12, 6       # of the convolution
BRINGS, USES, MAKES = style.ORANGE, style.BLUE, style.GREEN


def pale(colour, share=0.3):
    """The colour on paper, so that ink can be read on it."""
    return tuple(1 - share * (1 - c) for c in to_rgb(colour))


def page(title, foot, width=13, height=6.6):
    fig = style.plt.figure(figsize=(style.SCALE * width, style.SCALE * height))
    fig.suptitle(title, x=0.012, ha="left", fontsize=19, fontweight="bold", y=0.985)
    fig.text(0.012, 0.012, f"an example, computed from its sizes: {foot}", fontsize=10, color=style.GREY, va="bottom",
             gid="provenance")
    return fig


def board(fig, box, columns, rows):
    """Axes in which a word is a square of side 1, row 0 on top."""
    ax = fig.add_axes(box)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    ax.set_axis_off()
    return ax


def cells(ax, x, y, columns, rows, colour=style.PAPER, edge=style.PALE):
    for j in range(rows):
        for i in range(columns):
            ax.add_patch(Rectangle((x + i, y + j), 1, 1, facecolor=colour, edgecolor=edge, linewidth=0.8))


def framed(ax, x, y, columns, rows, colour, width=2.4):
    ax.add_patch(Rectangle((x, y), columns, rows, facecolor="none", edgecolor=colour, linewidth=width, zorder=4))


def say(ax, x, y, text, colour=style.INK, size=12, **kw):
    ax.text(x, y, text, color=colour, fontsize=size, ha=kw.pop("ha", "center"), va=kw.pop("va", "center"), zorder=5, **kw)


# ---- matrix product ----

def tiles():
    """A block's tile of c, the two strips it is made from, a thread's part."""
    n, gap = 2 * L, 1.5
    fig = page("A block's tile, and the strips that it brings",
               f"tiles of {L} × {L}, strips {S} deep, {SIDE} × {SIDE} threads with {V} × {V} outputs each")
    ax = board(fig, (0.005, 0.07, 0.5, 0.84), 2 * n + gap + 1, 2 * n + gap + 1)
    a, b, c = (0, n + gap), (n + gap, 0), (n + gap, n + gap)
    for x, y in (a, b, c):
        cells(ax, x, y, n, n)
    cells(ax, c[0] + L, c[1], L, L, pale(MAKES), style.PAPER)
    cells(ax, a[0] + S, a[1], S, L, pale(BRINGS, 0.45), style.PAPER)
    cells(ax, b[0] + L, b[1] + S, L, S, pale(BRINGS, 0.45), style.PAPER)
    tx, ty = 2, 1
    cells(ax, c[0] + L + V * tx, c[1] + V * ty, V, V, MAKES, style.PAPER)
    cells(ax, a[0] + S, a[1] + V * ty, S, V, USES, style.PAPER)
    cells(ax, b[0] + L + V * tx, b[1] + S, V, S, USES, style.PAPER)
    framed(ax, c[0] + L, c[1], L, L, MAKES)
    framed(ax, a[0] + S, a[1], S, L, BRINGS)
    framed(ax, b[0] + L, b[1] + S, L, S, BRINGS)
    for (x, y), name in ((a, "a"), (b, "b"), (c, "c")):
        say(ax, x + 1.2, y + n - 1.3, name, size=17, fontweight="bold")
    for y, text, colour in (
            (0.86, f"the block makes L × L = {L * L} outputs", MAKES),
            (0.74, f"each of its {THREADS} threads V × V = {V * V} of them", MAKES),
            (0.60, f"for S = {S} steps it brings L × S = {L * S} words of a\nand as many of b, once, to shared memory", BRINGS),
            (0.44, f"a thread reads V × S = {V * S} of each from there\nand uses each V = {V} times", USES),
            (0.28, f"so a word from global memory serves L = {L} sums,\none from shared memory V = {V}", style.INK)):
        fig.text(0.52, y, text, fontsize=12.5, color=colour, va="center", linespacing=1.5,
                 fontweight="bold" if colour != style.INK else "normal")
    return fig


def fetched(word):
    """(thread, round) that brings a strip's word, as `for (j = tid; j < L * S; j += T)` deals them."""
    return word % THREADS, word // THREADS


def fetch():
    """The strip of b twice: who brings a word, and which column of threads uses it."""
    fig = page("Cooperative fetching: who brings a word need not use it",
               f"a strip of b, S × L = {S} × {L} words, {THREADS} threads; thread = {SIDE} · threadIdx.y + threadIdx.x", height=5.4)
    left, right = (board(fig, (x, 0.2, 0.46, 0.52), L, S) for x in (0.02, 0.52))
    for word in range(L * S):
        y, x = divmod(word, L)
        thread, turn = fetched(word)
        left.add_patch(Rectangle((x, y), 1, 1, facecolor=pale(BRINGS, 0.25 + 0.35 * turn), edgecolor=style.PAPER, linewidth=2))
        say(left, x + 0.5, y + 0.5, str(thread), size=15)
        right.add_patch(Rectangle((x, y), 1, 1, facecolor=pale(USES, 0.18 + 0.16 * (x // V)), edgecolor=style.PAPER, linewidth=2))
        say(right, x + 0.5, y + 0.5, f"x = {x // V}", size=12)
    left.set_title(f"brought: thread t takes words t, t + {THREADS}, …: \nround 0 pale, round 1 dark",
                   fontsize=11.5, loc="left")
    right.set_title(f"used: threads with threadIdx.x = x, in every row\nof the block, take V = {V} columns", fontsize=11.5,
                    loc="left")
    fig.text(0.02, 0.1, "Memory likes neighbours next to neighbours; the product likes each word near those that multiply it. "
             "A barrier stands between.", fontsize=12)
    return fig


def holder(matrix, row, column):
    """The lane that holds an element of mma.m16n8k16's fragments, 16-bit inputs and 32-bit sums
    (PTX ISA, Matrix Fragments for mma.m16n8k16)."""
    if matrix == "b":
        return column * 4 + row % 8 // 2
    return row % 8 * 4 + column % 8 // 2


def fragment():
    """Which lane holds which element of one tensor-core instruction's matrices."""
    fig = page("One tensor-core instruction: which lane holds which element",
               "mma.m16n8k16, halves in, floats out: 16 × 8 × 16 multiply-adds of one warp; layout of the PTX ISA", height=7.6)
    colours = style.plt.get_cmap("cividis")(np.linspace(0.12, 0.98, 8))
    shapes = (("a", 16, 16, (0.01, 0.06, 0.44, 0.72)), ("b", 16, 8, (0.46, 0.06, 0.25, 0.72)), ("c", 16, 8, (0.73, 0.06, 0.25, 0.72)))
    for name, rows, columns, box in shapes:
        ax = board(fig, box, columns, rows)
        for y in range(rows):
            for x in range(columns):
                lane = holder(name, y, x)
                ax.add_patch(Rectangle((x, y), 1, 1, facecolor=colours[lane // 4], edgecolor=style.PAPER, linewidth=1))
                say(ax, x + 0.5, y + 0.5, str(lane), style.PAPER if lane // 4 < 4 else style.INK, 8.5)
                if lane == 6:
                    framed(ax, x + 0.04, y + 0.04, 0.92, 0.92, style.RED, 2)
        each = rows * columns // 32
        ax.set_title(f"{name}: {rows} × {columns}, {each} a lane", fontsize=13, pad=6)
    fig.text(0.012, 0.865, "A number is the lane that holds the element; lane 6's are framed. No lane has a row of a and a column of b "
             "of its own:\nthe instruction moves the words between them, which is why a warp issues it as one.",
             fontsize=12, va="center", linespacing=1.4)
    return fig


# ---- convolution ----

def halo():
    """A block's inputs, who brings each, and the window of one output."""
    words = BLOCK + WIDTH - 1
    fig = page("A block's inputs and its halo", f"a block of {BLOCK} threads, width {WIDTH}", height=5.6)
    ax = board(fig, (0.14, 0.14, 0.84, 0.74), words, 7.6)
    for x in range(words):
        own = x < BLOCK
        ax.add_patch(Rectangle((x, 1), 1, 1, facecolor=pale(USES if own else BRINGS, 0.4), edgecolor=style.PAPER, linewidth=2))
        say(ax, x + 0.5, 1.5, f"t{x % BLOCK}", size=12)
        say(ax, x + 0.5, 3.9, str(x), size=12)
        ax.add_patch(Rectangle((x, 3.4), 1, 1, facecolor="none", edgecolor=style.GREY, linewidth=1))
        if own:
            ax.add_patch(Rectangle((x, 6.2), 1, 1, facecolor=pale(MAKES, 0.75 if x == 4 else 0.3), edgecolor=style.PAPER, linewidth=2))
            say(ax, x + 0.5, 6.7, f"t{x}", size=12)
        else:
            say(ax, x + 0.5, 0.6, "halo", BRINGS, 10)
        ax.annotate("", (x + 0.5, 3.35), (x + 0.5, 2.05), arrowprops={"arrowstyle": "->", "color": style.GREY, "linewidth": 1})
    framed(ax, 4, 3.4, WIDTH, 1, MAKES)
    for x in range(4, 4 + WIDTH):
        ax.plot([x + 0.5, 4.5], [4.45, 6.15], color=MAKES, linewidth=1.2, marker="")
    for y, text in ((1.5, "brought by"), (3.9, "shared memory"), (6.7, "output of")):
        ax.text(-0.25, y, text, fontsize=12, ha="right", va="center")
    say(ax, words / 2, 2.75, f"each word once: {BLOCK} + {WIDTH} − 1 = {words} loads instead of {BLOCK} · {WIDTH} = {BLOCK * WIDTH}",
        size=12, bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 2})
    say(ax, 8.6, 5.4, "a barrier; then each thread reads its window", MAKES, 12, ha="left")
    return fig


# ---- reduction ----

def levels(count, degree):
    """Values that there are before each round of a tree and after the last: 16, 4, 1."""
    sizes = [count]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // degree))
    return sizes


def longest_chain(count, degree):
    """Additions behind one another: each round's fullest value has its children less one."""
    sizes = levels(count, degree)
    return sum(min(degree, -(-have // left)) - 1 for have, left in zip(sizes, sizes[1:]))


def degrees():
    """Trees of degree 2, 4 and 8 over the same values."""
    count = 16
    fig = page("The same sum in trees of degree 2, 4 and 8", f"{count} values; degree d: a thread adds d values in a round", height=5.6)
    for i, degree in enumerate((2, 4, 8)):
        sizes = levels(count, degree)
        ax = fig.add_axes((0.02 + 0.33 * i, 0.1, 0.3, 0.66))
        ax.set(xlim=(-0.5, count - 0.5), ylim=(4.5, -0.5))
        ax.set_axis_off()
        places = list(range(count))
        for depth, left in enumerate(sizes[1:], 1):
            above, places = places, [sum(places[t * degree:(t + 1) * degree]) / len(places[t * degree:(t + 1) * degree])
                                     for t in range(left)]
            for j, x in enumerate(above):
                ax.plot([x, places[j // degree]], [depth - 1, depth], color=style.GREY, linewidth=1.2, marker="", zorder=1)
            ax.plot(places, [depth] * left, linestyle="", marker="o", color=MAKES, markersize=9, zorder=2)
        ax.plot(range(count), [0] * count, linestyle="", marker="s", color=USES, markersize=7, zorder=2)
        rounds, chain = len(sizes) - 1, longest_chain(count, degree)
        ax.set_title(f"degree {degree}: {rounds} rounds,\n{chain} additions in a chain", fontsize=13, pad=4)
    return fig


# Brent's theorem: operations and those that each waits for. Ten of them, six steps deep and at most
# three side by side, as in the lecture's example.
OPERATIONS = {"a": "", "b": "a", "c": "a", "d": "b", "e": "bc", "f": "c", "g": "de", "h": "ef", "i": "gh", "j": "i"}


def steps(operations):
    """{operation: step in which it can be done at the earliest, from 1}."""
    done = {}
    while len(done) < len(operations):
        for name, needs in operations.items():
            if name not in done and all(n in done for n in needs):
                done[name] = 1 + max((done[n] for n in needs), default=0)
    return done


def by_processors(operations, p):
    """The steps that p processors take, each of them a list of at most p operations: a step's
    operations are done before the next one's begin, as in the theorem's proof."""
    at = steps(operations)
    taken = []
    for step in range(1, max(at.values()) + 1):
        own = [name for name in operations if at[name] == step]
        taken += [own[i:i + p] for i in range(0, len(own), p)]
    return taken


def brent():
    """The graph, and who does what when with one, two and three processors."""
    at = steps(OPERATIONS)
    work, depth = len(at), max(at.values())
    fig = page(f"Work {work}, depth {depth}: what p processors make of it",
               f"{work} operations, an arrow where one waits for another; bound: t + (W − t) / p", height=6.2)
    ax = board(fig, (0.01, 0.07, 0.36, 0.82), 7, depth + 0.4)
    place = {}
    for step in range(1, depth + 1):
        own = [name for name in OPERATIONS if at[name] == step]
        for i, name in enumerate(own):
            place[name] = (3.5 + 2 * (i - (len(own) - 1) / 2), step - 0.4)
        say(ax, 0, step - 0.4, str(step), style.GREY, 12)
    for name, needs in OPERATIONS.items():
        for need in needs:
            ax.annotate("", place[name], place[need], arrowprops={"arrowstyle": "->", "color": style.GREY, "linewidth": 1.4,
                                                                  "shrinkA": 13, "shrinkB": 13})
    for name, (x, y) in place.items():
        ax.plot([x], [y], marker="o", markersize=23, color=pale(USES, 0.4), markeredgecolor=USES)
        say(ax, x, y, name, size=14)
    top = 0.84
    for p in (1, 2, 3):
        taken = by_processors(OPERATIONS, p)
        ax = board(fig, (0.4, top - 0.05 - 0.072 * p, 0.58, 0.072 * p), work, p)
        for t, own in enumerate(taken):
            for lane in range(p):
                busy = lane < len(own)
                ax.add_patch(Rectangle((t, lane), 1, 1, facecolor=pale(MAKES, 0.5) if busy else style.PAPER,
                                       edgecolor=style.PALE, linewidth=1))
                if busy:
                    say(ax, t + 0.5, lane + 0.5, own[lane], size=12)
        bound = depth + (work - depth) / p
        fig.text(0.4, top - 0.03, f"p = {p}: {len(taken)} steps; at most {depth} + {work - depth} / {p} = {bound:.3g}",
                 fontsize=12.5, va="center")
        top -= 0.072 * p + 0.11
    return fig


def of_use(lane, distance):
    """Does what the lane adds at that distance reach s[0]?"""
    return lane < distance


def last_warp():
    """The last six rounds: in each the lanes whose sum is of use, and those that nobody needs."""
    lanes, distances = 32, (32, 16, 8, 4, 2, 1)
    fig = page("The last warp: who adds what anybody needs", "s[lane] += s[lane + d] by 32 lanes, d = 32 … 1", height=5.6)
    ax = board(fig, (0.1, 0.16, 0.88, 0.7), lanes, 2 * len(distances))
    for y, distance in enumerate(distances):
        for lane in range(lanes):
            useful = of_use(lane, distance)
            ax.add_patch(Rectangle((lane, 2 * y), 1, 1.5, facecolor=pale(MAKES, 0.6) if useful else pale(BRINGS, 0.18),
                                   edgecolor=style.PAPER, linewidth=1.5))
            say(ax, lane + 0.5, 2 * y + 0.75, str(lane + distance), style.INK if useful else style.GREY, 8.5)
        ax.text(-0.3, 2 * y + 0.75, f"d = {distance}", fontsize=12, ha="right", va="center")
        say(ax, lanes + 0.1, 2 * y + 0.75, "", size=1)
    for lane in (0, 8, 16, 24, 31):
        say(ax, lane + 0.5, -0.45, f"lane {lane}", style.GREY, 10)
    fig.text(0.1, 0.095, "In a cell: the word that the lane adds to its own. Green: the sum is needed. Pale: nobody needs it, and in 2008 "
             "it was\nmade all the same, over a word that others had read just before: all read first, then all write.",
             fontsize=11.5, va="center", linespacing=1.4)
    return fig


DIAGRAMS = {"matmul-tiles": tiles, "matmul-fetch": fetch, "tensor-fragment": fragment, "conv1d-halo": halo,
            "tree-degrees": degrees, "brent-graph": brent, "last-warp": last_warp}
