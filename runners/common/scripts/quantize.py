"""quantize.py CHECKPOINT PRECISION OUT: rounds every matrix of a checkpoint to PRECISION (f16, q8_0
or q4_0).

Writes OUT/weights.safetensors with the tensor names of the checkpoint: matrices as GGML blocks
(U8, one row of blocks per row), vectors as F32. It does not know GGUF files or engines.
"""
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import quantize

from checkpoint import Checkpoint, CheckpointError, write_tensors
from stage import run

TYPES = {
    "f16": GGMLQuantizationType.F16,
    "q8_0": GGMLQuantizationType.Q8_0,
    "q4_0": GGMLQuantizationType.Q4_0,
}
F16_MAX = 65504.0
ARCHITECTURE = "Qwen2ForCausalLM"


def check_architecture(config, folder):
    found = (config.get("architectures") or [None])[0]
    if found != ARCHITECTURE:
        raise CheckpointError(
            f"{folder}/config.json: architecture is {found}; only {ARCHITECTURE} is converted: use"
            " such a model, or a GGUF file of this one (gguf_file)"
        )


def blocks(checkpoint, name, type_):
    values = checkpoint.load(name)
    largest = float(np.abs(values).max(initial=0))  # NaN passes through max
    if not np.isfinite(largest):
        raise CheckpointError(
            f"{name}: contains {largest}; the checkpoint is damaged, fetch it again"
        )
    if type_ == GGMLQuantizationType.F16 and largest > F16_MAX:
        raise CheckpointError(
            f"{name}: {largest:g} is beyond {F16_MAX:g}, the largest number of f16; use precision"
            " q8_0 or q4_0"
        )
    if type_ == GGMLQuantizationType.F16:
        return values.astype(np.float16)
    return quantize(values, type_)


def plan(checkpoint, precision):
    """What to write for each tensor: (name, dtype, shape, make), and the name of each type."""
    tensors, types = [], {}
    for name in checkpoint.names():
        shape = checkpoint.shape(name)
        type_ = TYPES[precision] if len(shape) == 2 else GGMLQuantizationType.F32
        types[name] = type_.name
        block, block_bytes = GGML_QUANT_SIZES[type_]
        if shape[-1] % block:
            raise CheckpointError(
                f"{name}: rows of {shape[-1]} numbers do not divide into {precision}'s blocks of"
                f" {block}; use precision f16"
            )
        if type_ == GGMLQuantizationType.F32:
            tensors.append((name, "F32", shape, lambda n=name: checkpoint.load(n)))
        elif type_ == GGMLQuantizationType.F16:
            tensors.append((name, "F16", shape, lambda n=name, t=type_: blocks(checkpoint, n, t)))
        else:
            row_bytes = shape[-1] // block * block_bytes
            tensors.append(
                (
                    name,
                    "U8",
                    (*shape[:-1], row_bytes),
                    lambda n=name, t=type_: blocks(checkpoint, n, t),
                )
            )
    return tensors, types


def main(arguments):
    if len(arguments) != 3:
        raise CheckpointError("usage: quantize.py CHECKPOINT f16|q8_0|q4_0 OUT")
    folder, precision, out = arguments
    if precision not in TYPES:
        raise CheckpointError(f"precision {precision!r}: unknown; choose {', '.join(TYPES)}")
    checkpoint = Checkpoint(folder)
    check_architecture(checkpoint.config, folder)
    tensors, types = plan(checkpoint, precision)
    Path(out).mkdir(parents=True, exist_ok=True)
    write_tensors(Path(out) / "weights.safetensors", tensors, types)


if __name__ == "__main__":
    run(main, CheckpointError)
