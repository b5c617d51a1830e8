"""The recorded data: it is complete and in order, the tables made from it are up to date, and
templates are read correctly."""

import json
import os
import unittest

import drift
import options
import record_templates
import upstream

HERE = os.path.dirname(os.path.abspath(__file__))


class Records(unittest.TestCase):
    def test_a_version_without_a_record_uses_the_closest_one(self):
        self.assertEqual(options.closest_record("0.14.0", "build"), "0.14.0")
        self.assertEqual(options.closest_record("0.15.0", "build"), "0.15.0.dev2024111200")
        self.assertEqual(options.closest_record("0.19.0", "build"), "0.17.0.dev2024121700")
        self.assertEqual(options.closest_record("1.0.0", "build"), "1.1.0rc6")
        self.assertEqual(options.closest_record("1.0.0", "quantize"), "1.x")
        self.assertEqual(options.closest_record("1.2.1", "convert-qwen"), "1.x")

    def test_a_version_older_than_every_record_is_refused(self):
        with self.assertRaises(LookupError) as refused:
            options.closest_record("0.8.0", "serve")
        self.assertEqual(
            str(refused.exception),
            (
                "nothing is known of serve at 0.8.0; it was recorded at 0.15.0.dev2024111200, "
                "0.16.0.dev2024121000, 0.17.0.dev2024121700, 1.3.0rc3"
            ),
        )

    def test_versions_are_in_the_order_of_their_releases(self):
        known = options.versions("build")
        self.assertLess(known.index("0.9.0"), known.index("0.10.0"))
        self.assertLess(known.index("0.12.0.dev2024080600"), known.index("0.12.0"))
        self.assertLess(known.index("0.12.0"), known.index("0.13.0.dev2024081300"))

    def test_every_record_names_its_version_tool_and_source(self):
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                record = options.load(version, tool)
                self.assertEqual((record["version"], record["tool"]), (version, tool))
                self.assertRegex(record["source"]["commit"], "^[0-9a-f]{40}$")
                self.assertIn(record["evidence"], ("verified", "neighbour"))

    def test_no_record_contains_help_texts_of_upstream(self):
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                self.assertNotIn('"help"', json.dumps(options.load(version, tool)))


class Drift(unittest.TestCase):
    def test_drift_json_is_up_to_date(self):
        with open(drift.FILE, encoding="utf-8") as file:
            self.assertEqual(file.read(), drift.formatted(drift.drift()))

    def rows(self, name, tool):
        rows = [row for row in drift.drift()[name] if row["tool"] == tool]
        return [(row["since"], row["until"], row["gone"], row["evidence"]) for row in rows]

    def test_an_option_has_its_first_and_last_release_with_evidence(self):
        self.assertEqual(
            self.rows("--max_output_len", "build"), [(None, "0.11.0", "0.12.0", "verified")]
        )
        self.assertEqual(
            self.rows("--kv_cache_type", "build"), [("0.13.0", None, None, "verified")]
        )
        self.assertEqual(
            self.rows("--monitor_memory", "build"), [("0.15.0", None, None, "neighbour")]
        )
        self.assertEqual(
            self.rows("--auto_parallel", "build"), [(None, "1.1.0", "1.3.0", "inferred")]
        )
        self.assertEqual(
            self.rows("--device", "quantize"),
            [(None, "0.9.0", "0.10.0", "verified"), ("0.11.0", None, None, "verified")],
        )

    def test_a_changed_default_has_its_release(self):
        row = next(row for row in drift.drift()["--max_batch_size"] if row["tool"] == "build")
        self.assertEqual(
            [(change["at"], change["from"], change["to"]) for change in row["changes"]],
            [("0.11.0", 1, 256), ("0.14.0", 256, 2048)],
        )


class Templates(unittest.TestCase):
    def at(self, version):
        with open(os.path.join(HERE, "templates", version + ".json"), encoding="utf-8") as file:
            return json.load(file)["models"]

    def test_a_placeholder_has_its_parameter_and_whether_it_is_quoted(self):
        model = self.at("0.14.0")["tensorrt_llm"]
        self.assertEqual(
            (model["batching_strategy"]["fills"], model["batching_strategy"]["quoted"]),
            (["gpt_model_type"], True),
        )
        self.assertEqual(model["engine_dir"]["fills"], ["gpt_model_path"])
        self.assertEqual(
            model["triton_max_batch_size"]["fills"], ["max_batch_size", "preferred_batch_size"]
        )
        self.assertEqual(
            {name for name, row in model.items() if not row["quoted"]},
            {
                "triton_max_batch_size",
                "decoupled_mode",
                "max_queue_delay_microseconds",
                "max_queue_size",
            },
        )

    def test_a_placeholder_in_a_comment_is_marked(self):
        self.assertNotIn("comment", self.at("0.9.0")["tensorrt_llm"]["enable_trt_overlap"])
        self.assertTrue(self.at("0.10.0")["tensorrt_llm"]["enable_trt_overlap"]["comment"])

    def test_every_placeholder_fills_a_parameter_or_field(self):
        for name in os.listdir(os.path.join(HERE, "templates")):
            for model, rows in self.at(name.removesuffix(".json")).items():
                for placeholder, row in rows.items():
                    self.assertTrue(all(row["fills"]), f"{name} {model} {placeholder}")

    def test_a_template_is_read_line_by_line(self):
        text = (
            'parameters: {\n  key: "a"\n  value: {\n    string_value: "${b}"\n  }\n}\ncount: ${c}\n'
        )
        self.assertEqual(
            record_templates.placeholders(text),
            {
                "b": {"quoted": True, "lines": [4], "fills": ["a"]},
                "c": {"quoted": False, "lines": [7], "fills": ["count"]},
            },
        )


class Layout(unittest.TestCase):
    def test_every_release_whose_options_are_recorded_has_its_paths(self):
        with open(os.path.join(HERE, "layout.json"), encoding="utf-8") as file:
            versions = json.load(file)["versions"]
        for tool in upstream.SCRIPTS:
            for version in filter(options.is_release, options.versions(tool)):
                path = options.load(version, tool)["source"]["path"]
                if tool.startswith("convert-"):
                    self.assertEqual(
                        versions[version]["paths"]["convert"][tool.removeprefix("convert-")],
                        "tensorrt_llm/" + path,
                    )
                if tool == "launch":
                    self.assertEqual(
                        versions[version]["paths"]["scripts"] + "/launch_triton_server.py", path
                    )
                    self.assertEqual(
                        versions[version]["backend"]["commit"],
                        options.load(version, tool)["source"]["commit"],
                    )
                if tool == "build":
                    self.assertEqual(
                        versions[version]["backend"]["submodule"],
                        options.load(version, tool)["source"]["commit"],
                    )


if __name__ == "__main__":
    unittest.main()
