"""Datasets from a hub, an address of the web and a local file: which file, its checksum, unpacking,
and the rows that are kept."""

import gzip
import json
import os
import stat
import unittest
from unittest import mock

from hub_support import ClientTest
from hub_server import COMMIT, cut_after, sha256, status, then

import dataset
import dataset_rows

LINES = b'{"text_input": "one"}\n{"text_input": "two"}\n' * 40
SOURCE = "hf:datasets/acme/qa"
FAKE_UNPACKER = """#!/usr/bin/python3
import sys
data = open(sys.argv[2], "rb").read()
sys.exit(1) if data[:4] != b"ZSTD" else sys.stdout.buffer.write(data[4:])
"""


class DatasetTest(ClientTest):
    def fetch(self, origin=SOURCE, revision=COMMIT, *more):
        return self.script(dataset, origin, revision, self.out, *more)

    def serve_dataset(self, files, **settings):
        server = self.serve(files, repo="datasets/acme/qa", **settings)
        return server

    def assert_rows(self, result, rows):
        self.assertEqual((result.status, result.log if result.status else ""), (0, ""))
        self.assertEqual(self.here(), {"rows": rows})


class OnAHub(DatasetTest):
    def test_the_only_file_of_JSON_is_taken_from_the_repositories_of_datasets(self):
        server = self.serve_dataset(
            {"README.md": b"#", "dataset_infos.json": b"{}", "qa.jsonl": LINES}
        )
        self.assert_rows(self.fetch(), LINES)
        self.assertTrue(server.requests("/api/datasets/acme/qa/tree/"))
        self.assertEqual(server.requests("/api/models/"), [])

    def test_a_named_file_in_a_folder_is_taken_and_resumed_after_a_cut(self):
        server = self.serve_dataset({"a.json": b"[]", "data/b.jsonl": LINES})
        server.fail("data/b.jsonl", then(lambda _: None), cut_after(100))
        self.assert_rows(self.fetch(SOURCE, COMMIT, '--files=["data/b.jsonl"]'), LINES)

    def test_rows_of_several_files_are_put_together(self):
        self.serve_dataset(
            {"a.json": b'[{"text": "1"}]', "b.jsonl.gz": gzip.compress(b'{"text": "2"}\n')}
        )
        self.assert_rows(
            self.fetch(SOURCE, COMMIT, '--files=["b.jsonl.gz", "a.json"]'),
            b'{"text": "2"}\n{"text": "1"}\n',
        )

    def test_what_is_not_clear_is_refused_with_the_names_that_there_are(self):
        for files, options, reason in [
            (
                {"a.json": b"[]", "b.jsonl": b""},
                [],
                "which file? its files of JSON are a.json, b.jsonl; name one in the matrix, files:"
                " NAME",
            ),
            (
                {"a.json": b"[]"},
                ['--files=["c.json"]'],
                "has no c.json; its files of JSON are a.json",
            ),
            (
                {"data/0.parquet": b"PAR1"},
                [],
                "has no file of JSON or JSON lines, only Parquet; write its rows to a file of JSON"
                " lines and name it as local:PATH",
            ),
        ]:
            self.serve_dataset(files)
            self.assert_failed(
                self.fetch(SOURCE, COMMIT, *options), f"dataset.py: {SOURCE}: {reason}", None
            )

    def test_a_branch_is_resolved_to_a_commit_and_nothing_else_is_downloaded_by_name(self):
        self.serve_dataset({"qa.jsonl": LINES})
        result = self.resolve(SOURCE, "main")
        self.assertEqual((result.status, result.log), (0, COMMIT + "\n"))
        self.assert_failed(
            self.fetch(SOURCE, "main"),
            f"dataset.py: revision 'main' of {SOURCE} is not a commit; `resolve.py {SOURCE} main`"
            " prints the commit",
            None,
        )

    def test_refusals_name_the_dataset_and_what_helps(self):
        server = self.serve_dataset({"qa.jsonl": LINES}, token="right", gated=True)
        page = f"{server.url}/datasets/acme/qa"
        self.assert_failed(
            self.fetch(),
            f"dataset.py: HTTP error 401: {SOURCE} is gated; accept its terms at {page} and set"
            " HF_TOKEN to a token of that account",
            "unauthorized",
        )
        self.environment["HF_TOKEN"] = "wrong"
        server.gated = False
        self.assert_failed(
            self.fetch(),
            "dataset.py: HTTP error 401: the hub rejects the token in HF_TOKEN; create one at"
            f" {server.url}/settings/tokens and put it there",
            "unauthorized",
        )
        self.environment["HF_TOKEN"] = "right"
        self.assert_rows(self.fetch(), LINES)

    def test_a_dataset_that_is_not_there_and_a_hub_that_limits_are_different_failures(self):
        server = self.serve_dataset({"qa.jsonl": LINES})
        self.assert_failed(
            self.fetch("hf:datasets/acme/none"),
            f"dataset.py: HTTP error 404: hf:datasets/acme/none is not on {server.url}; check the"
            " name",
            "not_found",
        )
        server.fail("/tree/", *[status(429, Retry_After="3600")] * 9)
        result = self.fetch()
        self.assertEqual(result.status, 1)
        self.assertIn("429 Too Many Requests", result.last)
        self.assertIn(SOURCE, result.last)


class AtAnAddress(DatasetTest):
    def at(self, name, content):
        server = self.serve({name: content})
        return f"url:{server.storage_url}/{name}"

    def test_a_file_is_verified_by_its_sha256_and_unpacked(self):
        packed = gzip.compress(LINES)
        self.assert_rows(self.fetch(self.at("qa.jsonl.gz", packed), sha256(packed)), LINES)

    def test_a_wrong_sha256_is_named_and_leaves_no_rows(self):
        place = self.at("qa.jsonl", LINES)
        result = self.fetch(place, sha256(b"other"))
        self.assertEqual(result.status, 1)
        self.assertIn(sha256(b"other"), result.last)
        self.assertFalse(os.path.exists(os.path.join(self.out, "rows")))

    def test_zstd_is_unpacked_by_the_program_and_what_is_none_is_refused(self):
        unpacker = self.write("unpacker", FAKE_UNPACKER.encode())
        os.chmod(unpacker, stat.S_IRWXU)
        packed = b"ZSTD" + LINES
        self.assert_rows(
            self.fetch(self.at("qa.jsonl.zst", packed), sha256(packed), "--unpacker", unpacker),
            LINES,
        )
        self.assert_failed(
            self.fetch(self.at("x.jsonl.zst", LINES), sha256(LINES), "--unpacker", unpacker),
            "dataset.py: x.jsonl.zst: not a file of zstd that can be read",
            None,
        )

    def test_a_damaged_gzip_file_is_named(self):
        packed = gzip.compress(LINES)[:-9]
        result = self.fetch(self.at("qa.json.gz", packed), sha256(packed))
        self.assertEqual(result.status, 1)
        self.assertIn("dataset.py: qa.json.gz: not a file of gzip that can be read", result.last)


class OnThisMachine(DatasetTest):
    def test_a_local_file_is_unpacked_and_stays_as_it_is(self):
        path = self.write("qa.jsonl.gz", gzip.compress(LINES))
        self.assert_rows(self.fetch(f"local:{path}", ""), LINES)
        self.assertTrue(os.path.exists(path))

    def test_a_missing_file_is_named(self):
        self.assert_failed(
            self.fetch("local:/no/qa.json.gz", ""),
            "dataset.py: local:/no/qa.json.gz: no such file; local: takes the path of a prompt"
            " file",
            None,
        )


class WordCounter:
    """In place of a tokenizer: a word is a token."""

    def __init__(self, path):
        pass

    def ids(self, texts):
        return [text.split() for text in texts]


class KeptRows(DatasetTest):
    def keep(self, rows, tokens):
        source = self.write("all", json.dumps(rows).encode())
        with mock.patch.object(dataset_rows, "PromptMaker", WordCounter):
            result = self.script(
                dataset_rows, source, json.dumps(tokens), self.out, "--tokenizer", "none"
            )
        found = json.loads(self.here()["rows"]) if result.status == 0 else None
        return result, found

    def test_rows_are_those_that_the_benchmark_scripts_of_engines_choose(self):
        def talk(prompt, answer, *more):
            return {
                "id": "x",
                "conversations": [
                    {"from": "human", "value": " ".join("p" * prompt)},
                    {"from": "gpt", "value": " ".join("a" * answer)},
                    *more,
                ],
            }

        more = {"from": "human", "value": "again"}
        rows = [
            talk(3, 9),
            talk(4, 3),
            talk(4, 4, more),
            talk(1024, 1024),
            talk(1025, 4),
            talk(1024, 1025),
            {"conversations": [{"from": "human", "value": "alone " * 9}]},
            {"conversations": []},
        ]
        limits = {"least": 4, "most_in_prompt": 1024, "most": 2048}
        result, found = self.keep(rows, limits)
        self.assertEqual(result.out, "2 of 8 rows are kept\n", result.log)
        self.assertEqual(
            [[len(turn["value"].split()) for turn in row["conversations"]] for row in found],
            [[4, 4], [1024, 1024]],
        )

    def test_the_first_turn_is_the_prompt_whoever_speaks(self):
        turns = [{"from": "gpt", "value": "a b"}, {"from": "human", "value": "c d"}]
        _, found = self.keep([{"conversations": turns}], {"least": 1})
        self.assertEqual(
            found[0]["conversations"],
            [{"from": "human", "value": "a b"}, {"from": "gpt", "value": "c d"}],
        )

    def test_prompts_without_answers_are_judged_by_themselves(self):
        rows = [{"text_input": "a b"}, {"text_input": "a"}, {"prompt": "a b", "output": "c"}]
        _, found = self.keep(rows, {"least": 2})
        self.assertEqual(found, rows[:1])

    def test_no_row_is_a_failure_that_names_the_limits(self):
        result, _ = self.keep([{"text_input": "a"}], {"least": 9})
        self.assertEqual(
            (result.status, result.last),
            (
                1,
                "dataset_rows.py: none of 1 rows of the dataset has such lengths (least 9); change"
                " tokens of the dataset, or choose a file of conversations or prompts",
            ),
        )


if __name__ == "__main__":
    unittest.main()
