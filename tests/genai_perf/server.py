"""Starts the server of a recorded attempt again, with the same command line and its own work folder
and ports, and stops it. Knows how a sweep places a model repository; knows no client.
"""
import ctypes
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]
SMOKE = {"text_input": "The first number", "max_tokens": 8, "min_length": 8}


def free_ports(names):
    sockets = [socket.socket() for _ in names]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = {name: each.getsockname()[1] for name, each in zip(names, sockets)}
    for each in sockets:
        each.close()
    return ports


def place_repository(sweep, source, target):
    shutil.copytree(source, target)
    for path in target.rglob("*.pbtxt"):
        path.write_text(sweep.real_text(path.read_text()))


def command_of(attempt, work, token, ports):
    """The recorded argv with another work folder, token and ports."""
    words = []
    for word in attempt["argv"]:
        for old, new in [
            (attempt["work"], str(work)),
            (attempt["token"], token),
            *((f"-port={port}", f"-port={ports[name]}") for name, port in attempt["ports"].items()),
        ]:
            word = word.replace(old, new)
        words.append(word)
    return words


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Server:
    """`with Server(sweep, concurrency, work) as server:` a running, warm server on 127.0.0.1; ports
    and log are its fields."""

    def __init__(self, sweep, concurrency, work):
        attempt = sweep.server_attempt(sweep.stage_of("serve", concurrency))
        self.work, self.token = Path(work), f"gp{os.getpid()}x{time.monotonic_ns()}"
        self.log = self.work / "server.log"
        self.ports = free_ports(sorted(attempt["ports"]))
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        place_repository(
            sweep,
            sweep.artifact(sweep.stage_of("repository", concurrency)) / "repository",
            self.work / "repository",
        )
        self.argv = command_of(attempt, self.work, self.token, self.ports)
        self.env = {"HOME": str(self.work), "LANG": "C.UTF-8", **attempt["env"]}

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.argv,
                env=self.env,
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def _request(self, method, path, body=None, port="http"):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[port], timeout=30)
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def _wait(self, timeout_s=120):
        endpoints = [
            ("http", "/v2/health/ready"),
            *(("http", f"/v2/models/{model}/ready") for model in MODELS),
            ("metrics", "/metrics"),
        ]
        deadline = time.monotonic() + timeout_s
        while not all(self._request("GET", path, port=port)[0] == 200 for port, path in endpoints):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(
                    "the server did not become ready; the end of"
                    f" {self.log}:\n{self.log.read_text(errors='replace')[-3000:]}"
                )
            time.sleep(0.05)
        status, text = self._request("POST", "/v2/models/ensemble/generate", json.dumps(SMOKE))
        if status != 200 or not json.loads(text).get("text_output"):
            raise RuntimeError(
                f"the server is ready but does not answer: {status} {text[:300]}; see {self.log}"
            )

    def stop(self):
        """Ends its process group and removes its shared memory. May be called twice."""
        for number, wait_s in [(signal.SIGTERM, 20), (signal.SIGKILL, 10)]:
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(wait_s)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        for segment in Path("/dev/shm").glob(f"*{self.token}*"):
            segment.unlink(missing_ok=True)

    def alive(self):
        """The processes that have its token in their command line."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.token.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                pass
        return found
