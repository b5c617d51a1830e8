"""run.py [--cache DIR] [TEST ...]: runs the tests of this folder that need a real server. It makes
the runner's environments and a small model when DIR has none for the current files.

Runs in the system's interpreter. Knows the folders, nothing of the tests.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RUNNER = ROOT / "runners" / "llama-cpp"
COMMON = ROOT / "runners" / "common"
MAKE_ENVIRONMENT = COMMON / "scripts" / "locked_environment.py"
PACKAGES = MAKE_ENVIRONMENT.with_name("locked_packages.py")
MODEL_SCRIPTS = ["download", "generate", "checkpoint", "quantize", "convert"]


def made(cache, name, sources, make):
    """The folder that MAKE fills, once for exactly these source files."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    folder, complete = cache / f"{name}-{digest}", cache / f"{name}-{digest}.complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        complete.touch()
    return folder


def environment(cache, name, lock, *modules):
    def make(folder):
        words = [sys.executable, MAKE_ENVIRONMENT, lock, folder / "venv", *modules]
        subprocess.run([str(word) for word in words], check=True)

    return made(cache, name, [lock, MAKE_ENVIRONMENT, PACKAGES], make)


def model(cache, python):
    """A checkpoint and its GGUF file, by the stages that runners share."""
    scripts = {name: COMMON / "scripts" / f"{name}.py" for name in MODEL_SCRIPTS}

    def make(folder):
        checkpoint, weights = folder / "checkpoint", folder / "weights"
        for words in (
            ["download", "generate:tiny", "", checkpoint],
            ["quantize", checkpoint, "q8_0", weights],
            ["convert", checkpoint, weights, folder],
        ):
            argv = [python, scripts[words[0]], *words[1:]]
            subprocess.run([str(word) for word in argv], check=True, stdout=subprocess.DEVNULL)

    return made(cache, "model", [*scripts.values(), COMMON / "scripts" / "corpus.txt"], make)


def main():
    parser = argparse.ArgumentParser(description="Run the tests of the runner llama-cpp.")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "llama-cpp-tests")
    parser.add_argument("tests", nargs="*", help="names in the form of unittest; default: all")
    arguments = parser.parse_args()
    cache = arguments.cache.resolve()
    server = environment(cache, "server", RUNNER / "requirements.lock", "xllamacpp")
    lock, modules = COMMON / "checkpoint.lock", ["numpy", "gguf", "tokenizers"]
    files = environment(cache, "files", lock, *modules)
    python = files / "venv" / "bin" / "python3"
    os.environ.update(
        PYTHONDONTWRITEBYTECODE="1",
        ORCHESTRATE_TEST_SERVER=str(server),
        ORCHESTRATE_TEST_MODEL=str(model(cache, python)),
    )
    chosen = arguments.tests or ["server_test", "bench_test"]
    os.chdir(HERE)
    os.execv(python, [str(python), "-m", "unittest", *chosen])


if __name__ == "__main__":
    main()
