"""Handouts are of one style, and ask for what they have not shown."""
import re
from pathlib import Path

import pytest

import refs
from refs import records

LABS = sorted(p.parent for p in (records.ROOT / "labs").glob("*/harness.c"))
SECTIONS = ["The idea", "The task", "Before you run", "Hints", "After the run", "Questions", "With plain nvcc", "Read on"]
each = pytest.mark.parametrize("lab", LABS, ids=lambda p: p.name)


def handout(lab):
    return (lab / "README.md").read_text(encoding="utf-8")


def section(lab, name):
    return re.split(r"^## ", handout(lab).partition(f"\n## {name}\n")[2], flags=re.M)[0]


@each
def test_handouts_have_the_same_parts_in_the_same_order(lab):
    text = handout(lab)
    assert re.findall(r"^## (.*)$", text, re.M) == SECTIONS
    assert re.match(r"# [A-Z][^\n:]*: [a-z][^\n]*\n", text), "a title and what it is about"
    assert f"\n**You edit** `{lab.name}.cu`. **You need** " in text
    assert re.match(r"`predict.txt`, `key = number`", section(lab, "Before you run"))
    assert re.search(r"^1\. ", section(lab, "Questions"), re.M)


@each
def test_paragraphs_are_lines(lab):
    """No paragraph is broken by hand: what stands under a line of prose is a line of its own kind."""
    prose = re.sub(r"^```.*?^```", "", handout(lab), flags=re.M | re.S)
    lines = prose.split("\n")
    broken = [b for a, b in zip(lines, lines[1:]) if re.match(r"[A-Za-z0-9*`(]", a) and re.match(r"[A-Za-z*`(]", b)]
    assert not broken


@each
def test_every_prediction_is_asked_for(lab):
    rows = re.search(r"lab_prediction predictions\[\] = \{(.*?)^\};", (lab / "harness.c").read_text(), re.M | re.S)[1]
    keys = re.findall(r"^ *\{\"(\w+)\"", rows, re.M)
    table = [line.split("|")[1] for line in section(lab, "Before you run").splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(table))) == sorted(keys)


@each
def test_no_picture_comes_before_the_run(lab):
    """Pictures of runs have counts in their titles."""
    text = handout(lab)
    shown = [m.start() for m in re.finditer("plots/figures/", text)]
    after = text.index("\n## After the run\n")
    assert all(at > after for at in shown)
    folded = section(lab, "After the run")
    assert not shown or folded.index("<details>") < folded.index("plots/figures/") < folded.index("</details>")


def answers(lab):
    return (records.ROOT / "grading" / "answers" / f"{lab.name}.md").read_text(encoding="utf-8")


@each
def test_every_question_is_answered(lab):
    asked = re.findall(r"^(\d+)\. ", section(lab, "Questions"), re.M)
    assert re.findall(r"^(\d+)\. ", answers(lab).partition("\n## Questions\n")[2], re.M) == asked


@each
def test_predictions_are_answered_from_the_records(lab):
    kept = records.load([records.HERE / "records"])
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| `(.*)` \|$", answers(lab), re.M)
    asked = re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in section(lab, "Before you run").splitlines()
                                           if line.startswith("| `")))
    assert sorted(key for key, *_ in rows) == sorted(asked)
    for key, value, reference in rows:
        assert float(value) == pytest.approx(refs.evaluate(kept, reference), rel=0.01), key
