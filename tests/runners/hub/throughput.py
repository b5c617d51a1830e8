"""Downloads one large file from a hub on 127.0.0.1, beside four curls that bring a quarter each.

usage: throughput.py [--mib N] [--rounds N] [--folder FOLDER]

Prints the wall time of each round and the ratios of the medians. curl checks nothing, so its time
is also given with sha256sum after it. The hub sends files with sendfile(2), and its listing is made
beforehand.
"""

import argparse
import hashlib
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hub_server import COMMIT, git_sum

ROOT = Path(__file__).resolve().parents[3]
DOWNLOAD = ROOT / "runners" / "common" / "scripts" / "download.py"
NAME, CONNECTIONS = "model.safetensors", 4
CONFIG = b'{"architectures": ["Qwen2ForCausalLM"]}'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if "/tree/" in self.path:
            return self.send_headers(200, len(self.server.listing), self.server.listing)
        name = self.path.rsplit("/", 1)[-1]
        with open(self.server.folder / name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            begin, end = 0, size
            if wanted := self.headers.get("Range"):
                begin, last = (int(one) for one in wanted.removeprefix("bytes=").split("-"))
                end = min(size, last + 1)
                part = f"bytes {begin}-{end - 1}/{size}"
                self.send_headers(206, end - begin, **{"Content-Range": part})
            else:
                self.send_headers(200, end - begin)
            self.connection.setblocking(True)
            while begin < end:
                begin += os.sendfile(self.connection.fileno(), file.fileno(), begin, end - begin)

    def send_headers(self, status, size, body=b"", **more):
        self.send_response(status)
        for name, value in {"Content-Length": str(size), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def serve(folder, sizes_and_sums):
    """Serves until it is killed; prints its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.folder, server.listing = folder, json.dumps(sizes_and_sums).encode()
    print(server.server_address[1], flush=True)
    server.serve_forever()


def listed(name, content, is_large):
    entry = {"type": "file", "path": name, "size": len(content), "oid": git_sum(content)}
    if is_large:
        entry["lfs"] = {
            "oid": hashlib.sha256(content).hexdigest(),
            "size": len(content),
            "pointerSize": 134,
        }
    return entry


def timed(*commands, env=None):
    """Seconds until all COMMANDS, which run side by side, have ended."""
    begun = time.monotonic()
    running = [
        subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) for command in commands
    ]
    for one in running:
        if one.wait():
            sys.exit(f"throughput.py: {one.args} ended with status {one.returncode}")
    return time.monotonic() - begun


def with_download(url, out):
    env = {**os.environ, "HF_ENDPOINT": url, "HF_HOME": f"{out}/cache", "no_proxy": "127.0.0.1"}
    words = ["hf:acme/large", COMMIT, f"{out}/model", "--connections", str(CONNECTIONS)]
    return timed([sys.executable, str(DOWNLOAD), *words], env=env)


def with_curl(url, out, size):
    each = -(-size // CONNECTIONS)
    return timed(
        *[
            ["curl", "-sf", "--noproxy", "*", "-r", f"{at}-{min(size, at + each) - 1}"]
            + ["-o", f"{out}/{at}", f"{url}/acme/large/resolve/{COMMIT}/{NAME}"]
            for at in range(0, size, each)
        ]
    )


def a_round(url, folder, size):
    seconds = {}
    with tempfile.TemporaryDirectory(dir=folder) as out:
        seconds["download.py"] = with_download(url, out)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        seconds["curl x 4"] = with_curl(url, out, size)
        parts = sorted(Path(out).iterdir(), key=lambda path: int(path.name))
        hashing = timed(["sh", "-c", 'cat "$@" | sha256sum', "sh", *map(str, parts)])
        seconds["curl x 4, then sha256sum"] = seconds["curl x 4"] + hashing
    return seconds


def measure(options):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        content = os.urandom(1 << 20) * options.mib
        files = {NAME: content, "config.json": CONFIG}
        served = Path(folder, "served")
        served.mkdir()
        for name, bytes_ in files.items():
            (served / name).write_bytes(bytes_)
        listing = [listed(name, bytes_, name == NAME) for name, bytes_ in files.items()]
        del content, files
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(write, 1)
            serve(served, listing)
        port = int(os.read(read, 20))
        try:
            rounds = []
            for _ in range(options.rounds):
                rounds.append(a_round(f"http://127.0.0.1:{port}", folder, options.mib << 20))
                print(
                    "; ".join(f"{name}: {value:.2f} s" for name, value in rounds[-1].items()),
                    flush=True,
                )
        finally:
            os.kill(pid, 9)
    ours, *peers = (statistics.median(one[name] for one in rounds) for name in rounds[0])
    for name, value in zip(list(rounds[0])[1:], peers):
        print(f"download.py takes {ours / value:.2f} times the time of {name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--mib", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=None, help="where files are written")
    measure(parser.parse_args())
