"""stage.py WAY OUT SENTINEL: a task that misuses what it is given, in one WAY.

SENTINEL is a folder that belongs to somebody else. WAYS maps each way to the failure class that the
attempt must have; "" for one that must succeed. `once` means that a second attempt behaves.
"""

import os
import signal
import socket
import stat
import sys
import time
from pathlib import Path

ESCAPES = b"\x1b]0;owned\x07\x1b[2J\x9b31m\xc2\x9b31m\x00\r\xe2\x80\xae"

# In the order in which they start: what takes longest comes first.
WAYS = {
    # How it ends.
    "stops-guardian": "timeout",
    "daemons": "",
    "daemon-writes": "",
    "hangs": "timeout",
    "ignores-term": "timeout",
    "stops-itself": "timeout",
    "kills-itself": "killed_externally",
    "aborts": "crashed",
    "kills-guardian once": "",
    "file-limit": "file_size_limit",
    "plain": "",
    # What it says.
    "log-flood": "exit_status",
    "log-line": "exit_status",
    "log-escapes": "exit_status",
    "log-noise": "exit_status",
    "log-closed": "",
    "log-kept-open": "",
    # What it leaves.
    "out-fifo": "output_missing",
    "out-socket": "output_missing",
    "out-device": "output_missing",
    "out-dangling": "output_missing",
    "out-empty": "output_missing",
    "out-folder-empty": "output_missing",
    "out-none": "output_missing",
    "out-link": "output_missing",
    "out-link-relative": "output_missing",
    "out-replaced": "output_missing",
    "out-removed": "output_missing",
    "out-hard-link": "",
    "out-names": "",
    "out-not-utf-8": "output_missing",
    "out-many": "",
    "out-deep": "",
    "out-modes": "",
    "tmp-link": "",
    "work-removed": "",
    # Files of ours that it puts in the way.
    "manifest-fifo": "",
    "manifest-link": "",
    "record-fifo": "",
    "record-link": "",
    "record-folder": "",
    "record-forged": "exit_status",
    "attempt-removed": "",
}


def detached(work):
    """Runs WORK in a process that leaves the group, the session and the environment."""
    if os.fork() != 0:
        return
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    for fd in range(3):
        os.close(fd)
    work()
    os._exit(0)


def wait_for_ever():
    while True:
        time.sleep(60)


def write_for_ever(path):
    while True:
        with open(path, "ab") as file:
            file.write(b"more")
        time.sleep(0.001)


class Stage:
    def __init__(self, out, sentinel):
        self.out, self.sentinel = Path(out), Path(sentinel)
        self.artifact = self.out.parent
        self.attempt = self.artifact.parent
        self.model = self.out / "model"

    def run(self, way):
        name = way.split()[0].replace("-", "_")
        self.model.write_text("model\n")
        if way.endswith(" once"):
            mark = self.sentinel.parent / f"mark-{name}"
            if mark.exists():
                return
            mark.touch()
        getattr(self, name)()

    def plain(self):
        pass

    @staticmethod
    def say(data, status=1):
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        os._exit(status)

    def log_flood(self):
        for _ in range(100):
            sys.stdout.buffer.write(b"the same line again and again\n" * 35000)
        self.say(b"the end\n")

    def log_line(self):
        self.say(b"x" * (100 << 20))

    def log_escapes(self):
        self.say(ESCAPES * 20 + b"\n" + ESCAPES)

    def log_noise(self):
        self.say(os.urandom(1 << 20))

    def log_closed(self):
        os.close(1)
        os.close(2)

    def log_kept_open(self):
        # Keeps the log's pipe, and nothing else of its parent.
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                wait_for_ever()
            os._exit(0)

    def instead(self):
        self.model.unlink()
        return self.model

    def out_fifo(self):
        os.mkfifo(self.instead())

    def out_socket(self):
        os.chdir(self.out)
        self.instead()
        socket.socket(socket.AF_UNIX).bind("model")

    def out_device(self):
        os.mknod(self.instead(), stat.S_IFCHR | 0o666, os.makedev(1, 5))

    def out_dangling(self):
        self.instead().symlink_to("nothing")

    def out_empty(self):
        self.model.write_text("")

    def out_folder_empty(self):
        self.instead().mkdir()

    def out_none(self):
        self.instead()

    def out_link(self):
        self.instead().symlink_to(self.sentinel / "file")

    def out_link_relative(self):
        self.instead().symlink_to(os.path.relpath(self.sentinel / "file", self.out))

    def out_replaced(self):
        self.out_removed()
        self.out.symlink_to(self.sentinel)

    def out_removed(self):
        self.instead()
        self.out.rmdir()

    def out_hard_link(self):
        os.link(self.sentinel / "file", self.instead())

    def out_names(self):
        for name in (b"a\nb", b"\x1b[31m", b"\xc2\x9b31m", b"x" * 255, b" ", b"-rf", b"'\"$(x)`"):
            with open(os.path.join(os.fsencode(self.out), name), "wb") as file:
                file.write(b"x")

    def out_not_utf_8(self):
        with open(os.fsencode(self.out) + b"/\xff\xfe", "wb") as file:
            file.write(b"x")

    def out_many(self):
        for i in range(5000):
            (self.out / str(i)).write_text("x")

    def out_deep(self):
        os.chdir(self.out)
        for _ in range(500):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)

    def out_modes(self):
        self.model.chmod(0o000)
        (self.out / "sub").mkdir(mode=0o000)

    def tmp_link(self):
        (Path(os.environ["TMPDIR"]) / "link").symlink_to(self.sentinel)
        (self.artifact / "link").symlink_to(self.sentinel)
        (self.attempt / "link").symlink_to(self.sentinel)

    def work_removed(self):
        work = os.getcwd()
        os.chdir("/")
        if Path(work) != self.out:
            os.rmdir(work)

    def manifest_fifo(self):
        os.mkfifo(self.artifact / "manifest.json")

    def manifest_link(self):
        (self.artifact / "manifest.json").symlink_to(self.sentinel / "file")

    def record_fifo(self):
        os.mkfifo(self.attempt / "exit.json.tmp")

    def record_link(self):
        (self.attempt / "exit.json.tmp").symlink_to(self.sentinel / "file")
        (self.attempt / "exit.json").symlink_to(self.sentinel / "file")

    def record_folder(self):
        (self.attempt / "exit.json").mkdir()
        (self.attempt / "exit.json" / "in the way").touch()

    def record_forged(self):
        (self.attempt / "exit.json").write_text('{"ended": {"exit_code": 0, "wall_s": -1}}')
        sys.exit("it failed in truth")

    def attempt_removed(self):
        for path in self.attempt.iterdir():
            if path != self.out and path.is_file():
                path.unlink()

    def daemons(self):
        for _ in range(20):
            detached(wait_for_ever)

    def daemon_writes(self):
        detached(lambda: write_for_ever(self.out / "more"))
        while not (self.out / "more").exists():
            time.sleep(0.001)

    def hangs(self):
        wait_for_ever()

    def ignores_term(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        detached(wait_for_ever)
        wait_for_ever()

    def stops_itself(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def kills_itself(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def aborts(self):
        os.abort()

    def kills_guardian(self):
        os.kill(os.getppid(), signal.SIGKILL)
        wait_for_ever()

    def stops_guardian(self):
        os.kill(os.getppid(), signal.SIGSTOP)
        wait_for_ever()

    def file_limit(self):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        with open(self.out / "large", "wb") as file:
            while True:
                file.write(b"x" * 65536)


if __name__ == "__main__":
    Stage(sys.argv[2], sys.argv[3]).run(sys.argv[1])
