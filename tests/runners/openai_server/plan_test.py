"""What is refused of the command that starts a server of the runner openai-server. ORCH_BINARY
names orchestrate."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import plans  # noqa: E402

MATRIX = {
    "runner": "openai-server",
    "models": {"m": {"source": "hf:some/m", "revision": "0" * 40}},
}


class PlanTest(unittest.TestCase):
    def test_the_words_of_a_command_are_a_list_with_the_port(self):
        cases = [
            (["/opt/serve", "--port={port}"], ""),
            (["/opt/my server", "{port}"], ""),
            ("/opt/serve --port {port}", "words-of-start: "),
            (["/opt/serve", "--port", "8000"], "port-of-start: "),
        ]
        points = plans.planned(MATRIX, [{"start": start} for start, _ in cases])
        for point, (start, rule) in zip(points, cases):
            with self.subTest(start=start):
                self.assertEqual(point["status"], "reject" if rule else "run")
                self.assertTrue((point["reason"] or "").startswith(rule), point["reason"])

    def test_a_server_that_runs_already_has_no_command(self):
        service = {"url": "http://127.0.0.1:1", "machine": "m"}
        [point] = plans.planned({**MATRIX, "service": service}, [{}])
        self.assertEqual(point["status"], "run")

    def test_texts_of_a_dataset_need_no_model(self):
        matrix = {
            "runner": "openai-server",
            "defaults": {"isl": 100, "osl": 50},
            "datasets": {"d": {"source": "local:d.jsonl"}},
            "measure": {"prompts": "d", "reuse_prompts": True},
        }
        rows = ("d.jsonl", '{"prompt": "one"}\n' * 200)
        start = ["/opt/serve", "{port}"]
        named = {"start": start, "bench_model": "m"}
        cases = [
            (named, ""),
            ({**named, "start": [*start, "{model}"]}, "folder-of-model: "),
            ({**named, "tool": "genai-perf"}, "tokenizer-of-tool: "),
            ({"start": start}, "name-of-model: "),
        ]
        points = plans.planned(matrix, [case for case, _ in cases], files=[rows])
        self.assertEqual(sorted(points[0]["stages"]), ["bench", "serve", "text_prompts"])
        for point, (case, rule) in zip(points, cases):
            with self.subTest(case=case):
                self.assertEqual(point["status"], "reject" if rule else "run")
                self.assertIn(rule, point["reason"] or "")


if __name__ == "__main__":
    unittest.main()
