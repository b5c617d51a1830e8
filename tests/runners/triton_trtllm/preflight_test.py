"""`orchestrate doctor MATRIX` where everything is missing once: each lack is named with its fix.
The hub, the driver's library and the image are stand-ins; podman is real.

preflight_test.py NVML: a library that states GPUs. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/runners/hub"))
from hub_server import COMMIT, Hub, entered  # noqa: E402

ORCHESTRATE = os.environ.get("ORCH_BINARY", "")
NVML = sys.argv.pop(1) if len(sys.argv) > 1 else ""
IN_NAMESPACE = "ORCH_TEST_NAMESPACE"
# With the wheel and the server, and nothing under /app; no release that rules know.
IMAGE = "localhost/acme/tensorrt-llm:mine"
NO_IMAGE = "localhost:1/acme/tensorrt-llm:mine"
FACTS = {"type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584,
         "intermediate": 18944, "vocab": 152064, "positions": 131072, "tied": False}  # fmt: skip


def enter_namespace():
    """Mounts of containers are seen by this process and its children alone."""
    if os.geteuid() == 0 and not os.environ.get(IN_NAMESPACE):
        os.environ[IN_NAMESPACE] = "1"
        script = 'umount -l /sys/fs/cgroup/unified 2>/dev/null; exec "$0" "$@"'
        words = [sys.executable, "-B", *sys.argv[:1], NVML, *sys.argv[1:]]
        os.execvp("unshare", ["unshare", "--mount", "/bin/sh", "-c", script, *words])


def libraries_of(program):
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [word for word in said.split() if word.startswith("/")]


class Podman:
    """With storage of its own, and an image that has Python, TensorRT-LLM's wheel and Triton."""

    def __init__(self, folder):
        self.folder = folder
        self.command = ["podman", "--root", f"{folder}/root", "--runroot", f"{folder}/run"]
        self.limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"]

    def run(self, *words):
        return subprocess.run([*self.command, *words], capture_output=True, text=True, check=False)

    def make_image(self, *changes):
        image = self.folder / "image"
        python = os.path.realpath("/usr/bin/python3")
        for program in (python, "/usr/bin/env", "/bin/sh"):
            for file in (program, *libraries_of(program)):
                target = image / file.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        (image / "usr/bin/python3").symlink_to(os.path.basename(python))
        version = os.path.basename(python)
        shutil.copytree(
            f"/usr/lib/{version}",
            image / "usr/lib" / version,
            ignore=shutil.ignore_patterns("__pycache__", "test", "config-*", "*.pyc", "idlelib"),
            ignore_dangling_symlinks=True,
        )
        self.write("usr/lib/python3/dist-packages/tensorrt_llm-0.14.0.dist-info/METADATA",
                   "Metadata-Version: 2.1\nName: tensorrt-llm\nVersion: 0.14.0\n")  # fmt: skip
        for name in ("usr/local/bin/trtllm-build", "opt/tritonserver/bin/tritonserver",
                     "opt/hpcx/ompi/bin/mpirun"):  # fmt: skip
            self.write(name, "#!/bin/sh\n", 0o755)
        (image / "tmp").mkdir()
        tar = self.folder / "image.tar"
        subprocess.run(["tar", "-C", image, "-cf", tar, "."], check=True)
        words = [word for change in changes for word in ("--change", change)]
        return self.run("import", *words, str(tar), IMAGE)

    def write(self, name, text, mode=0o644):
        path = self.folder / "image" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    def site(self):
        return {"container": {"engine": "podman", "command": self.command, "options": self.limits}}


@unittest.skipUnless(ORCHESTRATE and NVML, "ORCH_BINARY and a library are needed")
class PreflightTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="orchestrate-preflight-")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "lib").mkdir()
        shutil.copy(NVML, self.folder / "lib/libnvidia-ml.so.1")
        self.hub = entered(
            self, Hub({"config.json": b"{}", "model.safetensors": bytes(5000)}, "acme/tiny")
        )
        self.hub.token, self.hub.gated, self.hub.open_listing = "hf_good", True, True
        self.variables = {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.folder),
            "HF_ENDPOINT": self.hub.url,
            "no_proxy": "127.0.0.1",
        }
        self.site = {}

    def has_gpus(self, **more):
        self.variables |= {
            "LD_LIBRARY_PATH": str(self.folder / "lib"),
            "ORCH_FAKE_GPUS": "NVIDIA H100 80GB HBM3;NVIDIA H100 80GB HBM3",
            **more,
        }

    def podman(self):
        if not shutil.which("podman") or not os.environ.get(IN_NAMESPACE):
            self.skipTest("podman and a mount namespace are needed")
        podman = Podman(self.folder / "podman")
        podman.folder.mkdir()
        made = podman.make_image("ENV NVIDIA_REQUIRE_CUDA=cuda>=12.5")
        if made.returncode:
            self.skipTest("podman cannot import an image: " + made.stderr)
        self.addCleanup(podman.run, "system", "migrate")
        self.addCleanup(podman.run, "rmi", "--all", "--force")
        self.site = podman.site()
        return podman

    def orchestrate(self, command, *words, matrix=None):
        (self.folder / "site.yaml").write_text(json.dumps(self.site), encoding="utf-8")
        files = []
        if matrix is not None:
            (self.folder / "m.yaml").write_text(json.dumps(matrix), encoding="utf-8")
            files = [str(self.folder / "m.yaml"), "--site", str(self.folder / "site.yaml"),
                     "--runners", str(ROOT / "runners")]  # fmt: skip
        return subprocess.run(
            [ORCHESTRATE, command, *files, "--store", str(self.folder / "results"), *words],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def doctor(self, matrix, *words):
        """(exit status, "LEVEL WHAT" -> (remedy, points))"""
        done = self.orchestrate("doctor", "--json", *words, matrix=matrix)
        self.assertTrue(done.stdout, done.stderr)
        found = [one for section in json.loads(done.stdout) for one in section["findings"]]
        return done.returncode, {
            f"{one['level']} {one['what']}": (one["remedy"], len(one.get("points", [])))
            for one in found
        }

    def assert_found(self, found, *parts):
        """A finding begins with the first of PARTS, and its remedy has the second."""
        begin, remedy, points = parts
        fits = [value for what, value in found.items() if what.startswith(begin)]
        self.assertTrue(fits, f"nothing begins with {begin!r} in {json.dumps(found, indent=1)}")
        self.assertIn(remedy, fits[0][0])
        self.assertEqual(fits[0][1], points, begin)

    def matrix(self, **more):
        return {
            "name": "bare",
            "runner": "triton-trtllm",
            "defaults": {"trtllm_version": "0.14.0", "model": "m", "isl": 64, "osl": 64,
                         "concurrency": 1, "num_prompts": 10},
            "axes": {"tp": [1, 4]},
            "models": {"m": {"source": "hf:acme/tiny", "revision": COMMIT, "facts": FACTS}},
            **more,
        }  # fmt: skip

    def test_on_a_bare_machine(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            matrix = self.matrix(
                machine={"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 79.6},
                ports={"http": port},
            )
            status, found = self.doctor(matrix)
        self.assertEqual(status, 1)
        self.assert_found(
            found, "missing 'gpus' is stated as '8', but no GPU", "remove the statement", 2
        )
        self.assert_found(found, "missing a stage needs 1 GPU, but none", "nvidia-smi -L", 1)
        self.assert_found(found, "missing a stage needs 4 GPUs, but none", "nvidia-smi -L", 1)
        self.assert_found(found, f"missing port {port} (http) is in use", "ss -ltnp", 2)
        gated = "missing reach.py: HTTP error 401: hf:acme/tiny is gated"
        self.assert_found(found, gated, "HF_TOKEN", 2)
        self.assert_found(found, "unknown at least", "df -h", 2)

    def test_a_dataset_of_a_hub_is_asked_for_its_files(self):
        hub = entered(self, Hub({"data/rows.jsonl": b"{}"}, "datasets/acme/qa"))
        hub.token, hub.gated, hub.open_listing = "hf_good", True, True
        self.variables["HF_ENDPOINT"] = hub.url
        matrix = self.matrix(
            axes={"tp": [1]},
            models={"m": {"source": "local:model", "facts": FACTS}},
            datasets={"qa": {"source": "hf:acme/qa", "files": ["data/rows.jsonl"]}},
            measure={"prompts": "qa"},
        )
        (self.folder / "model").mkdir()
        (self.folder / "model/config.json").write_text("{}", encoding="utf-8")
        self.site = {"machine": {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 79.6}}
        _, found = self.doctor(matrix)
        gated = "missing reach.py: HTTP error 401: hf:datasets/acme/qa is gated"
        self.assert_found(found, gated, f"{hub.url}/datasets/acme/qa and set HF_TOKEN", 1)
        self.variables["HF_TOKEN"] = "hf_good"
        _, found = self.doctor(matrix)
        self.assert_found(found, "ok hf:datasets/acme/qa: 1 files", "", 1)

    def test_with_gpus_that_others_use_and_no_engine(self):
        self.has_gpus(ORCH_FAKE_GPU_USE="1 4242 60 99")
        self.variables["HF_TOKEN"] = "hf_good"
        self.variables["PATH"] = str(self.folder / "empty")
        self.site = {"container": {"engine": "docker"}}
        matrix = self.matrix(axes={"tp": [1, 2]})
        matrix["defaults"]["image"] = IMAGE
        status, found = self.doctor(matrix)
        self.assertEqual(status, 1)
        self.assert_found(found, "missing no docker", "apt-get install docker.io", 2)
        self.assert_found(found, f"unknown image {IMAGE} cannot be inspected", "docker.io", 2)
        self.assert_found(
            found, "warning GPU 1 has 60.0 of 80.0 GiB in use by process 4242", "--gpus", 2
        )
        self.assert_found(found, "ok hf:acme/tiny: 2 files", "", 2)

    def test_what_an_image_lacks(self):
        self.podman()
        self.variables["HF_TOKEN"] = "hf_good"
        self.site["machine"] = {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 79.6}
        matrix = self.matrix(axes={"image": [IMAGE, NO_IMAGE]})
        matrix["defaults"]["container_engine"] = "podman"
        status, found = self.doctor(matrix)
        self.assertEqual(status, 1)
        self.assert_found(
            found,
            f"missing image {IMAGE} has no /app/examples/qwen/convert_checkpoint.py",
            "backend_source: https://github.com/triton-inference-server/",
            1,
        )
        self.assert_found(found, f"ok image {IMAGE} has tensorrt_llm 0.14.0", "", 1)
        self.assert_found(
            found, f"missing image {NO_IMAGE} is not here, and its registry", "login", 1
        )

    def test_what_an_image_asks_of_the_driver(self):
        self.podman()
        self.has_gpus(ORCH_FAKE_CUDA="12020")
        self.variables["HF_TOKEN"] = "hf_good"
        matrix = self.matrix(axes={"tp": [1]})
        matrix["defaults"] |= {"image": IMAGE, "container_engine": "podman"}
        _, found = self.doctor(matrix)
        self.assert_found(
            found,
            f"missing image {IMAGE} requires cuda>=12.5, but driver 550.54.15 supports CUDA 12.2",
            "a newer driver",
            1,
        )
        self.assert_found(found, "missing podman has no CDI specification", "nvidia-ctk cdi", 1)

    def test_a_run_starts_nothing_where_a_point_cannot_run(self):
        self.has_gpus()
        done = self.orchestrate("run", matrix=self.matrix(axes={"tp": [1]}))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Preflight: 1 of 1 points cannot run here", done.stderr)
        self.assertIn("hf:acme/tiny is gated", done.stderr)
        self.assertIn("--no-preflight", done.stderr)
        self.assertNotIn("  ok ", done.stderr)
        runs = self.orchestrate("query", "select count(*) as n from run", "--format", "csv")
        self.assertEqual(runs.stdout.split(), ["n", "0"], runs.stderr)
        went_on = self.orchestrate(
            "run", "--no-preflight", "--until", "download", matrix=self.matrix(axes={"tp": [1]})
        )
        self.assertNotIn("Preflight", went_on.stderr)
        runs = self.orchestrate("query", "select count(*) as n from run", "--format", "csv")
        self.assertEqual(runs.stdout.split(), ["n", "1"], went_on.stderr)


if __name__ == "__main__":
    enter_namespace()
    unittest.main()
