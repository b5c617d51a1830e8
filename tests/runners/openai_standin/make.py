"""make.py ENGINE RELEASE FOLDER [PYTHON]: writes an installation of ENGINE (sglang, tgi or vllm)
for machines without a GPU: FOLDER/bin has its programs, and a python3 whose modules are the
engine's. PYTHON is the interpreter behind it (/usr/bin/python3); with the package tokenizers in it,
prompts are counted by the model's tokenizer. The installation declares the options of its release,
or says them for --help, as the engine does."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import option_table  # noqa: E402

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
# Where a release declares its options, of those that start a parser from fields as well.
DECLARED = {"sglang": "sglang/srt/server_args.py", "vllm": "vllm/engine/arg_utils.py"}
FIELDS = {
    "sglang": ("0.5.15", "sglang/srt/arg_groups/fields/all.py", "class All:", 'A[{kind}, "-"]'),
    "vllm": ("0.10.2", "vllm/entrypoints/openai/cli_args.py", "class FrontendArgs:", "{kind}"),
}


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


def options_of(engine, release):
    """The options of RELEASE, each once; of a release that was not read, none."""
    table = option_table.Table(HERE.parent / engine / "options.txt")
    release = re.match(r"\d+\.\d+\.\d+", release)[0]
    found = table.at(release) if release in table.releases else {}
    return [option for name, option in found.items() if name == option.names[0]]


def call_of(option):
    names = ", ".join(repr(name) for name in option.names)
    choices = f", choices={option.kind.split('|')!r}" if "|" in option.kind else ""
    action = ', action="store_true"' if option.kind == "flag" else ""
    return f"    parser.add_argument({names}{choices}{action})\n"


def declare(lib, engine, release):
    """Writes the options as the sources of RELEASE have them: in calls, and some as fields."""
    options = options_of(engine, release)
    since, path, head, annotation = FIELDS[engine]
    fields, places = [], option_table.Table(HERE.parent / engine / "options.txt")
    if options and places.place(re.match(r"[\d.]+\d", release)[0]) >= places.place(since):
        plain = [one for one in options if len(one.names) == 1 and "|" not in one.kind]
        fields = plain[::2]
    calls = "".join(call_of(one) for one in options if one not in fields)
    write(lib / DECLARED[engine], f"def add_arguments(parser):\n{calls}    return parser\n")
    if fields:
        kinds = {"flag": "bool", "int": "int", "float": "float"}
        lines = [
            f"    {one.names[0][2:].replace('-', '_')}: "
            + annotation.format(kind=kinds.get(one.kind, "str"))
            for one in fields
        ]
        write(lib / path, head + "\n" + "\n".join(lines) + "\n")


def help_of(engine, release):
    """As clap prints it."""
    lines = ["Usage: text-generation-launcher [OPTIONS]", "", "Options:"]
    for option in options_of(engine, release):
        value = "" if option.kind == "flag" else f" <{option.names[0][2:].upper()}>"
        lines += ["      " + ", ".join(option.names) + value, "          What it does", ""]
    return "\n".join(lines)


def program(engine, release, start, interpreter):
    """The engine's own program. `vllm serve` is one, and `--version` of all of them."""
    version = f"text-generation-launcher {release}" if engine == "tgi" else release
    head = f"#!{interpreter}\nimport sys\nif sys.argv[1:] == ['--version']:\n"
    head += f"    sys.exit(print({version!r}))\n"
    head += "if sys.argv[1:] == ['--help']:\n"
    head += f"    sys.exit(print({help_of(engine, release)!r}))\n"
    skip = "del sys.argv[1]\n" if engine == "vllm" else ""
    return head + skip + start


def make(engine, release, folder, python="/usr/bin/python3"):
    folder = pathlib.Path(folder).resolve()
    start = START.format(here=str(HERE), engine=engine, release=release)
    write(folder / "bin/python3", PYTHON.format(folder=folder, python=python), 0o755)
    if engine in MODULES:
        package(folder / "lib", engine, release, start)
        declare(folder / "lib", engine, release)
    if engine in PROGRAMS:
        text = program(engine, release, start, python)
        write(folder / "bin" / PROGRAMS[engine], text, 0o755)
    return folder


if __name__ == "__main__":
    make(*sys.argv[1:])
