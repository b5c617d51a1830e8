"""layout.py on folders that are laid out as published images are: which planned words it finds, and
what it advises for others."""

import os
import shutil

from install_support import InstallTest, main


class Layouts(InstallTest):
    def setUp(self):
        super().setUp()
        self.install()

    def look(self, *words, more=(), version="0.14.0"):
        """(word, kind) of each line, and the lines."""
        result = self.script(
            "layout.py",
            f"--version={version}",
            "--examples=" + self.path("app/examples"),
            "--app=" + self.path("app"),
            *more,
            "--",
            *words,
        )
        self.assertEqual(result.status, 0, result.log)
        lines = [line.split("\t") for line in result.log.splitlines()]
        return {word: kind.replace("orchestrate: ", "") for kind, word, *_ in lines}, lines

    def planned(self):
        return [
            self.path("app/examples/qwen/convert_checkpoint.py"),
            self.path("app/examples/quantization/quantize.py"),
            self.path("app/all_models/inflight_batcher_llm/ensemble/config.pbtxt"),
            "trtllm-build",
            "tritonserver",
        ]

    def test_an_image_with_app_has_everything(self):
        kinds, lines = self.look(*self.planned())
        self.assertEqual({kinds[word] for word in self.planned()}, {"has"})
        self.assertIn(["orchestrate: version", "tensorrt_llm", "0.14.0.post1", ""], lines)

    def test_an_image_without_app_names_the_key_that_brings_the_files(self):
        shutil.rmtree(self.path("app"))
        kinds, lines = self.look(*self.planned())
        self.assertEqual([kinds[word] for word in self.planned()], ["lacks"] * 3 + ["has"] * 2)
        remedy = next(line[3] for line in lines if line[0] == "orchestrate: lacks")
        self.assertTrue(remedy.startswith("backend_source: https://github.com/"), remedy)

    def test_what_a_source_brings_is_known_later(self):
        shutil.rmtree(self.path("app"))
        kinds, _ = self.look(*self.planned(), more=["--source=/some/repository"])
        self.assertEqual([kinds[word] for word in self.planned()], ["later"] * 3 + ["has"] * 2)

    def test_examples_are_found_where_an_image_that_was_built_has_them(self):
        os.rename(self.path("app/examples"), self.path("moved"))
        os.makedirs(self.path("app/tensorrt_llm"))
        os.rename(self.path("moved"), self.path("app/tensorrt_llm/examples"))
        kinds, _ = self.look(*self.planned())
        self.assertEqual({kinds[word] for word in self.planned()}, {"has"})

    def test_another_release_names_its_number(self):
        kinds, lines = self.look(version="0.16.0")
        self.assertEqual(kinds["tensorrt_llm"], "lacks")
        self.assertIn(
            [
                "orchestrate: lacks",
                "tensorrt_llm",
                "it has 0.14.0.post1, and trtllm_version is 0.16.0",
                "trtllm_version: 0.14.0, or an image of 0.16.0",
            ],
            lines,
        )

    def test_an_image_without_the_package_names_one_with_it(self):
        shutil.rmtree(self.path("site"))
        kinds, _ = self.look()
        self.assertEqual(kinds, {"python": "has", "tensorrt_llm": "lacks"})

    def test_a_program_that_is_nowhere_is_lacked(self):
        os.remove(self.path("bin/trtllm-build"))
        kinds, _ = self.look("trtllm-build", "python3", "/usr/bin/env")
        self.assertEqual(
            [kinds[word] for word in ("trtllm-build", "python3", "/usr/bin/env")],
            ["lacks", "has", "has"],
        )


if __name__ == "__main__":
    main()
