"""The stages of a matrix's points from the model to an engine: the number of checkpoints and
engines, omitted stages, and accepted and refused folders that a matrix provides. ORCH_BINARY names
orchestrate; these tests write config.json as the tools do."""

import json
import pathlib
import tempfile
import unittest

import commands_test

LENGTHS = {"isl": [128, 256], "osl": [64, 128], "batch_size": [4, 8]}
LIMITS = {"max_input_len": 256, "max_seq_len": 384, "max_batch_size": 8, "max_num_tokens": 8192}


class Plans(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        commands_test.lay_out(self.folder)

    def plan(self, **more):
        """The plan for one small model on a machine with eight GPUs; arguments are keys of the
        matrix."""
        matrix = commands_test.matrix("0.14.0", [{"tp": 1}])
        matrix.pop("axes")
        matrix["defaults"] |= {"model": "qwen2", **more.pop("defaults", {})}
        return commands_test.planned_matrix(
            self.folder, {**matrix, "machine": {"gpus": 8, "gpu_model": "H100"}, **more}
        )

    def stages(self, plan, name):
        return [stage for stage in plan["stages"] if stage["stage"] == name]

    def counts(self, plan):
        return {name: len(self.stages(plan, name)) for name in commands_test.STAGES}

    def only(self, plan, name):
        (stage,) = self.stages(plan, name)
        return stage

    def reasons(self, plan):
        return [point["reason"] for point in plan["points"]]


class Engines(Plans):
    def test_one_engine_serves_all_lengths_when_its_limits_are_set(self):
        plan = self.plan(axes=LENGTHS, defaults=LIMITS)
        self.assertEqual({"convert": 1, "quantize": 0, "build": 1, "sample": 0}, self.counts(plan))
        self.assertEqual(8, len(plan["points"]))
        self.assertEqual(
            8, len(self.stages(plan, "bench")) * 2
        )  # one bench per isl and osl: it does not read batch_size

    def test_each_length_and_batch_size_has_its_own_engine_without_limits(self):
        self.assertEqual(
            {"convert": 1, "quantize": 0, "build": 8, "sample": 0},
            self.counts(self.plan(axes=LENGTHS)),
        )

    def test_with_one_limit_the_others_follow_from_the_lengths(self):
        self.assertEqual(
            4, self.counts(self.plan(axes=LENGTHS, defaults={"max_seq_len": 384}))["build"]
        )  # one per isl and batch_size
        self.assertEqual(
            4, self.counts(self.plan(axes=LENGTHS, defaults={"max_batch_size": 8}))["build"]
        )  # one per isl and osl

    def test_a_precision_has_a_checkpoint_per_parallel_layout(self):
        plan = self.plan(
            axes={
                "precision": ["fp16", "int8_wo", "fp8"],
                "shape": [{"tp": 1}, {"tp": 2}, {"tp": 2, "pp": 2}],
                **LENGTHS,
            },
            defaults=LIMITS,
        )
        self.assertEqual({"convert": 6, "quantize": 3, "build": 9, "sample": 0}, self.counts(plan))

    def test_calibration_texts_are_downloaded_once_and_given_by_their_path(self):
        ways = [{"precision": "fp8"}, {"precision": "fp8", "tp": 2}, {"kv_cache_dtype": "int8"}]
        plan = self.plan(axes={"way": ways})
        texts = f"{{stage:{self.only(plan, 'calibration')['id']}}}/ccdv/cnn_dailymail"
        for stage in self.stages(plan, "quantize") + self.stages(plan, "convert"):
            argv = stage["argv"]
            self.assertEqual(argv[argv.index("--calib_dataset") + 1], texts)
            self.assertEqual(stage["env"], {"HF_HOME": "{work}/huggingface"})
        self.assertEqual(self.stages(self.plan(), "calibration"), [])

    def test_a_release_that_takes_no_texts_is_started_beside_them(self):
        plan = self.plan(defaults={"precision": "fp8", "trtllm_version": "0.9.0"})
        argv = self.only(plan, "quantize")["argv"]
        texts = self.only(plan, "calibration")["id"]
        self.assertEqual(argv[:3], ["/usr/bin/env", f"--chdir={{stage:{texts}}}", "python3"])
        self.assertNotIn("--calib_dataset", argv)

    def test_a_folder_of_the_user_is_an_input_with_a_digest(self):
        for name, stage, more in (
            ("calib_dataset", "quantize", {"precision": "fp8"}),
            ("medusa_model_dir", "convert", {"speculative_decoding_mode": "medusa"}),
            ("lora_dir", "build", {}),
        ):
            with self.subTest(name):
                digests = []
                for text in ("a", "b"):
                    (self.folder / "mine").mkdir(exist_ok=True)
                    (self.folder / "mine/file").write_text(text)
                    found = self.plan(defaults={name: "mine", **more})
                    self.assertEqual(self.stages(found, "calibration"), [])
                    digests.append(self.only(found, stage)["digest"])
                    argv = self.only(found, stage)["argv"]
                    self.assertEqual(argv[argv.index("--" + name) + 1], str(self.folder / "mine"))
                self.assertEqual(len({*digests}), 2)
                self.assertNotIn(None, digests)

    def test_stages_hold_only_the_gpus_that_they_need(self):
        plan = self.plan(
            axes={"precision": ["int8_wo", "fp8"]},
            defaults={"tp": 2, "pp": 2, "run_sample": "true"},
        )
        self.assertEqual(
            {"convert": [0], "quantize": [4], "build": [4, 4], "sample": [4, 4]},
            {
                name: [stage["gpus"] for stage in self.stages(plan, name)]
                for name in commands_test.STAGES
            },
        )
        self.assertEqual(
            [1],
            [
                stage["gpus"]
                for stage in self.stages(self.plan(defaults={"kv_cache_dtype": "int8"}), "convert")
            ],
        )
        self.assertEqual(
            [2],
            [
                stage["gpus"]
                for stage in self.stages(self.plan(defaults={"tp": 4, "build_workers": 2}), "build")
            ],
        )

    def test_the_sample_runs_on_every_rank(self):
        plan = self.plan(defaults={"tp": 2, "run_sample": "true"})
        self.assertEqual(
            ["mpirun", "-n", "2", "--allow-run-as-root", "python3", "/app/examples/run.py"],
            self.only(plan, "sample")["argv"][:6],
        )
        self.assertEqual(
            ["python3", "/app/examples/run.py"],
            self.only(self.plan(defaults={"run_sample": "true"}), "sample")["argv"][:2],
        )

    def test_a_backend_without_engines_has_no_stage_for_them(self):
        for version in ("1.2.0", "1.3.0"):
            plan = self.plan(
                defaults={"trtllm_version": version, "llm_backend": "pytorch", "run_sample": "true"}
            )
            self.assertEqual(
                {"convert": 0, "quantize": 0, "build": 0, "sample": 0}, self.counts(plan)
            )
            self.assertEqual(["run"], [point["status"] for point in plan["points"]])


class Families(Plans):
    def of(self, kind, **defaults):
        model = {
            "qwen2": {
                "source": "hf:some/model",
                "revision": "0" * 40,
                "facts": {**commands_test.FACTS, "type": kind},
            }
        }
        return self.plan(models=model, defaults=defaults)

    def test_each_model_type_is_converted_by_the_script_of_its_family(self):
        for kind, folder in {
            "qwen": "qwen",
            "qwen2": "qwen",
            "qwen2_moe": "qwen",
            "llama": "llama",
            "mistral": "llama",
            "mixtral": "llama",
            "gpt2": "gpt",
            "starcoder2": "gpt",
            "gemma2": "gemma",
        }.items():
            self.assertEqual(
                f"/app/examples/{folder}/convert_checkpoint.py",
                self.only(self.of(kind), "convert")["argv"][1],
            )

    def test_another_family_names_its_folder_and_options(self):
        argv = self.only(
            self.of(
                "falcon",
                family="falcon",
                convert_options="--new_decoder_architecture  --load_by_shard",
            ),
            "convert",
        )["argv"]
        self.assertEqual("/app/examples/falcon/convert_checkpoint.py", argv[1])
        self.assertEqual(
            ["--workers", "1", "--new_decoder_architecture", "--load_by_shard"], argv[-4:]
        )


CHECKPOINT = {
    "version": "0.14.0",
    "architecture": "Qwen2ForCausalLM",
    "dtype": "float16",
    "mapping": {"world_size": 2, "tp_size": 2, "pp_size": 1},
}
BUILD = {
    "max_input_len": 256,
    "max_seq_len": 384,
    "max_batch_size": 8,
    "max_beam_width": 1,
    "max_num_tokens": 8192,
}


class Provided(Plans):
    def provided(self, stage, config, **defaults):
        folder = self.folder / "given"
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config))
        (folder / ("rank0.engine" if stage == "build" else "rank0.safetensors")).write_text("x")
        return self.plan(defaults={"tp": 2, **LIMITS, **defaults}, provide={stage: str(folder)})

    def refused(self, *arguments, **defaults):
        with self.assertRaises(AssertionError) as caught:
            self.provided(*arguments, **defaults)
        return str(caught.exception)

    def test_a_checkpoint_of_the_same_shape_and_release_is_accepted(self):
        self.assertTrue(self.only(self.provided("convert", CHECKPOINT), "convert")["provided"])
        self.assertTrue(
            self.only(
                self.provided("convert", {**CHECKPOINT, "version": "0.14.0.dev2024100800"}),
                "convert",
            )["provided"]
        )
        self.assertTrue(
            self.only(self.provided("quantize", CHECKPOINT, precision="fp8"), "quantize")[
                "provided"
            ]
        )

    def test_a_checkpoint_of_another_shape_or_release_is_refused(self):
        self.assertIn("'version' in", self.refused("convert", {**CHECKPOINT, "version": "0.13.0"}))
        self.assertIn("'mapping.tp_size' in", self.refused("convert", CHECKPOINT, tp=4))
        self.assertIn("'mapping.pp_size' in", self.refused("convert", CHECKPOINT, pp=2))
        self.assertIn("has no 'mapping.tp_size'", self.refused("convert", {"version": "0.14.0"}))

    def engine(self, **build):
        return {
            "version": "0.14.0",
            "pretrained_config": CHECKPOINT,
            "build_config": {**BUILD, **build},
        }

    def test_an_engine_with_larger_limits_is_accepted(self):
        self.assertTrue(self.only(self.provided("build", self.engine()), "build")["provided"])
        self.assertTrue(
            self.only(
                self.provided("build", self.engine(max_seq_len=4096, max_batch_size=256)), "build"
            )["provided"]
        )

    def test_an_engine_with_a_sufficient_lowered_token_limit_is_accepted(self):
        self.assertTrue(
            self.only(self.provided("build", self.engine(max_num_tokens=8 * 384)), "build")[
                "provided"
            ]
        )

    def test_an_engine_that_is_too_small_is_refused_with_both_numbers(self):
        self.assertRegex(
            self.refused("build", self.engine(max_seq_len=383)),
            (
                r"provide: stage 'build': 'build_config\.max_seq_len' in \S+/given/config\.json is"
                r" 383, but point \S+ needs max_seq_len of at least 384; provide another folder"
            ),
        )
        for name in ("max_input_len", "max_batch_size", "max_beam_width"):
            self.assertIn(
                f"needs {name} of at least", self.refused("build", self.engine(**{name: 0}))
            )

    def test_an_engine_of_a_release_without_max_seq_len_is_checked_by_its_output_length(self):
        build = {
            "max_input_len": 256,
            "max_output_len": 128,
            "max_batch_size": 8,
            "max_beam_width": 1,
            "max_num_tokens": None,
        }
        config = {
            "version": "0.9.0",
            "pretrained_config": {**CHECKPOINT, "version": "0.9.0"},
            "build_config": build,
        }
        self.assertTrue(
            self.only(self.provided("build", config, trtllm_version="0.9.0"), "build")["provided"]
        )
        build["max_output_len"] = 127
        self.assertIn(
            "needs max_output_len of at least 128",
            self.refused("build", config, trtllm_version="0.9.0"),
        )


if __name__ == "__main__":
    unittest.main()
