"""record_options.py FOLDER...: writes options.txt, the options of `python -m sglang.launch_server`
release by release, as SGLang's own parser has them. Each FOLDER is an unpacked wheel and has the
name of its release; the oldest comes first.

It knows argparse; what an option does it does not know. msgspec must be installed for releases from
0.5.20 on. Choices that need a missing package are recorded as text of any content."""

import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "triton_trtllm")]
import option_table  # noqa: E402
import upstream  # noqa: E402

HEAD = """# `python -m sglang.launch_server`, read by record_options.py in the wheels.
"""
REAL = re.compile(r"sglang\.srt\.(server_args|arg_groups(\..*)?)$")


class Finder(upstream.Finder):
    def __init__(self, tree):
        self.tree = tree

    def file_of(self, name):
        base = pathlib.Path(self.tree, *name.split("."))
        files = [base.with_suffix(".py"), base / "__init__.py"] if REAL.match(name) else []
        return next((str(file) for file in files if file.exists()), None)


def kind_of(action):
    if action.nargs == 0:
        return "flag"
    kind = {int: "int", float: "float"}.get(action.type, "str")
    if isinstance(action, argparse.BooleanOptionalAction):
        return "flag"
    choices = action.choices
    if choices is not None and not isinstance(choices, upstream.Absent):
        choices = [str(choice) for choice in choices]
        if not any(choice.startswith(upstream.ABSENT) for choice in choices):
            kind = "|".join(choices)
    many = action.nargs if action.nargs in ("+", "*", "?") else "" if action.nargs is None else "+"
    return kind + many + ("!" if action.required else "")


def parser_of(tree):
    """One call per process: upstream's modules stay in it."""
    upstream.Absent.__add__ = upstream.Absent.__radd__ = lambda self, other: self
    upstream.THIRD_PARTY.add("msgspec")
    upstream.STAND_INS.clear()
    sys.meta_path.insert(0, Finder(tree))
    sys.dont_write_bytecode = True
    parser = argparse.ArgumentParser(add_help=False)
    importlib.import_module("sglang.srt.server_args").ServerArgs.add_cli_args(parser)
    return parser


def options_of(tree):
    """{names: kind}"""
    return {
        ",".join(action.option_strings): kind_of(action)
        for action in parser_of(tree)._actions
        if action.option_strings
    }


def main(trees):
    if trees[:1] == ["--one"]:
        print(json.dumps(options_of(trees[1])))
        return
    rows = {}
    for tree in trees:
        words = [sys.executable, __file__, "--one", tree]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        rows[pathlib.Path(tree).name] = json.loads(done.stdout.splitlines()[-1])
    (HERE / "options.txt").write_text(HEAD + option_table.text_of(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
