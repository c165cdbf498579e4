"""schedule.py - how a grid's blocks are given to SMs, by what a block needs and an SM has.

Interface:
    simulate(sm, sms, block, count, …)   [Event]: a block starts or ends on an SM
    frames(…)                            the state after each of the first events
    draw(…), movie(…)                    the pictures; schedule-two-sm is the lecture's example:
                                         1000 blocks of 128 threads and 520 bytes on two SMs
                                         with room for 12 warps and 1.5 KB each

A block goes to the SM with the most room, the lowest number among equals; it stays until it
ends. How long blocks take is not known to the scheduler; here it varies by a fixed pseudo-random
rule, so that the picture is the same every time. It is computed, not measured."""
import heapq
from collections import namedtuple

from matplotlib.patches import Rectangle

import style

Needs = namedtuple("Needs", "warps shared")          # of a block, and of an SM what it has
Event = namedtuple("Event", "time what block sm slot")

TWO_SM = Needs(warps=12, shared=1536)
CONVOLVE = Needs(warps=4, shared=520)


def fits(sm, block):
    """(blocks an SM holds at once, what runs out first)."""
    by = {"warps": sm.warps // block.warps, "shared memory": sm.shared // block.shared if block.shared else 10**9}
    least = min(by.values())
    return least, next(k for k, v in by.items() if v == least)


def duration(block):
    """Between 9 and 15 units, from the block's number alone."""
    return 9 + (block * 2654435761 >> 7) % 61 / 10


def simulate(sm, sms, block, count):
    """Starts and ends of all blocks, in order of time."""
    slots, _ = fits(sm, block)
    free = [list(range(slots)) for _ in range(sms)]
    running, out, time = [], [], 0.0
    for number in range(count):
        if not any(free):
            time, ended, where, slot = heapq.heappop(running)
            free[where].append(slot)
            free[where].sort()
            out.append(Event(time, "end", ended, where, slot))
        where = max(range(sms), key=lambda s: (len(free[s]), -s))
        slot = free[where].pop(0)
        out.append(Event(time, "start", number, where, slot))
        heapq.heappush(running, (time + duration(number), number, where, slot))
    while running:
        time, ended, where, slot = heapq.heappop(running)
        out.append(Event(time, "end", ended, where, slot))
    return out


def frames(events, sms):
    """[(event, {(sm, slot): block}, next block)] after each event, beginning with an empty device."""
    state, waiting, out = {}, 0, [(None, {}, 0)]
    for e in events:
        if e.what == "start":
            state = state | {(e.sm, e.slot): e.block}
            waiting = e.block + 1
        else:
            state = {k: b for k, b in state.items() if b != e.block}
        out.append((e, state, waiting))
    return out


def _says(event, state, count, slots, sms):
    if event is None:
        return f"The kernel arrives: {count} blocks"
    if event.what == "start":
        full = len(state) == slots * sms
        return f"Block {event.block} goes to SM {event.sm}" + (": both are full" if full else "")
    return f"Block {event.block} is done: room on SM {event.sm}"


def _bar(ax, x, y, width, height, used, total, parts, label):
    ax.add_patch(Rectangle((x, y), width, height, facecolor="#eef1f4", edgecolor=style.GREY, linewidth=1))
    for slot, (number, need) in parts.items():
        left = x + width * slot * need / total
        colour = (style.BLUE, style.ORANGE, style.GREEN)[slot % 3]
        ax.add_patch(Rectangle((left, y), width * need / total, height, facecolor=colour,
                               edgecolor=style.PAPER, linewidth=1.5))
        ax.text(left + width * need / total / 2, y + height / 2, str(number), ha="center", va="center",
                fontsize=13, fontweight="bold", color=style.PAPER if slot != 1 else style.INK)
    ax.text(x, y + height + 0.02, f"{label}: {used:,} of {total:,}", fontsize=8, color=style.GREY, va="bottom")


def panel(ax, frame, sm, block, sms, count, number):
    """One state of the device: a box for each SM, with its warps and its shared memory."""
    event, state, waiting = frame
    slots, _ = fits(sm, block)
    ax.set_xlim(0, sms)
    ax.set_ylim(0, 1.42)
    ax.set_axis_off()
    ax.text(0.0, 1.36, f"{number}. {_says(event, state, count, slots, sms)}", fontsize=12, fontweight="bold", va="top")
    ax.text(0.0, 1.16, f"next: block {waiting}" if waiting < count else "no block waits", fontsize=10,
            color=style.GREY, va="top")
    for s in range(sms):
        mine = {slot: b for (where, slot), b in state.items() if where == s}
        ax.add_patch(Rectangle((s + 0.02, 0.02), 0.94, 0.98, facecolor=style.PAPER, edgecolor=style.INK, linewidth=1.4))
        ax.text(s + 0.06, 0.96, f"SM {s}", fontsize=11, fontweight="bold", va="top")
        _bar(ax, s + 0.07, 0.5, 0.84, 0.22, len(mine) * block.warps, sm.warps,
             {k: (b, block.warps) for k, b in mine.items()}, "warps")
        _bar(ax, s + 0.07, 0.1, 0.84, 0.22, len(mine) * block.shared, sm.shared,
             {k: (b, block.shared) for k, b in mine.items()}, "shared")


def _foot(fig, sm, block, count, size=10, sep=" "):
    held, limit = fits(sm, block)
    fig.text(0.012, 0.012, f"computed from resource needs: {count:,} blocks of {block.warps} warps and {block.shared} "
             f"bytes;{sep}an SM has {sm.warps} warps and {sm.shared:,} bytes, so {held} blocks fit: {limit} runs out "
             "first",
             fontsize=size, color=style.GREY, gid="provenance")


SHOWN = (0, 1, 4, 5, 6, 8)  # frames of the still picture: empty, first, full, one ends, …


def draw(sm=TWO_SM, sms=2, block=CONVOLVE, count=1000, shown=SHOWN):
    all_frames = frames(simulate(sm, sms, block, count), sms)
    fig, axes = style.figure(ncols=3, nrows=2, width=14, height=7.4)
    fig.subplots_adjust(left=0.012, right=0.99, top=0.9, bottom=0.07, wspace=0.08, hspace=0.12)
    for i, (ax, which) in enumerate(zip(axes.flat, shown), 1):
        panel(ax, all_frames[which], sm, block, sms, count, i)
    fig.suptitle(f"{count:,} blocks on {sms} SMs", x=0.012, ha="left", fontsize=19, fontweight="bold", y=0.985)
    _foot(fig, sm, block, count)
    return fig


def movie(sm=TWO_SM, sms=2, block=CONVOLVE, count=1000, length=18):
    """The first frames, a figure each, for style.animate."""
    for i, frame in enumerate(frames(simulate(sm, sms, block, count), sms)[:length], 1):
        fig, ax = style.figure(width=8, height=4.6)
        fig.subplots_adjust(left=0.02, right=0.98, top=0.97, bottom=0.12)
        panel(ax, frame, sm, block, sms, count, i)
        _foot(fig, sm, block, count, 8, "\n")
        yield fig
