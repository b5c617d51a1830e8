"""The options of an engine: read in an installation by argparse_options.py or of --help, and
compared by enter_engine.py with a command before it starts. The installations are stand-ins, which
declare what the sources of their release do. ORCH_BINARY names orchestrate."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "runners" / "common" / "scripts"
sys.path[:0] = [str(HERE), str(HERE / "openai_standin"), str(SCRIPTS)]
import argparse_options  # noqa: E402
import engine_plans  # noqa: E402
import enter_engine  # noqa: E402
import make  # noqa: E402
import option_table  # noqa: E402
from stage import Failed  # noqa: E402

PROGRAMS = {"vllm": "python3", "sglang": "python3", "tgi": "text-generation-launcher"}
NAMES = {"vllm": "vLLM", "sglang": "SGLang", "tgi": "TGI"}


CASES = {
    "vllm": [{}, {"device": "cpu"}, {"enable_kv_cache_reuse": True, "precision": "fp8"}],
    "sglang": [{}, {"precision": "fp8", "enable_kv_cache_reuse": True}],
    "tgi": [{}, {"precision": "fp8", "enable_kv_cache_reuse": True}],
}


class Case(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def find(self, engine, release, **case):
        """The environment that the stage of a plan writes."""
        [point] = engine_plans.planned(engine, [{f"{engine}_version": release, **case}])
        return self.found(engine, release, point)

    def found(self, engine, release, point):
        home = make.make(engine, release, self.folder / f"{engine}-{release}")
        self.assertEqual(point["status"], "run", point["reason"])
        self.out = self.folder / f"out-{engine}-{release}"
        self.out.mkdir(exist_ok=True)
        words = engine_plans.filled(point["stages"]["environment"]["argv"], {"out": self.out})
        program = PROGRAMS[engine]
        words = [str(home / "bin" / program) if word == program else word for word in words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.printed = done.stdout
        return json.loads((self.out / "environment.json").read_text(encoding="utf-8"))

    def refusal(self, words, environment):
        with self.assertRaises(Failed) as caught:
            enter_engine.check_options(words, environment)
        return str(caught.exception)


class Reading(Case):
    def test_each_release_has_the_options_that_it_declares_and_its_servers_pass(self):
        for engine, program in PROGRAMS.items():
            table = option_table.Table(HERE / engine / "options.txt")
            cases = [
                {f"{engine}_version": release, **case}
                for release in table.releases
                for case in CASES[engine]
            ]
            points = engine_plans.planned(engine, cases)
            for release in table.releases:
                own = [points.pop(0) for _ in CASES[engine]]
                with self.subTest(engine=engine, release=release):
                    environment = self.found(engine, release, own[0])
                    self.compare(table.at(release), environment["options"])
                    for point in own:
                        words = point["stages"]["serve"]["argv"]
                        behind = words[words.index(program) + 1 :]
                        enter_engine.check_options(behind, environment)

    def compare(self, declared, found):
        names = {name for name in declared if name.startswith("--")}
        # Opposites of switches are not written in the sources.
        missing = names - set(found) - {"--no-" + name[2:] for name in found}
        self.assertEqual((missing, set(found) - names), (set(), set()))
        self.assertIn(f"{len(found)} options were read", self.printed)

    def test_a_package_without_these_files_is_not_checked(self):
        environment = self.find("sglang", "0.5.12.post1", sglang_version="0.5.12")
        self.assertTrue(environment["options"])
        for file in (self.folder / "sglang-0.5.12.post1/lib/sglang/srt").rglob("*.py"):
            file.unlink()
        words = [sys.executable, SCRIPTS / "argparse_options.py", "sglang", "sglang", "srt/*.py"]
        lib = str(self.folder / "sglang-0.5.12.post1/lib")
        done = subprocess.run(words, capture_output=True, env={"PYTHONPATH": lib}, check=True)
        self.assertEqual(json.loads(done.stdout), {})

    def test_a_file_that_is_no_python_is_not_read(self):
        (self.folder / "server.py").write_text("def (", encoding="utf-8")
        with self.assertRaises(SyntaxError):
            argparse_options.options_at(self.folder, "server.py")

    def test_a_plugin_may_add_options_so_none_is_checked(self):
        home = self.folder / "vllm-0.32.0"
        plugin = home / "lib/vllm_other-1.0.dist-info"
        make.write(plugin / "METADATA", "Metadata-Version: 2.1\nName: vllm_other\nVersion: 1.0\n")
        make.write(plugin / "entry_points.txt", "[vllm.platform_plugins]\nother = other:register\n")
        environment = self.find("vllm", "0.32.0")
        self.assertEqual(environment["options"], {})
        self.assertIn("its options are not known: none is checked", self.printed)
        enter_engine.check_options(["--of-the-plugin", "1"], environment)

    def test_what_a_function_adds_with_the_helpers_that_it_calls(self):
        make.write(
            self.folder / "cli.py",
            "class Sub:\n"
            "    def add_parser_server():\n"
            "        parser.add_argument('--port', '-p', choices=(1, 2))\n"
            "        Helper.tp(group)\n"
            "    def add_parser_client():\n"
            "        parser.add_argument('--url')\n",
        )
        make.write(
            self.folder / "utils.py",
            "class Helper:\n"
            "    def tp(parser):\n"
            "        return parser.add_argument('--tp', type=int)\n"
            "    def dp(parser):\n"
            "        return parser.add_argument('--dp', action='store_true')\n",
        )
        found = argparse_options.options_at(self.folder, "cli.py:add_parser_server:utils.py")
        expected = {"--port": {"takes": True, "choices": ["1", "2"]}, "--tp": {"takes": True}}
        self.assertEqual(found, expected)

    def test_fields_with_names_of_their_own(self):
        make.write(
            self.folder / "fields.py",
            "class Model:\n"
            "    model_path: A[str, Arg(help='x', aliases=['--model'])]\n"
            "    tp_size: A[int, Arg(cli_name='--tensor-parallel-size', aliases=['--tp'])] = 1\n"
            "    trust: Annotated[bool, 'help'] = False\n"
            "    hidden: A[int, Arg(no_cli=True)] = 1\n"
            "    derived = Derived()\n"
            "    plain: int = 1\n",
        )
        found = argparse_options.options_at(self.folder, "*.py")
        self.assertEqual(
            {name: option["takes"] for name, option in found.items()},
            {"--model-path": True, "--model": True, "--tensor-parallel-size": True, "--tp": True,
             "--trust": False},
        )  # fmt: skip


class Entering(Case):
    def enter(self, *command):
        words = ["/usr/bin/python3", str(SCRIPTS / "enter_engine.py"), str(self.out), *command]
        variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(words, capture_output=True, text=True, env=variables, timeout=60)

    def test_an_option_that_the_release_lacks_is_refused_before_it_starts(self):
        for engine, program in PROGRAMS.items():
            release = {"vllm": "0.32.0", "sglang": "0.5.23", "tgi": "3.3.7"}[engine]
            self.find(engine, release)
            done = self.enter("env", "A=1", program, "--no-such-thing", "1")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            said = f"invalid option --no-such-thing of {NAMES[engine]} {release}: it has no such"
            self.assertRegex(done.stderr, f"^enter_engine.py: {said}")
            self.assertIn(f"set {engine}_version to a release that has it", done.stderr)

    def test_an_option_of_another_release_and_the_most_similar_one(self):
        environment = self.find("sglang", "0.5.23")
        said = self.refusal(["--cuda-graph-max-bss", "8"], environment)
        self.assertIn("the most similar one is --cuda-graph-max-bs", said)
        environment = self.find("vllm", "0.16.0")
        said = self.refusal(["--model", "m", "--num-scheduler-steps=4"], environment)
        self.assertIn("invalid option --num-scheduler-steps of vLLM 0.16.0", said)

    def test_a_value_that_is_none_of_its_choices(self):
        environment = self.find("sglang", "0.4.3")
        said = self.refusal(["--attention-backend", "fa3"], environment)
        self.assertIn("it takes flashinfer, triton, torch_native and got fa3", said)
        enter_engine.check_options(["--attention-backend", "triton"], environment)

    def test_other_spellings_are_left_to_the_engine(self):
        environment = self.find("vllm", "0.32.0")
        for word in (
            "--max_num_seqs", "--max-num-batched-tok", "--compilation-config.level=3",
            "--no-enable-prefix-caching", "--no-async-scheduling", "-O3",
        ):  # fmt: skip
            enter_engine.check_options([word, "8"], environment)

    def test_clap_takes_no_abbreviation(self):
        environment = self.find("tgi", "3.3.7")
        self.assertIn("--max-batch", self.refusal(["--max-batch", "8"], environment))

    def test_values_are_not_options(self):
        environment = self.find("vllm", "0.32.0")
        words = ["--speculative-config", '{"method": "--x"}', "--lora-modules", "a=/a", "b=/b"]
        enter_engine.check_options(words, environment)


if __name__ == "__main__":
    unittest.main()
