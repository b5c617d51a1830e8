"""keeper.py STOP_S COMMAND...: the first process of a container. Runs COMMAND and ends with its
exit status; whoever still lives then dies with the container.

Its standard input is held open by the client that started the container. When that is closed,
nobody is left outside who could end the container: COMMAND gets TERM, and STOP_S seconds later the
container ends. Knows no tool.
"""
import os
import signal
import subprocess
import sys
import threading

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def tell(group, number):
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


def end_with_client(group, stop_s, asked):
    wait_for_end_of_input()
    # Whoever had asked for the end and now is gone too has lost patience.
    if not asked.is_set():
        tell(group, signal.SIGTERM)
        threading.Event().wait(stop_s)
    tell(group, signal.SIGKILL)
    os._exit(128 + signal.SIGKILL)


def wait_for(process):
    """Its status. As the first process it is the parent of all orphans, too."""
    while True:
        pid, status = os.wait()
        if pid == process:
            return status


def main():
    asked = threading.Event()
    children = []

    def forward(number, _):
        asked.set()
        for child in children:
            tell(child.pid, number)

    for (
        number
    ) in (
        FORWARDED
    ):  # before there is a child: the kernel keeps from a first process what it does not handle
        signal.signal(number, forward)
    try:
        children.append(
            subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, start_new_session=True)
        )
    except OSError as error:
        print("keeper.py: {}: {}".format(sys.argv[2], error.strerror), file=sys.stderr)
        os._exit(127)
    child = children[0]
    if asked.is_set():
        tell(child.pid, signal.SIGTERM)
    threading.Thread(
        target=end_with_client, args=(child.pid, float(sys.argv[1]), asked), daemon=True
    ).start()
    status = wait_for(child.pid)
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
