"""The scorers of runners/common/scorers on fixed answers. Expected values are computed by hand from
the published definitions: SQuAD's normalisation, exact match and F1 (Rajpurkar et al., 2016), and
ROUGE-L (Lin, 2004).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCORERS = pathlib.Path(__file__).resolve().parents[3] / "runners/common/scorers"
ENVIRONMENT = SCORERS.parent / "scripts/locked_environment.py"


def score(argv, pairs):
    """The scores of (answer, references)."""
    rows = [
        {"id": number, "prompt": "p", "answer": answer, "references": references}
        for number, (answer, references) in enumerate(pairs)
    ]
    done = subprocess.run(
        [*map(str, argv)],
        input="".join(json.dumps(row) + "\n" for row in rows),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    scores = {row["id"]: row["score"] for row in map(json.loads, done.stdout.splitlines())}
    return [scores[number] for number in range(len(pairs))]


class TextScores(unittest.TestCase):
    def check(self, scorer, cases, *options):
        argv = [sys.executable, "-B", SCORERS / "text_scores.py", scorer, *options]
        got = score(argv, [(answer, references) for answer, references, _ in cases])
        for (answer, references, wanted), one in zip(cases, got):
            message = f"{scorer}: {answer!r} against {references!r}"
            if wanted is None:
                self.assertIsNone(one, message)
            else:
                self.assertAlmostEqual(one, wanted, places=12, msg=message)

    def test_exact_match_ignores_white_space_at_both_ends_alone(self):
        self.check(
            "exact",
            [
                (" Paris\n", ["Paris"], 1),
                ("paris", ["Paris"], 0),
                ("Paris.", ["Paris"], 0),
                ("b", ["a", "b"], 1),
                ("", [""], 1),
                ("a  b", ["a b"], 0),
            ],
        )

    def test_normalised_match_is_that_of_squad(self):
        self.check(
            "normalized",
            [
                ("The Eiffel Tower!", ["eiffel tower"], 1),
                ("an  apple,\ta pear", ["Apple pear"], 1),
                ("theatre", ["atre"], 0),  # an article is a word
                ("U.S.A.", ["usa"], 1),
                ("\u00c9COLE", ["\u00e9cole"], 1),
                ("twenty-one", ["twentyone"], 1),
                ("the", [""], 1),
                ("cat", ["dog", "a cat"], 1),
            ],
        )

    def test_f1_is_that_of_squad(self):
        self.check(
            "f1",
            [
                # 2 common words, 3 in the answer, 2 in the reference: P 2/3, R 1, F 4/5.
                ("the big Eiffel tower", ["Eiffel Tower"], 0.8),
                # A word counts as often as it occurs on both sides: 1 of 3, 1 of 1.
                ("cat cat cat", ["cat"], 0.5),
                ("cat", ["dog"], 0),
                ("", ["dog"], 0),
                ("the", ["a"], 1),  # no word on either side
                ("x y", ["x", "x y z"], 0.8),  # the best: 2 of 2, 2 of 3
            ],
        )

    def test_numbers_are_the_last_of_each_text(self):
        self.check(
            "numeric",
            [
                ("first 3, so the answer is 1,234.50.", ["#### 1234.5"], 1),
                ("it is -7", ["-7"], 1),
                ("10-7", ["7"], 1),  # a minus between numbers is no sign
                ("3e2", ["300"], 1),
                ("none", ["5"], 0),
                ("7 or 8", ["7"], 0),
                ("5", ["five"], None),
                ("5", ["five", "5"], 1),
                ("x1", ["1"], 0),  # part of a word
                (".5", ["0.5"], 1),
                ("1" * 5000, ["1"], 0),
            ],
        )
        self.check("numeric", [("10.4", ["10"], 1), ("10.6", ["10"], 0)], "--tolerance", "0.05")

    def test_a_long_hostile_answer_takes_no_longer_than_its_length(self):
        text = "1,1," * 500_000 + "\x1b[2J\u202e\0"
        for scorer in ("exact", "normalized", "f1", "numeric"):
            self.check(scorer, [(text, [text], 1)])


class RougeL(unittest.TestCase):
    def test_rouge_l_is_the_f_measure_of_the_longest_common_subsequence(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(
                ["/usr/bin/python3", ENVIRONMENT, SCORERS / "rouge.lock", f"{folder}/venv"]
                + ["rouge_score.rouge_scorer"],
                capture_output=True,
                text=True,
            )
            if made.returncode and "pip could not install" in made.stderr:
                self.skipTest(made.stderr.strip().splitlines()[-1])
            self.assertEqual(made.returncode, 0, made.stderr)
            argv = [f"{folder}/venv/bin/python3", "-B", SCORERS / "rouge_l.py"]
            got = score(
                argv,
                [
                    # Lin's example: "police killed the gunman" beside "police kill the gunman" has
                    # the subsequence police, the, gunman: P 3/4, R 3/4.
                    ("police kill the gunman", ["police killed the gunman"]),
                    # and "the gunman kill police": the, gunman: P 2/4, R 2/4.
                    ("the gunman kill police", ["police killed the gunman"]),
                    # P 3/3, R 3/6: F 2/3.
                    ("The cat, sat", ["the cat sat on the mat"]),
                    ("x", ["y", "x"]),
                    ("", ["a"]),
                ],
            )
        for one, wanted in zip(got, [0.75, 0.5, 2 / 3, 1, 0]):
            self.assertAlmostEqual(one, wanted, places=12)


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main()
