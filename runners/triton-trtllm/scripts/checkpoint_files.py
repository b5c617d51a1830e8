"""Selects the files of a Hugging Face checkpoint that the conversion to TensorRT-LLM reads, and
checks them for plausibility.

It does not know hubs or TensorRT-LLM.
"""
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from stage import Failed

# Tokenizers, configurations, and code that some models ship. Subfolders are ignored: they contain
# other formats.
SMALL_ENDINGS = (".json", ".model", ".tiktoken", ".jinja", ".py")
SMALL_NAMES = ("merges.txt", "vocab.txt")
# For each format: the file name, its suffix, and the first letters of other files with that suffix:
# the second copy of a Mistral model, and files of trainers.
WEIGHTS = (
    ("model.safetensors", ".safetensors", ("consolidated", "training_args", "optimizer")),
    (
        "pytorch_model.bin",
        ".bin",
        ("consolidated", "training_args", "optimizer", "scheduler", "rng_state"),
    ),
)
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
MOST_HEADER = 100 << 20


@dataclass
class Chosen:
    small: list = field(default_factory=list)
    index: str = ""  # lists the weights; then `weights` is empty
    weights: list = field(default_factory=list)


def choose(names, where):
    """Selects from the names at the top level of a checkpoint."""
    if "config.json" not in names:
        raise Failed(
            f"{where}: has no config.json, so it is not a Hugging Face checkpoint; "
            "name the repository or folder that contains config.json and the *.safetensors"
        )
    chosen = Chosen([name for name in sorted(names) if is_small(name)])
    for whole, ending, others in WEIGHTS:
        index = whole + ".index.json"
        if whole in names:
            chosen.weights = [whole]
        elif index in names:
            chosen.index = index
        else:
            chosen.weights = [
                name
                for name in sorted(names)
                if name.endswith(ending) and not name.startswith(others)
            ]
        if chosen.index or chosen.weights:
            return chosen
    raise Failed(
        f"{where}: has no weights as *.safetensors or *.bin; GGUF, ONNX, Flax and TensorFlow files"
        " cannot be converted"
    )


def is_small(name):
    return (
        name.endswith(SMALL_ENDINGS) and not name.endswith(".index.json")
    ) or name in SMALL_NAMES


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (ValueError, RecursionError):
        raise Failed(f"{path}: not JSON; it is damaged") from None


def shards(index, names, where):
    """The files that an index lists; each must be one of NAMES."""
    content = read_json(index)
    shard_of = content.get("weight_map") if isinstance(content, dict) else None
    if (
        not isinstance(shard_of, dict)
        or not shard_of
        or not all(isinstance(one, str) for one in shard_of.values())
    ):
        raise Failed(f"{where}: {Path(index).name} has no weight_map; it is damaged")
    named = sorted(set(shard_of.values()))
    missing = [name for name in named if name not in names]
    if missing:
        raise Failed(
            f"{where}: {len(missing)} of {len(named)} files that {Path(index).name} lists"
            f" are missing, such as {missing[0]}; the checkpoint is incomplete"
        )
    return named


def check_config(path, where):
    config = read_json(path)
    architectures = config.get("architectures") if isinstance(config, dict) else None
    if (
        not isinstance(architectures, list)
        or not architectures
        or not isinstance(architectures[0], str)
    ):
        raise Failed(
            f"{where}: config.json names no architectures, so no converter can be chosen; "
            'add "architectures": ["..."] as in its model card, or use another repository'
        )


def check_whole(path):
    """Checks a file by its size and its first bytes only."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(len(LFS_POINTER))
        if head == LFS_POINTER:
            raise Failed(
                f"{path}: is a git LFS pointer, not the file; run `git lfs pull` in that folder"
            )
        if not str(path).endswith(".safetensors"):
            return
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        header = file.read(length) if length <= min(size, MOST_HEADER) else b""
    try:
        ends = [
            tensor["data_offsets"][1]
            for name, tensor in json.loads(header).items()
            if name != "__metadata__"
        ]
        expected = 8 + length + max(ends, default=0)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise Failed(f"{path}: not a safetensors file; it is damaged") from None
    if size != expected:
        raise Failed(
            f"{path}: has {size} bytes where its header says {expected}; it is damaged, copy or"
            " download it again"
        )
