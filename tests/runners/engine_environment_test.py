"""find_engine.py and enter_engine.py on installations of the stand-in."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "runners" / "common" / "scripts"
sys.path.insert(0, str(HERE / "openai_standin"))
import make  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.out = self.folder / "out"
        self.out.mkdir()
        self.home = make.make("sglang", "0.5.23", self.folder / "sglang")
        self.variables = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")

    def run_script(self, name, *words):
        argv = ["/usr/bin/python3", str(SCRIPTS / name), *map(str, words)]
        return subprocess.run(
            argv, capture_output=True, text=True, env=self.variables, cwd=self.folder, timeout=60
        )

    def find(self, *words, program=None, version="0.5.23", package="sglang", name="SGLang"):
        program = program or self.home / "bin/python3"
        package = ["--package", package] if package else []
        return self.run_script(
            "find_engine.py", "--name", name, "--parameter", "sglang_version", "--version", version,
            *package, *words, program, self.out,
        )  # fmt: skip

    def written(self, name):
        return json.loads((self.out / name).read_text(encoding="utf-8"))

    def enter(self, *command):
        return self.run_script("enter_engine.py", self.out, *command)


class Here(Case):
    def test_the_interpreter_is_found_with_its_version_and_run_in_place_of_the_planned_word(self):
        done = self.find()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.written("versions.json")["sglang"], "0.5.23")
        said = self.enter("python3", "-c", "import sglang; print(sglang.__version__)")
        self.assertEqual(said.stdout.strip(), "0.5.23", said.stderr)

    def test_words_of_env_stay_in_front_of_the_program(self):
        self.assertEqual(self.find().returncode, 0)
        code = "import os, sglang; print(os.environ['A'], sglang.__version__)"
        said = self.enter("env", "A=1", "python3", "-c", code)
        self.assertEqual(said.stdout.strip(), "1 0.5.23", said.stderr)

    def test_a_launcher_is_asked_for_its_version(self):
        tgi = make.make("tgi", "3.3.7", self.folder / "tgi") / "bin/text-generation-launcher"
        done = self.find(program=tgi, package="", version="3.3.7", name="TGI")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.written("versions.json"), {"tgi": "3.3.7"})

    def test_another_release_is_a_mismatch(self):
        done = self.find(version="0.4.10")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set sglang_version: 0.5.23, or install 0.4.10", done.stderr)

    def test_a_post_release_is_of_its_release(self):
        make.make("sglang", "0.5.12.post1", self.folder / "post")
        done = self.find(program=self.folder / "post/bin/python3", version="0.5.12")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_interpreter_without_the_package(self):
        done = self.find(program="/usr/bin/python3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/usr/bin/python3 has no SGLang; install 0.5.23 into it", done.stderr)

    def test_no_such_program(self):
        done = self.find(program="no-such-launcher")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-launcher: no such program on this machine", done.stderr)

    def test_a_program_that_does_not_say_its_version(self):
        done = self.find(program="/bin/false", package="")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not say its version (exit status 1)", done.stderr)

    def test_an_upgraded_package_is_not_started(self):
        self.assertEqual(self.find().returncode, 0)
        metadata = pathlib.Path(self.written("environment.json")["metadata"])
        metadata.write_text("Name: sglang\nVersion: 0.5.24\n", encoding="utf-8")
        done = self.enter("python3", "-c", "print('started')")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("0.5.23 was found here", done.stderr)
        self.assertIn("now says 0.5.24", done.stderr)


class InAnImage(Case):
    """Both run in the container; the scripts only name it in messages."""

    def test_messages_name_the_image(self):
        done = self.find("--image", "example/sglang:v1", program="no-such-python")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such program on image example/sglang:v1", done.stderr)

    def test_the_options_are_read_in_it(self):
        places = ["--declared", "srt/server_args.py", "--declared", "srt/arg_groups/**/*.py"]
        done = self.find("--image", "example/sglang:v1", *places)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--mem-fraction-static", self.written("environment.json")["options"])
        said = self.enter("python3", "-c", "print('started')", "--mem-fraction", "0.5")
        self.assertEqual(said.stdout.strip(), "started", said.stderr)
        said = self.enter("python3", "-c", "print('started')", "--memory", "0.5")
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("invalid option --memory of SGLang 0.5.23", said.stderr)


if __name__ == "__main__":
    unittest.main()
