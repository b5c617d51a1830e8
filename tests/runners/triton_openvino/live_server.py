"""Starts the real tritonserver on a rendered repository and sends it HTTP requests, for tests.

Knows the generate API; knows nothing of the tests.
"""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import rendering


def free_ports(names):
    sockets = [socket.socket() for _ in names]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = {name: each.getsockname()[1] for name, each in zip(names, sockets)}
    for each in sockets:
        each.close()
    return ports


class LiveServer:
    def __init__(
        self, environment, checkpoint, engine, repository=rendering.repository, **parameters
    ):
        """REPOSITORY writes the models below a folder."""
        self.work = Path(tempfile.mkdtemp(prefix="triton-test-"))
        self.token = f"orchtest{os.getpid()}x{time.monotonic_ns()}"
        self.ports = free_ports(["http", "grpc", "metrics"])
        repository(self.work, {"download": checkpoint, "build": engine}, **parameters)
        argv, env = rendering.server_command(
            environment, self.work, self.token, self.ports, **parameters
        )
        self.log = self.work / "log"
        started = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                argv,
                env={"HOME": str(self.work), "LANG": "C.UTF-8", **env},
                cwd=self.work,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while not self._ready():
            if self.process.poll() is not None or time.monotonic() - started > 60:
                self.process.kill()
                raise RuntimeError(
                    "the server did not become"
                    f" ready:\n{self.log.read_text(errors='replace')[-14000:]}"
                )
            time.sleep(0.01)
        self.ready_s = time.monotonic() - started

    def _ready(self):
        try:
            # The metrics page opens about 40 ms after the server reports that it is ready.
            return (
                all(
                    self.get(path)[0] == 200
                    for path in ["/v2/health/ready", "/v2/models/ensemble/ready"]
                )
                and self.get("/metrics", "metrics")[0] == 200
            )
        except OSError:
            return False

    def connection(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.ports["http"], timeout=timeout)

    def get(self, path, port="http"):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[port], timeout=10)
        connection.request("GET", path)
        response = connection.getresponse()
        try:
            return response.status, response.read().decode()
        finally:
            connection.close()

    def generate(self, body, model="ensemble"):
        connection = self.connection()
        connection.request("POST", f"/v2/models/{model}/generate", json.dumps(body))
        response = connection.getresponse()
        try:
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def stream(self, body, model="ensemble"):
        """(status, events): each event the decoded JSON, with its arrival time as "at"."""
        connection = self.connection()
        connection.request(
            "POST", f"/v2/models/{model}/generate_stream", json.dumps({"stream": True, **body})
        )
        response = connection.getresponse()
        events = []
        for line in response:
            # A refusal is a status of 400 or more with JSON, or one event after streaming began.
            if line.strip():
                events.append({**json.loads(line.removeprefix(b"data: ")), "at": time.monotonic()})
        connection.close()
        return response.status, events

    def metric(self, name, **labels):
        for line in self.get("/metrics", "metrics")[1].splitlines():
            if line.startswith(name + "{") and all(
                f'{key}="{value}"' in line for key, value in labels.items()
            ):
                return float(line.rsplit(" ", 1)[1])
        return None

    def segments(self):
        return [name for name in os.listdir("/dev/shm") if name.startswith(self.token)]

    def survivors(self):
        """The processes of the server's session that still run."""
        session = str(self.process.pid)
        alive = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[3] == session and fields[0] != "Z":
                alive.append(path.parent.name)
        return alive

    def stop(self):
        """Stops the server; returns the seconds until its process ended."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return time.monotonic() - started

    def close(self):
        if self.process.poll() is None:
            self.stop()
        # The stub of a Python model that was busy when the server ended would outlive the tests.
        for pid in self.survivors():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        for name in self.segments():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"/dev/shm/{name}")
        shutil.rmtree(self.work, ignore_errors=True)
