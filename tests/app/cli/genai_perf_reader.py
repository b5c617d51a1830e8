"""genai_perf_reader.py FOLDER: reads genai-perf's artifacts as its users' scripts do: the JSON by
the names of metrics, the CSV by the names of rows, the raw export by requests. Prints what it
found, one line each.
"""
import csv
import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])

summary = json.loads((folder / "profile_export_genai_perf.json").read_text())
for metric in (
    "time_to_first_token",
    "inter_token_latency",
    "request_latency",
    "output_sequence_length",
    "input_sequence_length",
    "output_token_throughput_per_request",
):
    for statistic in ("avg", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std"):
        assert isinstance(summary[metric][statistic], float), (metric, statistic)
print("concurrency", summary["input_config"]["concurrency"])
print("osl", summary["output_sequence_length"]["avg"])

with open(folder / "profile_export_genai_perf.csv", newline="") as file:
    lines = list(csv.reader(file))
blank = lines.index([])
requests = {row[0]: dict(zip(lines[0][1:], row[1:])) for row in lines[1:blank]}
system = {row[0]: row[1] for row in lines[blank + 2 :]}


def number(text):
    return float(text.replace(",", ""))


for row, metric in (
    ("Time To First Token (ms)", "time_to_first_token"),
    ("Inter Token Latency (ms)", "inter_token_latency"),
    ("Request Latency (ms)", "request_latency"),
    ("Output Sequence Length", "output_sequence_length"),
    ("Input Sequence Length", "input_sequence_length"),
):
    for statistic, text in requests[row].items():
        assert abs(number(text) - summary[metric][statistic]) <= 0.005001, (row, statistic)
for row, metric in (
    ("Output Token Throughput (per sec)", "output_token_throughput"),
    ("Request Throughput (per sec)", "request_throughput"),
):
    assert abs(number(system[row]) - summary[metric]["avg"]) <= 0.005001, row
print("rows", len(requests), len(system))

experiment = json.loads((folder / "profile_export.json").read_text())["experiments"][0]
print(
    "requests",
    len(experiment["requests"]),
    experiment["experiment"]["mode"],
    experiment["experiment"]["value"],
)
for request in experiment["requests"]:
    assert (
        request["timestamp"]
        < request["response_timestamps"][0]
        <= request["response_timestamps"][-1]
    )
    assert len(request["response_timestamps"]) == len(request["response_outputs"])
print(
    "answer",
    "".join(output["text_output"] for output in experiment["requests"][0]["response_outputs"]),
)
