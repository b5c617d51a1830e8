"""Traits of hosts and images, each alone, and whether the stage fails as traits.yaml says."""

import contextlib
import json
import time
from pathlib import Path

import checks
import yaml

HERE = Path(__file__).resolve().parent
CASE = {"matrix": "runners/triton-trtllm/presets/trtllm-backend-tour.yaml",
        "layouts": ["25.01"], "releases": True,
        "where": "model = 'llama-3-8b' AND batch_scheduler_policy = 'max_utilization'"}  # fmt: skip
SAMPLE = ["oom-at-build"]


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
    execution = prepared(host, given, f"trait-{name}", case, trait.get("layout", "25.01"))
    execution.variables |= {name: str(value).replace("@USER", f"{host.folder}/user")
                            for name, value in trait.get("variables", {}).items()}  # fmt: skip
    if "says" in trait:
        return report_words(name, trait, execution)
    with applied(host, trait):
        if "then" in trait:
            execution.execute_until("build")
            host.write_machine(**trait["then"])
        result = execution.execute("run")
    if "check" in trait:
        return report_check(name, trait, result, execution.variables)
    failures = execution.failures()
    stages = tuple(trait["stage"].split())
    found = [one for one in failures if one["stage"].startswith(stages) and one["class"]]
    problem = problem_of(result, found, trait)
    print(f"trait {name:32} {problem or 'provoked ' + str(found[0]['class'])}"
          f"  ({time.monotonic() - started:.0f} s)", flush=True)  # fmt: skip
    return not problem


def report_words(name, trait, execution):
    """`check` names the lack before anything runs."""
    done = execution.orchestrate("check", *execution.words)
    said = done.stdout + done.stderr
    good = trait["says"] in said
    last = " / ".join(said.splitlines()[-3:])
    print(
        f"check {name:32} {'holds' if good else 'VIOLATED: check says only: ' + last}", flush=True
    )
    return good


def report_check(name, trait, result, variables):
    problem = checks.CHECKS[trait["check"]](result, variables)
    if result.failed and not problem and not trait.get("may_fail"):
        lines = [line for line in result.said.splitlines() if line.strip()]
        problem = " / ".join(lines[-12:])[:1500]
    print(f"check {name:32} {'VIOLATED: ' + problem if problem else 'holds'}", flush=True)
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
