"""A plain float32 forward pass over a GGUF file of the Qwen2 architecture: the reference for an
engine.

Deliberately slow and without a cache; shares no code with the runner or the engine.
"""
import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize


class Oracle:
    def __init__(self, path):
        reader = GGUFReader(path)
        self._weights = {
            t.name: dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors
        }

        def number(key):
            field = reader.fields[f"qwen2.{key}"]
            return field.parts[field.data[0]][0]

        self._layers = int(number("block_count"))
        self._heads = int(number("attention.head_count"))
        self._kv_heads = int(number("attention.head_count_kv"))
        self._epsilon = float(number("attention.layer_norm_rms_epsilon"))
        self._base = float(number("rope.freq_base"))

    def _norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self._epsilon) * self._weights[name]

    def _project(self, x, name):
        y = x @ self._weights[f"{name}.weight"].T
        return y + self._weights[f"{name}.bias"] if f"{name}.bias" in self._weights else y

    def _rotate(self, x):
        """x: (heads, length, size). Rotates the two halves of each head together."""
        half = x.shape[-1] // 2
        angles = np.arange(x.shape[1])[:, None] * self._base ** (-np.arange(half) / half)
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def _attend(self, x, block):
        length = len(x)

        def split(y, heads):
            return y.reshape(length, heads, -1).transpose(1, 0, 2)

        q = self._rotate(split(self._project(x, f"{block}.attn_q"), self._heads))
        k = self._rotate(split(self._project(x, f"{block}.attn_k"), self._kv_heads))
        v = split(self._project(x, f"{block}.attn_v"), self._kv_heads)
        k, v = (np.repeat(y, self._heads // self._kv_heads, 0) for y in (k, v))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + np.triu(
            np.full((length, length), -1e9, np.float32), 1
        )
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        out = (scores / scores.sum(-1, keepdims=True)) @ v
        return self._project(out.transpose(1, 0, 2).reshape(length, -1), f"{block}.attn_output")

    def logits(self, ids):
        """(length, vocabulary): the logits of the token after each prefix of `ids`."""
        x = self._weights["token_embd.weight"][ids]
        for layer in range(self._layers):
            block = f"blk.{layer}"
            x = x + self._attend(self._norm(x, f"{block}.attn_norm.weight"), block)
            h = self._norm(x, f"{block}.ffn_norm.weight")
            gate = self._project(h, f"{block}.ffn_gate")
            x = x + self._project(
                gate / (1 + np.exp(-gate)) * self._project(h, f"{block}.ffn_up"),
                f"{block}.ffn_down",
            )
        head = self._weights.get("output.weight", self._weights["token_embd.weight"])
        return self._norm(x, "output_norm.weight") @ head.T
