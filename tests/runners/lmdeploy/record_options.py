"""record_options.py GIT_DIR: writes the options of LMDeploy's commands and benchmark scripts, read
from the tags of a clone of its repository, as tables of option_table.py in options/; commits.json
there has the commit of every release.

A table lists the releases that have the tool. It copies no help text, and does not know what an
option does."""

import argparse
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "triton_trtllm"))

import option_table  # noqa: E402
import record_options as described  # noqa: E402
import upstream  # noqa: E402

# The words of each command of `lmdeploy`; the others are scripts in benchmark/.
COMMANDS = {
    "convert": ["convert"],
    "api_server": ["serve", "api_server"],
    "auto_awq": ["lite", "auto_awq"],
}
SCRIPTS = ["profile_serving", "profile_restful_api", "profile_throughput"]
REAL = re.compile(r"lmdeploy\.(cli(\..*)?|version)$")
OLD_ENTRY = "lmdeploy/cli/cli.py"
ENTRY = "lmdeploy/cli/entrypoint.py"


class DictAction(argparse.Action):
    """Of mmengine: takes words KEY=VALUE."""


described.ACTIONS["DictAction"] = "store"


class Finder(upstream.Finder):
    """Resolves imports to the files of LMDeploy's command line, the standard library, or an absent
    package."""

    def __init__(self, tree):
        self.tree = tree

    def file_of(self, name):
        base = os.path.join(self.tree, *name.split("."))
        paths = [base + ".py", os.path.join(base, "__init__.py")] if REAL.match(name) else []
        return next((path for path in paths if os.path.exists(path)), None)

    def exec_module(self, module):
        if module.__name__ == "fire":
            module.Fire = upstream.catch
        if module.__name__ == "mmengine.config":
            module.DictAction = DictAction
        if module.__name__ == "lmdeploy.messages":
            self.add_quant_policy(module)

    def add_quant_policy(self, module):
        """The one name of that module whose values are choices of an option, from 0.13 on."""
        with open(os.path.join(self.tree, "lmdeploy/messages.py"), encoding="utf-8") as file:
            found = re.search(r"^class QuantPolicy.*?(?=^\S)", file.read()[1:], re.S | re.M)
        if found:
            exec("import enum\n" + found[0], module.__dict__)


def release_tags(git):
    """Version -> tag, the oldest first, from 0.1.0 on; without pre- and post-releases."""
    tags = git("tag").split()
    found = {tag.removeprefix("v"): tag for tag in tags if re.fullmatch(r"v?\d+\.\d+\.\d+", tag)}
    order = sorted(found, key=lambda version: [int(part) for part in version.split(".")])
    return {version: found[version] for version in order if not version.startswith("0.0.")}


def tolerate_repeated_commands():
    """0.3.0 declares `chat` twice, which older Pythons accept."""
    add = argparse._SubParsersAction.add_parser

    def add_parser(self, name, **about):
        self._name_parser_map.pop(name, None)
        return add(self, name, **about)

    argparse._SubParsersAction.add_parser = add_parser


def caught(tree, script, words):
    """What the program hands to its parser: an argparse parser, or the object given to fire."""
    sys.meta_path.insert(0, Finder(tree))
    sys.dont_write_bytecode = True
    argparse.ArgumentParser.parse_args = argparse.ArgumentParser.parse_known_args = upstream.catch
    sys.argv = ["lmdeploy", *words]
    tolerate_repeated_commands()
    text = open(os.path.join(tree, script), encoding="utf-8").read()
    package = os.path.dirname(script).replace("/", ".") if script.startswith("lmdeploy/") else None
    scope = {"__name__": "__main__", "__file__": script, "__package__": package}
    sys.modules["__main__"].__dict__.update(__package__=package)
    try:
        exec(compile(text, script, "exec"), scope)
        scope["run"]()
    except upstream.Caught as found:
        return found.parser
    raise LookupError(f"{script} ended without parsing a command line")


def subcommand(parser, words):
    for word in words:
        [group] = [
            action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
        ]
        parser = group.choices[word]
    return parser


TYPES = {int: "int", float: "float", bool: "bool"}


def fire_option(name, parameter):
    """fire takes an option with underscores and with hyphens, and any argument as an option."""
    annotated = parameter.annotation
    option = {
        "spellings": list(dict.fromkeys(["--" + name, "--" + name.replace("_", "-")])),
        "action": "store",
        "type": TYPES.get(annotated, "str"),
        "default": None if parameter.default is inspect._empty else parameter.default,
    }
    return {**option, "choices": ["True", "False"]} if annotated is bool else option


def fire_tool(function):
    """Arguments without a default are given by place."""
    plain = {
        name: parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    required = [name for name, each in plain.items() if each.default is inspect._empty]
    places = [{"name": name, "type": "str", "required": True} for name in required]
    options = [fire_option(name, each) for name, each in plain.items() if name not in required]
    return {"parser": "fire", "options": options, "positionals": places}


def without_exclusion(parser):
    """A record cannot express options that exclude each other, and no plan sets two of them."""
    parser._mutually_exclusive_groups.clear()
    return parser


def options_of(tree, tool):
    """The options of TOOL at the release in TREE, or None if it is not there."""
    if tool in COMMANDS:
        entry = ENTRY if os.path.exists(os.path.join(tree, ENTRY)) else OLD_ENTRY
        parser = caught(tree, entry, COMMANDS[tool])
        if not isinstance(parser, argparse.ArgumentParser):
            for word in COMMANDS[tool]:
                parser = getattr(parser, word)
            return fire_tool(parser)
        try:
            parser = subcommand(parser, COMMANDS[tool])
        except KeyError:
            return None
    else:
        script = f"benchmark/{tool}.py"
        if not os.path.exists(os.path.join(tree, script)):
            return None
        parser = caught(tree, script, [])
        if not isinstance(parser, argparse.ArgumentParser):
            return fire_tool(parser)
    return described.argparse_tool(without_exclusion(parser))


def kind_of(option):
    """The kind of values as option_table writes it."""
    if option["type"] == "flag":
        return "flag"
    choices = [str(each) for each in option.get("choices") or [] if each is not None]
    kind = "|".join(choices) or {"int": "int", "float": "float"}.get(option["type"], "str")
    many = {None: "", "+": "+", "*": "*", "?": "?"}[option.get("nargs")]
    return kind + many + ("!" if option.get("required") else "")


def record(git_dir, out):
    def git(*words):
        done = subprocess.run(
            ["git", f"--git-dir={git_dir}", *words], capture_output=True, check=True
        )
        return done.stdout

    commits, tables = {}, {tool: {} for tool in [*COMMANDS, *SCRIPTS]}
    for version, tag in release_tags(lambda *words: git(*words).decode()).items():
        commits[version] = git("rev-parse", tag + "^{commit}").decode().strip()
        with tempfile.TemporaryDirectory() as tree:
            archive = git("archive", commits[version], "lmdeploy", "benchmark")
            subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
            for tool, rows in tables.items():
                words = [sys.executable, __file__, "--one", tree, tool]
                done = subprocess.run(words, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"{version} {tool}: {done.stderr.strip().splitlines()[-1]}")
                found = json.loads(done.stdout)
                if found is not None:
                    options = found["options"]
                    rows[version] = {",".join(one["spellings"]): kind_of(one) for one in options}
    out = pathlib.Path(out)
    for tool, rows in tables.items():
        (out / f"{tool}.txt").write_text(option_table.text_of(rows), "utf-8")
    rows = [f'  "{version}": "{commit}"' for version, commit in commits.items()]
    (out / "commits.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def main():
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(options_of(*sys.argv[2:4])))
        return
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("git_dir", metavar="GIT_DIR")
    parser.add_argument("--out", default=os.path.join(HERE, "options"))
    options = parser.parse_args()
    record(options.git_dir, options.out)


if __name__ == "__main__":
    main()
