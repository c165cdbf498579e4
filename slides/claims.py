"""claims.py - checks what the decks say against the kept records.

A deck NAME.md has a NAME.claims beside it. In it, one claim a line: an expression of
references (refs.py) with a comparison, under the sentence that the deck says:

    # Kernel 3 is at least half as fast again as kernel 1.
    reduce3.gbps@h200:n=2^25 >= 1.5 * reduce1.gbps@h200:n=2^25

    python slides/claims.py [NAME.claims …]     exit 1 if one does not hold
"""
import sys
from pathlib import Path

import refs
from refs import records

HERE = Path(__file__).resolve().parent


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
    bad = []
    for n, sentence, expression in read(path):
        place = f"{Path(path).name}:{n}"
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
    paths = [Path(p) for p in sys.argv[1:]] or sorted(HERE.glob("*.claims"))
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
