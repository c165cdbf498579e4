"""claims.py - checks what the decks and handouts say against the kept records.

A deck NAME.md has a NAME.claims beside it, a lab's handout a handout.claims. In it, one claim a
line: an expression of references (refs.py) with a comparison, under the sentence that is said:

    # Kernel 3 is at least half as fast again as kernel 1.
    reduce3.gbps@h200:n=2^25 >= 1.5 * reduce1.gbps@h200:n=2^25

A handout's sentence is quoted as it stands in README.md, for its figures are typed there: who
changes the words finds the claim.

    python slides/claims.py [NAME.claims …]     exit 1 if one does not hold
"""
import sys
from pathlib import Path

import refs
from refs import records

HERE = Path(__file__).resolve().parent
HANDOUT = "handout.claims"


def every():
    """The decks' claims and the handouts'."""
    return sorted(HERE.glob("*.claims")) + sorted((HERE.parent / "labs").glob(f"*/{HANDOUT}"))


def unquoted(path):
    """[(place, sentence, problem)] of a handout's claims whose sentence it does not have."""
    if path.name != HANDOUT:
        return []
    text = " ".join((path.parent / "README.md").read_text(encoding="utf-8").split())
    return [(f"{shown(path)}:{n}", sentence, f"{records.shown(path.parent / 'README.md')} does not say so")
            for n, sentence, _ in read(path) if sentence not in text]


def shown(path):
    return f"{path.parent.name}/{path.name}" if path.name == HANDOUT else path.name


def read(path):
    """[(line number, sentence, expression)]; RefError for a claim without a sentence."""
    out, sentence = [], []
    for n, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line.startswith("#"):
            sentence.append(line.lstrip("# "))
        elif line:
            if not sentence:
                raise refs.RefError(f"{Path(path).name}:{n}: a claim needs its sentence above it")
            out.append((n, " ".join(sentence), line))
        else:
            sentence = []
    return out


def check(path, recs):
    """[(place, sentence, problem)] of the claims that do not hold; empty when all do."""
    path = Path(path)
    bad = unquoted(path)
    for n, sentence, expression in read(path):
        place = f"{shown(path)}:{n}"
        try:
            value = refs.evaluate(recs, expression)
        except refs.RefError as e:
            bad.append((place, sentence, str(e)))
            continue
        if not isinstance(value, bool):
            bad.append((place, sentence, f"{expression}: compares nothing"))
        elif not value:
            bad.append((place, sentence, "does not hold: " + refs.shown_values(recs, expression)))
    return bad


def main():
    paths = [Path(p) for p in sys.argv[1:]] or every()
    try:
        recs = records.load([records.HERE / "records"])
        bad = [b for p in paths for b in check(p, recs)]
    except (records.RecordError, refs.RefError, OSError) as e:
        sys.exit(f"claims: {e}")
    for place, sentence, problem in bad:
        print(f"{place}: {sentence}\n    {problem}", file=sys.stderr)
    total = sum(len(read(p)) for p in paths)
    print(f"{total - len(bad)} of {total} claims hold")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
