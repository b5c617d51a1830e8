"""The real server of scripts/serve.py: what it does with slots, lengths and caches, when clients
leave, and how it starts and ends. run.py runs it."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from live_server import HOME, MODEL, ROOT, LiveServer, command, free_port

sys.path.insert(0, str(ROOT / "runners/common/scripts"))
from prompt_maker import PromptMaker  # noqa: E402

PROMPT = "The first number people ask for is throughput"
BROKEN_OFF = (http.client.IncompleteRead, ConnectionError)
LONG = {"prompt": PROMPT, "max_tokens": 1500, "ignore_eos": True}


def eventually(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.005)
    return False


def events(response):
    lines = [
        line[6:] for line in response.read().decode().splitlines() if line.startswith("data: ")
    ]
    assert lines[-1] == "[DONE]", lines[-1]
    return [json.loads(line) for line in lines[:-1]]


@unittest.skipUnless(HOME and MODEL, "run.py names the environment and the model")
class ServerTest(unittest.TestCase):
    slots, context = 2, 4096

    @classmethod
    def setUpClass(cls):
        cls.server = LiveServer(cls.slots, cls.context)
        cls.addClassCleanup(cls.server.close)

    def complete(self, **body):
        status, answer = self.server.post(**{"prompt": PROMPT, "max_tokens": 16, **body})
        self.assertEqual(status, 200, answer)
        return answer


class Slots(ServerTest):
    def test_there_are_as_many_as_asked_for_each_with_the_whole_context(self):
        slots = json.loads(self.server.get("/slots")[1])
        self.assertEqual([slot["n_ctx"] for slot in slots], [self.context] * self.slots)
        self.assertEqual(json.loads(self.server.get("/props")[1])["total_slots"], self.slots)

    def test_a_closed_stream_frees_its_slot_before_its_answer_is_complete(self):
        before = self.server.metric("tokens_predicted_total")
        connection, response = self.server.open(stream=True, **LONG)
        self.assertTrue(response.readline().startswith(b"data: "))
        self.assertEqual(self.server.busy_slots(), 1)
        closed = time.monotonic()
        response.close()
        connection.close()
        self.assertTrue(eventually(lambda: self.server.busy_slots() == 0))
        self.assertLess(time.monotonic() - closed, 1)
        self.assertLess(self.server.metric("tokens_predicted_total") - before, 750)

    def test_a_whole_answer_runs_to_its_end_without_its_client(self):
        before = self.server.metric("tokens_predicted_total")
        connection, _ = self.server.open(**LONG, stream=False)
        self.assertTrue(eventually(lambda: self.server.busy_slots() == 1))
        connection.close()
        self.assertTrue(eventually(lambda: self.server.busy_slots() == 0))
        self.assertEqual(self.server.metric("tokens_predicted_total") - before, 1500)

    def test_requests_beyond_the_slots_wait_and_none_is_refused(self):
        answers, waiting, done = [], [], threading.Event()

        def ask():
            connection, response = self.server.open(
                prompt=PROMPT, max_tokens=400, ignore_eos=True, stream=True
            )
            answers.append((response.status, events(response)[-1]["usage"]["completion_tokens"]))
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(3 * self.slots)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and not done.wait(0.01):
            waiting.append(self.server.metric("requests_deferred"))
        self.assertEqual(answers, [(200, 400)] * 3 * self.slots)
        self.assertGreater(max(waiting), 0)


class Answers(ServerTest):
    def test_an_answer_has_the_asked_length_up_to_the_last_token_of_its_slot(self):
        ids = PromptMaker(str(Path(MODEL) / "checkpoint/tokenizer.json"), True).ids([PROMPT])[0]
        server = LiveServer(2, 256)
        self.addCleanup(server.close)
        for length, whole in ((256, True), (257, False)):
            tokens = length - len(ids)
            status, answer = server.post(prompt=ids, max_tokens=tokens, ignore_eos=True)
            self.assertEqual(status, 200)
            self.assertEqual(answer["usage"]["prompt_tokens"], len(ids))
            self.assertEqual(answer["usage"]["completion_tokens"] == tokens, whole, answer["usage"])

    def test_a_prompt_longer_than_a_slot_is_refused_in_words(self):
        status, answer = self.server.post(prompt=[5] * (self.context + 1), max_tokens=1)
        self.assertEqual((status, answer["error"]["type"]), (400, "exceed_context_size_error"))

    def test_prompts_of_the_runner_have_the_same_ids_in_the_server(self):
        maker = PromptMaker(str(Path(MODEL) / "checkpoint/tokenizer.json"), True)
        texts = [text for text, _ in maker.prompts([16, 32, 128] * 8, 7, set(), [])]
        for text, ids in zip(texts, maker.ids(texts)):
            _, answer = self.server.post("/tokenize", content=text)
            self.assertEqual(answer["tokens"], ids)

    def test_no_prompt_is_cached_unless_a_request_asks_for_it(self):
        def cached(**body):
            usage = self.complete(prompt=PROMPT * 8, **body)["usage"]
            return usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)

        self.assertEqual([cached(), cached()], [0, 0])
        self.assertEqual([cached(cache_prompt=False), cached(cache_prompt=False)], [0, 0])
        cached(cache_prompt=True, id_slot=0)
        self.assertGreater(cached(cache_prompt=True, id_slot=0), 0)

    def test_greedy_answers_repeat_and_a_penalty_changes_them(self):
        def text(**body):
            return self.complete(max_tokens=64, ignore_eos=True, **body)["choices"][0]["text"]

        self.assertEqual(text(top_k=1), text(top_k=1))
        self.assertNotEqual(text(top_k=1), text(top_k=1, repeat_penalty=1.9))
        self.assertEqual(text(seed=3), text(seed=3))
        self.assertNotEqual(text(seed=3), text(seed=4))


class Process(unittest.TestCase):
    def failed(self, *words, port=None, model=None):
        """The exit status and stderr. The server's own lines may come last."""
        argv = command(port or free_port(), 2, 4096, *words, model=model)
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def test_sigterm_ends_it_at_once_with_streams_open(self):
        server = LiveServer(2, 4096)
        self.addCleanup(server.close)
        streams = [server.open(stream=True, **LONG) for _ in range(2)]
        streams[0][1].readline()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(5), -signal.SIGTERM)
        for connection, response in streams:
            with contextlib.closing(connection), contextlib.suppress(*BROKEN_OFF):
                self.assertNotIn(b"[DONE]", response.read())

    def test_a_taken_port_is_reported_as_the_system_does(self):
        server = LiveServer(1, 256)
        self.addCleanup(server.close)
        line = f"serve.py: 127.0.0.1:{server.port}: Address already in use\n"
        self.assertEqual(self.failed(port=server.port), (1, line))

    def test_a_file_that_is_no_model_is_refused(self):
        line = f"serve.py: {ROOT}/README.md is no GGUF file; convert the model to one\n"
        self.assertEqual(self.failed(model=ROOT / "README.md"), (1, line))

    def test_a_truncated_model_ends_the_start(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write((Path(MODEL) / "model.gguf").read_bytes()[:1_000_000])
            file.flush()
            code, log = self.failed(model=file.name)
        self.assertEqual(code, 1)
        self.assertIn(f"serve.py: {file.name}: the server did not start", log)

    def test_a_context_beyond_the_models_positions_is_refused(self):
        code, log = self.failed("--ctx-size", "16384")
        self.assertEqual(code, 1)
        self.assertIn("a slot has room for 4096 tokens, not for 8192", log)

    def test_an_unknown_option_is_refused_by_name(self):
        code, log = self.failed("--n-gpu-layers", "9")
        self.assertEqual(code, 2)
        self.assertIn("unrecognized arguments: --n-gpu-layers 9", log)


if __name__ == "__main__":
    unittest.main()
