"""A docker made of podman: a daemon in this process, and a client for other users' PATH.

As with docker, containers are children of the daemon, outlive a killed client, run as the user that
--user names whether or not the image knows it, and get GPUs by --gpus. Options that docker lacks
are errors. `Daemon.diary` has one entry per container: what was asked for."""

import json
import os
import re
import signal
import socket
import subprocess
import threading

OPTIONS = {  # of `docker run`: whether they take a value
    "--rm": False, "--interactive": False, "-i": False, "--init": False, "--name": True,
    "--label": True, "--network": True, "--ipc": True, "--shm-size": True, "--ulimit": True,
    "--gpus": True, "--cpuset-cpus": True, "--cpuset-mems": True, "--user": True,
    "--userns": True, "--volume": True, "-v": True, "--workdir": True, "--env": True, "-e": True,
    "--entrypoint": True, "--device": True, "--security-opt": True, "--tmpfs": True,
    "--runtime": True, "--privileged": False,
}  # fmt: skip
SHORT = {"-i": "--interactive", "-v": "--volume", "-e": "--env"}
LABEL_OFF = "label=disable"
CLIENT = """#!/usr/bin/python3
# The client of the rehearsal's docker: hands its words, variables and streams to the daemon.
import json, os, signal, socket, sys
daemon = socket.socket(socket.AF_UNIX)
daemon.connect({address!r})
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, lambda number, _: daemon.sendall(b"%d\\n" % number))
asked = json.dumps({{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}}).encode()
socket.send_fds(daemon, [b"%d\\n" % len(asked)], [0, 1, 2])
daemon.sendall(asked)
answer = b""
while not answer.endswith(b"\\n"):
    part = daemon.recv(64)
    if not part:
        sys.exit(125)
    answer += part
sys.exit(int(answer))
"""


class Refused(Exception):
    pass


def read_options(words):
    """([(option, value)], the image and its words) of `docker run WORDS`."""
    found, words = [], list(words)
    while words and words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        takes = OPTIONS.get(name)
        if takes is None:
            raise Refused(f"unknown flag: {name}")
        if takes and not equals:
            if not words:
                raise Refused(f"flag needs an argument: {name}")
            value = words.pop(0)
        found.append((SHORT.get(name, name), value))
    if not words:
        raise Refused('"docker run" requires at least 1 argument.')
    return found, words


def devices_of(value):
    """Names of the Container Device Interface, of what --gpus asks for."""
    value = value.strip('"')
    if value == "all":
        return ["all"]
    if value.startswith("device="):
        return value[len("device=") :].split(",")
    if re.fullmatch(r"\d+", value):
        return [str(number) for number in range(int(value))]
    raise Refused(f'invalid argument "{value}" for "--gpus" flag')


class Daemon:
    def __init__(self, folder, podman, machine):
        self.podman, self.machine = podman, machine
        self.address = os.path.join(folder, "docker.sock")
        self.traits, self.diary = set(), []
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        os.chmod(self.address, 0o666)
        self.listener.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def client(self):
        return CLIENT.format(address=self.address)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.attend, args=(connection,), daemon=True).start()

    def attend(self, connection):
        with connection:
            head, fds, _, _ = socket.recv_fds(connection, 65536, 3)
            length, _, rest = head.partition(b"\n")
            while len(rest) < int(length):
                rest += connection.recv(65536)
            try:
                status = self.answer(connection, json.loads(rest), list(fds))
            finally:
                for fd in fds:
                    os.close(fd)
            try:
                connection.sendall(b"%d\n" % status)
            except OSError:  # the client was killed
                pass

    def answer(self, connection, asked, fds):
        argv = asked["argv"]
        try:
            words = self.words(argv, asked["env"])
        except Refused as refused:
            os.write(fds[2], f"docker: {refused}\nSee 'docker run --help'.\n".encode())
            return 125
        if isinstance(words, bytes):
            os.write(fds[1], words)
            return 0
        process = subprocess.Popen(
            words, stdin=fds[0], stdout=fds[1], stderr=fds[2], env=asked["env"] | self.own(),
            cwd="/", start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self.pass_on, args=(connection, process), daemon=True).start()
        status = process.wait()
        return status if status >= 0 else 128 - status

    @staticmethod
    def own():
        """The engine's own surroundings, whatever the client's are."""
        return {"PATH": os.environ["PATH"], "HOME": "/root", "XDG_RUNTIME_DIR": "/run"}

    @staticmethod
    def pass_on(connection, process):
        """Signals of the client, as numbers in lines."""
        try:
            while text := connection.recv(64):
                for number in text.split():
                    process.send_signal(signal.Signals(int(number)))
        except (OSError, ValueError, ProcessLookupError):
            pass

    def words(self, argv, env):
        if argv[:1] == ["run"]:
            return self.run_words(argv[1:], env)
        if argv[:1] == ["version"]:
            return b"27.5.1\n"
        if argv[:1] == ["info"]:  # of the names of runtimes
            return b"io.containerd.runc.v2 nvidia runc \n"
        if argv[:2] == ["image", "inspect"] or argv[:1] in (["rm"], ["ps"], ["inspect"]):
            return [*self.podman, *argv]
        if argv[:1] == ["pull"]:
            raise Refused(
                f"Error response from daemon: manifest for {argv[-1]} not found: manifest unknown"
            )
        raise Refused(f"'{' '.join(argv[:1])}' is not a docker command.")

    def run_words(self, words, env):
        options, rest = read_options(words)
        entry = entry_of(options, rest, env)
        if entry["stage"]:  # else it is a look at the image before a run
            with self.lock:
                self.diary.append(entry)
        named = [value for name, value in options if name == "--env"]
        made = [*self.podman, "run", "--cgroups=disabled", "--passwd=false", "--pull=never",
                "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000",
                "--volume", f"{self.machine}:/run/rehearsal/machine.json:ro"]  # fmt: skip
        if not any(value == "HOME" or value.startswith("HOME=") for value in named):
            user = dict(options).get("--user", "0").split(":")[0]
            made += ["--env", f"HOME={'/root' if user == '0' else '/'}"]
        for name, value in options:
            made += self.translated(name, value, options)
        return made + rest

    def translated(self, name, value, options):
        if "no-driver" in self.traits and (name == "--gpus" or "/libcuda.so.1:" in value):
            return []
        if name == "--gpus":
            return [
                word for one in devices_of(value) for word in ("--device", f"nvidia.com/gpu={one}")
            ]
        if name == "--runtime":
            raise Refused(f"Error response from daemon: unknown or invalid runtime name: {value}.")
        if name.startswith("--cpuset") or (name == "--ulimit" and value.startswith("memlock")):
            return []  # not permitted here
        if name == "--volume":
            return ["--volume", self.volume(value, options)]
        return [name, value] if OPTIONS[name] else [name]

    def volume(self, value, options):
        source, _, rest = value.partition(":")
        if not os.path.exists(source):
            raise Refused(
                f'Error response from daemon: invalid mount config for type "bind": bind source'
                f" path does not exist: {source}."
            )
        labelled = ("--security-opt", LABEL_OFF) in options or rest.lower().endswith(":z")
        if "selinux" in self.traits and not labelled and not rest.endswith(":ro"):
            return f"{value}:ro"
        return value


def entry_of(options, rest, env):
    """What a container was asked to be, with the values of its variables."""
    values = lambda wanted: [value for name, value in options if name == wanted]  # noqa: E731
    variables = {}
    for text in values("--env"):
        name, equals, value = text.partition("=")
        if equals or name in env:
            variables[name] = value if equals else env[name]
    labels = dict(text.partition("=")[::2] for text in values("--label"))
    listed = {"--env", "--volume", "--label", "--ulimit"}
    return {
        "stage": labels.get("orchestrate.stage", ""),
        "image": rest[0],
        "argv": rest[1:],
        "mounts": sorted(values("--volume")),
        "variables": variables,
        "gpus": values("--gpus") + values("--device"),
        "ulimits": sorted(values("--ulimit")),
        "options": {name: value for name, value in options
                    if name not in listed | {"--gpus", "--device"}},
    }  # fmt: skip
