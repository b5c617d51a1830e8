"""Measures one server with the real genai-perf, perf_analyzer, aiperf, Model Analyzer and native
from one matrix: all at once, and killed and resumed. Then imports the files that the tools wrote,
and computes the tools' own numbers again from the requests that they kept.

usage: tools_test.py BINARY MATRIX WORK
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

TOOLS = {"native", "genai-perf", "perf_analyzer", "aiperf", "model-analyzer"}
NEAR = 0.001  # of the tool's own number
WAIT_S = 1800
# File, path or column in it, and our name of the same quantity.
GENAI = [
    (("time_to_first_token", "avg"), "ttft_ms"),
    (("time_to_first_token", "p99"), "ttft_ms_p99"),
    (("inter_token_latency", "avg"), "itl_ms"),
    (("request_latency", "avg"), "request_latency_ms"),
    (("request_throughput", "avg"), "requests_per_s"),
    (("output_token_throughput", "avg"), "output_tps"),
]
TABLES = {
    "perf_analyzer": (
        "**/report.csv",
        [
            ("Inferences/Second", "requests_per_s", 1),
            ("Avg latency", "request_latency_ms", 1000),
        ],
    ),
    "model-analyzer": (
        "**/metrics-model-inference.csv",
        [
            ("Throughput (infer/sec)", "requests_per_s", 1),
            ("Avg Latency (ms)", "request_latency_ms", 1),
        ],
    ),
}
REPORTS = {"genai-perf": "**/*_genai_perf.json", "aiperf": "profile_export_aiperf.json"}
# The requests that a tool kept, and its own formulas over them. The export of perf_analyzer is
# computed at its import: over its windows.
OF_REQUESTS = "FROM requests WHERE NOT warmup"
SPAN_S = "(max(sent_s + end_ms / 1000) - min(sent_s))"
RECORDS = {
    "genai-perf": (
        "profile_export.json",
        "avg(ttft_ms) AS ttft_ms,"
        " avg((end_ms - ttft_ms) / (osl_counted - 1)) AS itl_ms,"
        f" avg(end_ms) AS request_latency_ms, count(*) / {SPAN_S} AS requests_per_s,"
        f" sum(osl_counted) / {SPAN_S} AS output_tps {OF_REQUESTS}",
    ),
    # Its rates divide by the time of the whole run, which only its report tells.
    "aiperf": (
        "profile_export.jsonl",
        "avg(ttft_ms) AS ttft_ms, avg(itl_ms) AS itl_ms, avg(request_latency_ms) AS"
        " request_latency_ms, count(*) / {run_s} AS requests_per_s,"
        " sum(osl_counted) / {run_s} AS output_tps " + OF_REQUESTS,
    ),
    "perf_analyzer": (
        "profile_export.json",
        "requests_per_s, request_latency_ms FROM results_all WHERE definition = 'perf_analyzer'",
    ),
}


class Store:
    def __init__(self, binary, folder):
        self.binary, self.folder = str(Path(binary).resolve()), Path(folder)

    def command(self, *words):
        return [self.binary, *map(str, words), "--store", str(self.folder)]

    def run(self, *words):
        done = subprocess.run(self.command(*words), capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    def rows(self, sql):
        return json.loads(self.run("query", sql, "--format", "json"))


def check_rows(store, name):
    rows = store.rows(
        f"SELECT tool, point, repeats FROM results_by_tool WHERE experiment = '{name}'"
    )
    assert {row["tool"] for row in rows} == TOOLS, rows
    assert all(row["repeats"] == 2 for row in rows), rows
    sessions = store.rows(
        "SELECT tool, repeat, session_order FROM results_all WHERE definition = tool AND valid = 1"
        f" AND experiment = '{name}' ORDER BY session_order"
    )
    # In turns: no tool is measured for the second time before each was measured once.
    rounds = [row["repeat"] for row in sessions]
    assert rounds == sorted(rounds), sessions
    plain = store.rows(f"SELECT point FROM results WHERE experiment = '{name}'")
    assert len(plain) == 1, plain
    return {row["point"] for row in rows}


def wait_for(store, process, count):
    """Until COUNT measurements are recorded."""
    end = time.monotonic() + WAIT_S
    while process.poll() is None and time.monotonic() < end:
        if len(list(store.folder.glob("artifacts/*bench-*"))) >= count:
            return True
        time.sleep(0.2)
    return False


def kill_and_resume(store, matrix):
    """Ends orchestrate with SIGKILL when three of the ten measurements are there, and resumes."""
    process = subprocess.Popen(store.command("run", matrix), stdout=subprocess.DEVNULL)
    assert wait_for(store, process, 3), f"ended before it was killed: {process.poll()}"
    process.send_signal(signal.SIGKILL)
    process.wait()
    store.run("run", matrix)


def number(text):
    return float(str(text).replace(",", ""))


def own_numbers(tool, folder):
    """What the tool itself says, by our names."""
    if tool in REPORTS:
        report = json.loads(next(folder.glob(REPORTS[tool])).read_bytes())
        return {
            ours: report[name][statistic]
            for (name, statistic), ours in GENAI
            if statistic in report[name]
        }
    pattern, columns = TABLES[tool]
    with open(next(folder.glob(pattern)), encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    return {ours: number(row[column]) / divisor for column, ours, divisor in columns}


def run_s(report):
    """Seconds of the whole run of aiperf."""
    times = json.loads(report.read_bytes())
    start, end = (datetime.fromisoformat(times[key]) for key in ("start_time", "end_time"))
    return (end - start).total_seconds()


def compare(what, row, own):
    """Every number of the tool's OWN beside ours, and the largest difference in percent."""
    worst = 0
    for name, value in own.items():
        difference = abs(row[name] - value) / abs(value)
        assert difference <= NEAR, f"{what} {name}: {row[name]}, its own {value}"
        worst = max(worst, difference)
    return f"{what}: {', '.join(own)} within {100 * worst:.3f} %"


class Tools:
    """The checks, in this order: each returns what it saw."""

    def __init__(self, binary, matrix, work):
        self.matrix, self.work = matrix, work
        self.store = Store(binary, work / "store")
        self.killed = Store(binary, work / "killed")
        self.points = set()

    def files_of(self, tool):
        [row] = self.store.rows(
            "SELECT artifact FROM provenance WHERE name = 'tool_bench' AND point LIKE"
            f" '%{tool}%' ORDER BY run DESC, artifact LIMIT 1"
        )
        return self.store.folder / row["artifact"] / "out" / "files"

    def artifact(self, stage):
        [row] = self.store.rows(
            f"SELECT artifact FROM provenance WHERE name = '{stage}' ORDER BY run DESC LIMIT 1"
        )
        return self.store.folder / row["artifact"] / "out"

    def imported(self, name, *words):
        other = Store(self.store.binary, self.work / f"import-{name}")
        shutil.rmtree(other.folder, ignore_errors=True)
        other.run("import", *words, "--experiment", "files")
        return other

    def all_tools_from_one_matrix(self):
        self.store.run("run", self.matrix)
        self.points = check_rows(self.store, "tools")
        return f"{len(self.points)} points of {len(TOOLS)} tools, two rounds each"

    def the_same_rows_after_kill_9_and_resume(self):
        shutil.rmtree(self.killed.folder, ignore_errors=True)
        kill_and_resume(self.killed, self.matrix)
        assert check_rows(self.killed, "tools") == self.points
        return "killed after three measurements of ten"

    def figures_of_files(self, tool):
        folder = self.files_of(tool)
        other = self.imported(tool, folder, "--tokens-per-event", 1)
        own = own_numbers(tool, folder)
        [row] = other.rows(f"SELECT {', '.join(own)} FROM results_all WHERE definition <> 'native'")
        return compare(tool, row, own)

    def figures_from_records(self, tool):
        """As of one who has the export alone, and the model's tokenizer."""
        name, figures = RECORDS[tool]
        folder = self.files_of(tool)
        python = self.artifact("environment") / "venv/bin/python3"
        other = self.imported(
            f"{tool}-records", folder / name, "--tokenizer", self.artifact("download"), "--python",
            python,
        )  # fmt: skip
        if tool == "aiperf":
            figures = figures.format(run_s=run_s(folder / REPORTS["aiperf"]))
        [row] = other.rows(f"SELECT {figures}")
        own = own_numbers(tool, folder)
        return compare(tool, row, {name: own[name] for name in row})

    def checks(self):
        yield self.all_tools_from_one_matrix, ()
        for tool in sorted(TOOLS - {"native"}):
            yield self.figures_of_files, (tool,)
        for tool in sorted(RECORDS):
            yield self.figures_from_records, (tool,)
        yield self.the_same_rows_after_kill_9_and_resume, ()


def main():
    binary, matrix, work = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    tools = Tools(binary, matrix, work)
    passed = failed = 0
    for check, words in tools.checks():
        name = " ".join([check.__name__.replace("_", " "), *words])
        try:
            print(f"ok     {name}: {check(*words)}", flush=True)
            passed += 1
        except Exception as error:  # the others are of use without this one
            print(f"FAILED {name}: {type(error).__name__} {error}", flush=True)
            failed += 1
    view = "SELECT tool, metric, native, own, recomputed, definition_percent, between_percent,"
    view += " between_low, between_high, rounds FROM side_by_side WHERE metric IN ('ttft_ms',"
    view += " 'itl_ms', 'request_latency_ms', 'output_tps', 'requests_per_s', 'osl_counted')"
    print(tools.store.run("query", view))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("LANG", "C.UTF-8")
    sys.exit(main())
