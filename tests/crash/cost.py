#!/usr/bin/env python3
"""The cost of a stage beyond its own process: `cost.py ORCHESTRATE [N] [ROUNDS]`.

N trivial stages (touch one file), two at a time, with journal and guardians, next to ninja, GNU
parallel and a shell loop, interleaved in one run. Medians over the rounds, and their ratios to
ninja's. A benchmark, not a test.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import engines

LIMIT_S = 1800

RUNNER = """
runner: touch
parameters:
  number: {type: integer, default: 1}
stages:
  touch:
    kind: task
    reads: [number]
    argv: @argv@
    outputs: [done]
""" + engines.never_started(
    "touch"
)


def loop(folder, count):
    return ["sh", "-c", f"i=0; while [ $i -lt {count} ]; do i=$((i+1)); /bin/touch out/$i; done"]


def ninja(folder, count):
    lines = ["rule touch", "  command = /bin/touch $out"]
    lines += [f"build out/{number}: touch" for number in range(1, count + 1)]
    (folder / "build.ninja").write_text("\n".join(lines) + "\n")
    return ["ninja", "-j2", "--quiet"]


def parallel(folder, count):
    (folder / "numbers").write_text("".join(f"{number}\n" for number in range(1, count + 1)))
    return [
        "parallel",
        "--will-cite",
        "-j2",
        "--joblog",
        "joblog",
        "-a",
        "numbers",
        "/bin/touch",
        "out/{}",
    ]


def orchestrate(folder, count):
    runner = folder / "runners" / "touch"
    runner.mkdir(parents=True)
    # An output must not be empty, so it is a copy of one byte.
    (folder / "byte").write_text("x")
    (runner / "runner.yaml").write_text(
        RUNNER.replace("@argv@", f'[/bin/cp, {folder}/byte, "{{out}}/done"]')
    )
    (folder / "touch.yaml").write_text(
        "name: touch\nrunner: touch\naxes:\n  number: ["
        + ", ".join(str(number) for number in range(1, count + 1))
        + "]\n"
    )
    return [sys.argv[1], "run", "touch.yaml", "--jobs", "2", "--until", "touch"]


def wall_s(prepare, count):
    with tempfile.TemporaryDirectory(
        prefix="orchestrate-cost-", dir=os.environ.get("ORCH_CRASH_FOLDER", "/tmp")
    ) as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        command = prepare(folder, count)
        with open(folder / "log", "w") as log:
            begun = time.monotonic()
            code = subprocess.run(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=LIMIT_S,
            ).returncode
            taken = time.monotonic() - begun
        if code != 0:
            sys.exit(
                f"{command[0]} ended with exit status {code}: "
                + (folder / "log").read_text()[-1000:]
            )
        return taken


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit("usage: cost.py ORCHESTRATE [N] [ROUNDS]")
    sys.argv[1] = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    engines = {"shell loop": loop, "ninja": ninja, "parallel": parallel, "orchestrate": orchestrate}
    engines = {
        name: prepare
        for name, prepare in engines.items()
        if name in ("shell loop", "orchestrate") or shutil.which(name)
    }
    times = {name: [] for name in engines}
    for _ in range(rounds):
        for name, prepare in engines.items():
            times[name].append(wall_s(prepare, count))
    base = statistics.median(times["ninja"]) if "ninja" in times else None
    print(
        f"{count} stages, {rounds} rounds in turn, 2 at a time; ms per stage\n\n| engine | median |"
        " least | most | of ninja's |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for name, taken in times.items():
        per = [value / count * 1000 for value in taken]
        ratio = f"{statistics.median(taken) / base:.2f}" if base else ""
        print(
            f"| {name} | {statistics.median(per):.2f} | {min(per):.2f} | {max(per):.2f} | {ratio} |"
        )


if __name__ == "__main__":
    main()
