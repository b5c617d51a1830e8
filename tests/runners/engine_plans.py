"""Plans points of a runner whose engine needs a GPU, on a stated machine and model, and reads their
command lines. It knows no engine. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORCHESTRATE = os.environ.get("ORCH_BINARY", "")
RUNNERS = os.environ.get("ORCH_RUNNERS", str(ROOT / "runners"))
SEVEN_B = {"type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584,
           "intermediate": 18944, "vocab": 152064, "positions": 32768}  # fmt: skip
OTHERS = {"m": {}, "awq": {"quant_method": "awq"}, "moe": {"experts": 8}, "small": {"layers": 4},
          "mapped": {"quant_method": "compressed-tensors"}, "heads": {"heads": 32},
          "wide": {"layers": 112}, "eight": {"quant_method": "fp8"}}  # fmt: skip
MODELS = {
    name: {
        "source": f"hf:acme/{name}",
        "revision": "a" * 40,
        "facts": {**SEVEN_B, "quant_method": "none", **facts},
    }
    for name, facts in OTHERS.items()
}


# Runners that declare a few of them only.
FACTS = {"lmdeploy": ("type", "heads", "quant_method")}


def models(runner):
    names = FACTS.get(runner)
    return {
        name: {
            **model,
            "facts": {k: v for k, v in model["facts"].items() if not names or k in names},
        }
        for name, model in MODELS.items()
    }


def matrix(runner, cases):
    loads = [{} if "request_rate" in case else {"concurrency": 4} for case in cases]
    return {
        "name": "t",
        "runner": runner,
        "models": models(runner),
        "machine": {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 80, "mig": False},
        "defaults": {"model": "m", "isl": 100, "osl": 50, "num_prompts": 60},
        "axes": {"num_prompts": [61]},
        "include": [{"num_prompts": 60, **load, **case} for load, case in zip(loads, cases)],
    }


def orchestrate(command, runner, cases, *words):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "matrix.yaml"
        file.write_text(json.dumps(matrix(runner, cases)), encoding="utf-8")
        argv = [ORCHESTRATE, command, str(file), "--runners", RUNNERS, *words]
        return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)


def planned(runner, cases):
    """The points of CASES, in their order, each with the stages it has by their kind."""
    done = orchestrate("plan", runner, cases, "--json", "--store", "/nowhere")
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    stages = {stage["id"]: stage for stage in found["stages"]}
    points = found["points"][1:]
    assert len(points) == len(cases), f"{len(points)} points of {len(cases)} cases"
    for point in points:
        point["stages"] = {stages[name]["stage"]: stages[name] for name in point["stages"]}
    return points


def plain(words):
    """WORDS without digests and folders."""
    text = "\n".join(words).replace(RUNNERS, "RUNNERS").replace(ORCHESTRATE, "ORCHESTRATE")
    return re.sub("-[0-9a-f]{12}}", "}", text).split("\n")


def golden(points, kinds):
    """The command lines of these kinds of stages, point by point: {name: point} as text."""
    text = ""
    for name, point in points.items():
        for kind in kinds:
            if kind in point["stages"]:
                words = plain(point["stages"][kind]["argv"])
                text += f"== {name}: {kind}\n" + "\n".join(words) + "\n"
    return text


def filled(words, values):
    """WORDS with the value of each symbol ({port:http}, {bind}, {stage:download}, ...) and the path
    of each shared file."""

    def value(found):
        name = re.sub("-[0-9a-f]{12}$", "", found.group(1))
        if name.startswith("file:common/"):
            return f"{RUNNERS}/{name[5:]}"
        return str(values[name]) if name in values else found.group(0)

    return [re.sub(r"\{([\w:./-]+)\}", value, word) for word in words]


def rules(runner):
    """Names of the runner's own rules that reject."""
    folder = ROOT / "runners" / runner
    return {
        rule["name"]
        for file in [folder / "runner.yaml", *folder.glob("manifest/*.yaml")]
        for rule in yaml.safe_load(file.read_text(encoding="utf-8")).get("rules", [])
        if rule.get("level", "reject") == "reject"
    }
