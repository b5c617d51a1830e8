"""enter.py: the options that it refuses, the programs that it runs, and the command line that it
passes to a container engine."""

import os
import shutil

from install_support import InstallTest, main


VERSION = "TensorRT-LLM 0.14.0.post1"
REMEDY = "see its --help, and set trtllm_version or the parameter that adds it"


class Refuses(InstallTest):
    def setUp(self):
        super().setUp()
        self.install()
        self.found()

    def assert_invalid(self, result, option, tool, why):
        self.assert_failed(
            result,
            f"enter.py: invalid option {option} of {tool}, {VERSION}: {why}; {REMEDY}",
            "bad_argument",
            2,
        )

    def test_an_unknown_option_is_refused_before_the_tool_runs(self):
        result = self.enter(
            "build", "trtllm-build", "--checkpoint_dir", "/c", "--max_seq_length", "8"
        )
        self.assert_invalid(
            result,
            "--max_seq_length",
            "trtllm-build",
            "it has no such option; the most similar one is --max_seq_len",
        )
        self.assertEqual(self.calls(), [])

    def test_an_abbreviated_option_is_refused(self):
        result = self.enter(
            "convert",
            "python3",
            self.path("app/examples/qwen/convert_checkpoint.py"),
            "--model",
            "/m",
        )
        self.assert_invalid(
            result,
            "--model",
            "convert_checkpoint.py",
            "it has no such option; the most similar one is --model_dir",
        )

    def test_a_value_outside_the_choices_is_refused_without_regard_to_case(self):
        result = self.enter("build", "trtllm-build", "--remove_input_padding=on")
        self.assert_invalid(
            result, "--remove_input_padding", "trtllm-build", "it takes enable, disable and got on"
        )
        self.assertEqual(
            self.enter("build", "trtllm-build", "--remove_input_padding", "ENABLE").status, 2
        )  # the tool's own refusal
        self.assertNotIn(
            "enter.py", self.enter("build", "trtllm-build", "--remove_input_padding", "ENABLE").log
        )

    def test_each_program_of_an_mpirun_line_is_checked_by_its_own_options(self):
        first = ["mpirun", "--noprefix", "-n", "1", "tritonserver", "--http-port", "8000"]
        result = self.enter(
            "serve", *first, ":", "--bind-to", "none", "tritonserver", "--http-prot=1"
        )
        self.assert_invalid(
            result,
            "--http-prot",
            "tritonserver",
            "it has no such option; the most similar one is --http-port",
        )

    def test_each_server_of_a_command_line_is_checked(self):
        one = ["--server", "mpirun", "--noprefix", "-n", "1", "tritonserver", "--http-port", "8000"]
        self.write("servers.py", "")
        self.assertEqual(
            self.enter("serve", "python3", self.path("servers.py"), *one, *one).log, ""
        )
        result = self.enter(
            "serve", "python3", self.path("servers.py"), *one, *one[:-2], "--grpc-port", "1"
        )
        self.assertRegex(result.last, r"^enter.py: invalid option --grpc-port of tritonserver")

    def test_a_missing_program_is_reported_when_it_is_needed(self):
        self.assert_failed(
            self.enter("serve", "trtllm-serve", "serve", "/m"),
            (
                "enter.py: trtllm-serve: command not found on this machine, "
                "and serve needs it; install it, or use an image that has it"
            ),
            None,
            127,
        )

    def test_an_upgraded_installation_is_refused(self):
        os.rename(
            self.path("site/tensorrt_llm-0.14.0.post1.dist-info"),
            self.path("site/tensorrt_llm-0.15.0.dist-info"),
        )
        result = self.enter("build", "trtllm-build")
        metadata = self.path("site/tensorrt_llm-0.14.0.post1.dist-info/METADATA")
        self.assert_failed(
            result,
            (
                f"enter.py: tool mismatch: {VERSION} was found on this machine, but"
                f" {metadata} now says none; install 0.14.0.post1 again, or delete"
                f" {os.path.dirname(self.out)}, so that the tools are searched again"
            ),
            "tool_mismatch",
        )
        self.assertEqual(self.calls(), [])


class Here(InstallTest):
    def setUp(self):
        super().setUp()
        self.install()

    def test_the_process_executes_the_tool_at_its_recorded_path(self):
        self.found()
        result = self.enter(
            "build",
            "trtllm-build",
            "--checkpoint_dir",
            "/c",
            "--weight_streaming",
            PATH="/usr/bin:/bin",
        )
        self.assertEqual((result.status, result.log), (0, ""))
        self.assertEqual(
            [call["argv"] for call in self.calls()],
            [[self.path("bin/trtllm-build"), "--checkpoint_dir", "/c", "--weight_streaming"]],
        )
        self.assertEqual(self.calls()[0]["path"], "/usr/bin")

    def test_the_library_path_is_that_of_the_installation(self):
        self.found("--libraries", self.path("lib") + ":/opt/more")
        self.assertEqual(self.enter("build", "trtllm-build").status, 0)
        self.assertEqual(self.calls()[0]["libraries"], self.path("lib") + ":/opt/more")

    def test_mpirun_and_its_programs_run_at_their_recorded_paths(self):
        self.found()
        self.write("bin/mpirun", '#!/bin/sh\necho mpirun "$@"\n', 0o755)
        result = self.enter(
            "run",
            "mpirun",
            "-n",
            "2",
            "python3",
            self.path("app/examples/run.py"),
            "--max_output_len",
            "4",
        )
        self.assertEqual(
            result.log,
            f"mpirun -n 2 /usr/bin/python3 {self.path('app/examples/run.py')} --max_output_len 4\n",
        )

    def test_an_example_at_another_path_is_found_and_reported(self):
        os.makedirs(self.path("app/examples/models/core"))
        os.rename(self.path("app/examples/qwen"), self.path("app/examples/models/core/qwen"))
        self.found()
        planned = self.path("app/examples/qwen/convert_checkpoint.py")
        there = self.path("app/examples/models/core/qwen/convert_checkpoint.py")
        result = self.enter("convert", "python3", planned, "--model_dir", "/m", "-sq", "0.5")
        self.assertEqual((result.status, result.log), (0, f"{planned} is at {there}\n"))
        self.assertEqual(self.calls()[0]["argv"], [there, "--model_dir", "/m", "-sq", "0.5"])

    def test_an_example_of_a_checkout_is_found_without_it_after_the_store_moved(self):
        shutil.rmtree(self.path("app/examples/qwen"))
        script = "out/backend/tensorrt_llm/examples/qwen/convert_checkpoint.py"
        self.tool("store/artifacts/source-1/" + script)
        self.found("--source", self.path("store/artifacts/source-1/out/backend"))
        shutil.rmtree(self.path("store/artifacts/source-1"))
        os.rename(self.path("store"), self.path("moved"))
        self.out, self.work = self.path("moved/artifacts/environment-1/out"), self.path("moved")
        self.assertEqual(
            self.enter(
                "convert", "python3", self.path("app/examples/qwen/convert_checkpoint.py")
            ).status,
            0,
        )
        self.assertEqual(
            self.calls()[0]["argv"], [self.path("moved/artifacts/environment-1/" + script)]
        )

    def test_models_of_a_checkout_are_found_by_a_copy_command(self):
        shutil.rmtree(self.path("app/all_models"))
        models = "store/artifacts/source-1/out/backend/all_models/inflight_batcher_llm"
        self.write(models + "/ensemble/config.pbtxt", "name: 'ensemble'")
        self.found("--source", self.path("store/artifacts/source-1/out/backend"))
        result = self.enter(
            "python",
            "cp",
            "-rL",
            self.path("app/all_models/inflight_batcher_llm/ensemble"),
            self.path("copied"),
        )
        self.assertEqual(result.status, 0, result.log)
        self.assertTrue(os.path.exists(self.path("copied/config.pbtxt")))

    def test_a_folder_is_copied_whole_from_where_it_is(self):
        os.makedirs(self.path("app/tensorrt_llm/triton_backend"))
        os.rename(self.path("app/tools"), self.path("app/tensorrt_llm/triton_backend/tools"))
        self.found()
        result = self.enter("python", "cp", "-rL", self.path("app/tools"), self.folder)
        self.assertEqual(result.status, 0, result.log)
        script = "tools/inflight_batcher_llm/benchmark_core_model.py"
        self.assertTrue(os.path.exists(self.path(script)))

    def test_a_script_of_the_user_runs_unchecked_and_unchanged(self):
        self.found()
        own = self.tool("own/qwen/convert_checkpoint.py", 'parser.add_argument("--option_of_mine")')
        self.assertEqual(self.enter("convert", "python3", own, "--option_of_mine", "1").status, 0)
        self.assertEqual(self.calls()[0]["argv"], [own, "--option_of_mine", "1"])


class InAnImage(InstallTest):
    def test_a_folder_that_the_image_lacks_is_reported_with_the_key_that_adds_it(self):
        self.install()
        shutil.rmtree(self.path("app"))
        self.found("--image", "mine:1")
        for key, command, planned in (
            ("python", ["cp", "-rL"], "all_models"),
            ("python", ["cp", "-rL"], "tools"),
            ("convert", ["python3"], "examples"),
        ):
            file = self.path(f"app/{planned}/qwen/convert_checkpoint.py")
            self.assert_failed(
                self.enter(key, *command, file),
                (
                    f"enter.py: {file}: image mine:1 has no {self.path('app/' + planned)}, like"
                    " images up to 24.12, and there is no other copy of it; set backend_source:"
                    " https://github.com/triton-inference-server/tensorrtllm_backend.git, which has"
                    " it, or app_dir to the folder that contains it"
                ),
                None,
                127,
            )

    def test_a_missing_program_is_reported_with_the_image(self):
        self.install()
        os.remove(self.path("bin/trtllm-build"))
        self.found("--image", "tritonserver:24.10")
        result = self.enter("build", "trtllm-build")
        self.assertEqual(result.status, 127)
        self.assertIn("command not found on image tritonserver:24.10", result.last)


if __name__ == "__main__":
    main()
