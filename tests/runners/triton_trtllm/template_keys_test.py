"""The parameters of runners/triton-trtllm/manifest/repository.yaml are the keys of the recorded
templates of each release, with the types that `orchestrate fill-template` checks. Reads files; runs
nothing."""

import json
import re
import unittest
from pathlib import Path

import yaml

import rule_points

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RUNNER = ROOT / "runners" / "triton-trtllm"
MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]
STAGES = {
    "engine_dir",
    "tokenizer_dir",
}  # outputs of stages, which have no parameter
# Parameters of the copy tensorrt_llm_draft, whose keys are those of tensorrt_llm.
OWN = {"trtllm_version", "own_models", "paths_of_models"}
OF_DRAFT = {"draft_model", "draft_kv_cache_free_gpu_mem_fraction", "draft_gpu_device_ids"}
TYPES = {
    "text": "text",
    "integer": "integer",
    "real": "real",
    "config_flag": "boolean",
    "flag": "boolean",
    "python_flag": "boolean",
    "word": "text",
    "integers": "text",
    "id_lists": "text",
    "tree": "text",
}


def version(text):
    return tuple(int(part) if part.isdigit() else 0 for part in text.split("."))


def records():
    """Release -> model -> key -> record, oldest first."""
    found = [json.loads(path.read_text()) for path in (HERE / "templates").glob("*.json")]
    return {
        record["version"]: {model: record["models"][model] for model in MODELS}
        for record in sorted(found, key=lambda one: version(one["version"]))
    }


def table():
    """Key -> {kind, least, choices} of the row for the first of its models; the rows of one key
    agree in them."""
    text = (ROOT / "src" / "spec" / "render" / "model_keys_table.cpp").read_text()
    text = re.sub(r'"\s*\n\s*"', "", text)  # joins wrapped literals
    rows = {}
    for key, rest in re.findall(
        r'\{\.key = "(\w+)",(.*?)\},\n(?=    \{|    //|\n|\};)', text, re.S
    ):
        kind = re.search(r"\.kind = (\w+)", rest)
        least = re.search(r"\.least = (\w+)", rest)
        choices = re.search(r'\.choices =\s*(?:"(.*?)"|k_types)', rest)
        words = "" if not choices else choices[1] or re.search(r"k_types =\s*\"(.*?)\";", text)[1]
        rows.setdefault(
            key,
            {
                "kind": kind[1] if kind else "text",
                "least": least[1] if least else "0",
                "choices": words.split(),
            },
        )
    return rows


def load(name):
    return yaml.load((RUNNER / name).read_text(), yaml.BaseLoader)


RECORDS = records()
RELEASES = list(RECORDS)
KEYS = sorted(set().union(*(keys for models in RECORDS.values() for keys in models.values())))
PARAMETERS = {
    **load("runner.yaml")["parameters"],
    **load("manifest/engine.yaml")["parameters"],
    **load("manifest/repository.yaml")["parameters"],
}
FRAGMENT = load("manifest/repository.yaml")["fragments"]["repository_values"]
SERVER = load("manifest/serve.yaml")["stages"]["serve"]
VALUES = next(
    item["values"] for item in FRAGMENT["argv"] if isinstance(item, dict) and "values" in item
)


def releases_of(key):
    return [
        release for release in RELEASES if any(key in keys for keys in RECORDS[release].values())
    ]


class Keys(unittest.TestCase):
    def test_the_parameters_are_exactly_the_keys_of_all_releases(self):
        self.assertEqual(sorted(VALUES), sorted(set(KEYS) - STAGES))
        self.assertEqual(sorted(set(FRAGMENT["reads"]) - OWN - OF_DRAFT), sorted(VALUES))
        self.assertEqual([name for name in VALUES if name not in PARAMETERS], [])

    def test_a_parameter_exists_at_the_releases_of_its_key(self):
        for key in VALUES:
            with self.subTest(key):
                having = releases_of(key)
                since = having[0] if having[0] != RELEASES[0] else None
                gone = [release for release in RELEASES if version(release) > version(having[-1])]
                self.assertEqual(
                    having,
                    [
                        one
                        for one in RELEASES
                        if version(having[0]) <= version(one) <= version(having[-1])
                    ],
                    "the key is missing at a release between others",
                )
                self.assertEqual(
                    PARAMETERS[key].get("since"), since and since.replace("1.x", "1.0.0")
                )
                self.assertEqual(PARAMETERS[key].get("until"), gone[0] if gone else None)

    def test_a_key_outside_quotes_always_has_a_value(self):
        bare = {
            key
            for models in RECORDS.values()
            for keys in models.values()
            for key, found in keys.items()
            if not found["quoted"]
        }
        self.assertIn("logits_datatype", bare)
        for key in sorted(bare):
            self.assertTrue(
                ("default" in PARAMETERS[key] or "sql" in PARAMETERS[key])
                and "optional" not in PARAMETERS[key],
                key,
            )

    def test_types_minima_and_choices_equal_those_of_fill_template(self):
        rows = table()
        self.assertGreater(len(rows), 70)
        for key in VALUES:
            with self.subTest(key):
                row, parameter = rows[key], PARAMETERS[key]
                is_path = parameter["type"] == "path"
                self.assertEqual("text" if is_path else parameter["type"], TYPES[row["kind"]])
                if parameter["type"] == "integer":
                    self.assertEqual(int(parameter["min"]), int(row["least"]))
                for value in parameter.get("values", []) if row["kind"] == "word" else []:
                    name, since = (
                        (value["value"], value["since"])
                        if isinstance(value, dict)
                        else (value, None)
                    )
                    choice = name + "/" + since.removesuffix(".0") if since else name
                    self.assertIn(choice, row["choices"])

    def test_paths_are_hashed_by_their_text_as_well_and_mounted_for_the_server(self):
        paths = {key for key in VALUES if PARAMETERS[key]["type"] == "path"}
        self.assertEqual(len(paths), 6)
        named = set(re.findall(r"coalesce\((\w+),", PARAMETERS["paths_of_models"]["sql"]))
        self.assertEqual(paths, named)
        self.assertLessEqual(paths, set(SERVER["reads"]))

    def test_keys_that_affect_measurements_have_defaults(self):
        for key in (
            "triton_backend",
            "batching_strategy",
            "exclude_input_in_output",
            "enable_kv_cache_reuse",
            "max_beam_width",
            "decoupled_mode",
            "kv_cache_free_gpu_mem_fraction",
            "enable_chunked_context",
            "batch_scheduler_policy",
        ):
            self.assertTrue({"default", "sql"} & set(PARAMETERS[key]), key)
        self.assertEqual(
            (
                PARAMETERS["exclude_input_in_output"]["default"],
                PARAMETERS["enable_kv_cache_reuse"]["default"],
            ),
            ("true", "false"),
        )


class Shares(unittest.TestCase):
    def test_a_fraction_outside_0_to_1_is_rejected(self):
        rule = rule_points.RULES["other-shares"]
        for key in ("lora_cache_gpu_memory_fraction", "cross_kv_cache_fraction"):
            for share, refused in ((-1, True), (2, True), (0, False), (1, False)):
                with self.subTest(key=key, share=share):
                    self.assertEqual(
                        bool(
                            rule_points.Point(
                                {"model": "Llama-2-7b", "point": {key: share}}
                            ).breaks(rule)
                        ),
                        refused,
                    )


class DecodingMode(unittest.TestCase):
    def test_the_default_decoding_mode_follows_from_the_engine(self):
        modes = {
            "medusa": "medusa",
            "explicit_draft_tokens": "redrafter",
            "lookahead_decoding": "lookahead",
            "eagle": "eagle",
            "draft_tokens_external": None,
            None: None,
        }
        for engine, mode in modes.items():
            point = {} if engine is None else {"speculative_decoding_mode": engine}
            for release, expected in (
                ("0.14.0", mode if engine == "medusa" else None),
                ("0.17.0", mode),
            ):
                with self.subTest(engine=engine, release=release):
                    self.assertEqual(
                        rule_points.Point(
                            {"model": "Llama-2-7b", "point": {"trtllm_version": release, **point}}
                        ).evaluate("decoding_mode"),
                        expected,
                    )


if __name__ == "__main__":
    unittest.main()
