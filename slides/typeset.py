"""typeset.py - runs pdflatex on a deck and refuses one that a lecturer would not show.

    python slides/typeset.py --deck slides/NAME.md FILE.tex OUT.pdf

What runs off a slide (an overfull box beyond TOLERANCE points), a character that the font does
not have, or an error of LaTeX's is printed with deck, line and slide, and OUT.pdf is not
written. deck.tex makes LaTeX say in its log where each slide and each section begins. Then the
pages are read back: words that lie on each other, or across a page's edge, in a figure too, are
printed with the page, and are no PDF either."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from html import unescape
from itertools import combinations
from pathlib import Path

TOLERANCE = 1.0  # points: a third of a millimetre on an A4 sheet's worth of slide
MARK = re.compile(r"^slide at line (\d+)$")
OVERFULL = re.compile(r"^Overfull \\[hv]box \(([\d.]+)pt too (wide|high)\)")
MISSING = re.compile(r"^Missing character: There is no (.+?) in font")
ERROR = re.compile(r"^! (.*)")
Word = namedtuple("Word", "x0 y0 x1 y1 text")
COVERED = 0.3  # of the smaller word's box; a box is as high as the font's highest letters are
BOX = re.compile(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>')
PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.S)


def headings(text):
    """[(line, title)] of a deck's sections and slides; code is not looked at."""
    out, fence = [], None
    for n, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = None if fence else mark[1]
        elif fence is None and (title := re.match(r"#{1,2} (.*)", line)):
            out.append((n, re.sub(r"\s*\{[^{}]*\}\s*$", "", title[1])))
    return out


def slides_of(tex, deck):
    """{line of FILE.tex: (line of the deck, title)}; LaTeX has a slide for each heading, in order."""
    begins = [n for n, line in enumerate(tex.splitlines(), 1) if re.match(r"\\(begin\{frame\}|section\{)", line)]
    heads = headings(deck)
    return dict(zip(begins, heads)) if len(begins) == len(heads) else {}


def problems(log):
    """[(line of FILE.tex where the slide begins, what is wrong)] from LaTeX's log."""
    at, out = 0, []
    for line in log.splitlines():
        if mark := MARK.match(line):
            at = int(mark[1])
        elif (over := OVERFULL.match(line)) and float(over[1]) > TOLERANCE:
            out.append((at, f"{float(over[1]):.1f} pt too {over[2]}: make it shorter, or split it"))
        elif missing := MISSING.match(line):
            out.append((at, f"the font has no {missing[1]}: declare it in slides/deck.tex"))
        elif error := ERROR.match(line):
            out.append((at, f"LaTeX: {error[1]}"))
    return list(dict.fromkeys(out))


def located(found, slides, deck):
    """The messages, each with deck, line and slide."""
    for at, what in found:
        line, title = slides.get(at, (1, "before the first"))
        yield f"{deck}:{line}: slide \"{title}\": {what}"


def pages_of(boxes):
    """[(width, height, [Word])] of what pdftotext -bbox prints."""
    return [(float(w), float(h), [Word(*map(float, b.groups()[:4]), unescape(b[5])) for b in BOX.finditer(inside)])
            for w, h, inside in PAGE.findall(boxes)]


def _shared(a, b):
    """The part of the smaller word that the other one covers."""
    wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    least = min((w.x1 - w.x0) * (w.y1 - w.y0) for w in (a, b))
    return wide * high / least if wide > 0 and high > 0 and least > 0 else 0


def crowded(boxes):
    """Messages of words that cannot be read, page by page."""
    for number, (width, height, words) in enumerate(pages_of(boxes), 1):
        for w in words:
            if w.x0 < -TOLERANCE or w.y0 < -TOLERANCE or w.x1 > width + TOLERANCE or w.y1 > height + TOLERANCE:
                yield f"page {number}: '{w.text}' lies across the edge"
        for a, b in combinations(words, 2):
            if _shared(a, b) > COVERED:
                yield f"page {number}: '{a.text}' and '{b.text}' lie on each other"


def boxes_of(pdf):
    """What pdftotext says of a PDF; nothing where there is no pdftotext (poppler-utils)."""
    if not shutil.which("pdftotext"):
        return ""
    return subprocess.run(["pdftotext", "-bbox", str(pdf), "-"], capture_output=True, text=True, check=True).stdout


def latex(tex, folder):
    """Two runs, the first for the table of contents alone; returns the log of the last. FILE.tex names its
    pictures from the folder that this runs in."""
    command = ["pdflatex", "-interaction=nonstopmode", f"-output-directory={folder}"]
    env = os.environ | {"max_print_line": "10000"}
    try:
        for draft in (["-draftmode"], []):
            done = subprocess.run([*command, *draft, str(tex)], env=env, capture_output=True, timeout=300)
    except FileNotFoundError:
        sys.exit("slides: pdflatex is missing: install texlive-latex-base")
    log = folder / f"{Path(tex).stem}.log"
    if not log.exists():
        sys.exit(f"slides: pdflatex wrote nothing: {done.stdout.decode(errors='replace').strip()[-800:]}")
    return log.read_text(encoding="utf-8", errors="replace")


def main():
    parser = argparse.ArgumentParser(description="runs pdflatex on a deck and checks that every slide holds its text")
    parser.add_argument("--deck", required=True, help="the Markdown that FILE.tex was made from")
    parser.add_argument("--draft", action="store_true", help="name what is wrong, but write OUT.pdf")
    parser.add_argument("tex")
    parser.add_argument("out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path(args.out).parent) as name:
        folder = Path(name)
        found = problems(latex(args.tex, folder))
        slides = slides_of(Path(args.tex).read_text(encoding="utf-8"), Path(args.deck).read_text(encoding="utf-8"))
        for message in located(found, slides, args.deck):
            print(message, file=sys.stderr)
        pdf = folder / f"{Path(args.tex).stem}.pdf"
        for message in crowded(boxes_of(pdf)) if pdf.exists() else ():
            found.append(message)
            print(f"{args.deck}: {message}", file=sys.stderr)
        if not pdf.exists() or (found and not args.draft):
            sys.exit(f"slides: {args.out} was not written")
        shutil.move(pdf, args.out)


if __name__ == "__main__":
    main()
