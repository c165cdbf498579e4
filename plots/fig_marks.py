"""fig_marks.py - how a class did: distribution of the marks of one export of the gradebook.

Reads the grader's CSV export (not a run record): one line a submission, with the columns
`score` and `max` (or `max_score`). Names are never read, let alone shown.
    python fig_marks.py EXPORT.csv"""
import csv
import sys
from pathlib import Path

import numpy as np

import records
import style


def read(path):
    """(scores, maximum, title) of an export; RecordError names file and line."""
    name = records.shown(path)
    try:
        with open(path, encoding="utf-8", newline="") as f:
            lines = [(i, c) for i, c in enumerate(csv.reader(f), 1) if c and not c[0].startswith("#")]
    except OSError as e:
        raise records.RecordError(f"{name}: {e.strerror}") from None
    if not lines:
        raise records.RecordError(f"{name}: empty file")
    heading = [h.strip().lower() for h in lines[0][1]]
    columns = {}
    for want, names in (("score", ("score", "grade", "points")), ("max", ("max", "max_score", "maximum grade"))):
        have = [n for n in names if n in heading]
        if not have:
            raise records.RecordError(f"{name}:{lines[0][0]}: missing column {want}")
        columns[want] = heading.index(have[0])
    scores, maxima = [], set()
    for number, cells in lines[1:]:
        try:
            if cells[columns["score"]].strip() == "":
                continue
            scores.append(float(cells[columns["score"]]))
            maxima.add(float(cells[columns["max"]]))
        except (ValueError, IndexError):
            raise records.RecordError(f"{name}:{number}: score and max should be numbers") from None
    if not scores:
        raise records.RecordError(f"{name}: no marks in it")
    if len(maxima) > 1:
        raise records.RecordError(f"{name}: several maxima ({', '.join(map(str, sorted(maxima)))}): "
                                  "one lab a figure")
    return scores, maxima.pop(), Path(path).stem


def draw(path):
    scores, top, title = read(path)
    fig, ax = style.figure(width=11, height=6)
    fig.subplots_adjust(left=0.08, right=0.97, top=0.88)
    bins = np.linspace(0, top, int(min(top, 20)) + 1)
    ax.hist(np.clip(scores, 0, top), bins=bins, color=style.BLUE, edgecolor=style.PAPER, linewidth=1.5)
    quartiles = np.percentile(scores, (25, 50, 75))
    for q, text, dashes in zip(quartiles, ("lower quarter", "median", "upper quarter"),
                               ((0, (2, 2)), "-", (0, (2, 2)))):
        ax.axvline(q, color=style.INK, linewidth=1.6, linestyle=dashes)
    ax.text(quartiles[1], 1.01, f"median {quartiles[1]:g}", transform=ax.get_xaxis_transform(), ha="center",
            va="bottom", fontweight="bold")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set_xlim(0, top)
    ax.set_xlabel(f"points of {top:g}")
    ax.set_ylabel("submissions")
    fig.suptitle(f"Marks: {title}", x=0.012, ha="left", fontsize=19, fontweight="bold", y=0.985)
    fig.text(0.012, 0.012, f"{len(scores)} submissions · quartiles {quartiles[0]:g}, {quartiles[1]:g}, "
             f"{quartiles[2]:g}", fontsize=10, color=style.GREY, gid="provenance")
    fig.subplots_adjust(bottom=0.16)
    return fig


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fig_marks.py EXPORT.csv")
    try:
        print("\n".join(records.shown(p) for p in style.save(draw(sys.argv[1]), f"marks-{Path(sys.argv[1]).stem}")))
    except records.RecordError as e:
        sys.exit(f"fig_marks.py: {e}")


if __name__ == "__main__":
    main()
