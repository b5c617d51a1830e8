"""reset_cache.py before a command: what it asks of a server, when it asks again, and when the
command is not started."""

import http.server
import pathlib
import subprocess
import threading
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "runners" / "common" / "scripts"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        self.server.asked.append(self.path)
        status = self.server.answers.pop(0)
        text = b"busy" if status == 400 else b""
        if isinstance(status, bool):
            status, text = 200, b'{"success":%s}' % str(status).lower().encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class ResetCacheTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.server.asked, self.server.answers = [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def run_with(self, page, *answers):
        self.server.answers[:] = answers
        script = SCRIPTS / "reset_cache.py"
        return subprocess.run(
            ["/usr/bin/python3", "-B", script, self.url + page, "echo", "measured"],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "http_proxy": "http://127.0.0.1:1"},
        )

    def test_the_cache_is_emptied_before_the_command(self):
        done = self.run_with("/flush_cache", 200)
        self.assertEqual((done.stdout, self.server.asked), ("measured\n", ["/flush_cache"]))

    def test_a_url_without_a_page_asks_for_nothing(self):
        done = self.run_with("")
        self.assertEqual((done.stdout, self.server.asked), ("measured\n", []))

    def test_a_busy_server_is_asked_again(self):
        done = self.run_with("/flush_cache", 400, 400, 200)
        self.assertEqual((done.stdout, len(self.server.asked)), ("measured\n", 3))

    def test_a_server_that_says_with_status_200_that_it_failed_is_asked_again(self):
        done = self.run_with("/reset_prefix_cache", False, False, True)
        self.assertEqual((done.stdout, len(self.server.asked)), ("measured\n", 3))

    def test_a_page_that_is_not_there_ends_it_before_the_command(self):
        done = self.run_with("/reset", 404)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/reset answers 404", done.stderr)

    def test_a_server_that_is_gone_ends_it_before_the_command(self):
        self.url = "http://127.0.0.1:1"
        done = self.run_with("/flush_cache")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("could not be emptied", done.stderr)


if __name__ == "__main__":
    unittest.main()
