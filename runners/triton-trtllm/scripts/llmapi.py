"""llmapi.py --templates DIR --out OUT --model STAGE --tensor_parallel_size N [--KEY VALUE]...

Copies the model of the LLM API to OUT and writes its model.yaml: the settings of the API, and
how Triton calls it. The model is the output of a stage, written as {stage:NAME}; it becomes a
path when the server starts. It knows the section of each key, but no defaults.
"""
import json
import shutil
from pathlib import Path

from stage import Failed, run

# The section of model.yaml that a key belongs to, and its name there; "" is the top level.
PLACES = {
    "tensor_parallel_size": ("", "tensor_parallel_size"),
    "pipeline_parallel_size": ("", "pipeline_parallel_size"),
    "context_parallel_size": ("", "context_parallel_size"),
    "moe_tensor_parallel_size": ("", "moe_tensor_parallel_size"),
    "moe_expert_parallel_size": ("", "moe_expert_parallel_size"),
    "max_batch_size": ("", "max_batch_size"),
    "max_num_tokens": ("", "max_num_tokens"),
    "max_seq_len": ("", "max_seq_len"),
    "enable_chunked_context": ("", "enable_chunked_prefill"),
    "kv_cache_free_gpu_mem_fraction": ("kv_cache_config", "free_gpu_memory_fraction"),
    "enable_kv_cache_reuse": ("kv_cache_config", "enable_block_reuse"),
    "max_tokens_in_paged_kv_cache": ("kv_cache_config", "max_tokens"),
    "kv_cache_host_memory_bytes": ("kv_cache_config", "host_cache_size"),
    "decoupled_mode": ("triton_config", "decoupled"),
    "cancellation_check_period_ms": ("triton_config", "cancellation_check_period_ms"),
}


def typed(text):
    """Converts numbers and booleans; the API does not accept them as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def settings(model, values):
    # It does not accept Triton's batches: the API batches the requests in flight itself.
    found = {
        "model": "{stage:" + model + "}",
        "backend": "pytorch",
        "kv_cache_config": {},
        "triton_config": {"max_batch_size": 0},
    }
    for key, value in values.items():
        if key not in PLACES:
            raise Failed(
                f"{key}: not a known setting of the LLM API; known are {', '.join(PLACES)}"
            )
        part, name = PLACES[key]
        (found[part] if part else found)[name] = typed(value)
    return found


def main(arguments):
    if len(arguments) % 2 or not all(word.startswith("--") for word in arguments[::2]):
        raise Failed("usage: llmapi.py --templates DIR --out OUT --model STAGE [--KEY VALUE]...")
    values = {word[2:]: value for word, value in zip(arguments[::2], arguments[1::2])}
    try:
        templates, out, model = (
            Path(values.pop("templates")),
            Path(values.pop("out")),
            values.pop("model"),
        )
    except KeyError as missing:
        raise Failed(f"--{missing.args[0]} is missing") from None
    if not (templates / "tensorrt_llm" / "1" / "model.py").is_file():
        raise Failed(
            f"{templates}/tensorrt_llm/1/model.py is missing; the folder must have the"
            " layout of all_models/llmapi"
        )
    written = settings(model, values)
    shutil.copytree(
        templates / "tensorrt_llm",
        out / "tensorrt_llm",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    # JSON is a subset of YAML.
    (out / "tensorrt_llm" / "1" / "model.yaml").write_text(
        json.dumps(written, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    run(main)
