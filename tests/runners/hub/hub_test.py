"""The hub client of runners/common against a local hub: credentials, the meaning of answers,
and the choice of files."""

import os
import socket
import subprocess
import sys
import threading
import unittest
from unittest import mock

from hub_support import CONFIG, FILES, SCRIPTS, WEIGHTS, ClientTest, failure_of
from hub_server import COMMIT, hang_up, status, wait_for

import hub
import web


class Resolving(ClientTest):
    def test_every_kind_of_revision_is_resolved_to_a_commit_on_the_last_line(self):
        self.serve()
        for revision in ("main", "", "refs/pr/1", COMMIT):
            result = self.resolve(revision=revision)
            self.assertEqual((result.status, result.log), (0, COMMIT + "\n"))

    def test_the_script_runs_as_a_program_and_ends_with_one_line_with_the_reason(self):
        server = self.serve()
        command = [sys.executable, "-B", os.path.join(SCRIPTS, "resolve.py"), "hf:acme/tiny"]
        environment = {**os.environ, **self.environment}
        good = subprocess.run(
            [*command, "main"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual((good.returncode, good.stdout, good.stderr), (0, COMMIT + "\n", ""))
        bad = subprocess.run(
            [*command, "nope"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(
            (bad.returncode, bad.stdout, bad.stderr),
            (
                1,
                "",
                (
                    "resolve.py: HTTP error 404: hf:acme/tiny has no such revision; see"
                    f" {server.url}/acme/tiny/commits, or leave the revision out for main\n"
                ),
            ),
        )

    def test_a_missing_repository_is_not_found(self):
        server = self.serve()
        self.assert_failed(
            self.resolve("hf:acme/large"),
            f"resolve.py: HTTP error 404: hf:acme/large is not on {server.url}; check the name",
            "not_found",
        )

    def test_an_invalid_source_or_endpoint_is_refused_before_any_request(self):
        self.assert_failed(
            self.resolve("hf:../x"),
            (
                "resolve.py: source 'hf:../x': not the name of a repository on a hub; write "
                "hf:OWNER/NAME"
            ),
            None,
        )
        self.environment["HF_ENDPOINT"] = "file:///etc"
        self.assert_failed(
            self.resolve(),
            "resolve.py: HF_ENDPOINT is 'file:///etc', which is not a URL; write https://HOST",
            None,
        )

    def test_an_offline_environment_is_obeyed(self):
        server = self.serve()
        self.environment["HF_HUB_OFFLINE"] = "1"
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: hf:acme/tiny: HF_HUB_OFFLINE is set; unset it, or name a local folder"
                " as local:PATH"
            ),
            None,
        )
        self.assertEqual(server.diary, [])

    def test_a_renamed_repository_is_followed_on_the_same_host_with_the_token(self):
        server = self.serve(moved_to="acme/small", token="hf_secret")
        self.environment["HF_TOKEN"] = "hf_secret"
        self.assertEqual(self.resolve().last, COMMIT)
        self.assertEqual(
            [headers.get("Authorization") for headers in server.requests("/acme/small/")],
            ["Bearer hf_secret"],
        )

    def test_an_endpoint_that_is_not_a_hub_is_reported(self):
        server = self.serve()
        server.fail("/api/", status(200))
        self.assert_failed(
            self.resolve(),
            (
                f"resolve.py: {server.url}/api/models/acme/tiny/revision/main: the answer is not"
                " JSON; is HF_ENDPOINT a hub?"
            ),
            None,
        )


class Tokens(ClientTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve(token="hf_secret")

    def test_the_token_is_read_from_the_variable_then_the_named_file_then_the_home(
        self,
    ):
        self.write("hf/token", b" hf_secret\n")
        self.assertEqual(self.resolve().last, COMMIT)
        self.environment["HF_TOKEN_PATH"] = self.write("other/token", b"hf_wrong")
        self.assertEqual(self.resolve().status, 1)
        self.environment["HF_TOKEN"] = "hf_secret\n"
        self.assertEqual(self.resolve().last, COMMIT)
        sent = [headers["Authorization"] for headers in self.server.requests("/api/")]
        self.assertEqual(sent, ["Bearer hf_secret", "Bearer hf_wrong", "Bearer hf_secret"])

    def test_without_HF_HOME_the_token_is_read_from_the_users_cache(self):
        del self.environment["HF_HOME"]
        self.write(".cache/huggingface/token", b"hf_secret")
        self.assertEqual(self.resolve().last, COMMIT)
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.folder, "elsewhere")
        self.assertEqual(self.resolve().status, 1)

    def test_no_token_is_sent_if_the_user_disables_it(self):
        self.environment |= {"HF_TOKEN": "hf_secret", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
        self.assertEqual(self.resolve().status, 1)
        self.assertNotIn("Authorization", self.server.requests("/api/")[0])

    def test_a_token_with_invalid_characters_is_never_sent_or_printed(self):
        self.environment["HF_TOKEN"] = "hf_a b"
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: HF_TOKEN: contains characters that a token cannot have; write only the"
                " token"
            ),
            None,
        )
        self.assertEqual(self.server.diary, [])

    def test_a_hidden_repository_requires_a_token(self):
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: HTTP error 401: the hub does not show hf:acme/tiny without a token;"
                " check the name, or set HF_TOKEN if it is private or gated"
            ),
            "unauthorized",
        )

    def test_an_unknown_token_is_reported_with_its_place(self):
        self.environment["HF_TOKEN"] = "hf_wrong"
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: HTTP error 401: the hub rejects the token in HF_TOKEN; create one at"
                f" {self.server.url}/settings/tokens and put it there"
            ),
            "unauthorized",
        )

    def test_a_gated_repository_is_reported_with_its_page_and_the_variable_to_set(self):
        self.server.gated = True
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: HTTP error 401: hf:acme/tiny is gated; accept its terms at "
                f"{self.server.url}/acme/tiny "
                "and set HF_TOKEN to a token of that account"
            ),
            "unauthorized",
        )
        path = self.write("hf/token", b"hf_wrong")
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: HTTP error 403: hf:acme/tiny is gated, and the account of the token"
                f" in {path} has no access; request it at {self.server.url}/acme/tiny"
            ),
            "forbidden",
        )

    def test_the_token_is_not_sent_to_the_host_of_large_files(self):
        self.environment["HF_TOKEN"] = "hf_secret"
        self.assert_whole(self.download())
        self.assertEqual(
            [headers.get("Authorization") for headers in self.server.storage_requests()], [None]
        )
        self.assertEqual(
            {headers["Authorization"] for headers in self.server.requests("/acme/tiny/")},
            {"Bearer hf_secret"},
        )

    def test_the_token_is_not_sent_to_a_host_named_by_the_listing(self):
        self.environment["HF_TOKEN"] = "hf_secret"
        self.server.page_size = 1
        self.server.next_page_host = self.server.storage_url
        self.assertEqual(self.download().status, 1)
        self.assertEqual(
            {headers.get("Authorization") for headers in self.server.storage_requests()}, {None}
        )


class Waiting(ClientTest):
    def test_a_short_retry_after_is_waited_for(self):
        server = self.serve()
        server.fail("/api/", status(429, Retry_After="7"), status(503), status(502))
        result = self.resolve()
        self.assertEqual((result.status, result.last, self.waits), (0, COMMIT, [7, 2, 4]))
        self.assertIsNone(
            failure_of(result.log),
            "a survived error must not be classified as the cause of a later failure",
        )

    def test_a_long_retry_after_ends_the_attempt_with_the_requested_time(
        self,
    ):
        server = self.serve()
        server.fail("/api/", status(429, Retry_After="290"))
        address = server.url.removeprefix("http://")
        self.assert_failed(
            self.resolve(),
            (
                f"resolve.py: 429 Too Many Requests: {address} asks to retry later for"
                " hf:acme/tiny; Retry-After: 290; a token in HF_TOKEN raises the limit"
            ),
            "rate_limited",
        )
        self.assertEqual(self.waits, [])

    def test_the_time_is_read_from_a_date_or_from_the_hubs_own_header(self):
        def seconds(**headers):
            return web.seconds_to_wait(
                {name.replace("_", "-"): value for name, value in headers.items()}
            )

        self.assertEqual(
            seconds(
                Retry_After="Wed, 21 Oct 2015 07:30:00 GMT", Date="Wed, 21 Oct 2015 07:28:00 GMT"
            ),
            120,
        )
        self.assertEqual(seconds(Retry_After="Wed, 21 Oct 2015 07:30:00 GMT"), None)
        self.assertEqual(seconds(RateLimit='"api";r=0;t=55'), 55)
        self.assertEqual(seconds(RateLimit='"api";r=12;t=55'), None)
        self.assertEqual(seconds(), None)

    def test_repeated_server_errors_end_the_attempt_after_six_tries(self):
        server = self.serve()
        server.fail("/api/", *[status(500)] * 50)
        address = server.url.removeprefix("http://")
        self.assert_failed(
            self.resolve(),
            f"resolve.py: HTTP error 500: {address} could not answer for hf:acme/tiny",
            "server_error",
        )
        self.assertEqual((self.waits, len(server.diary)), ([1, 2, 4, 8, 16], 6))

    def test_a_truncated_answer_is_requested_again(self):
        server = self.serve()

        def cut(handler):
            handler.send(200, b'{"sha": ', **{"Content-Length": "100"})
            return hang_up(handler)

        server.fail("/api/", cut)
        result = self.resolve()
        self.assertEqual((result.status, result.last, self.waits), (0, COMMIT, [1]))
        server.fail("/api/", *[cut] * 6)
        self.assert_failed(
            self.resolve(),
            (
                "resolve.py: hf:acme/tiny: the answer ended early: IncompleteRead(8 of 100 bytes);"
                " check the network and the proxy"
            ),
            "connection_failed",
        )

    def test_an_unknown_host_is_a_dns_failure_without_retry(self):
        self.environment["HF_ENDPOINT"] = "http://hub.invalid"
        error = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        with mock.patch.object(socket, "getaddrinfo", side_effect=error):
            result = self.resolve()
        self.assert_failed(
            result,
            (
                "resolve.py: could not resolve host hub.invalid: Name or service not known; check"
                " the network, the proxy and HF_ENDPOINT"
            ),
            "dns_failure",
        )
        self.assertEqual(self.waits, [])

    def test_a_temporary_dns_failure_is_retried(self):
        self.environment["HF_ENDPOINT"] = "http://hub.invalid"
        error = socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        with mock.patch.object(socket, "getaddrinfo", side_effect=error):
            self.assertEqual(failure_of(self.resolve().last), "dns_failure")
        self.assertEqual(self.waits, [1, 2, 4, 8, 16])

    def test_a_silent_server_times_out_and_a_closed_connection_fails(self):
        server = self.serve()
        self.environment["HF_HUB_DOWNLOAD_TIMEOUT"] = "1"
        never = threading.Event()
        self.addCleanup(never.set)
        server.fail("/api/", *[wait_for(never)] * 2)
        address = server.url.removeprefix("http://")
        with mock.patch.object(web, "WAITS_S", (1,)):
            self.assert_failed(
                self.resolve(),
                (
                    f"resolve.py: {address} sent nothing for 1 s: connection timed out;"
                    " HF_HUB_DOWNLOAD_TIMEOUT sets this limit"
                ),
                "download_timeout",
            )
        server.fail("/api/", *[hang_up] * 6)
        self.assertEqual(failure_of(self.resolve().log), "connection_failed")
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.environment["HF_ENDPOINT"] = "http://127.0.0.1:%d" % unused.getsockname()[1]
            self.assertEqual(failure_of(self.resolve().log), "connection_failed")


class Choosing(ClientTest):
    def downloaded(self, *names):
        self.serve({"config.json": CONFIG, **{name: name.encode() for name in names}})
        result = self.download()
        self.assertEqual((result.status, result.log if result.status else ""), (0, ""))
        return sorted(set(self.here()) - {"config.json"})

    def test_only_files_for_a_conversion_are_downloaded(self):
        needed = [
            "added_tokens.json",
            "chat_template.jinja",
            "generation_config.json",
            "merges.txt",
            "model.safetensors",
            "modeling_qwen.py",
            "qwen.tiktoken",
            "quantize_config.json",
            "tokenizer.json",
            "tokenizer.model",
            "tokenizer_config.json",
            "vocab.json",
        ]
        not_needed = [
            "README.md",
            ".gitattributes",
            "model.gguf",
            "model.onnx",
            "flax_model.msgpack",
            "tf_model.h5",
            "pytorch_model.bin",
            "rust_model.ot",
            "training_args.bin",
            "consolidated.safetensors",
            "more.safetensors",
            "pytorch_model.bin.index.json",
            "tf_model.h5.index.json",
            "logo.png",
            "original/params.json",
        ]
        self.assertEqual(self.downloaded(*needed, *not_needed), sorted(needed))

    def test_files_in_subfolders_are_not_downloaded(self):
        self.serve({**FILES, "original": None, "original/tokenizer.model": b"x"})
        self.assert_whole(self.download())

    def test_an_index_determines_the_files_of_the_model(self):
        shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
        index = b'{"weight_map": {"a": "%s", "b": "%s", "c": "%s"}}' % (
            shards[0].encode(),
            shards[1].encode(),
            shards[1].encode(),
        )
        self.serve(
            {
                "config.json": CONFIG,
                "model.safetensors.index.json": index,
                "consolidated-1.safetensors": b"c",
                **{name: name.encode() for name in shards},
            }
        )
        self.assertEqual(self.download().status, 0)
        self.assertEqual(
            sorted(self.here()), ["config.json", *shards, "model.safetensors.index.json"]
        )

    def test_an_index_with_missing_or_outside_files_fails_before_the_weights(self):
        index = b'{"weight_map": {"a": "model-1.safetensors", "b": "../../model-2.safetensors"}}'
        server = self.serve(
            {
                "config.json": CONFIG,
                "model.safetensors.index.json": index,
                "model-1.safetensors": WEIGHTS,
            }
        )
        self.assert_failed(
            self.download(),
            (
                "download.py: hf:acme/tiny: 1 of 2 files that model.safetensors.index.json"
                " lists are missing, such as ../../model-2.safetensors; the checkpoint is"
                " incomplete"
            ),
            None,
        )
        self.assertEqual(server.storage_requests(), [])

    def test_pickled_weights_are_downloaded_only_without_safetensors(self):
        self.assertEqual(
            self.downloaded("pytorch_model.bin", "training_args.bin"), ["pytorch_model.bin"]
        )

    def test_without_an_index_all_weights_except_copies_and_training_state_are_downloaded(
        self,
    ):
        others = ["consolidated.00", "training_args", "optimizer"]
        self.assertEqual(
            self.downloaded(
                "a.safetensors", "b.safetensors", *[one + ".safetensors" for one in others]
            ),
            ["a.safetensors", "b.safetensors"],
        )
        self.out += "2"
        others += ["scheduler", "rng_state_0"]
        self.assertEqual(
            self.downloaded("a.bin", "b.bin", *[one + ".bin" for one in others]), ["a.bin", "b.bin"]
        )

    def test_a_quantized_model_with_an_unusual_name_is_downloaded(self):
        self.assertEqual(
            self.downloaded("gptq_model-4bit-128g.safetensors", "pytorch_model.bin"),
            ["gptq_model-4bit-128g.safetensors"],
        )

    def test_a_repository_without_weights_config_or_architecture_is_refused(self):
        self.serve({"config.json": CONFIG, "model.gguf": b"x"})
        self.assert_failed(
            self.download(),
            (
                "download.py: hf:acme/tiny: has no weights as *.safetensors or *.bin; "
                "ONNX, Flax and TensorFlow files cannot be converted, and a GGUF file must be"
                " chosen by its name"
            ),
            None,
        )
        self.serve({"model.safetensors": WEIGHTS})
        self.assert_failed(
            self.download(),
            (
                "download.py: hf:acme/tiny: has no config.json, so it is not a Hugging Face"
                " checkpoint; name the repository or folder that contains config.json and the"
                " *.safetensors"
            ),
            None,
        )
        for config in (b'{"model_type": "qwen2"}', b'{"architectures": []}', b"[]"):
            server = self.serve({**FILES, "config.json": config})
            self.assert_failed(
                self.download(),
                (
                    "download.py: hf:acme/tiny: config.json names no architectures, so no converter"
                    ' can be chosen; add "architectures": ["..."] as in its model card, or use'
                    " another repository"
                ),
                None,
            )
            self.assertEqual(
                server.storage_requests(),
                [],
                "the weights were fetched before config.json was read",
            )
        self.serve({**FILES, "config.json": b'{"architectures"'})
        self.assert_failed(
            self.download(), f"download.py: {self.out}/config.json: not JSON; it is damaged", None
        )

    def test_a_mutable_revision_is_refused(self):
        server = self.serve()
        self.assert_failed(
            self.download(revision="main"),
            (
                "download.py: revision 'main' of hf:acme/tiny is not a commit; `resolve.py"
                " hf:acme/tiny main` prints the commit"
            ),
            None,
        )
        self.assertEqual(server.diary, [])

    def test_a_listing_of_many_pages_is_read_to_its_end(self):
        files = {**{f"a{i}.json": b"{}" for i in range(7)}, **FILES}
        server = self.serve(files, page_size=3)
        self.assert_whole(self.download(), files)
        self.assertEqual(len(server.requests("/tree/")), 4)

    def test_the_next_page_is_read_from_the_mirror_though_its_link_names_the_public_hub(self):
        server = self.serve(page_size=2, next_page_host=hub.PUBLIC)
        self.assert_whole(self.download())
        self.assertEqual(len(server.requests("/tree/")), 2)

    def test_a_listing_without_an_end_is_refused(self):
        server = self.serve()

        def never_the_last(handler, path):
            handler.send(200, b"[]", Link=f'<{server.url}{path.path}?cursor=1>; rel="next"')

        with mock.patch.object(server, "list", never_the_last):
            self.assert_failed(
                self.download(),
                (
                    "download.py: hf:acme/tiny: the hub's listing has more than 100 pages; is this"
                    " a model repository?"
                ),
                None,
            )

    def test_a_next_page_outside_the_web_is_not_opened(self):
        page = self.write("page", b"[]")
        server = self.serve()
        headers = {"Link": f'<file://{page}>; rel="next"'}
        with mock.patch.object(server, "list", lambda one, _: one.send(200, b"[]", **headers)):
            result = self.download()
        self.assertEqual(result.status, 1)
        self.assertIn("is redirected to file://", result.last)

    def test_a_length_that_is_no_number_is_none(self):
        server = self.serve()
        listed = server.list

        def without_length(handler, path):
            send = handler.send
            handler.close_connection = True
            handler.send = lambda status, body: send(status, body, **{"Content-Length": "many"})
            listed(handler, path)

        with mock.patch.object(server, "list", without_length):
            self.assert_whole(self.download())

    def test_an_answer_of_many_levels_is_no_listing(self):
        server = self.serve()
        deep = b"[" * 200000 + b"]" * 200000
        with mock.patch.object(server, "list", lambda handler, _: handler.send(200, deep)):
            result = self.download()
        self.assertEqual(result.status, 1)
        self.assertIn("the answer is not JSON; is HF_ENDPOINT a hub?", result.last)


if __name__ == "__main__":
    unittest.main()
