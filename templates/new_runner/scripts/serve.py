"""A toy server of the OpenAI completions protocol: answers every prompt with words from a list, one
word a token, as a stream of events or at once.
"""
import argparse
import http.server
import itertools
import json
import sys
import threading
import time
from pathlib import Path

OPTIONS = argparse.ArgumentParser(description=__doc__)
OPTIONS.add_argument("--words", required=True, help="a JSON list")
OPTIONS.add_argument("--host", required=True)
OPTIONS.add_argument("--port", type=int, required=True)
OPTIONS.add_argument("--model", required=True, help="the name that requests address")
OPTIONS.add_argument("--token-ms", type=float, default=0, help="time for a token")
OPTIONS.add_argument("--slots", type=int, default=1, help="requests answered at the same time")


def chunk(text):
    return b"%x\r\n%s\r\n" % (len(text), text)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an event is sent at once
    options, words, slots = None, [], None

    def log_message(self, *_):
        """Keeps the log of the stage short."""

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status, message):
        self.reply(status, {"error": {"message": message, "code": status}})

    def do_GET(self):
        if self.path == "/health":
            return self.reply(200, {})
        if self.path == "/v1/models":
            return self.reply(200, {"object": "list", "data": [{"id": self.options.model}]})
        return self.refuse(404, f"no page {self.path}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/completions":
            return self.refuse(404, f"no endpoint {self.path}")
        try:
            request = json.loads(body)
            count = int(request.get("max_tokens", 16))
            prompt = request["prompt"]  # a text, or a list of token ids
            prompt_tokens = len(prompt.split() if isinstance(prompt, str) else prompt)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return self.refuse(400, f"not a request for a completion: {error!r}")
        if request.get("model", self.options.model) != self.options.model:
            return self.refuse(404, f"no model {request['model']}; there is {self.options.model}")
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": count,
            "total_tokens": prompt_tokens + count,
        }
        with self.slots:  # the others wait here
            if request.get("stream"):
                return self.stream(count, usage)
            text = "".join(self.tokens(count))
            choice = {"index": 0, "text": text, "finish_reason": "length"}
            return self.reply(200, {"choices": [choice], "usage": usage})

    def tokens(self, count):
        """Replace this with an engine."""
        for word in itertools.islice(itertools.cycle(self.words), count):
            time.sleep(self.options.token_ms / 1000)
            yield " " + word

    def stream(self, count, usage):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at, token in enumerate(self.tokens(count), 1):
            choice = {"index": 0, "text": token}
            choice["finish_reason"] = "length" if at == count else None
            self.send_event(json.dumps({"choices": [choice]}))
        self.send_event(json.dumps({"choices": [], "usage": usage}))
        self.send_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def send_event(self, text):
        self.wfile.write(chunk(f"data: {text}\n\n".encode()))


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client may close its stream
            super().handle_error(request, client_address)


def main():
    Handler.options = OPTIONS.parse_args()
    Handler.words = json.loads(Path(Handler.options.words).read_text(encoding="utf-8"))
    Handler.slots = threading.BoundedSemaphore(Handler.options.slots)
    Server((Handler.options.host, Handler.options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
