"""calibration_texts.py against a hub: the files that it takes of the dataset, and the folder in
which the package `datasets` finds them by its path, or by a name in the working folder. The form of
the folder was read by `datasets` 2.14.5 and 5.2.0."""

import os
import subprocess
import sys
import tempfile
import unittest

from hub_server import Hub
from hub_support import SCRIPTS

import calibration_texts

FILES = {
    "README.md": b"of the hub",
    "1.0.0/train-00000-of-00001.parquet": b"older",
    "3.0.0/test-00000-of-00001.parquet": b"another split",
    "3.0.0/train-00000-of-00002.parquet": b"a" * 2000,  # in git LFS
    "3.0.0/train-00001-of-00002.parquet": b"b" * 3000,
}
DATASET = "datasets/abisee/cnn_dailymail"


class Calibration(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "store", "attempts", "a1", "out")
        os.makedirs(self.out)

    def download(self, hub):
        return subprocess.run(
            [sys.executable, os.path.join(SCRIPTS, "calibration_texts.py"), self.out],
            env={"HF_ENDPOINT": hub.url, "HOME": self.out, "no_proxy": "127.0.0.1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def test_one_split_of_one_configuration_is_taken_and_named_for_its_readers(self):
        with Hub(FILES, DATASET, calibration_texts.COMMIT) as hub:
            done = self.download(hub)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(hub.requests("/resolve/")), 2)
        for name in ("cnn_dailymail", "ccdv/cnn_dailymail"):
            folder = os.path.join(self.out, name)
            found = [
                os.path.relpath(os.path.join(where, name), folder)
                for where, _, names in os.walk(folder)
                for name in names
            ]
            texts = [name for name in FILES if name.startswith("3.0.0/train")]
            self.assertEqual(sorted(found), sorted(["README.md", *texts]))
            for text in texts:
                with open(os.path.join(folder, text), "rb") as file:
                    self.assertEqual(file.read(), FILES[text])
        with open(os.path.join(self.out, "cnn_dailymail/README.md"), encoding="utf-8") as file:
            self.assertIn(
                "- config_name: 3.0.0\n  data_files:\n  - split: train\n"
                "    path: 3.0.0/train-*.parquet\n",
                file.read(),
            )
        self.assertEqual(os.readlink(os.path.join(self.out, "cnn_dailymail")), "ccdv/cnn_dailymail")

    def test_a_hub_without_the_dataset_is_an_error_that_names_it(self):
        with Hub(FILES, "datasets/other/texts", calibration_texts.COMMIT) as hub:
            done = self.download(hub)
            self.assertEqual(
                (done.returncode, done.stderr),
                (
                    1,
                    "calibration_texts.py: HTTP error 404: "
                    "hf:datasets/abisee/cnn_dailymail is not on"
                    f" {hub.url}; check the name\n",
                ),
            )


if __name__ == "__main__":
    unittest.main()
