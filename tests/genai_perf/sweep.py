"""Reads the store of a sweep through `orchestrate query`: artifacts by stage, the newest attempts
with their command lines, the points. Knows nothing of servers or clients.
"""
import json
import re
import subprocess
from pathlib import Path


class Sweep:
    def __init__(self, orchestrate, store):
        self.orchestrate, self.store = Path(orchestrate).resolve(), Path(store).resolve()
        self.stages = {
            row["name"]: row["folder"]
            for row in self.query(
                "select rs.plan_id name, a.path folder from run_stage rs join artifact a on"
                " a.stage_id = rs.stage_id where a.removed_at is null order by a.id"
            )
        }

    def query(self, sql):
        done = subprocess.run(
            [self.orchestrate, "query", sql, "--format", "json", "--store", self.store],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(
                f"orchestrate query failed: {done.stderr.strip()}; the query was: {sql}"
            )
        return json.loads(done.stdout)

    def artifact(self, plan_id):
        """The folder with the outputs of a stage."""
        if plan_id not in self.stages:
            raise RuntimeError(f"{self.store}: no artifact of {plan_id}; run the sweep again")
        return self.store / self.stages[plan_id] / "out"

    def stage_of(self, kind, concurrency):
        """The plan id of a stage of the newest run's point with this concurrency."""
        rows = self.query(
            "select rs.plan_id name from point p join point_stage ps on ps.point_id = p.id join"
            " stage s on s.id = ps.stage_id join run_stage rs on rs.stage_id = s.id and rs.run_id"
            f" = p.run_id where p.run_id = (select max(id) from run) and s.name = '{kind}' and"
            f" json_extract(p.parameters, '$.concurrency') = {concurrency}"
        )
        if not rows:
            raise RuntimeError(
                f"{self.store}: the newest run has no {kind} stage at concurrency {concurrency}; is"
                " the matrix the one of this test?"
            )
        return rows[0]["name"]

    def server_attempt(self, plan_id):
        """The newest attempt of a service that became ready: argv, env, work, token, ports."""
        rows = self.query(
            "select a.argv, a.env, a.work, a.token, a.ports from attempt a join service_session v"
            " on v.attempt_id = a.id where v.ready_at is not null and a.stage_id in (select"
            f" stage_id from run_stage where plan_id = '{plan_id}') order by a.id desc limit 1"
        )
        if not rows:
            raise RuntimeError(
                f"{self.store}: {plan_id} was never ready; see `orchestrate logs {plan_id}`"
            )

        def decode(value):
            return json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value

        return {name: decode(value) for name, value in rows[0].items()}

    def real_text(self, text):
        """TEXT with every {stage:ID} replaced by the folder of that stage's outputs."""
        return re.sub(r"\{stage:([^}]+)\}", lambda found: str(self.artifact(found[1])), text)
