"""`stages_test.py ORCHESTRATE [WAY]...`: a sweep whose tasks misuse what they get (`stage.py`).

Each attempt has the failure class of its way, and the points beside it are done; nothing of another
owner is read into the results, changed or removed; no process and no folder of an attempt is left;
the words of the run have no control characters; its memory is bounded; a second run repeats no
failure of the tasks; and `verify` finds nothing.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "crash")]
import command  # noqa: E402
import engines  # noqa: E402
import stage  # noqa: E402

MOST_S = 240
MOST_MIB = 200
MARK = "ORCH_HOSTILE_STAGES"

RUNNER = """
runner: hostile
parameters:
  way: {type: text}
  sentinel: {type: text}
stages:
  make:
    kind: task
    reads: [way, sentinel]
    argv: [/usr/bin/python3, "{file:stage.py}", "{way}", "{out}", "{sentinel}"]
    inherit: [ORCH_HOSTILE_STAGES]
    outputs: [model]
    timeout_s: 6
  use:
    kind: task
    needs: [make]
    argv: [/bin/cp, "{stage:make}/model", "{out}/copy"]
    outputs: [copy]
""" + engines.never_started(
    "use"
)
# What the machine did, as far as anyone can tell.
AGAIN = {"killed_externally", "file_size_limit"}
# Most of the time, tasks and retries are waited for: more at once than there are processors.
RUN = ("run", "hostile.yaml", "--until", "use", "--jobs", "6")


def content(folder):
    """Every name below FOLDER, with its mode, its links and its content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        body = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (oct(facts.st_mode), body)
    return found


def processes(value):
    """Those that were started with MARK=VALUE, or name the folder VALUE on their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            told = f"{MARK}={value}".encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if told or value.encode() in words:
            found.append(f"{folder.name} {words.decode(errors='replace')}")
    return found


class Sweep:
    def __init__(self, orchestrate, ways, folder):
        self.orchestrate, self.ways, self.folder = orchestrate, ways, folder
        self.faults = []
        self.sentinel = folder / "of others"
        (self.sentinel / "sub").mkdir(parents=True)
        (self.sentinel / "file").write_text("precious\n")
        (self.sentinel / "sub" / "file").write_text("precious too\n")
        runner = folder / "runners" / "hostile"
        runner.mkdir(parents=True)
        (runner / "runner.yaml").write_text(RUNNER)
        shutil.copy(HERE / "stage.py", runner)
        matrix = {"name": "hostile", "runner": "hostile", "axes": {"way": ways}}
        matrix["defaults"] = {"sentinel": str(self.sentinel)}
        (folder / "hostile.yaml").write_text(json.dumps(matrix))

    def check(self, holds, words):
        if not holds:
            self.faults.append(words)

    def call(self, *words):
        """The outcome of a command, with its peak memory."""
        done = command.outcome_of(
            [self.orchestrate, *words],
            MOST_S,
            cwd=self.folder,
            env=dict(os.environ, **{MARK: str(self.folder)}),
        )
        if "code" not in done:
            sys.exit(f"{words} did not end: {done['err'][-500:]}")
        return done

    def judge_words(self, done, said=None):
        said = done["out"] + done["err"] if said is None else said
        control = command.control_in(said)
        self.check(not control, control)
        self.check(done["peak"] <= MOST_MIB, f"{done['peak']} MiB of memory")

    def rows(self, sql):
        done = self.call("query", sql, "--format", "json")
        self.check(done["code"] == 0, "query: " + done["err"])
        self.judge_words(done, done["err"])  # a pipe gets the data as it is
        return json.loads(done["out"].encode("latin-1").decode()) if done["code"] == 0 else []

    def outcomes(self):
        """The failure class of each way; "" where it succeeded, None where it is missing."""
        sql = (
            "select json_extract(s.parameters, '$.way') as way, a.ok, coalesce(a.failure_class, '')"
            " as class, a.message, s.name from attempt a join stage s on s.id = a.stage_id"
            " order by a.id"
        )
        last = {}
        for row in self.rows(sql):
            if row["name"] == "make":
                last[row["way"]] = (row["class"], row["message"])
        return {way: last.get(way, (None, "")) for way in self.ways}

    def run(self):
        before = content(self.sentinel)
        done = self.call(*RUN)
        self.judge_words(done)
        outcomes = self.outcomes()
        for way, (found, message) in outcomes.items():
            good = found == stage.WAYS[way]
            print(
                f"{'ok    ' if good else 'FAILED'} {way:22}{found or '-':20}{message or ''!r:.120}"
            )
            self.check(good, f"{way}: {found!r} instead of {stage.WAYS[way]!r}: {message!r}")
        expected = 1 if any(stage.WAYS[way] for way in self.ways) else 0
        self.check(done["code"] == expected, f"exit status {done['code']}: {done['err'][-800:]}")
        self.check(content(self.sentinel) == before, "files of others changed")
        self.check(not processes(str(self.folder)), f"left: {processes(str(self.folder))}")
        copies = self.rows(
            "select count(*) as n from artifact f join stage s on s.id = f.stage_id where s.name ="
            " 'use'"
        )
        good = sum(stage.WAYS[way] == "" for way in self.ways)
        self.check(copies == [{"n": good}], f"{copies} of {good} points are done")
        self.judge_second_run()
        return outcomes

    def judge_second_run(self):
        began = self.rows("select max(id) as n from attempt")[0]["n"]
        self.judge_words(self.call(*RUN))
        again = {
            row["class"]
            for row in self.rows(
                "select coalesce(failure_class, 'none') as class from attempt where ok is not 1 and"
                f" id > {began}"
            )
        }
        self.check(not again - AGAIN, f"tried again: {again}")
        verified = self.call("verify")
        self.judge_words(verified)
        self.check(verified["code"] == 0, "verify: " + verified["out"] + verified["err"])


def main():
    orchestrate, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    ways = [way for way in stage.WAYS if not wanted or way in wanted]
    folder = tempfile.mkdtemp()
    try:
        sweep = Sweep(orchestrate, ways, Path(folder))
        sweep.run()
        if os.environ.get("ORCH_KEEP"):
            shutil.copytree(folder, os.environ["ORCH_KEEP"], symlinks=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for fault in sweep.faults:
        print("FAILED: " + fault)
    print(f"{len(ways) - len(sweep.faults)} passed, {len(sweep.faults)} failed")
    return 1 if sweep.faults or not ways else 0


if __name__ == "__main__":
    sys.exit(main())
