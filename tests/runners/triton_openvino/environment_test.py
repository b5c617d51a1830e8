"""make_environment.py on incomplete machines: the last line names the missing part and the remedy.
"""
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import models  # noqa: F401  (puts the runner on the path)
import locked_packages
import make_environment
from locked_packages import Unusable
from rendering import RUNNER


class Environment(unittest.TestCase):
    def fails(self, pattern, *patches):
        with tempfile.TemporaryDirectory() as folder:
            for patch in patches:
                patch.start()
                self.addCleanup(patch.stop)
            with self.assertRaisesRegex(Unusable, pattern):
                make_environment.main([str(RUNNER / "requirements.lock"), f"{folder}/venv"])
            mock.patch.stopall()

    def system(self):
        return mock.patch.object(locked_packages.sys, "prefix", locked_packages.sys.base_prefix)

    def test_a_virtual_environments_interpreter_is_refused(self):
        self.fails("belongs to a virtual environment; run this with the system's interpreter")

    def test_a_missing_libpython_is_reported_with_its_package(self):
        answer = subprocess.CompletedProcess([], 0, stdout="libc.so.6")
        version = make_environment.VERSION
        self.fails(
            f"libpython{version}.so.1.0 is not installed; install the package libpython{version}",
            self.system(),
            mock.patch.object(make_environment.subprocess, "run", return_value=answer),
        )

    def test_a_server_without_a_stub_for_the_interpreter_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(
            Unusable, "no stub for Python"
        ):
            make_environment.prepare_triton(Path(folder))


if __name__ == "__main__":
    unittest.main()
