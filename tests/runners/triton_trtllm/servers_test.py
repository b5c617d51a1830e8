"""servers.py as a process: the servers that it starts, the GPUs of each, and its exit status."""

import faulthandler
import os
import signal
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SCRIPT = os.path.join(ROOT, "runners", "triton-trtllm", "scripts", "servers.py")
PYTHON = "/usr/bin/python3"
# Writes its GPUs to a file, then waits for a signal.
WRITES_GPUS = (
    "import os, signal, sys; open(sys.argv[1], 'w').write(os.environ.get('CUDA_VISIBLE_DEVICES',"
    " 'all') + '\\n'); print('up', flush=True); signal.pause()"
)
# The same, but exits with 7 on TERM.
EXITS_ON_TERM = (
    "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); open(sys.argv[1],"
    " 'w').write('up'); print('up', flush=True); signal.pause()"
)
# Writes its folder for temporary files, and whether it exists.
WRITES_TMPDIR = (
    "import os, signal, sys; own = os.environ['TMPDIR']; open(sys.argv[1], 'w').write(f'{own}"
    " {os.path.isdir(own)}'); print('up', flush=True); signal.pause()"
)


class Servers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        faulthandler.dump_traceback_later(60, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *programs, devices=None, temporary=None):
        words = [PYTHON, SCRIPT]
        for number, program in enumerate(programs):
            words += ["--server", PYTHON, "-c", program, os.path.join(self.folder, str(number))]
        environment = {
            "PATH": "/usr/bin:/bin",
            **({"CUDA_VISIBLE_DEVICES": devices} if devices is not None else {}),
            **({"TMPDIR": temporary} if temporary else {}),
        }
        process = subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, count):
        for _ in range(count):
            self.assertEqual(process.stdout.readline(), "up\n")

    def written_by(self, number):
        with open(os.path.join(self.folder, str(number)), encoding="utf-8") as file:
            return file.read().strip()

    def finish(self, process):
        """Its status, what it says itself, and its errors; a server may say "up" at any time."""
        out, err = process.communicate(timeout=30)
        return process.returncode, [line for line in out.splitlines() if line != "up"], err

    def test_gpus_are_distributed_in_equal_parts_in_order(self):
        process = self.start(WRITES_GPUS, WRITES_GPUS, devices="4,5,MIG-a,MIG-b")
        self.wait_for(process, 2)
        self.assertEqual([self.written_by(0), self.written_by(1)], ["4,5", "MIG-a,MIG-b"])
        process.terminate()
        self.finish(process)

    def test_without_assigned_gpus_each_server_sees_all(self):
        process = self.start(WRITES_GPUS, WRITES_GPUS)
        self.wait_for(process, 2)
        self.assertEqual([self.written_by(0), self.written_by(1)], ["all", "all"])
        process.terminate()
        self.finish(process)

    # Open MPI makes a folder there with the name of the user; one of two concurrent starts fails.
    def test_each_server_has_its_own_folder_for_temporary_files(self):
        process = self.start(WRITES_TMPDIR, WRITES_TMPDIR, temporary=self.folder + "/tmp")
        self.wait_for(process, 2)
        self.assertEqual(
            [self.written_by(0), self.written_by(1)],
            [f"{self.folder}/tmp/1 True", f"{self.folder}/tmp/2 True"],
        )
        process.terminate()
        self.finish(process)

    def test_gpus_that_cannot_be_divided_are_refused_before_any_server_starts(self):
        code, out, err = self.finish(self.start(WRITES_GPUS, WRITES_GPUS, devices="0,1,2"))
        self.assertEqual((code, out), (1, []))
        self.assertEqual(
            err,
            (
                "servers.py: 3 GPUs (0,1,2) cannot be divided equally among 2 servers; give the"
                " stage a multiple of 2\n"
            ),
        )
        self.assertEqual(os.listdir(self.folder), [])

    def test_when_one_server_exits_the_others_are_ended_and_its_status_is_returned(self):
        code, out, _ = self.finish(
            self.start(WRITES_GPUS, "import sys; sys.exit(134)", WRITES_GPUS)
        )
        self.assertEqual(
            (code, out), (134, ["servers.py: server 2 of 3 ended with 134; stopping the others"])
        )

    def test_a_signal_that_kills_a_server_also_ends_servers_py(self):
        code, out, _ = self.finish(self.start(WRITES_GPUS, "import os; os.abort()"))
        self.assertEqual(
            (code, out),
            (-signal.SIGABRT, ["servers.py: server 2 of 2 ended with -6; stopping the others"]),
        )

    def test_TERM_is_forwarded_and_ends_all_servers(self):
        process = self.start(EXITS_ON_TERM, EXITS_ON_TERM)
        self.wait_for(process, 2)
        process.terminate()
        code, _, _ = self.finish(process)
        self.assertEqual(code, 7)

    def test_a_server_is_ended_when_another_cannot_be_started(self):
        process = subprocess.Popen(
            [
                PYTHON,
                SCRIPT,
                "--server",
                PYTHON,
                "-c",
                WRITES_GPUS,
                os.path.join(self.folder, "0"),
                "--server",
                "/no/such",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        out, err = process.communicate(timeout=30)  # returns only when no process holds the pipe
        self.assertEqual(
            (process.returncode, err),
            (
                1,
                (
                    "servers.py: /no/such: No such file or directory; server 2 of 2 cannot be"
                    " started\n"
                ),
            ),
        )

    def test_invalid_arguments_are_refused(self):
        for words in ([], ["mpirun"], ["--server"], ["--server", "--server", "x"]):
            done = subprocess.run(
                [PYTHON, SCRIPT, *words], capture_output=True, text=True, check=False
            )
            self.assertEqual(
                (done.returncode, done.stderr),
                (2, "usage: servers.py --server COMMAND... [--server COMMAND...]...\n"),
                words,
            )


if __name__ == "__main__":
    unittest.main()
