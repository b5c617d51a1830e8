"""Small checkpoints and engines for tests, made through the runner's own stages.

Knows the order of the stages, not their work.
"""
import contextlib
import io
import subprocess
import sys
from pathlib import Path

from rendering import COMMON, RUNNER, runner_file

sys.path[:0] = [
    str(folder)
    for folder in (RUNNER / "scripts", RUNNER / "model", COMMON / "scripts", COMMON / "model")
]
import generate  # noqa: E402

SHAPE = dict(
    hidden_size=128,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=256,
    vocab_size=1024,
)


def script(name):
    """A script of this runner or of all; a name with a folder is a file of the manifest."""
    if "/" in name:
        return runner_file(f"{name}.py")
    own = runner_file(f"scripts/{name}.py")
    return own if own.exists() else runner_file(f"common/scripts/{name}.py")


def stage(name, *arguments):
    """Runs a stage script; returns the exit status and the last line of stderr."""
    done = subprocess.run(
        [
            sys.executable,
            str(script(name)),
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
    )
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def must(name, *arguments):
    code, message = stage(name, *arguments)
    if code:
        raise AssertionError(f"{name} failed: {message}")


def checkpoint(folder, **shape):
    folder = Path(folder)
    folder.mkdir(parents=True)
    generate.SHAPES["test"] = {**SHAPE, "tie_word_embeddings": False, **shape}
    with contextlib.redirect_stdout(io.StringIO()):
        generate.generate("test", COMMON / "scripts" / "corpus.txt", folder)
    return folder


def engine(folder, source, precision):
    """Quantises, converts and builds below `folder`; returns it, with gguf/ and engine/ inside."""
    folder = Path(folder)
    must("quantize", source, precision, folder / "weights")
    must("convert", source, folder / "weights", folder / "gguf")
    must("build", source, folder / "gguf", folder / "engine")
    return folder
