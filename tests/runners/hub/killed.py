"""killed.py CALL CHUNK SPAN ARGUMENTS...: download.py with small chunks, which SIGKILL ends at the
CALL-th of its changes to files (0: never). Prints how many it made."""

import os
import signal
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../runners/common/scripts"))

import download  # noqa: E402
import part_file  # noqa: E402
import stage  # noqa: E402
import transfer  # noqa: E402

LOCK = threading.Lock()
COUNT = [0]


def counted(call, last):
    def instead(*arguments, **named):
        with LOCK:
            COUNT[0] += 1
            if COUNT[0] == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **named)

    return instead


def main():
    last, part_file.CHUNK, transfer.SPAN = map(int, sys.argv[1:4])
    for name in ("pwrite", "fsync", "replace", "unlink", "link"):
        setattr(os, name, counted(getattr(os, name), last))
    part_file.PartFile.finish = counted(part_file.PartFile.finish, last)
    sys.argv[:4] = ["download.py"]
    stage.run(download.main)
    print(COUNT[0])


if __name__ == "__main__":
    main()
