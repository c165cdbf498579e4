#!/usr/bin/env python3
"""workflow.py - the steps of .github/workflows/test.yml in bare systems, as a runner takes them.

    common/workflow.py OUT [JOB [WORD…]]    all jobs, or one; WORD narrows its matrix (clang, debian:13)
    common/workflow.py --check              only reads it: keys and expressions are known, steps are
                                            the shell's language (a part of `make test-lint`)

Each job becomes one shell script, which common/distros.sh runs in a fresh minimal system (as root,
with debootstrap and python3-yaml). What others' actions do is done here: a checkout is a clone of
what is committed, kept files are looked for and listed. A container's image is the distribution of
that name; ubuntu-24.04, the runner itself, is a Debian with sudo and build-essential, as nearly as
Debian has it: AppArmor's rule on namespaces is not there. A key or a name in an expression that is
not known is an error.
"""
import pathlib
import re
import shlex
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOW = ROOT / ".github/workflows/test.yml"
SUITES = {"debian:12": "bookworm", "debian:13": "trixie", "ubuntu:24.04": "noble"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory"}
JOB_KEYS = {"name", "runs-on", "container", "strategy", "timeout-minutes", "steps"}
TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*(?:\(\))?|==|!=|&&|\|\||!|\(|\))")

PROLOGUE = """\
export GITHUB_WORKSPACE=/__w/warplab/warplab RUNNER_TEMP=/__w/_temp CI=true GITHUB_ACTIONS=true
export GITHUB_ENV=/__w/env GITHUB_PATH=/__w/path GITHUB_OUTPUT=/__w/output DEBIAN_FRONTEND=noninteractive
mkdir -p "$GITHUB_WORKSPACE" "$RUNNER_TEMP" /github/home
touch "$GITHUB_ENV" "$GITHUB_PATH" "$GITHUB_OUTPUT"
failed=0
run_as() { "$@"; }
step() { # NAME always|failure SHELL: the script on the standard input
    cat >/__w/step
    if [ $failed = 1 ] && [ "$2" != failure ] || [ $failed = 0 ] && [ "$2" = failure ]; then
        echo "== left out: $1" && return
    fi
    echo "== $1" && start=$(date +%s) ended=0
    (cd "$GITHUB_WORKSPACE" && set -a && . "$GITHUB_ENV" && PATH=$(tac "$GITHUB_PATH" | tr '\\n' ':')$PATH &&
     export PATH && run_as $3 /__w/step) </dev/null || ended=$?
    echo "== $1: exit status $ended, $(($(date +%s) - start)) s"
    [ $ended = 0 ] || failed=1
}
"""
# The runner's own machine: a user with sudo, and what its image has of what is used here.
MACHINE = """\
apt-get update -q && apt-get install -y -q --no-install-recommends sudo git make build-essential python3 python3-venv >/dev/null || exit 2
useradd -m -u 1001 runner && echo 'runner ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/runner
chown -R runner /__w
run_as() { HOME=/home/runner setpriv --reuid runner --regid runner --init-groups "$@"; }
"""
CONTAINER = "export HOME=/github/home\n"
# As in a container, the folder belongs to another user than root.
CHECKOUT = """\
cp -R /source/. "$GITHUB_WORKSPACE" && chown -R 1001 "$GITHUB_WORKSPACE"
"""


class Unknown(Exception):
    pass


def value(text, names):
    """Of an expression between ${{ and }}."""
    words, at = [], 0
    while text[at:].strip():
        m = TOKEN.match(text, at)
        if not m:
            raise Unknown(f"what is {text[at:].strip()!r}?")
        word, at = m.group(1), m.end()
        if word[0] == "'":
            words.append(repr(word[1:-1].replace("''", "'")))
        elif word in ("&&", "||", "!"):
            words.append({"&&": "and", "||": "or", "!": "not"}[word])
        elif word in ("==", "!=", "(", ")"):
            words.append(word)
        elif word in names:
            words.append(repr(names[word]))
        else:
            raise Unknown(f"what is {word}?")
    return eval(" ".join(words), {"__builtins__": {}})  # literals and operators alone


def filled(text, names):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(value(m.group(1), names)), str(text), flags=re.S)


def known(what, have, keys):
    if set(have) - keys:
        raise Unknown(f"{what}: not known: {', '.join(sorted(map(str, set(have) - keys)))}")


def here(name, when, shell, body):
    return f"step {shlex.quote(name)} {when} {shlex.quote(shell)} <<'END_OF_STEP'\n{body.rstrip()}\nEND_OF_STEP\n"


def composite(path, given, names):
    """The steps of an action of this repository."""
    action = yaml.safe_load((ROOT / path / "action.yml").read_text())
    known(path, action, {"name", "description", "author", "inputs", "outputs", "runs"})
    known(path, given, set(action["inputs"]))
    inner = {"github.action_path": f"/__w/warplab/warplab/{path}"}
    for name, row in action["inputs"].items():
        inner[f"inputs.{name}"] = filled(given.get(name, row.get("default", "")), names)
    for step in action["runs"]["steps"]:
        if "shell" not in step:
            raise Unknown(f"{path}: a step of an action says its shell")
        yield from lines_of(step, inner, "")
        inner[f"steps.{step.get('id')}.outputs.prefix"] = ""
    for row in action.get("outputs", {}).values():
        filled(row["value"], inner)


def kept(paths):
    return "\n".join(f"ls -d {p} || true" for p in paths.split())


def lines_of(step, names, shell):
    known(str(step), step, STEP_KEYS)
    when = "always"
    if step.get("if") == "failure()":
        when = "failure"
    elif "if" in step and not value(step["if"], names):
        return
    name = step.get("name") or step.get("uses") or step["run"].strip().splitlines()[0]
    name, uses = filled(name, names), step.get("uses", "")
    if uses.startswith("actions/checkout@"):
        yield here(name, when, "sh -e", CHECKOUT)
    elif uses.startswith("actions/upload-artifact@"):
        filled(step["with"]["name"], names)
        yield here(name, when, "sh", kept(step["with"]["path"]))
    elif uses.startswith("./"):
        yield from composite(uses[2:], step.get("with", {}), names)
    elif uses:
        raise Unknown(f"what does {uses} do?")
    else:
        shell = step.get("shell", shell)
        env = "".join(f"export {k}={shlex.quote(filled(v, names))}\n" for k, v in step.get("env", {}).items())
        command = {"bash": "bash --noprofile --norc -eo pipefail", "": "bash -e"}.get(shell, f"{shell} -e")
        yield here(name, when, command, env + filled(step["run"], names))


def scripts(flow, only, words):
    for job_name, job in flow["jobs"].items():
        known(job_name, job, JOB_KEYS)
        if only not in (None, job_name):
            continue
        for index, row in enumerate(job.get("strategy", {}).get("matrix", {}).get("include", [{}])):
            names = {f"matrix.{k}": v for k, v in row.items()} | {"strategy.job-index": index}
            container = job.get("container")
            image = container["image"] if isinstance(container, dict) else container
            image = filled(image or "", names)
            title = filled(job.get("name", job_name), names)
            if not all(w in title for w in words):
                continue
            text = PROLOGUE + (CONTAINER if image else MACHINE)
            for step in job["steps"]:  # what has no shell of its own runs in sh in a container
                text += "".join(lines_of(step, names, "sh" if image else ""))
            yield title, SUITES[image] if image else "bookworm", text + "exit $failed\n"


def parses(script):
    steps = re.findall(r"^step [^\n]* <<'END_OF_STEP'\n(.*?)^END_OF_STEP$", script, re.M | re.S)
    return steps and all(subprocess.run(["bash", "-n"], input=s, text=True).returncode == 0 for s in [script, *steps])


def main():
    flow = yaml.safe_load(FLOW.read_text())
    if sys.argv[1:] == ["--check"]:
        found = list(scripts(flow, None, []))
        bad = [title for title, _, text in found if not parses(text)]
        print(f"workflow: {len(found) - len(bad)} passed, {len(bad)} failed", *bad)
        return len(bad) > 0
    out, only, words = pathlib.Path(sys.argv[1]), (sys.argv[2:] or [None])[0], sys.argv[3:]
    out.mkdir(parents=True, exist_ok=True)
    found = list(scripts(flow, only, words))
    if not found:
        sys.exit(f"workflow: no job {only} {' '.join(words)}; there are: {' '.join(flow['jobs'])}")
    rows, worst = [], 0
    for title, suite, text in found:
        name = re.sub(r"[^\w.]+", "-", title)
        script = out / f"{name}.sh"
        script.write_text(text)
        with open(out / f"{name}.log", "wb") as log:
            status = subprocess.run([ROOT / "common/distros.sh", "--script", script, out, suite],
                                    stdout=log, stderr=subprocess.STDOUT).returncode
        said = (out / f"{name}.log").read_text(errors="replace")
        rows.append(f"{title}: {'no mirror known here' if status == 3 else f'exit status {status}'} ({out}/{name}.log)")
        rows += [f"    {m}" for m in re.findall(r"^== (.*(?:exit status|left out).*)", said, re.M)]
        print("\n".join(rows), flush=True)
        rows, worst = [], max(worst, status)
    return worst


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unknown as e:
        sys.exit(f"workflow: {e}")
