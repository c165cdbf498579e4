#!/usr/bin/env python3
"""mutate_c.py - do the tests see a fault? Of the project's own C, on demand (make mutate-c).

    mutate_c.py [--count N] [--seed S] [--files GLOB…]   a sample of mutants
    mutate_c.py --again TABLE                            those that survived in an earlier table,
                                                         and slower suites, too
    mutate_c.py --faults [GLOB]                          faults.txt: each must be caught
    mutate_c.py --jobs N --minutes M                     N mutants at once, none begun after M minutes

A mutant is one token or statement changed: a comparison, an operator, a constant off by one,
a condition negated, a statement dropped, two arguments swapped. It is built and tested in a
copy of the tree, build/mutate-c/N/tree, one a job, inside bubblewrap where that works: whatever
it does, files outside of build/mutate-c/N stay as they are, and no process of it is left. Suites
run in order of speed, up to the first that fails; the table (build/mutate-c/table-SEED.tsv) says
which. A suite that fails without a mutant is left out, which is said. same.txt lists mutants
that mean the same, and why. Nothing else of the repository uses this.

Not changed: comments, strings, preprocessor lines other than a macro's body, tests, and what
no test could see: sizes of local arrays, allocations, frees and locks.
Not modelled: exec/ops is built and run at one level only.
"""
import argparse
import collections
import ctypes
import fnmatch
import glob
import multiprocessing
import os
import pathlib
import platform
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / 'common/mutants'
SCRATCH = ROOT / 'build/mutate-c'
CORES = os.cpu_count() or 1
LEVEL = 'v2' if platform.machine() == 'x86_64' else 'base'
CASES = 'common/emulator/cases'
ENV = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
CC = 'CC=' + ('ccache ' if shutil.which('ccache') else '') + 'gcc -Wno-error=parentheses'  # a && b || c
CPU_SECONDS = 120  # of one process: a loop that does not end
MEMORY_LEFT = 3 << 20  # kB
GRACE = 45  # seconds that those under way have when MINUTES are over
FAST = '!(bank|sample|threats|gpu_path)/*'  # bank and sample take minutes: left out

LABS = ' '.join(f'build/test/lab_{f.name[:-7]}' for f in sorted(ROOT.glob('labs/*/*_test.c')))

# seconds: far more than it takes, as other work may keep the machine busy
Suite = collections.namedtuple('Suite', 'targets command seconds')
SUITES = {
    'emulator': Suite('build/test/emulator build/lib/libcudart.so.13',
                      'build/test/emulator --fail-fast -j{j} --timeout 120', 600),
    'cases': Suite('build/bin/ptxcases build/lib/libcudart.so.13',
                   f'build/bin/ptxcases {CASES}/ops.txt --check {CASES}/ops.h200', 300),
    'random': Suite('build/bin/ptxrandom build/lib/libcudart.so.13',
                    f'build/bin/ptxrandom --check {CASES}/random.h200', 600),
    'harness': Suite('build/test/harness build/test/testlab build/lib/libcudart.so.13',
                     'build/test/harness --fail-fast -j{j} --timeout 120', 600),
    'labs': Suite(LABS, ' && '.join(LABS.split()), 300),
    'grading': Suite('build/test/grading grading',
                     f"build/test/grading --fail-fast -j{{j}} --timeout 120 --filter '{FAST}'", 600),
    'threats': Suite('build/test/grading grading',
                     "build/test/grading --fail-fast -j{j} --timeout 120 "
                     "--filter '@(threats|gpu_path)/*'", 900),
}
# Area: files, the suites that should catch a fault of theirs, the fastest first, and those that
# take long, for survivors alone (--again).
AREAS = {
    'interpreter': (['common/emulator/code/*', 'common/emulator/exec/*'],
                    ['emulator', 'cases', 'harness'], ['random']),
    'emulator': (['common/emulator/*'], ['emulator', 'cases', 'harness'], []),
    'harness': (['common/base/*', 'common/lab/*', 'common/run/*', 'common/harness/*'],
                ['harness', 'labs', 'grading'], ['threats']),
    'grader': (['grading/*'], ['grading', 'threats'], []),
}
LEFT_OUT = ['*_test.c', '*_fuzz.c', '*/arm64/*', '*/cases/*', '*/programs/*', '*/testdata/*',
            '*/testlab.c', '*/bench_main.c', '*/fast_clock.c']

# ---- tokens ----

TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<directive>(?<![^\n])[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|\.\.\.|[^\s\w])
''', re.X | re.S)

Token = collections.namedtuple('Token', 'kind text start end code')
Mutant = collections.namedtuple('Mutant', 'file line how start end text')

KEYWORDS = set('if for while switch return sizeof do else case default goto struct union enum '
               'static const extern typedef unsigned signed void char int long short float double '
               'bool break continue inline volatile register'.split())


def define_body(directive, start):
    """Tokens of a macro's body; of other directives none."""
    head = re.match(r'[ \t]*#[ \t]*define[ \t]+\w+(\([^)]*\))?', directive)
    if head:
        for m in TOKEN.finditer(directive, head.end()):
            if m.lastgroup in ('number', 'name', 'op') and m.group() != '\\':
                yield Token(m.lastgroup, m.group(), start + m.start(), start + m.end(), True)


def tokens(source):
    """Each with whether it is in code, as opposed to a table or a type."""
    found, code = [], []
    for m in TOKEN.finditer(source):
        kind, text = m.lastgroup, m.group()
        if kind == 'directive':
            found += define_body(text, m.start())
        if kind in ('comment', 'directive'):
            continue
        if text == '{':
            before = found[-1] if found else None
            spaced = before and source[before.end:m.start()] != ''  # not (type){
            code.append(bool(before) and (
                (before.text == ')' and spaced) or before.text in ('else', 'do') or
                (bool(code) and code[-1] and before.text in ';{}:')))
        found.append(Token(kind, text, m.start(), m.end(), bool(code) and code[-1]))
        if text == '}' and code:
            code.pop()
    return found


# ---- mutants ----

SWAPS = {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
         '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
         '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'],
         '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'], '^': ['&'],
         '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='], '|=': ['&='], '&=': ['|='],
         '<<=': ['>>='], '>>=': ['<<='], '++': ['--'], '--': ['++']}
COMPARISONS = ('<', '<=', '>', '>=', '==', '!=')
UNSEEN_CALL = re.compile(r'(free|fclose|closedir|va_end|\w*_free|\w*_delete|\w*destroy\w*|json_decref|'
                         r'\w*finalize|\w*_(un)?lock|setbuf|\w*madvise)\s*\(')
UNSEEN_LINE = re.compile(r'\w*(alloc|realloc|strdup)\w*\(|static_assert|_Static_assert|__attribute__'
                         r'|#\s*include')
LOCAL_ARRAY = re.compile(r'\s*(static |const |unsigned |struct |char |u?int\w* |int |double |'
                         r'float |bool )[^=;()]*\[')
STATEMENT = re.compile(r'(\(?\*?[A-Za-z_]\w*(\s*(\.|->|\[|\(|[-+*/%&|^]?=[^=]|<<=|>>=|\+\+|--))'
                       r'|(break|continue|return)\b)')


def operator_mutants(source, t):
    spaced = source[t.start - 1] in ' \n' and source[t.end] in ' \n'
    if t.text not in ('++', '--') and not spaced:  # unary, or a pointer's star
        return
    how = ('comparison' if t.text in COMPARISONS else 'condition' if t.text in ('&&', '||')
           else 'operator')
    for other in SWAPS[t.text]:
        yield how, t.start, t.end, other


def number_mutants(t):
    m = re.fullmatch(r'(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)', t.text)
    if not m:
        if re.fullmatch(r'[\d.eE+-]+f?', t.text):
            yield 'constant', t.start, t.end, f'({t.text} * 1.5 + 1)'
        return
    value = int(m[1], 16 if m[1][:2] in ('0x', '0X') else 8 if m[1][0] == '0' else 10)
    for other in {value + 1, max(value - 1, 0)} - {value}:
        yield 'constant', t.start, t.end, f'{other}{m[2]}'


def closing(found, i):
    """Index of the bracket that closes the one at i."""
    depth = 0
    for k in range(i, len(found)):
        if found[k].text in '([{':
            depth += 1
        elif found[k].text in ')]}':
            depth -= 1
            if depth == 0:
                return k
    return None


def negation(found, i):
    if found[i].text not in ('if', 'while') or found[i + 1].text != '(':
        return
    k = closing(found, i + 1)
    if k:
        yield 'negation', found[i + 1].end, found[k].start, None


def dropped(source, found, i):
    t, before = found[i], found[i - 1]
    if before.text not in (';', '{', '}', ')', 'else', ':') or not STATEMENT.match(source, t.start):
        return
    if t.text in KEYWORDS and t.text not in ('break', 'continue', 'return'):
        return
    line_start = source.rfind('\n', 0, t.start) + 1
    if source[line_start:t.start].strip() or UNSEEN_CALL.match(source, t.start):
        return
    depth = 0
    for k in range(i, min(i + 200, len(found))):
        if found[k].text in '([{':
            depth += 1
        elif found[k].text in ')]}':
            depth -= 1
        if depth < 0:
            return
        if depth == 0 and found[k].text == ';':
            yield 'statement', t.start, found[k].end, '{}'
            return


def swapped(source, found, i):
    if found[i].text in KEYWORDS or found[i + 1].text != '(' or found[i].kind != 'name':
        return
    end = closing(found, i + 1)
    if not end or found[i - 1].kind == 'name':
        return
    cuts, depth = [i + 1], 0
    for k in range(i + 1, end + 1):
        depth += (found[k].text in '([{') - (found[k].text in ')]}')
        if depth == 1 and found[k].text == ',':
            cuts.append(k)
    cuts.append(end)
    args = [(found[a + 1].start, found[b - 1].end) for a, b in zip(cuts, cuts[1:]) if b > a + 1]
    for (a, b), (c, d) in zip(args, args[1:]):
        if source[a:b] != source[c:d]:
            yield 'arguments', a, d, source[c:d] + source[b:c] + source[a:b]


def changes(source):
    found = tokens(source)
    for i, t in enumerate(found[:-2]):
        if t.kind == 'number':
            yield from number_mutants(t)
        elif t.text in ('true', 'false'):
            yield 'constant', t.start, t.end, 'false' if t.text == 'true' else 'true'
        if not t.code or i == 0:
            continue
        if t.text in SWAPS and t.kind == 'op':
            yield from operator_mutants(source, t)
        elif t.kind == 'name':
            for how, a, b, text in negation(found, i):
                yield how, a, b, f'!({source[a:b]})'
            yield from dropped(source, found, i)
            yield from swapped(source, found, i)
        elif t.text in ('*', '('):
            yield from dropped(source, found, i)


def line_at(source, at):
    start = source.rfind('\n', 0, at) + 1
    end = source.find('\n', at)
    return source[start:end if end >= 0 else len(source)]


def mutants_of(file):
    source = (ROOT / file).read_text()
    for how, a, b, text in changes(source):
        line = line_at(source, a)
        if UNSEEN_LINE.search(line) or (how in ('constant', 'operator') and LOCAL_ARRAY.match(line)):
            continue
        yield Mutant(file, source.count('\n', 0, a) + 1, how, a, b, text)


def apply(source, m):
    return source[:m.start] + m.text + source[m.end:]


def shown(source, m):
    """The line before and after."""
    return line_at(source, m.start).strip(), line_at(apply(source, m), m.start).strip()


# ---- which ones ----

def everything():
    """Files below ROOT, where git cannot say which are the project's."""
    for folder, below, names in os.walk(ROOT):
        below[:] = [d for d in below if d not in ('.git', '.venv', '__pycache__') and
                    (folder, d) != (str(ROOT), 'build')]
        yield from (os.path.relpath(os.path.join(folder, n), ROOT) for n in names)


def tracked():
    try:
        out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return sorted(everything())
    return [f for f in out.split('\0') if f and (ROOT / f).is_file()]


def area_of(file):
    for area, (globs, *_) in AREAS.items():
        if any(fnmatch.fnmatch(file, g) for g in globs):
            return area
    return None


def candidates(globs):
    wanted = globs or ['*.c']
    return [f for f in tracked()
            if f.endswith(('.c', '.h')) and area_of(f) and
            any(fnmatch.fnmatch(f, g) for g in wanted) and
            not any(fnmatch.fnmatch(f, g) for g in LEFT_OUT)]


def sample(globs, count, seed):
    """Areas in turn; of an area any line with mutants, of a line any mutant."""
    lines = {area: collections.defaultdict(list) for area in AREAS}
    for f in candidates(globs):
        for m in mutants_of(f):
            lines[area_of(f)][f, m.line].append(m)
    rng, chosen = random.Random(seed), []
    order = {a: rng.sample(sorted(l), len(l)) for a, l in lines.items()}
    while len(chosen) < count and any(order.values()):
        for area in AREAS:
            if order[area] and len(chosen) < count:
                chosen.append(rng.choice(lines[area][order[area].pop()]))
    return chosen


def again(table):
    chosen, sources = [], {}
    for row in open(table):
        _, file, _, how, result, _, old, new = row.rstrip('\n').split('\t')
        if result != 'survived' or not (ROOT / file).is_file():
            continue
        source = sources.setdefault(file, (ROOT / file).read_text())
        chosen += [m for m in mutants_of(file) if m.how == how and shown(source, m) == (old, new)][:1]
    return chosen


def rows_of(name, columns):
    """Rows of a table beside this file: tabs between, # starts a comment."""
    for n, row in enumerate((HERE / name).read_text().splitlines(), 1):
        if row and not row.startswith('#'):
            cells = row.split('\t')
            if len(cells) != columns:
                sys.exit(f'{name}:{n}: {len(cells)} columns, {columns} expected')
            yield cells


def faults(only):
    for name, suite, file, old, new in rows_of('faults.txt', 5):
        if fnmatch.fnmatch(name, only or '*'):
            old, new = (s.replace('\\n', '\n').replace('\\t', '\t') for s in (old, new))
            source = (ROOT / file).read_text() if (ROOT / file).is_file() else ''
            at = source.find(old)
            stale = at < 0 or source.count(old) > 1
            yield name, suite, None if stale else Mutant(
                file, source.count('\n', 0, at) + 1, 'fault', at, at + len(old), new)


# ---- building and testing ----

class OutOfTime(Exception):
    pass


class Place:
    """Where one job works: a tree, a log and a folder for temporary files of its own."""

    def __init__(self, n, jobs, end=None):
        self.top = SCRATCH / str(n)
        self.tree, self.log, self.tmp = self.top / 'tree', self.top / 'log', self.top / 'tmp'
        self.j = max(2, CORES // jobs)
        self.end = end  # when everything must be over
        self.env = dict(ENV, TMPDIR=str(self.tmp))
        if jobs > 1:
            self.env['WARPLAB_THREADS'] = str(self.j)

    def copy_of(self, model):
        """The model's tree, with what was built in it: a process that copies."""
        shutil.rmtree(self.top, ignore_errors=True)
        self.top.mkdir(parents=True)
        return subprocess.Popen(['cp', '-a', str(model.tree), str(self.tree)])

    def boxed(self, command):
        """Files can be changed only below the place's own folder and in a /tmp of its own."""
        if not box_works():
            return ['sh', '-c', command]
        return ['bwrap', '--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc',
                '--tmpfs', '/tmp', '--bind', str(self.top), str(self.top), '--die-with-parent',
                'sh', '-c', command]

    def run(self, command, seconds, env):
        """Its status; not 0 when it is not done in time, or leaves the machine too little memory.
        Nothing that it began runs on."""
        shutil.rmtree(self.tmp, ignore_errors=True)
        self.tmp.mkdir()
        with open(self.log, 'a') as log:
            p = subprocess.Popen(command, cwd=self.tree, stdout=log, stderr=log, env=env,
                                 stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            return self.wait(p, time.time() + seconds)
        finally:
            p.kill()
            p.wait()
            end_descendants()

    def wait(self, process, end):
        while time.time() < end:
            try:
                return process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
            if self.end and time.time() > self.end:
                raise OutOfTime
            free = re.search(r'MemAvailable: +(\d+)', pathlib.Path('/proc/meminfo').read_text())
            if free and int(free[1]) < MEMORY_LEFT and memory_of_mine() > MEMORY_LEFT / 2:
                break
        return -1

    def make(self, targets, extra=(), seconds=3600):
        command = ['make', '--no-print-directory', f'-j{self.j}', CC, *extra, *targets.split()]
        return self.run(command, seconds, self.env) == 0

    def passes(self, suite):
        env = dict(self.env, LD_LIBRARY_PATH=str(self.tree / 'build/lib'), WARPLAB_LEVEL=LEVEL)
        return self.run(self.boxed(suite.command.replace('{j}', str(self.j))), suite.seconds, env) == 0


def copy_tree(tree):
    tree.mkdir(parents=True, exist_ok=True)
    listed = tracked()
    keep = {tree / f for f in listed}
    for f in listed:
        to = tree / f
        same = to.is_file() and to.read_bytes() == (ROOT / f).read_bytes()
        if not same:
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / f, to)
            os.utime(to)
    for old in tree.rglob('*'):
        if old.is_file() and old not in keep and 'build' not in old.relative_to(tree).parts:
            old.unlink()
    if (ROOT / '.venv').exists() and not (tree / '.venv').exists():
        (tree / '.venv').symlink_to(ROOT / '.venv')
    (tree / 'build').mkdir(exist_ok=True)
    for f in glob.glob(str(ROOT / 'build/deps*')):  # newer than deps.sh: not asked for again
        shutil.copy(f, tree / 'build')


works = None


def box_works():
    global works
    if works is None:
        works = bool(shutil.which('bwrap')) and subprocess.run(
            ['bwrap', '--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc',
             '--tmpfs', '/tmp', 'true'], stderr=subprocess.DEVNULL).returncode == 0
    return works


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, resource.RLIM_INFINITY))


def own_orphans():
    """Processes whose parent ends become this one's children; this one ends with its own parent."""
    libc = ctypes.CDLL(None)
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    libc.prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG


def descendants():
    """Of this process, as far as they run."""
    children = collections.defaultdict(list)
    for stat in glob.glob('/proc/[0-9]*/stat'):
        try:
            pid, rest = pathlib.Path(stat).read_text().split(' (', 1)
        except (OSError, ValueError):
            continue
        state, parent = rest.rsplit(')', 1)[1].split()[:2]
        if state not in 'ZX':
            children[int(parent)].append(int(pid))
    found = children[os.getpid()]
    for pid in found:
        found += children[pid]
    return found


def end_descendants():
    """Those that come meanwhile, too; none is left when this returns."""
    while True:
        left = descendants()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not left:
            return
        time.sleep(0.01)


def memory_of_mine():
    """kB that this process's descendants hold."""
    total = 0
    for pid in descendants():
        try:
            pages = int(pathlib.Path(f'/proc/{pid}/statm').read_text().split()[1])
            total += pages * (resource.getpagesize() >> 10)
        except OSError:
            pass
    return total


class Changed:
    """The tree with one mutant in it; objects are put back afterwards, newer than all."""

    def __init__(self, place, m):
        self.place, self.m, self.path = place, m, place.tree / m.file
        stem = self.path.stem
        self.objects = [p for p in (place.tree / 'build').rglob(f'{stem}.*o')
                        if m.file.endswith('.c') and re.fullmatch(re.escape(stem) + r'(\.\w+)?\.o', p.name)]

    def __enter__(self):
        self.stat = self.path.stat()
        self.source = self.path.read_text()
        self.saved = [(p, p.read_bytes()) for p in self.objects]
        self.path.write_text(apply(self.source, self.m))
        return self

    def __exit__(self, *_):
        self.path.write_text(self.source)
        if not self.saved:  # a header: newer than all that includes it
            return
        os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))
        for p, content in self.saved:
            p.write_bytes(content)

    def other_levels(self):
        """Objects of exec/ops at levels that are not run: make is told not to build them again."""
        stem = (self.place.tree / 'build' / self.m.file).with_suffix('')
        return [f'-o{os.path.relpath(p, self.place.tree)}' for p in glob.glob(f'{stem}.*.o')
                if not p.endswith(f'.{LEVEL}.o')]

    def same_code(self):
        """Built, and nothing but line information differs."""
        def code(content):
            a = self.place.top / 'a.o'
            a.write_bytes(content)
            subprocess.run(['strip', '-g', str(a)], check=True)
            return a.read_bytes()
        return self.path.suffix == '.c' and bool(self.saved) and all(
            code(p.read_bytes()) == code(old) for p, old in self.saved)


def verdict(place, m, suites):
    place.log.write_text('')
    with Changed(place, m) as tree:
        extra = tree.other_levels()
        for n, name in enumerate(suites):
            if not place.make(SUITES[name].targets, extra, 600):
                return 'no compile'
            if n == 0 and tree.same_code():
                return 'same code'
            if not place.passes(SUITES[name]):
                return name
    return 'survived'


# ---- several at once ----

def worker(place, listed, turn, results):
    """Takes mutants while there are any, and tells what became of each: (its number, result, seconds)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    own_orphans()
    try:
        while not place.end or time.time() < place.end - GRACE:
            with turn.get_lock():
                n, turn.value = turn.value, turn.value + 1
            if n >= len(listed):
                break
            start = time.time()
            try:
                result = verdict(place, *listed[n])
            except OutOfTime:
                result = 'unfinished'
            results.put((n, result, time.time() - start))
        results.put(None)
    finally:
        end_descendants()


def judged(places, listed):
    """(number, result, seconds) of each of (mutant, suites), as they come."""
    places = places[:max(1, len(listed))]
    copies = [p.copy_of(places[0]) for p in places[1:]]
    if any(c.wait() for c in copies):
        sys.exit(f'mutate-c: the tree cannot be copied {len(copies)} times: is there room in {SCRATCH}?')
    turn, results = multiprocessing.Value('i', 0), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=worker, args=(p, listed, turn, results)) for p in places]
    for w in workers:
        w.start()
    try:
        running = len(workers)
        while running:
            try:
                got = results.get(timeout=5)
            except queue.Empty:
                if any(w.exitcode for w in workers):
                    sys.exit('mutate-c: a job has ended early: what it said stands above')
                continue
            if got:
                yield got
            else:
                running -= 1
    finally:
        for w in workers:
            w.terminate()
        for w in workers:
            w.join()


def baseline(places, suites):
    """Everything built in the first place; the suites that pass unchanged: with others nothing can be told."""
    place, good = places[0], []
    own_orphans()
    copy_tree(place.tree)
    alone = Place(1, 1)  # with all cores
    for name in suites:
        place.log.write_text('')
        if alone.make(SUITES[name].targets) and alone.passes(SUITES[name]):
            good.append(name)
            continue
        kept = SCRATCH / f'{name}.log'
        shutil.copy(place.log, kept)
        print(f'LEFT OUT: {name} fails without a mutant: see {os.path.relpath(kept, ROOT)}', flush=True)
    if not good:
        sys.exit('mutate-c: every suite fails without a mutant: see the logs named above')
    return good


# ---- the runs ----

def known_same(m):
    source = (ROOT / m.file).read_text()
    return any(fnmatch.fnmatch(m.file, '*' + file) and shown(source, m) == (old, new)
               for file, old, new, _ in rows_of('same.txt', 4))


def summary(results):
    print()
    for area in [*AREAS, 'all']:
        n = collections.Counter(r for a, r in results if area in (a, 'all'))
        told = sum(n.values()) - n['no compile'] - n['same code'] - n['same']
        caught = told - n['survived']
        if told:
            print(f'{area:11} {sum(n.values()):4} mutants, {told} to be caught: {caught} were '
                  f'({100 * caught / told:.0f} %); ' + ', '.join(f'{r} {k}' for r, k in n.most_common()))


def cells(m):
    """Of a mutant in the table, without the result."""
    row = (area_of(m.file), m.file, m.line, m.how, *shown((ROOT / m.file).read_text(), m))
    return tuple(str(c).replace('\t', ' ') for c in row)


def results_of(table):
    rows = [r.rstrip('\n').split('\t') for r in open(table)] if table.exists() else []
    return {(*r[:4], r[6], r[7]): r[4] for r in rows}


def told(result):
    """A result in words."""
    return {'survived': 'SURVIVED', 'no compile': 'did not build'}.get(
        result, f'caught by {result}' if result in SUITES else result)


def survivors(known):
    left = sorted(row for row, result in known.items() if result == 'survived')
    print(f'\nsurvivors: {len(left)}')
    for _, file, line, how, old, new in left:
        print(f'{file}:{line}: {how}\n    {old}\n    {new}')


def run_sample(chosen, suites_of, table, places, end):
    """What the table has already, of a run that was interrupted, is not done again."""
    known = results_of(table)
    left = [(m, cells(m)) for m in chosen]
    left = [(m, row) for m, row in left if row not in known]
    good = baseline(places, [s for s in SUITES if s in {s for m, _ in left for s in suites_of(m)}])
    listed = [(m, [s for s in suites_of(m) if s in good]) for m, _ in left]
    rows = [row for (m, row), (_, suites) in zip(left, listed) if suites]
    listed = [(m, suites) for m, suites in listed if suites]
    began, done = time.time(), 0
    print(f'{len(listed)} mutants, {len(places)} at once'
          f'{f", {end - GRACE - began:.0f} s left to begin them" if end else ""}', flush=True)
    with open(table, 'a') as out:
        for n, result, seconds in judged(places, listed):
            done += 1
            row, m = rows[n], listed[n][0]
            if result == 'survived' and known_same(m):
                result = 'same'
            print(f'{done}/{len(listed)} {m.file}:{m.line}: {m.how}: {told(result)} ({seconds:.0f} s)\n'
                  f'    {row[4]}\n    {row[5]}', flush=True)
            if result != 'unfinished':
                known[row] = result
                out.write('\t'.join((*row[:4], result, f'{seconds:.1f}', *row[4:])) + '\n')
                out.flush()
    survivors(known)
    summary([(row[0], result) for row, result in known.items()])
    print(f'{done} in {time.time() - began:.0f} s; of {len(left)} drawn {len(left) - done} were not begun')
    print(f'all of it: {os.path.relpath(table, ROOT)}')


def run_faults(only, places):
    listed = list(faults(only))
    if not listed:
        sys.exit(f'mutate-c: faults.txt has no fault "{only}"')
    good = baseline(places, [s for s in SUITES if s in {suite for _, suite, _ in listed}])
    fresh = [f for f in listed if f[2] and f[1] in good]
    results = {name: 'its suite fails without a fault' for name, suite, m in listed if m}
    for n, result, _ in judged(places, [(m, [suite]) for _, suite, m in fresh]):
        results[fresh[n][0]] = result
        print(f'{fresh[n][0]}: {told(result)}', flush=True)
    bad = 0
    for name, suite, _ in listed:
        result = results.get(name, 'stale: its text is not in the file once')
        bad += result != suite
        print(f'{"ok  " if result == suite else "FAIL"} {name}: {suite}' +
              ('' if result == suite else f' should catch it: {result}'))
    print(f'{len(listed) - bad} passed, {bad} failed')
    return bad != 0


def main():
    p = argparse.ArgumentParser(description='Do the tests see a fault?')
    p.add_argument('--count', type=int, help='60, or as many as MINUTES allow')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--files', nargs='*', default=[], metavar='GLOB')
    p.add_argument('--again', metavar='TABLE')
    p.add_argument('--faults', nargs='?', const='', metavar='NAME')
    p.add_argument('--jobs', type=int, default=1, metavar='N', help='mutants at once, each in a copy of the tree')
    p.add_argument('--minutes', type=float, metavar='M',
                   help=f'begin none after that, building included; what runs then has {GRACE} s more')
    p.add_argument('--list', action='store_true', help='the sample, not run')
    o = p.parse_args()
    end = time.time() + 60 * o.minutes + GRACE if o.minutes else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what runs is ended on the way out
    os.chdir(ROOT)
    if o.faults is None:
        count = o.count or (1 << 30 if o.minutes else 60)
        chosen = again(o.again) if o.again else sample(o.files, count, o.seed)
    if o.list:
        for m in chosen:
            old, new = shown((ROOT / m.file).read_text(), m)
            print(f'{m.file}:{m.line}: {m.how}\n    {old}\n    {new}')
        return 0
    places = [Place(n, o.jobs, end) for n in range(1, o.jobs + 1)]
    if o.faults is not None:
        return run_faults(o.faults, places)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    table = SCRATCH / ('table-again.tsv' if o.again else f'table-{o.seed}.tsv')
    if o.again:
        table.unlink(missing_ok=True)
    run_sample(chosen, lambda m: sum(AREAS[area_of(m.file)][1:] if o.again else
                                     AREAS[area_of(m.file)][1:2], []), table, places, end)
    return 0


if __name__ == '__main__':
    sys.exit(main())
