"""What the runner takes for the version of a user's llama-server."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[3] / "runners" / "llama-cpp" / "scripts"
# As release b4967 prints it, on a machine with a GPU.
TEXT = """ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA H100, compute capability 9.0, VMM: yes
version: 4967 (4bb8ad17)
built with cc (Debian 12.2.0-14) 12.2.0 for x86_64-linux-gnu
"""


class BinaryVersion(unittest.TestCase):
    def ask(self, script):
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder) / "llama-server"
            binary.write_text("#!/bin/sh\n" + script)
            os.chmod(binary, 0o755)
            return subprocess.run(
                [sys.executable, str(SCRIPTS / "binary_version.py"), str(binary)],
                capture_output=True,
                text=True,
            )

    def test_is_the_line_of_its_standard_error(self):
        done = self.ask(f"cat >&2 <<'X'\n{TEXT}X\n")
        self.assertEqual(done.stdout, "llama-server 4967 (4bb8ad17)\n", done.stderr)

    def test_may_stand_on_its_standard_output(self):
        done = self.ask("echo 'version: 5000 (abc)'; echo busy >&2")
        self.assertEqual(done.stdout, "llama-server 5000 (abc)\n", done.stderr)

    def test_fails_with_the_last_line_of_a_program_that_fails(self):
        done = self.ask("echo loading; echo 'libllama.so: not found' >&2; exit 127")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with status 127: libllama.so: not found", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_of_another_program_is_refused(self):
        done = self.ask("echo GNU sleep 9.1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set binary to a llama-server", done.stderr)

    def test_of_a_program_that_is_not_there_is_refused(self):
        done = subprocess.run(
            [sys.executable, str(SCRIPTS / "binary_version.py"), "/nonexistent/llama-server"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/llama-server", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
