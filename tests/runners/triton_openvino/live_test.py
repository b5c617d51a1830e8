"""The real tritonserver on the rendered repository: its answers to clients, and a stop that leaves
nothing behind.

Needs the runner's environment with the server in it (ORCHESTRATE_TEST_ENVIRONMENT, set by run.py).
"""
import json
import os
import shutil
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

import models
from live_server import LiveServer

ENVIRONMENT = os.environ.get("ORCHESTRATE_TEST_ENVIRONMENT")
PROMPT = "The first number people ask for is throughput"
STREAMED = {
    "text_output",
    "batch_index",
    "sequence_index",
    "cum_log_probs",
    "output_log_probs",
    "context_logits",
    "generation_logits",
}


def text(events):
    return "".join(event["text_output"] for event in events)


def eventually(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


@unittest.skipUnless(
    ENVIRONMENT, "ORCHESTRATE_TEST_ENVIRONMENT does not name the runner's environment"
)
class LiveTest(unittest.TestCase):
    parameters = {"batch_size": 8, "max_tokens_in_paged_kv_cache": 16384}
    positions = 4096

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.checkpoint = models.checkpoint(
            cls.folder / "checkpoint", max_position_embeddings=cls.positions
        )
        built = models.engine(cls.folder, cls.checkpoint, "q8_0")
        cls.server = LiveServer(ENVIRONMENT, cls.checkpoint, built / "engine", **cls.parameters)
        cls.addClassCleanup(cls.server.close)

    def generate(self, **inputs):
        model = inputs.pop("model", "ensemble")
        return self.server.generate({"text_input": PROMPT, "max_tokens": 16, **inputs}, model)

    def stream(self, **inputs):
        model = inputs.pop("model", "ensemble")
        return self.server.stream({"text_input": PROMPT, "max_tokens": 16, **inputs}, model)

    def tokens_out(self):
        return self.server.metric("nv_llm_output_token_len_sum", model="tensorrt_llm") or 0

    def active(self):
        return self.server.metric("nv_trt_llm_request_metrics", request_type="active")


class Answers(LiveTest):
    def test_a_stream_has_one_event_per_token_and_the_text_of_the_whole_answer(self):
        for model in ("ensemble", "tensorrt_llm_bls"):
            status, events = self.stream(max_tokens=40, min_length=40, model=model)
            self.assertEqual((status, len(events)), (200, 40))
            for event in events:
                self.assertLessEqual(STREAMED, set(event))
                self.assertEqual(
                    [
                        event[name]
                        for name in (
                            "cum_log_probs",
                            "output_log_probs",
                            "context_logits",
                            "generation_logits",
                        )
                    ],
                    [0.0] * 4,
                )
            status, answer = self.generate(max_tokens=40, min_length=40, model=model)
            self.assertEqual((status, answer["text_output"]), (200, text(events)))
            self.assertEqual(answer["output_log_probs"], [0.0] * 40)

    def test_events_arrive_while_later_tokens_are_generated(self):
        sent = time.monotonic()
        events = self.stream(max_tokens=200, min_length=200)[1]
        total, first = events[-1]["at"] - sent, events[0]["at"] - sent
        self.assertEqual(len(events), 200)
        self.assertLess(first, total / 2)

    def test_the_servers_own_counts_include_every_request_that_has_ended(self):
        before = {
            name: self.server.metric(name, model="tensorrt_llm")
            for name in (
                "nv_llm_input_token_len_sum",
                "nv_llm_input_token_len_count",
                "nv_llm_output_token_len_sum",
                "nv_llm_output_token_len_count",
            )
        }
        for _ in range(5):
            self.stream(max_tokens=7, min_length=7)
        prompt = len(
            models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
            .encode(PROMPT)
            .ids
        )
        self.assertEqual(
            [
                self.server.metric(name, model="tensorrt_llm") - value
                for name, value in before.items()
            ],
            [5 * prompt, 5, 35, 5],
        )

    def test_the_end_token_ends_an_answer_after_min_length(self):
        vocabulary = json.loads((self.checkpoint / "tokenizer.json").read_text())["model"]["vocab"]
        ids = {id_: token for token, id_ in vocabulary.items()}
        free = self.raw_ids(32)
        end = free[6]
        self.assertIn(end, ids)
        events = self.stream(max_tokens=32, end_id=end)[1]
        self.assertLessEqual(len(events), free.index(end) + 1)
        self.assertEqual(len(self.stream(max_tokens=32, end_id=end, min_length=32)[1]), 32)
        self.assertEqual(len(self.stream(max_tokens=32, end_id=-1)[1]), 32)

    def raw_ids(self, count):
        """The ids that the engine's own model generates."""
        ids = (
            models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
            .encode(PROMPT)
            .ids
        )
        answer = self.server.generate(
            {
                "input_ids": ids,
                "input_lengths": len(ids),
                "request_output_len": count,
                "end_id": -1,
            },
            "tensorrt_llm",
        )[1]
        self.assertEqual(answer["sequence_length"], count)
        return answer["output_ids"]

    def test_the_prompt_is_repeated_only_on_request(self):
        ids = (
            models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
            .encode(PROMPT)
            .ids
        )
        body = {
            "input_ids": ids,
            "input_lengths": len(ids),
            "request_output_len": 4,
            "exclude_input_in_output": False,
        }
        answer = self.server.generate(body, "tensorrt_llm")[1]
        self.assertEqual(
            (answer["sequence_length"], answer["output_ids"][: len(ids)]), (len(ids) + 4, ids)
        )

    def test_an_answer_ends_with_the_first_stop_word(self):
        tokenizer = models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
        free = self.raw_ids(32)
        for at in range(4, 20):
            word = tokenizer.decode([free[at]])
            if (
                tokenizer.encode(word, add_special_tokens=False).ids == [free[at]]
                and free.index(free[at]) == at
            ):
                break
        for model in ("ensemble", "tensorrt_llm_bls"):
            events = self.stream(
                max_tokens=32, stop_words=["no such words here", word], model=model
            )[1]
            self.assertEqual(text(events), tokenizer.decode(free[: at + 1]))
            self.assertTrue(
                self.generate(max_tokens=32, stop_words=[word], model=model)[1][
                    "text_output"
                ].endswith(word)
            )

    def test_sampling_is_reproducible_with_a_seed(self):
        answers = {
            seed: {
                self.generate(top_k=50, temperature=1.5, random_seed=seed)[1]["text_output"]
                for _ in range(3)
            }
            for seed in (1, 2)
        }
        self.assertEqual([len(texts) for texts in answers.values()], [1, 1])
        self.assertNotEqual(answers[1], answers[2])

    def test_each_prompt_of_a_batch_is_answered_under_its_index(self):
        texts = [PROMPT, "The heron knows the river", "A clock is an oscillator"]
        body = {
            "text_input": texts,
            "max_tokens": [8] * 3,
            "min_length": [8] * 3,
            "stream": [True] * 3,
        }
        status, events = self.server.stream(body)
        self.assertEqual((status, len(events)), (200, 24))
        for index, prompt in enumerate(texts):
            own = text([event for event in events if event["batch_index"] == index])
            self.assertEqual(
                own,
                self.server.generate({"text_input": prompt, "max_tokens": 8, "min_length": 8})[1][
                    "text_output"
                ],
            )

    def test_eight_clients_are_served_concurrently(self):
        results = []
        threads = [
            threading.Thread(
                target=lambda: results.append(self.stream(max_tokens=100, min_length=100))
            )
            for _ in range(8)
        ]
        most = 0
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            most = max(most, self.active() or 0)
        self.assertEqual([(status, len(events)) for status, events in results], [(200, 100)] * 8)
        self.assertEqual(
            len({text(events) for _, events in results}),
            1,
            "the same prompt must give the same text in any batch",
        )
        self.assertGreater(most, 2)
        overlap = max(events[0]["at"] for _, events in results) < min(
            events[-1]["at"] for _, events in results
        )
        self.assertTrue(overlap, "the last request must start before the first one ends")

    def test_an_empty_text_is_no_word(self):
        for model in ("ensemble", "tensorrt_llm_bls"):
            for words in ("", [""]):
                status, answer = self.generate(bad_words=words, stop_words=words, model=model)
                self.assertEqual(status, 200, answer)

    def test_an_unsupported_request_is_refused_with_its_reason_and_later_ones_succeed(self):
        for inputs, words in [
            ({"beam_width": 2}, "beam_width is 2: this engine has no beam search"),
            ({"return_log_probs": True}, "no log probabilities"),
            ({"return_context_logits": True}, "no context logits"),
            ({"return_generation_logits": True}, "no generation logits"),
            ({"bad_words": ["the"]}, "does not support bad words"),
            (
                {"embedding_bias_words": ["the"], "embedding_bias_weights": [1.0]},
                "does not support an embedding bias",
            ),
            ({"num_return_sequences": 2}, "no way to give several answers"),
            ({"temperature": -1.0}, "temperature is -1; it must be from 0"),
            ({"max_tokens": 0}, "ask for at least 1 token"),
            ({"max_tokens": 5000}, "the model has 4096 positions"),
            ({"text_input": ""}, "the prompt has no tokens"),
        ]:
            for call in (self.generate, lambda **i: (lambda s, e: (s, e[0]))(*self.stream(**i))):
                for model in ("ensemble", "tensorrt_llm_bls"):
                    status, answer = call(model=model, **inputs)
                    self.assertGreaterEqual(status, 400, answer)
                    self.assertIn(words, answer["error"])
        status, answer = self.generate(model="tensorrt_llm_bls", num_draft_tokens=2)
        self.assertIn("this runner does not do speculative decoding", answer["error"])
        self.assertEqual(self.generate()[0], 200)

    def test_zz_a_stop_leaves_no_process_and_no_shared_memory(self):
        self.assertTrue(self.server.segments())
        self.assertLess(self.server.stop(), 15)
        self.assertEqual(self.server.process.returncode, 0)
        self.assertEqual(self.server.segments(), [])
        self.assertTrue(eventually(lambda: self.server.survivors() == []))


class Endings(LiveTest):
    # An answer is so long that it cannot end by itself before a test stops it.
    parameters = {"batch_size": 1, "max_tokens_in_paged_kv_cache": 65536}
    positions = 65536

    def open_stream(self, model="ensemble", **inputs):
        """A raw connection on which tokens are arriving."""
        body = json.dumps(
            {
                "text_input": PROMPT,
                "max_tokens": 60000,
                "min_length": 60000,
                "stream": True,
                **inputs,
            }
        )
        connection = socket.create_connection(("127.0.0.1", self.server.ports["http"]), timeout=10)
        connection.sendall(
            f"POST /v2/models/{model}/generate_stream HTTP/1.1\r\nHost: x\r\nContent-Length:"
            f" {len(body)}\r\n\r\n{body}".encode()
        )
        seen = b""
        while seen.count(b"data: ") < 3:
            seen += connection.recv(65536)
        return connection

    def test_a_disconnected_client_frees_the_only_slot(self):
        for model in ("ensemble", "tensorrt_llm_bls"):
            before = self.tokens_out()
            connection = self.open_stream(model)
            self.assertTrue(eventually(lambda: self.active() == 1))
            connection.close()
            self.assertTrue(eventually(lambda: self.active() == 0, 10), model)
            self.assertLess(self.tokens_out() - before, 50000)
            started = time.monotonic()
            self.assertEqual(len(self.stream(max_tokens=5, min_length=5)[1]), 5)
            self.assertLess(time.monotonic() - started, 1.0)

    def test_a_stop_request_with_the_same_id_ends_the_first_request(self):
        connection = self.open_stream(id="mine")
        stop = {
            "id": "mine",
            "input_ids": [0],
            "input_lengths": 1,
            "request_output_len": 1,
            "stop": True,
        }
        self.server.stream(stop, "tensorrt_llm")
        self.assertTrue(eventually(lambda: self.active() == 0))
        connection.settimeout(5)
        rest = b""
        while chunk := connection.recv(65536):
            rest += chunk
            if rest.endswith(b"0\r\n\r\n"):
                break
        self.assertNotIn(b"error", rest)
        connection.close()

    def test_further_clients_wait_for_the_only_slot_and_are_all_served(self):
        results = []
        threads = [
            threading.Thread(
                target=lambda: results.append(len(self.stream(max_tokens=30, min_length=30)[1]))
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [30] * 4)

    def test_every_port_is_bound_to_the_loopback_address(self):
        bound = {}
        for line in (
            Path("/proc/net/tcp").read_text().splitlines()[1:]
            + Path("/proc/net/tcp6").read_text().splitlines()[1:]
        ):
            fields = line.split()
            if fields[3] == "0A":  # listening
                address, port = fields[1].split(":")
                bound.setdefault(int(port, 16), set()).add(address)
        for name, port in self.server.ports.items():
            self.assertLessEqual(
                bound[port], {"0100007F", "0000000000000000FFFF00000100007F"}, name
            )

    def test_zz_a_stop_with_an_abandoned_connection_is_bounded_and_leaves_only_named_segments(
        self,
    ):
        # This server never counts a connection as closed if its client disconnects during a stream.
        # It waits for the connection until --exit-timeout-secs and leaves its segments, whose names
        # have the prefix of this server.
        self.open_stream().close()
        self.assertLess(self.server.stop(), 15)
        self.assertTrue(eventually(lambda: self.server.survivors() == []))
        for name in self.server.segments():
            os.unlink(f"/dev/shm/{name}")


if __name__ == "__main__":
    unittest.main()
