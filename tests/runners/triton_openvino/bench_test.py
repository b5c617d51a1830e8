"""`orchestrate bench` against the real tritonserver: checks the contract of all protocols
(tests/bench/protocol/protocol_test.cpp) on every route, a protocol and a model of this server.

Needs the runner's environment (ORCHESTRATE_TEST_ENVIRONMENT, set by run.py) and the program
(ORCH_BINARY).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import models
from live_server import LiveServer

ENVIRONMENT, BINARY = os.environ.get("ORCHESTRATE_TEST_ENVIRONMENT"), os.environ.get("ORCH_BINARY")
ISL, OSL, REQUESTS = 16, 24, 6
# Protocol and model. The engine's own model reads and returns ids; the OpenAI protocols need a
# front end that this server does not have.
TEXT_ROUTES = [
    ("triton-http", "ensemble"),
    ("triton-http", "tensorrt_llm_bls"),
    ("triton-grpc", "ensemble"),
    ("triton-grpc", "tensorrt_llm_bls"),
]
ID_ROUTES = [("triton-http", "tensorrt_llm"), ("triton-grpc", "tensorrt_llm")]
ROUTES = TEXT_ROUTES + ID_ROUTES
# An ensemble of this Triton runs to completion after its client has disconnected.
CANCELLABLE_ROUTES = [route for route in ROUTES if route[1] != "ensemble"]


NOT_VALID = 4  # exit status for a record that is marked invalid


class Run:
    """One run of bench with its record and its answers."""

    def __init__(self, folder, words):
        self.done = subprocess.run(
            [BINARY, "bench", "--out", folder, "--db", Path(folder) / "db", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        if self.done.returncode not in (0, NOT_VALID):
            raise AssertionError(f"bench ended with {self.done.returncode}: {self.done.stderr}")
        folder = Path(folder)
        self.measurement = json.loads((folder / "measurement.json").read_text())["measurements"][0]
        self.records = [
            record
            for record in map(json.loads, (folder / "requests.jsonl").read_text().splitlines())
            if not record["warmup"]
        ]
        query = subprocess.run(
            [
                BINARY,
                "query",
                "--store",
                folder / "db",
                "--format",
                "json",
                "SELECT answer FROM answers WHERE NOT warmup ORDER BY idx",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        self.answers = [row["answer"] for row in json.loads(query.stdout)]

    def each(self, name):
        return {record.get(name) for record in self.records}


@unittest.skipUnless(
    ENVIRONMENT, "ORCHESTRATE_TEST_ENVIRONMENT does not name the runner's environment"
)
@unittest.skipUnless(BINARY, "ORCH_BINARY does not name the program")
class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.checkpoint = models.checkpoint(cls.folder / "checkpoint", max_position_embeddings=4096)
        cls.built = models.engine(cls.folder, cls.checkpoint, "q8_0")
        cls.server = cls.started()
        cls.addClassCleanup(lambda: cls.server.close())

    @classmethod
    def started(cls):
        return LiveServer(
            ENVIRONMENT,
            cls.checkpoint,
            cls.built / "engine",
            batch_size=8,
            max_tokens_in_paged_kv_cache=16384,
        )

    def bench(self, route, *words, osl=OSL, requests=REQUESTS, concurrency=2):
        protocol, model = route
        scheme = "grpc" if protocol == "triton-grpc" else "http"
        return Run(
            tempfile.mkdtemp(dir=self.folder),
            [
                "--url",
                f"{scheme}://127.0.0.1:{self.server.ports[scheme]}",
                "--metrics-url",
                f"http://127.0.0.1:{self.server.ports['metrics']}/metrics",
                "--protocol",
                protocol,
                "--model",
                model,
                "--isl",
                ISL,
                "--osl",
                osl,
                "--requests",
                requests,
                "--concurrency",
                concurrency,
                "--tokenizer",
                self.checkpoint,
                "--python",
                sys.executable,
                "--prompt-cache",
                self.folder / "prompts",
                "--seed",
                7,
                # Other work on the machine must not fail this test.
                "--wake-lag-ms-limit",
                1000,
                "--client-cpu-limit",
                1000,
                *words,
            ],
        )

    def active(self):
        return self.server.metric("nv_trt_llm_request_metrics", request_type="active")

    def assert_each(self, run, **values):
        """Checks these fields of every record of RUN, and that no request failed."""
        for name, value in {"error": None, **values}.items():
            self.assertEqual(run.each(name), {value}, name)


class EveryRoute(BenchTest):
    def test_the_first_request_succeeds_and_is_in_no_count(self):
        for route in ROUTES:
            with self.subTest(route=route):
                measurement = self.bench(route).measurement
                [first] = measurement["first_requests"]
                self.assertEqual((first["status"], first["error"]), (200, None))
                [served] = [m for m in measurement["models"] if m["model"] == route[1]]
                self.assertEqual(served["requests"] + served["failed"], REQUESTS)

    def test_streams_one_event_for_each_token_that_the_server_counts(self):
        for route in ROUTES:
            with self.subTest(route=route):
                run = self.bench(route)
                self.assert_each(
                    run, isl=ISL, osl_requested=OSL, osl_counted=OSL, first_event_tokens=1
                )
                self.assertEqual({len(record["gaps_ns"]) for record in run.records}, {OSL - 1})
                self.assertEqual(
                    [run.measurement["metrics"][name] for name in ("isl_reported", "osl_reported")],
                    [ISL, OSL],
                )

    def test_gives_the_same_answers_streamed_or_not(self):
        expected = self.bench(TEXT_ROUTES[0]).answers
        self.assertEqual(len(set(expected)), REQUESTS)
        for route in TEXT_ROUTES:
            with self.subTest(route=route):
                self.assertEqual(self.bench(route).answers, expected)
                whole = self.bench(route, "--no-stream")
                self.assert_each(whole, osl_counted=OSL)
                self.assertEqual({len(record["gaps_ns"]) for record in whole.records}, {0})
                self.assertEqual(whole.answers, expected)

    def test_passes_sampling_parameters_and_stop_words_to_the_engine(self):
        words = ["--eos", "--temperature", 2, "--top-k", 40, "--top-p", 0.9]

        # One request at a time: requests that share a step change the last bits of each other's
        # logits, which can change what is sampled.
        def answers(route, seed, *more):
            run = self.bench(route, *words, "--random-seed", seed, *more, concurrency=1)
            return run.answers

        expected, other = answers(TEXT_ROUTES[0], 5), answers(TEXT_ROUTES[0], 6)
        self.assertNotEqual(expected, other)
        tokenizer = models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
        word = next(
            text
            for text in map(
                lambda id_: tokenizer.decode([id_]), tokenizer.encode(expected[0]).ids[4:]
            )
            if len(text) > 1 and text.isascii()
        )
        stopped = answers(TEXT_ROUTES[0], 5, "--stop-word", word)
        self.assertLess(len("".join(stopped)), len("".join(expected)))
        for route in TEXT_ROUTES[1:]:
            with self.subTest(route=route):
                self.assertEqual(answers(route, 5), expected)
                self.assertEqual(answers(route, 5, "--stop-word", word), stopped)

    def test_separates_the_answers_of_a_batch(self):
        alone = {route: self.bench(route).answers for route in TEXT_ROUTES}
        with self.assertRaisesRegex(AssertionError, "use --protocol triton-grpc"):
            self.bench(("triton-http", "tensorrt_llm"), "--batch", 2)
        for route in TEXT_ROUTES + [("triton-grpc", "tensorrt_llm")]:
            with self.subTest(route=route):
                run = self.bench(route, "--batch", 2, requests=REQUESTS // 2)
                self.assert_each(run, sequences=2, isl=2 * ISL, osl_counted=2 * OSL)
                if route in alone:
                    self.assertEqual(
                        run.answers,
                        ["\n".join(alone[route][at : at + 2]) for at in range(0, REQUESTS, 2)],
                    )

    def test_refused_requests_fail_with_the_message_of_the_server(self):
        for route in ROUTES:
            with self.subTest(route=route):
                run = self.bench(route, osl=9000)
                self.assertEqual(run.measurement["metrics"]["error_rate"], 1)
                for error in run.each("error"):
                    self.assertIn("9000", error)

    def test_refuses_an_input_that_the_model_does_not_have(self):
        for route in ROUTES:
            with self.subTest(route=route):
                with self.assertRaisesRegex(
                    AssertionError, f"(?s)nonesuch.*{route[1]}|{route[1]}.*nonesuch"
                ):
                    self.bench(route, "--input", "nonesuch=1")

    def test_refuses_a_model_that_the_server_does_not_have(self):
        for route in [("triton-http", "absent_model"), ("triton-grpc", "absent_model")]:
            with self.subTest(route=route):
                with self.assertRaisesRegex(AssertionError, "absent_model"):
                    self.bench(route)


class Cancelled(BenchTest):
    """Requests of many thousand tokens are cancelled early, and the server stops generating."""

    tokens = 4000

    def each_route(self, routes):
        """ROUTES, each on a server of its own: rarely a closed stream deadlocks the gRPC front end
        of this Triton (StateWriteResponse holds what StreamInferResponseComplete waits for), and
        no later stream is answered."""
        for route in routes:
            type(self).server.close()
            type(self).server = self.started()
            yield route

    def generated(self):
        return self.server.metric("nv_llm_output_token_len_sum", model="tensorrt_llm") or 0

    def test_a_closed_stream_ends_its_request_within_a_second(self):
        for route in self.each_route(CANCELLABLE_ROUTES):
            with self.subTest(route=route):
                generated, seen = self.generated(), []
                done = threading.Event()

                def watch():
                    while not done.is_set():
                        seen.append((time.time_ns(), self.active()))
                        done.wait(0.01)

                watcher = threading.Thread(target=watch)
                watcher.start()
                try:
                    run = self.bench(route, "--stop-after-ms", 200, osl=self.tokens, requests=4)
                    deadline = time.monotonic() + 10
                    while self.active() and time.monotonic() < deadline:
                        time.sleep(0.01)
                finally:
                    done.set()
                    watcher.join()
                self.assert_each(run, stopped=True)
                self.assertGreater(max(count for _, count in seen), 0)
                last = run.measurement["window"]["start_wall_ns"] + max(
                    record["end_ns"] for record in run.records
                )
                seen.append((time.time_ns(), self.active()))
                idle = min((at for at, count in seen if at > last and count == 0), default=None)
                self.assertIsNotNone(idle, "requests run on after their streams were closed")
                self.assertLess(
                    (idle - last) / 1e9,
                    1,
                    "seconds until nothing runs, after the last stream was closed",
                )
                # The server's own count needs no clock: it generated only a part of the tokens.
                self.assertLess(self.generated() - generated, 4 * self.tokens / 2)

    def test_a_stop_request_ends_its_request(self):
        for route in self.each_route(ID_ROUTES):
            for streams in ["--stream", "--no-stream"]:
                with self.subTest(route=route, streams=streams):
                    generated = self.generated()
                    run = self.bench(
                        route,
                        streams,
                        "--stop-after-ms",
                        200,
                        "--stop-by",
                        "request",
                        "--no-first-request",  # the server would count its tokens as well
                        osl=self.tokens,
                        requests=4,
                    )
                    self.assert_each(run, stopped=True, status=200)
                    self.assertEqual(run.measurement["load"]["stop_by"], "request")
                    self.assertNotIn("stop requests failed", "".join(run.measurement["warnings"]))
                    self.assertGreaterEqual(
                        min(record["end_ns"] - record["sent_ns"] for record in run.records), 200e6
                    )
                    self.assertLess(
                        max(record["end_ns"] - record["sent_ns"] for record in run.records), 1.2e9
                    )
                    # Every generated token was sent and counted.
                    self.assertEqual(
                        sum(record["osl_counted"] for record in run.records),
                        self.generated() - generated,
                    )
                    self.assertEqual(self.active(), 0)

    def test_stop_requests_to_other_models_are_refused(self):
        for route in TEXT_ROUTES:
            with self.subTest(route=route):
                with self.assertRaisesRegex(
                    AssertionError, f"which {route[1]} is not known to have; give --stop-by close"
                ):
                    self.bench(route, "--stop-after-ms", 200, "--stop-by", "request")

    def test_warns_that_an_ensemble_runs_to_completion(self):
        for route in self.each_route(ROUTES):
            with self.subTest(route=route):
                run = self.bench(route, "--stop-after-ms", 5000, requests=1)
                self.assertEqual(
                    "is an ensemble, which Triton runs to completion"
                    in "".join(run.measurement["warnings"]),
                    route[1] == "ensemble",
                )
