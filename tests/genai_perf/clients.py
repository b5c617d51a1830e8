"""The two clients: the real genai-perf with its perf_analyzer, and our own `orchestrate bench`.
Each runs one load against a running server and returns its report. Compares nothing.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

TRIES = 6
NOT_VALID = 4  # exit status of orchestrate bench for a record that is marked invalid
FLUSH = 64 * 1024  # perf_analyzer writes its export in blocks of this size


class ClientFailed(Exception):
    """Names the client, its last output and its log."""


def prompts_for(sweep, concurrency):
    """The prompt set that the sweep made for this load, and its measured prompts alone."""
    path = sweep.artifact(sweep.stage_of("prompts", concurrency)) / "prompts.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return path, [line["text_input"] for line in lines if not line["warmup"] and line["block"] == 0]


def environment():
    """Environment in which genai-perf finds perf_analyzer, and perf_analyzer its CUDA runtime."""
    venv = Path(sys.prefix)
    cuda = next(venv.glob("lib/python3*/site-packages/nvidia/cuda_runtime/lib"))
    return {
        "PATH": f"{venv}/bin:/usr/bin:/bin",
        "LD_LIBRARY_PATH": str(cuda),
        "HOME": str(venv),
        "LANG": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }


def truncation(export):
    """The reason why the export cannot be read, or None."""
    try:
        json.loads(export.read_bytes())
        return None
    except FileNotFoundError:
        return "no export was written"
    except ValueError:
        size = export.stat().st_size
        return f"its export ends after {size} bytes" + (
            f" = {size // FLUSH} x 64 KiB" if size % FLUSH == 0 else ""
        )


def run_group(argv, folder):
    """Runs ARGV in its own process group, output in FOLDER/log; returns the exit code."""
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            argv,
            env=environment(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        return process.wait(300)
    finally:
        try:
            os.killpg(
                process.pid, signal.SIGKILL
            )  # processes remain only if an exception interrupted the wait
        except ProcessLookupError:
            pass


def genai_perf(server, tokenizer, prompts, osl, concurrency, folder, report):
    """One measurement of exactly len(prompts) requests; (export's path, report)."""
    for attempt in range(1, TRIES + 1):
        shutil.rmtree(folder, ignore_errors=True)  # perf_analyzer refuses to start over an export
        folder.mkdir(parents=True)
        (folder / "prompts.jsonl").write_text(
            "".join(json.dumps({"text_input": text}) + "\n" for text in prompts)
        )
        argv = [
            f"{sys.prefix}/bin/genai-perf",
            "profile",
            "--model",
            "ensemble",
            "--service-kind",
            "triton",
            "--backend",
            "tensorrtllm",
            "--streaming",
            "--url",
            f"127.0.0.1:{server.ports['grpc']}",
            "--server-metrics-url",
            f"http://127.0.0.1:{server.ports['metrics']}/metrics",
            "--tokenizer",
            str(tokenizer),
            "--input-file",
            str(folder / "prompts.jsonl"),
            "--output-tokens-mean",
            str(osl),
            "--output-tokens-mean-deterministic",
            "--concurrency",
            str(concurrency),
            "--artifact-dir",
            str(folder),
            "--profile-export-file",
            "profile_export.json",
            "--verbose",
            # genai-perf 0.0.8 has no request count, but its perf_analyzer has; it then measures one
            # window of that many requests.
            "--",
            "--request-count",
            str(len(prompts)),
        ]
        exit_code = run_group(argv, folder)
        export = folder / "profile_export.json"
        reason = truncation(export)
        if exit_code == 0 and reason is None:
            return export, json.loads((folder / "profile_export_genai_perf.json").read_bytes())
        log_text = (folder / "log").read_text(errors="replace")
        if (
            reason is None or not export.exists() or "CalledProcessError" in log_text
        ):  # CalledProcessError: perf_analyzer itself failed
            tail = " | ".join(log_text.strip().splitlines()[-3:])
            raise ClientFailed(
                f"genai-perf failed with exit code {exit_code}: {tail}; the full log"
                f" is {folder / 'log'}"
            )
        report(
            f"perf_analyzer, concurrency {concurrency}: exit code 0, but {reason}; measured again"
            f" ({attempt} of {TRIES})"
        )
    raise ClientFailed(
        f"perf_analyzer truncated its export {TRIES} times in a row; the last one is"
        f" {folder / 'profile_export.json'}"
    )


def token_counts(export, tokenizer):
    """Tokens per request as genai-perf's own parser counts them: in the prompt and in the joined
    text of the responses."""
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    from genai_perf.profile_data_parser import LLMProfileDataParser
    from genai_perf.tokenizer import get_tokenizer

    parser = LLMProfileDataParser(export, get_tokenizer(str(tokenizer)))
    requests = [
        request
        for experiment in json.loads(export.read_bytes())["experiments"]
        for request in experiment["requests"]
    ]
    return {
        "input": [parser._get_input_token_count(request["request_inputs"]) for request in requests],
        "output": [
            (
                parser._get_output_token_counts(request["response_outputs"])[1]
                if request["response_outputs"]
                else 0
            )
            for request in requests
        ],
    }


def bench(sweep, server, prompts_file, requests, warmup, osl, concurrency, folder):
    """Runs the same load with `orchestrate bench`; returns its measurement."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run(
        [
            sweep.orchestrate,
            "bench",
            "--url",
            f"grpc://127.0.0.1:{server.ports['grpc']}",
            "--metrics-url",
            f"http://127.0.0.1:{server.ports['metrics']}/metrics",
            "--protocol",
            "triton-grpc",
            "--model",
            "ensemble",
            "--stream",
            "--concurrency",
            str(concurrency),
            "--requests",
            str(requests),
            "--warmup",
            str(warmup),
            "--prompts",
            prompts_file,
            "--osl",
            str(osl),
            "--out",
            folder,
            "--export",
            "genai-perf",
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode not in (0, NOT_VALID):
        raise ClientFailed(
            f"orchestrate bench failed with exit code {done.returncode}:"
            f" {done.stderr.strip()[-600:]}"
        )
    return json.loads((folder / "measurement.json").read_text())["measurements"][0]


def sent_ns(folder):
    """The time at which our client sent each request of its window."""
    return [
        request["sent_ns"]
        for request in map(json.loads, (folder / "requests.jsonl").open())
        if not request["warmup"]
    ]
