"""Environments from locks: which lock is read, what installs it, what is said where none can be."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "runners/common/scripts"))
import locked_packages  # noqa: E402
from locked_packages import Unusable  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path


class Lock(Case):
    def setUp(self):
        super().setUp()
        names = ["a.lock", "a.cp39.lock", "a.cp311-aarch64.lock", "a.cp313.lock", "b.lock"]
        for name in names:
            (self.folder / name).touch()

    def read(self, version, processor="x86_64", lock="a.lock"):
        with mock.patch.multiple(locked_packages, VERSION=version, PROCESSOR=processor):
            return locked_packages.lock_here(self.folder / lock).name

    def test_is_the_one_of_the_interpreter_and_the_processor(self):
        self.assertEqual(self.read("3.11"), "a.lock")
        self.assertEqual(self.read("3.12"), "a.lock")
        self.assertEqual(self.read("3.11", "aarch64"), "a.cp311-aarch64.lock")
        self.assertEqual(self.read("3.9"), "a.cp39.lock")
        self.assertEqual(self.read("3.13", "aarch64"), "a.cp313.lock")

    def test_of_another_author_is_read_by_every_interpreter(self):
        self.assertEqual(self.read("3.8", "ppc64le", "b.lock"), "b.lock")

    def test_is_refused_for_other_interpreters_with_those_that_have_one(self):
        known = "3.9, 3.11 on aarch64, 3.11 on x86_64, 3.12 on x86_64, 3.13: install one of them"
        for version, processor in (("3.8", "x86_64"), ("3.12", "aarch64")):
            with self.assertRaises(Unusable) as raised:
                self.read(version, processor)
            self.assertIn(f" is Python {version} on {processor}; ", str(raised.exception))
            self.assertIn(f"the packages of a.lock exist for {known}", str(raised.exception))


class Installer(Case):
    def install(self, uv_ends, pip_ends, **variables):
        """What was called, with a uv and a pip that end with these statuses; None: no uv."""
        calls = self.folder / "calls"
        if uv_ends is not None:
            self.program("uv", f'echo "uv $UV_DEFAULT_INDEX $*" >>{calls}\nexit {uv_ends}\n')
        pip = self.program("pip", f'echo "pip $*" >>{calls}\nexit {pip_ends}\n')
        with mock.patch.dict(
            os.environ, {"PATH": f"{self.folder}:/bin", **variables}
        ), mock.patch.object(locked_packages, "pip_command", return_value=[str(pip)]):
            locked_packages.install_packages(Path("/venv/bin/python3"), Path("/a.lock"))
        return [line.split(" --")[0] for line in calls.read_text().splitlines()]

    def test_is_uv_where_it_is_on_the_path(self):
        self.assertEqual(self.install(0, 1), ["uv  pip install"])

    def test_is_pip_where_there_is_no_uv(self):
        self.assertEqual(self.install(None, 0), ["pip install"])

    def test_is_pip_after_uv_failed(self):
        self.assertEqual(self.install(2, 0), ["uv  pip install", "pip install"])

    def test_that_fails_names_the_lock_and_the_mirror(self):
        with self.assertRaisesRegex(Unusable, r"pip could not install /a\.lock .* mirror that pip"):
            self.install(None, 1)

    def test_reads_the_index_that_pip_is_configured_for(self):
        calls = self.install(0, 1, PIP_INDEX_URL="mirror")
        self.assertEqual(calls, ["uv mirror pip install"])


class Interpreter(Case):
    def test_without_pip_is_reported_with_its_package(self):
        with mock.patch.object(locked_packages.glob, "glob", return_value=[]):
            with self.assertRaisesRegex(Unusable, "has no pip .* package python3-venv, or uv"):
                locked_packages.pip_command("/usr/bin/python3")

    def test_without_ensurepip_uses_the_wheel_of_the_distribution_or_is_reported(self):
        with mock.patch.dict(sys.modules, {"ensurepip": None}):
            with mock.patch.object(locked_packages.glob, "glob", return_value=["/w/pip-1.whl"]):
                self.assertEqual(locked_packages.pip_command("/p"), ["/p", "/w/pip-1.whl/pip"])
            with mock.patch.object(locked_packages.glob, "glob", return_value=[]):
                self.assertRaises(Unusable, locked_packages.pip_command, "/p")


if __name__ == "__main__":
    unittest.main()
