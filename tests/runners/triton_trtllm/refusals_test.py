"""Every rule beside the parameters of its manifest rejects its bad points and accepts similar good
ones. The rules of rules/ have rows of their own, see rules_test.py; so have those of tools, see
tests/runners/tools_test.py. ORCH_BINARY names orchestrate,
which plans one point for each row."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

import rule_points

PROJECT = pathlib.Path(__file__).resolve().parents[3]
RUNNER = PROJECT / "runners" / "triton-trtllm"
BINARY = os.environ.get("ORCH_BINARY", str(PROJECT / "build/default/src/orchestrate"))
SHAPE = {"heads": 32, "layers": 32, "hidden": 4096, "vocab": 32000, "positions": 32768}
MODELS = {
    "llama": {"type": "llama"},
    "qwen2": {"type": "qwen2"},
    "gpt2": {"type": "gpt2"},
    "mixtral": {"type": "mixtral", "experts": 8},
    "falcon": {"type": "falcon"},
    "t5": {"type": "t5", "encoder_decoder": True},
    "llava": {"type": "llava", "vision_width": 1024},
    "gemma": {"type": "gemma2"},
}
WITHOUT_ENGINE = {"trtllm_version": "1.2.0", "llm_backend": "pytorch"}
TRTLLM_SERVE = {"trtllm_version": "1.2.0", "frontend": "trtllm-serve"}
T5 = {"model": "t5"}
LLAVA = {"model": "llava", "image_url": "http://images/a.png"}
MEDUSA = {"speculative_decoding_mode": "medusa", "max_draft_len": 63}
REDRAFTER = {"speculative_decoding_mode": "explicit_draft_tokens", "drafter_model_dir": "/drafter"}
ORCHESTRATED = {"launch_mode": "orchestrator"}
TWO_NODES = {"host_nodes": 2}
MIG = {"host_mig": "on"}
TRITON = "nvcr.io/nvidia/tritonserver:"
DRAFT = {
    "draft_model": "qwen2",
    "speculative_decoding_mode": "draft_tokens_external",
    "max_draft_len": 5,
    "bench_model": "tensorrt_llm_bls",
    "decoupled_mode": "false",
    "exclude_input_in_output": "false",
    "enable_kv_cache_reuse": "true",
}
DRAFT_GPU = {"draft_gpu_device_ids": "1"}
LORA = {
    "lora_task_id": 1,
    "lora_adapter": "/adapters/a",
    "lora_plugin": "float16",
    "bench_protocol": "triton-grpc",
    "trtllm_version": "0.15.0",
}

# rule: (points that it rejects, points that it accepts)
ROWS = {
    "image-source": (
        [{"build_image": "true"}],
        [{"build_image": "true", "backend_source": "https://example.org/backend.git"}],
    ),
    "image-context": (
        [{"image": "mine", "image_build": "Dockerfile"}],
        [{"image": "mine", "image_build": "Dockerfile", "image_context": "/docker"}],
    ),
    "image-layers": (
        [{"image_context": "/docker"}, {"image_pip": "/requirements.txt"}],
        [
            {"image": "mine", "image_pip": "/requirements.txt"},
            {"build_image": "true", "backend_source": "/src", "image_context": "/docker"},
        ],
    ),
    "image-version": (
        [{"image": TRITON + "24.07-trtllm-python-py3"}],
        [
            {"image": TRITON + "24.10-trtllm-python-py3", "backend_source": "/src"},
            {"image": "mine:24.07-trtllm-python-py3"},
        ],
    ),
    "image-without-app": (
        [
            {"image": TRITON + "24.10-trtllm-python-py3"},
            {"image": TRITON + "24.10-trtllm-python-py3", "template_dir": "ours"},
            {"image": TRITON + "24.12-trtllm-python-py3", "trtllm_version": "0.16.0"},
        ],
        [
            {"image": TRITON + "24.10-trtllm-python-py3", "backend_source": "/src"},
            {"image": TRITON + "24.10-trtllm-python-py3", "image_context": "/docker"},
            {"image": TRITON + "24.10-trtllm-python-py3", "app_dir": "/data/backend"},
            {"image": TRITON + "25.01-trtllm-python-py3", "trtllm_version": "0.17.0"},
        ],
    ),
    "image-without-tools": (
        [{"image": TRITON + "24.10-py3"}, {"image": TRITON + "24.10-vllm-python-py3"}],
        [{"image": "mine/tritonserver:24.10-py3"}],
    ),
    "own-templates": (
        [
            {"template_dir": "ours", "trtllm_version": "0.13.0"},
            {"template_dir": "ours", "trtllm_version": "0.17.0"},
        ],
        [{"template_dir": "ours"}, {"template_dir": "ours", **TRTLLM_SERVE}],
    ),
    "other-repositories": (
        [{"template_dir": "/app/all_models/gpt"}, {"template_dir": "/app/all_models/multimodal"}],
        [
            {"template_dir": "/app/all_models/inflight_batcher_llm", "triton_backend": "python"},
            {"template_dir": "/my/models"},
        ],
    ),
    "encoder-decoder-settings": (
        [{**T5, "pp": 2}, {**T5, "precision": "fp8"}, {**T5, "enable_kv_cache_reuse": "true"}],
        [T5, {**T5, "tp": 2}, {**T5, "precision": "int8_wo"}],
    ),
    "multimodal-settings": (
        [{"model": "llava"}, {**LLAVA, "instances": 2}, {**LLAVA, "bench_model": "tensorrt_llm"}],
        [LLAVA, {**LLAVA, "tp": 2}],
    ),
    "option-of-images": (
        [{"image_url": "http://images/a.png"}, {**T5, "images_per_request": 2}],
        [LLAVA, {**LLAVA, "images_per_request": 2}],
    ),
    "smoothquant-precision": (
        [
            {"smoothquant": 0.5},
            {"smoothquant": 0.5, "precision": "int8_sq", "kv_cache_dtype": "fp8"},
        ],
        [{"smoothquant": 0.5, "precision": "int8_sq"}],
    ),
    "gptq-converter": (
        [{"precision": "int4_gptq", "kv_cache_dtype": "fp8"}],
        [
            {"precision": "int4_gptq", "kv_cache_dtype": "int8"},
            {"precision": "int4_gptq", "kv_cache_dtype": "fp8", **WITHOUT_ENGINE},
        ],
    ),
    "quantized-experts": (
        [{"model": "mixtral", "precision": "fp8", "tp": 2, "moe_ep": 2}],
        [
            {"model": "mixtral", "precision": "fp8", "tp": 2, "moe_tp": 2},
            {"model": "mixtral", "precision": "fp8", "tp": 2, "moe_ep": 2, **WITHOUT_ENGINE},
        ],
    ),
    "converted-experts": (
        [
            {"model": "gpt2", "tp": 2, "moe_ep": 2},
            {"model": "gemma", "tp": 2, "moe_ep": 2},
            {"tp": 2, "moe_tp": 2, **MEDUSA},
        ],
        [
            {"model": "mixtral", "tp": 2, "moe_ep": 2},
            {"model": "gpt2", "tp": 2, "moe_ep": 2, **WITHOUT_ENGINE},
        ],
    ),
    "sequence-shares": (
        [{"model": "gpt2", "cp": 2, "trtllm_version": "1.1.0"}],
        [
            {"model": "qwen2", "cp": 2, "trtllm_version": "1.1.0"},
            {"model": "gpt2", "cp": 2, **WITHOUT_ENGINE},
        ],
    ),
    "redrafter": (
        [
            {"speculative_decoding_mode": "explicit_draft_tokens"},
            {**REDRAFTER, "pp": 2},
            {**REDRAFTER, "precision": "int4_gptq"},
        ],
        [REDRAFTER],
    ),
    "gpt-groups": (
        [{"model": "gpt2", "precision": "int4_gptq"}],
        [{"precision": "int4_gptq"}, {"model": "gpt2", "precision": "int4_gptq", **WITHOUT_ENGINE}],
    ),
    "gemma-converter": (
        [
            {"model": "gemma", "pp": 2},
            {"model": "gemma", "trtllm_version": "0.12.0"},
            {"model": "gemma", "use_parallel_embedding": "true"},
        ],
        [
            {"model": "gemma", "tp": 2},
            {"model": "gemma", "precision": "fp8", "pp": 2},
            {"model": "gemma", "pp": 2, **WITHOUT_ENGINE},
        ],
    ),
    "heads-of-quantize": (
        [
            {"speculative_decoding_mode": "eagle", "precision": "fp8", "trtllm_version": "0.15.0"},
            {**MEDUSA, "precision": "fp8", "trtllm_version": "0.10.0"},
        ],
        [
            {**MEDUSA, "precision": "fp8"},
            {"speculative_decoding_mode": "eagle", "precision": "fp8", **WITHOUT_ENGINE},
        ],
    ),
    "option-of-llama": (
        [
            {"model": "qwen2", "load_by_shard": "true"},
            {"model": "qwen2", "quant_ckpt_path": "/quantized"},
        ],
        [{"load_by_shard": "true"}],
    ),
    "calibration-of-converters": (
        [{"model": "qwen2", "kv_cache_dtype": "int8", "calib_size": 64}],
        [{"kv_cache_dtype": "int8", "calib_size": 64}],
    ),
    "option-of-medusa": (
        [{"medusa_model_dir": "/heads"}, {**MEDUSA, "quant_medusa_head": "true"}],
        [
            {**MEDUSA, "medusa_model_dir": "/heads"},
            {**MEDUSA, "quant_medusa_head": "true", "precision": "fp8"},
        ],
    ),
    "option-of-redrafter": (
        [{"redrafter_num_beams": 4}],
        [{**REDRAFTER, "redrafter_num_beams": 4}],
    ),
    "option-of-eagle": (
        [{"eagle_model_dir": "/heads"}],
        [
            {
                "eagle_model_dir": "/heads",
                "speculative_decoding_mode": "eagle",
                "trtllm_version": "0.15.0",
            }
        ],
    ),
    "option-of-gpt": (
        [{"gpt_variant": "starcoder"}],
        [{"model": "gpt2", "gpt_variant": "starcoder"}],
    ),
    "reading-on-the-cpu": (
        [{"model": "gpt2", "load_model_on_cpu": "true", "trtllm_version": "0.11.0"}],
        [
            {"model": "gpt2", "load_model_on_cpu": "true"},
            {"load_model_on_cpu": "true", "trtllm_version": "0.11.0"},
        ],
    ),
    "plugin-of-weights": (
        [{"model": "gpt2", "disable_weight_only_quant_plugin": "true"}],
        [{"disable_weight_only_quant_plugin": "true"}],
    ),
    "build-workers": (
        [{"tp": 8, "pp": 2, "build_workers": 16, **TWO_NODES}],
        [{"tp": 8, "pp": 2, **TWO_NODES}, {"tp": 8, "build_workers": 16}],
    ),
    "auto-parallel": ([{"auto_parallel": 2, "tp": 2}], [{"auto_parallel": 2}]),
    "draft-mode": (
        [{"draft_model": "qwen2"}, {**DRAFT, "speculative_decoding_mode": "medusa"}],
        [DRAFT],
    ),
    "draft-options": (
        [
            {"draft_precision": "int8_wo"},
            {"draft_tp": 1},
            {"num_draft_tokens": 2},
            {"use_draft_logits": "true"},
        ],
        [{**DRAFT, "draft_precision": "int8_wo", "draft_tp": 1, "num_draft_tokens": 2}],
    ),
    "draft-requests": (
        [
            {**DRAFT, "bench_model": "ensemble"},
            {**DRAFT, "decoupled_mode": "true"},
            {**DRAFT, "exclude_input_in_output": "true"},
            {**DRAFT, "enable_kv_cache_reuse": "false"},
        ],
        [DRAFT],
    ),
    "draft-tokens": ([{**DRAFT, "num_draft_tokens": 6}], [{**DRAFT, "num_draft_tokens": 4}]),
    "draft-input": (
        [{**DRAFT, "isl": 100, "osl": 28, "max_input_len": 127}],
        [{**DRAFT, "isl": 100, "osl": 28, "max_input_len": 128}],
    ),
    "draft-ranks": (
        [{**DRAFT, "tp": 2, "draft_tp": 1}, {**DRAFT, "pp": 2}],
        [{**DRAFT, "tp": 2}, {**DRAFT, **ORCHESTRATED, "tp": 2, "draft_tp": 1}],
    ),
    "draft-gpus": (
        [{**DRAFT, "draft_gpu_device_ids": "1"}, {**DRAFT, **ORCHESTRATED, **DRAFT_GPU}],
        [{**DRAFT, **ORCHESTRATED, **DRAFT_GPU, "gpu_device_ids": "0"}],
    ),
    "draft-ranks-of-orchestrator": (
        [
            {**DRAFT, **ORCHESTRATED, "instances": 2},
            {**DRAFT, **ORCHESTRATED, "spawn_processes": "false"},
        ],
        [{**DRAFT, **ORCHESTRATED}, {**DRAFT, "instances": 2}],
    ),
    "draft-type": (
        [{**DRAFT, "draft_precision": "bf16"}],
        [
            {**DRAFT, "draft_precision": "bf16", "precision": "bf16"},
            {**DRAFT, "draft_precision": "fp8"},
        ],
    ),
    "draft-converter": (
        [{**DRAFT, "model": "falcon"}],
        [
            {**DRAFT, "model": "falcon", "draft_precision": "fp8"},
            {**DRAFT, "model": "falcon", "draft_family": "llama"},
        ],
    ),
    "draft-repository": (
        [
            {**DRAFT, "template_dir": "ours"},
            {**DRAFT, "tensorrt_llm_draft_model_name": "another"},
        ],
        [DRAFT],
    ),
    "draft-tokens-in-0-9": (
        [{"max_draft_len": 5}],
        [{"max_draft_len": 5, "trtllm_version": "0.9.0"}, MEDUSA],
    ),
    "lora-adapter": (
        [
            {"lora_task_id": 1},
            {**LORA, "lora_plugin": "disable"},
        ],
        [LORA],
    ),
    "lora-folders": (
        [{"lora_dir": "/a /b"}, {**LORA, "lora_adapter": "/adapters/a /adapters/b"}],
        [LORA, {"lora_dir": "/an adapter"}],
    ),
    "lora-without-requests": ([{"lora_adapter": "/adapters/a"}], [LORA, {"lora_dir": "/a"}]),
    "lora-requests": (
        [{**LORA, "bench_protocol": "triton-http"}, {**LORA, "trtllm_version": "0.14.0"}],
        [LORA],
    ),
    "first-answer": ([{"run_sample": "true", "sample_output_len": 999}], [{"run_sample": "true"}]),
    "serve-llm-instances": ([{"instances": 2, **TRTLLM_SERVE}], [TRTLLM_SERVE, {"instances": 2}]),
    "load": ([{"concurrency": None, "osl": 64}], [{"concurrency": 2}]),
    "one-load": (
        [{"request_rate": 2}],
        [{"concurrency": 2}, {"concurrency": None, "request_rate": 2}],
    ),
    "bursts": (
        [
            {"concurrency": None, "request_rate": 2, "burstiness": 0.5},
            {"concurrency": None, "request_rate": 2, "arrival": "constant", "burstiness": 0.5},
        ],
        [{"concurrency": None, "request_rate": 2, "arrival": "gamma", "burstiness": 0.5}],
    ),
    "one-answer-in-a-batch": (
        [{"batch": 2, "beam_width": 2}],
        [{"batch": 2}, {"beam_width": 2}],
    ),
    "grpc": (
        [{"bench_protocol": "triton-grpc", **TRTLLM_SERVE}],
        [{"bench_protocol": "triton-grpc"}, TRTLLM_SERVE],
    ),
    "other-shares": (
        [{"lora_cache_gpu_memory_fraction": 2}],
        [{"lora_cache_gpu_memory_fraction": 0.5}],
    ),
    "without-engines": (
        [
            {"gather_context_logits": True, **WITHOUT_ENGINE},
            {"multiple_profiles": "enable", **TRTLLM_SERVE, "llm_backend": "pytorch"},
        ],
        [WITHOUT_ENGINE, {"gather_context_logits": True}],
    ),
    "mpirun": (
        [{"mpirun": "false", "tp": 2}],
        [{"mpirun": "false"}, {"mpirun": "false", "tp": 2, **ORCHESTRATED}],
    ),
    "orchestrated-gpus": (
        [
            {**ORCHESTRATED, "instances": 2},
            {**ORCHESTRATED, "instances": 2, "gpu_device_ids": "0,1"},
        ],
        [{**ORCHESTRATED, "instances": 2, "gpu_device_ids": "0;1"}, ORCHESTRATED, {"instances": 2}],
    ),
    "participants": (
        [{**ORCHESTRATED, "spawn_processes": "false"}],
        [
            {**ORCHESTRATED, "spawn_processes": "false", "participant_ids": "1"},
            {"spawn_processes": "false"},
        ],
    ),
    "mig-ranks": ([{"tp": 2, **MIG}], [{"tp": 2}, {"tp": 1, **MIG}]),
    "llmapi-leader": (
        [{**WITHOUT_ENGINE, "bench_model": "tensorrt_llm_bls"}, {**WITHOUT_ENGINE, **ORCHESTRATED}],
        [WITHOUT_ENGINE],
    ),
    "one-server-model": (
        [
            {**TRTLLM_SERVE, "bench_model": "tensorrt_llm_bls"},
            {**TRTLLM_SERVE, "bench_model": "tensorrt_llm"},
        ],
        [{"bench_model": "tensorrt_llm_bls"}, {"bench_model": "tensorrt_llm"}],
    ),
}


def rules_of(part):
    folder = RUNNER.parent if part.startswith("common/") else RUNNER
    return yaml.safe_load((folder / part).read_text()).get("rules", [])


def rules_beside_parameters():
    parts = [
        part
        for part in yaml.safe_load((RUNNER / "runner.yaml").read_text())["parts"]
        if not part.startswith("rules/") and not part.endswith("/tools.yaml")
    ]
    return [
        rule["name"]
        for part in parts
        for rule in rules_of(part)
        if rule.get("level", "reject") == "reject"
    ]


def planned(rows, host, *flags):
    """What `plan` prints of a point for each of ROWS."""
    models = {
        name: {"source": f"hf:some/{name}", "revision": "0" * 40, "facts": {**SHAPE, **facts}}
        for name, facts in MODELS.items()
    }
    matrix = {
        "name": "refusals",
        "runner": "triton-trtllm",
        "models": models,
        "defaults": {"model": "llama", "trtllm_version": "0.14.0"},
        "axes": {"what": rows},
        "machine": {
            "gpus": 8,
            "gpu_model": "NVIDIA H100 80GB HBM3",
            "gpu_memory_gib": 79.6,
            **{name.removeprefix("host_"): value for name, value in host.items()},
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "matrix.yaml")
        path.write_text(json.dumps(matrix))
        done = subprocess.run(
            [
                BINARY,
                "plan",
                path,
                *flags,
                "--store",
                pathlib.Path(folder, "store"),
                *(["--executor", "slurm"] if host == TWO_NODES else []),
            ],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout if flags else done.stdout + done.stderr


def reasons(rows, host):
    """The reason for the rejection of each row, planned as one point; "" if it is accepted."""
    points = json.loads(planned(rows, host, "--json"))["points"]
    if len(points) != len(rows):
        raise AssertionError(f"{len(points)} points of {len(rows)} rows")
    return [point["reason"] if point["status"] == "reject" else "" for point in points]


class Refusals(unittest.TestCase):
    maxDiff = None

    def test_every_rule_has_rows(self):
        self.assertEqual(sorted(rules_beside_parameters()), sorted(ROWS))

    def test_reuse_of_the_kv_cache_builds_another_engine_and_says_which_parameter_spares_it(self):
        rows = [{"concurrency": 1, "enable_kv_cache_reuse": reuse} for reuse in (False, True)]
        for more, engines in ({}, 2), ({"use_paged_context_fmha": "enable"}, 1):
            text = planned([{**row, **more} for row in rows], {})
            builds = [line.split() for line in text.splitlines() if line.startswith("build ")]
            self.assertEqual(int(builds[0][1]), engines, text)
            self.assertIn("build the engine with use_paged_context_fmha enable", text)

    def test_each_rule_rejects_its_bad_points_and_accepts_its_good_ones(self):
        for host in ({}, MIG, TWO_NODES):
            cases = [
                (
                    rule,
                    refused,
                    {
                        key: value
                        for key, value in {"concurrency": 1, **row}.items()
                        if key not in host and value is not None
                    },
                )
                for rule, both in ROWS.items()
                for refused, rows in zip((True, False), both)
                for row in rows
                if {key: row[key] for key in row if key.startswith("host_")} == host
            ]
            distinct = [
                row
                for index, (_, _, row) in enumerate(cases)
                if row not in [one for _, _, one in cases[:index]]
            ]
            reason_of = reasons(distinct, host)
            for rule, refused, row in cases:
                with self.subTest(rule=rule, row=row, host=host):
                    reason = reason_of[distinct.index(row)]
                    self.assertEqual(reason.startswith(rule + ": "), refused, reason)


class Warnings(unittest.TestCase):
    """A second implementation evaluates these rules: rule_points.py."""

    def warned(self, **point):
        row = {"model": "Llama-2-7b", "point": {"trtllm_version": "0.14.0", **point}}
        return rule_points.broken_by(rule_points.Point(row))["warn"]

    def test_an_engine_that_takes_drafts_and_gets_none(self):
        without = {"speculative_decoding_mode": "draft_tokens_external", "max_draft_len": 5}
        self.assertIn("draft-model-of-bls", self.warned(**without))
        self.assertNotIn("draft-model-of-bls", self.warned(**without, draft_model="small"))

    def test_two_caches_that_take_more_than_the_memory(self):
        draft = {"draft_model": "small", "draft_kv_cache_free_gpu_mem_fraction": 0.9}
        self.assertIn("draft-memory", self.warned(**draft))
        self.assertNotIn("draft-memory", self.warned(draft_model="small"))


if __name__ == "__main__":
    unittest.main()
