#!/usr/bin/env python3
"""arrows.py - which room of the house uses which, from the facts; and the map of them.

    common/arrows.py --build build           test: `make test-arrows`
    common/arrows.py --build build --map     write common/architecture.svg: `make map`

A room is a folder whose README.md says in its first lines what it may use:

    Uses: common/base, common/emulator/runtime/warplab.h

(a file: that header alone; "nothing" for none). What it does use is seen from the include lines
of its sources and, with nm, from the symbols that its objects take from each other's. The test
fails on a use that no charter grants, one granted and not used, a circle of rooms, a source in no
room or without an object, and a map that is not what these facts draw. Tests and fuzzers may use
anything. Functions of the CUDA runtime are no arrow: a program is linked with one, any one.
"""
import argparse
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOMS = """
    common/base
    common/emulator/ptx common/emulator/base common/emulator/code common/emulator/exec
    common/emulator/count common/emulator/check common/emulator/runtime common/emulator/tools
    common/emulator/cases common/emulator/fft common/emulator/nccl
    common/lab common/run common/harness labs
    grading/sandbox grading/intake grading/mark grading/cluster grading/book grading/report grading/export
    grading/commands
""".split()
RUNTIME = "common/emulator/runtime"
PROGRAMS = ["common/emulator/tools", "common/emulator/cases", "common/emulator/fft",
            "common/emulator/nccl"]  # linked with the runtime
NO_ROOM = ["common/device/*", "common/emulator/programs/*", "common/emulator/arm64/*",
           "common/emulator/packaging/*", "common/testing/*",
           "common/emulator/testdata/*", "grading/threats/*", "grading/mutants/*"]
EXEMPT = re.compile(r"(_test|_fuzz|/testlab|/testing|/play|/fast_clock)\.[ch]$")  # of tests
MAP = "common/architecture.svg"


def sources(root):
    """Tracked and new C files that are not tests, by room; and those of no room."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"],
                            cwd=root, capture_output=True, text=True, check=True).stdout.split()
    files, homeless = {}, []
    for f in listed:
        top = f.split("/")[0]
        if top not in ("common", "grading", "labs") or EXEMPT.search(f):
            continue
        if any(fnmatch.fnmatch(f, p) for p in NO_ROOM) or not (root / f).exists():
            continue
        room = room_of(f)
        if room:
            files[f] = room
        else:
            homeless.append(f)
    return files, homeless


def room_of(path):
    return max((r for r in ROOMS if path.startswith(r + "/")), key=len, default=None)


def charter(root, room):
    """What the room may use, rooms and headers; None without a charter."""
    readme = root / room / "README.md"
    if not readme.exists():
        return None
    lines = readme.read_text().splitlines()[:8]
    uses = next((l for l in lines if l.startswith("Uses: ")), None)
    if uses is None:
        return None
    return [n.strip() for n in uses[len("Uses: "):].split(",") if n.strip() != "nothing"]


def resolve(root, source, name):
    """The file that an include line means, from the top; None: made by the build."""
    for folder in (pathlib.PurePath(source).parent, pathlib.PurePath("common"),
                   pathlib.PurePath(".")):
        if (root / folder / name).exists():
            return (root / folder / name).resolve().relative_to(root).as_posix()
    return None


def includes(root, files):
    for f, room in files.items():
        for name in re.findall(r'^#\s*include "([^"]+)"', (root / f).read_text(), re.M):
            target = resolve(root, f, name)
            if target and room_of(target) not in (None, room):
                yield room, room_of(target), f, target


def objects(build, source):
    """exec/ops is built once a level: any of them."""
    plain = build / (source[:-2] + ".o")
    if plain.exists():
        return plain
    return next(iter(sorted(build.glob(source[:-2] + ".*.o"))), None)


def symbols(path):
    defined, used = set(), set()
    for line in subprocess.run(["nm", "-P", path], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        name, kind = line.split()[:2]
        if kind == "U":
            used.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, used


def exported(root):
    """Patterns of what the runtime library gives to programs."""
    text = (root / "common/emulator/runtime/libcudart.map").read_text()
    return re.search(r"global:([^}]*?)local:", text, re.S).group(1).replace(";", " ").split()


def calls(root, build, files):
    """Uses by symbol, and sources that have no object."""
    api, missing, table, uses = exported(root), [], collections.defaultdict(set), []
    for f, room in files.items():
        if not f.endswith(".c"):
            continue
        o = objects(build, f)
        if not o:
            missing.append(f)
            continue
        defined, used = symbols(o)
        for s in defined:
            table[s].add(room)
        uses += [(room, f, s) for s in used]
    found = []
    for room, f, s in uses:
        outside = not room.startswith("common/emulator") or room in PROGRAMS
        if room in table[s] or (outside and any(fnmatch.fnmatch(s, p) for p in api)):
            continue
        found += [(room, to, f, s) for to in table[s]]
    return found, missing


def circle(arrows):
    """A circle of rooms, or None."""
    done, path = set(), []

    def walk(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return None
        path.append(room)
        for to in sorted(t for f, t in arrows if f == room):
            if ring := walk(to):
                return ring
        done.add(path.pop())
        return None

    return next((ring for room in ROOMS if (ring := walk(room))), None)


class Facts:
    def __init__(self, root, build):
        self.files, self.homeless = sources(root)
        self.charters = {r: charter(root, r) for r in ROOMS}
        self.included = list(includes(root, self.files))
        self.called, self.missing = calls(root, build, self.files)
        self.arrows = sorted({(a, b) for a, b, *_ in self.included + self.called})

    def ungranted(self):
        for a, b, f, what in self.included:
            if not {b, what} & set(self.charters[a] or []):
                yield f"{f} includes {what}: {a} may not use {b}"
        for a, b, f, what in self.called:
            if b not in (self.charters[a] or []):
                yield f"{f} calls {what}() of {b}: {a} may not use that"

    def unused(self):
        for a, granted in self.charters.items():
            seen = {b for x, b in self.arrows if x == a}
            seen |= {t for x, _, _, t in self.included if x == a}
            for g in granted or []:
                if g not in seen:
                    yield f"{a}/README.md grants {g}, which nothing there uses"


# ---- the map ----
GROUPS = [("common/emulator/", "#cfe8f7", "#0072b2", "the emulator"),
          ("grading/", "#f9e3cf", "#b04a00", "the grader"),
          ("", "#d9efe6", "#00664b", "labs and harness")]
WIDTH, HEIGHT, STEP_X, STEP_Y, MARGIN = 150, 40, 176, 92, 30


def group(room):
    return next(g for g in GROUPS if room.startswith(g[0]))


def reduced(arrows):
    """Without those that follow from others: a uses c, and b, which uses c."""
    to = collections.defaultdict(set)
    for a, b in arrows:
        to[a].add(b)

    def reach(a):
        return {c for b in to[a] for c in {b} | reach(b)}

    return [(a, b) for a, b in arrows if not any(b in reach(x) for x in to[a] - {b})]


def layers(arrows):
    """Rooms by height: right below the lowest that uses them."""
    depth = {}

    def down(room):
        if room not in depth:
            depth[room] = 1 + max((down(b) for a, b in arrows if a == room), default=-1)
        return depth[room]

    for room in sorted(ROOMS, key=down, reverse=True):
        users = [depth[a] for a, b in arrows if b == room]
        depth[room] = min(users) - 1 if users else depth[room]
    rows = collections.defaultdict(list)
    for room in ROOMS:
        rows[depth[room]].append(room)
    return rows


def places(arrows):
    """The middle of each room's box: each column is a group, rooms of a layer side by side."""
    rows, at, left = layers(arrows), {}, 0
    for prefix in ("common/emulator/", "", "grading/"):
        mine = {k: [r for r in row if group(r)[0] == prefix] for k, row in rows.items()}
        widest = max(len(row) for row in mine.values())
        for k, row in mine.items():
            for i, room in enumerate(row):
                x = left + (widest - len(row)) / 2 + i
                at[room] = (MARGIN + WIDTH / 2 + x * STEP_X,
                            MARGIN + 30 + HEIGHT / 2 + (max(rows) - k) * STEP_Y)
        left += widest + 0.25
    return at


def curve(start, end):
    (x0, y0), (x1, y1) = start, end
    y0, y1 = y0 + HEIGHT / 2, y1 - HEIGHT / 2 - 5
    bend = max(30, (y1 - y0) * 0.45)
    return f"M{x0:g},{y0:g} C{x0:g},{y0 + bend:g} {x1:g},{y1 - bend:g} {x1:g},{y1:g}"


def box(room, x, y):
    _, fill, line, _ = group(room)
    return (f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" '
            f'height="{HEIGHT}" rx="6" fill="{fill}" stroke="{line}" stroke-width="1.5"/>\n'
            f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle">'
            f'{room.removeprefix("common/")}</text>')


def draw(arrows):
    run_on = [(p, RUNTIME) for p in PROGRAMS]
    every = sorted({*arrows, *run_on})
    at = places(every)
    width = max(x for x, _ in at.values()) + WIDTH / 2 + MARGIN
    height = max(y for _, y in at.values()) + HEIGHT / 2 + MARGIN + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
           f'width="{width:g}" height="{height:g}" font-family="DejaVu Sans, Helvetica, Arial, '
           'sans-serif" font-size="14" fill="#1a1a1a">',
           "<!-- Made by `make map` from what the rooms use:"]
    out += [f"{a} -> {b}" for a, b in arrows]
    out += ["-->", "<title>The rooms of the house, and which uses which</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            '<defs><marker id="head" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#555555"/>'
            '</marker></defs>']
    for prefix, _, line, name in GROUPS:
        xs = [x for r, (x, _) in at.items() if group(r)[0] == prefix]
        out.append(f'<text x="{(min(xs) + max(xs)) / 2:g}" y="{MARGIN}" text-anchor="middle" '
                   f'font-weight="bold" font-size="16" fill="{line}">{name}</text>')
    for a, b in reduced(every):
        dashes = ' stroke-dasharray="5 4"' if (a, b) in run_on else ""
        out.append(f'<path d="{curve(at[a], at[b])}" fill="none" stroke="#555555" '
                   f'stroke-width="1.4"{dashes} marker-end="url(#head)"/>')
    out += [box(r, *at[r]) for r in ROOMS]
    out.append(f'<text x="{MARGIN}" y="{height - 16:g}" font-size="13" fill="#444444">An arrow: '
               "uses; dashed: runs on. Those that follow from two others are left out: each room's "
               "README.md has all.</text>")
    return "\n".join(out + ["</svg>"]) + "\n"


def checks(root, facts):
    """(what is checked, what is wrong with it)"""
    ring = circle(facts.arrows)
    kept = root / MAP
    current = not ring and kept.exists() and kept.read_text() == draw(facts.arrows)
    yield "every source is in a room", facts.homeless
    yield "every source has an object", facts.missing
    yield "every room has a charter", [f"{r}/README.md: no line `Uses: …` among the first 8"
                                       for r, c in facts.charters.items() if c is None]
    yield "rooms use what they may", list(facts.ungranted())
    yield "rooms need what they may use", list(facts.unused())
    yield "no circle of rooms", [" -> ".join(ring)] if ring else []
    yield "the map is current", [] if current else [f"{MAP}: `make map` draws another"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    options.add_argument("--map", action="store_true")
    options = options.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    facts = Facts(root, options.build)
    if options.map:
        if ring := circle(facts.arrows):
            sys.exit("no map of a circle: " + " -> ".join(ring))
        (root / MAP).write_text(draw(facts.arrows))
        return 0
    passed = failed = 0
    for what, wrong in checks(root, facts):
        failed, passed = failed + bool(wrong), passed + (not wrong)
        for line in sorted(set(wrong)):
            print(f"{what}: {line}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
