"""run.py ORCHESTRATE STORE MEASURE_TESTS WORK [KEEP]: compares our arithmetic (a) and our client
(b) with the real genai-perf on one running server. (a) must be equal, (b) is printed side by side.
KEEP is a folder for a small export that `make test` reads.

Runs in the clients' environment, after the sweep of matrix.yaml. The last line counts passed and
failed checks.
"""
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import clients  # noqa: E402
import export_test  # noqa: E402
import side_by_side  # noqa: E402
from server import Server  # noqa: E402
from sweep import Sweep  # noqa: E402

CONCURRENCIES = [1, 4, 8]
ROUNDS = 5
OSL = 32
KEPT_REQUESTS = 24


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, claim, good, reason=""):
        self.passed += bool(good)
        self.failed += not good
        status = "PASSED" if good else "FAILED"
        print(f"{status}  {claim}{'' if good else ': ' + reason}", flush=True)


def report_line(line):
    print(line, flush=True)


def portable(report):
    """The report without the paths and ports of the machine."""
    return {
        name: value
        for name, value in report.items()
        if name not in ("input_config", "telemetry_stats")
    }


def reduced(export):
    """The export without the outputs that no test reads; the engine leaves them undefined."""
    for experiment in export["experiments"]:
        for request in experiment["requests"]:
            request["response_outputs"] = [
                {"text_output": output["text_output"]} for output in request["response_outputs"]
            ]
    return export


def record(folder, name, export, report, counts):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.export.json").write_text(
        json.dumps(reduced(json.loads(export.read_bytes())), separators=(",", ":")) + "\n"
    )
    (folder / f"{name}.genai_perf.json").write_text(json.dumps(portable(report), indent=1) + "\n")
    (folder / f"{name}.tokens.json").write_text(json.dumps(counts) + "\n")


def equal(tests, folder, expected):
    """Runs our tests of the arithmetic on the recorded folder: (all equal, figures, log)."""
    done = subprocess.run(
        [tests, "--gtest_filter=*SameExport*"],
        env={**os.environ, "ORCH_GENAI_PERF_DATA": str(folder)},
        capture_output=True,
        text=True,
    )
    figures = re.findall(r"^.*figures equal to genai-perf's$", done.stdout, re.M)
    return (
        done.returncode == 0 and len(figures) == expected,
        "\n".join(figures),
        done.stdout[-2000:] + done.stderr[-500:],
    )


def one_round(sweep, server, concurrency, work, ours_first):
    """Measures one load with both clients in turn; returns the round and genai-perf's export."""
    tokenizer = sweep.artifact(sweep.stage_of("download", concurrency))
    prompts_file, prompts = clients.prompts_for(sweep, concurrency)
    for is_ours in (ours_first, not ours_first):
        if is_ours:
            ours = clients.bench(
                sweep,
                server,
                prompts_file,
                len(prompts),
                2 * concurrency,
                OSL,
                concurrency,
                work / "bench",
            )
        else:
            export, report = clients.genai_perf(
                server, tokenizer, prompts, OSL, concurrency, work / "genai-perf", report_line
            )
    counts = clients.token_counts(export, tokenizer)
    return (
        side_by_side.Round(
            json.loads(export.read_bytes())["experiments"][0],
            report,
            counts,
            ours,
            clients.sent_ns(work / "bench"),
        ),
        export,
    )


def live(sweep, server, concurrency, work, recorded, count):
    rounds = []
    for number in range(1, ROUNDS + 1):
        measured, export = one_round(
            sweep,
            server,
            concurrency,
            work / f"c{concurrency}-round{number}",
            ours_first=number % 2 == 1,
        )
        record(
            recorded,
            f"concurrency_{concurrency}_round_{number}",
            export,
            measured.report,
            measured.counts,
        )
        rounds.append(measured)
    report_line(
        f"\n(b) the same server, prompts and load, concurrency {concurrency},"
        f" {len(measured.counts['input'])} requests, medians of {ROUNDS} rounds (ratio: orchestrate"
        " / genai-perf)"
    )
    report_line(side_by_side.table(rounds))
    for line in side_by_side.differences(rounds, OSL):
        report_line(f"  - {line}")
    wrong, compared = export_test.differences(
        next((work / f"c{concurrency}-round{ROUNDS}" / "bench" / "artifacts").iterdir()),
        sweep.artifact(sweep.stage_of("download", concurrency)),
        export_test.TIMES,
    )
    count.check(
        (
            f"concurrency {concurrency}: genai-perf reads our export with the real tokenizer,"
            f" {compared} figures equal"
        ),
        not wrong,
        "; ".join(wrong),
    )
    for sentence, good in side_by_side.agreement(rounds, OSL):
        report_line(f"  = {sentence}")
        count.check(
            f"concurrency {concurrency}: {sentence.split(':')[0]} of both clients agree",
            good,
            sentence,
        )


def keep(sweep, server, work, folder):
    tokenizer = sweep.artifact(sweep.stage_of("download", 8))
    _, prompts = clients.prompts_for(sweep, 8)
    export, report = clients.genai_perf(
        server, tokenizer, prompts[:KEPT_REQUESTS], OSL, 8, work / "genai-perf-kept", report_line
    )
    record(folder, "real_c8", export, report, clients.token_counts(export, tokenizer))


def main():
    orchestrate, store, tests, work = (Path(word).resolve() for word in sys.argv[1:5])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped
    count, sweep, recorded = Count(), Sweep(orchestrate, store), work / "recorded"
    for old in recorded.glob("*.json"):
        old.unlink()
    try:
        with Server(sweep, CONCURRENCIES[0], work / "server") as server:
            report_line(
                f"The recorded server is started again on ports {server.ports}; its log:"
                f" {server.log}"
            )
            for concurrency in CONCURRENCIES:
                live(sweep, server, concurrency, work, recorded, count)
            if len(sys.argv) > 5:
                keep(sweep, server, work, Path(sys.argv[5]))
        count.check(
            "no process of the server is left",
            not server.alive(),
            f"still running: {server.alive()}",
        )
    except (RuntimeError, OSError, clients.ClientFailed, subprocess.TimeoutExpired) as failure:
        count.check("the server runs and both clients measure it", False, str(failure))
    good, figures, log = equal(tests, recorded, ROUNDS * len(CONCURRENCIES))
    report_line(
        "\n(a) our arithmetic over perf_analyzer's exports and genai-perf's token"
        f" counts\n{figures}"
    )
    count.check(
        (
            "avg, p25 to p99, min, max and std of every shared metric equal genai-perf's report to"
            " 1e-9"
        ),
        good,
        log,
    )
    report_line(f"{count.passed} passed, {count.failed} failed")
    return count.failed != 0


if __name__ == "__main__":
    sys.exit(main())
