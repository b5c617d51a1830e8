"""Downloads that die, run beside each other, stall or meet hostile answers: no wrong byte, and
little is fetched twice."""

import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest
import zlib
from unittest import mock

from hub_support import CONFIG, FILES, ClientTest, failure_of
from hub_server import COMMIT, git_sum, hold_after, sha256, status, then

import part_file
import transfer
import web
from url_source import UrlFile

CHUNK = 1000
SPAN = 8
LARGE = "/model.safetensors"
CONTENT = bytes(range(251)) * 160  # 41 chunks
MODEL = {**FILES, "model.safetensors": CONTENT}
KILLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "killed.py")


def bytes_asked(server):
    """How many bytes of the large file requests asked for."""
    total = 0
    for headers in server.storage_requests():
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", headers.get("Range") or "")
        total += int(found[2]) + 1 - int(found[1]) if found else len(CONTENT)
    return total


class Processes(ClientTest):
    def setUp(self):
        super().setUp()
        self.parts = pathlib.Path(self.folder, "parts")

    def start(self, call=0, out=None, *more):
        arguments = ["hf:acme/tiny", COMMIT, out or self.out, "--parts", str(self.parts), *more]
        return subprocess.Popen(
            [sys.executable, KILLED, str(call), str(CHUNK), str(SPAN), *arguments],
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self, process):
        out, _ = process.communicate(timeout=60)
        return process.returncode, out

    def finished(self):
        """The bytes of the chunks that dead processes have finished."""
        indexes = {
            entry[0]
            for path in self.parts.glob(f"{sha256(CONTENT)}-*.list")
            for entry in part_file.ENTRY.findall(path.read_bytes())
        }
        return sum(min(CHUNK, len(CONTENT) - int(index, 16) * CHUNK) for index in indexes)

    def assert_content(self, out=None):
        for name, content in MODEL.items():
            self.assertEqual(pathlib.Path(out or self.out, name).read_bytes(), content, name)


class Killed(Processes):
    def test_wherever_it_is_killed_no_byte_is_wrong_and_finished_chunks_are_not_fetched_again(self):
        self.serve(MODEL)
        calls = int(self.end(self.start())[1].split()[-1])
        self.assertGreater(calls, 2 * 41)
        for call in range(1, calls, 5):
            with self.subTest(call=call):
                self.out = os.path.join(self.folder, f"out-{call}")
                code, out = self.end(self.start(call))
                self.assertEqual(code, -9, out)
                published = os.path.exists(os.path.join(self.out, "model.safetensors"))
                here = self.finished()
                server = self.serve(MODEL)
                self.out += "-again"  # the folder of another attempt
                code, out = self.end(self.start())
                self.assertEqual(code, 0, out)
                self.assert_content()
                if not published:
                    self.assertLessEqual(bytes_asked(server), len(CONTENT) - here)
                self.age()

    def age(self):
        """All writers are long dead; what they left is removed with the next download."""
        for path in self.parts.glob("*"):
            path.unlink()

    def test_a_killed_process_loses_at_most_one_chunk_per_connection(self):
        server = self.serve(MODEL)
        reached, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)
        server.fail(LARGE, then(lambda _: None), hold_after(5 * CHUNK + 999, reached, release))
        process = self.start(0, None, "--connections=1")
        self.assertTrue(reached.wait(120))
        while self.finished() < 5 * CHUNK:
            self.assertIsNone(process.poll())
        process.kill()
        self.assertEqual(self.end(process)[0], -9)
        release.set()
        again = self.serve(MODEL)
        code, out = self.end(self.start())
        self.assertEqual(code, 0, out)
        self.assertIn(f"model.safetensors: 5000 of {len(CONTENT)} bytes are here", out)
        self.assert_content()
        self.assertEqual(bytes_asked(again), len(CONTENT) - 5 * CHUNK)

    def test_chunks_that_a_dead_process_left_damaged_are_fetched_again(self):
        self.serve(MODEL)
        self.assertEqual(self.end(self.start(60))[0], -9)
        here = self.finished()
        self.assertGreaterEqual(here, 2 * CHUNK)
        for path in self.parts.glob(f"{sha256(CONTENT)}-*.part"):
            content = bytearray(path.read_bytes())
            content[::CHUNK] = bytes(one ^ 1 for one in content[::CHUNK])
            path.write_bytes(content)
        for path in self.parts.glob("*.list"):
            with open(path, "ab") as file:
                file.write(b"00000")  # the entry that was being written
        again = self.serve(MODEL)  # the first may still hear what the dead process asked
        code, out = self.end(self.start())
        self.assertEqual(code, 0, out)
        self.assert_content()
        self.assertEqual(bytes_asked(again), len(CONTENT))

    def test_what_a_dead_writer_left_is_removed_once_it_is_certainly_dead(self):
        self.serve(MODEL)
        self.assertEqual(self.end(self.start(60))[0], -9)
        left = sorted(self.parts.glob("*"))
        self.assertEqual(len(left), 2)
        self.assertEqual(self.end(self.start())[0], 0)
        self.assertEqual(sorted(self.parts.glob("*")), left)
        for path in left:
            os.utime(path, (1, 1))
        self.assertEqual(self.end(self.start(0, self.out + "2"))[0], 0)
        self.assertEqual(sorted(self.parts.glob("*")), [])

    def test_what_a_dead_writer_left_is_removed_as_soon_as_another_has_it(self):
        server = self.serve(MODEL)
        self.assertEqual(self.end(self.start(60))[0], -9)
        left = sorted(self.parts.glob("*"))
        for path in left:
            os.utime(path, (1, 1))
        reached, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)
        server.fail(LARGE, then(lambda _: None), hold_after(1, reached, release))
        again = self.start(0, None, "--connections=1")
        self.assertTrue(reached.wait(120))
        here = sorted(self.parts.glob("*"))
        release.set()
        self.assertEqual(self.end(again)[0], 0)
        self.assertEqual((len(here), set(here) & set(left)), (2, set()))
        self.assert_content()


class Together(Processes):
    def test_four_writers_without_locks_all_get_the_right_bytes(self):
        server = self.serve(MODEL)
        met = threading.Barrier(4)

        def meet(_):
            met.wait(20)
            return False

        server.fail("/resolve/" + COMMIT + LARGE, *[meet] * 4)
        outs = [os.path.join(self.folder, name) for name in ("a", "b", "c", "c")]
        processes = [self.start(0, out, "--connections=1") for out in outs]
        for process in processes:
            code, out = self.end(process)
            self.assertEqual(code, 0, out)
        for out in outs:
            self.assert_content(out)
            self.assertEqual(sorted(os.listdir(out)), sorted(MODEL))
        self.assertFalse(met.broken)
        self.assertEqual(sorted(self.parts.glob("*")), [])

    def test_a_writer_that_lives_keeps_its_files_while_another_publishes(self):
        server = self.serve(MODEL)
        reached, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)
        server.fail(LARGE, then(lambda _: None), hold_after(3 * CHUNK, reached, release))
        slow = self.start(0, self.out + "-slow", "--connections=1")
        self.assertTrue(reached.wait(120))
        self.assertEqual(self.end(self.start())[0], 0)
        release.set()
        code, out = self.end(slow)
        self.assertEqual(code, 0, out)
        self.assert_content(self.out + "-slow")

    def test_a_writer_that_was_taken_for_dead_publishes_all_the_same(self):
        server = self.serve(MODEL)
        reached, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)
        server.fail(LARGE, then(lambda _: None), hold_after(3 * CHUNK, reached, release))
        slow = self.start(0, self.out + "-slow", "--connections=1")
        self.assertTrue(reached.wait(120))
        while self.finished() < 3 * CHUNK:
            self.assertIsNone(slow.poll())
        for path in self.parts.glob("*.list"):
            os.utime(path, (1, 1))
        self.assertEqual(self.end(self.start())[0], 0)
        self.assertEqual(sorted(self.parts.glob("*")), [])
        release.set()
        code, out = self.end(slow)
        self.assertEqual(code, 0, out)
        self.assert_content(self.out + "-slow")

    def test_many_files_need_few_descriptors(self):
        files = {f"a{i}.json": b"{%d}" % i for i in range(60)}
        self.serve({**MODEL, **files})
        arguments = ["hf:acme/tiny", COMMIT, self.out, "--parts", str(self.parts)]
        done = subprocess.run(
            ["/bin/sh", "-c", 'ulimit -n 48; exec "$@"', "sh", sys.executable, KILLED, "0"]
            + [str(CHUNK), str(SPAN), *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(os.listdir(self.out)), len(MODEL) + 60)


class Ranges(ClientTest):
    def setUp(self):
        super().setUp()
        self.entered(mock.patch.object(part_file, "CHUNK", CHUNK))
        self.entered(mock.patch.object(transfer, "SPAN", SPAN))

    def test_several_connections_share_one_file(self):
        server = self.serve(MODEL)
        met = threading.Barrier(4)

        def meet(_):
            met.wait(20)
            return False

        server.fail("/resolve/" + COMMIT + LARGE, *[meet] * 4)
        self.assert_whole(self.download(), MODEL)
        self.assertFalse(met.broken)
        self.assertEqual(bytes_asked(server), len(CONTENT))

    def test_a_file_smaller_than_the_longest_range_is_shared_as_well(self):
        server = self.serve(MODEL)
        with mock.patch.object(transfer, "SPAN", 64):
            self.assert_whole(self.download(), MODEL)
        self.assertEqual(
            sorted(headers["Range"] for headers in server.storage_requests()),
            ["bytes=0-10999", "bytes=11000-21999", "bytes=22000-32999", "bytes=33000-40159"],
        )

    def test_a_server_that_ignores_ranges_is_read_from_the_start(self):
        server = self.serve(MODEL, ranges=False)
        self.assert_whole(self.download(), MODEL)
        self.assertIn(None, [headers.get("Range") for headers in server.storage_requests()])

    def test_one_flipped_byte_is_never_published(self):
        flipped = bytearray(CONTENT)
        flipped[20000] ^= 1
        server = self.serve(MODEL, served={"model.safetensors": bytes(flipped)})
        result = self.download()
        self.assertEqual((result.status, failure_of(result.log)), (1, "checksum_mismatch"))
        self.assert_gone("model.safetensors")
        server.served.clear()
        self.assert_whole(self.download(), MODEL)

    def test_ranges_of_a_file_that_changed_meanwhile_are_fetched_again(self):
        server = self.serve(
            MODEL,
            served={"model.safetensors": bytes(len(CONTENT))},
            etags={"model.safetensors": "old"},
        )

        def change(it):
            it.served = {}
            it.etags = {}

        server.fail(LARGE, *[then(lambda _: None)] * 5, then(change))
        result = self.download()
        self.assert_whole(result, MODEL)
        self.assertIsNone(failure_of(result.log))

    def test_a_trickle_is_broken_off(self):
        server = self.serve(MODEL)
        place = f"url:{server.storage_url}{LARGE}"
        self.entered(mock.patch.object(transfer, "READ", 10))
        with mock.patch.object(web, "TRICKLE_S", 0), mock.patch.object(web, "SLOWEST", 1 << 60):
            for result in (self.resolve(), self.download(place, sha256(CONTENT))):
                self.assertEqual((result.status, failure_of(result.last)), (1, "download_timeout"))
        self.assertEqual(self.waits[:5], [1, 2, 4, 8, 16])
        self.assertEqual(len(self.here()), 0)

    def test_what_was_hashed_of_another_file_is_forgotten(self):
        content = bytes(CHUNK) + b"right" * 200
        file = UrlFile("file", len(content), sha256(content))
        counts = []
        one = transfer.Try(file, self.folder, counts.append)
        for some in (b"w" * CHUNK, content[:CHUNK]):
            one.part.write(0, some)
            one.part.finish(0, zlib.crc32(some))
            one.hash_on()
            if some[0]:
                one.forget(0, CHUNK)
                self.assertEqual(one.part.missing(SPAN), [(0, len(content))])
        one.part.write(CHUNK, content[CHUNK:])
        one.part.finish(1, zlib.crc32(content[CHUNK:]))
        self.assertEqual((one.sum(), counts), (file.sum, [-CHUNK]))

    def test_a_stall_lasts_thirty_seconds_at_most(self):
        self.assertLessEqual(web.SILENT_S + web.TRICKLE_S, 30)
        now = [0.0]
        pace = web.Pace(web.Web("url:x"), "http://host/file", lambda: now[0])
        for second in range(100):
            now[0] = second
            pace.got(2000)
        for second in range(100, 110):
            now[0] = second
            pace.got(1)
        now[0] = 111
        with self.assertRaisesRegex(
            web.Again, "^host sent less than 1 KiB/s for 10 s: connection timed out; "
        ):
            pace.got(1)


class Hostile(ClientTest):
    def test_names_that_lead_out_of_the_folder_are_refused(self):
        for name in (
            "../../evil.json",
            "..",
            "/etc/evil.json",
            "a/../../evil.json",
            "a\\b.json",
            "",
        ):
            with self.subTest(name=name):
                server = self.serve({**FILES, "x.json": b"{}"}, listed={"x.json": {"path": name}})
                result = self.download("hf:acme/tiny", COMMIT, "--allow=*")
                self.assert_failed(
                    result,
                    (
                        f"download.py: hf:acme/tiny: the hub's listing has a file named {name!r},"
                        " which is no path inside a folder; nothing of it is used"
                    ),
                    None,
                )
                self.assertEqual(server.storage_requests(), [])
        self.assertEqual(os.listdir(self.folder), ["out"])

    def test_redirects_leave_the_token_behind_and_lead_only_to_the_web(self):
        canary = "hf_canary0123456789"
        self.environment["HF_TOKEN"] = canary
        server = self.serve(token=canary)
        elsewhere = self.entered(type(server)(dict(FILES)))
        # hub -> storage -> another host -> storage of that host
        for _ in range(6):
            server.fail(LARGE, then(lambda _: None))
            server.fail(
                LARGE,
                lambda handler: handler.send(
                    302, Location=f"{elsewhere.url}/acme/tiny/resolve/{COMMIT}{LARGE}"
                )
                or True,
            )
        self.assert_whole(self.download())
        seen = [*server.storage_requests(), *(headers for _, headers, _ in elsewhere.diary)]
        self.assertGreaterEqual(len(seen), 3)
        self.assertNotIn(canary, repr(seen) + repr([path for path, _, _ in server.diary]))

        for place in ("file:///etc/passwd", "ftp://127.0.0.1/x"):
            server.fail("/config.json", status(302, Location=place))
            self.out += "x"
            self.assert_failed(
                self.download(),
                (
                    f"download.py: hf:acme/tiny is redirected to {place}, which cannot be followed;"
                    " check the address and the proxy"
                ),
                None,
            )

    def test_a_listing_with_a_wrong_size_never_gives_a_file(self):
        for size in (len(CONFIG) - 1, len(CONFIG) + 1):
            self.serve(listed={"config.json": {"size": size, "oid": git_sum(CONFIG)}})
            self.assertEqual(failure_of(self.download().log), "checksum_mismatch")
            self.assert_gone("config.json")


if __name__ == "__main__":
    unittest.main()
