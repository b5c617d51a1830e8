"""Starts the real server by scripts/serve.py and sends it HTTP requests, for tests.

Needs the runner's environment and a model (run.py names them). Knows nothing of the tests.
"""
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SERVE = ROOT / "runners" / "llama-cpp" / "scripts" / "serve.py"
HOME, MODEL = os.environ.get("ORCHESTRATE_TEST_SERVER"), os.environ.get("ORCHESTRATE_TEST_MODEL")
AS_PLANNED = (
    "--alias tiny --host 127.0.0.1 --threads 1 --batch-size 256 --ubatch-size 256 --threads-http 64"
    " --metrics --seed 0 --temp 1 --top-k 0 --top-p 1 --min-p 0 --no-cache-prompt"
    " --ctx-checkpoints 0 --no-cache-idle-slots --slot-prompt-similarity 0 --cache-ram 0"
    " --verbosity 2"
).split()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def command(port, slots, context, *words, model=None):
    python = Path(HOME) / "venv" / "bin" / "python3"
    model = model or Path(MODEL) / "model.gguf"
    sizes = ["--parallel", slots, "--ctx-size", slots * context, "--port", port]
    argv = [python, SERVE, "--model", model, *AS_PLANNED, *sizes, *words]
    return [str(word) for word in argv]


class LiveServer:
    def __init__(self, slots=2, context=4096, *words):
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command(self.port, slots, context, *words), stdout=self.log, stderr=self.log
        )
        deadline = time.monotonic() + 60
        while not self._ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                self.log.seek(0)
                raise RuntimeError(f"the server is not ready:\n{self.log.read().decode()}")
            time.sleep(0.01)

    def _ready(self):
        with contextlib.suppress(OSError):
            return self.get("/health")[0] == 200
        return False

    def connection(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def get(self, path):
        connection = self.connection()
        connection.request("GET", path)
        response = connection.getresponse()
        try:
            return response.status, response.read().decode()
        finally:
            connection.close()

    def open(self, path="/v1/completions", **body):
        """An open request: its connection and, for a stream, its response."""
        connection = self.connection()
        connection.request(
            "POST", path, json.dumps(body), headers={"Content-Type": "application/json"}
        )
        return connection, connection.getresponse() if body.get("stream") else None

    def post(self, path="/v1/completions", **body):
        connection, _ = self.open(path, **body)
        response = connection.getresponse()
        try:
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def metric(self, name):
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(f"llamacpp:{name} "):
                return float(line.rsplit(" ", 1)[1])
        raise KeyError(name)

    def busy_slots(self):
        return sum(slot["is_processing"] for slot in json.loads(self.get("/slots")[1]))

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
