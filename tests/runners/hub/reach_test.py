"""reach.py against a local hub: what can be fetched, what a gated repository says, and that nothing
is kept."""

import os
import unittest

from hub_support import ClientTest
from hub_server import COMMIT, status

import reach


class Reaching(ClientTest):
    def reach(self, source="hf:acme/tiny", revision="main"):
        return self.script(reach, source, revision)

    def test_a_repository_is_described_and_one_byte_is_fetched(self):
        server = self.serve()
        result = self.reach()
        self.assertEqual(
            (result.status, result.last),
            (0, f"hf:acme/tiny: 3 files, 0.0 GiB, commit {COMMIT[:12]}"),
        )
        ranges = [headers.get("Range") for headers in server.requests("/model.safetensors")]
        self.assertEqual(set(ranges), {"bytes=0-0"})
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_list_of_a_gated_repository_is_open_and_its_files_are_not(self):
        server = self.serve(token="hf_good", gated=True, open_listing=True)
        self.assertEqual(self.resolve().status, 0)
        self.assert_failed(
            self.reach(),
            f"reach.py: HTTP error 401: hf:acme/tiny is gated; accept its terms at {server.url}"
            "/acme/tiny and set HF_TOKEN to a token of that account",
            "unauthorized",
        )
        self.environment["HF_TOKEN"] = "hf_other"
        self.assert_failed(
            self.reach(),
            "reach.py: HTTP error 403: hf:acme/tiny is gated, and the account of the token in"
            f" HF_TOKEN has no access; request it at {server.url}/acme/tiny",
            "forbidden",
        )
        self.environment["HF_TOKEN"] = "hf_good"
        self.assertTrue(self.reach().last.endswith(", with the token in HF_TOKEN"))

    def test_a_dataset_is_asked_of_the_datasets_of_the_hub_with_files_in_folders(self):
        files = {"data/rows.jsonl": b"{}"}
        server = self.serve(files, repo="datasets/acme/qa", token="hf_good", gated=True,
                            open_listing=True)  # fmt: skip
        self.assertIn(
            f"hf:datasets/acme/qa is gated; accept its terms at {server.url}/datasets/acme/qa and",
            self.reach("hf:datasets/acme/qa").last,
        )
        self.environment["HF_TOKEN"] = "hf_good"
        result = self.reach("hf:datasets/acme/qa")
        self.assertEqual(
            (result.status, result.last.partition(", with")[0]),
            (0, f"hf:datasets/acme/qa: 1 files, 0.0 GiB, commit {COMMIT[:12]}"),
        )
        ranges = [headers.get("Range") for headers in server.requests("data/rows.jsonl")]
        self.assertEqual(set(ranges), {"bytes=0-0"})

    def test_a_hub_that_limits_is_named_with_what_raises_the_limit(self):
        server = self.serve()
        server.fail("/api/", *[status(429)] * 9)
        self.assertIn("a token in HF_TOKEN raises the limit", self.reach().last)

    def test_a_missing_repository_is_named(self):
        server = self.serve()
        self.assertEqual(
            self.reach("hf:acme/large").last,
            f"reach.py: HTTP error 404: hf:acme/large is not on {server.url}; check the name",
        )

    def test_a_file_of_the_web_has_its_size(self):
        server = self.serve()
        url = f"url:{server.url}/acme/tiny/resolve/{COMMIT}/config.json"
        self.assertEqual(self.reach(url, "0" * 64).last, f"{url}: 0.0 GiB")


if __name__ == "__main__":
    unittest.main()
