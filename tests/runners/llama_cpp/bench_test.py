"""`orchestrate bench` against the real server of llama.cpp, by each protocol and form of prompts
that the runner uses. run.py runs it; ORCH_BINARY names the program."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from live_server import HOME, MODEL, LiveServer

BINARY = os.environ.get("ORCH_BINARY")
NOT_VALID = 4  # exit status for a record that is marked invalid
ISL, OSL, REQUESTS = 32, 40, 12
ROUTES = {
    "ids": ["--protocol", "openai-completions", "--ids"],
    "texts": ["--protocol", "openai-completions"],
    "chat": ["--protocol", "openai-chat"],
}


class Run:
    def __init__(self, folder, words):
        argv = [BINARY, "bench", "--out", folder, *words]
        done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, NOT_VALID):
            raise AssertionError(f"bench ended with {done.returncode}: {done.stderr}")
        folder = Path(folder)
        self.measurement = json.loads((folder / "measurement.json").read_text())["measurements"][0]
        records = map(json.loads, (folder / "requests.jsonl").read_text().splitlines())
        self.records = [record for record in records if not record["warmup"]]

    def each(self, name):
        return {record.get(name) for record in self.records}

    @property
    def warnings(self):
        return "\n".join(self.measurement["warnings"])


@unittest.skipUnless(HOME and MODEL, "run.py names the environment and the model")
@unittest.skipUnless(BINARY, "ORCH_BINARY does not name the program")
class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = LiveServer(4, 2048)
        cls.addClassCleanup(cls.server.close)

    def bench(self, route, *words, isl=ISL, osl=OSL, requests=REQUESTS, concurrency=4):
        url = f"http://127.0.0.1:{self.server.port}"
        return Run(
            tempfile.mkdtemp(dir=self.folder.name),
            [
                *["--url", url, "--metrics-url", url + "/metrics", "--model", "tiny"],
                *[*ROUTES[route], "--isl", isl, "--osl", osl, "--requests", requests],
                *["--concurrency", concurrency, "--seed", 7, "--input", "cache_prompt=false"],
                *["--tokenizer", Path(MODEL) / "checkpoint", "--python", sys.executable],
                *["--prompt-cache", Path(self.folder.name) / "prompts"],
                # Other work on the machine must not fail this test.
                *["--wake-lag-ms-limit", 1000, "--client-cpu-limit", 1000, *words],
            ],
        )

    def test_both_sides_count_the_same_tokens_with_and_without_a_stream(self):
        for route in ROUTES:
            for streams in ("--stream", "--no-stream"):
                with self.subTest(route, streams=streams):
                    run = self.bench(route, streams, "--input", "top_k=1")
                    self.assertEqual(run.each("error"), {None})
                    self.assertEqual(run.each("osl_counted"), {OSL})
                    self.assertEqual(run.each("osl_reported"), {OSL})
                    self.assertEqual(len(run.records), REQUESTS)
                    if route != "chat":  # whose template adds tokens
                        self.assertEqual(run.each("isl_reported"), {ISL})

    def test_the_servers_counters_of_the_window_are_those_of_its_requests(self):
        run = self.bench("ids", "--warmup", 4)
        before, after = run.measurement["server_before"], run.measurement["server_after"]
        for name, expected in (
            ("tokens_predicted_total", REQUESTS * OSL),
            ("prompt_tokens_total", REQUESTS * ISL),
            ("prompt_tokens_cached_total", 0),
        ):
            self.assertEqual(after["llamacpp:" + name] - before["llamacpp:" + name], expected)

    def test_more_open_requests_than_slots_are_all_answered(self):
        run = self.bench("ids", concurrency=16, requests=32)
        self.assertEqual(run.each("error"), {None})
        self.assertEqual(run.each("osl_counted"), {OSL})

    def test_a_stopped_stream_frees_its_slot(self):
        before = self.server.metric("tokens_predicted_total")
        run = self.bench("ids", "--stop-after-ms", 200, osl=2000, requests=4)
        self.assertEqual(run.each("stopped"), {True})
        # A slot notices the closed connection with its next token.
        while self.server.busy_slots():
            pass
        self.assertLess(self.server.metric("tokens_predicted_total") - before, 4 * 2000 / 2)

    def test_an_answer_that_the_slot_cuts_short_is_told(self):
        run = self.bench("ids", osl=2048, requests=1, concurrency=1)
        self.assertIn("differ from the requested length", run.warnings)

    def test_a_prompt_that_no_slot_has_room_for_is_refused_with_the_servers_words(self):
        [error] = self.bench("ids", isl=2049, osl=1, requests=2).each("error")
        self.assertIn("exceeds the available context size", error)

    def test_options_of_requests_reach_the_server(self):
        for words in (
            ["--temperature", 0.7, "--top-p", 0.9, "--top-k", 20, "--random-seed", 5],
            ["--stop-word", "no such words here"],
            ["--return-log-probs"],
            ["--eos"],
        ):
            with self.subTest(words=words):
                run = self.bench("ids", *words)
                self.assertEqual(run.each("error"), {None})


if __name__ == "__main__":
    unittest.main()
