#!/usr/bin/env python3
"""mutate_c.py - do the tests see a fault? Of the project's own C, on demand (make mutate-c).

    mutate_c.py [--count N] [--seed S] [--files GLOB…]   a sample of mutants
    mutate_c.py --again TABLE                            those that survived in an earlier table,
                                                         and slower suites, too
    mutate_c.py --faults [GLOB]                          faults.txt: each must be caught

A mutant is one token or statement changed: a comparison, an operator, a constant off by one,
a condition negated, a statement dropped, two arguments swapped. It is built and tested in a
copy of the tree, build/mutate-c/tree, inside bubblewrap where there is one: whatever it does,
files outside of build/mutate-c stay as they are. Suites run in order of speed, up to the first
that fails; the table (build/mutate-c/table-SEED.tsv) says which. same.txt lists mutants that
mean the same, and why. Nothing else of the repository uses this.

Not changed: comments, strings, preprocessor lines other than a macro's body, tests, and what
no test could see: sizes of local arrays, allocations, frees and locks.
Not modelled: exec/ops is built and run at one level only.
"""
import argparse
import collections
import fnmatch
import glob
import os
import pathlib
import platform
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
TREE = SCRATCH / 'tree'
LEVEL = 'v2' if platform.machine() == 'x86_64' else 'base'
CASES = 'common/emulator/cases'
ENV = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
CC = ['CC=ccache gcc'] if shutil.which('ccache') else []
CPU_SECONDS = 120  # of one process: a loop that does not end
MEMORY_LEFT = 3 << 20  # kB
FAST = '!(bank|sample|threats|gpu_path)/*'  # bank and sample take minutes: left out

LABS = ' '.join(f'build/test/lab_{f.name[:-7]}' for f in sorted(ROOT.glob('labs/*/*_test.c')))

# seconds: far more than it takes, as other work may keep the machine busy
Suite = collections.namedtuple('Suite', 'targets command seconds')
SUITES = {
    'emulator': Suite('build/test/emulator build/lib/libcudart.so.13',
                      'build/test/emulator --fail-fast --timeout 120', 600),
    'cases': Suite('build/bin/ptxcases build/lib/libcudart.so.13',
                   f'build/bin/ptxcases {CASES}/ops.txt --check {CASES}/ops.h200', 300),
    'random': Suite('build/bin/ptxrandom build/lib/libcudart.so.13',
                    f'build/bin/ptxrandom --check {CASES}/random.h200', 600),
    'harness': Suite('build/test/harness build/test/testlab build/lib/libcudart.so.13',
                     'build/test/harness --fail-fast --timeout 120', 600),
    'labs': Suite(LABS, ' && '.join(LABS.split()), 300),
    'grading': Suite('build/test/grading grading',
                     f"build/test/grading --fail-fast -j2 --timeout 120 --filter '{FAST}'", 600),
    'threats': Suite('build/test/grading grading',
                     "build/test/grading --fail-fast -j2 --timeout 120 "
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

def tracked():
    out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=ROOT,
                         stdout=subprocess.PIPE, check=True).stdout.decode()
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

def copy_tree():
    TREE.mkdir(parents=True, exist_ok=True)
    listed = tracked()
    keep = {TREE / f for f in listed}
    for f in listed:
        to = TREE / f
        same = to.is_file() and to.read_bytes() == (ROOT / f).read_bytes()
        if not same:
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / f, to)
            os.utime(to)
    for old in TREE.rglob('*'):
        if old.is_file() and old not in keep and 'build' not in old.relative_to(TREE).parts:
            old.unlink()
    if (ROOT / '.venv').exists() and not (TREE / '.venv').exists():
        (TREE / '.venv').symlink_to(ROOT / '.venv')
    if not (TREE / 'build').exists() and (ROOT / 'build/deps.mk').exists():
        (TREE / 'build').mkdir()
        for f in glob.glob(str(ROOT / 'build/deps*')):
            shutil.copy2(f, TREE / 'build')


def other_levels(file):
    """Objects of exec/ops at levels that are not run: make is told not to build them again."""
    stem = (TREE / 'build' / file).with_suffix('')
    return [f'-o{os.path.relpath(p, TREE)}' for p in glob.glob(f'{stem}.*.o')
            if not p.endswith(f'.{LEVEL}.o')]


def make(targets, extra, log):
    command = ['make', '--no-print-directory', '-j2', *CC, *extra, *targets.split()]
    return subprocess.run(command, cwd=TREE, stdout=log, stderr=log, env=ENV).returncode == 0


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, resource.RLIM_INFINITY))


def boxed(command):
    """Files can be changed only below SCRATCH and in a /tmp of its own."""
    if not shutil.which('bwrap'):
        return ['sh', '-c', command]
    return ['bwrap', '--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc',
            '--tmpfs', '/tmp', '--bind', str(SCRATCH), str(SCRATCH), '--die-with-parent',
            'sh', '-c', command]


def wait(process, seconds):
    """Its status; not 0 when it is not done in time, or leaves the machine too little memory."""
    for _ in range(2 * seconds):
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            free = re.search(r'MemAvailable: +(\d+)', pathlib.Path('/proc/meminfo').read_text())
            if free and int(free[1]) < MEMORY_LEFT:
                break
    return -1


def passes(suite, log):
    env = dict(ENV, LD_LIBRARY_PATH=str(TREE / 'build/lib'), WARPLAB_LEVEL=LEVEL)
    p = subprocess.Popen(boxed(suite.command), cwd=TREE, stdout=log, stderr=log, env=env,
                         stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
    try:
        return wait(p, suite.seconds) == 0
    finally:
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()


class Changed:
    """The tree with one mutant in it; objects are put back afterwards, newer than all."""

    def __init__(self, m):
        self.m, self.path = m, TREE / m.file
        stem = self.path.stem
        self.objects = [p for p in (TREE / 'build').rglob(f'{stem}.*o')
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

    def same_code(self):
        """Built, and nothing but line information differs."""
        def code(content):
            a = SCRATCH / 'a.o'
            a.write_bytes(content)
            subprocess.run(['strip', '-g', str(a)], check=True)
            return a.read_bytes()
        return self.path.suffix == '.c' and bool(self.saved) and all(
            code(p.read_bytes()) == code(old) for p, old in self.saved)


def verdict(m, suites, log):
    with Changed(m) as tree:
        extra = other_levels(m.file)
        for n, name in enumerate(suites):
            if not make(SUITES[name].targets, extra, log):
                return 'no compile'
            if n == 0 and tree.same_code():
                return 'same code'
            if not passes(SUITES[name], log):
                return name
    return 'survived'


def baseline(suites):
    """Everything built, and every suite passes unchanged: otherwise nothing can be told."""
    with open(SCRATCH / 'log', 'w') as log:
        for name in suites:
            if not make(SUITES[name].targets, [], log) or not passes(SUITES[name], log):
                sys.exit(f'mutate-c: {name} fails without a mutant: {SCRATCH}/log')


# ---- the runs ----

def known_same(m):
    source = (ROOT / m.file).read_text()
    return any(fnmatch.fnmatch(m.file, '*' + file) and shown(source, m) == (old, new)
               for file, old, new, _ in rows_of('same.txt', 4))


def summary(results):
    print()
    for area in [*AREAS, 'all']:
        n = collections.Counter(r for a, r in results if area in (a, 'all'))
        judged = sum(n.values()) - n['no compile'] - n['same code'] - n['same']
        caught = judged - n['survived']
        if judged:
            print(f'{area:10} {sum(n.values()):4} mutants, {judged} to be caught: {caught} were '
                  f'({100 * caught / judged:.0f} %); ' + ', '.join(f'{r} {k}' for r, k in n.most_common()))


def cells(m):
    """Of a mutant in the table, without the result."""
    row = (area_of(m.file), m.file, m.line, m.how, *shown((ROOT / m.file).read_text(), m))
    return tuple(str(c).replace('\t', ' ') for c in row)


def results_of(table):
    rows = [r.rstrip('\n').split('\t') for r in open(table)] if table.exists() else []
    return {(*r[:4], r[6], r[7]): r[4] for r in rows}


def run_sample(chosen, suites_of, table):
    """What the table has already, of a run that was interrupted, is not done again."""
    known = results_of(table)
    left = [m for m in chosen if cells(m) not in known]
    baseline([s for s in SUITES if s in {s for m in left for s in suites_of(m)}])
    with open(table, 'a') as out:
        for n, m in enumerate(left, 1):
            row, start = cells(m), time.time()
            with open(SCRATCH / 'log', 'w') as log:
                result = 'same' if known_same(m) else verdict(m, suites_of(m), log)
            known[row] = result
            seconds = f'{time.time() - start:.1f}'
            out.write('\t'.join((*row[:4], result, seconds, *row[4:])) + '\n')
            out.flush()
            if result == 'survived':
                print(f'{n}/{len(left)} {m.file}:{m.line}: survived: {m.how}\n    {row[4]}\n    {row[5]}',
                      flush=True)
    summary([(row[0], result) for row, result in known.items()])
    print(f'all of it: {os.path.relpath(table, ROOT)}')


def run_faults(only):
    listed = list(faults(only))
    if not listed:
        sys.exit(f'mutate-c: faults.txt has no fault "{only}"')
    baseline([s for s in SUITES if s in {suite for _, suite, _ in listed}])
    bad = 0
    for name, suite, m in listed:
        result = 'stale: its text is not in the file once'
        if m:
            with open(SCRATCH / 'log', 'w') as log:
                result = verdict(m, [suite], log)
        bad += result != suite
        print(f'{"ok  " if result == suite else "FAIL"} {name}: {suite}' +
              ('' if result == suite else f' should catch it: {result}'), flush=True)
    print(f'{len(listed) - bad} passed, {bad} failed')
    return bad != 0


def main():
    p = argparse.ArgumentParser(description='Do the tests see a fault?')
    p.add_argument('--count', type=int, default=60)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--files', nargs='*', default=[], metavar='GLOB')
    p.add_argument('--again', metavar='TABLE')
    p.add_argument('--faults', nargs='?', const='', metavar='NAME')
    p.add_argument('--list', action='store_true', help='the sample, not run')
    o = p.parse_args()
    os.chdir(ROOT)
    if o.faults is None:
        chosen = again(o.again) if o.again else sample(o.files, o.count, o.seed)
    if o.list:
        for m in chosen:
            old, new = shown((ROOT / m.file).read_text(), m)
            print(f'{m.file}:{m.line}: {m.how}\n    {old}\n    {new}')
        return 0
    copy_tree()
    if o.faults is not None:
        return run_faults(o.faults)
    table = SCRATCH / ('table-again.tsv' if o.again else f'table-{o.seed}.tsv')
    if o.again:
        table.unlink(missing_ok=True)
    run_sample(chosen, lambda m: sum(AREAS[area_of(m.file)][1:] if o.again else
                                     AREAS[area_of(m.file)][1:2], []), table)
    return 0


if __name__ == '__main__':
    sys.exit(main())
