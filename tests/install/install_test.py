"""The installed program: by `cmake --install` into a prefix that is then moved, and as the Debian
package, unpacked. It is used from another folder, by another user where this one is root, and
writes nothing into its prefix.

install_test.py BUILD [ARGUMENTS OF unittest]"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
DATA = "share/orchestrate"
EXPERIMENTS = ("qwen2-deploy", "quickstart", "trtllm-backend-tour")
PAGES = (
    "share/bash-completion/completions/orchestrate",
    "share/fish/vendor_completions.d/orchestrate.fish",
)

# Its task imports a file that all runners share, and that only the installed ones have.
RUNNER = """\
runner: toy
parameters:
  flavour: {type: text, default: plain}
stages:
  make:
    kind: task
    reads: [flavour]
    argv: [/usr/bin/python3, "{file:make.py}", "{flavour}", "{file:common/scripts/stage.py}",
           "{out}"]
    outputs: [prompts.jsonl]
  serve:
    kind: service
    needs: [make]
    ports: [http]
    argv: [/usr/bin/python3, "{file:serve.py}", "{port:http}"]
    ready: {port: http, get: [/ready], timeout_s: 60}
    stop_s: 5
  bench:
    kind: measure
    needs: [serve, make]
    argv: ["{orchestrate}", bench, --url, "http://127.0.0.1:{port:serve.http}",
           --protocol, triton-http, --model, toy, --no-stream, --concurrency, "1", --requests, "4",
           --osl, "2", --prompts, "{stage:make}/prompts.jsonl", --wake-lag-ms-limit, "10000",
           --send-lag-ms-limit, "10000", --client-cpu-limit, "1000", --out, "{out}"]
    outputs: [measurement.json, requests.jsonl]
"""
MAKE = """\
import json, os, sys
flavour, shared, out = sys.argv[1:]
sys.path.insert(0, os.path.dirname(shared))
import stage
with open(out + "/prompts.jsonl", "w") as file:
    for block in range(3):
        for i in range(4):
            prompt = {"text_input": f"{flavour} {block} {i}", "isl": 3, "block": block}
            print(json.dumps(prompt), file=file)
"""
SERVE = """\
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b"{}")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b'{"text_output": "x y"}')

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
MATRIX = "name: mine\nrunner: toy\naxes: {flavour: [plain]}\n"


def listing(folder):
    """Every path below FOLDER with its kind, size and time of change."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            size = 0 if os.path.isdir(path) else status.st_size
            found[path] = (status.st_mode, size, status.st_mtime_ns)
    return found


class User:
    """A user of the program at PREFIX, with a working folder of its own."""

    def __init__(self, prefix, folder, name=None):
        self.binary = os.path.join(prefix, "bin/orchestrate")
        self.data = os.path.join(prefix, DATA)
        self.folder = folder
        self.ids = {}
        os.mkdir(folder)
        if name:
            user = pwd.getpwnam(name)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self.ids = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def write_toy(self, folder="runners"):
        for name, text in (("runner.yaml", RUNNER), ("make.py", MAKE), ("serve.py", SERVE)):
            self.write(f"{folder}/toy/{name}", text)

    def run(self, *words, **variables):
        environment = {
            "PATH": f"{os.path.dirname(self.binary)}:/usr/bin:/bin",
            "HOME": self.folder,
            "LANG": "C.UTF-8",
            **variables,
        }
        return subprocess.run(
            ["orchestrate", *words],
            executable=self.binary,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            **self.ids,
        )


class Installed:
    """The same tests for every way to install; a subclass sets `prefix` and `base`."""

    prefix = base = None

    def user(self, name=None):
        folder = tempfile.mkdtemp(dir=self.base)
        os.chmod(folder, 0o755)
        return User(self.prefix, os.path.join(folder, "home"), name)

    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_has_the_folders_that_others_look_in(self):
        for name in ("runners", "templates", "experiments", "tests/data/8xh100.yaml"):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, DATA, name)), name)
        for name in (
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "LICENSE",
            "docs",
            "runners/README.md",
            "src/core/README.md",
        ):
            self.assertTrue(
                os.path.exists(os.path.join(self.prefix, "share/doc/orchestrate", name)), name
            )
        for name in PAGES:
            with open(os.path.join(self.prefix, name), encoding="utf-8") as file:
                self.assertIn("orchestrate", file.read())
        stray = [path for path in listing(self.prefix) if path.endswith((".pyc", "__pycache__"))]
        self.assertEqual(stray, [])

    def test_checks_and_plans_its_experiments_with_its_own_runners(self):
        user = self.user()
        machine = os.path.join(user.data, "tests/data/8xh100.yaml")
        for name in EXPERIMENTS:
            matrix = os.path.join(user.data, "experiments", name + ".yaml")
            self.good(user.run("check", matrix, "--machine", machine))
            script = self.good(user.run("plan", matrix, "--machine", machine, "--script"))
            self.assertIn(f"\nrunner_here={user.data}/runners/", script)
        self.assertEqual(os.listdir(user.folder), [])

    def test_writes_a_matrix_anywhere(self):
        user = self.user()
        self.good(user.run("init", "first", "--runner", "triton-openvino"))
        self.good(user.run("check", "first/matrix.yaml"))
        self.good(user.run("explain", "download", "--runner", "triton-openvino"))

    def test_a_users_own_runner_comes_first(self):
        user = self.user()
        user.write("matrix.yaml", MATRIX.replace("toy", "triton-openvino"))
        own = RUNNER.replace("runner: toy", "runner: triton-openvino")
        refused = user.run("check", "matrix.yaml")
        self.assertEqual(refused.returncode, 2)  # the installed runner has no such parameter
        for folder, words in (
            ("chosen", ["--runners", "chosen"]),
            ("of-the-site", ["--site", "site.yaml"]),
            ("runners", []),
        ):
            name = "triton-openvino" if folder != "of-the-site" else "of-the-site"
            for file, text in (
                ("runner.yaml", own.replace("runner: triton-openvino", f"runner: {name}")),
                ("make.py", MAKE),
                ("serve.py", SERVE),
            ):
                user.write(f"{folder}/{name}/{file}", text)
            user.write("site.yaml", "runners: of-the-site\n")
            user.write("matrix.yaml", MATRIX.replace("toy", name))
            script = self.good(user.run("plan", "matrix.yaml", "--script", *words))
            self.assertIn(f"\nrunner_here={user.path(folder)}/{name}\n", script)

    def sweep(self, user):
        user.write_toy()
        user.write("matrix.yaml", MATRIX)
        before = listing(self.prefix)
        self.good(user.run("run", "matrix.yaml"))
        rows = json.loads(self.good(user.run("query", "results", "--format", "json")))
        self.assertEqual(len(rows), 1)
        self.assertTrue(os.path.isfile(user.path("results/results.db")))
        self.assertEqual(listing(self.prefix), before)

    def test_a_sweep_of_its_owner_writes_nothing_into_the_prefix(self):
        self.sweep(self.user())

    def test_a_sweep_of_another_user_needs_only_to_read_the_prefix(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        subprocess.run(["chmod", "-R", "a-w,a+rX", self.prefix], check=True)
        self.sweep(self.user("nobody"))


class ByCMake(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="orchestrate-install-")
        os.chmod(cls.base, 0o755)
        first = os.path.join(cls.base, "first")
        subprocess.run(
            ["cmake", "--install", BUILD, "--prefix", first],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        cls.prefix = os.path.join(cls.base, "moved")
        os.rename(first, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def test_manual_and_zsh_completion_are_in_their_folders(self):
        for name in ("share/man/man1/orchestrate.1", "share/zsh/site-functions/_orchestrate"):
            self.assertTrue(os.path.getsize(os.path.join(self.prefix, name)), name)


@unittest.skipUnless(
    shutil.which("dpkg-shlibdeps") and shutil.which("file"), "dpkg-dev or file is not installed"
)
class ByPackage(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp(prefix="orchestrate-package-")
        os.chmod(cls.base, 0o755)
        config = os.path.join(BUILD, "CPackConfig.cmake")
        made = subprocess.run(
            ["cpack", "--config", config, "-B", os.path.join(cls.base, "made")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        folder = os.path.join(cls.base, "made")
        packages = [name for name in os.listdir(folder) if name.endswith(".deb")]
        assert len(packages) == 1, packages
        cls.package = os.path.join(folder, packages[0])
        root = os.path.join(cls.base, "root")
        subprocess.run(["dpkg-deb", "-x", cls.package, root], check=True)
        cls.prefix = os.path.join(root, "usr")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def field(self, name):
        return subprocess.run(
            ["dpkg-deb", "-f", self.package, name], check=True, capture_output=True, text=True
        ).stdout.strip()

    def test_depends_on_its_libraries_and_on_python(self):
        depends = self.field("Depends")
        for name in ("libsqlite3-0", "libcurl4", "libssl3", "libc6", "python3", "python3-venv"):
            self.assertRegex(depends, rf"\b{name}\b")
        self.assertIn("libb64-0d", self.field("Recommends"))
        self.assertRegex(self.field("Description"), r"^deployment .*\n Reads a matrix of")
        self.assertEqual(self.field("Package"), "orchestrate")

    def test_manual_completion_and_licence_are_where_debian_has_them(self):
        for name in (
            "share/man/man1/orchestrate.1.gz",
            "share/zsh/vendor-completions/_orchestrate",
            "share/doc/orchestrate/copyright",
            "share/doc/orchestrate/changelog.gz",
        ):
            self.assertTrue(os.path.getsize(os.path.join(self.prefix, name)), name)
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "share/zsh/site-functions")))


if __name__ == "__main__":
    unittest.main()
