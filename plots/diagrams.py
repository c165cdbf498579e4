"""diagrams.py - what threads and blocks share, drawn to scale of a small example.

Interface:
    DIAGRAMS     {name: function that draws it}
    fetched(…)   who brings each word of a strip;  holder(…) which lane holds an element

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


DIAGRAMS = {"matmul-tiles": tiles, "matmul-fetch": fetch, "tensor-fragment": fragment, "conv1d-halo": halo}
