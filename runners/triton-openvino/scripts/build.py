"""build.py CHECKPOINT GGUF OUT: converts GGUF/model.gguf to OpenVINO IR,
OUT/openvino_model.{xml,bin}.

Also writes OUT/config.json: the inputs and versions of the build, and the limits that a server
needs. It does not know Triton. The same GGUF and the same package versions give the same bytes.
"""
import os
import tempfile
from importlib import metadata
from pathlib import Path

from checkpoint import CheckpointError, read_json, write_json
from stage import run

FACTS = [
    "architectures",
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "intermediate_size",
    "max_position_embeddings",
    "tie_word_embeddings",
]


def save_ir(gguf, out):
    """The library writes beside its input, so the input is a link in a temporary folder."""
    import openvino_genai

    with tempfile.TemporaryDirectory(dir=out) as folder:
        os.symlink(gguf.resolve(), Path(folder) / gguf.name)
        openvino_genai.LLMPipeline(str(Path(folder) / gguf.name), "CPU", enable_save_ov_model=True)
        for name in ("openvino_model.xml", "openvino_model.bin"):
            os.replace(
                Path(folder) / name, out / name
            )  # the tokenizer's IR is not kept: Triton's models tokenise


def main(arguments):
    if len(arguments) != 3:
        raise CheckpointError("usage: build.py CHECKPOINT GGUF OUT")
    checkpoint, gguf, out = map(Path, arguments)
    config = read_json(checkpoint / "config.json")
    source = gguf / "model.gguf"
    if not source.exists():
        raise CheckpointError(f"{source}: missing; run convert.py, which writes it")
    out.mkdir(parents=True, exist_ok=True)
    save_ir(source, out)
    write_json(
        out / "config.json",
        {
            "builder": {name: metadata.version(name) for name in ("openvino", "openvino-genai")},
            "pretrained_config": {name: config[name] for name in FACTS if name in config},
        },
    )


if __name__ == "__main__":
    run(main, CheckpointError, RuntimeError)
