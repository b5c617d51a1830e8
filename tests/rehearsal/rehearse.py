"""Executes experiments in three ways on an eight-GPU host in a box, and compares them:

rehearse.py [--sample] [--case NAME]... [--layout NAME]... [--way NAME]... [--trait NAME]...
            [--no-traits] [--sweep NAME] [--orchestrate FILE] [--project DIR] [--nvml FILE]

Prints a row per experiment and layout: equal, different or failed; then the traits and the failure
that each provoked; then the sweep of the case --sweep, which is killed again and again. Ends with 1
if anything is neither equal nor provoked, and with 77 where this machine cannot hold such a host.
--project is the folder of the experiments and runners, by default this project's, so that another
release can be rehearsed."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/docs")]

import backend  # noqa: E402
import host as hosts  # noqa: E402
import images  # noqa: E402
import matrices  # noqa: E402
import pages  # noqa: E402
import sandbox  # noqa: E402
import sweep  # noqa: E402
import traits  # noqa: E402
import ways  # noqa: E402
import yaml  # noqa: E402

BUILD = ROOT / "build/default"
SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--sample", action="store_true")
    for name in ("case", "layout", "way", "trait"):
        parser.add_argument(f"--{name}", action="append", default=[])
    parser.add_argument("--no-traits", action="store_true")
    parser.add_argument("--sweep", metavar="NAME")
    program = os.environ.get("ORCH_BINARY", str(BUILD / "src/orchestrate"))
    parser.add_argument("--orchestrate", default=program)
    parser.add_argument("--project", type=Path, default=ROOT)
    parser.add_argument("--nvml", default=str(BUILD / "tests/liborch_fake_nvml.so"))
    return parser.parse_args()


def cases_of(given):
    """(name, case, layouts, ways) of what is asked for."""
    cases = yaml.safe_load((HERE / "cases.yaml").read_text(encoding="utf-8"))["cases"]
    for name, case in cases.items():
        if given.case and name not in given.case:
            continue
        if "not" in case:
            yield name, case, None, []
            continue
        for layout in case["layouts"]:
            title = title_of(layout)
            chosen = case.get("sample", {}).get(title, []) if given.sample else ways.WAYS
            chosen = [way for way in chosen if not given.way or way in given.way]
            if chosen and (not given.layout or title in given.layout):
                yield name, case, layout, chosen


def prepared(host, given, name, case, layout):
    """The execution of a case, whose matrix is written."""
    folder = host.new_user_folder(f"work/{name}-{title_of(layout)}")
    if layout == "here":
        return prepared_here(host, given, folder, case)
    matrix = matrix_of(case, given.project)
    own = dict(case.get("set", {}))
    if case.get("releases"):
        own["trtllm_version"] = str(images.LAYOUTS[layout]["release"])
    matrix = matrices.merged(matrix, {"defaults": own, **case.get("change", {})})
    pinned = case.get("pinned", True)
    path = matrices.Rehearsed(host, matrix, folder, layout, pinned).write()
    images.write(folder / "site.yaml", "container: {engine: docker}\n")
    runners = given.project / "runners"
    if matrix["runner"] != "triton-trtllm":
        runners = with_stand_in_tokenizers(given.project, folder)
    return ways.Execution(host, given.orchestrate, folder, path, case.get("where"),
                          ["--runners", str(runners)],
                          **host.backend.variables())  # fmt: skip


def matrix_of(case, project):
    """The matrix of a file, or of a block of a page."""
    if "page" not in case:
        return matrices.load(project / case["matrix"], project)
    blocks = {block.words.removeprefix("file="): block.text
              for block in pages.read_blocks(project / case["page"])[0]
              if block.words.startswith("file=")}  # fmt: skip

    def read(file):
        matrix = yaml.safe_load(blocks[file])
        base = matrix.pop("base", None)
        return matrices.merged(read(base), matrix) if base else matrix

    return read(case["matrix"])


def with_stand_in_tokenizers(project, folder):
    """The runners of PROJECT, whose environments for prompts come from no package index."""
    for name in ("runners", "templates"):
        shutil.copytree(project / name, folder / name, symlinks=True,
                        ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    script = folder / "runners/common/scripts/locked_environment.py"
    shutil.copy(sandbox.STAND_IN / "step.py", script)
    modules = folder / ".stand_in"
    modules.mkdir()
    shutil.copy(sandbox.STAND_IN / "tokenizers.py", modules)
    shutil.copy(folder / "runners/common/scripts/corpus.txt", modules)
    return folder / "runners"


def prepared_here(host, given, folder, case):
    """The same in the folder of the documents' commands, where stand-ins need no image."""
    made = sandbox.Sandbox(folder)
    made.copy_project()
    made.place_stand_ins()
    matrix = matrix_of(case, ROOT if "page" in case else folder)
    matrix = matrices.merged(matrix, case.get("change", {}))
    path = matrices.Rehearsed(host, matrix, folder, None).write()
    images.write(folder / "site.yaml", "{}\n")
    subprocess.run(["chown", "--recursive", f"{hosts.USER}:{hosts.USER}", str(folder)], check=True)
    return ways.Execution(host, given.orchestrate, folder, path, case.get("where"),
                          ["--runners", str(folder / "runners")],
                          HOME=str(made.home), ORCH_FAKE_GPUS=None)  # fmt: skip


def title_of(layout):
    return layout if isinstance(layout, str) else "+".join(sorted(set(layout.values())))


def what_failed(text, most=12):
    """The lines around each failure that `run` reports; else the last lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    chosen = []
    for place, line in enumerate(lines):
        if line.startswith("FAILED"):
            ends = [
                at
                for at in range(place + 1, len(lines))
                if re.match(r"started|done |skipped|FAILED|[\w-]+: \d+ done", lines[at])
            ]
            block = lines[place : ends[0]] if ends else lines[place:]
            chosen += block[:1] + block[-3:] if len(block) > 4 else block
    return [f"      {shortened(line)}" for line in (chosen or lines[-most:])[:40]]


def shortened(line, most=300):
    return line if len(line) <= most else f"{line[:100]} ... {line[-(most - 100):]}"


def rehearse(host, given, name, case, layout, chosen):
    """Prints the row of one execution; True if all ways did the same."""
    started = time.monotonic()
    execution = prepared(host, given, name, case, layout)
    results = [execution.execute(way) for way in chosen]
    words, details = [], []
    for result in results:
        if not result.failed and not any("bench" in name for name in ways.stages_of(result)):
            result.status, result.said = 1, f"{result.said}\nnothing was measured"
        if result.failed:
            words.append(f"{result.way}: failed")
            details += [f"    {result.way} ended with {result.status}:", *what_failed(result.said)]
            continue
        found = [] if result is results[0] or results[0].failed else ways.differences(
            results[0], result)  # fmt: skip
        words.append(f"{result.way}: {'different' if found else 'equal'}")
        details += [f"    {sentence}" for sentence in found]
    title = title_of(layout)
    stages = len(ways.stages_of(results[0]))
    print(f"{name:28} {title:20} {'  '.join(words)}  ({stages} artifacts,"
          f" {time.monotonic() - started:.0f} s)", flush=True)  # fmt: skip
    for line in details:
        print(line, flush=True)
    return not details


def main():
    given = arguments()
    why_not = hosts.why_not()
    if why_not:
        print(f"skipped: {why_not}")
        return SKIPPED
    hosts.enter()
    good = True
    with hosts.Host(given.nvml if os.path.exists(given.nvml) else "") as host:
        host.backend = backend.Backend(host.folder / "git", hosts.USER)
        for name, case, layout, chosen in cases_of(given):
            if layout is None:
                print(f"{name:28} not rehearsed: {case['not']}")
                continue
            good &= rehearse(host, given, name, case, layout, chosen)
        if not given.no_traits:
            good &= traits.rehearse_all(host, given, prepared)
        if given.sweep:
            case = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))["cases"][given.sweep]
            layout = case["layouts"][0]
            good &= sweep.rehearse(prepared(host, given, f"sweep-{given.sweep}", case, layout))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
