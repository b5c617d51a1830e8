"""make_environment.py on incomplete machines: the last line names the missing part and the remedy.
Also checks the lock files.
"""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import models  # noqa: F401  (puts the runner on the path)
import locked_environment
import make_environment
from locked_environment import Unusable
from rendering import COMMON, RUNNER


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
        return mock.patch.object(
            locked_environment.sys, "prefix", locked_environment.sys.base_prefix
        )

    def test_an_interpreter_without_wheels_is_refused(self):
        self.fails(
            r"is Python 3\.8; the pinned packages exist for 3\.11, 3\.12",
            mock.patch.object(locked_environment, "VERSION", "3.8"),
        )

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

    def test_a_missing_pip_is_reported_with_its_package(self):
        self.fails(
            "pip's wheel is not installed; install the package python3-venv",
            self.system(),
            mock.patch.object(locked_environment.glob, "glob", return_value=[]),
        )

    def test_a_server_without_a_stub_for_the_interpreter_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(
            Unusable, "no stub for Python"
        ):
            make_environment.prepare_triton(Path(folder))

    def test_lock_files_pin_every_package_with_hashes_and_name_no_index(self):
        for lock in [
            RUNNER / "requirements.lock",
            COMMON / "checkpoint.lock",
            Path(__file__).with_name("requirements.lock"),
        ]:
            text = lock.read_text()
            packages = re.findall(
                r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.M
            )
            self.assertEqual(len(packages), len(re.findall(r"^\w", text, re.M)))
            self.assertNotRegex(text, r"https?:|--(extra-)?index-url|--find-links")


if __name__ == "__main__":
    unittest.main()
