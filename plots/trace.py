"""trace.py - reads the emulator's trace of one block (JSON lines; emulator/count/trace.c says
which) and works out what pictures show.

Interface:
    read(path) -> Trace         header, sites, allocs, events; RecordError with file and line
    Trace.steps()               the block's instructions laid out over time: [Step]
    Trace.accesses(…)           memory accesses, narrowed
    sectors(access)             the 32-byte sectors that a request touches
    wavefronts(access)          the passes over 32 banks that a shared request takes
    Trace.thin(), write()       a trace small enough to keep
    Trace.additions()           who was added to whom, and when: the reduction tree as it ran
"""
import json
from collections import namedtuple

import records

WARP, BANKS, SECTOR = 32, 32, 32
MAX_BYTES = 128 << 20

# warp; column where it starts, its instructions; lanes as a mask; the site of the first
Step = namedtuple("Step", "warp start length mask site phase")
# a word written: its index, the level, and the words (with their levels) that it came from
Node = namedtuple("Node", "word level sources n")


def lanes_of(mask):
    return [i for i in range(WARP) if mask >> i & 1]


class Trace:
    def __init__(self, header):
        self.header, self.sites, self.allocs, self.events = header, {}, {}, []
        self.truncated = False

    @property
    def warps(self):
        return self.header["warps"]

    def site(self, event):
        return self.sites.get(event.get("site"), {})

    def line(self, event):
        """'83: s[tid] += s[tid + step];' or the PTX opcode where there is no source line."""
        site = self.site(event)
        text = site.get("text", "").strip()
        return f"{site['line']}: {text}" if site.get("line") and text else site.get("opcode", "")

    def accesses(self, **wanted):
        return [e for e in self.events if e["event"] == "access" and
                all(e.get(k) == v for k, v in wanted.items())]

    def steps(self):
        """Warps run one after another between barriers; on the GPU they run side by side. So
        each starts where the last barrier let all of them go. Returns ([Step], columns,
        [columns of barriers])."""
        out, barriers, phase_start, phase = [], [], 0, 0
        at = [0] * self.warps
        for e in self.events:
            if e["event"] == "path":
                w = e["warp"]
                out.append(Step(w, at[w], e["insns"], e["mask"], e["site"], phase))
                at[w] += e["insns"]
            elif e["event"] == "leave" and e["barrier"] == 0:
                phase_start, phase = max(at), phase + 1
                at = [phase_start] * self.warps
                barriers.append(phase_start)
        return out, max(at, default=0), barriers

    def additions(self):
        """Each store of a lane to shared memory, with the words it had loaded since its last
        one. A lane that loaded a single word added it to the sum it kept in a register, which
        is the word it stored before. What was stored without a load has level 0."""
        latest, loaded, own, nodes = {}, {}, {}, []
        for e in self.accesses(space="shared"):
            fresh = {}
            for lane, address in zip(lanes_of(e["mask"]), e["addresses"]):
                word, who = address // e["size"], (e["warp"], lane)
                if e["kind"] == "load":
                    loaded.setdefault(who, []).append((word, latest.get(word, 0)))
                    continue
                sources = loaded.pop(who, [])
                if len(sources) == 1 and own.get(who, sources[0])[0] == word != sources[0][0]:
                    sources.append(own[who])
                level = 1 + max((lv for _, lv in sources), default=-1)
                nodes.append(Node(word, level, tuple(dict.fromkeys(sources)), e["n"]))
                fresh[word] = own[who] = (word, level)
            latest.update({word: level for word, (_, level) in fresh.items()})
        return nodes

    def thin(self, each=2):
        """A small trace for keeping: warp 0's first accesses of each place, and no more than
        `each` with the same addresses' distances. Enough for pictures of sectors and banks."""
        seen, kept = {}, []
        for e in self.accesses(warp=0):
            key = (e["site"], e["mask"], tuple(a - e["addresses"][0] for a in e["addresses"]))
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= each:
                kept.append(e)
        self.events = kept[:60]
        return self


def write(trace, path):
    """As the emulator writes it; line by line, whole or not at all."""
    import style
    used = {e["site"] for e in trace.events if "site" in e}
    objects = [trace.header, *(s for n, s in trace.sites.items() if n in used), *trace.allocs.values(),
               *({**e, "mask": f"{e['mask']:08x}"} if "mask" in e else e for e in trace.events),
               {"end": True, "events": len(trace.events), "dropped": 0, "truncated": trace.truncated}]
    for o in objects:
        if o.get("file"):  # a kept trace names files as the repository does
            o["file"] = records.shown(o["file"])
    text = "".join(json.dumps(o, separators=(",", ":"), ensure_ascii=False) + "\n" for o in objects)

    def save(tmp):
        with open(tmp, "w", encoding="utf-8") as f:
            f.write(text)
    style.write_whole(path, save)


def sectors(access):
    """The distinct sectors of one request, ascending."""
    found = set()
    for a in access["addresses"]:
        found.update(range(a // SECTOR, (a + access["size"] - 1) // SECTOR + 1))
    return sorted(found)


def wavefronts(access):
    """[{bank: (word, [lanes])}, …]: a dictionary for each pass. Words of 8 and 16 bytes are
    served half a warp and a quarter at a time, so these need 2 and 4 passes at the least."""
    size = access["size"]
    groups = {8: 2, 16: 4}.get(size, 1)
    width, words = WARP // groups, max(1, size // 4)
    passes = []
    for g in range(groups):
        banks = {}
        for lane, address in zip(lanes_of(access["mask"]), access["addresses"]):
            if lane // width != g:
                continue
            for k in range(words):
                word = address // 4 + k
                banks.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        for depth in range(max((len(w) for w in banks.values()), default=0)):
            passes.append({b: list(w.items())[depth] for b, w in banks.items() if depth < len(w)})
    return passes


def conflicts(access):
    """Passes beyond what the width of the words needs."""
    size = access["size"]
    width = WARP // {8: 2, 16: 4}.get(size, 1)
    return len(wavefronts(access)) - len({lane // width for lane in lanes_of(access["mask"])})


def _objects(path):
    name = records.shown(path)
    try:
        with open(path, encoding="utf-8") as f:
            if (size := f.seek(0, 2)) > MAX_BYTES:
                raise records.RecordError(f"{name}: {size >> 20} MiB is too much for a picture")
            f.seek(0)
            for n, line in enumerate(f, 1):
                try:
                    yield n, json.loads(line)
                except ValueError:
                    raise records.RecordError(f"{name}:{n}: not JSON: damaged or cut off") from None
    except OSError as e:
        raise records.RecordError(f"{name}: {e.strerror}") from None


def read(path):
    """A whole trace. One without its last line was cut off and is refused; one that says it
    was truncated by its size limit is marked so."""
    name, trace, ended = records.shown(path), None, False
    for n, o in _objects(path):
        where = f"{name}:{n}"
        if trace is None:
            if isinstance(o, dict) and o.get("end"):
                break
            if not isinstance(o, dict) or o.get("trace") != 1:
                raise records.RecordError(f"{where}: not a trace (its first line should say \"trace\":1)")
            trace = Trace(o)
        elif "event" in o:
            if "mask" in o:
                o["mask"] = int(o["mask"], 16)
            if o["event"] == "access" and len(o["addresses"]) != o["mask"].bit_count():
                raise records.RecordError(f"{where}: as many addresses as lanes are needed")
            trace.events.append(o)
        elif "site" in o:
            trace.sites[o["site"]] = o
        elif "alloc" in o:
            trace.allocs[o["alloc"]] = o
        elif o.get("end"):
            ended, trace.truncated = True, o["truncated"]
        else:
            raise records.RecordError(f"{where}: unknown kind of line")
    if trace is None:
        raise records.RecordError(f"{name}: empty: the kernel did not run, or it has no such block")
    if not ended:
        raise records.RecordError(f"{name}: cut off: its last line is missing")
    return trace
