"""The server of a plan, started with the stand-in in the place of TGI's launcher: when it is ready,
what it answers and refuses, and how it ends; and the measurement of a plan against it."""

import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "openai_standin"), str(HERE.parent)]
import running  # noqa: E402

ASK = {"prompt": "a b c", "max_tokens": 8, "model": "tgi", "temperature": 0}


def started(test, release="3.3.7", variables=None, **case):
    """A server of RELEASE, with its point."""
    case = {"tgi_version": release, **case}
    return running.start(test, "tgi", "bin/text-generation-launcher", case, variables)


class Starts(unittest.TestCase):
    def test_every_release_has_the_pages_that_are_asked(self):
        for release in ("2.0.4", "2.2.0", "2.4.1", "3.3.7"):
            with self.subTest(release):
                server, _, _ = started(self, release, {"STANDIN_PROBES": "1"})
                pages = running.serve_stage("tgi")["ready"]["get"]
                self.assertEqual(server.started().get(pages[0])[0], 503)
                self.assertEqual([server.get(page)[0] for page in pages], [200, 200])

    def test_a_word_that_the_release_lacks_ends_the_start(self):
        server, _, _ = started(self, "2.2.0", server_options="--payload-limit 1")
        self.assertEqual(server.ended(), 2)
        self.assertIn("unexpected argument", server.errors())

    def test_too_little_memory_and_a_missing_model_end_the_start(self):
        server, point, place = started(self, variables={"STANDIN_FAILS": "memory"})
        self.assertEqual(server.ended(), 1)
        self.assertIn("Not enough memory", server.errors())
        (place.model / "config.json").unlink()
        again = running.Running(place, point, place.home / "bin/text-generation-launcher")
        self.addCleanup(again.close)
        self.assertEqual(again.ended(), 1)
        self.assertIn("DownloadError", again.errors())


class Server(running.ServerTests, unittest.TestCase):
    runner = "tgi"
    ask = ASK

    def started(self):
        return started(self)


class Requests(unittest.TestCase):
    def test_an_answer_may_end_before_its_limit_although_ignore_eos_is_asked(self):
        server, _, _ = started(self)
        server.started()
        _, text = server.post("/v1/completions", **ASK, stream=True, ignore_eos=True)
        *tokens, done = running.events(text)
        self.assertEqual(done, "[DONE]")
        self.assertLess(len(tokens), 8)
        self.assertEqual(tokens[-1]["choices"][0]["finish_reason"], "eos_token")
        self.assertEqual(tokens[-1]["usage"]["completion_tokens"], len(tokens))
        self.assertEqual({one["choices"][0]["finish_reason"] for one in tokens[:-1]}, {""})

    def test_ids_are_refused(self):
        server, _, _ = started(self)
        status, _ = server.started().post("/v1/completions", prompt=[1, 2], max_tokens=4)
        self.assertEqual(status, 422)

    def test_prompt_and_answer_beyond_the_context_are_refused(self):
        server, _, _ = started(self)
        status, text = server.started().post("/v1/completions", prompt="a", max_tokens=999)
        self.assertEqual((status, json.loads(text)["error_type"]), (422, "validation"))

    def test_more_open_requests_than_allowed_are_refused(self):
        server, _, _ = started(self, max_open_requests=4)
        server.started().hold(0)
        open_ones = [
            running.http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            for _ in range(4)
        ]
        for one in open_ones:
            self.addCleanup(one.close)
            one.request("POST", "/v1/completions", json.dumps(ASK))
        while "tgi_request_count 4.0" not in server.get("/metrics")[1]:
            pass
        self.assertEqual(server.post("/v1/completions", **ASK)[0], 429)
        server.hold(None)
        self.assertEqual([one.getresponse().status for one in open_ones], [200] * 4)

    def test_the_plan_turns_the_cache_of_prefixes_off_in_every_release(self):
        for release in ("2.3.1", "3.3.7"):
            server, _, _ = started(self, release)
            server.started()
            for _ in range(2):
                server.post("/v1/completions", **ASK)
            self.assertEqual(server.counts().get("cached_tokens", 0), 0)
            kept, _, _ = started(self, release, enable_kv_cache_reuse=True)
            kept.started()
            for _ in range(2):
                kept.post("/v1/completions", **ASK)
            self.assertEqual(kept.counts()["cached_tokens"], 2)


class Measurement(unittest.TestCase):
    def test_the_client_of_the_plan_measures_the_server_of_the_plan(self):
        server, point, place = started(self, isl=3, osl=6, num_prompts=20)
        rows = [{"text_input": f"a{i} b c", "isl": 3} for i in range(80)]
        done, record = running.bench(point, place, server.started(), rows)
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        bodies = [body for body in server.counts()["bodies"] if body["max_tokens"] == 6]
        self.assertGreaterEqual(len(bodies), 20)
        self.assertNotIn("ignore_eos", bodies[0])
        self.assertEqual({body["temperature"] for body in bodies}, {0})
        self.assertEqual({body["model"] for body in bodies}, {"tgi"})
        self.assertIn("tgi_request_count", json.dumps(record))


if __name__ == "__main__":
    unittest.main()
