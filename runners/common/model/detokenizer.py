"""Converts token ids to text, whole or one token at a time.

Streams are decoded without state between calls. The engine puts the preceding tokens behind the
new one, beyond `sequence_length`, so readers of the plain format still see one token. This
module knows the tokenizer and that layout; it does not know Triton.
"""
import codecs
import json

import numpy as np

MORE, LAST = (
    -2,
    -3,
)  # follows a streamed token: more tokens come, or this was the last
HEADER = 3  # the token, MORE or LAST, and the slot of the stream (readers.py)
ABSENT = -1
# An incomplete UTF-8 character has at most three bytes, and a token has at least one. The other
# tokens allow for special tokens, which print nothing.
CONTEXT = 6


def streamed(token, before, last, slot=ABSENT):
    """The layout: token, MORE or LAST, the slot of the stream, then up to CONTEXT preceding
    tokens, oldest first.
    """
    context = before[-CONTEXT:]
    return [token, LAST if last else MORE, slot, *[ABSENT] * (CONTEXT - len(context)), *context]


def is_streamed(ids, length):
    return length == 1 and len(ids) > HEADER and ids[1] in (MORE, LAST)


def byte_of_character():
    """Byte-level BPE writes each byte as one printable character; this maps the characters back."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table, extra = {chr(byte): byte for byte in printable}, 0
    for byte in range(256):
        if byte not in printable:
            table[chr(256 + extra)] = byte
            extra += 1
    return table


class Detokenizer:
    def __init__(self, tokenizer, skip_special_tokens=True):
        self._tokenizer = tokenizer
        self._skip = skip_special_tokens
        self._bytes = self._byte_table(json.loads(tokenizer.to_str()))

    def _byte_table(self, description):
        """The bytes of each id if the tokenizer works on bytes, else None."""
        decoder = description.get("decoder") or {}
        kinds = [decoder.get("type"), *[d.get("type") for d in decoder.get("decoders", [])]]
        if "ByteLevel" not in kinds:
            return None
        of = byte_of_character()
        table = {}
        for text, id_ in description["model"]["vocab"].items():
            if all(character in of for character in text):
                table[id_] = bytes(of[character] for character in text)
        for token in description.get("added_tokens", []):
            hidden = token["special"] and self._skip
            table[token["id"]] = b"" if hidden else token["content"].encode()
        return table

    def whole(self, ids):
        if self._bytes is not None:
            return b"".join(self._bytes.get(id_, b"") for id_ in ids).decode("utf-8", "replace")
        return self._tokenizer.decode(ids, skip_special_tokens=self._skip)

    def next(self, token, before, last):
        """The text that `token` adds to the tokens before it. An incomplete character is
        returned with the token that completes it.
        """
        if self._bytes is not None:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            for id_ in before:
                decoder.decode(self._bytes.get(id_, b""))
            return decoder.decode(self._bytes.get(token, b""), last)
        old = self.whole(before).rstrip("\N{REPLACEMENT CHARACTER}") if before else ""
        new = self.whole([*before, token])
        if not last:
            new = new.rstrip("\N{REPLACEMENT CHARACTER}")
        return new[len(old) :]

    def text(self, ids, length):
        """`ids` as the engine sends them; the first `length` of them are to be read."""
        ids = [int(id_) for id_ in ids]
        if is_streamed(ids, length):
            return self.next(ids[0], [id_ for id_ in ids[HEADER:] if id_ != ABSENT], ids[1] == LAST)
        return self.whole(ids[:length])


def as_tensor(texts):
    return np.array([text.encode() for text in texts], dtype=np.object_)
