"""Every word that the runner writes for convert, quantize, build and run.py is an option of its
version, written in full, with a valid value. ORCH_BINARY names orchestrate, which plans matrices
that set every parameter of checkpoint.yaml and engine.yaml to each of its values, for every version
of the manifest and each way to make a checkpoint. It reads plans and needs no GPU.

commands_test.py --unused prints the recorded options that no plan uses. With ORCH_TRTLLM_UPSTREAM
(see real_parsers_test.py) upstream's own parsers read the same lines, and must agree."""

import collections
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import check_command
import options

HERE = pathlib.Path(__file__).resolve().parent
RUNNER = HERE.parents[2] / "runners" / "triton-trtllm"
BINARY = os.environ.get("ORCH_BINARY", str(HERE.parents[2] / "build/default/src/orchestrate"))
UPSTREAM = [each for each in os.environ.get("ORCH_TRTLLM_UPSTREAM", "").split(":") if each]
OF_DRAFT = {"convert_draft": "convert", "quantize_draft": "quantize", "build_draft": "build"}
STAGES = ("convert", "quantize", "build", "sample")

FACTS = {"heads": 32, "layers": 32, "hidden": 4096, "vocab": 32000, "positions": 32768}
MODELS = {
    "qwen2": "qwen2",
    "qwen2-moe": "qwen2_moe",
    "llama": "llama",
    "mixtral": "mixtral",
    "gpt2": "gpt2",
    "starcoder2": "starcoder2",
    "nemotron": "nemotron",
    "gemma": "gemma",
    "falcon": "falcon",
}

# Every way to make a checkpoint; every other parameter is tested with each of them.
WAYS = [
    {"model": "qwen2"},
    {"model": "llama"},
    {"model": "gpt2"},
    {"model": "starcoder2"},
    {"model": "qwen2", "precision": "fp8"},
    {"model": "llama", "precision": "int4_awq"},
    {"model": "llama", "precision": "int8_sq", "smoothquant": 0.5},
    {"model": "gpt2", "precision": "int8_sq", "smoothquant": 0.5},
    {"model": "llama", "speculative_decoding_mode": "medusa"},
    {"model": "llama", "speculative_decoding_mode": "medusa", "precision": "fp8"},
    {
        "model": "llama",
        "speculative_decoding_mode": "explicit_draft_tokens",
        "drafter_model_dir": "/models/drafter",
    },
    {"model": "llama", "speculative_decoding_mode": "eagle", "eagle_model_dir": "/models/eagle"},
]
SHAPES = [
    {"tp": 2},
    {"tp": 4, "pp": 2},
    {"tp": 2, "cp": 2},
    {"tp": 2, "moe_tp": 1, "moe_ep": 2},
    {"tp": 2, "moe_ep": 2},
    {"tp": 4, "moe_tp": 2},
    {"tp": 2, "run_sample": "true"},
]
# Values to test for texts without a list of values.
TEXTS = {
    "lora_target_modules": ["attn_q", "attn_q attn_v"],
    "cluster_key": ["H100-SXM"],
    "calib_dataset": ["cnn_dailymail", "/some/texts"],
    "convert_options": ["  --embedding_sharding_dim   0 "],
    "quantize_options": ["--seed 7"],
    "build_options": ["--output_timing_cache model.cache"],
    "sample_options": ["--num_beams 2 --temperature 0.5"],
    "draft_model": ["llama"],
    "draft_family": ["llama"],
    "draft_convert_options": ["--load_model_on_cpu"],
    "draft_build_options": ["--output_timing_cache model.cache"],
    "medusa_hidden_act": ["silu"],
}
# The start of each command, before its options.
PROGRAMS = {
    "convert": r"(?:/usr/bin/env --chdir=\S+ )?python3 (\S+convert_checkpoint\.py)",
    "quantize": r"(?:/usr/bin/env --chdir=\S+ )?python3 (\S+quantize\.py)",
    "build": "trtllm-build",
    "sample": r"(?:mpirun -n \d+ --allow-run-as-root )?python3 (\S+run\.py)",
}


@functools.cache
def parts():
    return {
        path.stem: yaml.safe_load(path.read_text())
        for path in [RUNNER / "runner.yaml", *sorted(RUNNER.glob("manifest/*.yaml"))]
    }


def versions():
    return list(parts()["runner"]["versions"]["rows"])


def own_parameters():
    return {**parts()["checkpoint"]["parameters"], **parts()["engine"]["parameters"]}


def values_of(name, about):
    """The values to test for a parameter: all that it lists."""
    if "values" in about:
        return [each["value"] if isinstance(each, dict) else each for each in about["values"]]
    plain = {
        "boolean": ["true", "false"],
        "integer": [max(about.get("min", 1), 1), 7],
        "real": [0.5],
        "text": [f"/some/{name}"],
        "path": [f"/some/{name}"],
    }
    return TEXTS.get(name, plain[about["type"]])


# Parameters that are computed from others; a matrix does not set them here.
DERIVED = {
    "by_quantize",
    "calibrates",
    "convert_script",
    "made_by",
    "heads",
    "weights",
    "kv_cache_format",
    "calib_folder",
    "prefix_caching",
}
DRAFT = {
    "model": "qwen2",
    "draft_model": "llama",
    "speculative_decoding_mode": "draft_tokens_external",
    "max_draft_len": 5,
    "bench_model": "tensorrt_llm_bls",
    "decoupled_mode": "false",
    "exclude_input_in_output": "false",
    "enable_kv_cache_reuse": "true",
}
DERIVED_OF_DRAFT = {"draft_model", "draft_converter", "draft_by_quantize", "draft_inputs"}


def cases():
    """Assignments, one per point."""
    precisions = values_of("precision", parts()["runner"]["parameters"]["precision"])
    rows = [
        {"model": model, "precision": precision, **cache}
        for model in MODELS
        for precision in precisions
        for cache in ({}, {"kv_cache_dtype": "int8"}, {"kv_cache_dtype": "fp8"})
    ]
    rows += [
        {**way, **shape}
        for way in [*WAYS, {"model": "qwen2-moe"}, {"model": "mixtral"}]
        for shape in SHAPES
    ]
    for name, about in own_parameters().items():
        ways = WAYS if name in parts()["checkpoint"]["parameters"] else WAYS[:1]
        for value in values_of(name, about) if name not in DERIVED else []:
            rows += [{**way, name: value} for way in ways if name not in way]
    rows += [
        {"model": "llama", "speculative_decoding_mode": mode, **more}
        for mode in ("medusa", "eagle")
        for more in [
            {"precision": "int8_wo"},
            {"precision": "int4_gptq"},
            {"precision": "int8_sq", "smoothquant": 0.5},
            {"kv_cache_dtype": "int8"},
        ]
    ]
    rows += [
        {"model": "qwen2", "precision": "int8_sq", "smoothquant": 0.5},
        {"model": "qwen2", "precision": "int8_sq", "smoothquant": 0.5, "kv_cache_dtype": "int8"},
    ]
    rows += [
        {"model": "qwen2", "speculative_decoding_mode": mode, "max_draft_len": 5}
        for mode in ("draft_tokens_external", "lookahead_decoding")
    ]
    rows += [DRAFT, {**DRAFT, "tp": 2}]
    rows += [
        {**DRAFT, name: value}
        for name, about in parts()["draft"]["parameters"].items()
        for value in (values_of(name, about) if name not in DERIVED_OF_DRAFT else [])
    ]
    rows += [{"model": "llama", "heads": "medusa", "max_draft_len": 63}]  # of 0.9
    rows += [
        {"model": "falcon", "family": "falcon", "convert_options": "--new_decoder_architecture"},
        {"model": "qwen2", "run_sample": "true", "sample_options": "--num_beams 2"},
    ]
    return [row for index, row in enumerate(rows) if row not in rows[:index]]


def matrix(version, rows):
    models = {
        name: {"source": f"hf:some/{name}", "revision": "0" * 40, "facts": {"type": kind, **FACTS}}
        for name, kind in MODELS.items()
    }
    return {
        "name": "commands",
        "runner": "triton-trtllm",
        "axes": {"way": rows},
        "defaults": {"trtllm_version": version},
        "models": models,
    }


KEPT = (
    "common/measure.yaml",
    "common/download.yaml",
    *(f"manifest/{name}.yaml" for name in ("install", "checkpoint", "engine", "draft")),
)
# Replaces the stages of the server and the measurement.
STAND_IN = """
stages:
  serve:
    kind: service
    needs: [build, sample, draft_vocabulary, build_draft]
    reads: [llm_backend]
    ports: [http]
    argv: [/bin/true, {when: "llm_backend = 'tensorrt'", then: ["{stage:build}"]}]
    ready: {port: http, get: [/]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl, osl]
    argv: [/bin/true, "{isl}", "{osl}"]
    outputs: [measurement.json]
"""


def lay_out(folder, change=lambda part, text: text):
    """Copies the runner with its stages up to the engines. Of the other parts parameters and facts
    remain: rules about models and GPUs do not matter for options, and no server is measured
    here."""
    into = pathlib.Path(folder) / "runners" / "triton-trtllm"
    shutil.copytree(RUNNER, into)
    shutil.copytree(RUNNER.parent / "common", into.parent / "common")
    for path in [into / "runner.yaml", *into.glob("manifest/*.yaml")]:
        path.write_text(change(path.name, path.read_text()))
    for name in parts()["runner"]["parts"]:
        if name not in KEPT:
            path = (into.parent if name.startswith("common/") else into) / name
            part = yaml.safe_load(path.read_text())
            left = {key: value for key, value in part.items() if key in ("parameters", "facts")}
            path.write_text(json.dumps(left or {"parameters": {}}))
    manifest = (into / "runner.yaml").read_text()
    (into / "runner.yaml").write_text(
        manifest.replace("manifest/serve.yaml\n", "manifest/serve.yaml\n  - stand-in.yaml\n", 1)
    )
    (into / "stand-in.yaml").write_text(STAND_IN)


def planned(folder, version, rows):
    return planned_matrix(folder, matrix(version, rows))


def planned_matrix(folder, matrix):
    path = pathlib.Path(folder) / "matrix.yaml"
    path.write_text(json.dumps(matrix))
    return plan_of([str(path), "--store", str(pathlib.Path(folder) / "store")])


def plan_of(words):
    done = subprocess.run(
        [BINARY, "plan", *words, "--json"], capture_output=True, text=True, timeout=120
    )
    if not done.stdout:
        raise AssertionError(f"plan: {done.stderr[-3000:]}")
    return json.loads(done.stdout)


def tool_of(stage, argv):
    """The recorded tool that a stage runs, and the words after its name; None for a converter
    without a record."""
    stage = OF_DRAFT.get(stage, stage)
    found = re.match(PROGRAMS[stage], " ".join(argv))
    if not found:
        raise AssertionError(f"{stage} begins with {argv[:6]}")
    words = argv[len(found.group(0).split()) :]
    if stage != "convert":
        return {"sample": "run"}.get(stage, stage), words
    tool = "convert-" + pathlib.PurePath(found.group(1)).parent.name
    return (tool if options.versions(tool) else None), words


def lines(plan):
    """(stage, name of a point) of the stages that run the vendor's tools, for all points that
    are not rejected."""
    taken = {}
    for point in plan["points"]:
        for stage in point["stages"] if point["status"] != "reject" else []:
            taken.setdefault(stage, point["name"])
    return [
        (stage, taken[stage["id"]])
        for stage in plan["stages"]
        if stage["stage"] in (*STAGES, *OF_DRAFT) and stage["id"] in taken
    ]


def problems_of(version, plan):
    """The distinct problems of the commands of a plan, as sentences, and the number of commands
    read."""
    problems, read = {}, 0
    for stage, point in lines(plan):
        tool, words = tool_of(stage["stage"], stage["argv"])
        if tool is None:
            continue
        read += 1
        for problem in check_command.check(version, tool, words):
            problems.setdefault(
                problem.text, f"{problem.text}\n    point {point}: {' '.join(words)}"
            )
    return list(problems.values()), read


def used_options(plan):
    """Tool -> the options that a plan gives it."""
    given = collections.defaultdict(set)
    for stage, _ in lines(plan):
        tool, words = tool_of(stage["stage"], stage["argv"])
        given[tool] |= {word for word in words if word.startswith("--")}
    return given


class Plans:
    """One plan per version, made on first use."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        lay_out(self.folder.name)

    @functools.cache
    def of(self, version):
        return planned(self.folder.name, version, cases())


PLANS = None


def setUpModule():
    global PLANS
    PLANS = Plans()


def tearDownModule():
    PLANS.folder.cleanup()


class Commands(unittest.TestCase):
    maxDiff = None

    def test_every_word_is_an_option_of_its_version_with_a_valid_value(self):
        for version in versions():
            with self.subTest(version=version):
                problems, read = problems_of(version, PLANS.of(version))
                self.assertEqual([], problems, "\n" + "\n".join(problems))
                self.assertGreater(read, 100 if version < "1.3" else -1)

    def test_every_option_in_the_manifests_is_used_for_some_version(self):
        written = {
            word
            for name in ("checkpoint", "engine", "draft")
            for word in re.findall(
                r"--[a-z][a-z0-9_-]*",
                (RUNNER / "manifest" / f"{name}.yaml").read_text().split("\nstages:")[1],
            )
        }
        used = {
            word
            for version in versions()
            for words in used_options(PLANS.of(version)).values()
            for word in words
        }
        # Of mpirun, of env, and of the script that compares vocabularies.
        self.assertEqual({"--allow-run-as-root", "--chdir", "--logits"}, written - used)

    def test_more_than_a_third_of_the_points_are_not_rejected(self):
        for version in versions():
            reasons = {
                point["reason"]
                for point in PLANS.of(version)["points"]
                if point["status"] == "reject"
            }
            kept = sum(point["status"] != "reject" for point in PLANS.of(version)["points"])
            self.assertGreater(kept, len(PLANS.of(version)["points"]) / 3, sorted(reasons))

    def test_a_wrong_option_in_the_manifest_is_detected(self):
        changes = {
            "--workers}": "--worker}",
            "since: 0.13.0": "since: 0.12.0",
            "--use_fused_mlp]": "--use_fused_mlp, enable]",
        }
        expected = {
            "--workers}": "0.12.0 build: --worker is not written in full; the option is --workers",
            "since: 0.13.0": "0.12.0 build: --kv_cache_type is not an option",
            "--use_fused_mlp]": "0.12.0 build: enable is neither an option nor the value of one",
        }
        for old, new in changes.items():
            with tempfile.TemporaryDirectory() as folder:
                lay_out(
                    folder,
                    lambda part, text: text.replace(old, new) if part == "engine.yaml" else text,
                )
                problems, _ = problems_of("0.12.0", planned(folder, "0.12.0", [{"model": "qwen2"}]))
                self.assertTrue(any(each.startswith(expected[old]) for each in problems), problems)


class Experiments(unittest.TestCase):
    def test_their_commands_are_valid_at_their_versions(self):
        project = RUNNER.parent.parent
        read = 0
        for path in sorted((project / "experiments").glob("*.yaml")):
            if yaml.safe_load(path.read_text()).get("runner") != RUNNER.name:
                continue
            with self.subTest(path=path.name), tempfile.TemporaryDirectory() as folder:
                plan = plan_of(
                    [
                        str(path),
                        "--machine",
                        str(project / "tests/data/8xh100.yaml"),
                        "--store",
                        folder,
                    ]
                )
                for stage, point in lines(plan):
                    tool, words = tool_of(stage["stage"], stage["argv"])
                    version = next(
                        each["params"]["trtllm_version"]
                        for each in plan["points"]
                        if each["name"] == point
                    )
                    self.assertEqual(
                        [],
                        [problem.text for problem in check_command.check(version, tool, words)],
                        point,
                    )
                    read += 1
        self.assertGreater(read, 0)


@unittest.skipUnless(UPSTREAM, "ORCH_TRTLLM_UPSTREAM names no checkout of upstream")
class RealParsers(unittest.TestCase):
    def test_they_accept_every_command(self):
        with tempfile.TemporaryDirectory() as scratch:
            real = check_command.RealParsers(UPSTREAM, scratch)
            self.addCleanup(real.close)
            compared = 0
            for version in versions():
                for stage, point in lines(PLANS.of(version)):
                    tool, words = tool_of(stage["stage"], stage["argv"])
                    answer = (
                        real.ask(options.closest_record(version, tool), tool, words)
                        if tool
                        else None
                    )
                    if answer:
                        self.assertTrue(
                            answer["accepted"],
                            (
                                f"{version} {tool}, point {point}:"
                                f" {answer['message']}\n{' '.join(words)}"
                            ),
                        )
                        compared += 1
            self.assertGreater(compared, 1000)


def print_unused():
    """Prints the recorded options of each tool that the runner never uses, with the versions that
    have them."""
    setUpModule()
    unused = collections.defaultdict(list)
    for version in versions():
        given = used_options(PLANS.of(version))
        for tool in (
            "convert-qwen",
            "convert-llama",
            "convert-gpt",
            "convert-medusa",
            "convert-redrafter",
            "convert-eagle",
            "quantize",
            "build",
        ):
            try:
                record = options.load(options.closest_record(version, tool), tool)
            except LookupError:
                continue
            for option in record["options"] if given[tool] else []:
                if not set(option["spellings"]) & given[tool]:
                    unused[tool, option["spellings"][0]].append(version)
    for (tool, option), known in sorted(unused.items()):
        print(f"{tool} {option}: {known[0]}" + (f" to {known[-1]}" if len(known) > 1 else ""))
    tearDownModule()


if __name__ == "__main__":
    if sys.argv[1:] == ["--unused"]:
        print_unused()
    else:
        unittest.main()
