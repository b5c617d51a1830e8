"""model_analyzer.py --program PROGRAM --model NAME ...: writes Model Analyzer's configuration for
one load on a running server into the current folder, and becomes `PROGRAM profile` with it.

The server is ours (remote mode), and models are measured as they are: Model Analyzer neither
searches nor loads them.
"""
import argparse
import json
import os

from stage import Failed, run

CONFIGURATION = "model-analyzer.yaml"  # JSON is YAML
FIELDS = [
    "model_name",
    "batch_size",
    "concurrency",
    "request_rate",
    "perf_throughput",
    "perf_latency_avg",
    "perf_latency_p90",
    "perf_latency_p95",
    "perf_latency_p99",
    "perf_client_response_wait",
    "perf_server_queue",
    "perf_server_compute_infer",
]


def load_of(options):
    load = {"batch_sizes": [1]}
    if options.concurrency:
        return {**load, "concurrency": [options.concurrency]}
    return {**load, "request_rate": [options.request_rate]}


def perf_analyzer_flags(options):
    shapes = ["text_input:1", "max_tokens:1", "stream:1"] + [f"{options.least_osl_input}:1"] * (
        not options.eos
    )
    flags = {
        "async": True,
        "input-data": options.input,
        "shape": shapes,
        "stability-percentage": options.stability_percent,
    }
    if options.streaming:
        flags["streaming"] = True
    if options.request_rate:
        flags["request-distribution"] = options.arrival
    if options.interval_ms:
        windows = {"measurement-mode": "time_windows", "measurement-interval": options.interval_ms}
    else:
        windows = {
            "measurement-mode": "count_windows",
            "measurement-request-count": options.requests,
        }
    return {**flags, **windows}


def configuration(options):
    return {
        "model_repository": options.repository,
        "triton_launch_mode": "remote",
        "triton_http_endpoint": options.http,
        "triton_grpc_endpoint": options.grpc,
        "triton_metrics_url": options.metrics,
        "client_protocol": "grpc",
        "reload_model_disable": True,
        "run_config_search_disable": True,
        "override_output_model_repository": True,
        "output_model_repository_path": os.path.abspath("models"),
        "checkpoint_directory": os.path.abspath("checkpoints"),
        "export_path": os.getcwd(),
        "skip_detailed_reports": True,
        "inference_output_fields": FIELDS,
        "perf_analyzer_flags": perf_analyzer_flags(options),
        "profile_models": {options.model: {"cpu_only": True, "parameters": load_of(options)}},
    }


def parsed(arguments):
    parser = argparse.ArgumentParser()
    for name in ["program", "model", "repository", "http", "grpc", "metrics", "input"]:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--concurrency", type=int)
    parser.add_argument("--request-rate", type=float)
    parser.add_argument("--arrival", default="constant")
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--interval-ms", type=int)
    parser.add_argument("--stability-percent", type=float, default=999)
    parser.add_argument("--eos", action="store_true")
    parser.add_argument("--least-osl-input", default="min_length")
    parser.add_argument("--streaming", action="store_true")
    options = parser.parse_args(arguments)
    if (options.concurrency is None) == (options.request_rate is None):
        raise Failed("give either --concurrency or --request-rate")
    return options


def main(arguments):
    options = parsed(arguments)
    with open(CONFIGURATION, "w", encoding="utf-8") as file:
        json.dump(configuration(options), file, indent=1)
    try:
        os.execvp(options.program, [options.program, "profile", "-f", CONFIGURATION])
    except OSError as error:
        raise Failed(f"cannot start {options.program}: {error.strerror}") from error


if __name__ == "__main__":
    run(main)
