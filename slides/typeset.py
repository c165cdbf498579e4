"""typeset.py - runs pdflatex on a deck and refuses one that a lecturer would not show.

    python slides/typeset.py --deck slides/NAME.md FILE.tex OUT.pdf

What runs off a slide (an overfull box beyond TOLERANCE points), a character that the font does
not have, or an error of LaTeX's is printed with deck, line and slide, and OUT.pdf is not
written. deck.tex makes LaTeX say in its log where each slide and each section begins."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 1.0  # points: a third of a millimetre on an A4 sheet's worth of slide
MARK = re.compile(r"^slide at line (\d+)$")
OVERFULL = re.compile(r"^Overfull \\[hv]box \(([\d.]+)pt too (wide|high)\)")
MISSING = re.compile(r"^Missing character: There is no (.+?) in font")
ERROR = re.compile(r"^! (.*)")


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


def latex(tex, folder):
    """Two runs, for the table of contents; returns the log of the last. FILE.tex names its
    pictures from the folder that this runs in."""
    command = ["pdflatex", "-interaction=nonstopmode", f"-output-directory={folder}", str(tex)]
    env = os.environ | {"max_print_line": "10000"}
    try:
        for _ in range(2):
            done = subprocess.run(command, env=env, capture_output=True, timeout=300)
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
        if not pdf.exists() or (found and not args.draft):
            sys.exit(f"slides: {args.out} was not written")
        shutil.move(pdf, args.out)


if __name__ == "__main__":
    main()
