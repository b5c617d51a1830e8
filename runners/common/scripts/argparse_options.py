"""argparse_options.py MODULE DISTRIBUTION PLACE...: prints, as JSON, the options that the argparse
definitions of an installed program declare: {"--name": {"takes": bool, "choices": [...]}}. It
prints {} where they cannot be known: no such files, or a plugin that may add some.

A PLACE is a glob of files below MODULE, or FILE:FUNCTION for what one function of a file adds, with
the functions of the file behind it, FILE:FUNCTION:HELPERS, that it calls. It reads the files and
imports none of them, which would take a minute. It runs in the program's interpreter.
"""
import ast
import importlib.util
import json
import sys
from pathlib import Path

try:
    from importlib import metadata  # novm: from 3.8 on
except ImportError:
    metadata = None

LEAST = 10  # fewer are not the options of a server


def constant(node):
    return node.value if isinstance(node, ast.Constant) else None


def plain_choices(node):
    """The values of a list that is written out, as texts; [] for any other."""
    elements = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    values = [constant(one) for one in elements]
    return [] if None in values else [str(value) for value in values]


def option(keywords, takes=True):
    given = {word.arg: word.value for word in keywords}
    if str(constant(given.get("action"))).startswith(("store_true", "store_false", "store_const")):
        takes = False
    found = {"takes": takes}
    choices = plain_choices(given.get("choices"))
    return {**found, "choices": choices} if choices and takes else found


def is_called(call, name):
    return name in (getattr(call.func, "attr", ""), getattr(call.func, "id", ""))


def options_of_calls(tree):
    """Of calls add_argument("--name", ...)."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and is_called(call, "add_argument"):
            for word in call.args:
                name = constant(word)
                if isinstance(name, str) and name.startswith("--"):
                    yield name, option(call.keywords)


def is_annotated(node):
    called = getattr(node, "value", None)
    name = getattr(called, "id", "") or getattr(called, "attr", "")
    return isinstance(node, ast.Subscript) and name in ("A", "Annotated")


def options_of_field(field):
    """Of `name: A[type, "help"]` or `name: A[type, Arg(...)]`."""
    inside = field.annotation.slice
    inside = getattr(inside, "value", inside)  # Python 3.8 has a node between
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    about = [part for part in parts[1:] if isinstance(part, ast.Call) and is_called(part, "Arg")]
    keywords = about[0].keywords if about else []
    given = {word.arg: word.value for word in keywords}
    if constant(given.get("no_cli")):
        return
    name = constant(given.get("cli_name")) or "--" + field.target.id.replace("_", "-")
    takes = getattr(parts[0], "id", "") != "bool" or "action" in given
    for one in [name, *plain_choices(given.get("aliases"))]:
        if one.startswith("--"):
            yield one, option(keywords, takes)


def options_of_classes(tree):
    """Of the fields of classes that parsers are made of."""
    for owner in ast.walk(tree):
        for field in owner.body if isinstance(owner, ast.ClassDef) else []:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            if is_annotated(field.annotation):
                yield from options_of_field(field)
            elif owner.name.endswith("FrontendArgs"):
                yield "--" + field.target.id.replace("_", "-"), {"takes": True}


def functions(tree):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in ast.walk(tree) if isinstance(node, kinds)}


def options_of_function(function, helpers):
    """What FUNCTION adds, and what the helpers add that it calls."""
    found = dict(options_of_calls(function))
    for call in ast.walk(function):
        name = isinstance(call, ast.Call) and getattr(call.func, "attr", "")
        if name and name in helpers:
            found.update(options_of_calls(helpers[name]))
    return found


def parsed(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def options_at(folder, place):
    path, _, rest = place.partition(":")
    if not rest:
        found = {}
        for file in sorted(folder.glob(path)):
            tree = parsed(file)
            found.update(options_of_calls(tree))
            found.update(options_of_classes(tree))
        return found
    name, _, helpers = rest.partition(":")
    function = functions(parsed(folder / path)).get(name)
    others = functions(parsed(folder / helpers)) if helpers else {}
    return options_of_function(function, others) if function else {}


def has_plugins(module, distribution):
    """Whether another package extends MODULE: it may add options."""
    own = distribution.lower().replace("_", "-")
    return any(
        entry.group.startswith(module + ".")
        and str(other.metadata["Name"]).lower().replace("_", "-") != own
        for other in metadata.distributions()
        for entry in other.entry_points
    )


def options_of(module, distribution, places):
    spec = importlib.util.find_spec(module)
    if not spec or not spec.submodule_search_locations:
        return {}
    if metadata is None or has_plugins(module, distribution):
        return {}
    folder = Path(list(spec.submodule_search_locations)[0])
    found = {}
    for place in places:
        try:
            found.update(options_at(folder, place))
        except (OSError, SyntaxError, ValueError):
            return {}
    return found if len(found) >= LEAST else {}


def main(arguments):
    module, distribution, *places = arguments
    print(json.dumps(options_of(module, distribution, places), sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1:])
