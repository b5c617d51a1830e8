"""Selects the files of a Hugging Face checkpoint that engines and their converters read, and checks
them for plausibility.

It does not know hubs or engines.
"""
import json
import os
import re
from pathlib import Path

from file_names import matches
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


class Wanted:
    """What to take of a checkpoint."""

    def __init__(self, allow=(), ignore=(), gguf="", require=()):
        self.allow = list(allow)  # patterns of files, in place of the usual ones
        self.ignore = list(ignore)  # patterns of files that are left out
        self.gguf = gguf  # a GGUF file in place of other weights
        self.require = list(require)  # files that must be there

    @property
    def with_folders(self):
        return any("/" in one for one in (*self.allow, self.gguf))


class Chosen:
    def __init__(self, small=(), index="", weights=()):
        self.small = list(small)
        self.index = index  # lists the weights; then `weights` is empty
        self.weights = list(weights)

    @property
    def first(self):
        """The files that say which others are needed."""
        return [*self.small, *filter(None, [self.index])]


def choose(names, where, wanted=Wanted()):
    """Selects from the names of the files of a checkpoint; those in folders are taken only if
    WANTED names them."""
    names = sorted(name for name in names if not matches(name, wanted.ignore))
    if "config.json" not in names:
        raise Failed(
            f"{where}: has no config.json, so it is not a Hugging Face checkpoint; "
            "name the repository or folder that contains config.json and the *.safetensors"
        )
    for name in wanted.require:
        if name not in names:
            raise Failed(
                f"{where}: has no {name}, which later stages read; save it there, or name a"
                " repository or folder that has it"
            )
    small = [name for name in names if "/" not in name and is_small(name)]
    if wanted.gguf:
        return Chosen(small, weights=gguf_parts(names, where, wanted.gguf))
    if wanted.allow:
        return allowed(names, where, wanted)
    return usual([name for name in names if "/" not in name], small, where)


def allowed(names, where, wanted):
    taken = [name for name in names if matches(name, wanted.allow)]
    if not taken:
        raise Failed(f"{where}: no file matches {', '.join(wanted.allow)}; correct the patterns")
    always = {"config.json", *wanted.require}
    small = [name for name in names if name in always or (name in taken and is_small(name))]
    return Chosen(small, weights=[name for name in taken if name not in small])


def gguf_parts(names, where, gguf):
    """The file GGUF, and if it is the first of several parts, the others."""
    match = re.fullmatch(r"(.+-)00001(-of-(\d{5})\.gguf)", gguf)
    count = int(match[3]) if match else 1
    parts = [f"{match[1]}{i:05}{match[2]}" for i in range(1, count + 1)] if match else [gguf]
    missing = [name for name in parts if name not in names]
    if not missing:
        return parts
    others = [name for name in names if name.endswith(".gguf")]
    raise Failed(
        f"{where}: has no {missing[0]}; "
        + (f"its GGUF files are {', '.join(others[:20])}" if others else "it has no GGUF files")
    )


def usual(names, small, where):
    chosen = Chosen(small)
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
        f"{where}: has no weights as *.safetensors or *.bin; ONNX, Flax and TensorFlow files cannot"
        " be converted, and a GGUF file must be chosen by its name"
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
        if str(path).endswith(".gguf") and head[:4] != b"GGUF":
            raise Failed(f"{path}: not a GGUF file; it is damaged")
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
