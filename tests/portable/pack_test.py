"""The tarball and the wheel that portable/pack.py makes of an installed tree."""

import base64
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

PACK = pathlib.Path(__file__).resolve().parents[2] / "portable/pack.py"
EPOCH = 1_700_000_000
TARBALL = "orchestrate-1.2.3-linux-x86_64.tar.xz"
WHEEL = "orchestrate_llm-1.2.3-py3-none-manylinux_2_28_x86_64.whl"


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def make_stage(folder):
    write(folder / "bin/orchestrate", "#!/bin/sh\necho ran from $0\n", 0o755)
    write(folder / "share/orchestrate/runners/toy/runner.yaml", "runner: toy\n")
    write(folder / "share/orchestrate/runners/toy/scripts/run.py", "print(1)\n", 0o755)
    write(folder / "share/doc/orchestrate/README.md", "# orchestrate\n")
    write(folder / "share/doc/orchestrate/licences/zstd.txt", "BSD License\n")
    write(folder / "share/man/man1/orchestrate.1", '.TH ORCHESTRATE 1 "orchestrate 1.2.3" "U"\n')
    (folder / "share/doc/orchestrate/runners").symlink_to("../../orchestrate/runners")
    return folder


class PackTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pack(self, name, umask=0o022):
        stage = make_stage(self.folder / name / "stage")
        dist = self.folder / name / "dist"
        subprocess.run(
            [sys.executable, PACK, stage, "x86_64", dist],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)},
            umask=umask,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return dist

    def test_two_folders_give_the_same_bytes(self):
        one, other = self.pack("one"), self.pack("other", umask=0o077)
        for name in (TARBALL, WHEEL):
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)

    def test_the_record_has_every_file_with_its_checksum(self):
        with zipfile.ZipFile(self.pack("one") / WHEEL) as wheel:
            lines = wheel.read("orchestrate_llm-1.2.3.dist-info/RECORD").decode().splitlines()
            rows = {name: (digest, size) for name, digest, size in csv.reader(lines)}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name, (digest, size) in rows.items():
                if not digest:
                    self.assertTrue(name.endswith("/RECORD"))
                    continue
                content = wheel.read(name)
                sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                self.assertEqual(digest, "sha256=" + sha256.decode().rstrip("="), name)
                self.assertEqual(int(size), len(content))

    def test_the_tarball_has_one_folder_with_modes_and_links_and_no_owner(self):
        with tarfile.open(self.pack("one") / TARBALL) as tar:
            entries = {entry.name: entry for entry in tar}
        top = "orchestrate-1.2.3-linux-x86_64"
        self.assertEqual({name.split("/")[0] for name in entries}, {top})
        self.assertEqual(entries[f"{top}/bin/orchestrate"].mode, 0o755)
        self.assertEqual(entries[f"{top}/share/doc/orchestrate/README.md"].mode, 0o644)
        self.assertTrue(entries[f"{top}/share/doc/orchestrate/runners"].issym())
        for entry in entries.values():
            self.assertEqual((entry.uid, entry.gid, entry.uname, entry.mtime), (0, 0, "", EPOCH))

    def test_pip_puts_the_program_and_its_files_under_one_prefix(self):
        dist, venv = self.pack("one"), self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        pip = [venv / "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
        subprocess.run([*pip, dist / WHEEL], check=True)
        out = subprocess.run([venv / "bin/orchestrate"], check=True, stdout=subprocess.PIPE)
        self.assertEqual(out.stdout.decode(), f"ran from {venv}/bin/orchestrate\n")
        self.assertTrue((venv / "share/orchestrate/runners/toy/runner.yaml").is_file())
        self.assertTrue(os.access(venv / "share/orchestrate/runners/toy/scripts/run.py", os.X_OK))
        info = venv / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
        texts = info / "orchestrate_llm-1.2.3.dist-info/licenses/zstd.txt"
        self.assertEqual(texts.read_text(), "BSD License\n")


if __name__ == "__main__":
    unittest.main()
