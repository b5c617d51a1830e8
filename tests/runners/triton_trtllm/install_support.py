"""Shared by the tests of the installation: a folder like an installation of TensorRT-LLM with tools
that only record their calls, a container engine that does the same, and the scripts of the runner
as separate processes."""

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../hub"))
from hub_support import ROOT, failure_of  # noqa: E402

SCRIPTS = os.path.join(ROOT, "runners", "triton-trtllm", "scripts")
sys.path.insert(0, SCRIPTS)
PYTHON = "/usr/bin/python3"
IMAGE_ID = "sha256:" + "ab" * 32
DIGEST = "registry.example/tritonserver@sha256:" + "cd" * 32

# A tool with the parser of a real one; it records its arguments, process and environment.
TOOL = """\
    #!/usr/bin/python3
    import argparse, json, os, sys
    parser = argparse.ArgumentParser()
    {arguments}
    parser.parse_args()
    with open({diary!r}, "a") as file:
        path, libraries = os.environ["PATH"].split(":")[0], os.environ.get("LD_LIBRARY_PATH")
        call = {{"argv": sys.argv, "pid": os.getpid(), "path": path, "libraries": libraries}}
        file.write(json.dumps(call) + "\\n")
    """
BUILD = """parser.add_argument("--checkpoint_dir")
    parser.add_argument("--max_seq_len", "--max_decoder_seq_len", type=int,
                        default=argparse.SUPPRESS, help="of both --input and output")
    parser.add_argument("--remove_input_padding", choices=["enable", "disable"], help="x" * 300)
    parser.add_argument("--weight_streaming", action="store_true")"""
CONVERT = """parser.add_argument("--model_dir", required=True)
    parser.add_argument("--output_dir")
    parser.add_argument("--smoothquant", "-sq", type=float)
    parser.add_argument("--weight_only_precision", const="int8", nargs="?",
                        choices=["int8", "int4"])"""
TRITON = """\
    #!/bin/sh
    cat <<END
    Usage: tritonserver [options]
      --help
        Print usage

    Server:
      --http-port <integer>
        The port for the server to listen on for HTTP requests.
      --model-repository <string>
        Path to model repository directory.
    END
    exit 1
    """
# Runs the command of a container directly; `image inspect` knows the images in images.json.
ENGINE = """\
    #!/usr/bin/python3
    import json, os, sys
    folder = {folder!r}
    words = sys.argv[1:]
    with open(folder + "/engine.jsonl", "a") as file:
        buildkit = os.environ.get("DOCKER_BUILDKIT")
        call = {{"argv": words, "cwd": os.getcwd(), "buildkit": buildkit}}
        file.write(json.dumps(call) + "\\n")
    images = json.load(open(folder + "/images.json"))
    if words[:2] == ["image", "inspect"]:
        if words[-1] not in images:
            sys.exit("Error: No such image: " + words[-1])
        print(images[words[-1]])
    elif words[0] in ("pull", "build"):
        name = words[1] if words[0] == "pull" else words[words.index("--tag") + 1]
        if name not in json.load(open(folder + "/registry.json")):
            sys.exit("Error response from daemon: manifest unknown")
        images[name] = images[{id!r}] = {id!r} + "\\n" + {digest!r}
        json.dump(images, open(folder + "/images.json", "w"))
    elif words[0] == "info":
        print("[name=seccomp,profile=builtin]")
    elif words[0] == "run":
        inner = words[words.index({id!r}) + 1:]
        os.execvp(inner[0], inner)
    """


class Finished:
    def __init__(self, status, log):
        self.status = status
        self.log = log
        self.last = log.splitlines()[-1] if log else ""


class InstallTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        faulthandler.dump_traceback_later(240, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.store = self.path("store")
        self.out = self.path("store/artifacts/environment-1/out")
        self.work = self.path("store/attempts/a1/work")
        for each in (self.out, self.work):
            os.makedirs(each)
        self.environment = {
            "PATH": self.path("bin") + ":/usr/bin:/bin",
            "PYTHONPATH": self.path("site"),
            "HOME": self.folder,
            "LC_ALL": "C",
        }

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def tool(self, name, arguments="pass"):
        return self.write(
            name, TOOL.format(arguments=arguments, diary=self.path("calls.jsonl")), 0o755
        )

    def install(self, version="0.14.0.post1"):
        self.write(
            f"site/tensorrt_llm-{version}.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: tensorrt-llm\nVersion: {version}\n",
        )
        self.tool("bin/trtllm-build", BUILD)
        self.tool("app/examples/qwen/convert_checkpoint.py", CONVERT)
        self.tool("app/examples/run.py", 'parser.add_argument("--max_output_len", type=int)')
        self.write(
            "app/examples/quantization/quantize.py",
            "import sys\nprint('ImportError: libcuda.so.1: no such file')\nsys.exit(1)\n",
        )
        self.write(
            "app/all_models/inflight_batcher_llm/ensemble/config.pbtxt", "name: 'ensemble'\n"
        )
        self.write("app/tools/inflight_batcher_llm/benchmark_core_model.py", "import utils\n")
        self.write("bin/tritonserver", TRITON, 0o755)
        self.write("TRITON_VERSION", "2.51.0\n")
        self.write("bin/mpirun", "#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n", 0o755)

    def engine(self, images=(), registry=(), name="docker"):
        known = {one: f"{IMAGE_ID}\n{DIGEST}" for one in images}
        self.write("images.json", json.dumps({**known, **({IMAGE_ID: IMAGE_ID} if known else {})}))
        self.write("registry.json", json.dumps(list(registry)))
        self.write(
            "bin/" + name, ENGINE.format(folder=self.folder, id=IMAGE_ID, digest=DIGEST), 0o755
        )

    def calls(self, name="calls.jsonl"):
        if not os.path.exists(self.path(name)):
            return []
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def script(self, name, *arguments, **variables):
        done = subprocess.run(
            [PYTHON, "-B", os.path.join(SCRIPTS, name), *arguments],
            env={**self.environment, **variables},
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        return Finished(done.returncode, done.stdout)

    def find(self, *more, version="0.14.0", **variables):
        """Runs environment.py."""
        return self.script(
            "environment.py",
            "--version",
            version,
            "--examples",
            self.path("app/examples"),
            "--app",
            self.path("app"),
            "--families",
            "qwen,llama",
            *more,
            self.out,
            **variables,
        )

    def found(self, *more):
        result = self.find(*more)
        self.assertEqual(result.status, 0, result.log)
        return self.read("store/artifacts/environment-1/out/environment.json")

    def enter(self, key, *command, **variables):
        return self.script("enter.py", self.out, key, *command, **variables)

    def assert_failed(self, result, line, failure, status=1):
        self.assertEqual((result.status, result.last), (status, line))
        self.assertEqual(failure_of(result.log), failure)


def main():
    unittest.main(verbosity=int(os.environ.get("VERBOSE", "1")))


__all__ = ["DIGEST", "IMAGE_ID", "InstallTest", "PYTHON", "ROOT", "SCRIPTS", "main", "sys"]
