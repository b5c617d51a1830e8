"""servers.py --server COMMAND... --server COMMAND...: runs several servers as one.

The GPUs of CUDA_VISIBLE_DEVICES are divided equally, in order. Each server has its own folder
below TMPDIR. When one server ends, all are ended, and this process ends as that server did: with
its exit status, or by its signal. TERM is passed on. It does not know what the commands do.
"""
import os
import signal
import subprocess
import sys

END_S = 20  # from TERM to KILL, for the remaining servers
USAGE = 2


def split(words):
    """The commands; [] if a word precedes the first --server or no word follows one."""
    commands = []
    for word in words:
        if word == "--server":
            commands.append([])
        elif not commands:
            return []
        else:
            commands[-1].append(word)
    return commands if all(commands) else []


def folder_of(number):
    """TMPDIR of one server. Two mpiruns that start at the same moment make the same session
    folder below TMPDIR, and one of them fails.
    """
    folder = os.environ.get("TMPDIR")
    if not folder:
        return {}
    own = os.path.join(folder, str(number))
    os.makedirs(own, exist_ok=True)
    return {"TMPDIR": own}


def environments(count):
    """The environment of each server: its GPUs and its folder."""
    return [
        {**os.environ, **devices, **folder_of(number)}
        for number, devices in enumerate(devices_of(count), 1)
    ]


def devices_of(count):
    devices = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
    if not devices:
        return [{}] * count
    each = len(devices) // count
    if each * count != len(devices):
        sys.exit(
            f"servers.py: {len(devices)} GPUs ({','.join(devices)}) cannot be divided equally among"
            f" {count} servers; give the stage a multiple of {count}"
        )
    return [
        {"CUDA_VISIBLE_DEVICES": ",".join(devices[i * each : (i + 1) * each])} for i in range(count)
    ]


def pass_on(children, number):
    for child in children:
        if child.poll() is None:
            child.send_signal(number)


def start(commands):
    """TERM and INT are blocked until all servers are started, so that none of them is missed."""
    waiting = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    children = []
    for number in waiting:
        signal.signal(number, lambda number, _: pass_on(children, number))
    try:
        for command, environment in zip(commands, environments(len(commands))):
            children.append(
                subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, waiting),
                )
            )
    except OSError as error:
        pass_on(children, signal.SIGKILL)
        sys.exit(
            f"servers.py: {command[0]}: {error.strerror}; server {len(children) + 1} of"
            f" {len(commands)} cannot be started"
        )
    signal.pthread_sigmask(signal.SIG_UNBLOCK, waiting)
    return children


def first_to_end(children):
    by_number = {child.pid: child for child in children}
    while True:
        number = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        if number in by_number:
            return by_number[number]
        os.waitpid(number, 0)  # processes left to the first process of a container


def end(children):
    pass_on(children, signal.SIGTERM)
    for child in children:
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def end_as(status):
    """Ends by the same signal if the server was killed by one."""
    if status >= 0:
        sys.exit(status)
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    sys.exit(128 - status)


def main():
    commands = split(sys.argv[1:])
    if not commands:
        print("usage: servers.py --server COMMAND... [--server COMMAND...]...", file=sys.stderr)
        sys.exit(USAGE)
    children = start(commands)
    first = first_to_end(children)
    status = first.wait()
    print(
        (
            f"servers.py: server {children.index(first) + 1} of {len(children)} ended with"
            f" {status}; stopping the others"
        ),
        flush=True,
    )
    end(children)
    end_as(status)


if __name__ == "__main__":
    main()
