"""A server with Triton's generate endpoints: serve.py PORT CONFIG."""

import http.server
import json
import os
import pathlib
import signal
import sys

port, config = sys.argv[1:]
flavour, model = pathlib.Path(config).read_text().split()
if pathlib.Path(model).read_text() != flavour:
    sys.exit("the model has another flavour than " + flavour)
if flavour == "dies":
    sys.exit("cannot load the flavour 'dies'")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200 if self.path == "/ready" else 404, b"{}")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("generate_stream"):
            return self.answer(200, b'{"text_output": "hello"}')
        if flavour == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for i in range(request["max_tokens"]):
            event = b"data: " + json.dumps({"text_output": f"{flavour}{i} "}).encode() + b"\n\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
