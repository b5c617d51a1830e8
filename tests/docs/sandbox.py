"""A folder like the project's, in which the commands of the pages run in seconds: the real binary,
the real manifests and matrices, and stand-ins for the programs that the runner triton-openvino
starts. Knows nothing of pages."""
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STAND_IN = HERE / "stand_in"
# A busy machine may make the client late. That is no fault of a page.
LIMITS = {
    '"{measure.wake_lag_ms}"': '"1000"',
    '"{measure.send_lag_ms}"': '"1000"',
    '"{measure.client_cpu_share}"': '"1000"',
}
BENCH_LIMITS = "--wake-lag-ms-limit 1000 --send-lag-ms-limit 1000 --client-cpu-limit 1000"
COPIED = ["Makefile", "scripts", "experiments", "templates", "tests/data", "runners"]
# A sweep with a stage that fails, and then the quickstart.
BROKEN = """name: broken
runner: broken
axes: {n: [1]}
"""
BROKEN_RUNNER = """runner: broken
parameters: {n: {type: integer, default: 1}}
stages:
  build: {kind: task, reads: [n], argv: [/bin/false, "{out}/engine"], outputs: [engine]}
  serve:
    kind: service
    needs: [build]
    ports: [http]
    argv: [/bin/false, "{stage:build}", "{port:http}"]
    ready: {port: http, get: [/], timeout_s: 5}
  bench:
    kind: measure
    needs: [serve]
    argv: [/bin/true, "{out}/measurement.json"]
    outputs: [measurement.json]
"""


def binary():
    return os.environ.get("ORCH_BINARY", str(ROOT / "build" / "default" / "src" / "orchestrate"))


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


class Sandbox:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.home = self.folder / ".home"

    @property
    def environment(self):
        return {
            "PATH": f"{self.folder}/.bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def copy_project(self):
        for name in COPIED:
            source, target = ROOT / name, self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        self.home.mkdir()
        built = self.folder / "build" / "default" / "src"
        built.mkdir(parents=True)
        (built / "orchestrate").symlink_to(Path(binary()).resolve())
        (self.folder / ".bin").mkdir()
        self.program("orchestrate", self._orchestrate())

    def _orchestrate(self):
        return (
            'case "$*" in\n  *--help*) ;;\n'
            '  "bench "* | "llm-perf "*)\n'
            f"    export PYTHONPATH={self.folder}/.stand_in  # has tokenizers\n"
            f'    exec {binary()} "$@" {BENCH_LIMITS} ;;\n'
            f'esac\nexec {binary()} "$@"\n'
        )

    def program(self, name, text):
        path = self.folder / ".bin" / name
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)

    def place_stand_ins(self):
        runner = self.folder / "runners" / "triton-openvino"
        manifest = self.folder / "runners" / "common" / "measure.yaml"
        text = manifest.read_text(encoding="utf-8")
        for old, new in LIMITS.items():
            assert old in text, f"{manifest} no longer has {old}"
            text = text.replace(old, new)
        manifest.write_text(text, encoding="utf-8")
        for script in ["make_environment", "build"]:
            shutil.copy(STAND_IN / "step.py", runner / "scripts" / f"{script}.py")
        shutil.copy(STAND_IN / "server.py", runner / "scripts" / "server.py")
        llama_cpp = self.folder / "runners" / "llama-cpp"
        shutil.copy(STAND_IN / "server.py", llama_cpp / "scripts" / "serve.py")
        common = self.folder / "runners" / "common" / "scripts"
        (runner / "scripts" / "locked_environment.py").unlink()  # a link to that of all runners
        for script in ["locked_environment", "download", "quantize", "convert"]:
            shutil.copy(STAND_IN / "step.py", common / f"{script}.py")
        shutil.copy(STAND_IN / "step.py", runner / "scripts" / "locked_environment.py")
        modules = self.folder / ".stand_in"
        modules.mkdir()
        shutil.copy(STAND_IN / "tokenizers.py", modules / "tokenizers.py")
        shutil.copy(common / "corpus.txt", modules / "corpus.txt")

    def run(self, command, text="", timeout_s=300):
        """Runs a line of bash in the folder; TEXT is its standard input."""
        return subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    def fill_store(self):
        (self.folder / "broken.yaml").write_text(BROKEN)
        runner = self.folder / "runners" / "broken"
        runner.mkdir()
        (runner / "runner.yaml").write_text(BROKEN_RUNNER)
        for matrix, status in [("broken.yaml", 1), ("experiments/quickstart.yaml", 0)]:
            done = self.run(f"orchestrate run {matrix}")
            assert done.returncode == status, f"{matrix}: {done.stderr}"
        (self.folder / "broken.yaml").unlink()
        shutil.rmtree(runner)


class Server:
    """`with Server() as port:` a stand-in of Triton and of an OpenAI server."""

    def __enter__(self):
        port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, str(STAND_IN / "server.py"), f"--http-port={port}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline().startswith("listening")
        return port

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def make(folder):
    sandbox = Sandbox(folder)
    sandbox.copy_project()
    sandbox.place_stand_ins()
    sandbox.fill_store()
    return sandbox
