"""The rendered repository, read with Triton's own ModelConfig schema.

The schema comes from the package tritonclient (see requirements.lock); without it these tests are
skipped.
"""
import importlib.util
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import models  # noqa: F401
import rendering

try:
    from google.protobuf import text_format

    # The package's own __init__ imports grpc, which is not needed here.
    client = Path(importlib.util.find_spec("tritonclient").submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location(
        "model_config_pb2", client / "grpc" / "model_config_pb2.py"
    )
    model_config_pb2 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model_config_pb2)
except (ImportError, AttributeError):
    model_config_pb2 = None

MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]
TEMPLATES = rendering.ROOT / "templates" / "inflight_batcher_llm"
# The placeholders of the 0.14 templates.
PLACEHOLDERS = {
    "ensemble": "triton_max_batch_size",
    "preprocessing": (
        "triton_max_batch_size tokenizer_dir add_special_tokens preprocessing_instance_count"
        " visual_model_path engine_dir"
    ),
    "postprocessing": (
        "triton_max_batch_size tokenizer_dir postprocessing_instance_count skip_special_tokens"
    ),
    "tensorrt_llm_bls": (
        "triton_max_batch_size decoupled_mode accumulate_tokens tensorrt_llm_model_name "
        "tensorrt_llm_draft_model_name bls_instance_count multimodal_encoders_name"
    ),
    "tensorrt_llm": (
        "triton_backend triton_max_batch_size decoupled_mode max_queue_delay_microseconds"
        " max_queue_size max_beam_width batching_strategy engine_dir encoder_engine_dir"
        " max_tokens_in_paged_kv_cache max_attention_window_size sink_token_length"
        " batch_scheduler_policy kv_cache_free_gpu_mem_fraction cross_kv_cache_fraction"
        " kv_cache_host_memory_bytes kv_cache_onboard_blocks exclude_input_in_output"
        " cancellation_check_period_ms stats_check_period_ms iter_stats_max_iterations"
        " request_stats_max_iterations enable_kv_cache_reuse normalize_log_probs"
        " enable_chunked_context gpu_device_ids participant_ids lora_cache_optimal_adapter_size"
        " lora_cache_max_adapter_size lora_cache_gpu_memory_fraction lora_cache_host_memory_bytes"
        " decoding_mode medusa_choices gpu_weights_percent enable_context_fmha_fp32_acc"
        " multi_block_mode"
    ),
}


@unittest.skipIf(
    model_config_pb2 is None,
    "tritonclient and protobuf are not installed (tests/runners/triton_openvino/requirements.lock)",
)
class RenderedRepository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        rendering.repository(
            cls.folder,
            {"download": "/a/tokenizer", "build": "/an/engine"},
            batch_size=4,
            max_tokens_in_paged_kv_cache=1024,
        )
        cls.configs = {
            name: cls.parse((cls.folder / "repository" / name / "config.pbtxt").read_text())
            for name in MODELS
        }

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @staticmethod
    def parse(text):
        return text_format.Parse(text, model_config_pb2.ModelConfig())

    def test_every_config_matches_the_schema_and_has_the_name_of_its_model(self):
        for name, config in self.configs.items():
            self.assertEqual(config.name, name)
            self.assertEqual(config.max_batch_size, 4)
        self.assertEqual(len(self.configs["ensemble"].input), 27)
        self.assertEqual(len(self.configs["ensemble"].output), 7)
        self.assertEqual(len(self.configs["tensorrt_llm"].input), 42)
        self.assertEqual(
            {i.name for i in self.configs["tensorrt_llm_bls"].input}
            - {i.name for i in self.configs["ensemble"].input},
            {"num_draft_tokens", "use_draft_logits", "image_input"},
        )

    def test_required_inputs_are_those_of_upstream(self):
        def required(name):
            return {i.name for i in self.configs[name].input if not i.optional}

        self.assertEqual(required("ensemble"), {"text_input", "max_tokens"})
        self.assertEqual(required("tensorrt_llm_bls"), {"text_input", "max_tokens"})
        self.assertEqual(required("preprocessing"), {"QUERY", "REQUEST_OUTPUT_LEN"})
        self.assertEqual(
            required("tensorrt_llm"), {"input_ids", "input_lengths", "request_output_len"}
        )

    def test_the_ensemble_connects_existing_tensors_of_equal_types(self):
        types = {
            (name, t.name): t.data_type
            for name, config in self.configs.items()
            for t in [*config.input, *config.output]
        }
        known = {t.name: t.data_type for t in self.configs["ensemble"].input}
        for step in self.configs["ensemble"].ensemble_scheduling.step:
            for tensor, inner in step.input_map.items():
                self.assertEqual(
                    types[step.model_name, tensor], known[inner], (step.model_name, tensor)
                )
            for tensor, inner in step.output_map.items():
                known[inner] = types[step.model_name, tensor]
        for output in self.configs["ensemble"].output:
            self.assertEqual(output.data_type, known[output.name])

    def test_an_unfilled_template_is_not_a_valid_config(self):
        for name in MODELS:
            with self.assertRaises(text_format.ParseError):
                self.parse((TEMPLATES / name / "config.pbtxt").read_text())

    def test_the_version_folder_of_every_model_exists(self):
        for name in MODELS:
            self.assertTrue((self.folder / "repository" / name / "1").is_dir())


class Templates(unittest.TestCase):
    def test_placeholders_equal_those_of_the_backend_0_14(self):
        for name in MODELS:
            text = (TEMPLATES / name / "config.pbtxt").read_text()
            self.assertEqual(
                set(re.findall(r"\$\{(\w+)\}", text)), set(PLACEHOLDERS[name].split()), name
            )


class Manifest(unittest.TestCase):
    def test_every_model_gets_the_runner_files_that_it_imports(self):
        stage = rendering.manifest()["stages"]["repository"]
        own_modules = {
            path.stem
            for folder in (rendering.RUNNER, rendering.COMMON)
            for path in (folder / "model").glob("*.py")
        }
        copied = {}
        for item in stage["copy"]:
            copied.setdefault(Path(item["to"]).parts[1], {})[
                Path(item["to"]).stem
            ] = rendering.runner_file(item["from"])
        for name, files in copied.items():
            for path in files.values():
                imports = (
                    set(re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.M)) & own_modules
                    if path.suffix == ".py"
                    else set()
                )
                self.assertLessEqual(imports, set(files), f"{name}: {path.name}")

    def test_scripts_list_the_runner_files_that_they_import(self):
        def needed(script, seen):
            """The files beside SCRIPT that it imports, as the manifest names them."""
            folder = script.rpartition("/")[0]
            for name in re.findall(
                r"^\s*(?:from|import) (\w+)", rendering.runner_file(script).read_text(), re.M
            ):
                file = f"{folder}/{name}.py".lstrip("/")
                if rendering.runner_file(file).exists() and file not in seen:
                    seen.add(file)
                    needed(file, seen)
            return seen

        for name, stage in rendering.manifest()["stages"].items():
            for word in stage.get("argv", []):
                if script := isinstance(word, str) and re.fullmatch(r"\{file:([\w/]+\.py)\}", word):
                    self.assertLessEqual(
                        needed(script[1], set()), set(rendering.files_of(stage)), name
                    )

    def test_every_parameter_in_a_stage_is_listed_as_read(self):
        description = rendering.manifest()
        for name, stage in description["stages"].items():
            used = set(
                re.findall(
                    r"\{(\w+)\}",
                    str({key: stage.get(key) for key in ("argv", "env", "render", "job")}),
                )
            ) & set(description["parameters"])
            self.assertLessEqual(used, set(stage.get("reads", [])), name)


if __name__ == "__main__":
    unittest.main()
