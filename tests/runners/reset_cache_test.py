"""reset_cache.py before a command: what it asks of a server, when it asks again, and when the
command is not started."""

import http.server
import pathlib
import socket
import subprocess
import threading
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "runners" / "common" / "scripts"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        self.server.asked.append(self.path)
        self.server.tokens.append(self.headers.get("Authorization"))
        self.server.keys.append(self.headers.get("x-api-key"))
        status = self.server.answers.pop(0)
        text = b"busy" if status == 400 else b""
        if isinstance(status, bool):
            status, text = 200, b'{"success":%s}' % str(status).lower().encode()
        if isinstance(status, tuple):
            status, text = status
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class ResetCacheTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.server.asked, self.server.answers = [], []
        self.server.tokens, self.server.keys = [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def run_with(self, page, *answers, words=("echo", "measured"), token="t0ken"):
        self.server.answers[:] = answers
        script = SCRIPTS / "reset_cache.py"
        return subprocess.run(
            ["/usr/bin/python3", "-B", script, self.url + page, *words],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "http_proxy": "http://127.0.0.1:1", "TOKEN": token},
        )

    def test_the_cache_is_emptied_before_the_command(self):
        done = self.run_with("/flush_cache", 200)
        self.assertEqual((done.stdout, self.server.asked), ("measured\n", ["/flush_cache"]))

    def test_a_url_without_a_page_asks_for_nothing(self):
        done = self.run_with("")
        self.assertEqual((done.stdout, self.server.asked), ("measured\n", []))
        done = self.run_with("/gateway", words=("echo", "--url", self.url + "/gateway/"))
        self.assertEqual((done.returncode, self.server.asked), (0, []), done.stderr)
        words = ("echo", "--url", self.url + "/gateway")
        done = self.run_with("/gateway/flush_cache", 200, words=words)
        self.assertEqual((done.returncode, self.server.asked), (0, ["/gateway/flush_cache"]))

    def test_the_headers_of_the_command_go_to_this_server_alone(self):
        words = ("echo", "measured", "--header", "x-api-key: $$a-$TOKEN")
        done = self.run_with("/flush_cache", (302, b""), 200, words=words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.server.keys, ["$a-t0ken", None])
        done = self.run_with("/flush_cache", (401, b"no t0ken"), words=words)
        self.assertIn("no ***; it does not accept the value of x-api-key; export", done.stderr)

    def test_a_busy_server_is_asked_again(self):
        done = self.run_with("/flush_cache", 400, 400, 200)
        self.assertEqual((done.stdout, len(self.server.asked)), ("measured\n", 3))

    def test_a_server_that_says_with_status_200_that_it_failed_is_asked_again(self):
        done = self.run_with("/reset_prefix_cache", False, False, True)
        self.assertEqual((done.stdout, len(self.server.asked)), ("measured\n", 3))

    def test_a_long_answer_that_it_failed_counts_as_one(self):
        refused = b'{"success":false,"message":"%s"}' % (b"x" * 1000)
        done = self.run_with("/flush_cache", (200, refused), True)
        self.assertEqual((done.stdout, len(self.server.asked)), ("measured\n", 2))

    def test_the_token_of_the_command_goes_to_this_server_alone(self):
        words = ("echo", "measured", "--token-env", "TOKEN")
        done = self.run_with("/flush_cache", (302, b""), 200, words=words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.server.asked, ["/flush_cache", "/elsewhere"])
        self.assertEqual(self.server.tokens, ["Bearer t0ken", None])

    def test_a_refused_token_ends_it_at_once_and_is_not_shown(self):
        words = ("echo", "measured", "--token-env", "TOKEN")
        done = self.run_with("/flush_cache", (401, b"no t0ken\n\x1b[1m"), words=words)
        self.assertEqual((done.returncode, len(self.server.asked)), (1, 1))
        self.assertIn("answers 401 Unauthorized: no ***", done.stderr)
        self.assertIn("it does not accept the value of Authorization; export", done.stderr)
        self.assertNotIn("t0ken", done.stderr)
        self.assertEqual(done.stderr.strip().count("\n") + done.stderr.count("\x1b"), 0)

    def test_a_token_that_fits_no_header_is_not_shown(self):
        words = ("echo", "measured", "--token-env", "TOKEN")
        done = self.run_with("/flush_cache", words=words, token="t0ken\nx")
        self.assertEqual((done.returncode, self.server.asked), (1, []))
        self.assertIn("the token in TOKEN", done.stderr)
        self.assertNotIn("t0ken", done.stderr)

    def test_a_server_of_another_protocol_is_one_line(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def answer():
            client = listener.accept()[0]
            client.recv(65536)
            client.sendall(b"SSH-2.0-x\r\n\r\n")
            client.close()

        threading.Thread(target=answer, daemon=True).start()
        done = self.run_with("/flush_cache")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("could not be emptied", done.stderr)

    def test_a_page_that_is_not_there_ends_it_before_the_command(self):
        done = self.run_with("/reset", 404)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/reset answers 404", done.stderr)
        done = self.run_with("/reset", 401)
        self.assertIn("token_env: NAME", done.stderr)

    def test_a_server_that_is_gone_ends_it_before_the_command(self):
        self.url = "http://127.0.0.1:1"
        done = self.run_with("/flush_cache")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("could not be emptied", done.stderr)


if __name__ == "__main__":
    unittest.main()
