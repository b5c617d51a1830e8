"""Stands in for the package of that name: a token is a word. Its vocabulary has enough words for
synthetic prompts."""

import itertools
import zlib

LETTERS = "abcdefghij"
WORDS = ["".join(word) for word in itertools.product(LETTERS, repeat=3)]


class Encoded:
    def __init__(self, text):
        self.ids = [zlib.crc32(word.encode()) % 30000 for word in text.split()]
        self.special_tokens_mask = [0] * len(self.ids)


class Tokenizer:
    @staticmethod
    def from_file(path):
        with open(path, encoding="utf-8"):
            return Tokenizer()

    def no_truncation(self):
        pass

    def no_padding(self):
        pass

    def encode(self, text, add_special_tokens=True):
        return Encoded(text)

    def encode_batch_fast(self, texts, add_special_tokens=True):
        return [Encoded(text) for text in texts]

    def get_vocab(self, with_added_tokens=True):
        return {word: number for number, word in enumerate(WORDS)}
