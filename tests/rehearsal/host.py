"""An eight-GPU host in a box: a mount namespace with GPUs by the Container Device Interface, the
engine docker, a hub, a user that no image knows, and a Slurm of two nodes. Everything lies in one
folder and ends with this process; nothing outside is changed."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import docker
import hub as hubs
import images

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
USER = 4242  # in the host's passwd, and in no image's
GPUS = 8
PR_SET_PDEATHSIG = 1
MACHINE = {"gpu_model": "NVIDIA H100 80GB HBM3", "compute": "9.0", "memory_gib": 79.6}
NEEDED = ["podman", "crun", "unshare", "slurmctld", "munged", "git"]
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SMI = """#!/usr/bin/python3
import glob, sys
there = sorted(glob.glob("/dev/nvidia[0-9]*"))
if not there:
    print("No devices were found")
    sys.exit(6)
for place, path in enumerate(there):
    print(f"GPU {place}: {model} (UUID: GPU-0000000{path[11:]})")
"""


def why_not():
    """Why this machine cannot hold the host; "": it can."""
    if os.geteuid() != 0:
        return "only root may make a mount namespace with devices"
    path = os.environ["PATH"] + ":/usr/sbin"
    missing = [name for name in NEEDED if not shutil.which(name, path=path)]
    if not images.GRPC.is_dir():
        missing.append("python3-grpcio")
    if missing:
        return f"{', '.join(missing)} missing; run scripts/install-packages.sh test"
    return ""


def enter():
    """Starts this program anew in a mount namespace of its own."""
    if os.environ.get("REHEARSAL_INSIDE") == str(os.getppid()):
        # It ends, and cleans up, when the other one is killed.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        return
    variables = {**os.environ, "REHEARSAL_INSIDE": str(os.getpid())}
    words = ["unshare", "--mount", "--propagation", "private", "/usr/bin/python3", *sys.argv]
    # Not exec: the process that remains is the parent that the other one looks for.
    sys.exit(subprocess.run(words, env=variables, check=False).returncode)


def mount(*words):
    subprocess.run(["mount", *words], check=True)


class Host:
    """`with Host(nvml) as host:`. NVML: the library that stands in for the driver's, or ""."""

    def __init__(self, nvml=""):
        self.folder = Path(tempfile.mkdtemp(prefix="rehearsal-"))
        self.folder.chmod(0o755)
        self.nvml = nvml
        self.podman = ["podman", "--root", f"{self.folder}/podman", "--runroot",
                       f"{self.folder}/podman-run"]  # fmt: skip
        self.images = images.Maker(self.folder, self.podman)
        self.slurm = None

    def __enter__(self):
        self.make_folders()
        self.make_etc()
        self.write_machine()
        self.daemon = docker.Daemon(self.folder, self.podman, str(self.folder / "machine.json"))
        images.write(self.folder / "bin/docker", self.daemon.client(), 0o755)
        self.hub = hubs.Hub().__enter__()
        return self

    def __exit__(self, *_):
        if self.slurm:
            self.cluster("stop")
            shutil.rmtree(self.slurm, ignore_errors=True)
        self.hub.__exit__()
        subprocess.run([*self.podman, "rm", "--all", "--force", "--time", "0"],
                       capture_output=True, check=False)  # fmt: skip
        subprocess.run([*self.podman, "rmi", "--all", "--force"], capture_output=True, check=False)
        subprocess.run(["umount", "--lazy", "/etc"], check=False)
        subprocess.run(["umount", "--lazy", f"{self.folder}/podman/overlay"],
                       capture_output=True, check=False)  # fmt: skip
        if not os.environ.get("REHEARSAL_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def make_folders(self):
        for name in ("bin", "lib", "cdi", "etc", "etc-work", "home"):
            (self.folder / name).mkdir()
        self.new_user_folder("work")
        self.new_user_folder("user/hub")
        if self.nvml:
            shutil.copy(self.nvml, self.folder / "lib/libnvidia-ml.so.1")
        for name in ("libcuda.so.1", "libnvidia-ml.so.1"):  # any library that needs no other
            shutil.copy(f"{LIBRARIES}/libdl.so.2", self.folder / "cdi" / name)
        # Where a stage without a GPU gets them from, as those of the driver of this host.
        shutil.copy(self.folder / "cdi/libcuda.so.1", self.folder / "lib/libcuda.so.1")
        smi = SMI.replace("{model}", MACHINE["gpu_model"])
        images.write(self.folder / "cdi/nvidia-smi", smi, 0o755)

    def new_user_folder(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        os.chown(folder, USER, USER)
        return folder

    def make_etc(self):
        """/etc of this namespace has the devices and the user."""
        if os.path.isdir("/sys/fs/cgroup/memory"):
            subprocess.run(["umount", "--lazy", "/sys/fs/cgroup/unified"],
                           capture_output=True, check=False)  # fmt: skip
        layers = f"lowerdir=/etc,upperdir={self.folder}/etc,workdir={self.folder}/etc-work"
        mount("-t", "overlay", "overlay", "-o", layers, "/etc")
        os.makedirs("/etc/cdi", exist_ok=True)
        images.write(Path("/etc/cdi/nvidia.yaml"), json.dumps(self.devices()))
        with open("/etc/passwd", "a", encoding="utf-8") as file:
            file.write(f"rehearser:x:{USER}:{USER}::{self.folder}/home:/bin/bash\n")
        with open("/etc/group", "a", encoding="utf-8") as file:
            file.write(f"rehearser:x:{USER}:\n")

    def devices(self):
        """A description of GPUs as nvidia-ctk writes it, of nodes that are harmless."""

        def node(path):
            return {"path": path, "type": "c", "major": 1, "minor": 3, "fileMode": 0o666}

        numbers = range(GPUS)
        single = {str(n): [n] for n in numbers} | {f"GPU-0000000{n}": [n] for n in numbers}
        mounts = [
            {"hostPath": f"{self.folder}/cdi/{name}", "containerPath": f"{folder}/{name}",
             "options": ["ro", "nosuid", "nodev", "bind"]}
            for name, folder in (("libcuda.so.1", LIBRARIES), ("libnvidia-ml.so.1", LIBRARIES),
                                 ("nvidia-smi", "/usr/bin"))
        ]  # fmt: skip
        return {
            "cdiVersion": "0.5.0",
            "kind": "nvidia.com/gpu",
            "devices": [
                {"name": name, "containerEdits": {
                    "deviceNodes": [node(f"/dev/nvidia{n}") for n in found]}}
                for name, found in (single | {"all": list(numbers)}).items()
            ],
            "containerEdits": {
                "deviceNodes": [node("/dev/nvidiactl"), node("/dev/nvidia-uvm")],
                "mounts": mounts,
                "env": ["NVIDIA_VISIBLE_DEVICES=void"],
            },
        }  # fmt: skip

    def write_machine(self, **changed):
        """What the tools cannot see of the machine."""
        images.write(self.folder / "machine.json", json.dumps({**MACHINE, **changed}))

    def variables(self, **more):
        """Those of the user's shell."""
        found = {
            "PATH": f"{self.folder}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin",
            "HOME": f"{self.folder}/home",
            "USER": "rehearser",
            "LANG": "C.UTF-8",
            "HF_ENDPOINT": self.hub.url,
            "LD_LIBRARY_PATH": f"{self.folder}/lib",
            "ORCH_FAKE_GPUS": ";".join([MACHINE["gpu_model"]] * GPUS),
        }
        if self.slurm:
            found["SLURM_CONF"] = f"{self.slurm}/etc/slurm.conf"
        return {name: value for name, value in {**found, **more}.items() if value is not None}

    def run(self, words, cwd, timeout_s=600, **variables):
        """Runs a command as the user."""
        return subprocess.run(
            list(map(str, words)), cwd=cwd, env=self.variables(**variables), user=USER, group=USER,
            extra_groups=[], capture_output=True, text=True, errors="replace", timeout=timeout_s,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def pinned(self, image):
        """NAME@sha256:HEX of an image that is here."""
        words = [*self.podman, "image", "inspect", "--format", "{{index .RepoDigests 0}}", image]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def cluster(self, word):
        script = HERE.parent / "crash/slurm-local.sh"
        sizes = {"SL_GPUS": str(GPUS), "SL_CPUS": "128", "SL_MEM": "2000000"}
        return subprocess.run(["bash", str(script), word, self.slurm], env={**os.environ, **sizes},
                              capture_output=True, text=True, check=False)  # fmt: skip

    def start_slurm(self):
        if self.slurm:
            return
        self.slurm = tempfile.mkdtemp(prefix="reh-slurm-", dir="/tmp")
        os.chmod(self.slurm, 0o755)
        done = self.cluster("start")
        if done.returncode:
            raise RuntimeError(f"Slurm does not start here: {done.stdout}{done.stderr}")
