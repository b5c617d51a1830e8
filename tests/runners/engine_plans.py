"""Plans points of a runner whose engine needs a GPU, on a stated machine and model, and reads their
command lines. It knows no engine. ORCH_BINARY names orchestrate."""

import os
import re

import option_table
import plans
import yaml

ROOT, ORCHESTRATE = plans.ROOT, plans.ORCHESTRATE
RUNNERS = os.environ.get("ORCH_RUNNERS", str(ROOT / "runners"))
SEVEN_B = {"type": "qwen2", "heads": 28, "kv_heads": 4, "layers": 28, "hidden": 3584,
           "intermediate": 18944, "vocab": 152064, "positions": 32768}  # fmt: skip
OTHERS = {"m": {}, "awq": {"quant_method": "awq"}, "moe": {"experts": 8}, "small": {"layers": 4},
          "mapped": {"quant_method": "compressed-tensors"}, "heads": {"heads": 32},
          "wide": {"layers": 112}, "eight": {"quant_method": "fp8"}}  # fmt: skip
MODELS = {
    name: {
        "source": f"hf:acme/{name}",
        "revision": "a" * 40,
        "facts": {**SEVEN_B, "quant_method": "none", **facts},
    }
    for name, facts in OTHERS.items()
}


# Runners that declare a few of them only.
FACTS = {"lmdeploy": ("type", "heads", "quant_method")}


def models(runner):
    names = FACTS.get(runner)
    return {
        name: {
            **model,
            "facts": {k: v for k, v in model["facts"].items() if not names or k in names},
        }
        for name, model in MODELS.items()
    }


def matrix(runner):
    return {
        "runner": runner,
        "models": models(runner),
        "machine": {"gpus": 8, "gpu_model": "H100", "gpu_memory_gib": 80, "mig": False},
    }


def orchestrate(command, runner, cases, *words):
    whole = plans.with_cases(matrix(runner), cases)
    return plans.orchestrate(command, whole, "--runners", RUNNERS, *words)


def planned(runner, cases):
    return plans.planned(matrix(runner), cases, "--runners", RUNNERS)


def plain(words):
    """WORDS without digests and folders."""
    text = "\n".join(words).replace(RUNNERS, "RUNNERS").replace(ORCHESTRATE, "ORCHESTRATE")
    return re.sub("-[0-9a-f]{12}}", "}", text).split("\n")


def golden(points, kinds):
    """The command lines of these kinds of stages, point by point: {name: point} as text."""
    text = ""
    for name, point in points.items():
        for kind in kinds:
            if kind in point["stages"]:
                words = plain(point["stages"][kind]["argv"])
                text += f"== {name}: {kind}\n" + "\n".join(words) + "\n"
    return text


def filled(words, values):
    """WORDS with the value of each symbol ({port:http}, {bind}, {stage:download}, ...) and the path
    of each shared file."""

    def value(found):
        name = re.sub("-[0-9a-f]{12}$", "", found.group(1))
        if name.startswith("file:common/"):
            return f"{RUNNERS}/{name[5:]}"
        return str(values[name]) if name in values else found.group(0)

    return [re.sub(r"\{([\w:./-]+)\}", value, word) for word in words]


def rules(runner):
    """Names of the runner's own rules that reject."""
    folder = ROOT / "runners" / runner
    return {
        rule["name"]
        for file in [folder / "runner.yaml", *folder.glob("manifest/*.yaml")]
        for rule in yaml.safe_load(file.read_text(encoding="utf-8")).get("rules", [])
        if rule.get("level", "reject") == "reject"
    }


class PlanTests:
    """What every such runner is tested for. A TestCase that has these members inherits it."""

    maxDiff = None
    runner = ""
    kinds = ()  # of stages whose command lines are recorded
    commands = None  # the file that has them; ORCH_UPDATE_GOLDEN=1 writes it
    cases = {}  # name -> parameters of a point
    further_cases = {}  # recorded, too, and of no other release
    rejects = []  # (parameters, a part of the reason)
    other_rejects = set()  # rules without a row in `rejects`
    table = None  # options by release, as server_words() has them
    of_a_release = {}  # name of a case -> the first release that can have it
    fewest_checked = 0  # command lines of servers: more are checked

    @staticmethod
    def server_words(point):
        """The words of the server's own command line."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cases = {**cls.cases, **cls.further_cases}
        cls.points = dict(zip(cases, planned(cls.runner, list(cases.values()))))

    def test_command_lines_are_those_recorded(self):
        for name, point in self.points.items():
            self.assertEqual(point["status"], "run", f"{name}: {point['reason']}")
        text = golden(self.points, self.kinds)
        if os.environ.get("ORCH_UPDATE_GOLDEN"):
            self.commands.write_text(text, encoding="utf-8")
        self.assertEqual(self.commands.read_text(encoding="utf-8"), text)

    def test_every_word_is_an_option_of_its_release(self):
        checked = 0
        for release in self.table.releases:
            names = [name for name in self.cases if self.has(release, name)]
            cases = [{**self.cases[name], f"{self.runner}_version": release} for name in names]
            for name, point in zip(names, planned(self.runner, cases)):
                with self.subTest(release=release, case=name):
                    self.assertEqual(point["status"], "run", point["reason"])
                    words = self.server_words(point)
                    found, problems = option_table.read(words, self.table.at(release))
                    self.assertEqual(problems, [])
                    self.assertNotIn("", found)
                    checked += 1
        self.assertGreater(checked, self.fewest_checked)

    def has(self, release, name):
        first = self.of_a_release.get(name, self.table.releases[0])
        return self.table.place(first) <= self.table.place(release)

    def test_what_the_server_cannot_do_is_a_reject_in_words(self):
        points = planned(self.runner, [case for case, _ in self.rejects])
        for point, (case, because) in zip(points, self.rejects):
            with self.subTest(**case):
                self.assertEqual(point["status"], "reject", point)
                self.assertIn(because, point["reason"])
        named = {point["reason"].split(":")[0] for point in points}
        self.assertLessEqual(rules(self.runner) - self.other_rejects, named)
