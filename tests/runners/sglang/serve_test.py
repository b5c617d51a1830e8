"""The server of a plan, started with the stand-in in SGLang's place: when it is ready, what it
answers, how its cache is flushed, and how it ends; and the measurement of a plan against it."""

import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "openai_standin"), str(HERE.parent)]
import running  # noqa: E402

ASK = {"prompt": [1, 2, 3], "max_tokens": 4, "ignore_eos": True}


def started(test, release="0.5.23", variables=None, **case):
    """A server of RELEASE, with its point."""
    case = {"sglang_version": release, **case}
    return running.start(test, "sglang", "bin/python3", case, variables)


class Readiness(unittest.TestCase):
    def test_the_page_that_is_asked_tells_a_server_that_is_not_ready(self):
        for release in ("0.3.6", "0.4.10", "0.5.5", "0.5.23"):
            with self.subTest(release):
                server, _, _ = started(self, release, {"STANDIN_PROBES": "2"})
                server.started()
                ready = running.serve_stage("sglang")["ready"]["get"]
                seen = [server.get(ready[0])[0] for _ in range(3)]
                self.assertEqual(seen, [503, 503, 200])
                self.assertEqual([server.get(path)[0] for path in ready], [200] * len(ready))

    def test_health_alone_would_come_too_early_to_0_4(self):
        for release, first in (("0.4.10", 200), ("0.5.5", 503)):
            server, _, _ = started(self, release, {"STANDIN_PROBES": "1"})
            self.assertEqual(server.started().get("/health")[0], first)


class FailedStarts(unittest.TestCase):
    def failed(self, server, status, text):
        self.assertEqual(server.ended(), status)
        self.assertIn(text, server.errors())

    def test_a_model_that_is_not_there(self):
        server, _, place = started(self, variables={"STANDIN_FAILS": "memory"})
        self.failed(server, 1, "Not enough memory")
        (place.model / "config.json").unlink()
        again = running.Running(place, started(self)[1], place.home / "bin/python3")
        self.addCleanup(again.close)
        self.failed(again, 1, "config.json")

    def test_a_word_that_the_release_lacks(self):
        words = {"server_options": "--enable-no-such-thing"}
        self.failed(started(self, **words)[0], 2, "unrecognized arguments")

    def test_an_occupied_port(self):
        server, point, place = started(self)
        server.started()
        words = [str(word) for word in server.words]
        again = running.subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 1)
        self.assertIn("[Errno 98]", again.stderr)


class Server(running.ServerTests, unittest.TestCase):
    runner = "sglang"
    ask = ASK

    def started(self):
        return started(self)


class Requests(unittest.TestCase):
    def test_lengths_are_forced_and_usage_comes_last(self):
        server, _, _ = started(self)
        options = {"stream": True, "stream_options": {"include_usage": True}}
        _, text = server.started().post("/v1/completions", **ASK, **options)
        *tokens, usage, done = running.events(text)
        self.assertEqual((len(tokens), done), (4, "[DONE]"))
        self.assertEqual(usage["usage"]["completion_tokens"], 4)
        self.assertEqual(usage["usage"]["prompt_tokens_details"], {"cached_tokens": 0})

    def test_more_requests_than_the_server_runs_wait(self):
        server, _, _ = started(self, batch_size=1)
        server.started().hold(1)
        first, _ = server.open(**ASK)
        self.addCleanup(first.close)
        second = running.http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.addCleanup(second.close)
        second.request("POST", "/v1/completions", json.dumps(ASK))
        while "num_queue_reqs 1.0" not in server.get("/metrics")[1]:
            pass
        server.hold(None)
        self.assertEqual(second.getresponse().status, 200)

    def test_prompt_and_answer_beyond_the_context_are_refused(self):
        server, _, _ = started(self)
        status, text = server.started().post("/v1/completions", prompt=[1], max_tokens=999)
        self.assertEqual(status, 400)
        self.assertIn("maximum context length", text)


class Caches(unittest.TestCase):
    def cached(self, server):
        usage = json.loads(server.post("/v1/completions", **ASK)[1])["usage"]
        return usage["prompt_tokens_details"]["cached_tokens"]

    def test_a_plan_turns_the_cache_off(self):
        server, _, _ = started(self)
        server.started()
        self.assertEqual([self.cached(server), self.cached(server)], [0, 0])

    def test_a_cache_that_is_on_is_emptied_by_a_flush(self):
        server, _, _ = started(self, enable_kv_cache_reuse=True)
        server.started()
        self.assertEqual([self.cached(server), self.cached(server)], [0, 2])
        self.assertEqual(server.post("/flush_cache")[0], 200)
        self.assertEqual(self.cached(server), 0)


class Measurement(unittest.TestCase):
    def test_the_client_of_the_plan_measures_the_server_of_the_plan(self):
        case = {"isl": 3, "osl": 4, "num_prompts": 20}
        server, point, place = started(self, **case)
        rows = [{"input_ids": [i, 2, 3], "text_input": "a b c", "isl": 3} for i in range(80)]
        done, record = running.bench(point, place, server.started(), rows)
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        bodies = [body for body in server.counts()["bodies"] if body["max_tokens"] == 4]
        self.assertGreaterEqual(len(bodies), 20)
        self.assertTrue(all(len(body["prompt"]) == 3 for body in bodies), bodies[0])
        self.assertEqual({body["ignore_eos"] for body in bodies}, {True})
        self.assertEqual({body["temperature"] for body in bodies}, {0})
        self.assertEqual({body["model"] for body in bodies}, {"m"})
        text = json.dumps(record)
        self.assertIn("generation_tokens_total", text)

    def test_a_cache_that_is_on_is_emptied_before_the_measurement(self):
        case = {"isl": 3, "osl": 4, "num_prompts": 20}
        rows = [{"input_ids": [i, 2, 3], "text_input": "a b c", "isl": 3} for i in range(80)]
        flushes = []
        for kept in (False, True):
            server, point, place = started(self, enable_kv_cache_reuse=kept, **case)
            running.bench(point, place, server.started(), rows)
            flushes.append(server.counts().get("flushes", 0))
        self.assertEqual(flushes, [0, 1])


if __name__ == "__main__":
    unittest.main()
