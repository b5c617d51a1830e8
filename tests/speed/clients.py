"""The clients that `make bench-load` compares: each sends one load to a running server and returns
its report and its cost. Knows nothing of the table.

A client's report is {"requests_per_s", "cpu_s", "ttft_ms": [per request], "gaps_ms": [per event],
...}; a value that a client does not report is absent.
"""
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

TIMEOUT_S = 120
NOT_VALID = 4  # exit status of orchestrate bench: the measurement is recorded and invalid
MOST_REQUESTS = 20000  # of perf_analyzer
MOST_OF_AIPERF = 2000  # it sends a few hundred requests per second


class ClientFailed(Exception):
    """Names the client and quotes the end of its output."""


def timed(argv, cwd, cpus=None, env=None, good=(0,)):
    """Runs ARGV on the given cores. Returns its output, its CPU seconds including children, its
    wall seconds and its peak memory in MiB."""

    def pin_to_cores():
        if cpus is not None:
            os.sched_setaffinity(0, cpus)

    begin = time.monotonic()
    with open(Path(cwd) / "client.log", "w+b") as log:
        process = subprocess.Popen(
            [str(word) for word in argv],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=pin_to_cores,
            start_new_session=True,
        )
        deadline = begin + TIMEOUT_S
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, 9)
                os.wait4(process.pid, 0)
                raise ClientFailed(f"{argv[0]} did not end within {TIMEOUT_S} s")
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        text = log.read().decode(errors="replace")
    if process.returncode not in good:
        raise ClientFailed(f"{argv[0]} ended with {process.returncode}: {text[-600:]}")
    return {
        "text": text,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": time.monotonic() - begin,
        "rss_mib": usage.ru_maxrss / 1024,
    }


def write_prompts(path, count):
    with open(path, "w") as out:
        for i in range(count):
            out.write(json.dumps({"text_input": f"{i}: " + "x" * 48, "isl": 8}) + "\n")
    return path


class Raw:
    name = "raw epoll client"

    def __init__(self, binary):
        self._binary = binary

    def run(self, server, load, folder):
        words = [
            self._binary,
            server.port,
            load["concurrency"],
            load["requests"],
            server.head_bytes,
            server.answer_bytes,
        ]
        ran = timed(words + (["--stream"] if load["stream"] else []), folder, load.get("cpus"))
        report = json.loads(ran["text"])
        return {
            "requests_per_s": report["requests_per_s"],
            "cpu_s": report["cpu_s"],
            "ttft": report["ttft_ms"],
            "rss_mib": ran["rss_mib"],
        }


class Ours:
    name = "orchestrate bench"

    def __init__(self, binary):
        self._binary = binary

    def run(self, server, load, folder):
        prompts = write_prompts(Path(folder) / "prompts.jsonl", min(load["requests"], 2000))
        protocol = {"triton": "triton-http", "grpc": "triton-grpc"}.get(server.shape, server.shape)
        words = [
            self._binary,
            "bench",
            "--url",
            server.url,
            "--protocol",
            protocol,
            "--model",
            "ensemble",
            "--requests",
            load["requests"],
            "--prompts",
            prompts,
            "--osl",
            server.tokens,
            "--reuse-prompts",
            "--format",
            "json",
            "--no-statistics",
            "--no-first-request",
            "--stream" if load["stream"] else "--no-stream",
        ]
        if "rate" in load:
            words += [
                "--request-rate",
                load["rate"],
                "--arrival",
                "poisson",
                "--seed",
                load.get("seed", 1),
            ]
        else:
            words += ["--concurrency", load["concurrency"]]
        if load.get("records"):
            words += ["--out", Path(folder) / "out"]
        ran = timed(words, folder, load.get("cpus"), good=(0, NOT_VALID))
        text = ran["text"]
        one = json.loads(text[text.index("{") :])["measurements"][0]
        metrics = one["metrics"]
        thread = one["client"]["threads"]["load"] * one["window"]["duration_s"]
        report = {
            "requests_per_s": metrics["requests_per_s"],
            "cpu_s": thread,
            "whole_cpu_s": ran["cpu_s"],
            "rss_mib": ran["rss_mib"],
            "valid": one["valid"],
            "reasons": one["reasons"],
            "send_lag_ms": one["client"]["send_lag_ms"],
            "cpus": one["client"]["cpus"],
        }
        if load["stream"]:
            report["ttft"] = {key: metrics["ttft_ms"][key] for key in ("mean", "p99")}
            if "event_gap_ms" in metrics:
                report["gap"] = {key: metrics["event_gap_ms"][key] for key in ("mean", "p99")}
        if load.get("records"):
            rows = [
                json.loads(line)
                for line in (Path(folder) / "out/requests.jsonl").read_text().splitlines()
            ]
            report["due_ns"] = [row["due_ns"] for row in rows]
            report["sent_ns"] = [row["sent_ns"] for row in rows]
        return report


class Unpinned(Ours):
    """Ours as users start it: nobody pins it, so it chooses its cores itself."""

    name = "orchestrate, unpinned"

    def run(self, server, load, folder):
        return super().run(server, {**load, "cpus": None}, folder)


class Wrk:
    name = "wrk"

    def run(self, server, load, folder):
        if load["stream"] or "rate" in load:
            return None
        script = Path(folder) / "post.lua"
        script.write_text(
            'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
            'wrk.body = \'{"text_input":"0: '
            + "x" * 48
            + '","max_tokens":16,"stream":false,"min_length":16}\'\n'
        )
        seconds = 3
        ran = timed(
            [
                "wrk",
                "-t1",
                f"-c{load['concurrency']}",
                f"-d{seconds}s",
                "-s",
                script,
                f"{server.url}/v2/models/m/generate",
            ],
            folder,
            load.get("cpus"),
        )
        found = re.search(r"(\d+) requests in", ran["text"])
        rate = re.search(r"Requests/sec:\s+([\d.]+)", ran["text"])
        if not found or not rate:
            raise ClientFailed(f"wrk printed: {ran['text'][-300:]}")
        return {
            "requests_per_s": float(rate[1]),
            "cpu_s": ran["cpu_s"],
            "requests": int(found[1]),
            "rss_mib": ran["rss_mib"],
        }


def token_stamps(request, shape, stream):
    """The arrival times of the tokens of a request in perf_analyzer's export, without a chat's
    role, usage and end, and without Triton's final response."""
    stamps = request["response_timestamps"]
    if not stream:
        return stamps
    if shape != "openai-chat":
        return stamps[:-1]
    outputs = [output.get("response", "") for output in request["response_outputs"]]
    return [
        stamp for stamp, output in zip(stamps, outputs) if re.search(r'"content": *"[^"]', output)
    ]


class PerfAnalyzer:
    name = "perf_analyzer 2.51"

    def __init__(self, venv):
        self._venv = Path(venv)

    def environment(self):
        cuda = next(self._venv.glob("lib/python3*/site-packages/nvidia/cuda_runtime/lib"))
        return {
            "PATH": f"{self._venv}/bin:/usr/bin:/bin",
            "LD_LIBRARY_PATH": str(cuda),
            "HOME": str(self._venv),
            "LANG": "C.UTF-8",
        }

    def run(self, server, load, folder):
        # With more requests it may never finish.
        load = {**load, "requests": min(load["requests"], MOST_REQUESTS)}
        if server.shape == "openai-chat":
            payload = {
                "model": "m",
                "messages": [{"role": "user", "content": "x" * 48}],
                "max_tokens": server.tokens,
                "stream": load["stream"],
            }
            inputs = {"payload": [payload]}
            words = [
                "-m",
                "m",
                "--service-kind",
                "openai",
                "--endpoint",
                "v1/chat/completions",
                "-u",
                server.url,
                "--async",
            ]
        elif server.shape == "grpc":
            inputs = {"text_input": ["x" * 48], "max_tokens": [server.tokens], "stream": [True]}
            words = [
                "-m",
                "ensemble",
                "--service-kind",
                "triton",
                "-i",
                "grpc",
                "--streaming",
                "--async",
                "-u",
                f"127.0.0.1:{server.port}",
            ]
            for name in inputs:
                words += ["--shape", f"{name}:1"]
        else:
            return None
        Path(folder, "inputs.json").write_text(json.dumps({"data": [inputs]}))
        words = [
            "perf_analyzer",
            *words,
            "--input-data",
            "inputs.json",
            "--request-count",
            load["requests"],
            "--profile-export-file",
            "profile.json",
        ]
        if "rate" in load:
            words += ["--request-rate-range", load["rate"], "--request-distribution", "poisson"]
        else:
            words += ["--concurrency-range", load["concurrency"]]
        ran = timed(words, folder, load.get("cpus"), self.environment())
        try:
            requests = json.loads(Path(folder, "profile.json").read_text())["experiments"][0][
                "requests"
            ]
        except ValueError as error:
            raise ClientFailed(f"perf_analyzer truncated its export: {error}") from error
        tokens = [token_stamps(request, server.shape, load["stream"]) for request in requests]
        if not all(tokens):
            raise ClientFailed("perf_analyzer exported a request without a token")
        throughput = re.search(r"throughput: ([\d.]+) infer/sec", ran["text"])
        begin = min(r["timestamp"] for r in requests)
        end = max(r["response_timestamps"][-1] for r in requests)
        return {
            "requests": load["requests"],
            "requests_per_s": float(throughput[1]) if throughput else None,
            "true_window_requests_per_s": len(requests) / ((end - begin) / 1e9),
            "cpu_s": ran["cpu_s"],
            "rss_mib": ran["rss_mib"],
            "ttft_ms": [(stamps[0] - r["timestamp"]) / 1e6 for r, stamps in zip(requests, tokens)],
            "gaps_ms": [(b - a) / 1e6 for stamps in tokens for a, b in zip(stamps, stamps[1:])],
        }


class Aiperf:
    name = "aiperf 0.13"

    def __init__(self, venv):
        self._venv = Path(venv)
        self._start_cpu_s = None

    def run(self, server, load, folder):
        if server.shape != "openai-chat":
            return None
        requests = min(load["requests"], MOST_OF_AIPERF)
        pace = (
            ["--request-rate", load["rate"], "--arrival-pattern", "poisson"]
            if "rate" in load
            else ["--concurrency", load["concurrency"]]
        )
        ran = self._profile(server, load, folder, requests, pace)
        artifacts = Path(folder, "artifacts")
        records = [
            json.loads(line)["metrics"]
            for line in (artifacts / "profile_export.jsonl").read_text().splitlines()
        ]
        report = {
            "requests": requests,
            "rss_mib": ran["rss_mib"],
            "requests_per_s": json.loads((artifacts / "profile_export_aiperf.json").read_text())[
                "request_throughput"
            ]["avg"],
        }
        if load["stream"]:
            report["ttft_ms"] = [record["time_to_first_token"]["value"] for record in records]
            report["gaps_ms"] = [
                gap for record in records for gap in record["inter_chunk_latency"]["value"]
            ]
        if not server.logs:  # another run, whose request must not be in the log
            report["cpu_s"] = ran["cpu_s"] - self._start(server, load)
        return report

    def _start(self, server, load):
        """CPU seconds of a run of one request: the fixed cost of a run."""
        if self._start_cpu_s is None:
            with tempfile.TemporaryDirectory() as folder:
                self._start_cpu_s = self._profile(server, load, folder, 1, ["--concurrency", 1])[
                    "cpu_s"
                ]
        return self._start_cpu_s

    def _profile(self, server, load, folder, requests, pace):
        Path(folder, "inputs.jsonl").write_text(json.dumps({"text": "x" * 48}) + "\n")
        write_tokenizer(Path(folder, "tokenizer"), server.tokens + 1)
        words = [
            self._venv / "bin/aiperf",
            "profile",
            "-m",
            "m",
            "--endpoint-type",
            "chat",
            "-u",
            server.url,
            "--input-file",
            "inputs.jsonl",
            "--custom-dataset-type",
            "single_turn",
            "--extra-inputs",
            f"max_tokens:{server.tokens}",
            "--tokenizer",
            "./tokenizer",
            "--request-count",
            requests,
            *pace,
            "--artifact-dir",
            "artifacts",
            "--ui",
            "none",
            "--no-server-metrics",
            "--no-gpu-telemetry",
        ]
        return timed(
            words + (["--streaming"] if load["stream"] else []),
            folder,
            load.get("cpus"),
            {
                "PATH": f"{self._venv}/bin:/usr/bin:/bin",
                "HOME": str(folder),
                "LANG": "C.UTF-8",
                "TOKENIZERS_PARALLELISM": "false",
            },
        )


def write_tokenizer(folder, words):
    """Writes a tokenizer with one token per word, for clients that count tokens themselves. Returns
    its folder."""
    folder.mkdir()
    words = ["[UNK]"] + [f"t{i}" for i in range(words - 1)]
    model = {
        "type": "WordLevel",
        "vocab": {word: i for i, word in enumerate(words)},
        "unk_token": "[UNK]",
    }
    (folder / "tokenizer.json").write_text(
        json.dumps(
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": [],
                "normalizer": None,
                "pre_tokenizer": {"type": "Whitespace"},
                "post_processor": None,
                "decoder": None,
                "model": model,
            }
        )
    )
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"})
    )
    return folder
