"""Traits of hosts and images, each alone, and whether the stage fails as traits.yaml says."""

import contextlib
import json
import socket
import time
from pathlib import Path

import checks
import yaml

HERE = Path(__file__).resolve().parent
CASE = {"matrix": "runners/triton-trtllm/presets/trtllm-backend-tour.yaml",
        "layouts": ["25.01"], "releases": True,
        "where": "model = 'llama-3-8b' AND batch_scheduler_policy = 'max_utilization'"}  # fmt: skip
SAMPLE = ["oom-at-build", "libcuda-is-absent", "user-without-a-name", "cuda-visible-devices",
          "gpus-of-neighbours", "memory-of-another-user", "cache-of-the-hub",
          "calibration-set-in-a-folder", "folder-of-heads", "source-under-run",
          "image-without-app"]  # fmt: skip


def rehearse_all(host, given, prepared):
    rows = yaml.safe_load((HERE / "traits.yaml").read_text(encoding="utf-8"))["traits"]
    good = True
    for name, trait in rows.items():
        if given.trait and name not in given.trait:
            continue
        if given.sample and name not in SAMPLE or given.case and not given.trait:
            continue
        good &= rehearse(host, given, prepared, name, trait)
    return good


def rehearse(host, given, prepared, name, trait):
    started = time.monotonic()
    case = {**CASE, **trait.get("case", {}), "set": trait.get("set", {})}
    with held(trait.get("held")) as ports:
        return rehearse_with(host, given, prepared, name, trait, case | ports, started)


@contextlib.contextmanager
def held(name):
    """A port that this process holds, pinned in the matrix as the server's port NAME."""
    if not name:
        yield {}
        return
    with socket.create_server(("127.0.0.1", 0)) as holder:
        yield {"change": {"ports": {name: holder.getsockname()[1]}}}


def rehearse_with(host, given, prepared, name, trait, case, started):
    execution = prepared(host, given, f"trait-{name}", case, trait.get("layout", "25.01"))
    execution.of_run = trait.get("options", [])
    execution.variables |= {name: str(value).replace("@USER", f"{host.folder}/user")
                            for name, value in trait.get("variables", {}).items()}  # fmt: skip
    if "says" in trait:
        with applied(host, trait):
            return report_words(name, trait, execution, started)
    with applied(host, trait):
        if "then" in trait:
            execution.execute_until("build")
            host.write_machine(**trait["then"])
        result = execution.execute("run")
    if "check" in trait:
        return report_check(name, trait, result, execution.variables, started)
    failures = execution.failures()
    stages = tuple(trait["stage"].split())
    found = [one for one in map(classed, failures) if one["stage"].startswith(stages)
             and one["class"]]  # fmt: skip
    problem = problem_of(result, found, trait)
    print(f"trait {name:32} {problem or 'provoked ' + str(found[0]['class'])}"
          f"  ({time.monotonic() - started:.0f} s)", flush=True)  # fmt: skip
    return not problem


def classed(failure):
    """What no attempt began for has its class in front of the message."""
    name, colon, rest = failure["message"].partition(": ")
    if failure["class"] or not colon or not name.isidentifier():
        return failure
    return {**failure, "class": name, "message": rest}


def report_words(name, trait, execution, started):
    """A command names the lack before anything runs."""
    command = trait.get("by", "check")
    more = ["--store", "store"] if command == "run" else []
    done = execution.orchestrate(command, *execution.words, *more)
    said = done.stdout + done.stderr
    last = " / ".join(line.strip() for line in said.splitlines()[-6:])
    good = trait["says"] in said and not (command == "run" and done.returncode == 0)
    print_check(name, "" if good else f"{command} says only: {last}", started)
    return good


def print_check(name, problem, started):
    print(f"check {name:32} {'VIOLATED: ' + problem if problem else 'holds'}"
          f"  ({time.monotonic() - started:.0f} s)", flush=True)  # fmt: skip


def report_check(name, trait, result, variables, started):
    problem = checks.CHECKS[trait["check"]](result, variables)
    if result.failed and not problem and not trait.get("may_fail"):
        lines = [line for line in result.said.splitlines() if line.strip()]
        problem = " / ".join(lines[-12:])[:1500]
    print_check(name, problem, started)
    return not problem


def problem_of(result, found, trait):
    if not result.failed:
        return "NOT PROVOKED: the run succeeded"
    if not found:
        lines = [line for line in result.said.splitlines() if line.strip()]
        return f"NOT PROVOKED: {trait['stage']} did not fail; the last line is: {lines[-1][:200]}"
    said = json.dumps(found[0])
    if trait["text"] not in found[0]["message"] and trait["text"] not in result.said:
        return f"WITHOUT ITS TEXT: {said[:400]}"
    if "class" in trait and found[0]["class"] != trait["class"]:
        return f"OF ANOTHER CLASS than {trait['class']}: {said[:400]}"
    return ""


@contextlib.contextmanager
def applied(host, trait):
    hub = trait.get("hub", {})
    host.hub.gated_names |= set(hub.get("gated", []))
    host.hub.limited |= set(hub.get("limited", []))
    host.daemon.traits |= set(trait.get("docker", []))
    host.write_machine(**trait.get("machine", {}))
    try:
        yield
    finally:
        host.hub.gated_names.clear()
        host.hub.limited.clear()
        host.daemon.traits.clear()
        host.write_machine()
