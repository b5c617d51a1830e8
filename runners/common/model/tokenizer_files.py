"""Loads a tokenizer folder: tokenizer.json and the ids of the end and padding tokens.

It knows the files of a Hugging Face folder; it does not know Triton.
"""
import json
from pathlib import Path

from tokenizers import Tokenizer


def load(folder):
    path = Path(folder) / "tokenizer.json"
    if not path.exists():
        raise ValueError(f"{path}: missing; tokenizer_dir must name a folder with a tokenizer.json")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _json(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def end_and_pad_ids(folder, tokenizer):
    """The end and padding tokens of the tokenizer, else the ids of the model's configuration; an
    end of -1 never occurs.
    """
    words = _json(Path(folder) / "tokenizer_config.json")
    model = _json(Path(folder) / "generation_config.json") or _json(Path(folder) / "config.json")

    def find(name):
        word = words.get(f"{name}_token")
        word = word.get("content") if isinstance(word, dict) else word
        id_ = tokenizer.token_to_id(word) if word else model.get(f"{name}_token_id")
        return id_[0] if isinstance(id_, list) else id_

    end, pad = find("eos"), find("pad")
    end = -1 if end is None else end
    return end, end if pad is None else pad
