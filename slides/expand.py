"""expand.py - turns a deck's references into numbers, tables and figures, ready for pandoc.

In a deck:
    {{ EXPRESSION }}  {{ EXPRESSION | .2f }}    a number from the records (refs.py), formatted
    {{table case="n=2^22" rows=reduce1,reduce2 columns=time_ms@h200,gbps@h200 [lab=…] [first=…]
             [heads="ms|GB/s"]}}
    {{figure NAME [width=90% height=60%]}}      build/plots/NAME.pdf, drawn from the kept records
    {{frames NAME pages=1-8 [width=… height=…]}} pages of NAME-frames.pdf, one a click; the last when printed
    {{evidence MACHINE [lab=…]}}                device, backend, evidence and date of those records

A reference that no record answers stops the build with its name, its deck and its line;
nothing is written then. With --draft it becomes a bold [missing: …] instead."""
import argparse
import re
import shlex
import sys
from pathlib import Path

import refs
from refs import records

sys.path.insert(0, str(refs.PLOTS))
import names  # noqa: E402

MACRO = re.compile(r"\{\{(.*?)\}\}", re.S)
COLUMNS = {  # heading and number format of a table's columns; others as refs.number does
    "time_ms": ("time, ms", ".4f"), "gbps": ("GB/s", ",.0f"), "tflops": ("TFLOP/s", ".2f"),
    "sectors_per_ld": ("sectors a load", ".3g"), "sectors_per_st": ("sectors a store", ".3g"),
    "conflict_degree_ld": ("wavefronts a load", ".3g"), "conflict_degree_st": ("wavefronts a store", ".3g"),
    "active_lanes": ("active lanes", ".1f"), "active_lanes_pred_on": ("active lanes", ".1f"),
    "barriers": ("barriers", ",.0f"), "bank_conflicts": ("bank conflicts", ",.0f"),
    "inst_executed": ("warp instructions", ",.0f"), "occupancy": ("occupancy", ".0%"),
    "step": ("step", ".2f"), "cumulative": ("in all", ".2f"), "ms": ("time, ms", ".3f"),
}


def options(text):
    """'case="n=2^22" rows=a,b' -> {'case': 'n=2^22', 'rows': 'a,b'}"""
    out = {}
    for word in shlex.split(text):
        key, sep, value = word.partition("=")
        if not sep:
            raise refs.RefError(f"'{word}' is not name=value")
        out[key] = value
    return out


def _beside(recs, variants):
    """Rows that are no step of the ladder, as the records number it."""
    return names.beside([((recs.where(variant=v) or [{"number": ""}])[0]["number"], v) for v in variants])


def _cell(recs, opts, variant, column, before, beside):
    """One cell; step and cumulative are computed from the times of the table's own rows. A kernel
    beside the ladder has no step, and the next one is not measured by it."""
    field, _, machine = column.partition("@")
    want = "time_ms" if field in ("step", "cumulative") else field
    lab = f"{opts['lab']}/" if "lab" in opts else ""
    match = refs.REF.fullmatch(f'{lab}{variant}.{want}@{machine}:"{opts.get("case", "")}"')
    if not match:
        raise refs.RefError(f"table: cannot read row '{variant}', column '{column}'")
    value = refs.lookup(recs, match)
    if field in ("step", "cumulative"):
        times = before.setdefault(column, [])
        if variant in beside:
            return "" if field == "step" else f"{times[0] / value:.2f}×"
        times.append(value)
        if len(times) == 1:
            return ""
        return f"{(times[-2] if field == 'step' else times[0]) / value:.2f}×"
    spec = COLUMNS.get(field, ("", None))[1]
    if field == "gbps" and value < 100:
        spec = ".1f"
    return refs.number(value, spec)


def said(recs, machine):
    """A machine's name in a table's heading."""
    if machine == "g80":
        return "G80, published"
    rows = recs.where(machine=machine)
    return names.machine(rows[0]).replace("NVIDIA ", "").replace("GeForce ", "") if rows else machine


def table(recs, text):
    """A pipe table: a variant a row, numbers right-aligned."""
    opts = options(text)
    columns = opts["columns"].split(",")
    machines = {c.partition("@")[2] for c in columns}
    heads = [COLUMNS.get(c.partition("@")[0], (c.partition("@")[0].replace("_", " "),))[0] +
             (f" ({said(recs, c.partition('@')[2])})" if len(machines) > 1 else "") for c in columns]
    if "heads" in opts:
        heads = opts["heads"].split("|")
        if len(heads) != len(columns):
            raise refs.RefError(f"table: {len(heads)} heads for {len(columns)} columns")
    before, lines = {}, []
    rows = opts["rows"].split(",")
    beside = _beside(recs, rows)
    for variant in rows:
        cells = [_cell(recs, opts, variant, c, before, beside) for c in columns]
        known = recs.where(variant=variant)
        number = known[0]["number"] if known else ""
        lines.append(f"| {names.variant(variant, number)} | " + " | ".join(cells) + " |")
    first = opts.get("first", "kernel")
    return "\n".join([f"| {first} | " + " | ".join(heads) + " |",
                      "|:---|" + "---:|" * len(columns), *lines])


def picture(text, folder, suffix=""):
    """(path, options): the file must be there, so that LaTeX is never the one to complain."""
    name, _, rest = text.partition(" ")
    path = Path(folder) / f"{name}{suffix}.pdf"
    if not path.exists():
        raise refs.RefError(f"figure {name}: {records.shown(path)} is not there: "
                            "the kept records (plots/records) hold nothing for it")
    size = {"width": "100%", "height": "82%"} | options(rest)
    if bad := [k for k in ("width", "height") if not re.fullmatch(r"\d{1,3}%", size[k])]:
        raise refs.RefError(f"figure {name}: {bad[0]}={size[bad[0]]} is not a percentage")
    return path, size


def centred(lines):
    return "\n".join(["```{=latex}", "{\\centering%", *lines, "\\par}", "```"])


def include(path, size, overlay="", page=""):
    box = ",".join(f"{k}={int(size[k].rstrip('%')) / 100:g}\\text{k}" for k in ("width", "height"))
    return f"\\includegraphics{overlay}[{page}{box},keepaspectratio]{{{path}}}%"


def figure(text, folder):
    return centred([include(*picture(text, folder))])


def pages_of(text):
    """'1-3,9' -> [1, 2, 3, 9]"""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        raise refs.RefError(f"frames: pages={text} is not like 1-3,9")
    spans = [list(map(int, part.split("-"))) for part in text.split(",")]
    return [page for span in spans for page in range(span[0], span[-1] + 1)]


def frames(text, folder):
    """Overlays: a page a click, at one place. A PDF reader plays no GIF."""
    path, size = picture(text, folder, "-frames")
    pages = pages_of(size.get("pages", ""))
    return centred(include(path, size, f"<{i}|handout:{int(page == pages[-1])}>", f"page={page},")
                   for i, page in enumerate(pages, 1))


def evidence(recs, text):
    machine, *rest = text.split()
    rows = recs.where(machine=machine, **options(" ".join(rest)))
    if not rows:
        raise refs.RefError(f"evidence {text}: no such records")
    dates = sorted({r["date"][:10] for r in rows})
    kinds = "/".join(dict.fromkeys(r["evidence"] for r in rows if r["evidence"]))
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"{names.machine(rows[0])}, {kinds}, {span}"


def one(recs, inside, folder):
    """What one {{…}} becomes."""
    word, _, rest = inside.strip().partition(" ")
    if word == "table":
        return table(recs, rest)
    if word == "figure":
        return figure(rest, folder)
    if word == "frames":
        return frames(rest, folder)
    if word == "evidence":
        return evidence(recs, rest)
    expression, _, spec = inside.partition("|")
    try:
        return refs.number(refs.evaluate(recs, expression), spec.strip() or None)
    except ValueError:
        raise refs.RefError(f"'{spec.strip()}' is no number format") from None


def expand(text, recs, folder, name="deck", draft=False):
    """The deck with every macro replaced, and the list of problems."""
    problems = []

    def take(match):
        try:
            return one(recs, match[1], folder)
        except (refs.RefError, KeyError) as e:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: {e}")
            return f"**[missing: {match[1].strip()}]**" if draft else ""
    return MACRO.sub(take, text), problems


def main():
    parser = argparse.ArgumentParser(description="expands a deck's references")
    parser.add_argument("deck")
    parser.add_argument("out")
    parser.add_argument("--figures", default="build/plots")
    parser.add_argument("--records", default=records.HERE / "records", help="default: the kept ones")
    parser.add_argument("--draft", action="store_true", help="show what is missing instead of stopping")
    args = parser.parse_args()
    try:
        recs = records.load([args.records])
    except records.RecordError as e:
        if not args.draft:
            sys.exit(f"slides: {e}")
        recs = records.Records()
    text, problems = expand(Path(args.deck).read_text(encoding="utf-8"), recs, args.figures,
                            Path(args.deck).name, args.draft)
    for p in problems:
        print(p, file=sys.stderr)
    if problems and not args.draft:
        sys.exit(f"slides: {len(problems)} reference{'s' if len(problems) > 1 else ''} without a record; "
                 "nothing was written")
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    Path(args.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
