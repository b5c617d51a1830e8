"""A server for tests that answers like trtllm-serve without a model: every answer has the words w0
w1 ...

Like trtllm-serve, it refuses unknown fields and streams with usage on request. It counts the tokens
of a prompt by its spaces."""

import http.server
import json
import threading

KNOWN = {
    "model",
    "prompt",
    "messages",
    "max_tokens",
    "stream",
    "stream_options",
    "ignore_eos",
    "min_tokens",
    "temperature",
    "add_special_tokens",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def do_GET(self):
        if self.path == "/health":
            return self.whole(200, b"")
        if self.path == "/v1/models":
            return self.answer(
                200,
                {
                    "object": "list",
                    "data": [{"id": "m", "object": "model", "owned_by": "tensorrt_llm"}],
                },
            )
        return self.answer(404, {"detail": "Not Found"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        chat = self.path == "/v1/chat/completions"
        if not chat and self.path != "/v1/completions":
            return self.answer(404, {"detail": "Not Found"})
        unknown = sorted(set(body) - KNOWN)
        if unknown:
            return self.answer(
                400,
                {
                    "object": "error",
                    "message": f"Extra inputs are not permitted: {unknown[0]}",
                    "type": "BadRequestError",
                    "param": None,
                    "code": 400,
                },
            )
        prompt = body["messages"][0]["content"] if chat else body["prompt"]
        words = [f" w{i}" for i in range(body["max_tokens"])]
        usage = {
            "prompt_tokens": prompt.count(" ") + 1 + (4 if chat else 0),
            "completion_tokens": len(words),
        }
        usage["total_tokens"] = sum(usage.values())
        if body.get("stream"):
            return self.stream(
                chat, words, usage if body.get("stream_options", {}).get("include_usage") else None
            )
        text = "".join(words)
        choice = {"index": 0, "finish_reason": "length"} | (
            {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        )
        return self.answer(
            200, {"id": "x", "object": "text_completion", "choices": [choice], "usage": usage}
        )

    def stream(self, chat, words, usage):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if chat:
            self.event({"choices": [{"index": 0, "delta": {"role": "assistant"}}]})
        for place, word in enumerate(words):
            last = "length" if place + 1 == len(words) else None
            self.event(
                {
                    "choices": [
                        {"index": 0, "finish_reason": last}
                        | ({"delta": {"content": word}} if chat else {"text": word})
                    ]
                }
            )
        if usage:
            self.event({"choices": [], "usage": usage})
        self.chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, content):
        self.chunk(b"data: " + json.dumps(content).encode() + b"\n\n")

    def chunk(self, text):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))

    def answer(self, status, content):
        self.whole(status, json.dumps(content).encode())

    def whole(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Server:
    """Listens on a free port of this host while it is entered."""

    def __enter__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.bodies = self.bodies = []
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
