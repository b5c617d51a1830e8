"""The locks of the runners: their form, equal versions of what is measured, and the table in
docs/getting-started.md. Knows no index; `make locks` writes the locks."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import make_locks  # noqa: E402

PACKAGE = r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"


class Locks(unittest.TestCase):
    def test_pin_every_package_with_hashes_and_name_no_index(self):
        locks = [*(ROOT / "runners").glob("**/*.lock"), *(ROOT / "tests").glob("**/*.lock")]
        for lock in sorted(locks):
            text = lock.read_text()
            with self.subTest(str(lock)):
                self.assertEqual(
                    len(re.findall(PACKAGE, text, re.M)), len(re.findall(r"^\w", text, re.M))
                )
                self.assertNotRegex(text, r"https?:|--(extra-)?index-url|--find-links")

    def test_have_the_versions_of_the_first_lock_of_all_that_is_measured(self):
        for first in make_locks.first_locks():
            own = make_locks.pinned(first.read_text())
            for lock in first.parent.glob(f"{first.stem}.cp*.lock"):
                versions = make_locks.pinned(lock.read_text())
                with self.subTest(make_locks.shown(lock)):
                    self.assertLessEqual(set(own), set(versions))
                    for name in make_locks.MEASURED & set(own):
                        self.assertEqual(versions[name], own[name])

    def test_are_those_of_the_table(self):
        page = (ROOT / "docs/getting-started.md").read_text()
        self.assertIn(make_locks.table(), page, "run `scripts/make_locks.py --table`")


if __name__ == "__main__":
    unittest.main()
