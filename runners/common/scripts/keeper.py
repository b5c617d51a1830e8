"""keeper.py STOP_S COMMAND...: the first process of a container. Runs COMMAND and exits with its
status; all remaining processes then end with the container.

The client that started the container holds its standard input open. When that closes, no process
outside can end the container any more: COMMAND gets TERM, and STOP_S seconds later the container
ends. It does not know tools.
"""
import os
import signal
import subprocess
import sys
import threading

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def send_signal(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def wait_for_end_of_input():
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass


def end_with_client(group, stop_s, end_requested):
    wait_for_end_of_input()
    # The client requested the end and then disappeared: do not wait any longer.
    if not end_requested.is_set():
        send_signal(group, signal.SIGTERM)
        threading.Event().wait(stop_s)
    send_signal(group, signal.SIGKILL)
    os._exit(128 + signal.SIGKILL)


def wait_for(process):
    """The exit status of COMMAND. The first process is the parent of all orphans, too."""
    while True:
        pid, status = os.wait()
        if pid == process:
            return status


def main():
    end_requested = threading.Event()
    children = []

    def forward(number, _):
        end_requested.set()
        for child in children:
            send_signal(child.pid, number)

    for (
        number
    ) in (
        FORWARDED
    ):  # before there is a child: the kernel drops signals that a first process does not handle
        signal.signal(number, forward)
    try:
        children.append(
            subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, start_new_session=True)
        )
    except OSError as error:
        print("keeper.py: {}: {}".format(sys.argv[2], error.strerror), file=sys.stderr)
        os._exit(127)
    child = children[0]
    if end_requested.is_set():
        send_signal(child.pid, signal.SIGTERM)
    threading.Thread(
        target=end_with_client, args=(child.pid, float(sys.argv[1]), end_requested), daemon=True
    ).start()
    status = wait_for(child.pid)
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
