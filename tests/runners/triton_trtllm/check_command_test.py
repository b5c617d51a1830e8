"""check_command.py against known results of the real parsers: cases that were run by hand with
them, and the commands of the documents that the experiments come from."""

import collections
import json
import os
import subprocess
import sys
import unittest

import check_command
import options

HERE = os.path.dirname(os.path.abspath(__file__))


def texts(version, tool, *argv):
    return [problem.text for problem in check_command.check(version, tool, list(argv))]


class Lengths(unittest.TestCase):
    def test_a_dropped_option_is_refused_with_its_last_versions(self):
        self.assertEqual(
            texts("0.14.0", "build", "--max_output_len", "128"),
            [
                "0.14.0 build: --max_output_len is not an option; the nearest is --max_input_len;"
                " --max_output_len is one at 0.9.0 to 0.11.0"
            ],
        )
        self.assertEqual(texts("0.11.0", "build", "--max_output_len", "128"), [])

    def test_an_option_of_a_later_release_is_refused_with_its_first_version(self):
        self.assertEqual(
            texts("0.9.0", "build", "--max_seq_len", "128"),
            [
                "0.9.0 build: --max_seq_len is not an option; the nearest is --max_input_len;"
                " --max_seq_len is one at 0.11.0 to 1.3.0rc3"
            ],
        )
        self.assertEqual(texts("0.12.0", "build", "--max_decoder_seq_len", "128"), [])

    def test_the_tokenizer_length_has_a_new_name_since_0_10(self):
        self.assertEqual(
            texts("0.9.0", "quantize", "--model_dir", "m", "--max_seq_length", "2048"), []
        )
        self.assertEqual(
            len(texts("0.10.0", "quantize", "--model_dir", "m", "--max_seq_length", "2048")), 1
        )
        self.assertEqual(
            texts("0.10.0", "quantize", "--model_dir", "m", "--tokenizer_max_seq_length", "2048"),
            [],
        )


class Values(unittest.TestCase):
    def test_a_choice_of_a_later_release_is_refused_with_the_choices_and_its_versions(
        self,
    ):
        self.assertEqual(
            texts("0.9.0", "build", "--gemm_plugin", "auto"),
            [
                "0.9.0 build: --gemm_plugin takes float16, float32, bfloat16 or disable and got"
                " auto; auto is right at 0.11.0 to 1.3.0rc3"
            ],
        )
        self.assertEqual(texts("0.11.0", "build", "--gemm_plugin", "auto"), [])

    def test_a_former_flag_without_its_value_is_refused(self):
        self.assertEqual(
            texts("0.14.0", "build", "--use_fused_mlp"),
            [
                "0.14.0 build: --use_fused_mlp needs a value (enable or disable); without one it is"
                " right at 0.9.0 to 0.13.0.dev2024081300"
            ],
        )
        self.assertEqual(texts("0.12.0", "build", "--use_fused_mlp"), [])

    def test_a_flag_takes_no_value(self):
        self.assertEqual(
            texts("0.14.0", "build", "--strip_plan=yes"),
            ["0.14.0 build: --strip_plan takes no value and got yes"],
        )
        self.assertEqual(
            texts("0.11.0", "build", "--use_fused_mlp", "enable"),
            ["0.11.0 build: enable is neither an option nor the value of one"],
        )

    def test_the_kind_of_the_cache_is_case_insensitive_and_needs_0_13(self):
        self.assertEqual(texts("0.14.0", "build", "--kv_cache_type", "PAGED"), [])
        self.assertEqual(
            texts("0.14.0", "build", "--kv_cache_type", "page"),
            ["0.14.0 build: --kv_cache_type takes continuous, paged or disabled and got page"],
        )
        for version in ("0.9.0", "0.11.0", "0.12.0"):
            self.assertEqual(len(texts(version, "build", "--kv_cache_type", "paged")), 1, version)

    def test_a_value_of_another_number_type_is_refused(self):
        self.assertEqual(
            texts("0.14.0", "build", "--max_batch_size", "8.5"),
            ["0.14.0 build: --max_batch_size takes int and got 8.5"],
        )
        self.assertEqual(
            texts("0.11.0", "convert-qwen", "--model_dir", "m", "--moe_tp_size", "-1"), []
        )

    def test_an_option_may_take_several_words_or_none_if_its_parser_allows_it(self):
        self.assertEqual(
            texts("0.14.0", "build", "--lora_dir", "one", "two", "--lora_plugin", "auto"), []
        )
        self.assertEqual(
            texts("0.11.0", "convert-qwen", "--model_dir", "m", "--weight_only_precision"), []
        )
        self.assertEqual(
            texts("0.14.0", "build", "--lora_dir"), ["0.14.0 build: --lora_dir needs a value (str)"]
        )


class Spelling(unittest.TestCase):
    def test_an_abbreviated_option_is_refused_though_argparse_accepts_it(self):
        self.assertEqual(
            texts("0.14.0", "build", "--max_batch", "8"),
            ["0.14.0 build: --max_batch is not written in full; the option is --max_batch_size"],
        )
        self.assertEqual(
            texts("0.11.0", "convert-qwen", "--model_dir", "m", "--tp", "2"),
            ["0.11.0 convert-qwen: --tp is not written in full; the option is --tp_size"],
        )

    def test_an_ambiguous_abbreviation_is_refused_with_its_candidates(self):
        self.assertEqual(
            texts("0.14.0", "build", "--gather", "--max_batch_size", "8"),
            [
                "0.14.0 build: --gather could be --gather_all_token_logits, --gather_context_logits"
                " or --gather_generation_logits; write the intended one in full"
            ],
        )

    def test_hyphens_and_underscores_are_different(self):
        self.assertEqual(
            texts("0.11.0", "convert-qwen", "--model_dir", "m", "--dataset_cache_dir", "d"),
            [
                "0.11.0 convert-qwen: --dataset_cache_dir is not an option; the nearest is"
                " --dataset-cache-dir; no recorded version has it"
            ],
        )
        self.assertEqual(
            texts("0.11.0", "convert-qwen", "--model_dir", "m", "--dataset-cache-dir", "d"), []
        )

    def test_a_repeated_option_is_refused(self):
        self.assertEqual(
            texts("0.14.0", "build", "--workers", "2", "--workers=4"),
            ["0.14.0 build: --workers is given more than once; only the last one would count"],
        )
        self.assertEqual(
            texts("0.11.0", "build", "--max_seq_len", "2", "--max_decoder_seq_len", "4"),
            [
                "0.11.0 build: --max_decoder_seq_len is given more than once; only the last one"
                " would count"
            ],
        )


class Required(unittest.TestCase):
    def test_required_options_depend_on_the_version(self):
        self.assertEqual(
            texts("0.11.0", "convert-qwen"),
            ["0.11.0 convert-qwen: --model_dir is required and not given"],
        )
        self.assertEqual(texts("0.9.0", "convert-qwen"), [])
        self.assertEqual(
            texts("0.9.0", "quantize"), ["0.9.0 quantize: --model_dir is required and not given"]
        )
        self.assertEqual(texts("0.11.0", "quantize"), [])

    def test_llama_converts_to_fp8_only_at_releases_whose_converter_supports_it(self):
        for version, wrong in (("0.9.0", 2), ("0.11.0", 2), ("0.14.0", 0)):
            self.assertEqual(
                len(
                    texts(
                        version, "convert-llama", "--model_dir", "m", "--use_fp8", "--fp8_kv_cache"
                    )
                ),
                wrong,
                version,
            )


class Versions(unittest.TestCase):
    def test_a_version_without_a_record_is_checked_against_the_closest_one(self):
        self.assertEqual(
            texts("0.18.2", "build", "--worker", "2"),
            [
                "0.18.2 build, by the record of 0.17.0.dev2024121700: --worker is not written in"
                " full; the option is --workers"
            ],
        )


class Commands(unittest.TestCase):
    def test_a_missing_or_unknown_subcommand_is_refused(self):
        self.assertEqual(
            texts("0.14.0", "bench", "--model", "m"),
            ["0.14.0 bench: a command is missing; it has build, throughput, latency"],
        )
        self.assertEqual(
            texts("0.14.0", "bench", "--model", "m", "speed"),
            ["0.14.0 bench: speed is no command of it; it has build, throughput, latency"],
        )

    def test_options_belong_to_their_subcommand(self):
        self.assertEqual(
            texts(
                "0.14.0",
                "bench",
                "--model",
                "m",
                "throughput",
                "--engine_dir",
                "e",
                "--num_requests",
                "9",
            ),
            [],
        )
        self.assertEqual(
            texts("0.14.0", "bench", "throughput", "--engine_dir", "e", "--medusa_choices", "f"),
            [
                "0.14.0 bench: --model is required and not given",
                (
                    "0.14.0 bench: --medusa_choices is not an option; --medusa_choices is one at"
                    " 0.14.0 to 1.3.0rc3"
                ),
            ],
        )

    def test_the_server_takes_its_model_with_and_without_the_word_serve(self):
        self.assertEqual(texts("1.3.0rc3", "serve", "serve", "m", "--tp_size", "2"), [])
        self.assertEqual(texts("1.3.0rc3", "serve", "m", "--backend", "trt"), [])
        self.assertEqual(
            texts("1.3.0rc3", "serve", "serve", "--port", "8000"),
            ["1.3.0rc3 serve: MODEL is required and not given"],
        )

    def test_an_unread_subcommand_is_reported(self):
        self.assertEqual(
            texts("1.3.0rc3", "bench", "-m", "x", "build"),
            ["1.3.0rc3 bench: the options of build could not be read at this version"],
        )


class Documents(unittest.TestCase):
    """documents.json holds every command of the documents 000, 001 and 002 that runs one of these
    tools, and the problems at each version."""

    def test_every_command_of_the_documents_has_its_recorded_problems(self):
        with open(os.path.join(HERE, "documents.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertEqual(
            collections.Counter(row["document"] for row in rows), {"000": 1, "001": 7, "002": 8}
        )
        for row in rows:
            self.assertEqual(
                sorted([*row["right"], *row["wrong"]], key=options.order),
                options.versions(row["tool"]),
            )
            for version in row["right"]:
                self.assertEqual(texts(version, row["tool"], *row["argv"]), [], row["command"])
            for version, expected in row["wrong"].items():
                self.assertEqual(
                    texts(version, row["tool"], *row["argv"]), expected, row["command"]
                )


class Program(unittest.TestCase):
    def run_on(self, text, *words):
        return subprocess.run(
            [sys.executable, os.path.join(HERE, "check_command.py"), *words],
            input=text,
            capture_output=True,
            text=True,
        )

    def test_each_problem_is_printed_with_its_line_and_the_status_is_1(self):
        done = self.run_on(
            '{"version": "0.14.0", "tool": "build", "argv": []}\n\n'
            '{"version": "0.14.0", "tool": "build", "argv": ["--worker", 2]}\n'
        )
        self.assertEqual(
            done.stdout,
            "line 3: 0.14.0 build: --worker is not written in full; the option is --workers\n",
        )
        self.assertEqual(done.stderr, "2 lines, 1 wrong, 0 compared with the real parser\n")
        self.assertEqual(done.returncode, 1)

    def test_right_lines_print_nothing_and_the_status_is_0(self):
        done = self.run_on('{"version": "0.14.0", "tool": "build", "argv": ["--workers", "2"]}\n')
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_a_line_with_an_unknown_tool_is_reported(self):
        done = self.run_on('{"version": "0.14.0", "tool": "builder", "argv": []}\n')
        self.assertEqual(
            done.stderr,
            "line 1: nothing is known of builder at 0.14.0; it was recorded at no version\n",
        )
        self.assertEqual(done.returncode, 2)

    def test_an_unreadable_line_is_reported(self):
        done = self.run_on('{"version": "0.14.0"}\n')
        self.assertEqual(
            done.stderr,
            (
                "line 1 is not a command line: KeyError 'tool'; write"
                ' {"version": ..., "tool": ..., "argv": [...]}\n'
            ),
        )
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
