"""Shared by the tests of downloads: a client in this process with its own folder and environment,
and the rows of the failure table, which classify a message as `orchestrate` does."""

import contextlib
import faulthandler
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
SCRIPTS = os.path.join(ROOT, "runners", "common", "scripts")
sys.path.insert(0, SCRIPTS)

import download  # noqa: E402
import resolve  # noqa: E402
import stage  # noqa: E402
import web  # noqa: E402
from hub_server import COMMIT, Hub, entered  # noqa: E402

CONFIG = b'{"architectures": ["Qwen2ForCausalLM"]}'
WEIGHTS = bytes(range(256)) * 40
FILES = {"config.json": CONFIG, "tokenizer.json": b"{}", "model.safetensors": WEIGHTS}


def failure_rows():
    """(class, text or None, pattern or None), in the order of the table."""
    with open(
        os.path.join(ROOT, "src", "run", "attempt", "failure_table.cpp"), encoding="utf-8"
    ) as file:
        text = re.sub(r'"\s*\n\s*"', "", file.read())  # joins wrapped literals
    rows = re.findall(
        r'\{\.failure = Class::(\w+),\s*\.(text|pattern) =\s*"((?:[^"\\]|\\.)*)"[^}]*\}', text
    )
    rows = [(name, kind, re.sub(r"\\(.)", r"\1", value)) for name, kind, value in rows]
    return [
        (
            name,
            (
                (lambda line, value=value: value in line)
                if kind == "text"
                else re.compile(value).search
            ),
        )
        for name, kind, value in rows
    ]


def failure_of(log):
    for name, matches in failure_rows():
        if any(matches(line.lower()) for line in log.splitlines()):
            return name
    return None


class Finished:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.log = out + err
        self.last = self.log.splitlines()[-1] if self.log else ""


class ClientTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        faulthandler.dump_traceback_later(120, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out")
        self.environment = {
            "HOME": self.folder,
            "HF_HOME": os.path.join(self.folder, "hf"),
            "HF_HUB_DOWNLOAD_TIMEOUT": "10",
            "no_proxy": "127.0.0.1",
        }
        self.waits = []
        patch = mock.patch.object(
            web, "pause", lambda gone, seconds: self.waits.append(seconds) or gone.is_set()
        )
        patch.start()
        self.addCleanup(patch.stop)

    def entered(self, context):
        return entered(self, context)

    def serve(self, files=None, **settings):
        server = self.entered(Hub(dict(FILES if files is None else files)))
        for name, value in settings.items():
            self.assertTrue(hasattr(server, name))
            setattr(server, name, value)
        self.environment["HF_ENDPOINT"] = server.url
        return server

    def script(self, module, *arguments):
        out, err, status = io.StringIO(), io.StringIO(), 0
        argv = [os.path.join(SCRIPTS, module.__name__ + ".py"), *arguments]
        with mock.patch.object(sys, "argv", argv), mock.patch.dict(
            os.environ, self.environment, clear=True
        ):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    stage.run(module.main)
                except SystemExit as ended:
                    status = ended.code
        return Finished(status, out.getvalue(), err.getvalue())

    def resolve(self, source="hf:acme/tiny", revision="main"):
        return self.script(resolve, source, revision)

    def download(self, source="hf:acme/tiny", revision=COMMIT, *more):
        return self.script(download, source, revision, self.out, *more)

    def assert_whole(self, result, files=None):
        self.assertEqual((result.status, result.log if result.status else ""), (0, ""))
        self.assertEqual(self.here(), FILES if files is None else files)

    def here(self):
        found = {}
        for name in os.listdir(self.out):
            self.assertFalse(os.path.islink(os.path.join(self.out, name)))
            with open(os.path.join(self.out, name), "rb") as file:
                found[name] = file.read()
        return found

    def assert_gone(self, name):
        """Neither the file nor a part of it exists."""
        self.assertEqual([one for one in os.listdir(self.out) if one.startswith(name)], [])

    def assert_failed(self, result, line, failure):
        self.assertEqual((result.status, result.last), (1, line))
        self.assertEqual(failure_of(result.log), failure)

    def write(self, path, content):
        full = pathlib.Path(self.folder, path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content)
        return str(full)
