"""Every rule of runners/triton-trtllm decides every row of rules/*.yaml as the row expects, with
the expected message, and a changed rule does not. rules_plan_test.py checks the same rows with
orchestrate.

rules_test.py [--show]

--show prints the message for every row and the errors of the memory estimate, and checks
nothing."""

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
        estimate = Point(entry).evaluate(entry["of"])
        yield entry, estimate, round(100 * (estimate - entry["bytes"]) / entry["bytes"], 1)


class Rules(unittest.TestCase):
    def test_every_row_breaks_exactly_the_rules_that_it_names(self):
        for rule, index, row in rows():
            broken = broken_by(point_of(rule["name"], index))
            expected = {
                "reject": set(row.get("also", [])),
                "warn": set(row.get("warns", [])),
                "note": set(),
            }
            if row["expect"] != "accept":
                expected[row["expect"]].add(rule["name"])
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(
                    {level: set(names) & set(OWN_RULES) for level, names in broken.items()},
                    expected,
                )
                self.assertEqual(bool(broken["reject"]), bool(expected["reject"]), broken)

    def test_a_broken_rule_has_the_message_that_its_row_expects(self):
        for rule, index, row in rows():
            if "says" not in row:
                continue
            with self.subTest(rule=rule["name"], source=row["source"]):
                self.assertEqual(point_of(rule["name"], index).text(rule["because"]), row["says"])

    def test_every_rule_has_rows_that_break_it_and_keep_it_and_one_message(self):
        self.assertEqual(set(ROWS), set(OWN_RULES))
        for rule in OWN_RULES.values():
            expectations = [row["expect"] for row in ROWS[rule["name"]]]
            with self.subTest(rule=rule["name"]):
                self.assertGreaterEqual(len(expectations), 3)
                self.assertEqual(set(expectations), {"accept", rule.get("level", "reject")})
                self.assertTrue(any("says" in row for row in ROWS[rule["name"]]))

    def outcomes(self, rule, **changes):
        """Whether RULE with CHANGES decides each row as expected: {True: rows that break it, False:
        rows that keep it}."""
        changed = {key: value for key, value in {**rule, **changes}.items() if value is not None}
        right = {True: [], False: []}
        for index, row in enumerate(ROWS[rule["name"]]):
            breaks = row["expect"] != "accept"
            right[breaks].append(bool(point_of(rule["name"], index).breaks(changed)) == breaks)
        return right

    def test_a_negated_or_always_true_rule_fails_every_row_that_breaks_the_rule(self):
        for rule in OWN_RULES.values():
            for require in (f"NOT ({rule['require']})", "1"):
                with self.subTest(rule=rule["name"], require=require):
                    self.assertFalse(any(self.outcomes(rule, require=require)[True]))

    def test_an_always_false_rule_or_one_without_its_condition_fails_an_accepted_row(self):
        for rule in OWN_RULES.values():
            never = self.outcomes(rule, require="0")[False]
            without_condition = self.outcomes(rule, when=None)[False]
            with self.subTest(rule=rule["name"]):
                self.assertFalse(all(never) and all(without_condition))

    def test_a_rule_about_engines_does_not_apply_without_an_engine(self):
        for rule, index, row in rows():
            if "llm_backend = 'tensorrt'" in rule.get("when", ""):
                point = Point(dict(row, point={**row.get("point", {}), "llm_backend": "pytorch"}))
                with self.subTest(rule=rule["name"], source=row["source"]):
                    self.assertFalse(point.breaks(rule))

    def test_every_model_states_the_facts_that_have_no_absent_value(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                self.assertEqual(
                    {fact for fact, declared in FACTS.items() if "absent" not in declared}
                    - set(model["facts"]),
                    set(),
                )

    def test_the_rules_agree_with_the_support_tables_of_the_releases(self):
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

    def test_the_number_of_parameters_follows_from_the_facts_of_a_model(self):
        for name, model in MODELS.items():
            with self.subTest(model=name):
                self.assertEqual(count_parameters(model["facts"]), model["parameters"])

    def test_the_memory_estimate_has_its_stated_errors(self):
        for entry, estimate, error in published():
            with self.subTest(source=entry["source"], of=entry["of"], estimate=estimate):
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
    for entry, estimate, error in published():
        print(
            f"{error:+6.1f} % {entry['of']} {entry['model']} {entry.get('point', '')} estimate"
            f" {estimate:.0f}, {entry['source']}: {entry['bytes']}"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        show()
    else:
        unittest.main()
