"""The rows of runners/equivalent-files.txt are those of the present files."""
import hashlib
import re
import unittest
from pathlib import Path

RUNNERS = Path(__file__).resolve().parents[2] / "runners"
ROW = re.compile(r"(\S+) ([0-9a-f]{64}) ([0-9a-f]{64}|-) (\S.*)")


class EquivalentFiles(unittest.TestCase):
    def rows(self):
        for line in (RUNNERS / "equivalent-files.txt").read_text().splitlines():
            if not line.startswith("#"):
                row = ROW.fullmatch(line)
                self.assertTrue(row, f"not PATH CONTENT IN-DIGESTS WHY: {line}")
                yield row.groups()

    def test_each_row_is_of_the_present_content(self):
        for path, content, in_digests, _ in self.rows():
            with self.subTest(path):
                file = RUNNERS / path
                self.assertTrue(file.is_file() and not file.is_symlink(), "name the real file")
                found = hashlib.sha256(file.read_bytes()).hexdigest()
                self.assertEqual(found, content, "a stale row: update it, or remove it")
                self.assertNotEqual(content, in_digests)

    def test_a_file_has_one_row_and_a_content_one_meaning(self):
        rows = list(self.rows())
        self.assertEqual([row[0] for row in rows], sorted({row[0] for row in rows}))
        self.assertEqual(len({row[1] for row in rows}), len(rows))


if __name__ == "__main__":
    unittest.main()
