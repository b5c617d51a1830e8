"""The server of a plan, started with the stand-in in vLLM's place: the smoke request, failed
starts, the cache of prefixes, and the measurement of a plan against it."""

import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "openai_standin"), str(HERE.parent)]
import running  # noqa: E402

ASK = {"model": "m", "prompt": [1, 2, 3], "max_tokens": 4, "ignore_eos": True}


def started(test, release="0.32.0", variables=None, **case):
    """A server of RELEASE, with its point."""
    case = {"vllm_version": release, **case}
    return running.start(test, "vllm", "bin/python3", case, variables)


class Start(unittest.TestCase):
    def test_pages_and_the_smoke_request_are_answered(self):
        stage = running.serve_stage("vllm")
        for case in ({}, {"device": "cpu"}):
            server, _, _ = started(self, **case)
            server.started()
            self.assertEqual([server.get(path)[0] for path in stage["ready"]["get"]], [200, 200])
            smoke = json.loads(stage["smoke"]["body"].replace("{bench_model}", "m"))
            status, answer = server.ask("POST", stage["smoke"]["post"], smoke)
            self.assertEqual(status, 200)
            self.assertTrue(json.loads(answer)["choices"][0]["text"])

    def test_too_little_memory_ends_the_start_with_its_reason(self):
        server, _, _ = started(self, variables={"STANDIN_FAILS": "memory"})
        self.assertEqual(server.ended(), 1)
        self.assertIn("CUDA out of memory", server.errors())

    def test_a_word_that_the_release_lacks_ends_the_start(self):
        server, _, _ = started(self, server_options="--enable-no-such-thing")
        self.assertEqual(server.ended(), 2)
        self.assertIn("unrecognized arguments: --enable-no-such-thing", server.errors())


class Requests(unittest.TestCase):
    def test_another_model_name_is_refused(self):
        server, _, _ = started(self)
        self.assertEqual(server.started().post("/v1/completions", **{**ASK, "model": "x"})[0], 404)

    def test_a_plan_turns_the_cache_of_prefixes_off(self):
        for kept in (False, True):
            server, _, _ = started(self, enable_kv_cache_reuse=kept)
            server.started()
            for _ in range(2):
                server.post("/v1/completions", **ASK)
            hits = "vllm:prefix_cache_hits_total 0.0" in server.get("/metrics")[1]
            self.assertEqual(hits, not kept)

    def test_a_cache_that_is_on_is_emptied_before_the_measurement(self):
        """Also by the releases that do not say whether they did it."""
        rows = [{"input_ids": [i, 2, 3], "text_input": "a b c", "isl": 3} for i in range(80)]
        for release in ("0.8.5", "0.25.1", "0.26.0", "0.33.0"):
            flushes = []
            for kept in (False, True):
                case = {"isl": 3, "osl": 4, "num_prompts": 20, "enable_kv_cache_reuse": kept}
                server, point, place = started(self, release, **case)
                running.bench(point, place, server.started(), rows)
                flushes.append(server.counts().get("flushes", 0))
            self.assertEqual(flushes, [0, 1], release)

    def test_the_client_of_the_plan_measures_the_server_of_the_plan(self):
        server, point, place = started(self, isl=3, osl=4, num_prompts=20)
        rows = [{"input_ids": [i, 2, 3], "text_input": "a b c", "isl": 3} for i in range(80)]
        done, record = running.bench(point, place, server.started(), rows)
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        bodies = [body for body in server.counts()["bodies"] if body["max_tokens"] == 4]
        self.assertGreaterEqual(len(bodies), 20)
        self.assertTrue(all(len(body["prompt"]) == 3 for body in bodies), bodies[0])
        self.assertEqual({body["temperature"] for body in bodies}, {0})
        self.assertEqual({body["ignore_eos"] for body in bodies}, {True})
        self.assertIn("vllm:generation_tokens_total", json.dumps(record))


if __name__ == "__main__":
    unittest.main()
