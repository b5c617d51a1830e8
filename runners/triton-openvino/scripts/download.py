"""download.py SOURCE OUT: puts a checkpoint of the Qwen2 architecture into OUT.

SOURCE is generate:SIZE (generated offline) or local:PATH (a folder). It does not know engines.
"""
import os
import shutil
from pathlib import Path

from checkpoint import Checkpoint, CheckpointError, read_json
from stage import run

TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]


def take(source, target):
    """A hard link where the file system allows it (checkpoints are large), else a copy."""
    real = source.resolve()  # a hub cache contains links to its blob folder
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)


def from_folder(path, out):
    source = Path(path).expanduser()
    if not source.is_dir():
        raise CheckpointError(
            f"{source}: not a folder; local: takes the path of a checkpoint folder"
        )
    config = read_json(source / "config.json")
    architecture = config.get("architectures") or [None]
    if architecture[0] != "Qwen2ForCausalLM":
        raise CheckpointError(
            f"{source}/config.json: architecture is {architecture[0]}; this runner converts"
            " Qwen2ForCausalLM only"
        )
    Checkpoint(source)  # opens every file and compares it with the index
    if not (source / "tokenizer.json").exists():
        raise CheckpointError(
            f"{source}/tokenizer.json: missing; save the tokenizer in its fast form into the folder"
        )
    index = source / "model.safetensors.index.json"
    weights = (
        sorted(set(read_json(index)["weight_map"].values())) + [index.name]
        if index.exists()
        else ["model.safetensors"]
    )
    for name in ["config.json", *TOKENIZER_FILES, *weights]:
        if (source / name).exists():
            take(source / name, out / name)


def main(arguments):
    if len(arguments) != 2:
        raise CheckpointError("usage: download.py generate:nano|tiny|m100 | local:PATH  OUT")
    kind, _, value = arguments[0].partition(":")
    out = Path(arguments[1])
    out.mkdir(parents=True, exist_ok=True)
    if kind == "generate":
        from generate import SHAPES, generate

        if value not in SHAPES:
            raise CheckpointError(f"generate:{value}: no such size; choose {', '.join(SHAPES)}")
        generate(value, Path(__file__).parents[2] / "common" / "scripts" / "corpus.txt", out)
    elif kind == "local":
        from_folder(value, out)
    else:
        raise CheckpointError(
            f"source {arguments[0]!r}: unknown kind {kind!r}; write generate:SIZE or local:PATH"
        )


if __name__ == "__main__":
    run(main, CheckpointError)
