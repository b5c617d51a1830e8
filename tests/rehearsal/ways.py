"""The three ways in which a matrix is executed: `run`, the text of `plan --script`, and the jobs of
`plan --executor slurm --script DIR`. Each gives a Result: the containers that it asked for, the
artifacts that it made, and what it said. `differences` compares two."""

import functools
import hashlib
import json
import os
import re
import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path

WAYS = ["run", "script", "slurm"]
JOBS_S = 900  # of a whole set of jobs
ATTEMPT = re.compile(r"@STORE/attempts/(o[0-9a-f]{15})(/artifact\b|/work\b|)")
TOKEN = re.compile(r"\bo[0-9a-f]{15,16}(?=_|\b)")
# Folders of a process: below /tmp, and below /dev/shm for what its ranks share.
PRIVATE = re.compile(r"(/tmp|/dev/shm)/(?:@TOKEN|tmp\.\w+|orchestrate[\w./-]*)")
PORT = re.compile(r"(-port[= ]|127\.0\.0\.1:|localhost:|--port[= ])\d{4,5}\b")
PORTS = range(10000, 60000)
# Files that tell of times; of a measurement only its load is compared.
TIMED = {"requests.jsonl", "measurement.json", "log.txt", "stdout.txt", "op_stats.csv"}
# Of an execution: names, the cores that a stage holds, how its guardian knows it, and where `run`
# reads the progress of a measurement.
OWN = {"--name", "--label", "--rm", "--interactive", "--init", "--cpuset-cpus", "--cpuset-mems",
       "ORCHESTRATE_ATTEMPT", "ORCHESTRATE_PROGRESS"}  # fmt: skip


@dataclass
class Result:
    way: str
    folder: Path  # of its artifacts
    status: int = 0
    said: str = ""
    containers: dict = field(default_factory=dict)  # stage -> what it asked for, each time
    files: dict = field(default_factory=dict)  # path below the artifacts -> digest
    stages: dict = field(default_factory=dict)  # stage -> digest

    @property
    def failed(self):
        return self.status != 0


class Execution:
    """A matrix on a host: its folder, and the words that all ways have."""

    def __init__(self, host, program, folder, matrix, where=None, more=(), **variables):
        self.host, self.program, self.folder = host, program, Path(folder)
        self.matrix, self.variables = matrix, variables
        self.words = [str(matrix), "--site", str(self.folder / "site.yaml"), *more]
        self.of_run = []  # options that only `run` has
        if where:
            self.words += ["--where", where]

    def orchestrate(self, *words, **variables):
        return self.host.run([self.program, *words], self.folder, 1800,
                             **{**self.variables, **variables})  # fmt: skip

    def execute(self, way):
        mark = len(self.host.daemon.diary)
        result = getattr(self, f"by_{way}")()
        for entry in self.host.daemon.diary[mark:]:
            entry = cleaned(entry, result.folder, self.folder)
            result.containers.setdefault(entry.pop("stage"), []).append(entry)
        result.files = files_of(result.folder, self.folder)
        return result

    def by_run(self):
        done = self.orchestrate("run", *self.words, *self.of_run, "--store", "store")
        result = Result("run", self.folder / "store", done.returncode, done.stdout + done.stderr)
        result.stages = self.digests()
        return result

    def by_script(self):
        done = self.orchestrate("plan", *self.words, "--store", "planned", "--script")
        if done.returncode:
            return Result("script", self.folder / "by-hand", done.returncode, done.stderr)
        (self.folder / "plan.sh").write_text(done.stdout, encoding="utf-8")
        ran = self.host.run(["bash", "plan.sh"], self.folder, 1800,
                            **{**self.variables, "OUT": "by-hand"})  # fmt: skip
        said = ran.stdout + ran.stderr + logs_of(self.folder / "by-hand/logs")
        return Result("script", self.folder / "by-hand", ran.returncode, said)

    def by_slurm(self):
        self.host.start_slurm()
        out = self.folder / "by-slurm"
        done = self.orchestrate("plan", *self.words, "--store", "planned", "--executor", "slurm",
                                "--script", "jobs")  # fmt: skip
        if done.returncode:
            return Result("slurm", out, done.returncode, done.stderr)
        sent = self.host.run(["bash", "jobs/submit.sh"], self.folder, 600,
                             **{**self.variables, "OUT": str(out)})  # fmt: skip
        status = sent.returncode or self.wait_for_jobs()
        said = (
            sent.stdout + sent.stderr + logs_of(self.folder / "jobs/logs") + logs_of(out / "logs")
        )
        return Result("slurm", out, status, said, stages=self.digests("--executor", "slurm"))

    def execute_until(self, stage):
        words = [*self.words, *self.of_run, "--store", "store"]
        return self.orchestrate("run", *words, "--until", stage)

    def failures(self):
        done = self.orchestrate("query", "--store", "store", "--json", "select * from failures")
        return json.loads(done.stdout) if done.returncode == 0 else []

    def wait_for_jobs(self):
        """0 once all jobs have ended well. Slurm tells of nothing, so it is asked."""
        end = time.monotonic() + JOBS_S
        while self.host.run(["squeue", "--noheader"], "/").stdout.strip():
            if time.monotonic() > end:
                self.host.run(["scancel", "--me"], "/")
                return 124
            time.sleep(0.2)
        jobs = self.host.run(["squeue", "--noheader", "--states=all", "--format=%i %j %T"], "/")
        last = getattr(self.host, "last_job", 0)
        states = [line.split() for line in jobs.stdout.splitlines()]
        mine = [one for one in states if int(one[0]) > last]
        self.host.last_job = max([last, *(int(one[0]) for one in mine)])
        return int(any(one[2] != "COMPLETED" for one in mine))

    def digests(self, *more):
        done = self.orchestrate("plan", *self.words, "--store", "store", "--json", *more)
        stages = json.loads(done.stdout)["stages"] if done.returncode == 0 else []
        return {stage["id"]: stage.get("digest") for stage in stages}


def logs_of(folder):
    texts = [path.read_text("utf-8", "replace") for path in sorted(Path(folder).glob("*"))
             if path.is_file()]  # fmt: skip
    return "".join(texts)


def plain(text, store, folder, stage=""):
    """TEXT without what differs between two executions: folders, tokens, ports. `run` makes the
    folders of STAGE in an attempt, which is published; scripts make them where they stay."""

    def of_attempt(found):
        part = "artifacts" if found[2].startswith("/artifact") else "work"
        return f"@STORE/{part}/{published(store).get(found[1], stage)}"

    text = text.replace(str(store), "@STORE").replace(str(folder), "@FOLDER")
    text = text.replace(f"{folder.parents[1]}/user", "@USER")
    text = ATTEMPT.sub(of_attempt, text)
    text = TOKEN.sub("@TOKEN", text)
    text = PRIVATE.sub(r"@TMP", text)
    text = re.sub(r"/[\w.-]+/\.\.(?=/)", "", text)
    return PORT.sub(r"\1@PORT", text)


@functools.cache
def published(store):
    """Names of the artifacts in STORE, by the tokens of their attempts."""
    files = store.glob("artifacts/*/manifest.json")
    return {json.loads(path.read_text("utf-8"))["token"]: path.parent.name for path in files}


def cleaned(entry, store, folder):
    """An entry of the diary with the stage that it is of, and without what is this execution's."""
    stage = entry["stage"] or entry["options"].get("--name", "?")

    def walk(value):
        if isinstance(value, dict):
            return {key: walk(each) for key, each in value.items() if key not in OWN}
        if isinstance(value, list):
            return [walk(each) for each in value]
        return plain(value, store, folder, stage)

    found = {**walk(entry), "stage": stage, "mounts": sorted(set(walk(entry["mounts"])))}
    found["argv"] = [
        "@PORT" if word.isdigit() and int(word) in PORTS and before.endswith("port") else word
        for before, word in zip(["", *found["argv"]], found["argv"])
    ]
    return found


def files_of(store, folder):
    """Of the outputs of each artifact, wherever they lie: an environment is shared by stores."""
    found = {}
    for artifact in sorted((store / "artifacts").glob("*")):
        out = (artifact / "out").resolve()
        for path in sorted(out.rglob("*")):
            name = f"{artifact.name}/{path.relative_to(out)}"
            if path.is_symlink():
                found[name] = plain(os.readlink(path), store, folder)
            elif path.is_file() and ".git" not in path.parts:
                found[name] = digest_of(path, store, folder)
    return found


def digest_of(path, store, folder):
    if path.name == "measurement.json":
        return json.dumps(load_of(json.loads(path.read_text("utf-8"))), sort_keys=True)
    if path.name in TIMED:
        return f"{path.read_text('utf-8', 'replace').count(chr(10))} lines"
    text = path.read_bytes()
    try:
        text = plain(text.decode(), store, folder).encode()
    except UnicodeDecodeError:
        pass
    return hashlib.sha256(text).hexdigest()


def load_of(record):
    """What a measurement was asked for, and how many requests it counted."""
    one = record["measurements"][0]
    load = {key: value for key, value in one["load"].items() if isinstance(value, (int, str))}
    return {"load": load, "valid": one.get("valid")}


def differences(one, other):
    """Sentences; none: both ways did the same."""
    found = of_names("artifact", stages_of(one), stages_of(other), one, other)
    found += of_names("container", set(one.containers), set(other.containers), one, other)
    for stage in sorted(set(one.containers) & set(other.containers)):
        found += of_containers(stage, one, other)
    for name in sorted(set(one.files) | set(other.files)):
        if one.files.get(name) != other.files.get(name) and name.split("/")[0] in (
            stages_of(one) & stages_of(other)
        ):  # fmt: skip
            found.append(f"{name}: {one.files.get(name)} by {one.way}, {other.files.get(name)} by"
                         f" {other.way}")  # fmt: skip
    if one.stages and other.stages and one.stages != other.stages:
        changed = {name for name, _ in set(one.stages.items()) ^ set(other.stages.items())}
        found.append(f"digests of stages: {', '.join(sorted(changed))}")
    return found


def stages_of(result):
    return {name.split("/")[0] for name in result.files}


def of_names(kind, left, right, one, other):
    return [f"{kind} {name} only by {one.way}" for name in sorted(left - right)] + [
        f"{kind} {name} only by {other.way}" for name in sorted(right - left)
    ]


def of_containers(stage, one, other):
    left, right = one.containers[stage][0], other.containers[stage][0]
    found = []
    for key in sorted(left):
        if left[key] == right[key]:
            continue
        if key == "gpus" and number_of_gpus(left[key]) == number_of_gpus(right[key]):
            continue
        found.append(f"{stage}: {key}: {text_of(left[key], right[key])} by {one.way},"
                     f" {text_of(right[key], left[key])} by {other.way}")  # fmt: skip
    return found


def number_of_gpus(words):
    """Which ones a stage gets is decided when it starts."""
    return [len(re.findall(r"\d+", one)) or one for one in words]


def text_of(value, beside):
    """What VALUE has beyond BESIDE."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={each}" for key, each in sorted(value.items())
                               if beside.get(key) != each) + "}"  # fmt: skip
    if isinstance(value, list):
        return "[" + shlex.join([each for each in value if each not in beside] or value) + "]"
    return str(value)
