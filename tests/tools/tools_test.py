"""Measures one server with the real genai-perf, perf_analyzer, aiperf, Model Analyzer and native
from one matrix: all at once, and killed and resumed; then imports the files that the tools wrote
and compares the figures with the tools' own numbers.

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
    "perf_analyzer": ("**/report.csv", [("Avg latency", "request_latency_ms", 1000)]),
    "model-analyzer": (
        "**/metrics-model-inference.csv",
        [
            ("Throughput (infer/sec)", "requests_per_s", 1),
            ("Avg Latency (ms)", "request_latency_ms", 1),
        ],
    ),
}
REPORTS = {"genai-perf": "**/*_genai_perf.json", "aiperf": "profile_export_aiperf.json"}


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
        return {ours: report[name][statistic] for (name, statistic), ours in GENAI}
    pattern, columns = TABLES[tool]
    with open(next(folder.glob(pattern)), encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    return {ours: number(row[column]) / divisor for column, ours, divisor in columns}


def check_import(store, work, tool, folder):
    """Imports the files that TOOL wrote into FOLDER, as a user would who has only them."""
    other = Store(store.binary, work / f"import-{tool}")
    shutil.rmtree(other.folder, ignore_errors=True)
    other.run("import", folder, "--experiment", "files", "--tokens-per-event", 1)
    own = own_numbers(tool, folder)
    names = ", ".join(own)
    [row] = other.rows(f"SELECT {names} FROM results_all WHERE definition <> 'native'")
    for name, value in own.items():
        assert abs(row[name] - value) <= NEAR * abs(value), f"{tool} {name}: {row[name]}, {value}"
    print(f"ok {tool}: {len(own)} figures as in its own files")


def main():
    binary, matrix, work = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    store = Store(binary, work / "store")
    shutil.rmtree(work / "killed", ignore_errors=True)
    store.run("run", matrix)
    expected = check_rows(store, "tools")
    print(f"ok {len(expected)} points of {len(TOOLS)} tools")
    for tool in sorted(TOOLS - {"native"}):
        [folder] = store.rows(
            "SELECT artifact FROM provenance WHERE name = 'tool_bench' AND point LIKE"
            f" '%{tool}%' ORDER BY run DESC LIMIT 1"
        )
        check_import(store, work, tool, store.folder / folder["artifact"] / "files")
    killed = Store(binary, work / "killed")
    kill_and_resume(killed, matrix)
    assert check_rows(killed, "tools") == expected
    print("ok the same rows after kill -9 and resume")
    view = "SELECT tool, metric, native, own, recomputed, definition_percent, between_percent,"
    view += " between_low, between_high, rounds FROM side_by_side WHERE metric IN ('ttft_ms',"
    view += " 'itl_ms', 'request_latency_ms', 'output_tps', 'requests_per_s', 'osl_counted')"
    print(store.run("query", view))


if __name__ == "__main__":
    os.environ.setdefault("LANG", "C.UTF-8")
    main()
