"""make.py ENGINE RELEASE FOLDER [PYTHON]: writes an installation of ENGINE (sglang, tgi or vllm)
for machines without a GPU: FOLDER/bin has its programs, and a python3 whose modules are the
engine's. PYTHON is the interpreter behind it (/usr/bin/python3); with the package tokenizers in it,
prompts are counted by the model's tokenizer."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

START = """import sys
sys.path.insert(0, {here!r})
import serve
serve.serve({engine!r}, {release!r}, sys.argv[1:])
"""
PYTHON = """#!/bin/sh
export PYTHONPATH={folder}/lib PYTHONDONTWRITEBYTECODE=1
exec {python} "$@"
"""
MODULES = {"sglang": "sglang/launch_server", "vllm": "vllm/entrypoints/openai/api_server"}
PROGRAMS = {"tgi": "text-generation-launcher", "vllm": "vllm"}


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def package(lib, engine, release, start):
    """The module that starts the server, and the metadata of its distribution."""
    name = MODULES[engine]
    for folder in pathlib.PurePath(name).parents:
        if folder.name:
            write(lib / folder / "__init__.py", f'__version__ = "{release}"\n')
    write(lib / f"{name}.py", start)
    metadata = f"Metadata-Version: 2.1\nName: {engine}\nVersion: {release}\n"
    write(lib / f"{engine}-{release}.dist-info" / "METADATA", metadata)


def program(engine, release, start, interpreter):
    """The engine's own program. `vllm serve` is one, and `--version` of all of them."""
    version = f"text-generation-launcher {release}" if engine == "tgi" else release
    head = f"#!{interpreter}\nimport sys\nif sys.argv[1:] == ['--version']:\n"
    head += f"    sys.exit(print({version!r}))\n"
    skip = "del sys.argv[1]\n" if engine == "vllm" else ""
    return head + skip + start


def make(engine, release, folder, python="/usr/bin/python3"):
    folder = pathlib.Path(folder).resolve()
    start = START.format(here=str(HERE), engine=engine, release=release)
    write(folder / "bin/python3", PYTHON.format(folder=folder, python=python), 0o755)
    if engine in MODULES:
        package(folder / "lib", engine, release, start)
    if engine in PROGRAMS:
        text = program(engine, release, start, python)
        write(folder / "bin" / PROGRAMS[engine], text, 0o755)
    return folder


if __name__ == "__main__":
    make(*sys.argv[1:])
