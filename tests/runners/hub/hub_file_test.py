"""Files that the hub client of runners/common downloads: complete or not at all, over broken
connections and from faulty servers."""

import json
import os
import re
import struct
import subprocess
import sys
import threading
import unittest
from unittest import mock

from hub_support import CONFIG, FILES, SCRIPTS, WEIGHTS, ClientTest, failure_of
from hub_server import COMMIT, cut_after, git_sum, hang_up, sha256, status, then, wait_for

import download
import hub_file
import part_file
import transfer
import web

LARGE = "/model.safetensors"


class Arriving(ClientTest):
    def ranges(self, server):
        return [headers.get("Range") for headers in server.storage_requests()]

    def test_the_script_runs_as_a_program(self):
        self.serve()
        result = subprocess.run(
            [
                sys.executable,
                "-B",
                os.path.join(SCRIPTS, "download.py"),
                "hf:acme/tiny",
                COMMIT,
                self.out,
            ],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(
            (result.returncode, result.stdout, result.stderr),
            (0, "1 files of weights, 0.0 GiB\n", ""),
        )
        self.assertEqual(self.here(), FILES)

    def test_empty_files_and_a_repeated_download_succeed(self):
        files = {**FILES, "chat_template.jinja": b""}
        self.serve(files)
        self.assert_whole(self.download(), files)
        self.assert_whole(self.download(), files)

    def test_a_download_resumes_after_a_broken_connection(self):
        server = self.serve()
        server.fail(
            LARGE, then(lambda _: None), cut_after(100)
        )  # first the redirect, then the file
        server.fail(LARGE, then(lambda _: None), cut_after(200))
        result = self.download()
        self.assert_whole(result)
        self.assertEqual(
            self.ranges(server),
            [None, f"bytes=100-{len(WEIGHTS) - 1}", f"bytes=300-{len(WEIGHTS) - 1}"],
        )
        tag = f'"{sha256(WEIGHTS)}"'
        self.assertEqual(
            [headers.get("If-Range") for headers in server.storage_requests()], [None, tag, tag]
        )
        self.assertEqual(self.waits, [1, 2])
        self.assertIsNone(
            failure_of(result.log),
            "a survived error must not be classified as the cause of a later failure",
        )

    def test_a_truncated_small_file_is_resumed(self):
        server = self.serve()
        server.fail("/tokenizer.json", cut_after(1))
        self.assert_whole(self.download())
        self.assertEqual(server.requests("/tokenizer.json")[1]["Range"], "bytes=1-1")

    def test_a_connection_that_ends_without_an_answer_is_retried(self):
        server = self.serve()
        server.fail(LARGE, hang_up, status(503), then(lambda _: None), hang_up, status(408))
        self.assert_whole(self.download())
        self.assertEqual(self.waits, [1, 2, 4, 8])

    def test_a_server_without_ranges_sends_the_whole_file_again(self):
        server = self.serve(ranges=False)
        server.fail(LARGE, then(lambda _: None), cut_after(100))
        self.assert_whole(self.download())
        self.assertEqual(len(server.storage_requests()), 2)

    def test_a_file_that_changed_between_its_parts_is_downloaded_from_the_start(self):
        for supports_if_range in (True, False):
            with self.subTest(if_range=supports_if_range):
                server = self.serve(
                    if_range=supports_if_range,
                    served={"model.safetensors": bytes(len(WEIGHTS))},
                    etags={"model.safetensors": "old"},
                )

                def change(it):
                    it.served = {}
                    it.etags = {}

                server.fail(LARGE, then(lambda _: None), cut_after(100), then(change))
                result = self.download()
                self.assert_whole(result)
                self.assertNotIn("fetched again", result.log, "the change was seen only by the sum")

    def test_a_part_other_than_the_requested_one_is_not_appended(self):
        server = self.serve()
        server.fail(
            LARGE,
            then(lambda _: None),
            cut_after(100),
            then(lambda _: None),
            lambda handler: handler.send(
                206, WEIGHTS[:200], Content_Range=f"bytes 0-199/{len(WEIGHTS)}"
            )
            or True,
        )
        result = self.download()
        self.assert_whole(result)
        self.assertNotIn("fetched again", result.log)

    def test_a_range_beyond_the_end_restarts_the_download(self):
        server = self.serve()
        server.fail(LARGE, then(lambda _: None), cut_after(100), then(lambda _: None), status(416))
        self.assert_whole(self.download())
        self.assertEqual(self.ranges(server)[2], None)

    def test_an_expired_link_is_requested_again(self):
        server = self.serve()
        server.fail(LARGE, then(lambda _: None), status(403))
        self.assert_whole(self.download())
        self.assertEqual(len(server.requests("/resolve/" + COMMIT + LARGE)), 2)

    def test_a_connection_that_always_breaks_ends_the_attempt(self):
        server = self.serve()
        for _ in range(20):
            server.fail(LARGE, then(lambda _: None), cut_after(10))
        result = self.download()
        self.assertEqual(
            (result.status, failure_of(result.log), self.waits),
            (1, "connection_failed", [1, 2, 4, 8, 16]),
        )
        self.assertEqual(
            result.last,
            (
                "download.py: model.safetensors of hf:acme/tiny: the answer ended early:"
                f" IncompleteRead(60 of {len(WEIGHTS)} bytes); check the network and the proxy"
            ),
        )

    def test_progress_between_breaks_resets_their_count(self):
        server = self.serve()
        for _ in range(20):
            server.fail(LARGE, then(lambda _: None), cut_after(10))
        with mock.patch.object(web, "WORTH_A_NEW_START", 10):
            self.assert_whole(self.download())
        self.assertEqual(self.waits, [1] * 20)

    def test_the_same_bytes_again_are_not_progress(self):
        server = self.serve(ranges=False)
        for _ in range(20):
            server.fail(LARGE, then(lambda _: None), cut_after(10))
        with mock.patch.object(web, "WORTH_A_NEW_START", 10):
            self.assertEqual(self.download().status, 1)
        self.assertEqual(self.waits, [1, 2, 4, 8, 16])

    def test_a_large_file_is_requested_in_ranges(self):
        server = self.serve()
        with mock.patch.object(part_file, "CHUNK", 1000), mock.patch.object(transfer, "SPAN", 4):
            self.assert_whole(self.download())
        self.assertEqual(
            sorted(self.ranges(server)),
            ["bytes=0-3999", "bytes=4000-7999", f"bytes=8000-{len(WEIGHTS) - 1}"],
        )
        self.assertEqual(self.waits, [])

    def test_a_long_retry_after_ends_the_attempt_with_the_requested_time(self):
        server = self.serve()
        server.fail(LARGE, status(429, Retry_After="100"))
        result = self.download()
        self.assertEqual((result.status, failure_of(result.log)), (1, "rate_limited"))
        self.assertIn("Retry-After: 100;", result.last)

    def test_a_slow_file_does_not_fail_the_download(self):
        server = self.serve()
        go = threading.Event()
        server.fail(LARGE, wait_for(go))
        server.fail("/tokenizer.json", then(lambda _: go.set()))
        self.assert_whole(self.download())


class Sums(ClientTest):
    def test_a_large_file_with_wrong_bytes_is_downloaded_again(self):
        server = self.serve(served={"model.safetensors": bytes(len(WEIGHTS))})
        server.fail(
            LARGE, then(lambda _: None), then(lambda _: None), then(lambda it: it.served.clear())
        )
        result = self.download()
        self.assert_whole(result)
        self.assertIn(
            (
                "model.safetensors: the received file differs from the listing of the hub; fetching"
                " it again\n"
            ),
            result.out,
        )
        self.assertIsNone(failure_of(result.log))

    def test_wrong_bytes_twice_fail_with_both_checksums_and_leave_no_file(self):
        wrong = bytes(len(WEIGHTS))
        self.serve(served={"model.safetensors": wrong})
        self.assert_failed(
            self.download(),
            (
                "download.py: model.safetensors of hf:acme/tiny: checksum mismatch: the hub lists"
                f" sha256 {sha256(WEIGHTS)}, {len(WEIGHTS)} bytes; received {sha256(wrong)} and"
                f" then {sha256(wrong)}; check the disk, the proxy and HF_ENDPOINT"
            ),
            "checksum_mismatch",
        )
        self.assert_gone("model.safetensors")

    def test_small_files_are_checked_against_their_git_blob_sum(self):
        self.serve(served={"tokenizer.json": b"[]"})
        self.assert_failed(
            self.download(),
            (
                "download.py: tokenizer.json of hf:acme/tiny: checksum mismatch: the hub lists git"
                f" blob sum {git_sum(b'{}')}, 2 bytes; received {git_sum(b'[]')} and then"
                f" {git_sum(b'[]')}; check the disk, the proxy and HF_ENDPOINT"
            ),
            "checksum_mismatch",
        )
        self.assert_gone("tokenizer.json")

    def test_a_file_of_another_size_is_not_resumed(self):
        server = self.serve(served={"model.safetensors": WEIGHTS[:5000]})
        result = self.download()
        self.assertEqual(failure_of(result.log), "checksum_mismatch")
        self.assertIn("received 5000 bytes and then 5000 bytes;", result.last)
        self.assertEqual((len(server.storage_requests()), self.waits), (2, []))
        self.assert_gone("model.safetensors")

    def test_the_git_blob_sum_equals_that_of_git(self):
        hasher = hub_file.HubFile("greeting", 6, "", False).hasher()
        hasher.update(b"hello\n")
        self.assertEqual(hasher.hexdigest(), "ce013625030ba8dba906f756967f9e9ca394464a")

    def test_a_listing_without_checksums_is_refused(self):
        self.serve(listed={"tokenizer.json": {"oid": "../../x"}})
        self.assert_failed(
            self.download(),
            (
                "download.py: hf:acme/tiny: the hub's listing has an unknown form; is HF_ENDPOINT"
                " a hub?"
            ),
            None,
        )


class Together(ClientTest):
    def test_files_are_downloaded_concurrently_up_to_the_given_number(self):
        shards = {f"model-{i}.safetensors": WEIGHTS + bytes([i]) for i in range(6)}
        server = self.serve({"config.json": CONFIG, **shards})
        together = threading.Barrier(4)

        def meet(_):
            together.wait(20)
            return False

        server.fail("/resolve/" + COMMIT + "/model-", *[meet] * 4)
        self.assert_whole(self.download(), {"config.json": CONFIG, **shards})
        self.assertFalse(together.broken)

        server = self.serve({"config.json": CONFIG, **shards})
        self.assert_whole(
            self.download("hf:acme/tiny", COMMIT, "--connections=1"),
            {"config.json": CONFIG, **shards},
        )
        self.assertEqual(server.max_concurrent, 1)

    def test_the_first_failure_ends_the_attempt_while_other_files_hang(self):
        files = {
            "config.json": CONFIG,
            "model-1.safetensors": WEIGHTS,
            "model-2.safetensors": WEIGHTS + b"2",
        }
        server = self.serve(files)
        never = threading.Event()
        self.addCleanup(never.set)
        server.fail("/model-2.safetensors", wait_for(never))
        server.fail("/model-1.safetensors", status(404, X_Error_Code="EntryNotFound"))
        self.assert_failed(
            self.download(),
            (
                "download.py: HTTP error 404: hf:acme/tiny lists a file that it does not have; see"
                f" {server.url}/acme/tiny/tree/main"
            ),
            "not_found",
        )
        self.assertFalse(os.path.exists(os.path.join(self.out, "model-2.safetensors")))

    def test_progress_is_printed_at_most_every_five_seconds(self):
        now = [0.0]
        progress = download.Progress(145 << 30, clock=lambda: now[0])
        lines = []
        with mock.patch("builtins.print", lambda text, **_: lines.append(text)):
            for _ in range(40):
                now[0] += 1
                progress.add(310 << 20)
            now[0] += 4.9
            progress.add(-(310 << 20) * 20)
            now[0] += 0.2
            progress.add(0)
            self.assertEqual(lines[0], "1.5 of 145.0 GiB, 310 MiB/s, about 8 min left")
            self.assertEqual(lines[7], "12.1 of 145.0 GiB, 310 MiB/s, about 7 min left")
            self.assertEqual(lines[8:], ["6.1 of 145.0 GiB, 51 MiB/s, about 46 min left"])
            for _ in range(8):
                now[0] += 5
                progress.add(0)
        self.assertEqual(lines[-1], "6.1 of 145.0 GiB, 0 MiB/s, no data arrives")

    def test_discarded_bytes_are_subtracted_from_the_progress(self):
        counts = []
        server = self.serve(ranges=False)
        server.fail(LARGE, then(lambda _: None), cut_after(100))
        with mock.patch.object(
            download.Progress, "add", lambda progress, count: counts.append((progress.total, count))
        ):
            self.assert_whole(self.download())
        weights = [count for total, count in counts if total == len(WEIGHTS)]
        self.assertIn(-100, weights)
        self.assertEqual(sum(weights), len(WEIGHTS))


class Space(ClientTest):
    def test_a_disk_that_is_too_small_is_reported_before_the_weights(self):
        server = self.serve(
            listed={
                "model.safetensors": {
                    "lfs": {"oid": sha256(WEIGHTS), "size": 1 << 60, "pointerSize": 134}
                }
            }
        )
        result = self.download()
        self.assertEqual((result.status, failure_of(result.log)), (1, "disk_full"))
        self.assertRegex(
            result.last,
            rf"^download\.py: not enough free disk space in {re.escape(self.out)}: 1073741824\.0"
            r" GiB are needed, "
            rf"\d+\.\d GiB are free; "
            r"make room and run it again$",
        )
        self.assertEqual(server.storage_requests(), [])

    def test_a_disk_that_fills_up_during_a_download_is_reported_as_full(self):
        self.serve()

        full = os.open("/dev/full", os.O_WRONLY)
        self.addCleanup(os.close, full)
        write = os.pwrite
        with mock.patch.object(os, "pwrite", lambda _, *what: write(full, *what)):
            result = self.download()
        self.assert_failed(result, "download.py: [Errno 28] No space left on device", "disk_full")
        self.assertEqual(self.waits, [])


class Cached(ClientTest):
    def cache(self, name, content, folder="hf/hub"):
        return self.write(f"{folder}/models--acme--tiny/blobs/{name}", content)

    def test_a_blob_in_the_hubs_cache_is_linked_and_not_downloaded(self):
        blob = self.cache(sha256(WEIGHTS), WEIGHTS)
        self.cache(git_sum(CONFIG), CONFIG)
        server = self.serve()
        self.assert_whole(self.download())
        self.assertTrue(os.path.samefile(blob, os.path.join(self.out, "model.safetensors")))
        self.assertEqual((server.storage_requests(), server.requests("/config.json")), ([], []))

    def test_either_variable_may_name_the_cache(self):
        for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
            self.environment[variable] = os.path.join(self.folder, variable)
            self.cache(sha256(WEIGHTS), WEIGHTS, variable)
            server = self.serve()
            self.assert_whole(self.download())
            self.assertEqual(server.storage_requests(), [])
            del self.environment[variable]

    def test_a_damaged_blob_is_reported_and_downloaded_and_not_changed(self):
        damaged = bytes(len(WEIGHTS))
        blob = self.cache(sha256(WEIGHTS), damaged)
        self.serve()
        result = self.download()
        self.assert_whole(result)
        self.assertIn(
            f"model.safetensors: {blob} is damaged; fetching the file from the hub\n", result.out
        )
        with open(blob, "rb") as file:
            self.assertEqual(file.read(), damaged)

    def test_a_link_of_a_killed_attempt_is_replaced_and_its_target_is_unchanged(self):
        blob = self.cache("blob", b"of someone else")
        os.makedirs(self.out)
        os.link(blob, os.path.join(self.out, "model.safetensors"))
        os.link(blob, os.path.join(self.out, "tokenizer.json"))
        self.serve()
        self.assert_whole(self.download())
        with open(blob, "rb") as file:
            self.assertEqual(file.read(), b"of someone else")

    def test_a_blob_on_another_device_is_copied(self):
        blob = self.cache(sha256(WEIGHTS), WEIGHTS)
        server = self.serve()
        with mock.patch.object(os, "link", side_effect=OSError(18, "Invalid cross-device link")):
            self.assert_whole(self.download())
        self.assertFalse(os.path.samefile(blob, os.path.join(self.out, "model.safetensors")))
        self.assertEqual(server.storage_requests(), [])


def safetensors(count):
    header = json.dumps(
        {
            "a": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]},
            "__metadata__": {"format": "pt"},
        }
    ).encode()
    return struct.pack("<Q", len(header)) + header + bytes(4 * count)


class Local(ClientTest):
    def setUp(self):
        super().setUp()
        self.files = {
            "config.json": CONFIG,
            "tokenizer.json": b"{}",
            "model.safetensors": safetensors(8),
        }
        for name, content in self.files.items():
            self.write(f"model/{name}", content)
        self.path = os.path.join(self.folder, "model")

    def download_local(self):
        return self.download("local:" + self.path, "")

    def test_a_folder_is_linked_with_only_the_files_for_a_conversion(self):
        self.write("model/pytorch_model.bin", b"x")
        self.write("model/original/params.json", b"{}")
        self.assert_whole(self.download_local(), self.files)
        self.assertTrue(
            os.path.samefile(f"{self.path}/model.safetensors", f"{self.out}/model.safetensors")
        )
        self.assert_whole(self.download_local(), self.files)
        os.unlink(f"{self.out}/config.json")
        os.symlink(f"{self.path}/config.json", f"{self.out}/config.json")
        self.assert_whole(self.download_local(), self.files)

    def test_a_folder_on_another_device_is_copied(self):
        with mock.patch.object(os, "link", side_effect=OSError(18, "Invalid cross-device link")):
            self.assert_whole(self.download_local(), self.files)

    def test_links_of_a_snapshot_in_a_cache_are_followed(self):
        for name, content in self.files.items():
            self.write(f"models--x--y/blobs/{sha256(content)}", content)
            self.write("models--x--y/snapshots/c/.keep", b"")
            os.symlink(
                f"../../blobs/{sha256(content)}",
                os.path.join(self.folder, "models--x--y/snapshots/c", name),
            )
        self.path = os.path.join(self.folder, "models--x--y/snapshots/c")
        self.assert_whole(self.download_local(), self.files)
        os.unlink(
            os.path.join(self.folder, "models--x--y/blobs", sha256(self.files["model.safetensors"]))
        )
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: {self.path}/model.safetensors: a link to "
                f"{os.path.realpath(self.path + '/model.safetensors')}, "
                "which is not a file; download the checkpoint again"
            ),
            None,
        )

    def test_the_folder_of_a_cache_is_refused_with_the_path_of_a_snapshot(self):
        self.write("models--x--y/snapshots/c/config.json", CONFIG)
        self.path = os.path.join(self.folder, "models--x--y")
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: local:{self.path}: a folder of a Hugging Face cache; name one of its"
                f" snapshots, local:{self.path}/snapshots/COMMIT"
            ),
            None,
        )

    def test_truncated_or_invalid_weights_are_refused(self):
        path = self.write("model/model.safetensors", safetensors(8)[:-1])
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: {path}: has {len(safetensors(8)) - 1} bytes where its header says "
                f"{len(safetensors(8))}; "
                "it is damaged, copy or download it again"
            ),
            None,
        )
        for content in (
            b"",
            b"<html>what a portal says</html>",
            struct.pack("<Q", 1 << 62) + b"{}",
            struct.pack("<Q", 2) + b"[]",
        ):
            self.write("model/model.safetensors", content)
            self.assert_failed(
                self.download_local(),
                f"download.py: {path}: not a safetensors file; it is damaged",
                None,
            )

    def test_a_clone_with_git_lfs_pointers_is_refused(self):
        path = self.write(
            "model/tokenizer.json",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
        )
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: {path}: is a git LFS pointer, not the file; run `git lfs pull`"
                " in that folder"
            ),
            None,
        )

    def test_a_missing_folder_an_unknown_source_and_wrong_arguments_are_refused(self):
        self.path += "/nowhere"
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: local:{self.path}: not a folder; local: takes the path of a folder"
                " with config.json and *.safetensors"
            ),
            None,
        )
        self.assert_failed(
            self.download("s3:bucket", ""),
            (
                "download.py: source 's3:bucket': unknown kind 's3'; write hf:OWNER/NAME, git:URL,"
                " url:URL, local:PATH or generate:SIZE"
            ),
            None,
        )
        self.assert_failed(
            self.download("local:" + self.folder, "", "--connections=0"),
            (
                "download.py: argument --connections: must be 1 to 64; usage: download.py SOURCE"
                " REVISION OUT [OPTIONS]"
            ),
            None,
        )

    def test_an_index_of_a_folder_with_missing_files_is_refused(self):
        os.rename(f"{self.path}/model.safetensors", f"{self.path}/model-1.safetensors")
        self.write(
            "model/model.safetensors.index.json",
            b'{"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}',
        )
        self.assert_failed(
            self.download_local(),
            (
                f"download.py: local:{self.path}: 1 of 2 files that"
                " model.safetensors.index.json lists are missing, such as model-2.safetensors; the"
                " checkpoint is incomplete"
            ),
            None,
        )


if __name__ == "__main__":
    unittest.main()
