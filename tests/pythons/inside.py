"""inside.py: what this system's Python must be able to do with the scripts of the runners. It runs
their tests that need no orchestrate, installs every environment that has a lock for this Python,
by pip and by uv, and makes a model and prompts.

Prints a line for each, and exits with 1 if one failed. Run by run.sh in a root of its own.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from make_locks import has_lock  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
RUNNERS = ROOT / "runners"
SCRIPTS = RUNNERS / "common" / "scripts"
TESTS = """
runners/engine_environment_test.py runners/locked_packages_test.py runners/reset_cache_test.py
runners/hub/calibration_test.py runners/hub/dataset_test.py runners/hub/hub_file_test.py
runners/hub/hub_test.py runners/hub/reach_test.py runners/hub/resume_test.py
runners/hub/sources_test.py runners/llama_cpp/binary_version_test.py
runners/triton_trtllm/enter_test.py runners/triton_trtllm/environment_test.py
runners/triton_trtllm/imports_test.py runners/triton_trtllm/layout_test.py
runners/triton_trtllm/llmapi_test.py runners/triton_trtllm/servers_test.py
runners/triton_trtllm/slow_tokenizer_test.py runners/triton_trtllm/source_test.py
runners/triton_trtllm/vocabulary_test.py results/score/text_scores_test.py
""".split()
LOCKED, TOOL = SCRIPTS / "locked_environment.py", SCRIPTS / "tool_environment.py"
OPENVINO = RUNNERS / "triton-openvino"
# The lock, and the command line with LOCK and VENV.
ENVIRONMENTS = [
    ("common/checkpoint", [LOCKED, "LOCK", "VENV", "numpy", "yaml", "gguf", "tokenizers"]),
    ("common/scorers/rouge", [LOCKED, "LOCK", "VENV", "rouge_score.rouge_scorer"]),
    ("llama-cpp/requirements", [LOCKED, "LOCK", "VENV", "xllamacpp"]),
    ("triton-openvino/requirements", [OPENVINO / "scripts/make_environment.py", "LOCK", "VENV"]),
    ("common/tools/llm-perf", [TOOL, "LOCK", "llm-perf", "VENV"]),
    ("common/tools/genai-perf", [TOOL, "LOCK", "genai-perf", "VENV"]),
    ("common/tools/aiperf", [TOOL, "LOCK", "aiperf", "VENV"]),
    ("common/tools/model-analyzer", [TOOL, "LOCK", "model-analyzer", "VENV"]),
]
COMPILE = """
import pathlib
for folder in ("runners", "templates", "scripts", "tests"):
    for path in pathlib.Path(folder).glob("**/*.py"):
        compile(path.read_bytes(), str(path), "exec")
"""
failed = []


def step(name, argv, path=None, **more):
    """Runs ARGV, prints how it ended, and returns whether it passed."""
    environment = {**os.environ, "PATH": (path + ":" if path else "") + os.environ["PATH"]}
    start = time.monotonic()
    argv = [str(word) for word in argv]
    done = subprocess.run(
        argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    seconds = time.monotonic() - start
    lines = done.stdout.strip().splitlines() or [""]
    skipped = f" ({lines[-1]})" if "skipped" in lines[-1] else ""
    print(f"{'FAIL' if done.returncode else 'ok'} {name} {seconds:.1f} s{skipped}", flush=True)
    if done.returncode:
        failed.append(name)
        print("    " + "\n    ".join(lines[-8:]), flush=True)
    return done.returncode == 0


def make_model(python, folder):
    """A checkpoint, its GGUF file and prompts, by the stages that runners share."""
    checkpoint, weights, gguf = folder / "checkpoint", folder / "weights", folder / "gguf"
    job = {"id": "prompts", "out": str(folder / "prompts"), "isl": "16", "requests": "4"}
    job.update(warmup="1", blocks="1", ids="true", dataset="", seed="1", stream="a")
    (folder / "jobs.json").write_text(json.dumps([job]))
    for path in (weights, gguf, folder / "prompts"):
        path.mkdir()
    for script, *words in (
        ["download", "generate:tiny", "", checkpoint],
        ["quantize", checkpoint, "q8_0", weights],
        ["convert", checkpoint, weights, gguf],
        [
            "make_prompts",
            "--tokenizer",
            checkpoint / "tokenizer.json",
            "--jobs",
            folder / "jobs.json",
        ],
    ):
        step(f"{script}.py", [python, SCRIPTS / f"{script}.py", *words])


def main():
    print(f"Python {platform.python_version()} on {platform.machine()}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        step("every script compiles", [sys.executable, "-W", "error", "-c", COMPILE], cwd=ROOT)
        for test in TESTS:
            step(test, [sys.executable, ROOT / "tests" / test], cwd=folder)
        version = "%d.%d" % sys.version_info[:2]
        if has_lock(RUNNERS / "llama-cpp/requirements.lock", version, platform.machine()):
            run = ROOT / "tests/runners/llama_cpp/run.py"
            step("a real server", [sys.executable, run, "--cache", folder / "llama", "server_test"])
        for lock, argv in ENVIRONMENTS:
            if not has_lock(RUNNERS / f"{lock}.lock", version, platform.machine()):
                print(f"none {lock}.lock", flush=True)
                continue
            for installer, path in (("pip", None), ("uv", "/uv")):
                if path and not Path(path, "uv").exists():
                    continue
                venv = folder / lock.replace("/", "-") / installer / "venv"
                venv.parent.mkdir(parents=True)
                words = {"LOCK": RUNNERS / f"{lock}.lock", "VENV": venv}
                made = step(
                    f"{lock}.lock by {installer}",
                    [sys.executable, *(words.get(word, word) for word in argv)],
                    path,
                )
                if made and lock == "common/checkpoint" and not path:
                    make_model(venv / "bin/python3", folder)
    print(f"{len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
