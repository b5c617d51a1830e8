"""`servers_test.py ORCHESTRATE [PROTOCOL:PLACE:ATTACK]`: the real client beside servers that attack
it (`server.py`), over all four protocols, in requests, model configurations and metrics pages.

Whatever the server sends, the command ends by itself, within bounds of memory and time, with an
exit status of its own; its words have no control characters; and each request that it sent is in a
record that can be read. Prints the peak memory and the time of each attack, and the words of the
record.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import command  # noqa: E402
import server  # noqa: E402

PROTOCOLS = {
    "triton-http": "http",
    "openai-completions": "http",
    "openai-chat": "http",
    "triton-grpc": "grpc",
}
TIMEOUT_S = 1  # of one request
MOST_S = 60  # of a command that gives up after a few requests
# A command has two answers of 64 MiB at most at a time, and copies of one.
MOST_MIB = 450
TOKEN = "hostile-canary-4f2a"

# Attacks with answers that are odd but valid: their requests may succeed.
SOUND = {"two-answers", "usage", "many-keys", "not-utf-8", "index-large"}


def cases():
    for protocol, wire in PROTOCOLS.items():
        attacks = server.HTTP if wire == "http" else server.GRPC
        for attack in attacks:
            yield protocol, "generate", attack
            if protocol.startswith("triton"):
                yield protocol, "config", attack
            if protocol == "triton-http":
                yield protocol, "page", attack


def run(orchestrate, protocol, place, attack):
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(
            [sys.executable, HERE / "server.py", "0", attack, place],
            stdout=subprocess.PIPE,
            text=True,
        ) as hostile:
            try:
                url = f"http://127.0.0.1:{hostile.stdout.readline().strip()}"
                outcome = attacked(orchestrate, protocol, place, url, Path(folder))
            finally:
                hostile.kill()
            if "attacked" not in hostile.stdout.read():
                outcome["faults"].append("no request was attacked: see kind() of server.py")
            return outcome


def attacked(orchestrate, protocol, place, url, folder):
    (folder / "prompts.jsonl").write_text('{"text_input": "p", "isl": 1}\n')
    (folder / "token").write_text(TOKEN + "\n")
    scheme = "grpc" if protocol == "triton-grpc" else "http"
    words = [orchestrate, "bench", "--url", url.replace("http", scheme), "--protocol", protocol]
    words += ["--model", "toy", "--osl", "4", "--prompts", folder / "prompts.jsonl", "--stream"]
    words += ["--reuse-prompts", "--warmup", "0", "--requests", "3", "--concurrency", "2"]
    words += ["--timeout-s", str(TIMEOUT_S), "--no-first-request", "--no-statistics"]
    words += ["--token-file", folder / "token", "--out", folder / "out"]
    words += ["--wake-lag-ms-limit", "1000000", "--client-cpu-limit", "1000"]
    if place == "page":
        words += ["--metrics-url", url + "/metrics"]
    began = time.monotonic()
    outcome = {"faults": [], "errors": [], **command.outcome_of(words, MOST_S)}
    outcome["s"] = time.monotonic() - began
    if "code" not in outcome:
        outcome["faults"].append("it did not end: " + outcome["err"][-300:])
        return outcome
    judge(outcome, folder / "out")
    return outcome


def judge_verdict(outcome, place, attack):
    """A page is not part of a measurement; a request that was attacked must not count as good."""
    faults = outcome["faults"]
    if place == "page" and (outcome["code"] != 0 or any(outcome["errors"])):
        faults.append(f"the page spoiled the measurement: exit status {outcome['code']}")
    if place == "generate" and attack not in SOUND and None in outcome["errors"]:
        faults.append("a request succeeded")
    if place == "generate" and attack not in SOUND and outcome["code"] == 0:
        faults.append("exit status 0")


def judge(outcome, out):
    faults, said = outcome["faults"], outcome["out"] + outcome["err"]
    if outcome["code"] not in (0, 1, 2, 4):  # 4: not valid
        faults.append(f"exit status {outcome['code']}")
    if outcome["peak"] > MOST_MIB:
        faults.append(f"{outcome['peak']} MiB")
    if control := command.control_in(said):
        faults.append(control)
    if not said.strip():
        faults.append("it said nothing")
    for path in out.rglob("*.json*"):
        if TOKEN.encode() in path.read_bytes():
            faults.append(f"the token is in {path.name}")
    if TOKEN in said:
        faults.append("the token is in its words")
    requests = out / "requests.jsonl"
    if not requests.exists():
        if outcome["code"] == 0:
            faults.append("exit status 0 without a record")
        return
    for line in requests.read_text().splitlines():
        outcome["errors"].append(json.loads(line).get("error"))
    json.loads((out / "measurement.json").read_text())


def main():
    orchestrate, wanted = sys.argv[1], (sys.argv[2:] or [""])[0]
    chosen = [one for one in cases() if ":".join(one).startswith(wanted)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(3 * (os.cpu_count() or 1)) as lanes:
        outcomes = lanes.map(lambda one: run(orchestrate, *one), chosen)
        for (protocol, place, attack), outcome in zip(chosen, outcomes):
            judge_verdict(outcome, place, attack)
            words = sorted({str(error) for error in outcome["errors"]})
            if place != "generate" or not words:
                words = [(outcome.get("err") or outcome.get("out", "")).strip()]
            print(
                f"{protocol:19}{place:9}{attack:20}{outcome.get('code', '-'):>3}"
                f"{outcome.get('peak', 0):5} MiB{outcome['s']:6.1f} s  " + " | ".join(words)[:230],
                flush=True,
            )
            for fault in outcome["faults"]:
                print("    FAILED: " + fault)
            failed += bool(outcome["faults"])
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
