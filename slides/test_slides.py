"""Decks: references become numbers, what has no record stops the build, claims are checked."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import all_figures
import claims
import diagrams
import expand
import movies
import picture
import records
import refs
import schedule
import style
import synthetic
import typeset

HERE = Path(__file__).resolve().parent
DECKS = sorted(p for p in HERE.glob("*.md") if p.name != "README.md")


@pytest.fixture(scope="module")
def recs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    for machine in ("h200-like", "emulator"):
        synthetic.write(folder / f"{machine}.csv", synthetic.rows(machine))
    return records.load([folder])


@pytest.fixture(scope="module")
def kept():
    return records.load([records.HERE / "records"])


def test_reference_is_the_records_value(recs):
    row = recs.one(machine="h200", variant="reduce3", case="n=2^25")
    assert refs.evaluate(recs, "reduce3.gbps@h200:n=2^25") == row["gbps"]
    assert refs.evaluate(recs, "2 * reduce3.gbps@h200:n=2^25 / reduce3.gbps@h200:n=2^25") == pytest.approx(2)
    assert refs.evaluate(recs, "copy_stride.sectors_per_ld@emulator:stride=8") == 32


def test_published_and_device_figures(recs):
    assert refs.evaluate(recs, "reduce1.ms@g80:published / reduce7_g80.ms@g80:published") == pytest.approx(30.05, 0.01)
    assert refs.evaluate(recs, "peak.sms@h200:device") == 132


@pytest.mark.parametrize("text,words", [
    ("reduce33.gbps@h200:n=2^25", "no record of variant reduce33"),
    ("reduce3.gbps@a100:n=2^25", "no record of reduce3 on a100"),
    ("reduce3.gbps@h200:n=2^26", "no case n=2^26"),
    ("reduce3.wobble@h200:n=2^25", "no column 'wobble'"),
    ("reduce3.flops@h200:n=2^25", "has no flops"),
    ("reduce3.gbps@h200:n=2^25 / 0", "division by zero"),
    ("__import__('os')", "cannot be read"),
    ("(lambda: 1)()", "cannot be read"),
    ("1 if 1 else 2", "cannot be read"),
])
def test_bad_references_say_what(recs, text, words):
    with pytest.raises(refs.RefError) as e:
        refs.evaluate(recs, text)
    assert words in str(e.value)


@pytest.mark.parametrize("value,text", [(0.01234, "0.0123"), (1234.5, "1,234"), (123.4, "123"), (0, "0"), (8.0, "8")])
def test_numbers_read_well(value, text):
    assert refs.number(value) == text


def test_deck_expands(recs, tmp_path):
    deck = ("{{ reduce3.gbps@h200:n=2^25 | ,.0f }} GB/s\n"
            '{{table case="n=2^22" rows=reduce1,reduce2 columns=time_ms@h200,step@h200}}\n')
    text, problems = expand.expand(deck, recs, tmp_path)
    a, b = (recs.one(machine="h200", variant=f"reduce{i}", case="n=2^22").time_ms for i in (1, 2))
    assert not problems
    assert f"{recs.one(machine='h200', variant='reduce3', case='n=2^25')['gbps']:,.0f} GB/s" in text
    assert "| 1 interleaved, divergent |" in text and f"{a / b:.2f}×" in text


def test_a_kernel_beside_the_ladder_is_no_step(recs, tmp_path):
    text, problems = expand.expand('{{table case="n=2^22" rows=reduce6,reduce7_g80,reduce7 columns=step@h200,cumulative@h200}}',
                                   recs, tmp_path)
    six, g80, seven = (recs.one(machine="h200", variant=v, case="n=2^22").time_ms for v in ("reduce6", "reduce7_g80", "reduce7"))
    assert not problems
    assert [[c.strip() for c in line.split("|")[2:4]] for line in text.strip().splitlines()[3:]] == \
        [["", f"{six / g80:.2f}×"], [f"{six / seven:.2f}×"] * 2]


def test_missing_record_stops_with_deck_and_line(recs, tmp_path):
    _, problems = expand.expand("one\n\n{{ reduce3.gbps@h200:n=2^99 }}\n", recs, tmp_path, "x.md")
    assert problems == ["x.md:3: reduce3.gbps@h200:n=2^99: no case n=2^99 of reduce3 on h200 "
                        f"(there are: {', '.join(f'n=2^{p}' for p in range(17, 26))})"]
    _, problems = expand.expand("{{figure nothing}}", recs, tmp_path, "x.md")
    assert "nothing.pdf is not there" in problems[0]


def test_nothing_is_written_for_a_bad_deck(tmp_path):
    (tmp_path / "d.md").write_text("{{ nobody.gbps@h200:n=1 }}\n")
    done = subprocess.run([sys.executable, str(HERE / "expand.py"), str(tmp_path / "d.md"), str(tmp_path / "o.md")],
                          capture_output=True, text=True)
    assert done.returncode and "d.md:1:" in done.stderr and not (tmp_path / "o.md").exists()


def test_false_claim_is_found(recs, tmp_path):
    path = tmp_path / "c.claims"
    path.write_text("# Kernel 1 wins.\nreduce1.gbps@h200:n=2^25 > reduce3.gbps@h200:n=2^25\n\n"
                    "# Kernel 3 wins.\nreduce3.gbps@h200:n=2^25 > reduce1.gbps@h200:n=2^25\n")
    bad = claims.check(path, recs)
    assert [(p, s) for p, s, _ in bad] == [("c.claims:2", "Kernel 1 wins.")]
    assert "does not hold" in bad[0][2] and "[" in bad[0][2]
    path.write_text("reduce1.gbps@h200:n=2^25 > 0\n")
    with pytest.raises(refs.RefError, match="needs its sentence"):
        claims.check(path, recs)


@pytest.mark.parametrize("path", claims.every(), ids=claims.shown)
def test_claims_hold(path, kept):
    """The decks' and handouts' sentences, against the records that are kept."""
    bad = claims.check(path, kept)
    assert not bad, "\n".join(f"{p}: {s}\n    {why}" for p, s, why in bad)


def test_every_deck_and_handout_has_claims():
    labs = {p.parent for p in (HERE.parent / "labs").glob("*/harness.c")}
    assert set(claims.every()) == {d.with_suffix(".claims") for d in DECKS} | {p / claims.HANDOUT for p in labs}


def test_a_claim_quotes_its_handout(recs, tmp_path):
    (tmp_path / "README.md").write_text("Kernel 3\nwins by far.\n")
    path = tmp_path / claims.HANDOUT
    path.write_text("# Kernel 3 wins by far.\nreduce3.gbps@h200:n=2^25 > reduce1.gbps@h200:n=2^25\n")
    assert not claims.check(path, recs)
    path.write_text("# Kernel 3 wins.\nreduce3.gbps@h200:n=2^25 > reduce1.gbps@h200:n=2^25\n")
    assert "does not say so" in claims.check(path, recs)[0][2]


@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_every_reference_has_its_record(deck, kept, tmp_path):
    """All numbers and tables of the deck; figures are taken as drawn."""
    text = deck.read_text(encoding="utf-8")
    for kind, name in re.findall(r"\{\{(figure|frames) ([\w-]+)", text):
        (tmp_path / f"{name}{'-frames' if kind == 'frames' else ''}.pdf").write_bytes(b"%PDF")
    expanded, problems = expand.expand(text, kept, tmp_path, deck.name)
    assert not problems, "\n".join(problems)
    assert not too_wide(expanded)


def too_wide(text):
    """Tables that no slide holds, also where there is no LaTeX to say so: by their letters."""
    wide = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        rows = [[re.sub(r"[`*^~]", "", cell.strip()) for cell in line.strip().strip("|").split("|")]
                for line in table.splitlines()]
        columns = [c for c in zip(*(r for r in rows if not re.fullmatch(r":?-+:?", r[0])))]
        if sum(max(map(len, c)) for c in columns) + 2 * len(columns) > 80:
            wide.append(table)
    return wide


def test_a_table_too_wide_for_a_slide():
    assert not too_wide("| a | b |\n|:--|:--|\n| " + "x" * 38 + " | " + "y" * 38 + " |\n")
    assert too_wide("| a | b |\n|:--|:--|\n| " + "x" * 39 + " | " + "y" * 38 + " |\n")


@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_no_measured_figure_is_typed(deck):
    """A number with a unit of time or rate must come from a reference."""
    text = re.sub(r"\{\{.*?\}\}", "REF", deck.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"::: notes.*?:::", "", text, flags=re.S)
    typed = re.findall(r"\b\d[\d.,]*\s?(?:ms|GB/s|TFLOP/s|TB/s|GFLOP/s)\b", text)
    assert not typed, typed


def slides_of(deck):
    """[(title, text, notes)] of a deck."""
    parts = re.split(r"^## (.*)$", deck.read_text(encoding="utf-8"), flags=re.M)
    return [(title, *body.partition("::: notes")[::2]) for title, body in zip(parts[1::2], parts[2::2])]


RATES = {"time_ms", "cold_ms", "gbps", "gflops", "tflops"}


def two_times(text):
    """What a slide gives a time of with warm caches, and a rate that goes by another time: a reader
    divides the bytes by the one and does not come to the other."""
    found = [(m["field"], (m["variant"], m["machine"], m["case"])) for m in refs.REF.finditer(text)]
    for case, rows, columns in re.findall(r'\{\{table case="([^"]*)" rows=(\S+) columns=([^\s}]+)', text):
        for column in columns.split(","):
            field, _, machine = column.partition("@")
            found += [(field, (variant, machine, case)) for variant in rows.split(",")]
    hot = {run for field, run in found if field == "hot_ms"}
    return sorted({run for field, run in found if field in RATES and run in hot})


@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_a_slides_time_and_rate_are_of_one_run(deck):
    assert not [(title, run) for title, text, _ in slides_of(deck) for run in two_times(text)]


@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_every_slide_has_its_notes(deck):
    assert not [title for title, _, notes in slides_of(deck) if len(notes.split()) < 8]


@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_predictions_come_before_the_experiment(deck):
    """No deck shows a counted or measured figure before it has asked for one, and what it asks on a
    slide does not stand there."""
    slides = slides_of(deck)
    asked = next(i for i, (title, *_) in enumerate(slides) if title.startswith("Predict"))
    for title, text, _ in slides[:asked]:
        assert not re.search(r"(?<!\.flops)@(h200|emulator)(?!:device)|\{\{(figure|frames) (lanes|banks|sectors)", text), title
    for title, text, _ in slides:
        assert not title.startswith("Predict") or "{{" not in text and "?" in text, title


def test_every_lab_has_a_deck():
    labs = {p.parent.name for p in (HERE.parent / "labs").glob("*/harness.c")}
    assert labs <= {p.stem for p in DECKS}


def test_frames_are_pages_one_a_click(recs, tmp_path):
    (tmp_path / "tree-frames.pdf").write_bytes(b"%PDF")
    text, problems = expand.expand("{{frames tree pages=1-2,5 height=60%}}", recs, tmp_path, "x.md")
    assert not problems
    assert re.findall(r"\\includegraphics<(\d)\|handout:(\d)>\[page=(\d)", text) == \
        [("1", "0", "1"), ("2", "0", "2"), ("3", "1", "5")], "the last one is printed"
    assert "height=0.6\\textheight" in text
    for wrong, words in (("pages=2- height=60%", "pages=2- is not like"), ("pages=1 height=6cm", "not a percentage"),
                         ("height=60%", "pages= is not like")):
        assert words in expand.expand(f"{{{{frames tree {wrong}}}}}", recs, tmp_path, "x.md")[1][0]


DECK = """---
title: t
---

# One

## Fits

```sh
# no heading
```

## Does *not*
"""
LOG = """slide at line 9
slide at line 12
Overfull \\vbox (0.9pt too high) detected at line 19
slide at line 20
Overfull \\vbox (5.77pt too high) detected at line 29
Overfull \\hbox (35.08636pt too wide) in alignment at lines 7--14
Missing character: There is no Ж in font ec-qhvr!
"""


def test_overflow_is_named_with_deck_line_and_slide():
    tex = "\n" * 8 + "\\section{One}\n\n\n\\begin{frame}{Fits}\n" + "\n" * 7 + "\\begin{frame}{Does}\n"
    slides = typeset.slides_of(tex, DECK)
    assert slides == {9: (5, "One"), 12: (7, "Fits"), 20: (13, "Does *not*")}
    assert list(typeset.located(typeset.problems(LOG), slides, "x.md")) == [
        'x.md:13: slide "Does *not*": 5.8 pt too high: make it shorter, or split it',
        'x.md:13: slide "Does *not*": 35.1 pt too wide: make it shorter, or split it',
        'x.md:13: slide "Does *not*": the font has no Ж: declare it in slides/deck.tex']


def test_words_on_each_other_or_over_the_edge_are_named():
    boxes = ('<page width="100" height="50">\n<word xMin="1" yMin="1" xMax="20" yMax="9">a&amp;b</word>'
             '<word xMin="10" yMin="2" xMax="30" yMax="10">on</word><word xMin="1" yMin="8" xMax="20" yMax="16">below</word>'
             '</page>\n<page width="100" height="50"><word xMin="90" yMin="1" xMax="104" yMax="9">cut</word></page>')
    assert list(typeset.crowded(boxes)) == ["page 1: 'a&b' and 'on' lie on each other", "page 2: 'cut' lies across the edge"]


@pytest.mark.skipif(not (shutil.which("pdflatex") and shutil.which("pdftotext")), reason="needs LaTeX and pdftotext")
def test_a_deck_with_words_on_each_other_is_not_written(tmp_path):
    deck, tex, out = (tmp_path / f"d.{kind}" for kind in ("md", "tex", "pdf"))
    deck.write_text("## One\n")
    tex.write_text("\\documentclass{article}\\begin{document}\\noindent\\rlap{covered}written\\end{document}\n")
    done = subprocess.run([sys.executable, str(HERE / "typeset.py"), "--deck", str(deck), str(tex), str(out)],
                          capture_output=True, text=True)
    assert done.returncode and not out.exists()
    assert "page 1: 'covered' and 'written' lie on each other" in done.stderr, done.stderr


@pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("pdflatex") and shutil.which("pdftotext")),
                    reason="needs pandoc, LaTeX and pdftotext")
def test_a_slide_has_one_number_in_deck_and_handout(tmp_path):
    """Sections have pages in the deck, and none in the handout."""
    deck, numbers = tmp_path / "d.md", {}
    deck.write_text("".join(f"# Part {s}\n\n## Slide {s}1\n\nwords\n\n## Slide {s}2\n\nwords\n\n" for s in "AB"))
    for kind, more in (("deck", []), ("handout", ["-V", "classoption=handout", "-M", "section-titles=false", "-H", str(HERE / "handout.tex")])):
        tex, pdf = tmp_path / f"{kind}.tex", tmp_path / f"{kind}.pdf"
        subprocess.run(["pandoc", "-s", "-t", "beamer", "--slide-level=2", "-M", "title=Numbered", "--metadata-file",
                        str(HERE / "deck.yaml"), "-H", str(HERE / "deck.tex"), *more, str(deck), "-o", str(tex)], check=True)
        typeset.latex(tex, tmp_path)
        text = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True).stdout
        numbers[kind] = re.findall(r"Slide (\w\d)\b(?:(?!Slide \w).)*?Numbered\s+(\d+)", text, re.S)
    assert numbers["deck"] == numbers["handout"] == [("A1", "3"), ("A2", "4"), ("B1", "6"), ("B2", "7")]


def blank(size, pages, path):
    """A PDF of that many empty pages: what LaTeX needs to know of a figure is its size."""
    box = " ".join(f"{72 * inches:.3f}" for inches in size)
    kids = " ".join(f"{3 + i} 0 R" for i in range(pages))
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {box}]>>"
    out, places = "%PDF-1.4\n", []
    for n, body in enumerate(["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {pages}>>"] + [page] * pages, 1):
        places.append(f"{len(out):010} 00000 n \n")
        out += f"{n} 0 obj{body}endobj\n"
    path.write_text(f"{out}xref\n0 {len(places) + 1}\n0000000000 65535 f \n{''.join(places)}"
                    f"trailer<</Root 1 0 R/Size {len(places) + 1}>>\nstartxref\n{len(out)}\n%%EOF\n")


@pytest.fixture(scope="module")
def blank_figures(kept, tmp_path_factory):
    """Every figure of the decks, of its size; their words are looked at in plots/test_figures.py,
    and what lays them out, which takes most of the time, is left out here."""
    with pytest.MonkeyPatch.context() as patch:
        for layout in ("fit", "label_ends", "name_points"):
            patch.setattr(style, layout, lambda *args, **kw: None)
        return draw_blank(kept, tmp_path_factory.mktemp("figures"))


def draw_blank(kept, folder):
    figures = [f for module in all_figures.modules() for f in module.figures(kept)]
    figures += [(name, draw()) for name, draw in diagrams.DIAGRAMS.items()] + [("schedule-two-sm", schedule.draw())]
    moving = [("schedule-two-sm", next(schedule.movie()))]
    for k in picture.every_kept():
        parts = picture.kept_parts(k)
        figures += [(f"{kind}-{k.lab}-{k.variant}", picture.draw(kind, k.variant, parts)) for kind in k.kinds]
        moving += [(f"{kind}-{k.lab}-{k.variant}", next(movies.frames(kind, *picture.subject(kind, k.variant, parts))))
                   for kind in k.moving]
    for name, fig in figures:
        blank(fig.get_size_inches(), 1, folder / f"{name}.pdf")
    for name, fig in moving:
        blank(fig.get_size_inches(), 40, folder / f"{name}-frames.pdf")
    return folder


@pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("pdflatex")), reason="needs pandoc and LaTeX")
@pytest.mark.parametrize("deck", DECKS, ids=lambda p: p.stem)
def test_every_slide_of_every_deck_holds_its_text(deck, kept, blank_figures, tmp_path):
    text, problems = expand.expand(deck.read_text(encoding="utf-8"), kept, blank_figures, deck.name)
    assert not problems
    (tmp_path / deck.name).write_text(text, encoding="utf-8")
    tex, out = tmp_path / "d.tex", tmp_path / "d.pdf"
    subprocess.run(["pandoc", "-s", "-f", "markdown", "-t", "beamer", "--slide-level=2", "--columns=400", "-V",
                    "classoption=handout", "--metadata-file", str(HERE / "deck.yaml"), "-H", str(HERE / "deck.tex"), str(tmp_path / deck.name), "-o", str(tex)], check=True)
    done = subprocess.run([sys.executable, str(HERE / "typeset.py"), "--deck", str(deck), str(tex), str(out)],
                          capture_output=True, text=True)
    assert done.returncode == 0 and out.exists(), done.stderr


@pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("pdflatex")), reason="needs pandoc and LaTeX")
@pytest.mark.parametrize("body,words", [
    ("text\n", None), ("a  \n" * 30, "too high"), ("| a |\n|:--|\n| " + "long " * 30 + "|\n", "too wide"),
    ("Ж", "Ж"), ("\\nonsense", "Undefined control sequence")])
def test_deck_that_overflows_is_not_written(tmp_path, body, words):
    deck, tex, out = (tmp_path / f"d.{kind}" for kind in ("md", "tex", "pdf"))
    deck.write_text(f"# Part\n\n## Good\n\nshort\n\n## Bad *one*\n\n{body}\n")
    subprocess.run(["pandoc", "-s", "-t", "beamer", "--slide-level=2", "--columns=400", "-M", "title=t",
                    "--metadata-file", str(HERE / "deck.yaml"), "-H", str(HERE / "deck.tex"), str(deck), "-o", str(tex)], check=True)
    done = subprocess.run([sys.executable, str(HERE / "typeset.py"), "--deck", str(deck), str(tex), str(out)],
                          capture_output=True, text=True)
    assert out.exists() == (words is None) == (done.returncode == 0), done.stderr
    if words:
        line = done.stderr.splitlines()[0]
        assert line.startswith(f"{deck}:7: slide \"Bad *one*\": ") and words in line
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["d.md", "d.tex"] + ["d.pdf"] * (not words))
