"""enter.py with a real podman: the environment of a tool in a container, and the end of the
container together with its client."""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import unittest
import unittest.mock

from install_support import PYTHON, SCRIPTS, InstallTest, main

import containers

DEADLINE_S = 60
# Private mounts, without the hierarchy that crun mistakes for a full cgroup v2 beside a v1.
PREPARE = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"'
NAMESPACE = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", PREPARE, "sh"]
FOLDERS = ("bin", "dev", "etc", "lib", "lib64", "proc", "run", "sys", "tmp", "usr")
# The limits of an unprivileged machine; the programs are this machine's.
PROGRAMS = " ".join(f"--volume {one}:{one}:ro" for one in ("/usr", "/lib", "/lib64", "/bin"))
OPTIONS = "--ulimit nofile=1024:1024 --ulimit nproc=1000:1000 " + PROGRAMS
# Starts a child that leaves its session and ignores TERM. Both hold a lock, which is free when the
# last of them has ended.
TOOL = """\
    #!/usr/bin/python3
    import fcntl, json, os, signal, sys
    parent = os.getpid()
    lock = os.open({folder!r} + "/store/lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.set_inheritable(lock, True)
    seen = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "uid": os.getuid(), "pid": parent,
            "variables": dict(os.environ),
            "first": open("/proc/1/cmdline").read().split("\\0")[:2]}}
    if "FOLDER" in os.environ:
        open(os.environ["FOLDER"] + "/written", "w").close()
    with open({folder!r} + "/store/seen.json", "w") as file:
        json.dump(seen, file)
    if "--stay" in sys.argv:
        ready, signalled = os.pipe()
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(signalled, b"x")
            while True:
                signal.pause()
        os.read(ready, 1)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7) if "--deaf" not in sys.argv else None)
        with open({folder!r} + "/store/ready", "w") as file:
            file.write("x")
        while True:
            signal.pause()
    sys.exit(3)
    """


class FoldersOfAContainer(unittest.TestCase):
    def folders(self, *words):
        box = {"app": "/usr", "folders": []}
        scripts = os.path.dirname(os.path.dirname(SCRIPTS))
        found = containers.folders_of(box, words, {}, [])
        return [one for one in found if one.startswith(self.folder) and one != scripts]

    def test_options_and_adapters_with_names_are_mounted_and_variables_are_not(self):
        with tempfile.TemporaryDirectory() as self.folder:
            a, b, c, d, e = (os.path.join(self.folder, name) for name in "abcde")
            for folder in (a, b, c, d, e):
                os.mkdir(folder)
            words = [f"LD_LIBRARY_PATH={e}", "serve", "--lora-modules", f"x={a}", f"--model={b}"]
            self.assertEqual(self.folders(*words, f"y={c},z={d}", "k=v"), [a, b, c, d])


class GpusOfAContainer(unittest.TestCase):
    def options(self, engine, visible, devices=("/dev/nvidiactl",)):
        with unittest.mock.patch("os.path.exists", lambda path: path in devices):
            return containers.gpu_options(engine, visible), containers.renumbered_gpus(visible)

    def test_a_container_gets_the_gpus_of_its_stage_only(self):
        self.assertEqual(
            self.options("docker", "4,5"),
            (["--gpus", '"device=4,5"'], ["--env", "CUDA_VISIBLE_DEVICES=0,1"]),
        )
        self.assertEqual(
            self.options("podman", "4,5")[0],
            ["--device", "nvidia.com/gpu=4", "--device", "nvidia.com/gpu=5"],
        )

    def test_a_uuid_names_the_same_device_inside(self):
        self.assertEqual(
            self.options("docker", "MIG-1a,MIG-2b"), (["--gpus", '"device=MIG-1a,MIG-2b"'], [])
        )
        self.assertEqual(self.options("podman", "MIG-1a")[0], ["--device", "nvidia.com/gpu=all"])

    def test_without_a_choice_it_gets_all_and_without_gpus_none(self):
        self.assertEqual(self.options("docker", ""), (["--gpus", "all"], []))
        self.assertEqual(self.options("docker", "4", ("/dev/dxg",)), (["--gpus", "all"], []))
        self.assertEqual(self.options("docker", "4", ()), ([], []))


def skip_reason():
    for program in ("podman", "unshare"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if os.getuid() != 0:
        return "mounts need root here"
    return None


@unittest.skipIf(skip_reason(), skip_reason())
class RealPodman(InstallTest):
    def setUp(self):
        super().setUp()
        self.install()
        self.write(
            "storage.conf",
            (
                f'[storage]\ndriver = "vfs"\nrunroot = "{self.path("run")}"\ngraphroot ='
                f' "{self.path("graph")}"\n'
            ),
        )
        self.environment["CONTAINERS_STORAGE_CONF"] = self.path("storage.conf")
        self.addCleanup(self.podman, "rm", "--all", "--force")
        self.make_image()
        mounted = " ".join(
            f"--volume {one}:{one}" for one in map(self.path, ("bin", "site", "app"))
        )
        inside = (
            f"{OPTIONS} {mounted} --env PATH={self.path('bin')}:/usr/bin:/bin --env"
            f" PYTHONPATH={self.path('site')}"
        )
        self.write(
            "bin/trtllm-build", "#!/usr/bin/python3\nprint('  --stay   x\\n  --deaf   x')\n", 0o755
        )
        result = self.find(
            "--image",
            "orchestrate-test:1",
            "--engine",
            "podman",
            "--shm",
            "64m",
            "--options=" + inside,
        )
        self.assertEqual(result.status, 0, result.log)
        self.write("bin/trtllm-build", TOOL.format(folder=self.folder), 0o755)
        os.mkfifo(self.path("store/ready"))

    def script(self, name, *arguments, **variables):
        return self.outside([PYTHON, "-B", os.path.join(SCRIPTS, name), *arguments], **variables)

    def outside(self, command, **variables):
        done = subprocess.run(
            [*NAMESPACE, *command],
            env={**self.environment, **variables},
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        return unittest.mock.Mock(status=done.returncode, log=done.stdout)

    def podman(self, *words):
        return self.outside(["podman", *words])

    def make_image(self):
        for name in FOLDERS:
            os.makedirs(self.path("root/" + name))
        subprocess.run(
            ["tar", "-C", self.path("root"), "-cf", self.path("root.tar"), "."], check=True
        )
        imported = self.podman("import", self.path("root.tar"), "orchestrate-test:1")
        started = self.podman(
            "run", "--rm", "--net", "host", *OPTIONS.split(), "orchestrate-test:1", "/bin/true"
        )
        if imported.status or started.status:
            self.skipTest(
                "podman cannot run containers here:"
                f" {(imported.log + started.log).strip().splitlines()[-1:]}"
            )

    def start(self, *words):
        """Starts a client; returns it when the tool inside is ready."""
        line = [
            *NAMESPACE,
            PYTHON,
            "-B",
            os.path.join(SCRIPTS, "enter.py"),
            self.out,
            "build",
            "trtllm-build",
            *words,
        ]
        process = subprocess.Popen(
            line,
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        ready = os.open(self.path("store/ready"), os.O_RDONLY | os.O_NONBLOCK)
        try:
            self.assertTrue(select.select([ready], [], [], DEADLINE_S)[0], "the tool did not start")
        finally:
            os.close(ready)
        return process

    def wait_for_the_last_process_inside(self):
        def too_late(*_):
            raise AssertionError("processes of the container are left")

        before = signal.signal(signal.SIGALRM, too_late)
        signal.alarm(DEADLINE_S)
        try:
            with open(self.path("store/lock"), encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    def test_a_tool_has_the_same_paths_folder_and_variables_and_its_status_is_returned(self):
        shared = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.addCleanup(shared.cleanup)
        result = self.script(
            "enter.py",
            self.out,
            "build",
            "trtllm-build",
            "--deaf",
            HF_TOKEN="hf_secret",
            ORCHESTRATE_ATTEMPT="a1b2",
            FOLDER=shared.name,
        )
        self.assertEqual(result.status, 3, result.log)
        self.assertEqual(os.listdir(shared.name), ["written"])
        with open(self.path("store/seen.json"), encoding="utf-8") as file:
            seen = json.load(file)
        self.assertEqual(
            (seen["cwd"], seen["uid"], seen["argv"]), (self.work, os.getuid(), ["--deaf"])
        )
        self.assertEqual(
            (seen["variables"]["HF_TOKEN"], seen["variables"]["ORCHESTRATE_ATTEMPT"]),
            ("hf_secret", "a1b2"),
        )
        self.assertEqual(
            seen["first"], ["python3", os.path.realpath(os.path.join(SCRIPTS, "keeper.py"))]
        )

    def test_a_killed_client_ends_its_container(self):
        client = self.start("--stay", "--deaf")
        client.kill()
        self.assertEqual(client.wait(timeout=DEADLINE_S), -signal.SIGKILL)
        self.wait_for_the_last_process_inside()

    def test_term_reaches_the_tool_and_its_processes_end_with_it(self):
        client = self.start("--stay")
        client.terminate()
        self.assertEqual(client.wait(timeout=DEADLINE_S), 7)
        self.wait_for_the_last_process_inside()
        self.assertEqual(self.podman("ps", "--all", "--quiet").log, "")

    def test_a_tool_that_ignores_term_ends_with_its_client(self):
        client = self.start("--stay", "--deaf")
        client.terminate()
        client.kill()
        self.wait_for_the_last_process_inside()


if __name__ == "__main__":
    main()
