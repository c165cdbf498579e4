"""refs.py - figures by reference: how decks and claims speak of recorded runs.

    [lab/]variant.field@machine:case        reduce3.gbps@h200:n=2^25
                                            matmul/mm_tiled.tflops@h200:"f16 n=1024"

`field` is a column of the records, or time_ms, tflops, sectors_per_ld … (plots/records.py).
`machine` is h200, emulator, or g80 for the table that the lectures print (published.csv:
ms, gbps, and time_ms). `case` is the case's name; a space in it may be written as a dash.
What a device can do at most is peak.FIELD@MACHINE:device (plots/devices.csv): peak.sms@h200:device.

Expressions combine references with + - * / ( ), comparisons, abs(), min(), max(). There is
nothing else in the language, so a deck cannot run code."""
import ast
import csv
import operator
import re
import sys
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[1] / "plots"
sys.path.insert(0, str(PLOTS))
import names  # noqa: E402
import records  # noqa: E402

REF = re.compile(r"""(?:(?P<lab>[a-z0-9_]+)/)?(?P<variant>[A-Za-z_]\w*)\.(?P<field>\w+)
                     @(?P<machine>[a-z0-9][a-z0-9-]*):(?P<case>"[^"]*"|[^\s(),|}*/"]+)""", re.X)
FUNCTIONS = {"abs": abs, "min": min, "max": max}
BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.Eq: operator.eq}


class RefError(Exception):
    """A reference to a record that is not there, or an expression that is none."""


def _published(variant, field, text):
    with open(PLOTS / "published.csv", encoding="utf-8") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("#")):
            if row["variant"] == variant:
                column = {"time_ms": "ms"}.get(field, field)
                if row.get(column):
                    return float(row[column])
    raise RefError(f"{text}: the published G80 table has no such figure (plots/published.csv)")


def row(recs, lab, variant, machine, case, text):
    """The one record meant; RefError with the reference in it otherwise."""
    def same(name):
        return name.replace(" ", "-") == case.replace(" ", "-")
    wanted = {"variant": variant, "case": same} | ({"lab": lab} if lab else {})
    found = recs.where(machine=machine, **wanted)
    if machine == "emulator" and len({r["device"] for r in found}) > 1:
        found = found.where(device=lambda d: "H200" in d)
    if len(found) == 1:
        return found[0]
    if found:
        raise RefError(f"{text}: {len(found)} records match; name the lab or the machine fully")
    near = recs.where(**({"lab": lab} if lab else {}), variant=variant)
    if not near:
        raise RefError(f"{text}: no record of variant {variant} on any machine")
    here = near.where(machine=machine)
    if not here:
        raise RefError(f"{text}: no record of {variant} on {machine} (there are: {', '.join(near.machines())})")
    raise RefError(f"{text}: no case {case} of {variant} on {machine} "
                   f"(there are: {', '.join(map(str, here.values('case')[:12]))})")


def lookup(recs, match):
    """The number a REF match stands for."""
    text = match.group(0)
    case = match["case"].strip('"')
    if case == "device":
        try:
            return names.device(match["machine"])[match["field"]]
        except (records.RecordError, KeyError):
            raise RefError(f"{text}: plots/devices.csv has no such figure") from None
    if match["machine"] == "g80":
        return _published(match["variant"], match["field"], text)
    found = row(recs, match["lab"], match["variant"], match["machine"], case, text)
    try:
        value = found.value(match["field"])
    except records.RecordError as e:
        raise RefError(f"{text}: {e}") from None
    if value is None:
        raise RefError(f"{text}: {found.where} has no {match['field']} for it")
    return value


def _eval(node, values):
    if isinstance(node, ast.Expression):
        return _eval(node.body, values)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return BINARY[type(node.op)](_eval(node.left, values), _eval(node.right, values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_eval(node.operand, values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS \
            and not node.keywords:
        return FUNCTIONS[node.func.id](*(_eval(a, values) for a in node.args))
    if isinstance(node, ast.Compare):
        sides = [_eval(n, values) for n in (node.left, *node.comparators)]
        if all(type(o) in COMPARE for o in node.ops):
            return all(COMPARE[type(o)](a, b) for o, a, b in zip(node.ops, sides, sides[1:]))
    raise ValueError("not an expression of references")


def evaluate(recs, text):
    """The value of an expression: a number or, with a comparison in it, True or False."""
    values = {}

    def take(match):
        name = f"ref_{len(values)}"
        values[name] = lookup(recs, match)
        return name
    plain = REF.sub(take, text)
    try:
        return _eval(ast.parse(plain.strip(), mode="eval"), values)
    except ZeroDivisionError:
        raise RefError(f"{text.strip()}: division by zero") from None
    except (SyntaxError, ValueError):
        raise RefError(f"{text.strip()}: cannot be read (references, numbers, + - * / and comparisons only)") \
            from None


def shown_values(recs, text):
    """The expression with each reference followed by its value: what a failed claim prints."""
    return REF.sub(lambda m: f"{m.group(0)} [{number(lookup(recs, m))}]", text)


def number(value, spec=None):
    """As slides print it: 3 significant digits, thousands with commas."""
    if spec:
        return format(value, spec)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == 0:
        return "0"
    if abs(value) >= 1000 or (float(value).is_integer() and abs(value) >= 100):
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    digits = f"{value:.3g}"
    return digits if "e" not in digits else f"{value:.2e}"
