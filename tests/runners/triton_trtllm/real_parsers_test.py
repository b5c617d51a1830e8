"""check_command.py agrees with upstream's own parsers. ORCH_TRTLLM_UPSTREAM names git directories
or work trees of upstream, separated by colons; without it the tests are skipped. ORCH_TRTLLM_LINES
is the number of random lines for each parser."""

import json
import os
import random
import tempfile
import unittest

import check_command
import options
import upstream

HERE = os.path.dirname(os.path.abspath(__file__))
UPSTREAM = [each for each in os.environ.get("ORCH_TRTLLM_UPSTREAM", "").split(":") if each]
LINES = int(os.environ.get("ORCH_TRTLLM_LINES", "40"))


def random_line(chance, level):
    """A random command line of a level's options, sometimes with a mistake."""
    words = []
    for option in level["options"]:
        if not option.get("required") and chance.random() > 0.15 or chance.random() < 0.02:
            continue
        spelling = chance.choice([*option["spellings"], *option.get("negative", [])])
        if chance.random() < 0.05 and spelling.startswith("--"):
            spelling = spelling[: -chance.randint(1, 4)]
        values = (
            []
            if option["type"] == "flag"
            else [sample(chance, option) for _ in range(count_of(chance, option))]
        )
        if len(values) == 1 and chance.random() < 0.2 and spelling.startswith("--"):
            words.append(f"{spelling}={values[0]}")
        else:
            words += [spelling, *values]
    return words + [
        f"place{number}" for number in range(len(level["positionals"]) + (chance.random() < 0.03))
    ]


def random_line_for(chance, level):
    argv = random_line(chance, level)
    if "commands" not in level:
        return argv
    name = chance.choice(list(level["commands"]))
    below = level["commands"][name]
    return [*argv, name, *(random_line_for(chance, below) if "unread" not in below else [])]


def count_of(chance, option):
    nargs = option.get("nargs")
    usual = (
        nargs
        if isinstance(nargs, int)
        else chance.randint(0, 1)
        if nargs == "?"
        else chance.randint(1, 2)
        if nargs
        else 1
    )
    return usual if chance.random() > 0.05 else chance.randint(0, 2)


def sample(chance, option):
    choices = check_command.plain_choices(option)
    if choices and chance.random() > 0.05:
        return str(chance.choice(choices))
    usual = {"int": ["4", "-1", "0"], "float": ["0.5", "1", "-2.5"]}.get(
        option["type"], ["text", "a/path", "x=y"]
    )
    return chance.choice(usual if chance.random() > 0.05 else ["nonsense", "1.5", "", "a b"])


@unittest.skipUnless(UPSTREAM, "ORCH_TRTLLM_UPSTREAM names no checkout of upstream")
class RealParsers(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.real = check_command.RealParsers(UPSTREAM, self.scratch.name)
        self.addCleanup(self.real.close)

    def compare(self, version, tool, argv):
        answer = self.real.ask(version, tool, argv)
        if answer is None:
            return 0
        problems = check_command.check(version, tool, argv)
        self.assertIsNone(check_command.disagreement(version, tool, problems, answer), argv)
        return 1

    def test_they_agree_on_the_commands_of_the_documents(self):
        with open(os.path.join(HERE, "documents.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertGreater(
            sum(
                self.compare(version, row["tool"], row["argv"])
                for row in rows
                for version in [*row["right"], *row["wrong"]]
            ),
            0,
        )

    def test_they_agree_on_random_command_lines(self):
        chance, compared = random.Random(6), 0
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                record = options.load(version, tool)
                for _ in range(LINES):
                    compared += self.compare(version, tool, random_line_for(chance, record))
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
