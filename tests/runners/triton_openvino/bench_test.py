"""`orchestrate bench` against the real tritonserver: what the suite of all protocols asks of a
server of our own (tests/protocol/protocol_contract_test.cpp), asked of every way into this one.

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
# Protocol and model. The engine's own model takes and answers ids; the OpenAI protocols need a
# front end that this server has not.
TEXT_WAYS = [
    ("triton-http", "ensemble"),
    ("triton-http", "tensorrt_llm_bls"),
    ("triton-grpc", "ensemble"),
    ("triton-grpc", "tensorrt_llm_bls"),
]
ID_WAYS = [("triton-http", "tensorrt_llm"), ("triton-grpc", "tensorrt_llm")]
WAYS = TEXT_WAYS + ID_WAYS
# An ensemble of this Triton runs to its end when its client has gone, by HTTP and by gRPC.
CANCELLED_WAYS = [way for way in WAYS if way[1] != "ensemble"]


NOT_VALID = 4  # a record was made, and says itself that it does not count


class Run:
    """What a run of bench left."""

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
        asked = subprocess.run(
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
        self.answers = [row["answer"] for row in json.loads(asked.stdout)]

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
        made = models.engine(cls.folder, cls.checkpoint, "q8_0")
        cls.server = LiveServer(
            ENVIRONMENT,
            cls.checkpoint,
            made / "engine",
            batch_size=8,
            max_tokens_in_paged_kv_cache=16384,
        )
        cls.addClassCleanup(cls.server.close)

    def bench(self, way, *words, osl=OSL, requests=REQUESTS):
        protocol, model = way
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
                2,
                "--tokenizer",
                self.checkpoint,
                "--python",
                sys.executable,
                "--prompt-cache",
                self.folder / "prompts",
                "--seed",
                7,
                # This is no test of the machine's quietness.
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
        """What every record of RUN says, besides that nothing failed."""
        for name, value in {"error": None, **values}.items():
            self.assertEqual(run.each(name), {value}, name)


class EveryWay(BenchTest):
    def test_streams_one_event_for_each_token_that_the_server_counts(self):
        for way in WAYS:
            with self.subTest(way=way):
                run = self.bench(way)
                self.assert_each(
                    run, isl=ISL, osl_requested=OSL, osl_counted=OSL, first_event_tokens=1
                )
                self.assertEqual({len(record["gaps_ns"]) for record in run.records}, {OSL - 1})
                self.assertEqual(
                    [run.measurement["metrics"][name] for name in ("isl_reported", "osl_reported")],
                    [ISL, OSL],
                )

    def test_gives_the_same_answers_streamed_or_not(self):
        expected = self.bench(TEXT_WAYS[0]).answers
        self.assertEqual(len(set(expected)), REQUESTS)
        for way in TEXT_WAYS:
            with self.subTest(way=way):
                self.assertEqual(self.bench(way).answers, expected)
                whole = self.bench(way, "--no-stream")
                self.assert_each(whole, osl_counted=OSL)
                self.assertEqual({len(record["gaps_ns"]) for record in whole.records}, {0})
                self.assertEqual(whole.answers, expected)

    def test_carries_what_decides_the_choice_of_tokens(self):
        words = ["--eos", "--temperature", 2, "--top-k", 40, "--top-p", 0.9]
        expected, other = (
            self.bench(TEXT_WAYS[0], *words, "--random-seed", 5).answers,
            self.bench(TEXT_WAYS[0], *words, "--random-seed", 6).answers,
        )
        self.assertNotEqual(expected, other)
        tokenizer = models.generate.Tokenizer.from_file(str(self.checkpoint / "tokenizer.json"))
        word = next(
            text
            for text in map(
                lambda id_: tokenizer.decode([id_]), tokenizer.encode(expected[0]).ids[4:]
            )
            if len(text) > 1 and text.isascii()
        )
        stopped = self.bench(TEXT_WAYS[0], *words, "--random-seed", 5, "--stop-word", word).answers
        self.assertLess(len("".join(stopped)), len("".join(expected)))
        for way in TEXT_WAYS[1:]:
            with self.subTest(way=way):
                self.assertEqual(self.bench(way, *words, "--random-seed", 5).answers, expected)
                self.assertEqual(
                    self.bench(way, *words, "--random-seed", 5, "--stop-word", word).answers,
                    stopped,
                )

    def test_tells_the_answers_of_a_batch_apart(self):
        alone = {way: self.bench(way).answers for way in TEXT_WAYS}
        with self.assertRaisesRegex(AssertionError, "use --protocol triton-grpc"):
            self.bench(("triton-http", "tensorrt_llm"), "--batch", 2)
        for way in TEXT_WAYS + [("triton-grpc", "tensorrt_llm")]:
            with self.subTest(way=way):
                run = self.bench(way, "--batch", 2, requests=REQUESTS // 2)
                self.assert_each(run, sequences=2, isl=2 * ISL, osl_counted=2 * OSL)
                if way in alone:
                    self.assertEqual(
                        run.answers,
                        ["\n".join(alone[way][at : at + 2]) for at in range(0, REQUESTS, 2)],
                    )

    def test_fails_requests_that_the_server_refuses_with_its_words(self):
        for way in WAYS:
            with self.subTest(way=way):
                run = self.bench(way, osl=9000)
                self.assertEqual(run.measurement["metrics"]["error_rate"], 1)
                for error in run.each("error"):
                    self.assertIn("9000", error)

    def test_refuses_an_input_that_the_model_has_not(self):
        for way in WAYS:
            with self.subTest(way=way):
                with self.assertRaisesRegex(
                    AssertionError, f"(?s)nonesuch.*{way[1]}|{way[1]}.*nonesuch"
                ):
                    self.bench(way, "--input", "nonesuch=1")

    def test_refuses_a_model_that_the_server_has_not(self):
        for way in [("triton-http", "nobody"), ("triton-grpc", "nobody")]:
            with self.subTest(way=way):
                with self.assertRaisesRegex(AssertionError, "nobody"):
                    self.bench(way)


class Cancelled(BenchTest):
    """Requests of many thousand tokens are cancelled early: the server stops generating."""

    tokens = 4000

    def made(self):
        return self.server.metric("nv_llm_output_token_len_sum", model="tensorrt_llm") or 0

    def test_leaves_nothing_running(self):
        for way in CANCELLED_WAYS:
            with self.subTest(way=way):
                made, seen = self.made(), []
                done = threading.Event()

                def watch():
                    while not done.is_set():
                        seen.append((time.time_ns(), self.active()))
                        done.wait(0.01)

                watcher = threading.Thread(target=watch)
                watcher.start()
                try:
                    run = self.bench(way, "--stop-after-ms", 200, osl=self.tokens, requests=4)
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
                # Asked of the server's own count, which needs no clock: it made a part of them.
                self.assertLess(self.made() - made, 4 * self.tokens / 2)

    def test_stop_requests_end_them_too(self):
        for way in ID_WAYS:
            for streams in ["--stream", "--no-stream"]:
                with self.subTest(way=way, streams=streams):
                    made = self.made()
                    run = self.bench(
                        way,
                        streams,
                        "--stop-after-ms",
                        200,
                        "--stop-by",
                        "request",
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
                    # Nothing is lost on the way: what was made was sent and counted.
                    self.assertEqual(
                        sum(record["osl_counted"] for record in run.records), self.made() - made
                    )
                    self.assertEqual(self.active(), 0)

    def test_models_that_take_no_stop_requests_refuse_them(self):
        for way in TEXT_WAYS:
            with self.subTest(way=way):
                with self.assertRaisesRegex(
                    AssertionError, f"and {way[1]} is not; give --stop-by close"
                ):
                    self.bench(way, "--stop-after-ms", 200, "--stop-by", "request")

    def test_says_that_an_ensemble_runs_on(self):
        for way in WAYS:
            with self.subTest(way=way):
                run = self.bench(way, "--stop-after-ms", 5000, requests=1)
                self.assertEqual(
                    "is an ensemble, which Triton runs to completion"
                    in "".join(run.measurement["warnings"]),
                    way[1] == "ensemble",
                )
