"""runners/triton-trtllm/scripts/llmapi.py: the files that it writes, and its arguments from the
stage `llmapi`."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

import repository_test as upstream
import rule_points
import template_keys_test as keys

SCRIPT = keys.RUNNER / "scripts" / "llmapi.py"


class LlmApi(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        model = self.folder / "templates" / "tensorrt_llm"
        (model / "1").mkdir(parents=True)
        (model / "config.pbtxt").write_text('name: "tensorrt_llm"\n')
        (model / "1" / "model.py").write_text("pass\n")
        (model / "1" / "model.yaml").write_text("model: another/model\n")

    def run_script(self, *words):
        done = subprocess.run(
            [
                sys.executable,
                str(SCRIPT),
                "--templates",
                str(self.folder / "templates"),
                "--out",
                str(self.folder / "out"),
                "--model",
                "download",
                *words,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    def test_model_yaml_has_the_values_of_the_point_and_the_symbol_of_the_model(self):
        self.assertEqual(
            self.run_script(
                "--tensor_parallel_size",
                "2",
                "--max_batch_size",
                "8",
                "--kv_cache_free_gpu_mem_fraction",
                "0.85",
                "--enable_kv_cache_reuse",
                "false",
                "--enable_chunked_context",
                "true",
                "--decoupled_mode",
                "true",
                "--cancellation_check_period_ms",
                "50",
            ),
            (0, ""),
        )
        written = yaml.safe_load(
            (self.folder / "out" / "tensorrt_llm" / "1" / "model.yaml").read_text()
        )
        self.assertEqual(
            written,
            {
                "model": "{stage:download}",
                "backend": "pytorch",
                "tensor_parallel_size": 2,
                "max_batch_size": 8,
                "enable_chunked_prefill": True,
                "kv_cache_config": {"free_gpu_memory_fraction": 0.85, "enable_block_reuse": False},
                "triton_config": {
                    "max_batch_size": 0,
                    "decoupled": True,
                    "cancellation_check_period_ms": 50,
                },
            },
        )
        self.assertEqual(
            (self.folder / "out" / "tensorrt_llm" / "1" / "model.py").read_text(), "pass\n"
        )

    def test_a_key_without_a_setting_of_the_llm_api_is_refused(self):
        code, stderr = self.run_script("--gpu_device_ids", "0")
        self.assertEqual(code, 1)
        self.assertTrue(
            stderr.startswith(
                "llmapi.py: gpu_device_ids: not a known setting of the LLM API; known are"
                " tensor_parallel_size, "
            ),
            stderr,
        )

    def test_a_folder_without_the_model_is_refused(self):
        (self.folder / "templates" / "tensorrt_llm" / "1" / "model.py").unlink()
        self.assertEqual(
            self.run_script(),
            (
                1,
                (
                    f"llmapi.py: {self.folder}/templates/tensorrt_llm/1/model.py is missing; the"
                    " folder must have the layout of all_models/llmapi\n"
                ),
            ),
        )

    @unittest.skipUnless(
        upstream.UPSTREAM, "ORCH_UPSTREAM names no git folder of tensorrtllm_backend"
    )
    def test_the_written_keys_are_those_of_upstreams_model_yaml(self):
        shutil.rmtree(self.folder / "templates")
        models = upstream.upstream_templates(self.folder / "checkout", "0.19.0", "llmapi")
        models.rename(self.folder / "templates")
        theirs = yaml.safe_load(
            (self.folder / "templates" / "tensorrt_llm" / "1" / "model.yaml").read_text()
        )
        self.assertEqual(
            self.run_script(
                "--tensor_parallel_size",
                "1",
                "--pipeline_parallel_size",
                "1",
                "--decoupled_mode",
                "true",
            ),
            (0, ""),
        )
        ours = yaml.safe_load(
            (self.folder / "out" / "tensorrt_llm" / "1" / "model.yaml").read_text()
        )
        self.assertEqual(set(theirs) - set(ours), {"pytorch_backend_config"})
        self.assertEqual(set(theirs["triton_config"]), set(ours["triton_config"]))
        for name in ("backend", "tensor_parallel_size", "pipeline_parallel_size"):
            self.assertEqual(ours[name], theirs[name])

    def test_every_argument_of_the_stage_has_a_setting(self):
        values = next(
            item["values"]
            for item in keys.load("manifest/llmapi.yaml")["stages"]["llmapi"]["argv"]
            if isinstance(item, dict)
        )
        words = [
            word
            for one in values
            for word in ((f"--{one}" if isinstance(one, str) else next(iter(one.values()))), "1")
        ]
        self.assertEqual(self.run_script(*words), (0, ""))
        self.assertEqual(
            len(
                json.loads((self.folder / "out" / "tensorrt_llm" / "1" / "model.yaml").read_text())[
                    "kv_cache_config"
                ]
            ),
            4,
        )


class WithoutEngines(unittest.TestCase):
    """A point without an engine, and parameters that only an engine reads."""

    rule = rule_points.RULES["without-engines"]

    def point(self, **parameters):
        return rule_points.Point(
            {
                "model": "Llama-2-7b",
                "point": {"llm_backend": "pytorch", "trtllm_version": "1.3.0", **parameters},
                "host": {"gpus": 8, "gpu_model": "NVIDIA H100"},
            }
        )

    def test_defaults_are_accepted_without_an_engine(self):
        for version in ("0.20.0", "1.1.0", "1.3.0"):
            for precision in ("fp16", "bf16", "fp8", "int4_awq", "int8_sq", "int4_gptq"):
                for more in ({}, {"enable_kv_cache_reuse": True}, {"enable_chunked_context": True}):
                    with self.subTest(version=version, precision=precision, more=more):
                        self.assertFalse(
                            self.point(trtllm_version=version, precision=precision, **more).breaks(
                                self.rule
                            )
                        )

    def test_parameters_of_engines_are_rejected_by_name(self):
        point = self.point(
            gemm_plugin="float16",
            tokens_per_block=32,
            gather_context_logits=True,
            lora_dir="/adapters/a",
        )
        self.assertTrue(point.breaks(self.rule))
        self.assertEqual(
            point.text(self.rule["because"]),
            (
                "llm_backend pytorch (the only one from 1.3.0 on) converts nothing and builds no"
                " engine, so these have no effect: gemm_plugin tokens_per_block"
                " gather_context_logits lora_dir; leave them out, or set llm_backend to tensorrt,"
                " which 0.9.0 to 1.2.0 have"
            ),
        )
        self.assertFalse(
            self.point(
                trtllm_version="0.20.0", llm_backend="tensorrt", gemm_plugin="float16"
            ).breaks(self.rule)
        )

    def test_rules_of_converters_do_not_apply_without_conversion(self):
        for row in ({"precision": "fp8", "tp": 2, "moe_ep": 2}, {"cp": 2}):
            point = self.point(**row)
            with self.subTest(row=row):
                self.assertEqual(
                    [
                        rule["name"]
                        for rule in rule_points.MANIFEST["rules"]
                        if rule.get("part") == "manifest/checkpoint.yaml" and point.breaks(rule)
                    ],
                    [],
                )


if __name__ == "__main__":
    unittest.main()
