#!/usr/bin/env python3
"""named.py - is there what the documents name? Commands, options, files.

    common/named.py [TREE [DOCUMENT…]]      this tree, or another (the students' package), and of its
                                            documents these

Read are code blocks, `code` in a line and links of every document, and the commands in what programs
and scripts say. Of `make TARGET NAME=value` the target, each name, the lab and its kernel must be
there; of a program of build/bin its rule and each --option, of grade its command; of nvcc its folders
and the lab's file, from the top; of a path that begins at the top its file (LAB, NAME, … and * stand
for any); of a link its file and its heading. What a document says that a command does, it is for
others to try.
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if len(sys.argv) > 1 else ROOT.parent.parent
TOP = "labs|common|grading|plots|slides|solutions|\\.github|\\.ci"
ANY = re.compile(r"^(?:…|\.\.\.|[A-Z][A-Z_]*)$")  # what stands for a value
SAYS = {".c", ".h", ".py", ".sh", ".mk", ""}  # files whose text may hold commands
HISTORY = "CHANGELOG.md"  # what was there once
WRITTEN = {"predict.txt"}  # by students
OPTIONS = {"warprun": "common/emulator/tools", "grade": "grading/commands", "": "common/harness/options.c"}


def listed():
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    names = done.stdout.split("\n") if done.returncode == 0 and (ROOT / ".git").exists() else [
        str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]
    names = [n for n in names if n and not re.match(r"build/|\.venv/|\.git/", n) and (ROOT / n).is_file()]
    return sorted(set(names))


FILES = listed()
FOLDERS = {str(p) for n in FILES for p in pathlib.PurePath(n).parents} - {"."}
RULES = "\n".join((ROOT / n).read_text() for n in FILES if n == "Makefile" or n.endswith(".mk"))
SCRIPTS = RULES + "\n".join((ROOT / n).read_text(errors="replace") for n in FILES
                            if re.search(r"\.(sh|py|c)$", n) or "/" in n and "." not in n.rsplit("/", 1)[1])
LABS = [pathlib.PurePath(n).parent.name for n in FILES if re.match(r"labs/\w+/harness\.c$", n)]
TARGETS = {t for line in re.findall(r"^([^\s#=:][^=:\n]*):(?!=)", RULES, re.M) for t in line.split()}
TARGETS |= {t for line in re.findall(r"^\.PHONY:(.*(?:\\\n.*)*)", RULES, re.M) for t in line.replace("\\", " ").split()}
TARGETS |= {"test-" + s for line in re.findall(r"^ *SUITES \+?:?= (.*)", RULES, re.M) for s in line.split()}
PROGRAMS = set(re.findall(r"\$B/bin/([\w-]+)", RULES)) | set(LABS)


def is_kernel(lab, word):
    """A number or a name of the lab's tables."""
    return f'"{word}"' in (ROOT / f"labs/{lab}/harness.c").read_text()


def is_variable(name):
    return re.search(rf"\$[({{]{name}\b|\$\(\w+ [^()]*\$\({name}\)|[\"']{name}[\"']|\${name}\b", SCRIPTS)


def is_option(program, option):
    of = OPTIONS.get(program, OPTIONS[""])
    text = "\n".join((ROOT / n).read_text(errors="replace") for n in FILES if n.startswith(of))
    return re.search(rf'"(?:--)?{option}["= ]|--{option}\b', text)


def is_subcommand(word):
    return any(f'"{word}"' in (ROOT / n).read_text() for n in FILES if n.startswith(OPTIONS["grade"] + "/main"))


def wrong_of_nvcc(words):
    """Its folders are the top's, and a lab's file lies in the lab's."""
    for at, word in enumerate(words):
        folder = words[at + 1] if word == "-I" and at + 1 < len(words) else word[2:] if word.startswith("-I") else None
        if folder and folder not in FOLDERS:
            return f"there is no {folder}"
        if word.endswith(".cu") and "/" not in word and word[:-3] in LABS:
            return f"{word} is in labs/{word[:-3]}"
    return None


def wrong_of_program(path, words):
    program = path.rsplit("/", 1)[-1]
    if program not in PROGRAMS and not ANY.match(program):
        return f"no rule makes build/bin/{program}"
    if program == "grade" and words and re.match(r"[a-z][a-z-]*$", words[0]) and not is_subcommand(words[0]):
        return f"grade has no command {words[0]}"
    for word in words:
        if not word.startswith("-"):
            if not re.match(r"(batch|export|report|stats|[a-z-]+)$", word):
                break  # what comes behind a program's own words is another's
            continue
        option = re.match(r"--([a-z][\w-]*)", word)
        if option and not is_option(program, option[1]):
            return f"{program} knows no --{option[1]}"
    return None


def wrong_of_make(words):
    lab, told = None, None
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and re.match(r"[a-z][\w-]*$", word):
            if word not in TARGETS:
                return f"make knows no {word}"
        elif equals and re.match(r"[A-Z_]+$", name):
            if not is_variable(name):
                return f"nobody reads {name}"
            lab = value if name == "LAB" else lab
            told = value if name == "KERNEL" else told
            for option in re.findall(r"--([a-z][\w-]*)", value) if name == "ARGS" else []:
                if not is_option("", option):
                    return f"the labs know no --{option}"
    if lab and lab not in LABS and re.match(r"\w+$", lab) and not ANY.match(lab):
        return f"there is no lab {lab}"
    for kernel in told.split(",") if told and lab in LABS else []:
        if not ANY.match(kernel) and not is_kernel(lab, kernel):
            return f"{lab} has no kernel {kernel}"
    return None


def wrong_of_path(path):
    path = path.rstrip("/")
    if path in FOLDERS or path in FILES:
        return None
    pattern = re.sub(r"\\\*|…|(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])", r"[^/]+", re.escape(path))
    if any(re.fullmatch(pattern, n) for n in [*FILES, *FOLDERS]) or pathlib.PurePath(path).name in WRITTEN:
        return None
    return f"there is no {path}"


def wrong_of_command(text):
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split("#")[0].split()
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if not words:
        return None
    if words[0] == "make":
        return wrong_of_make(words[1:])
    if re.match(r"(build|\.\./\.\.)/bin/", words[0]) or words[0] in ("grade", "warprun"):
        return wrong_of_program(words[0], words[1:])
    if words[0] == "nvcc" and wrong_of_nvcc(words[1:]):
        return wrong_of_nvcc(words[1:])
    paths = [w for w in words if re.match(rf"(?:{TOP})/[\w./*…-]+$", w)]
    return next((p for p in map(wrong_of_path, paths) if p), None)


def heading(text):
    """The anchor that a heading has."""
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", text).lower()))


def wrong_of_link(document, to):
    if re.match(r"[a-z]+:", to):
        return None
    path, _, anchor = to.partition("#")
    of = (ROOT / document).parent / path if path else ROOT / document
    if not of.exists():
        return f"a link to {to}, which is not there"
    if anchor and heading(anchor) not in [heading(h) for h in re.findall(r"^#+ (.*)$", of.read_text(), re.M)]:
        return f"a link to {to}: no such heading"
    return None


def commands(text):
    """The lines of code blocks, and what is code in a line."""
    blocks = re.findall(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", text, re.M | re.S)
    for kind, block in blocks:
        if kind in ("", "sh", "yaml", "console"):
            yield from (line.strip(" $-").removeprefix("run: ") for line in block.replace("\\\n", " ").splitlines())
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))


def of_document(name):
    text = (ROOT / name).read_text()
    for command in commands(text):
        yield command, wrong_of_command(command)
    prose = re.sub(r"^ *```.*?^ *```|`[^`\n]*`", "", text, flags=re.M | re.S)
    for to in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not name.startswith("slides/") or name.endswith("README.md"):  # a deck's are expanded
            yield to, wrong_of_link(name, to)


def of_source(name):
    """What is said of make by programs: "make run LAB=%s KERNEL=%s"."""
    text = (ROOT / name).read_text(errors="replace")
    for command in re.findall(r"\bmake [a-z][a-z-]+(?: [A-Z_]+=[^\s\"'`,;:)\\]+)+", text):
        yield command, wrong_of_make(command.rstrip(".").split()[1:])


def main():
    passed, failed = 0, 0
    for name in sys.argv[2:] or FILES:
        suffix = pathlib.PurePath(name).suffix
        if suffix == ".md" and not name.endswith(HISTORY):
            said = of_document(name)
        elif suffix in SAYS and not re.search(r"_test\.|/test_|named\.py", name):
            said = of_source(name)
        else:
            continue
        for what, wrong in said:
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                print(f"{name}: {what}: {wrong}")
    if not passed:
        print("nothing was read")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
