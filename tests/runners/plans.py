"""Plans points and reads them, for tests. It knows no runner. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORCHESTRATE = os.environ.get("ORCH_BINARY", "")
EIGHT_H100 = ["--machine", str(ROOT / "tests/data/8xh100.yaml")]
DEFAULTS = {"model": "m", "isl": 100, "osl": 50, "num_prompts": 60}


def with_cases(matrix, cases):
    """MATRIX with one point of its axes, and one for each of CASES, which are parameters."""
    loads = [{} if "request_rate" in case else {"concurrency": 4} for case in cases]
    return {
        "name": "t",
        "defaults": DEFAULTS,
        "axes": {"num_prompts": [61]},
        "include": [{"num_prompts": 60, **load, **case} for load, case in zip(loads, cases)],
        **matrix,
    }


def orchestrate(command, matrix, *words, files=()):
    """`orchestrate COMMAND` of MATRIX with WORDS. FILES, (name, text) each, stand beside it."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "matrix.yaml"
        for name, text in [(file.name, json.dumps(matrix)), *files]:
            (file.parent / name).write_text(text, encoding="utf-8")
        argv = [ORCHESTRATE, command, str(file), *words]
        return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def planned(matrix, cases, *words, files=()):
    """The points of CASES, in their order, each with the stages it has by their kind."""
    words = ["--json", "--store", "/nowhere", *words]
    done = orchestrate("plan", with_cases(matrix, cases), *words, files=files)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    stages = {stage["id"]: stage for stage in found["stages"]}
    points = found["points"][1:]
    assert len(points) == len(cases), f"{len(points)} points of {len(cases)} cases"
    for point in points:
        point["stages"] = {stages[name]["stage"]: stages[name] for name in point["stages"]}
    return points
