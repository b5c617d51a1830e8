"""Runs the stand-in by the words of a plan and sends it requests, for tests. Knows no engine."""

import contextlib
import http.client
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import engine_plans  # noqa: E402
import make  # noqa: E402

PATIENCE_S = 60


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class Place:
    """A folder with a model of no weights and an installation of ENGINE."""

    def __init__(self, engine, release):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        self.home = make.make(engine, release, self.folder / "engine")
        self.model = self.folder / "model"
        self.model.mkdir()
        (self.model / "config.json").write_text("{}", encoding="utf-8")

    def close(self):
        self.kept.cleanup()

    def values(self, **ports):
        return {
            **{f"port:{name}": port for name, port in ports.items()},
            "bind": "127.0.0.1",
            "connect": "127.0.0.1",
            "tmp": self.folder,
            "stage:download": self.model,
        }


class Running:
    """The stand-in, started as the service of POINT would start it, and ready to be asked."""

    def __init__(self, place, point, program, **variables):
        names = ["http", "nccl", "master", "prometheus"]
        ports = dict(zip(names, free_ports(len(names))))
        self.port = ports["http"]
        stage = point["stages"]["serve"]
        words = engine_plans.filled(stage["argv"], place.values(**ports))
        self.words = [program if word == program.name else word for word in words]
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.words,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={**os.environ, **variables, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def started(self):
        """Waits until the port is open, which the stand-in says."""
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        line = self.process.stdout.readline() if ready else b""
        assert line.startswith(b"stand-in for"), self.errors()
        return self

    def ended(self):
        return self.process.wait(PATIENCE_S)

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        try:
            return response.status, response.read().decode()
        finally:
            connection.close()

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, **body):
        return self.ask("POST", path, body)

    def open(self, **body):
        """A stream under way, behind its first event."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("POST", "/v1/completions", json.dumps({"stream": True, **body}))
        response = connection.getresponse()
        first = response.readline()
        assert first.startswith(b"data: "), first
        return connection, response

    def hold(self, after):
        assert self.post("/standin", hold_after=after)[0] == 200

    def counts(self):
        return json.loads(self.get("/standin")[1])

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


def start(test, runner, program, case, variables=None):
    """A server as a point of CASE starts it, with its point and place. PROGRAM is that of the
    installation, such as bin/python3. All ends with TEST."""
    [point] = engine_plans.planned(runner, [case])
    test.assertEqual(point["status"], "run", point["reason"])
    place = Place(runner, case[f"{runner}_version"])
    test.addCleanup(place.close)
    server = Running(place, point, place.home / program, **(variables or {}))
    test.addCleanup(server.close)
    return server, point, place


def serve_stage(runner):
    """The stage `serve` of the runner's manifest."""
    text = (engine_plans.ROOT / f"runners/{runner}/manifest/serve.yaml").read_text(encoding="utf-8")
    return engine_plans.yaml.safe_load(text)["stages"]["serve"]


class ServerTests:
    """What every server is tested for. A TestCase that has these members inherits it."""

    runner = ""
    ask = {}  # members of a request

    def started(self):
        """start() of the newest release."""
        raise NotImplementedError

    def test_the_smoke_request_is_answered(self):
        smoke = serve_stage(self.runner)["smoke"]
        server, _, _ = self.started()
        status, answer = server.started().ask("POST", smoke["post"], json.loads(smoke["body"]))
        self.assertEqual(status, 200)
        self.assertTrue(json.loads(answer)["choices"][0]["text"])

    def test_sigterm_answers_what_is_under_way(self):
        server, _, _ = self.started()
        server.started().hold(1)
        connection, response = server.open(**self.ask)
        self.addCleanup(connection.close)
        server.process.send_signal(signal.SIGTERM)
        server.hold(None)
        self.assertIn("[DONE]", response.read().decode())
        self.assertEqual(server.ended(), 0)


def events(text):
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def bench(point, place, server, rows):
    """Runs the measurement of POINT against SERVER with prompts of these rows; the exit status, its
    output and the record."""
    folder = place.folder / "bench"
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "prompts.jsonl").write_text(lines, encoding="utf-8")
    values = {
        **place.values(),
        "port:serve.http": server.port,
        "stage:prompts": folder,
        "orchestrate": engine_plans.ORCHESTRATE,
        "block": 0,
        "out": folder / "out",
    }
    stage = point["stages"]["bench"]
    words = engine_plans.filled([*stage.get("launch", []), *stage["argv"]], values)
    (folder / "out").mkdir()
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    record = folder / "out" / "measurement.json"
    assert record.exists(), done.stdout + done.stderr
    return done, json.loads(record.read_text(encoding="utf-8"))
