"""side_by_side.py --build DIR [--perf-analyzer VENV] [--aiperf VENV] [--rounds N] [--only ROW,...]:
compares the cost and the accuracy of the load generator with a raw epoll client and the installed
peers, against a server that logs when it sent each token. Prints one table per row; figures are
medians.

Figures depend on the machine; ratios carry over. Everything runs on loopback; the server has the
last core to itself if there are two, and clients are pinned to the others. Our own client runs a
second time unpinned, in turns with the pinned one. Targets apply to the medians of our own client,
pinned and unpinned: the last line counts them, and the exit status is 1 if one was missed.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from typing import Callable, NamedTuple, Optional

from clients import (
    Aiperf,
    ClientFailed,
    Ours,
    PerfAnalyzer,
    Raw,
    Unpinned,
    Wrk,
    timed,
    write_prompts,
    write_tokenizer,
)


class Server:
    """The ground-truth server as a process; its log exists after end()."""

    def __init__(
        self,
        binary,
        folder,
        shape="triton",
        tokens=16,
        ttft_ms=0,
        itl_ms=0,
        stream=True,
        one_send=False,
        log=True,
    ):
        self.shape, self.tokens, self.logs = shape, tokens, log
        self._log = Path(folder) / "truth.jsonl" if log else None
        words = [
            binary,
            "--shape",
            shape,
            "--tokens",
            tokens,
            "--ttft-ms",
            ttft_ms,
            "--itl-ms",
            itl_ms,
        ]
        words += [] if stream else ["--no-stream"]
        words += ["--one-send"] if one_send else []
        words += ["--log", self._log] if log else []
        words += ["--cpu", os.cpu_count() - 1] if os.cpu_count() > 1 else []
        self._process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE)
        announced = json.loads(self._process.stdout.readline())
        self.port, self.head_bytes, self.answer_bytes = (
            announced["port"],
            announced["head_bytes"],
            announced["answer_bytes"],
        )
        self.url = f"{'grpc' if shape == 'grpc' else 'http'}://127.0.0.1:{self.port}"

    def end(self):
        """Ends the server. Returns its log: [{"arrived_ns", "token_ns"}]."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        if self._log is None:
            return []
        return [json.loads(line) for line in self._log.read_text().splitlines()]


def percentile(values, share):
    ordered = sorted(values)
    rank = share * (len(ordered) - 1)
    below = int(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (rank - below) * (ordered[above] - ordered[below])


def summary(values):
    return {"mean": statistics.fmean(values), "p99": percentile(values, 0.99)} if values else None


def truth_of(rows):
    """The true TTFT and gaps from the server's log, and requests per second from the first arrival
    to the last token."""
    ttft = [(row["token_ns"][0] - row["arrived_ns"]) / 1e6 for row in rows]
    gaps = [(b - a) / 1e6 for row in rows for a, b in zip(row["token_ns"], row["token_ns"][1:])]
    seconds = (
        max(row["token_ns"][-1] for row in rows) - min(row["arrived_ns"] for row in rows)
    ) / 1e9
    return {
        "ttft": summary(ttft),
        "gap": summary(gaps),
        "requests_per_s": len(rows) / seconds,
        "arrivals_ns": sorted(row["arrived_ns"] for row in rows),
    }


def reported(report, quantity):
    values = {"ttft": "ttft_ms", "gap": "gaps_ms"}[quantity]
    return report[quantity] if quantity in report else summary(report.get(values) or [])


SHARES = ("requests/s", "CPU us/request", "CPU us/token")  # printed as shares of the raw client's


class Figure(NamedTuple):
    """A figure of a run and the targets for our own client. VALUE takes a run and its load; AT_MOST
    limits its absolute value. SLACK is how far the unpinned client may exceed the pinned one: the
    repeats of one client differ by as much."""

    name: str
    unit: str
    value: Callable
    at_most: Optional[float] = None
    of_raw: Optional[float] = None  # at least this share of the raw client's
    slack: Optional[float] = None

    def of(self, at_most):
        return self._replace(at_most=at_most)

    def wanted(self):
        """Its targets in words."""
        words = [] if self.at_most is None else [f"at most {self.at_most:g}{self.unit}"]
        words += [] if self.of_raw is None else [f"at least {self.of_raw:g} x raw"]
        return words + (
            [] if self.slack is None else [f"at most {self.slack:g}{self.unit} over pinned"]
        )


class Table:
    def __init__(self, options):
        self._options = options
        self.targets, self.missed = 0, []
        build = Path(options.build).resolve()
        self._truth = build / "tests/orch_truth"
        ours = build / "src/orchestrate"
        self._clients = [Raw(build / "tests/orch_raw"), Ours(ours), Unpinned(ours), Wrk()]
        if os.cpu_count() == 1:
            self._clients = [one for one in self._clients if not isinstance(one, Unpinned)]
        if options.perf_analyzer:
            self._clients.append(PerfAnalyzer(options.perf_analyzer))
        if options.aiperf:
            self._clients.append(Aiperf(options.aiperf))
        self._client_cpus = set(range(os.cpu_count() - 1)) or None

    def one_run(self, client, shape, load, log=True, **server):
        """A report; None if the client does not support the load."""
        with tempfile.TemporaryDirectory() as folder:
            running = Server(
                self._truth, folder, shape=shape, stream=load["stream"], log=log, **server
            )
            try:
                report = client.run(running, {**load, "cpus": self._client_cpus}, folder)
            finally:
                rows = running.end()
        if report is not None and log and rows:
            report["truth"] = truth_of(rows)
        return report

    def cells(self, clients, shape, load, **server):
        """[(client, the reports of all rounds, or why it failed)] without clients that do not
        support the load. The clients take turns: what else runs on the machine hits them alike."""
        runs = {client: [] for client in clients}
        failures = {}
        for _ in range(self._options.rounds):
            for client in list(runs):
                try:
                    report = self.one_run(client, shape, load, **server)
                except ClientFailed as error:
                    failures[client] = error
                    report = None
                if report is None:
                    del runs[client]
                else:
                    runs[client].append(report)
        return [(one, {**runs, **failures}[one]) for one in clients if one in {**runs, **failures}]

    def shape_for(self, client):
        return "openai-chat" if isinstance(client, (PerfAnalyzer, Aiperf)) else "triton"

    def turns(self, only, unpinned=True):
        """The clients of a row in lists; those of one list take turns."""
        groups = {}
        for client in self._clients:
            if isinstance(client, only or object) and (unpinned or type(client) is not Unpinned):
                groups.setdefault(Ours if isinstance(client, Ours) else client, []).append(client)
        return groups.values()

    def row(self, title, figures, load, only=None, shapes=None, unpinned=True, **server):
        print(f"\n## {title}", flush=True)
        bases = {}  # medians by the names of clients, then figures in their order
        for clients in self.turns(only, unpinned):
            shape = (shapes or {}).get(type(clients[0]), self.shape_for(clients[0]))
            for client, runs in self.cells(clients, shape, load, **server):
                self.print_client(client, runs, title, figures, load, bases)

    def print_client(self, client, runs, title, figures, load, bases):
        if isinstance(client, Unpinned):
            title += ", unpinned"
        else:
            figures = [figure._replace(slack=None) for figure in figures]
        if isinstance(runs, ClientFailed):
            print(f"{client.name:<22} failed: {runs}", flush=True)
            if isinstance(client, Ours):
                self.miss_all(title, figures, f"it failed: {runs}")
            return
        words = []
        medians = bases[client.name] = []
        for i, figure in enumerate(figures):
            values = [figure.value(run, load) for run in runs]
            medians.append(None)
            if any(v is None for v in values):
                if isinstance(client, Ours):
                    self.miss_all(title, [figure], "it was not reported")
                continue
            medians[i] = middle = statistics.median(values)
            words.append(f"{figure.name} {middle:,.4g}{figure.unit}")
            beside = {
                name: bases[one][i]
                for name, one in (("raw", Raw.name), ("pinned", Ours.name))
                if one in bases and one != client.name
            }
            if figure.name in SHARES and beside.get("raw"):
                words[-1] += f" ({middle / beside['raw']:.2f} x raw)"
            if isinstance(client, Unpinned) and beside.get("pinned"):
                words[-1] += f" ({middle / beside['pinned']:.2f} x pinned)"
            if isinstance(client, Ours):
                words[-1] += self.judge(title, figure, middle, beside)
        invalid = [run for run in runs if run.get("valid") is False]
        if invalid:
            words.append(f"NOT VALID in {len(invalid)} of {len(runs)}: {invalid[0]['reasons'][0]}")
        if isinstance(client, Unpinned):
            words.append("on cores " + " and ".join(sorted({run["cpus"] for run in runs})))
        print(f"{client.name:<22} " + "   ".join(words), flush=True)

    @property
    def python(self):
        """A Python that has the package tokenizers; None if there is none."""
        return self._options.perf_analyzer and Path(self._options.perf_analyzer) / "bin/python3"

    def start(self, title, words_of, times=1):
        """Times the start of TIMES runs in one folder, of which the last one counts."""
        print(f"\n## {title}", flush=True)
        ours = next(client for client in self._clients if isinstance(client, Ours))
        figure = Figure("exec to first request", " ms", None, at_most=50)
        values = []
        for _ in range(self._options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                words = words_of(Path(folder))
                for _ in range(times):
                    server = Server(self._truth, folder)
                    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
                    try:
                        timed(
                            [
                                ours._binary,
                                "bench",
                                "--url",
                                server.url,
                                "--model",
                                "m",
                                "--osl",
                                16,
                                "--concurrency",
                                1,
                                "--no-statistics",
                                "--no-first-request",
                                "--format",
                                "json",
                                "--wake-lag-ms-limit",
                                1000,
                                "--client-cpu-limit",
                                1000,
                            ]
                            + words,
                            folder,
                        )
                    except ClientFailed as error:
                        print(f"{ours.name:<22} failed: {error}", flush=True)
                        return self.miss_all(title, [figure], f"it failed: {error}")
                    finally:
                        rows = server.end()
                values.append((rows[0]["arrived_ns"] - begin) / 1e6)
        middle = statistics.median(values)
        print(
            f"{ours.name:<22} {figure.name} {middle:.1f}{figure.unit}"
            f"{self.judge(title, figure, middle, {})}",
            flush=True,
        )

    def judge(self, title, figure, middle, beside):
        """A note about missed targets; "" if there is no target or all are met. BESIDE has the
        medians of the raw client and, for the unpinned one, of the pinned one; a target that
        follows from one without a figure is missed."""
        met = []
        if figure.at_most is not None:
            met.append(abs(middle) <= figure.at_most)
        if figure.of_raw is not None:
            met.append(bool(beside.get("raw")) and middle / beside["raw"] >= figure.of_raw)
        if figure.slack is not None:
            pinned = beside.get("pinned")
            met.append(pinned is not None and abs(middle) <= abs(pinned) + figure.slack)
        self.targets += len(met)
        missed = [text for ok, text in zip(met, figure.wanted()) if not ok]
        self.missed += [
            f"{title}: {figure.name} {middle:.4g}{figure.unit}, wanted {text}" for text in missed
        ]
        return "".join(f" [MISSED: {text}]" for text in missed)

    def miss_all(self, title, figures, reason):
        """Counts the targets of figures that our own client did not report."""
        for figure in figures:
            wanted = figure.wanted()
            self.targets += len(wanted)
            self.missed += [f"{title}: {figure.name}, wanted {text}: {reason}" for text in wanted]


def error_of(quantity, statistic):
    def value(run, _):
        measured = reported(run, quantity)
        return (
            measured[statistic] - run["truth"][quantity][statistic]
            if measured and "truth" in run and run["truth"][quantity]
            else None
        )

    return value


RATE = Figure("requests/s", "", lambda run, load: run["requests_per_s"])
CPU_REQUEST = Figure(
    "CPU us/request",
    "",
    lambda run, load: run["cpu_s"] / run.get("requests", load["requests"]) * 1e6,
)
WHOLE_CPU = Figure(
    "whole process CPU us/request",
    "",
    lambda run, load: run["whole_cpu_s"] / load["requests"] * 1e6 if "whole_cpu_s" in run else None,
)
OVER_COUNT = Figure(
    "throughput over the server's own",
    " %",
    lambda run, load: (
        100 * (run["requests_per_s"] / run["truth"]["requests_per_s"] - 1)
        if run["requests_per_s"]
        else None
    ),
    at_most=0.5,
)


def errors(ttft_mean, ttft_p99, itl_mean=0.01, itl_p99=1):
    """The errors of TTFT and ITL with their targets, in milliseconds. The unpinned client may have
    a tenth of a target more than the pinned one."""
    return [
        Figure(name, " ms", error_of(*quantity), at_most, slack=at_most / 10)
        for name, quantity, at_most in (
            ("TTFT error mean", ("ttft", "mean"), ttft_mean),
            ("p99", ("ttft", "p99"), ttft_p99),
            ("ITL error mean", ("gap", "mean"), itl_mean),
            ("p99", ("gap", "p99"), itl_p99),
        )
    ]


WANTED_ERRORS = {
    1: errors(0.3, 1),
    16: errors(0.3, 1),
    64: errors(1, 2),
    256: errors(2.5, 5),
}  # by concurrency


def cpu_token(tokens, at_most=None):
    return Figure(
        "CPU us/token",
        "",
        lambda run, load: run["cpu_s"] / run.get("requests", load["requests"]) / tokens * 1e6,
        at_most,
    )


def whole_cpu_token(tokens, at_most=None):
    """As the figures of the peers: all threads, from exec to exit."""
    return Figure(
        "whole process CPU us/token",
        "",
        lambda run, load: (
            run["whole_cpu_s"] / load["requests"] / tokens * 1e6 if "whole_cpu_s" in run else None
        ),
        at_most,
    )


QUICK = (Raw, Ours, Wrk, PerfAnalyzer)  # clients that start at once


def rate_rows(table):
    for concurrency in (1, 16, 64):
        table.row(
            f"rate: not streamed, no delays, concurrency {concurrency}",
            [
                RATE._replace(of_raw=0.6 if concurrency == 64 else None),
                CPU_REQUEST.of(20 if concurrency == 16 else None),
                WHOLE_CPU.of(20 if concurrency == 16 else None),
            ],
            {
                "concurrency": concurrency,
                "requests": 60000 if concurrency > 1 else 20000,
                "stream": False,
            },
            only=None if concurrency > 1 else QUICK,
            log=False,
        )


def stream_rows(table):
    for concurrency in (16, 64):
        table.row(
            f"stream: 128 tokens, no delays, a send each, concurrency {concurrency}",
            [RATE, cpu_token(128, at_most=3), whole_cpu_token(128, at_most=3)],
            {"concurrency": concurrency, "requests": 3000, "stream": True},
            only=QUICK,
            tokens=128,
            log=False,
        )


def timed_rows(table):
    for concurrency, requests in ((1, 8), (16, 160), (64, 512), (256, 1536)):
        table.row(
            f"timed: TTFT 20 ms, ITL 5 ms, 64 tokens, concurrency {concurrency}",
            WANTED_ERRORS[concurrency] + [OVER_COUNT],
            {"concurrency": concurrency, "requests": requests, "stream": True},
            tokens=64,
            ttft_ms=20,
            itl_ms=5,
        )


def shape_rows(table):
    for shape in ("openai-chat", "openai-completions", "grpc"):
        for concurrency, requests in ((16, 160), (256, 1536)):
            table.row(
                f"shapes: {shape}, TTFT 20 ms, ITL 5 ms, 64 tokens, concurrency {concurrency}",
                WANTED_ERRORS[concurrency] + [OVER_COUNT, cpu_token(64)],
                {"concurrency": concurrency, "requests": requests, "stream": True},
                only=(Ours, PerfAnalyzer) if shape == "grpc" else (Ours,),
                shapes={Ours: shape, PerfAnalyzer: shape},
                tokens=64,
                ttft_ms=20,
                itl_ms=5,
            )
    table.row(
        "shapes: grpc, 128 tokens, no delays, concurrency 16",
        [cpu_token(128), whole_cpu_token(128)],
        {"concurrency": 16, "requests": 3000, "stream": True},
        only=(Ours, PerfAnalyzer),
        shapes={Ours: "grpc", PerfAnalyzer: "grpc"},
        tokens=128,
        log=False,
    )


def gaps(times):
    return [(b - a) / 1e9 for a, b in zip(times, times[1:])]


def open_rows(table):
    def off_schedule(run, _):
        due = run.get("due_ns")
        if not due:
            return None
        arrived = run["truth"]["arrivals_ns"]
        return 100 * ((due[-1] - due[0]) / (arrived[-1] - arrived[0]) - 1)

    def variation(run, _):
        between = gaps(run["truth"]["arrivals_ns"])
        return statistics.pstdev(between) / statistics.fmean(between)

    def drawn_variation(run, _):
        return (
            statistics.pstdev(gaps(run["due_ns"])) / statistics.fmean(gaps(run["due_ns"]))
            if run.get("due_ns")
            else None
        )

    def variation_off(run, load):
        drawn = drawn_variation(run, load)
        return None if drawn is None else variation(run, load) - drawn

    def rate_error(run, load):
        arrived = run["truth"]["arrivals_ns"]
        return 100 * ((len(arrived) - 1) / ((arrived[-1] - arrived[0]) / 1e9) / load["rate"] - 1)

    for rate in (10, 100, 500):
        table.row(
            f"open: Poisson, {rate} requests/s for 3 s, TTFT 20 ms, 4 tokens",
            [
                Figure("rate over the drawn schedule", " %", off_schedule, at_most=1),
                Figure("rate over the requested rate", " %", rate_error),
                Figure("CV of gaps", "", variation),
                Figure("CV drawn", "", drawn_variation),
                Figure("CV minus drawn CV", "", variation_off, at_most=0.05),
                Figure(
                    "send lag p99",
                    " ms",
                    lambda run, load: run["send_lag_ms"]["p99"] if "send_lag_ms" in run else None,
                    at_most=1,
                ),
            ]
            + WANTED_ERRORS[16][:2],
            {"rate": rate, "requests": rate * 3, "stream": True, "records": True, "concurrency": 0},
            only=(Ours, PerfAnalyzer, Aiperf) if rate >= 100 else (Ours, PerfAnalyzer),
            tokens=4,
            ttft_ms=20,
            itl_ms=1,
        )


def few_rows(table):
    table.row(
        "few: 8 requests, concurrency 1",
        [
            RATE,
            Figure("server's own", "/s", lambda run, load: run["truth"]["requests_per_s"]),
            OVER_COUNT,
        ],
        {"concurrency": 1, "requests": 8, "stream": True},
        only=QUICK,
        tokens=64,
        ttft_ms=20,
        itl_ms=5,
    )


def start_rows(table):
    """Wall time from exec to the first request at the server: with a prompt file, and with cached
    prompts."""
    table.start(
        "start: from exec to the first request, 10,000 prompts in a file",
        lambda folder: [
            "--requests",
            1,
            "--prompts",
            write_prompts(folder / "prompts.jsonl", 10000),
        ],
    )
    if table.python:
        table.start(
            (
                "start: the same, 1,000 prompts of 512 tokens from the cache, a tokenizer of"
                " 128,000 words"
            ),
            lambda folder: [
                "--isl",
                512,
                "--requests",
                1000,
                "--tokenizer",
                write_tokenizer(folder / "tokenizer", 128000),
                "--python",
                table.python,
                "--prompt-cache",
                folder / "cache",
            ],
            times=2,
        )


def memory_rows(table):
    for shape in ("triton", "grpc"):
        table.row(
            f"memory: 10,000 streams open at a time, 32 tokens each, {shape}",
            [
                Figure(
                    "peak memory", " MiB", lambda run, load: run["rss_mib"], at_most=200e6 / 2**20
                ),
                Figure("throughput", " requests/s", lambda run, load: run["requests_per_s"]),
            ],
            {"concurrency": 10000, "requests": 10000, "stream": True},
            only=(Ours, Raw) if shape == "triton" else (Ours,),
            shapes={Ours: shape},
            unpinned=False,
            tokens=32,
            ttft_ms=4000,
            itl_ms=400,
            log=False,
        )


ROWS = {
    "rate": rate_rows,
    "stream": stream_rows,
    "timed": timed_rows,
    "shapes": shape_rows,
    "open": open_rows,
    "few": few_rows,
    "start": start_rows,
    "memory": memory_rows,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--perf-analyzer", help="a virtual environment with perf_analyzer")
    parser.add_argument("--aiperf", help="a virtual environment with aiperf")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--only", default=",".join(ROWS), help="comma-separated rows, each by its first word"
    )
    options = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, medians of {options.rounds} rounds; the server is pinned to core"
        f" {os.cpu_count() - 1}, clients to the others unless they are called unpinned"
    )
    table = Table(options)
    for name in options.only.split(","):
        ROWS[name](table)
    print()
    for missed in table.missed:
        print(f"missed: {missed}")
    print(f"{table.targets} targets, {len(table.missed)} missed")
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
