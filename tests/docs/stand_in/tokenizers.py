"""Stands in for the package tokenizers: every word between blanks is one token, and no token is
special. Knows nothing of models."""
import re
import zlib
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus.txt")


class Encoding:
    def __init__(self, text):
        self.ids = [zlib.crc32(word.encode()) % 30000 for word in text.split()]
        self.special_tokens_mask = [0] * len(self.ids)


class Tokenizer:
    @classmethod
    def from_file(cls, path):
        Path(path).read_text(encoding="utf-8")
        return cls()

    def no_truncation(self):
        pass

    def no_padding(self):
        pass

    def encode(self, text, add_special_tokens=True):
        return Encoding(text)

    def encode_batch_fast(self, texts, add_special_tokens=True):
        return [Encoding(text) for text in texts]

    def get_vocab(self, with_added_tokens=True):
        words = re.findall(r"[A-Za-z]{2,}", CORPUS.read_text(encoding="utf-8"))
        return {word: place for place, word in enumerate(words)}
