"""Writes the options of upstream's tools as data: options/VERSION/TOOL.json. It knows how argparse
and click describe an option; it does not know what an option does, and copies no help text.

record_options.py CHECKOUT --version V --repository OWNER/NAME --commit SHA --evidence
verified|neighbour [--read-in OWNER/NAME] [--transcribed] [--out DIR] [--tool NAME ...]

CHECKOUT is a work tree, or a git directory; of the latter it reads the files of --commit."""

import argparse
import enum
import json
import os
import re
import subprocess
import sys
import tempfile

import upstream

HERE = os.path.dirname(os.path.abspath(__file__))


def plain(value):
    """A value as JSON; a value that needs a missing package is recorded as unread."""
    if isinstance(value, upstream.Absent) or (
        isinstance(value, str) and value.startswith(upstream.ABSENT)
    ):
        return {"unread": str(value).removeprefix(upstream.ABSENT)}
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return {"unread": type(value).__name__}


def choices_of(values):
    """The distinct choices in upstream's order (a parser may name one twice)."""
    distinct = [plain(value) for value in values or []]
    return (
        None
        if values is None
        else [value for index, value in enumerate(distinct) if value not in distinct[:index]]
    )


def described(fields):
    """Leaves out fields with their default value: no choices, no nargs, not required, not
    hidden."""
    defaults = {
        "choices": None,
        "nargs": None,
        "required": False,
        "hidden": False,
        "const": None,
        "suppressed": False,
        "negative": None,
        "min": None,
        "max": None,
    }
    return {
        key: value for key, value in fields.items() if key not in defaults or value != defaults[key]
    }


ACTIONS = {
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendAction": "append",
    "_CountAction": "count",
    "_VersionAction": "version",
    "BooleanOptionalAction": "boolean_optional",
}


def argparse_option(action):
    kind = ACTIONS[type(action).__name__]
    type_name, choices = "flag" if action.nargs == 0 else "str", action.choices
    if action.type is not None:
        type_name = (
            action.type.absent_name
            if isinstance(action.type, upstream.Absent)
            else action.type.__name__
        )
    if isinstance(action.type, type) and issubclass(action.type, enum.Enum):
        type_name, choices = action.type.__name__, list(action.type)
    suppressed = action.default is argparse.SUPPRESS
    return described(
        {
            "spellings": list(action.option_strings),
            "action": kind,
            "type": type_name,
            "default": None if suppressed else plain(action.default),
            "suppressed": suppressed,
            "choices": choices_of(choices),
            "nargs": None if action.nargs == 0 else action.nargs,
            "const": plain(action.const) if action.nargs == "?" else None,
            "required": action.required,
            "hidden": action.help == argparse.SUPPRESS,
        }
    )


def argparse_tool(parser):
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    options = [argparse_option(action) for action in actions if action.option_strings]
    places = [
        described(
            {
                "name": action.dest,
                "type": (action.type or str).__name__,
                "nargs": action.nargs,
                "required": action.required,
            }
        )
        for action in actions
        if not action.option_strings
    ]
    if parser._mutually_exclusive_groups:
        raise LookupError(
            "the parser has options that exclude each other, which a record cannot express"
        )
    return {"parser": "argparse", "options": options, "positionals": places}


def click_type(kind):
    import click

    if isinstance(kind, click.Choice):
        return "choice", choices_of([*kind.choices, *getattr(kind, "aliases", {})])
    names = {
        "integer": "int",
        "float": "float",
        "text": "str",
        "boolean": "bool",
        "integer range": "int",
        "float range": "float",
    }
    return names.get(kind.name, kind.name), None


def bounds(kind):
    if getattr(kind, "min_open", False) or getattr(kind, "max_open", False):
        raise LookupError("the parser has a range without its end, which a record cannot express")
    return {"min": getattr(kind, "min", None), "max": getattr(kind, "max", None)}


def click_default(option):
    """click marks a missing default with an object of its own, which changed between its
    releases."""
    missing = type(option.default).__name__ == "Sentinel"
    return None if missing else plain(option.default)


def click_option(option):
    kind, choices = click_type(option.type)
    action = "count" if option.count else "append" if option.multiple else "store"
    if option.is_flag:
        action, kind = ("boolean_optional" if option.secondary_opts else "store_true"), "flag"
    return described(
        {
            "spellings": list(option.opts),
            "negative": list(option.secondary_opts) or None,
            "action": action,
            "type": kind,
            "default": click_default(option),
            "choices": choices,
            **bounds(option.type),
            "nargs": None if option.nargs == 1 else option.nargs,
            "required": option.required,
            "hidden": option.hidden,
        }
    )


def click_command(command):
    if isinstance(command, upstream.Absent):
        return {"unread": command.absent_name}
    import click

    options = [click_option(each) for each in command.params if isinstance(each, click.Option)]
    places = [
        described(
            {
                "name": each.name,
                "type": click_type(each.type)[0],
                "nargs": None if each.nargs == 1 else each.nargs,
                "required": each.required,
            }
        )
        for each in command.params
        if isinstance(each, click.Argument)
    ]
    recorded = {"options": options, "positionals": places}
    if hasattr(command, "commands"):
        recorded["commands"] = {
            name_of(name): click_command(each) for name, each in command.commands.items()
        }
        recorded["default_command"] = default_command(command)
    return recorded


def default_command(command):
    """The subcommand that a group runs when the first word names no command, or None."""
    import click

    try:
        return command.resolve_command(click.Context(command), ["no such command"])[0]
    except click.ClickException:
        return None


def name_of(name):
    """The name of a command; that of its module if the file of the command is not in the
    checkout."""
    return (
        name
        if isinstance(name, str)
        else re.sub(r".*\.(\w+)_command\.name$", r"\1", name.absent_name)
    )


def described_tool(parser):
    return (
        {"parser": "click", **click_command(parser)}
        if upstream.is_click(parser)
        else argparse_tool(parser)
    )


def layout(value, depth=0):
    """JSON with one line per option, so that a diff of two releases shows one line per change."""
    pad = "  " * depth
    if isinstance(value, dict) and (
        depth < 2 or "options" in value or any(isinstance(each, dict) for each in value.values())
    ):
        rows = [
            f"{pad}  {json.dumps(key)}: {layout(each, depth + 1)}" for key, each in value.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{pad}}}" if rows else "{}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"{pad}  {json.dumps(each)}" for each in value) + f"\n{pad}]"
    return json.dumps(value)


def record(tree, tool, about):
    parser = upstream.load_parser(tree, tool)
    source = {
        "repository": about.repository,
        "commit": about.commit,
        "path": upstream.script_of(tree, tool),
    }
    source.update({"read_in": about.read_in} if about.read_in else {})
    source.update({"transcribed": True} if about.transcribed else {})
    recorded = {
        "version": about.version,
        "tool": tool,
        "source": source,
        "evidence": about.evidence,
        **described_tool(parser),
    }
    folder = os.path.join(about.out, about.version)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, tool + ".json"), "w", encoding="utf-8") as file:
        file.write(layout(recorded).replace(os.path.join(os.path.abspath(tree), ""), "") + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Write the options of upstream's tools as data.", allow_abbrev=False
    )
    parser.add_argument(
        "checkout", metavar="CHECKOUT", help="a work tree or a git directory of upstream"
    )
    for name in ("version", "repository", "commit"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--evidence", choices=["verified", "neighbour"], required=True)
    parser.add_argument(
        "--read-in",
        default="",
        help="the repository that holds a copy of the commit, where upstream's own is too large",
    )
    parser.add_argument(
        "--transcribed",
        action="store_true",
        help="the checkout was copied by hand from text, without its helps",
    )
    parser.add_argument("--out", default=os.path.join(HERE, "options"))
    parser.add_argument(
        "--tool",
        action="append",
        choices=list(upstream.SCRIPTS),
        help="repeat for several; all that are there if none",
    )
    return parser.parse_args()


def main():
    about = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        tree = about.checkout
        if upstream.is_git_dir(tree):
            upstream.extract(tree, about.commit, folder)
            tree = folder
        for tool in about.tool or [tool for tool in upstream.SCRIPTS if upstream.has(tree, tool)]:
            if about.tool and len(about.tool) == 1:
                record(tree, tool, about)
                continue
            words = [sys.executable, __file__, tree]
            for name in ("version", "repository", "commit", "evidence", "read-in", "out"):
                words += [f"--{name}", getattr(about, name.replace("-", "_"))]
            words += ["--transcribed"] if about.transcribed else []
            done = subprocess.run([*words, "--tool", tool], capture_output=True, text=True)
            if done.returncode:
                sys.exit(
                    f"{about.version} {tool} was not recorded:"
                    f" {(done.stderr.strip() or 'no reason given').splitlines()[-1]}"
                )


if __name__ == "__main__":
    main()
