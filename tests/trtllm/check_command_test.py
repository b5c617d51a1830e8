"""check_command.py against what is known of the real parsers: the cases that were run by hand when the formats were studied, and the
commands of the documents that the experiments come from. ORCH_TRTLLM_UPSTREAM names checkouts of upstream (several with a colon between);
where it is set, the real parsers are asked as well."""

import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import check_command
import drift
import options
import record_templates
import upstream

HERE = os.path.dirname(os.path.abspath(__file__))
UPSTREAM = [each for each in os.environ.get("ORCH_TRTLLM_UPSTREAM", "").split(":") if each]


def texts(version, tool, *argv):
    return [problem.text for problem in check_command.check(version, tool, list(argv))]


class Lengths(unittest.TestCase):
    def test_an_option_that_a_release_dropped_is_refused_and_its_last_versions_named(self):
        self.assertEqual(texts("0.14.0", "build", "--max_output_len", "128"), [
            "0.14.0 build: --max_output_len is not an option; the nearest is --max_input_len; --max_output_len is one at 0.9.0 to 0.11.0"])
        self.assertEqual(texts("0.11.0", "build", "--max_output_len", "128"), [])

    def test_an_option_that_a_release_lacks_yet_is_refused_and_its_first_version_named(self):
        self.assertEqual(texts("0.9.0", "build", "--max_seq_len", "128"), [
            "0.9.0 build: --max_seq_len is not an option; the nearest is --max_input_len; --max_seq_len is one at 0.11.0 to 1.3.0rc3"])
        self.assertEqual(texts("0.12.0", "build", "--max_decoder_seq_len", "128"), [])

    def test_the_length_of_the_tokenizer_was_renamed_after_the_first_release(self):
        self.assertEqual(texts("0.9.0", "quantize", "--model_dir", "m", "--max_seq_length", "2048"), [])
        self.assertEqual(len(texts("0.10.0", "quantize", "--model_dir", "m", "--max_seq_length", "2048")), 1)
        self.assertEqual(texts("0.10.0", "quantize", "--model_dir", "m", "--tokenizer_max_seq_length", "2048"), [])


class Values(unittest.TestCase):
    def test_a_choice_that_came_later_is_refused_with_the_choices_and_the_versions_that_take_it(self):
        self.assertEqual(texts("0.9.0", "build", "--gemm_plugin", "auto"), [
            "0.9.0 build: --gemm_plugin takes float16, float32, bfloat16 or disable and got auto; auto is right at 0.11.0 to 1.3.0rc3"])
        self.assertEqual(texts("0.11.0", "build", "--gemm_plugin", "auto"), [])

    def test_a_bare_flag_that_became_an_option_with_a_value_is_refused(self):
        self.assertEqual(texts("0.14.0", "build", "--use_fused_mlp"), [
            "0.14.0 build: --use_fused_mlp needs a value (enable or disable); without one it is right at 0.9.0 to 0.13.0.dev2024081300"])
        self.assertEqual(texts("0.12.0", "build", "--use_fused_mlp"), [])

    def test_a_flag_takes_no_value(self):
        self.assertEqual(texts("0.14.0", "build", "--strip_plan=yes"), ["0.14.0 build: --strip_plan takes no value and got yes"])
        self.assertEqual(texts("0.11.0", "build", "--use_fused_mlp", "enable"),
                         ["0.11.0 build: enable is neither an option nor the value of one"])

    def test_the_kind_of_the_cache_is_read_in_any_case_and_only_since_it_exists(self):
        self.assertEqual(texts("0.14.0", "build", "--kv_cache_type", "PAGED"), [])
        self.assertEqual(texts("0.14.0", "build", "--kv_cache_type", "page"), [
            "0.14.0 build: --kv_cache_type takes continuous, paged or disabled and got page"])
        for version in ("0.9.0", "0.11.0", "0.12.0"):
            self.assertEqual(len(texts(version, "build", "--kv_cache_type", "paged")), 1, version)

    def test_a_number_is_a_number(self):
        self.assertEqual(texts("0.14.0", "build", "--max_batch_size", "8.5"), ["0.14.0 build: --max_batch_size takes int and got 8.5"])
        self.assertEqual(texts("0.11.0", "convert-qwen", "--model_dir", "m", "--moe_tp_size", "-1"), [])

    def test_an_option_may_take_several_words_or_none_where_its_parser_says_so(self):
        self.assertEqual(texts("0.14.0", "build", "--lora_dir", "one", "two", "--lora_plugin", "auto"), [])
        self.assertEqual(texts("0.11.0", "convert-qwen", "--model_dir", "m", "--weight_only_precision"), [])
        self.assertEqual(texts("0.14.0", "build", "--lora_dir"), ["0.14.0 build: --lora_dir needs a value (str)"])


class Spelling(unittest.TestCase):
    def test_an_option_is_written_in_full_though_argparse_would_take_less(self):
        self.assertEqual(texts("0.14.0", "build", "--max_batch", "8"), [
            "0.14.0 build: --max_batch is not written in full; the option is --max_batch_size"])
        self.assertEqual(texts("0.11.0", "convert-qwen", "--model_dir", "m", "--tp", "2"), [
            "0.11.0 convert-qwen: --tp is not written in full; the option is --tp_size"])

    def test_a_beginning_that_two_options_share_names_both(self):
        self.assertEqual(texts("0.14.0", "build", "--gather", "--max_batch_size", "8"), [
            "0.14.0 build: --gather could be --gather_all_token_logits, --gather_context_logits or --gather_generation_logits; "
            "write the one that is meant in full"])

    def test_hyphens_are_not_underscores(self):
        self.assertEqual(texts("0.11.0", "convert-qwen", "--model_dir", "m", "--dataset_cache_dir", "d"), [
            "0.11.0 convert-qwen: --dataset_cache_dir is not an option; the nearest is --dataset-cache-dir; no recorded version has it"])
        self.assertEqual(texts("0.11.0", "convert-qwen", "--model_dir", "m", "--dataset-cache-dir", "d"), [])

    def test_an_option_is_given_once(self):
        self.assertEqual(texts("0.14.0", "build", "--workers", "2", "--workers=4"), [
            "0.14.0 build: --workers is given more than once; only the last one would count"])
        self.assertEqual(texts("0.11.0", "build", "--max_seq_len", "2", "--max_decoder_seq_len", "4"), [
            "0.11.0 build: --max_decoder_seq_len is given more than once; only the last one would count"])


class Required(unittest.TestCase):
    def test_what_is_required_depends_on_the_version(self):
        self.assertEqual(texts("0.11.0", "convert-qwen"), ["0.11.0 convert-qwen: --model_dir is required and not given"])
        self.assertEqual(texts("0.9.0", "convert-qwen"), [])
        self.assertEqual(texts("0.9.0", "quantize"), ["0.9.0 quantize: --model_dir is required and not given"])
        self.assertEqual(texts("0.11.0", "quantize"), [])

    def test_llama_converts_to_fp8_only_since_the_converter_can(self):
        for version, wrong in (("0.9.0", 2), ("0.11.0", 2), ("0.14.0", 0)):
            self.assertEqual(len(texts(version, "convert-llama", "--model_dir", "m", "--use_fp8", "--fp8_kv_cache")), wrong, version)


class Commands(unittest.TestCase):
    def test_a_tool_with_subcommands_needs_one(self):
        self.assertEqual(texts("0.14.0", "bench", "--model", "m"), [
            "0.14.0 bench: a command is missing; it has build, throughput, latency"])
        self.assertEqual(texts("0.14.0", "bench", "--model", "m", "speed"), [
            "0.14.0 bench: speed is no command of it; it has build, throughput, latency"])

    def test_options_belong_to_their_subcommand(self):
        self.assertEqual(texts("0.14.0", "bench", "--model", "m", "throughput", "--engine_dir", "e", "--num_requests", "9"), [])
        self.assertEqual(texts("0.14.0", "bench", "throughput", "--engine_dir", "e", "--medusa_choices", "f"), [
            "0.14.0 bench: --model is required and not given",
            "0.14.0 bench: --medusa_choices is not an option; --medusa_choices is one at 0.14.0 to 1.3.0rc3"])

    def test_the_server_takes_its_model_with_and_without_the_word_serve(self):
        self.assertEqual(texts("1.3.0rc3", "serve", "serve", "m", "--tp_size", "2"), [])
        self.assertEqual(texts("1.3.0rc3", "serve", "m", "--backend", "trt"), [])
        self.assertEqual(texts("1.3.0rc3", "serve", "serve", "--port", "8000"), ["1.3.0rc3 serve: MODEL is required and not given"])

    def test_a_command_that_could_not_be_read_is_said_to_be_so(self):
        self.assertEqual(texts("1.3.0rc3", "bench", "-m", "x", "build"), [
            "1.3.0rc3 bench: the options of build could not be read at this version"])


class Records(unittest.TestCase):
    def test_a_version_without_a_record_is_refused_with_those_that_have_one(self):
        with self.assertRaises(LookupError) as refused:
            texts("0.8.0", "serve")
        self.assertEqual(str(refused.exception), "there is no record of serve at 0.8.0; it was recorded at 0.15.0.dev2024111200, "
                         "0.16.0.dev2024121000, 0.17.0.dev2024121700, 1.3.0rc3")

    def test_versions_are_in_the_order_of_their_releases(self):
        known = options.versions("build")
        self.assertLess(known.index("0.9.0"), known.index("0.10.0"))
        self.assertLess(known.index("0.12.0.dev2024080600"), known.index("0.12.0"))
        self.assertLess(known.index("0.12.0"), known.index("0.13.0.dev2024081300"))

    def test_every_record_names_its_version_tool_and_source(self):
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                record = options.load(version, tool)
                self.assertEqual((record["version"], record["tool"]), (version, tool))
                self.assertRegex(record["source"]["commit"], "^[0-9a-f]{40}$")
                self.assertIn(record["evidence"], ("verified", "neighbour"))

    def test_no_record_carries_text_of_upstream(self):
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                self.assertNotIn('"help"', json.dumps(options.load(version, tool)))


class Documents(unittest.TestCase):
    """documents.json holds every command of the documents 000, 001 and 002 that runs one of these tools, and what each version says."""

    def test_the_verdict_on_every_command_of_the_documents_is_the_recorded_one(self):
        with open(os.path.join(HERE, "documents.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertEqual(collections.Counter(row["document"] for row in rows), {"000": 1, "001": 7, "002": 8})
        for row in rows:
            self.assertEqual(sorted([*row["right"], *row["wrong"]], key=options.order), options.versions(row["tool"]))
            for version in row["right"]:
                self.assertEqual(texts(version, row["tool"], *row["argv"]), [], row["command"])
            for version, said in row["wrong"].items():
                self.assertEqual(texts(version, row["tool"], *row["argv"]), said, row["command"])


class Drift(unittest.TestCase):
    def test_the_table_of_options_over_releases_is_made_from_the_records(self):
        with open(drift.FILE, encoding="utf-8") as file:
            self.assertEqual(file.read(), drift.laid_out(drift.drift()))

    def rows(self, name, tool):
        rows = [row for row in drift.drift()[name] if row["tool"] == tool]
        return [(row["since"], row["until"], row["gone"], row["evidence"]) for row in rows]

    def test_it_knows_when_an_option_came_and_went_and_how_well(self):
        self.assertEqual(self.rows("--max_output_len", "build"), [(None, "0.11.0", "0.12.0", "verified")])
        self.assertEqual(self.rows("--kv_cache_type", "build"), [("0.13.0", None, None, "verified")])
        self.assertEqual(self.rows("--monitor_memory", "build"), [("0.15.0", None, None, "neighbour")])
        self.assertEqual(self.rows("--auto_parallel", "build"), [(None, "0.17.0", "1.3.0", "inferred")])
        self.assertEqual(self.rows("--device", "quantize"), [(None, "0.9.0", "0.10.0", "verified"), ("0.11.0", None, None, "verified")])

    def test_it_knows_when_a_default_moved(self):
        row = next(row for row in drift.drift()["--max_batch_size"] if row["tool"] == "build")
        self.assertEqual([(change["at"], change["from"], change["to"]) for change in row["changes"]], [("0.11.0", 1, 256), ("0.14.0", 256, 2048)])


class Templates(unittest.TestCase):
    def at(self, version):
        with open(os.path.join(HERE, "templates", version + ".json"), encoding="utf-8") as file:
            return json.load(file)["models"]

    def test_a_placeholder_says_which_parameter_it_fills_and_whether_it_is_quoted(self):
        model = self.at("0.14.0")["tensorrt_llm"]
        self.assertEqual((model["batching_strategy"]["fills"], model["batching_strategy"]["quoted"]), (["gpt_model_type"], True))
        self.assertEqual(model["engine_dir"]["fills"], ["gpt_model_path"])
        self.assertEqual(model["triton_max_batch_size"]["fills"], ["max_batch_size", "preferred_batch_size"])
        self.assertEqual({name for name, row in model.items() if not row["quoted"]},
                         {"triton_max_batch_size", "decoupled_mode", "max_queue_delay_microseconds", "max_queue_size"})

    def test_a_placeholder_in_a_comment_is_marked(self):
        self.assertNotIn("comment", self.at("0.9.0")["tensorrt_llm"]["enable_trt_overlap"])
        self.assertTrue(self.at("0.10.0")["tensorrt_llm"]["enable_trt_overlap"]["comment"])

    def test_every_placeholder_fills_something(self):
        for name in os.listdir(os.path.join(HERE, "templates")):
            for model, rows in self.at(name.removesuffix(".json")).items():
                for placeholder, row in rows.items():
                    self.assertTrue(all(row["fills"]), f"{name} {model} {placeholder}")

    def test_a_template_is_read_line_by_line(self):
        self.assertEqual(record_templates.placeholders('parameters: {\n  key: "a"\n  value: {\n    string_value: "${b}"\n  }\n}\ncount: ${c}\n'),
                         {"b": {"quoted": True, "lines": [4], "fills": ["a"]}, "c": {"quoted": False, "lines": [7], "fills": ["count"]}})


class Layout(unittest.TestCase):
    def test_every_release_whose_options_are_recorded_has_its_paths(self):
        with open(os.path.join(HERE, "layout.json"), encoding="utf-8") as file:
            versions = json.load(file)["versions"]
        for tool in upstream.SCRIPTS:
            for version in filter(options.is_release, options.versions(tool)):
                path = options.load(version, tool)["source"]["path"]
                if tool.startswith("convert-"):
                    self.assertEqual(versions[version]["paths"]["convert"][tool.removeprefix("convert-")], "tensorrt_llm/" + path)
                if tool == "launch":
                    self.assertEqual(versions[version]["paths"]["scripts"] + "/launch_triton_server.py", path)
                    self.assertEqual(versions[version]["backend"]["commit"], options.load(version, tool)["source"]["commit"])
                if tool == "build":
                    self.assertEqual(versions[version]["backend"]["submodule"], options.load(version, tool)["source"]["commit"])


class Program(unittest.TestCase):
    def run_on(self, text, *words):
        return subprocess.run([sys.executable, os.path.join(HERE, "check_command.py"), *words], input=text, capture_output=True, text=True)

    def test_it_prints_each_problem_with_its_line_and_fails(self):
        done = self.run_on('{"version": "0.14.0", "tool": "build", "argv": []}\n\n'
                           '{"version": "0.14.0", "tool": "build", "argv": ["--worker", 2]}\n')
        self.assertEqual(done.stdout, "line 3: 0.14.0 build: --worker is not written in full; the option is --workers\n")
        self.assertEqual(done.stderr, "2 lines, 1 wrong, 0 compared with the real parser\n")
        self.assertEqual(done.returncode, 1)

    def test_it_is_content_with_right_lines(self):
        done = self.run_on('{"version": "0.14.0", "tool": "build", "argv": ["--workers", "2"]}\n')
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_it_says_which_line_it_cannot_read(self):
        done = self.run_on('{"version": "0.14.0"}\n')
        self.assertEqual(done.stderr, "line 1 is no command line: KeyError 'tool'; write"
                         ' {"version": ..., "tool": ..., "argv": [...]}\n')
        self.assertEqual(done.returncode, 2)


def invented(chance, level):
    """A command line of a level's options, now and then with a mistake in it."""
    words = []
    for option in level["options"]:
        if not option.get("required") and chance.random() > 0.15 or chance.random() < 0.02:
            continue
        spelling = chance.choice([*option["spellings"], *option.get("negative", [])])
        if chance.random() < 0.05 and spelling.startswith("--"):
            spelling = spelling[:-chance.randint(1, 4)]
        values = [] if option["type"] == "flag" else [sample(chance, option) for _ in range(count_of(chance, option))]
        if len(values) == 1 and chance.random() < 0.2 and spelling.startswith("--"):
            words.append(f"{spelling}={values[0]}")
        else:
            words += [spelling, *values]
    return words + [f"place{number}" for number in range(len(level["positionals"]) + (chance.random() < 0.03))]


def invented_for(chance, level):
    argv = invented(chance, level)
    if "commands" not in level:
        return argv
    name = chance.choice(list(level["commands"]))
    below = level["commands"][name]
    return [*argv, name, *(invented_for(chance, below) if "unread" not in below else [])]


def count_of(chance, option):
    nargs = option.get("nargs")
    usual = nargs if isinstance(nargs, int) else chance.randint(0, 1) if nargs == "?" else chance.randint(1, 2) if nargs else 1
    return usual if chance.random() > 0.05 else chance.randint(0, 2)


def sample(chance, option):
    choices = check_command.plain_choices(option)
    if choices and chance.random() > 0.05:
        return str(chance.choice(choices))
    usual = {"int": ["4", "-1", "0"], "float": ["0.5", "1", "-2.5"]}.get(option["type"], ["text", "a/path", "x=y"])
    return chance.choice(usual if chance.random() > 0.05 else ["nonsense", "1.5", "", "a b"])


@unittest.skipUnless(UPSTREAM, "ORCH_TRTLLM_UPSTREAM names no checkout of upstream")
class RealParsers(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.real = check_command.RealParsers(UPSTREAM, self.scratch.name)
        self.addCleanup(self.real.close)

    def compare(self, version, tool, argv):
        answer = self.real.ask(version, tool, argv)
        if answer is None:
            return 0
        problems = check_command.check(version, tool, argv)
        self.assertIsNone(check_command.disagreement(version, tool, problems, answer), argv)
        return 1

    def test_they_agree_on_the_commands_of_the_documents(self):
        with open(os.path.join(HERE, "documents.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertGreater(sum(self.compare(version, row["tool"], row["argv"])
                               for row in rows for version in [*row["right"], *row["wrong"]]), 0)

    def test_they_agree_on_command_lines_made_at_random(self):
        chance, compared = random.Random(6), 0
        for tool in upstream.SCRIPTS:
            for version in options.versions(tool):
                record = options.load(version, tool)
                for _ in range(40):
                    compared += self.compare(version, tool, invented_for(chance, record))
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
