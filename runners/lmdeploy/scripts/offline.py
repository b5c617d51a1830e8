"""offline.py HOST PORT: holds the GPUs of a measurement whose engine runs inside the tool that
measures it. GET /ready answers 200, and GET /devices with the GPUs.
"""
import http.server
import os
import socketserver
import sys

from stage import run


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_GET(self):
        known = {"/ready": "ready", "/devices": os.environ.get("CUDA_VISIBLE_DEVICES", "")}
        body = known.get(self.path, "").encode()
        self.send_response(200 if self.path in known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def main(arguments):
    host, port = arguments
    with Server((host, int(port)), Handler) as server:
        print(f"GPUs held: {os.environ.get('CUDA_VISIBLE_DEVICES', 'all')}", file=sys.stderr)
        server.serve_forever()


if __name__ == "__main__":
    run(main, ValueError)
