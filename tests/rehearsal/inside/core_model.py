"""tools/inflight_batcher_llm/benchmark_core_model.py of tensorrtllm_backend: its options, token ids
sent to one model over gRPC, the table that it prints, the file of --op-stats-csv. It needs
the packages of the machine it runs on, as the vendor's does, and no image."""

import argparse
import concurrent.futures
import csv
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "utils"))
import grpc  # noqa: E402
import triton_grpc  # noqa: E402

RELEASE = [int(one) for one in "@release@".split(".")[:2]]


def arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("-u", "--url", default="localhost:8000")
    parser.add_argument("-i", "--protocol", choices=["http", "grpc"], default="http")
    parser.add_argument("-c", "--concurrency", type=int, default=128)
    parser.add_argument("--max-input-len", type=int, required=True)
    parser.add_argument("--request-rate", type=float, default=-1.0)
    parser.add_argument("--time-delay-dist", choices=["constant", "exponential_dist"])
    parser.add_argument("--num-requests", type=int, default=30000)
    parser.add_argument("--op-stats-csv")
    parser.add_argument("--exclude-input-in-output", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    if RELEASE >= [0, 11]:
        parser.add_argument("--decoupled", action="store_true")
        parser.add_argument("-t", "--stream-timeout", type=float)
        parser.add_argument("--tensorrt-llm-model-name", action="append")
    kinds = parser.add_subparsers(dest="kind", required=True)
    dataset = kinds.add_parser("dataset", allow_abbrev=False)
    dataset.add_argument("--dataset", required=True)
    dataset.add_argument("--tokenizer-dir", required=True)
    dataset.add_argument("--tokenizer-type", choices=["auto", "t5", "llama"], default="auto")
    dataset.add_argument("--op-tokens-per-word", type=float, default=1.3)
    normal = kinds.add_parser("token-norm-dist", allow_abbrev=False)
    for name in ("input-mean", "input-stdev", "output-mean", "output-stdev"):
        normal.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args()


def lengths(given):
    """(input, output) tokens of each request."""
    if given.kind == "token-norm-dist":
        return [(given.input_mean, given.output_mean)] * given.num_requests
    rows = json.loads(Path(given.dataset).read_text("utf-8"))
    if not os.path.isdir(given.tokenizer_dir):
        sys.exit(f"OSError: Can't load tokenizer for '{given.tokenizer_dir}'")
    found = []
    for row in rows:
        words = len((row["input"] + " " + row["instruction"]).split())
        output = int(len(row["output"].split()) * given.op_tokens_per_word)
        if words <= given.max_input_len:
            found.append((words, output))
    return found[: given.num_requests]


def integers(name, values):
    data = b"".join(value.to_bytes(4, "little") for value in values)
    tensor = triton_grpc.field(1, name) + triton_grpc.field(2, "INT32")
    for size in (1, len(values)):
        tensor += triton_grpc.field(3, size)
    return triton_grpc.field(5, tensor), triton_grpc.field(7, data)


def send(channel, given, one):
    """The seconds of a request, its input and output tokens; the last answer of a stream counts."""
    tensors = [integers("input_ids", [7] * one[0]), integers("input_lengths", [one[0]]),
               integers("request_output_len", [one[1]])]  # fmt: skip
    message = triton_grpc.field(1, "tensorrt_llm")
    message += b"".join(head for head, _ in tensors) + b"".join(data for _, data in tensors)
    started = time.monotonic()
    if getattr(given, "decoupled", False):
        call = channel.stream_stream("/inference.GRPCInferenceService/ModelStreamInfer")
        answers = [dict(triton_grpc.fields_of(answer)) for answer in call(iter([message]))]
        if problems := [answer[1].decode() for answer in answers if 1 in answer]:
            sys.exit(problems[0])
        counts = [triton_grpc.ids_in(answer[2]) for answer in answers]
        tokens = [count for count in counts if count][-1]
    else:
        call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
        tokens = triton_grpc.ids_in(call(message))
    seconds = time.monotonic() - started
    return started, seconds, one[0], tokens if given.exclude_input_in_output else tokens - one[0]


def main():
    given = arguments()
    if given.protocol != "grpc":
        sys.exit("the figures of http are another table")
    wanted = lengths(given)
    with grpc.insecure_channel(given.url) as channel:
        with concurrent.futures.ThreadPoolExecutor(given.concurrency) as pool:
            done = list(pool.map(lambda one: send(channel, given, one), wanted))
    window = max(row[0] + row[1] for row in done) - min(row[0] for row in done)
    times = sorted(1000 * row[1] for row in done)

    def at(share):
        return times[-(-len(times) * share // 100) - 1]

    mean = [sum(row[place] for row in done) / len(done) for place in (2, 3)]
    figures = [("Requests/Sec", len(done) / window),
               ("OP tokens/sec", sum(row[3] for row in done) / window),
               ("Avg. latency (ms)", sum(times) / len(times)),
               ("P99 latency (ms)", at(99)), ("P90 latency (ms)", at(90)),
               ("Avg. IP tokens per request", mean[0]), ("Avg. OP tokens per request", mean[1]),
               ("Avg. InFlight requests", 0.0), ("Total latency (ms)", 1000 * window),
               ("Total requests", float(len(done)))]  # fmt: skip
    line = f"+{'-' * 32}+{'-' * 14}+"
    print(line, f"| {'Stat':^30} | {'Value':^12} |", line, sep="\n")
    for name, value in figures:
        print(f"| {name:^30} | {value:^12.2f} |")
    print(line)
    if given.op_stats_csv:
        renamed = {"Avg. IP": "Avg. Input", "Avg. OP": "Avg. Output"}
        names = [renamed.get(name[:7], name[:7]) + name[7:] for name, _ in figures]
        new = not os.path.exists(given.op_stats_csv)
        with open(given.op_stats_csv, "a", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            if new:
                rows.writerow(names)
            rows.writerow([f"{value:.2f}" for _, value in figures])


main()
