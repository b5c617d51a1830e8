"""mpirun without MPI: starts the programs of a command line with the variables that Open MPI sets,
and ends them all as soon as one has failed. --version prints a version."""

import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import machine  # noqa: E402

OPTIONS = {"--allow-run-as-root": 0, "--oversubscribe": 0, "--noprefix": 0, "--bind-to": 1,
           "--mca": 2, "-x": 1, "-n": 1}  # fmt: skip


def parts_of(words):
    """(number of ranks, variables, command) of each part."""
    parts, part = [], []
    for word in [*words, ":"]:
        if word != ":":
            part.append(word)
            continue
        count, variables = 1, {}
        while part and part[0].startswith("-"):
            if part[0] not in OPTIONS:
                sys.exit(f"mpirun: Error: unknown option {part[0]!r}")
            values = part[1 : 1 + OPTIONS[part[0]]]
            if part[0] == "-n":
                count = int(values[0])
            if part[0] == "-x" and "=" in values[0]:
                name, _, value = values[0].partition("=")
                variables[name] = value
            part = part[1 + OPTIONS[part[0]] :]
        if part:
            parts.append((count, variables, part))
        part = []
    return parts


def start(parts):
    size = sum(count for count, _, _ in parts)
    if machine.stated("lone_ranks"):  # as with a PMIx that the image does not know
        size = 1
    shared, ranks = {}, []
    for count, variables, command in parts:
        shared.update(variables)  # -x counts for every part
        for _ in range(count):
            rank = len(ranks) % size
            own = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size)}
            ranks.append(subprocess.Popen(command, env={**os.environ, **shared, **own}))
    return ranks


def main(words):
    if words == ["--version"]:
        return print("mpirun (Open MPI) 4.1.5rc2")
    if os.getuid() == 0 and "--allow-run-as-root" not in words:
        sys.exit("mpiexec has detected an attempt to run as root.")
    ranks = start(parts_of(words))

    def end(*_):
        for rank in ranks:
            if rank.returncode is None:
                os.kill(rank.pid, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    statuses = []
    while len(statuses) < len(ranks):
        pid, status = os.wait()
        ended = next((rank for rank in ranks if rank.pid == pid), None)
        if ended is None:
            continue
        ended.returncode = os.waitstatus_to_exitcode(status)
        statuses.append(ended.returncode)
        if ended.returncode:
            end()
    failed = next((status for status in statuses if status), 0)
    sys.exit(failed if failed >= 0 else 128 - failed)


if __name__ == "__main__":
    main(sys.argv[1:])
