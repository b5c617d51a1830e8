"""Says whether every rule of runners/triton-trtllm decides every row of rules/*.yaml as the row
expects, in the words that it expects, and would not if the rule were another. rules_plan_test.py
asks orchestrate the same.

rules_test.py [--show]

--show prints what every row is told and the errors of the memory estimate, and checks nothing."""

import functools
import sys
import unittest

from rule_points import FACTS, FILES, MODELS, OWN_RULES, ROWS, RULES, Point, broken_by


@functools.lru_cache(maxsize=None)
def point_of(name, index):
    return Point(ROWS[name][index])


def rows():
    return [
        (RULES[name], index, row) for name, own in ROWS.items() for index, row in enumerate(own)
    ]


def published():
    for entry in FILES["memory.yaml"]["published"]:
        ours = Point(entry).evaluate(entry["of"])
        yield entry, ours, round(100 * (ours - entry["bytes"]) / entry["bytes"], 1)


class Rules(unittest.TestCase):
    def test_every_row_breaks_the_rules_that_it_names_and_no_other(self):
        for rule, index, row in rows():
            broken = broken_by(point_of(rule["name"], index))
            expected = {"reject": set(row.get("also", [])), "warn": set(row.get("warns", []))}
            if row["expect"] != "accept":
                expected[row["expect"]].add(rule["name"])
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(
                    {level: set(names) & set(OWN_RULES) for level, names in broken.items()},
                    expected,
                )
                self.assertEqual(bool(broken["reject"]), bool(expected["reject"]), broken)

    def test_a_broken_rule_says_what_its_row_expects(self):
        for rule, index, row in rows():
            if "says" not in row:
                continue
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(point_of(rule["name"], index).text(rule["because"]), row["says"])

    def test_every_rule_has_rows_on_both_sides_and_one_with_its_words(self):
        self.assertEqual(set(ROWS), set(OWN_RULES))
        for rule in OWN_RULES.values():
            expectations = [row["expect"] for row in ROWS[rule["name"]]]
            with self.subTest(rule=rule["name"]):
                self.assertGreaterEqual(len(expectations), 3)
                self.assertEqual(set(expectations), {"accept", rule.get("level", "reject")})
                self.assertTrue(any("says" in row for row in ROWS[rule["name"]]))

    def outcomes(self, rule, **changes):
        """Whether RULE with CHANGES decides its rows as they expect: those that break it, and those
        that do not."""
        changed = {key: value for key, value in {**rule, **changes}.items() if value is not None}
        right = {True: [], False: []}
        for index, row in enumerate(ROWS[rule["name"]]):
            breaks = row["expect"] != "accept"
            right[breaks].append(bool(point_of(rule["name"], index).breaks(changed)) == breaks)
        return right

    def test_a_rule_that_is_turned_round_or_always_holds_fails_every_row_that_breaks_it(self):
        for rule in OWN_RULES.values():
            for require in (f"NOT ({rule['require']})", "1"):
                with self.subTest(rule=rule["name"], require=require):
                    self.assertFalse(any(self.outcomes(rule, require=require)[True]))

    def test_a_rule_that_never_holds_or_has_lost_its_condition_fails_a_row_that_it_accepts(self):
        for rule in OWN_RULES.values():
            never = self.outcomes(rule, require="0")[False]
            always_asked = self.outcomes(rule, when=None)[False]
            with self.subTest(rule=rule["name"]):
                self.assertFalse(all(never) and all(always_asked))

    def test_a_rule_about_engines_is_not_asked_where_there_is_none(self):
        for rule, index, row in rows():
            if "llm_backend = 'tensorrt'" in rule.get("when", ""):
                point = Point(dict(row, point={**row.get("point", {}), "llm_backend": "pytorch"}))
                with self.subTest(rule=rule["name"], source=row["source"]):
                    self.assertFalse(point.breaks(rule))

    def test_every_model_says_what_is_nothing_when_nobody_says_it(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                self.assertEqual(
                    {fact for fact, declared in FACTS.items() if "absent" not in declared}
                    - set(model["facts"]),
                    set(),
                )

    def test_the_tables_of_the_releases_are_followed(self):
        for entry in FILES["precisions.yaml"]["support"]:
            for version in entry["versions"]:
                for precision in entry["has"] + entry.get("lacks", []):
                    row = {
                        "model": entry["model"],
                        "point": {"trtllm_version": version, "precision": precision},
                        "host": {"gpu_model": "NVIDIA H100"},
                    }
                    rejected = set(broken_by(Point(row))["reject"]) - {"gptq-checkpoint"}
                    with self.subTest(
                        model=entry["model"],
                        version=version,
                        precision=precision,
                        rejected=rejected,
                    ):
                        self.assertEqual(bool(rejected), precision not in entry["has"])

    def test_the_facts_of_a_model_give_its_number_of_parameters(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                self.assertEqual(count_parameters(model["facts"]), model["parameters"])

    def test_the_memory_estimate_is_as_good_as_it_says(self):
        for entry, ours, error in published():
            with self.subTest(source=entry["source"], of=entry["of"], ours=ours):
                self.assertEqual(error + 0.0, entry["error"])


def count_parameters(facts):
    def fact(name, otherwise=0):
        return facts.get("model_" + name, otherwise)

    kind, hidden, heads = fact("type"), fact("hidden"), fact("heads")
    if kind == "gpt2":
        return (
            fact("layers") * (12 * hidden**2 + 13 * hidden)
            + (fact("vocab") + fact("positions") + 2) * hidden
        )
    head_dim, kv_heads = fact("head_dim", hidden // heads), fact("kv_heads", heads)
    width = fact("intermediate") // (2 if kind == "qwen" else 1)
    query_key_value = (heads + 2 * kv_heads) * head_dim
    layer = hidden * query_key_value + heads * head_dim * hidden + 2 * hidden
    layer += query_key_value if kind.startswith("qwen") else 0
    if experts := fact("experts"):
        layer += experts * (3 * hidden * fact("expert_width", width) + hidden)
    else:
        layer += 3 * hidden * width
    if shared := fact("shared_width"):
        layer += 3 * hidden * shared + hidden
    return fact("layers") * layer + fact("vocab") * hidden * (1 if fact("tied") else 2) + hidden


def show():
    for rule, index, row in rows():
        point = point_of(rule["name"], index)
        broken = [other["name"] for other in OWN_RULES.values() if point.breaks(other)]
        print(f"{rule['name']}: {row['source']}: {row['expect']}: {', '.join(broken) or 'none'}")
        if rule["name"] in broken:
            print(f"    {point.text(rule['because'])}")
    for entry, ours, error in published():
        print(
            f"{error:+6.1f} % {entry['of']} {entry['model']} {entry.get('point', '')} ours"
            f" {ours:.0f}, {entry['source']}: {entry['bytes']}"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        show()
    else:
        unittest.main()
