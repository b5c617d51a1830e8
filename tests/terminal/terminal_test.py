"""What a run looks like on a terminal of 80 and of 200 columns: a sweep of 500 points, the same one
interrupted and resumed, and one that fails. tmux has the terminal. ORCH_BINARY names orchestrate.

ORCH_CAPTURES=FOLDER keeps the captures."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ORCHESTRATE = os.environ["ORCH_BINARY"]
SKIPPED = 77
POINTS = 500
WIDTHS = (80, 200)

TOY = pathlib.Path(__file__).resolve().parents[1] / "e2e/toy.hpp"

# Measurements take no time: each has the same record with another figure.
RUNNER = """
runner: fast
parameters:
  n: {type: integer, min: 0}
  kind: {type: text, default: good}
stages:
  serve:
    kind: service
    reads: []
    ports: [http]
    argv: [/usr/bin/python3, -m, http.server, --bind, 127.0.0.1, "{port:http}"]
    ready: {port: http, get: [/], timeout_s: 20}
  bench:
    kind: measure
    needs: [serve]
    reads: [n, kind]
    files: [record/measurement.json, record/requests.jsonl]
    argv: [/bin/sh, "{file:measure.sh}", "{file:record/measurement.json}",
           "{file:record/requests.jsonl}", "{n}", "{kind}", "{out}"]
    outputs: [measurement.json, requests.jsonl]
"""
MEASURE = """set -e
if [ "$4" = bad ]; then
  echo "loading the model with a configuration of which this line says more than a" \\
    "narrow terminal can show"
  echo "CUDA error: there is no such device"
  exit 1
fi
sed "s/123456789/$3.5/" "$1" >"$5/measurement.json"
cp "$2" "$5/requests.jsonl"
"""


def raw_string(name):
    """The text of a constant of toy.hpp."""
    return re.search(name + r' = R"\((.*?)\)"', TOY.read_text(), re.DOTALL).group(1)


def make_record(folder):
    """Measures the toy server once, for a record that is whole."""
    toy = folder / "runners/toy"
    toy.mkdir(parents=True)
    (toy / "runner.yaml").write_text(raw_string("k_toy_runner"))
    (toy / "make.py").write_text(raw_string("k_toy_make"))
    (toy / "serve.py").write_text(raw_string("k_toy_serve"))
    limits = "{limits: {wake_lag_ms: 1000, client_cpu_share: 1000}}"
    (folder / "toy.yaml").write_text(
        f"name: toy\nrunner: toy\nmeasure: {limits}\naxes: {{osl: [4]}}\n"
    )
    subprocess.run(
        [ORCHESTRATE, "run", "toy.yaml"], cwd=folder, check=True, capture_output=True, timeout=120
    )
    [found] = folder.glob("results/artifacts/bench-*/out")
    record = json.loads((found / "measurement.json").read_text())
    figure = record["measurements"][0]["metrics"]["output_tps"]
    if isinstance(figure, dict):
        figure.clear()
        figure["mean"] = 123456789
    else:
        record["measurements"][0]["metrics"]["output_tps"] = 123456789
    fast = folder / "runners/fast"
    (fast / "record").mkdir(parents=True)
    (fast / "record/measurement.json").write_text(json.dumps(record, indent=1))
    shutil.copy(found / "requests.jsonl", fast / "record/requests.jsonl")
    (fast / "runner.yaml").write_text(RUNNER)
    (fast / "measure.sh").write_text(MEASURE)


class Terminal:
    """A terminal of tmux with a server of its own."""

    def __init__(self, columns, folder):
        self.socket = tempfile.mktemp(prefix="tmux-", dir=folder)
        self.columns = columns
        self.folder = folder
        start = "-f /dev/null start-server ; set-option -g history-limit 20000 ; new-session -d"
        size = ["-x", str(columns), "-y", "24", "-c", str(folder)]
        self.tmux(*start.split(), *size, "env PS1='$ ' /bin/sh")

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-S", self.socket, *words], check=True, capture_output=True, text=True
        ).stdout

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def lines(self, *more):
        return self.tmux("capture-pane", "-p", "-S", "-", *more).rstrip("\n").split("\n")

    def run(self, command, while_it_runs=lambda lines: None):
        """The lines of COMMAND on a cleared terminal, and what wraps of them."""
        self.tmux("send-keys", "-R")
        self.tmux("clear-history")
        ended = self.folder / "ended"
        ended.unlink(missing_ok=True)
        self.type(f"clear; {command}; echo status $? >ended")
        while not ended.exists() or not ended.read_text().endswith("\n"):
            while_it_runs(self.lines())
            time.sleep(0.05)  # between two looks
        shown, joined = self.lines(), self.lines("-J")
        wrapped = [line.rstrip() for line in joined if len(line.rstrip()) > self.columns]
        keep = os.environ.get("ORCH_CAPTURES")
        if keep:
            name = re.sub(r"\W+", "-", command)[-30:]
            pathlib.Path(keep, f"{self.columns}-{name}.txt").write_text("\n".join(shown) + "\n")
        return shown, wrapped, int(ended.read_text().split()[1])


def is_command(line):
    """A line that is to be copied, and stays whole."""
    return "orchestrate query" in line or "clear; " in line


class TerminalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        make_record(cls.folder)

    def matrix(self, name, axes):
        (self.folder / f"{name}.yaml").write_text(f"name: {name}\nrunner: fast\naxes: {axes}\n")

    def on_terminals(self, check):
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                terminal = Terminal(columns, self.folder)
                try:
                    check(columns, terminal)
                finally:
                    terminal.close()

    def assert_fits(self, wrapped):
        self.assertEqual([line for line in wrapped if not is_command(line)], [])

    def test_a_sweep_of_500_points_ends_in_its_best(self):
        self.matrix("wide", f"{{n: {list(range(POINTS))}}}")

        def check(columns, terminal):
            status_lines = set()

            def look(lines):
                status_lines.update(
                    line for line in lines if re.search(rf"\d+/{POINTS + 1}\b", line)
                )

            store = f"store-{columns}"
            lines, wrapped, status = terminal.run(
                f"{ORCHESTRATE} run wide.yaml --store {store}", look
            )
            self.assertEqual(status, 0, lines[-30:])
            self.assert_fits(wrapped)
            self.assertTrue(status_lines, "a status line was drawn")
            text = "\n".join(lines)
            self.assertIn(f"{POINTS} points; stages: {POINTS + 1} done", text)
            self.assertIn(f"The best 20 of {POINTS} points", re.sub(r"\s+", " ", text))
            header = next(i for i, line in enumerate(lines) if re.match(r"\s*n\s+output_tps", line))
            rows = [line.split() for line in lines[header + 1 : header + 21]]
            best = [str(n) for n in range(POINTS - 1, POINTS - 21, -1)]
            self.assertEqual([row[0] for row in rows], best)
            # The whole view: its header also at the end, on a terminal where it has scrolled away.
            lines, wrapped, status = terminal.run(f"{ORCHESTRATE} query results --store {store}")
            self.assertEqual(status, 0, lines)
            self.assert_fits(wrapped)
            headers = [line for line in lines if line.startswith("point ")]
            self.assertGreaterEqual(len(headers), 2)
            self.assertEqual(len(headers) % 2, 0, "one at each end of each table")

        self.on_terminals(check)

    def test_an_interrupted_sweep_says_how_to_continue_and_a_resumed_one_what_it_reuses(self):
        self.matrix("resumed", f"{{n: {list(range(POINTS))}}}")

        def check(columns, terminal):
            store = f"resumed-{columns}"
            pressed = []

            def interrupt(lines):
                if not pressed and sum(line.startswith("done ") for line in lines) >= 3:
                    pressed.append(terminal.tmux("send-keys", "C-c"))

            run = f"{ORCHESTRATE} run resumed.yaml --store {store}"
            lines, wrapped, status = terminal.run(run, interrupt)
            self.assertEqual(status, 130, lines[-20:])
            self.assert_fits(wrapped)
            self.assertIn("Run the same command again to continue.", lines)
            lines, wrapped, status = terminal.run(run)
            self.assertEqual(status, 0, lines[-20:])
            self.assert_fits(wrapped)
            self.assertEqual(sum(line.startswith("reused ") for line in lines), 1)
            self.assertIn("points; stages: ", "\n".join(lines))

        self.on_terminals(check)

    def test_a_failing_sweep_shows_the_reason_once_and_its_command(self):
        self.matrix("failing", "{n: [0, 1, 2, 3, 4, 5], kind: [good, bad]}")

        def check(columns, terminal):
            lines, wrapped, status = terminal.run(
                f"{ORCHESTRATE} run failing.yaml --store failing-{columns}"
            )
            self.assertEqual(status, 1, lines)
            self.assert_fits(wrapped)
            text = "\n".join(lines)
            self.assertEqual(sum(line.startswith("FAILED ") for line in lines), 6)
            self.assertEqual(text.count("\nCUDA error"), 1, text)
            self.assertIn("6 stages failed: ", text)
            self.assertIn("See `orchestrate query failures`", text)

        self.on_terminals(check)


if __name__ == "__main__":
    if not shutil.which("tmux"):
        print("skipped: there is no tmux (scripts/install-packages.sh test)")
        sys.exit(SKIPPED)
    unittest.main()
