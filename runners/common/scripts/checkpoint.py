"""Reads and writes safetensors files and checkpoint folders, one tensor at a time.

It knows the file format; it does not know models, quantisation or engines.
"""
import json
import mmap
import os
import struct
from pathlib import Path

import numpy as np

ITEM_BYTES = {"F32": 4, "F16": 2, "BF16": 2, "U8": 1}
MAX_HEADER_BYTES = 100 << 20  # a larger header means a damaged file, not a larger model


class CheckpointError(Exception):
    """A bad checkpoint; the message names the file, the finding and the remedy."""


def bf16_from_f32(values):
    """Rounds to nearest, ties to even; returns the upper halves as uint16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)


def f32_from_raw(raw, dtype):
    if dtype == "F32":
        return raw.view(np.float32)
    if dtype == "F16":
        return raw.view(np.float16).astype(np.float32)
    if dtype == "BF16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    raise CheckpointError(
        f"a tensor of type {dtype} cannot be read as numbers; store it as BF16, F16 or F32"
    )


class TensorFile:
    """One safetensors file, mapped into memory."""

    def __init__(self, path):
        self.path = Path(path)
        size = self.path.stat().st_size
        if size < 8:
            raise CheckpointError(
                f"{path}: {size} bytes is too short for a safetensors file; fetch it again"
            )
        with open(self.path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (length,) = struct.unpack_from("<Q", self._map)
        if length > min(size - 8, MAX_HEADER_BYTES):
            raise CheckpointError(
                f"{path}: header length {length} does not fit a file of {size} bytes; fetch it"
                " again"
            )
        try:
            header = json.loads(self._map[8 : 8 + length])
        except ValueError as error:
            raise CheckpointError(
                f"{path}: its header is not JSON ({error}); fetch it again"
            ) from None
        self.metadata = header.pop("__metadata__", {})
        self.entries = header
        self._data = 8 + length
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            expected = int(np.prod(entry["shape"], dtype=np.int64)) * ITEM_BYTES.get(
                entry["dtype"], 0
            )
            if not 0 <= begin <= end <= size - self._data or (expected and expected != end - begin):
                raise CheckpointError(
                    f"{path}: tensor {name} does not fit the file; it is cut short, fetch it again"
                )

    def raw(self, name):
        begin, end = self.entries[name]["data_offsets"]
        return np.frombuffer(self._map, np.uint8, end - begin, self._data + begin)

    def shape(self, name):
        return tuple(self.entries[name]["shape"])

    def dtype(self, name):
        return self.entries[name]["dtype"]


class Checkpoint:
    """A Hugging Face folder: config.json with one safetensors file or with an index of several."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.config = read_json(self.folder / "config.json")
        index = self.folder / "model.safetensors.index.json"
        if index.exists():
            where = read_json(index).get("weight_map", {})
            files = {file: self._open(file) for file in sorted(set(where.values()))}
            for name, file in where.items():
                if name not in files[file].entries:
                    raise CheckpointError(
                        f"{index}: lists {name} in {file}, which lacks it; fetch the folder again"
                    )
            self._where = {name: files[file] for name, file in where.items()}
        else:
            file = self._open("model.safetensors")
            self._where = {name: file for name in file.entries}

    def _open(self, name):
        path = self.folder / name
        if not path.exists():
            raise CheckpointError(
                f"{path}: missing; a checkpoint needs model.safetensors, "
                "or model.safetensors.index.json with every file that it lists"
            )
        return TensorFile(path)

    def names(self):
        return sorted(self._where)

    def shape(self, name):
        return self._where[name].shape(name)

    def load(self, name):
        """The tensor as float32."""
        file = self._where[name]
        return f32_from_raw(file.raw(name), file.dtype(name)).reshape(file.shape(name))


def read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{path}: missing; a checkpoint folder must contain it") from None
    except ValueError as error:
        raise CheckpointError(f"{path}: not JSON ({error}); fetch it again") from None


def write_json(path, value):
    Path(path).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_tensors(path, tensors, metadata=None):
    """`tensors` yields (name, dtype, shape, make). `make()` returns the bytes and is called in
    file order, so that only one tensor is in memory at a time.
    """
    tensors = sorted(tensors, key=lambda tensor: tensor[0])
    header, offset = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, dtype, shape, _ in tensors:
        size = int(np.prod(shape, dtype=np.int64)) * ITEM_BYTES[dtype]
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, dtype, shape, make in tensors:
            data = np.ascontiguousarray(make())
            begin, end = header[name]["data_offsets"]
            if data.nbytes != end - begin:
                raise CheckpointError(
                    f"{path}: {name} has {data.nbytes} bytes instead of {end - begin}"
                )
            file.write(data.data)
        file.flush()
        os.fsync(file.fileno())
