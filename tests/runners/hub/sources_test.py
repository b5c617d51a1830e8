"""Sources beside the usual files of a checkpoint: patterns, GGUF files, addresses of the web and
repositories of git."""

import hashlib
import io
import os
import pathlib
import subprocess
import tarfile
import unittest

from hub_support import CONFIG, FILES, WEIGHTS, ClientTest, failure_of
from hub_server import COMMIT, cut_after, sha256, then

REPOSITORY = {
    **FILES,
    "original/params.json": b"{}",
    "original/consolidated.00.pth": b"p" * 2000,
    "extra.txt": b"more",
    "tiny-q4_0.gguf": b"GGUF" + bytes(2000),
    "tiny-q8_0-00001-of-00002.gguf": b"GGUF1" + bytes(2000),
    "tiny-q8_0-00002-of-00002.gguf": b"GGUF2" + bytes(2000),
}


class Choosing(ClientTest):
    def files(self, *options):
        self.serve(REPOSITORY)
        result = self.download("hf:acme/tiny", COMMIT, *options)
        self.assertEqual((result.status, result.log if result.status else ""), (0, ""))
        found = {}
        for path in pathlib.Path(self.out).rglob("*"):
            if path.is_file():
                found[str(path.relative_to(self.out))] = path.read_bytes()
        for name, content in found.items():
            self.assertEqual(content, REPOSITORY[name])
        return sorted(found)

    def test_patterns_choose_files_also_in_folders(self):
        self.assertEqual(
            self.files("--allow=original/*", "--allow=*.txt", "--ignore=*.pth"),
            ["config.json", "extra.txt", "original/params.json"],
        )

    def test_ignored_files_are_left_out_of_the_usual_ones(self):
        self.assertEqual(
            self.files("--ignore=tokenizer*", "--ignore=extra/"),
            ["config.json", "model.safetensors"],
        )

    def test_a_GGUF_file_takes_the_place_of_other_weights(self):
        self.assertEqual(
            self.files("--gguf=tiny-q4_0.gguf"), ["config.json", "tiny-q4_0.gguf", "tokenizer.json"]
        )

    def test_the_first_part_of_a_GGUF_model_brings_the_others(self):
        self.assertEqual(
            self.files("--gguf=tiny-q8_0-00001-of-00002.gguf"),
            [
                "config.json",
                "tiny-q8_0-00001-of-00002.gguf",
                "tiny-q8_0-00002-of-00002.gguf",
                "tokenizer.json",
            ],
        )

    def test_what_is_missing_is_named_before_anything_is_fetched(self):
        server = self.serve(REPOSITORY)
        for option, reason in [
            (
                "--gguf=q5.gguf",
                "has no q5.gguf; its GGUF files are tiny-q4_0.gguf, tiny-q8_0-00001-of-00002.gguf,"
                " tiny-q8_0-00002-of-00002.gguf",
            ),
            (
                "--require=vocab.json",
                "has no vocab.json, which later stages read; save it there, or name a repository"
                " or folder that has it",
            ),
            ("--allow=*.onnx", "no file matches *.onnx; correct the patterns"),
        ]:
            self.assert_failed(
                self.download("hf:acme/tiny", COMMIT, option),
                f"download.py: hf:acme/tiny: {reason}",
                None,
            )
        self.assertEqual(server.requests("/resolve/"), [])


class Local(ClientTest):
    def test_a_folder_gives_the_chosen_files(self):
        for name, content in REPOSITORY.items():
            self.write(f"model/{name}", content)
        path = os.path.join(self.folder, "model")
        result = self.download(f"local:{path}", "", "--gguf=tiny-q4_0.gguf")
        self.assertEqual(result.status, 0, result.log)
        self.assertEqual(sorted(self.here()), ["config.json", "tiny-q4_0.gguf", "tokenizer.json"])

    def test_a_GGUF_file_that_is_none_is_refused(self):
        for name, content in FILES.items():
            self.write(f"model/{name}", content)
        path = self.write("model/a.gguf", b"<html>")
        self.assert_failed(
            self.download(f"local:{self.folder}/model", "", "--gguf=a.gguf"),
            f"download.py: {path}: not a GGUF file; it is damaged",
            None,
        )


def archive_of(files, **more):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        for name, target in more.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return content.getvalue()


class Addresses(ClientTest):
    def fetch(self, name, content, sum_=None):
        server = self.serve({name: content})
        self.place = f"{server.storage_url}/{name}"
        self.server = server
        return self.download(f"url:{self.place}", sum_ or sha256(content))

    def test_a_file_is_verified_and_resumed(self):
        server = self.serve({"a.gguf": WEIGHTS})
        server.fail("/a.gguf", then(lambda _: None), cut_after(100))
        result = self.download(f"url:{server.storage_url}/a.gguf", sha256(WEIGHTS))
        self.assert_whole(result, {"a.gguf": WEIGHTS})
        self.assertEqual(
            [headers.get("Range") for headers in server.storage_requests()],
            ["bytes=0-0", None, f"bytes=100-{len(WEIGHTS) - 1}"],
        )
        self.assertEqual({headers.get("Authorization") for headers in server.requests("")}, {None})

    def test_other_content_is_never_published(self):
        other = hashlib.sha256(b"other").hexdigest()
        result = self.fetch("a.gguf", WEIGHTS, other)
        self.assert_failed(
            result,
            (
                f"download.py: a.gguf of url:{self.place}: checksum mismatch: its revision is"
                f" sha256 {other}, {len(WEIGHTS)} bytes; received {sha256(WEIGHTS)} and then"
                f" {sha256(WEIGHTS)}; check the address, the revision and the proxy"
            ),
            "checksum_mismatch",
        )
        self.assertEqual(self.here(), {})

    def test_an_archive_gives_the_files_in_it(self):
        files = {f"tiny/{name}": content for name, content in FILES.items()}
        files["tiny/model.safetensors"] = safetensors()
        result = self.fetch("tiny.tar.gz", archive_of(files, link="/etc/passwd"))
        self.assert_whole(
            result, {name.removeprefix("tiny/"): content for name, content in files.items()}
        )

    def test_an_archive_with_names_outside_or_without_a_form_is_refused(self):
        for content, reason in [
            (archive_of({"../evil": b"x"}), " has a file named '../evil', which is no path inside"),
            (b"<html>", ": not a tar archive that can be read: "),
            (archive_of({"config.json": b"x" * 5000})[:80], ": not a tar archive that can be read"),
        ]:
            result = self.fetch("x.tar.gz", content)
            self.assertEqual(result.status, 1)
            self.assertIn(f"download.py: url:{self.place}{reason}", result.last)
            self.assertEqual(self.here(), {})
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "out.parts"])

    def test_an_address_or_sum_that_is_none_is_refused(self):
        for source, revision, reason in [
            ("url:file:///etc/passwd", "0" * 64, "not an address of the web; write"),
            ("url:http://user:secret@127.0.0.1/x", "0" * 64, "without a password"),
            ("url:http://secret@127.0.0.1/x", "0" * 64, "without a password or token"),
            ("url:http://127.0.0.1/x", "main", "revision 'main' of url:http://127.0.0.1/x is not"),
            ("url:http://127.0.0.1/..", "0" * 64, "has a file named '..'"),
        ]:
            result = self.download(source, revision)
            self.assertEqual(result.status, 1)
            self.assertIn(reason, result.last)
            self.assertNotIn("secret", result.log)

    def test_one_file_is_no_model_that_needs_others(self):
        server = self.serve({"a.gguf": WEIGHTS})
        place = f"url:{server.storage_url}/a.gguf"
        result = self.download(place, sha256(WEIGHTS), "--require=tokenizer.json")
        self.assertEqual(result.status, 1)
        self.assertIn(f"{place}: is one file, and tokenizer.json is needed beside it", result.last)

    def test_a_missing_file_is_not_found(self):
        server = self.serve()
        place = f"url:{server.storage_url}/x"
        self.assert_failed(
            self.download(place, "0" * 64),
            f"download.py: HTTP error 404: {place} cannot be fetched; check the address",
            "not_found",
        )


def safetensors():
    header = b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}'
    return len(header).to_bytes(8, "little") + header + bytes(4)


class Git(ClientTest):
    def setUp(self):
        super().setUp()
        self.repository = os.path.join(self.folder, "repository")
        self.git("init", "--quiet", "--initial-branch=main", self.repository, at=self.folder)
        self.files = {"config.json": CONFIG, "model.safetensors": safetensors()}
        for name, content in self.files.items():
            self.write(f"repository/{name}", content)
        self.commit = self.commit_all()
        self.git("tag", "-a", "v1", "-m", "v1")
        self.write("repository/config.json", b"{}")
        self.later = self.commit_all()

    def git(self, *words, at=None):
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=at or self.repository,
            env={**os.environ, "HOME": self.folder},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit_all(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")
        return self.git("rev-parse", "HEAD")

    def test_branches_and_tags_are_resolved_to_commits(self):
        for revision, commit in [("", self.later), ("main", self.later), ("v1", self.commit)]:
            self.assertEqual(self.resolve(f"git:{self.repository}", revision).last, commit)
        self.assert_failed(
            self.resolve(f"git:{self.repository}", "v2"),
            (
                f"resolve.py: git:{self.repository} has no branch or tag 'v2';"
                f" `git ls-remote {self.repository}` lists what it has"
            ),
            None,
        )

    def test_the_files_of_a_commit_are_taken(self):
        result = self.download(f"git:file://{self.repository}", self.commit)
        self.assert_whole(result, self.files)
        self.assertEqual(os.listdir(self.out + ".parts"), [])

    def test_a_pointer_to_a_large_file_is_never_taken_for_the_file(self):
        self.write(
            "repository/model.safetensors",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
        )
        commit = self.commit_all()
        result = self.download(f"git:file://{self.repository}", commit)
        self.assertEqual(result.status, 1)
        self.assertEqual(self.here(), {})

    def test_a_program_or_a_password_in_an_address_is_refused(self):
        marker = os.path.join(self.folder, "ran")
        for source in (
            f"git:ext::touch {marker}",
            f"git:--upload-pack=touch {marker}",
            "git:https://user:secret@127.0.0.1/x",
            "git:https://secret@127.0.0.1/x",
        ):
            for result in (self.resolve(source, "main"), self.download(source, self.commit)):
                self.assertEqual(result.status, 1, source)
                self.assertIn("write git:URL", result.last) if "secret" in source else None
                self.assertNotIn("secret", result.log)
        self.assertFalse(os.path.exists(marker))

    def test_a_branch_is_no_commit(self):
        self.assert_failed(
            self.download("git:/x", "main"),
            (
                "download.py: revision 'main' of git:/x is not a commit; `resolve.py git:/x main`"
                " prints the commit"
            ),
            None,
        )

    def test_what_an_address_has_needs_a_sum(self):
        result = self.resolve("url:http://127.0.0.1/x", "")
        self.assertEqual(
            (result.status, failure_of(result.log), result.last),
            (
                1,
                None,
                "resolve.py: url:http://127.0.0.1/x: what is there may change; write its sha256 as"
                " the revision",
            ),
        )


if __name__ == "__main__":
    unittest.main()
