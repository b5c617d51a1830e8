"""A server that runs already, measured with the texts of a dataset: no tokenizer, no model. What is
said of a wrong name and of a wrong token. ORCH_BINARY names orchestrate."""

import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

ORCHESTRATE = os.environ["ORCH_BINARY"]
TOKEN = "the-right-token"

MATRIX = """name: texts
runner: openai-server
datasets: {{mine: {{source: "local:texts.jsonl"}}}}
measure:
  prompts: mine
  reuse_prompts: true
  limits: {{client_cpu_share: 1000, wake_lag_ms: 1000}}
axes: {{load: [{{concurrency: 2}}]}}
defaults: {{bench_model: {model}, osl: 4, num_prompts: 8, eos: true}}
service: {{url: "{url}", machine: a box, {access}}}
"""


class Server(http.server.BaseHTTPRequestHandler):
    """Lists three models, and answers completions to whoever has the token."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def is_allowed(self):
        if self.path.startswith("/gateway/"):
            self.path = self.path.removeprefix("/gateway")
            if self.headers["x-api-key"] == TOKEN:
                return True
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return True
        self.answer(401, {"error": {"message": "no"}})
        return False

    def do_GET(self):
        if not self.is_allowed():
            return
        listed = self.path == "/v1/models"
        names = ["small", "large", "tiny:latest"]
        self.answer(200 if listed else 404, {"data": [{"id": name} for name in names]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.is_allowed():
            return
        usage = {"prompt_tokens": 3, "completion_tokens": 4}
        if not request.get("stream"):
            return self.answer(200, {"choices": [{"text": "x x x x"}], "usage": usage})
        self.server.prompts.append(request["prompt"])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = [{"choices": [{"index": 0, "text": "x "}]} for _ in range(4)]
        for event in [*map(json.dumps, [*events, {"choices": [], "usage": usage}]), "[DONE]"]:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")


class RunningTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        rows = [json.dumps({"prompt": f"Say {n}"}) + "\n" for n in range(8)]
        (self.folder / "texts.jsonl").write_text("".join(rows))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.server.prompts = []
        self.addCleanup(self.server.server_close)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.shutdown)

    def run_matrix(self, model="small", token=TOKEN, path="", access="token_env: TEXTS_TOKEN"):
        url = f"http://127.0.0.1:{self.server.server_port}{path}"
        text = MATRIX.format(model=model, url=url, access=access)
        (self.folder / "texts.yaml").write_text(text)
        return subprocess.run(
            [ORCHESTRATE, "run", "texts.yaml"],
            cwd=self.folder,
            env={**os.environ, "TEXTS_TOKEN": token},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def test_texts_of_a_dataset_need_no_tokenizer(self):
        finished = self.run_matrix()
        self.assertEqual(finished.returncode, 0, finished.stderr)
        started = [
            line.split()[1] for line in finished.stderr.splitlines() if line[:7] == "started"
        ]
        self.assertEqual(started, ["text_prompts", "serve", "bench"])
        # The first request of a measurement has a text of its own.
        texts = {f"Say {n}" for n in range(8)}
        self.assertEqual(set(self.server.prompts) & texts, texts, "as they are")
        self.assertEqual(len(self.server.prompts), 1 + len(texts))

    def test_a_model_that_the_server_does_not_list_is_refused_with_those_that_it_lists(self):
        finished = self.run_matrix(model="smal")
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(
            finished.stderr,
            r"texts.yaml:10:\d+: service: http://127.0.0.1:\d+ has no model 'smal'; did you mean"
            r" 'small'\?; its /v1/models lists 'small', 'large' or 'tiny:latest'"
            r"; set bench_model to one of them",
        )
        self.assertEqual(finished.stderr.count("has no model"), 1, finished.stderr)
        self.assertEqual(self.server.prompts, [], "it is not measured")

    def test_a_model_of_the_newest_tag_needs_no_tag(self):
        finished = self.run_matrix(model="tiny")
        self.assertEqual(finished.returncode, 0, finished.stderr)

    def test_a_gateway_with_a_path_and_a_key_is_measured(self):
        access = "headers: {x-api-key: $TEXTS_TOKEN}"
        finished = self.run_matrix(path="/gateway", access=access)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        finished = self.run_matrix(path="/gateway", access=access, token="another")
        self.assertEqual(finished.returncode, 1)
        self.assertIn(
            "/v1/models answers 401: it rejects the value of the header x-api-key; export"
            " the right one",
            finished.stderr,
        )

    def test_a_wrong_token_says_so_and_which_variable_to_export(self):
        finished = self.run_matrix(token="another")
        self.assertEqual(finished.returncode, 1)
        self.assertIn(
            "/v1/models answers 401: it rejects the token in the variable that token_env names;"
            " export the right one",
            finished.stderr,
        )
        self.assertEqual(finished.stderr.count("401"), 1, finished.stderr)


if __name__ == "__main__":
    unittest.main()
