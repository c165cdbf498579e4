"""The table of the lectures' topics in labs/README.md: what it names is there."""
import re

import pytest

from refs import records

TABLE = (records.ROOT / "labs" / "README.md").read_text(encoding="utf-8").partition("| lecture | topic, figure or exercise | where |")[2]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines()[2:] if line.startswith("|")]
PLACES = [place for _, _, where in ROWS for place in where.split("; ")]


def headings(deck):
    text = (records.ROOT / "slides" / f"{deck}.md").read_text(encoding="utf-8")
    return re.findall(r"^##? (.*)$", text, re.M)


@pytest.fixture(scope="module")
def kernels():
    """{lab: {number or name of a kernel}}, as its harness says."""
    found = {}
    for path in (records.ROOT / "labs").glob("*/harness.c"):
        words = re.search(r"lab_variant variants\[\] = \{(.*?)^\};", path.read_text(encoding="utf-8"), re.M | re.S)[1]
        found[path.parent.name] = set(re.findall(r'"(\w+)"', words))
    return found


def test_rows_have_three_cells():
    assert len(ROWS) > 25 and all(len(row) == 3 for row in ROWS)


def test_every_lecture_is_there():
    assert {lecture for row in ROWS for lecture in row[0].split(", ")} == set("RAOC")


@pytest.mark.parametrize("place", [p for p in PLACES if p.startswith("deck ")])
def test_a_decks_section_is_there(place):
    """"deck NAME, *Section* and *Section*"; a section's first words are enough."""
    decks = re.match(r"deck (?:and lab )?(\w+)", place)
    known = headings(decks[1])
    named = re.findall(r"\*([^*]+)\*", place)
    for section in named:
        assert [h for h in known if h.startswith(section)], f"{decks[1]}.md has no section {section}"


@pytest.mark.parametrize("place", [p for p in PLACES if re.search(r"\blab \w", p)])
def test_a_labs_kernels_are_there(place, kernels):
    """"lab NAME, kernels 1 to 4 and 7", "step 8", "`bank_once`"."""
    name = re.search(r"\blab (\w+)", place)[1]
    rest = re.sub(r"\*[^*]+\*", "", place.partition(f"lab {name}")[2])
    assert name in kernels
    handout = (records.ROOT / "labs" / name / "README.md").read_text(encoding="utf-8")
    if not place.startswith("deck "):
        for section in re.findall(r"\*([^*]+)\*", place):
            assert f"\n## {section}\n" in handout, f"lab {name}'s handout has no section {section}"
    for kernel in re.findall(r"`(\w+)`", rest) + re.findall(r"\b\d+\b", rest):
        assert kernel in kernels[name], f"lab {name} has no {kernel}"


def test_every_topic_has_its_place():
    assert [topic for _, topic, where in ROWS if not where or "—" in where] == []
