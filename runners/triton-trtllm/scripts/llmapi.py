"""llmapi.py --templates DIR --out OUT --model STAGE --tensor_parallel_size N [--KEY VALUE]...

Copies the model of the LLM API to OUT and writes the model.yaml that it reads: what the API is
told, and how Triton calls it. The model is the output of a stage, written as {stage:NAME}; it
becomes a path when the server starts. Knows which key stands where, no default.
"""
import json
import shutil
from pathlib import Path

from stage import Failed, run

# Which part of model.yaml a key belongs to, and what it is called there; "" is the top.
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
    """A number or truth as such; the API takes no text for one."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def settings(model, values):
    # It does not take batches of Triton: the API itself batches what is under way.
    found = {
        "model": "{stage:" + model + "}",
        "backend": "pytorch",
        "kv_cache_config": {},
        "triton_config": {"max_batch_size": 0},
    }
    for key, value in values.items():
        if key not in PLACES:
            raise Failed(
                f"{key}: no setting of the LLM API is known for it; known are {', '.join(PLACES)}"
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
            f"{templates}/tensorrt_llm/1/model.py is missing; the folder must be as"
            " all_models/llmapi"
        )
    written = settings(model, values)
    shutil.copytree(
        templates / "tensorrt_llm",
        out / "tensorrt_llm",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    # JSON is YAML.
    (out / "tensorrt_llm" / "1" / "model.yaml").write_text(
        json.dumps(written, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    run(main)
