"""Loads one tool of an upstream checkout up to its command line: it knows the script of each tool,
replaces the packages that need a GPU, and catches the parser when the script starts to parse. It
does not know what options mean.

As a program it parses: `upstream.py CHECKOUT TOOL` reads one JSON list of words per line and
answers each with {"accepted": bool, "message": str}. check_command.py runs it so that upstream's
modules stay out of its own process."""

import argparse
import enum
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import types

# The paths of each tool's script, which moved between releases; the first that exists is used.
SCRIPTS = {
    "convert-qwen": [
        "examples/qwen/convert_checkpoint.py",
        "examples/models/core/qwen/convert_checkpoint.py",
    ],
    "convert-llama": [
        "examples/llama/convert_checkpoint.py",
        "examples/models/core/llama/convert_checkpoint.py",
    ],
    "convert-gpt": [
        "examples/gpt/convert_checkpoint.py",
        "examples/models/core/gpt/convert_checkpoint.py",
    ],
    "convert-gemma": [
        "examples/gemma/convert_checkpoint.py",
        "examples/models/core/gemma/convert_checkpoint.py",
    ],
    "convert-medusa": ["examples/medusa/convert_checkpoint.py"],
    "convert-redrafter": ["examples/redrafter/convert_checkpoint.py"],
    "convert-eagle": ["examples/eagle/convert_checkpoint.py"],
    "quantize": ["examples/quantization/quantize.py"],
    "build": ["tensorrt_llm/commands/build.py"],
    "run": ["examples/run.py"],
    "serve": ["tensorrt_llm/commands/serve.py"],
    "bench": ["tensorrt_llm/commands/bench.py"],
    "launch": ["scripts/launch_triton_server.py", "triton_backend/scripts/launch_triton_server.py"],
}

# Upstream modules whose values reach a parser (choices, defaults); stand-ins replace all others.
REAL = re.compile(
    r"tensorrt_llm\.(commands|bench|plugin)(\..*)?$"
    r"|tensorrt_llm\.(logger|lora_manager|lora_helper)$"
    r"|tensorrt_llm\.auto_parallel\.(cluster_info|config)$"
    r"|tensorrt_llm\.llmapi\.(kv_cache_type|reasoning_parser|utils)$"
    r"|tensorrt_llm\.quantization\.mode$"
    r"|tensorrt_llm\.serve\.tool_parser(\..*)?$"
)
THIRD_PARTY = {
    "click",
    "pydantic",
    "pydantic_core",
    "pydantic_settings",
    "typing_extensions",
    "typing_inspection",
    "annotated_types",
    "colorama",
}


class Caught(BaseException):
    """Carries the parser out of the script; a BaseException, so that no `except Exception` of the
    script catches it."""

    def __init__(self, parser):
        self.parser = parser


ABSENT = "absent:"


class Absent:
    """Replaces any object of a missing package; its text is its name, which shows in recorded
    options."""

    def __init__(self, name):
        self.__dict__["absent_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.absent_name}.{name}")

    def __call__(self, *args, **kwargs):
        plain = len(args) == 1 and not kwargs and isinstance(args[0], (type, types.FunctionType))
        return args[0] if plain else Absent(f"{self.absent_name}()")

    def __getitem__(self, key):
        return Absent(f"{self.absent_name}[{key!r}]")

    def __setattr__(self, name, value):
        pass

    def __setitem__(self, key, value):
        pass

    def __mro_entries__(self, bases):
        return ()

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __iter__(self):
        return iter((Absent(f"{self.absent_name}[*]"),))

    def __len__(self):
        return 1

    def __str__(self):
        return ABSENT + self.absent_name

    __repr__ = __str__

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return hash(self.absent_name)

    def __get_pydantic_core_schema__(self, source, handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()


class AbsentModule(types.ModuleType):
    builder = (
        False  # whether defaults come from upstream's builder, through any module that exports it
    )

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if name == "BuildConfig" and AbsentModule.builder:
            return importlib.import_module("tensorrt_llm.builder").BuildConfig
        return Absent(f"{self.__name__}.{name}")


class KVCacheType(enum.Enum):
    """Replaces a binding to C++; accepts a name in upper and lower case."""

    CONTINUOUS = "continuous"
    PAGED = "paged"
    DISABLED = "disabled"

    @classmethod
    def _missing_(cls, value):
        return next((kind for kind in cls if kind.value == value.lower()), None)


def option_groups():
    """A replacement for click_option_group without its help; its options are click's own."""
    import click

    def group(*args, **kwargs):
        return lambda command: command

    group.option, group.group = click.option, group
    return {
        "optgroup": group,
        "MutuallyExclusiveOptionGroup": object,
        "AllOptionGroup": object,
        "OptionGroup": object,
    }


STAND_INS = {
    "tensorrt_llm.bindings": lambda: {"KVCacheType": KVCacheType},
    "tensorrt_llm._utils": lambda: {"BaseEnumMeta": enum.EnumMeta},
    "strenum": lambda: {"StrEnum": enum.StrEnum, "LowercaseStrEnum": enum.StrEnum},
    "aenum": lambda: {"MultiValueEnum": enum.Enum},
    "click_option_group": option_groups,
}


def takes_defaults_from_builder(tree, script):
    """Whether the script reads defaults from upstream's builder. Older releases do not, and their
    builder does not load in a newer Python."""
    with open(os.path.join(tree, script), encoding="utf-8") as file:
        return "BuildConfig.m" in file.read()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Resolves every import of the script: to upstream's file, an installed package, or an absent
    one."""

    def __init__(self, tree, script):
        self.tree = tree
        self.beside = os.path.dirname(os.path.join(tree, script))
        self.builder = AbsentModule.builder = takes_defaults_from_builder(tree, script)

    def file_of(self, name):
        if REAL.match(name) or (self.builder and name == "tensorrt_llm.builder"):
            base = os.path.join(self.tree, *name.split("."))
        elif "." not in name and os.path.exists(os.path.join(self.beside, name + ".py")):
            base = os.path.join(self.beside, name)
        else:
            return None
        return next(
            (
                path
                for path in (base + ".py", os.path.join(base, "__init__.py"))
                if os.path.exists(path)
            ),
            None,
        )

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        file = self.file_of(name)
        if file:
            folder = [os.path.dirname(file)] if file.endswith("__init__.py") else None
            return importlib.util.spec_from_file_location(
                name, file, submodule_search_locations=folder
            )
        if top in sys.stdlib_module_names or top in THIRD_PARTY:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        module.__dict__.update(STAND_INS.get(module.__name__, dict)())


def script_of(tree, tool):
    for path in SCRIPTS[tool]:
        if os.path.exists(os.path.join(tree, path)):
            return path
    raise LookupError(
        f"{tree} has no script for {tool}: none of {', '.join(SCRIPTS[tool])} is there"
    )


def has(tree, tool):
    return any(os.path.exists(os.path.join(tree, path)) for path in SCRIPTS[tool])


def is_git_dir(path):
    return os.path.isdir(os.path.join(path, "objects")) and os.path.isfile(
        os.path.join(path, "HEAD")
    )


def catch(parser, *args, **kwargs):
    raise Caught(parser)


def load_parser(tree, tool):
    """The parser that the tool's script builds. The call changes modules and argparse in this
    process permanently: one call per process."""
    script = script_of(tree, tool)
    sys.meta_path.insert(0, Finder(tree, script))
    sys.dont_write_bytecode = True
    kept = argparse.ArgumentParser.parse_args, argparse.ArgumentParser.parse_known_args
    argparse.ArgumentParser.parse_args = argparse.ArgumentParser.parse_known_args = catch
    try:
        import click
    except ImportError:
        click = None
    if click:
        kept_main, click.Command.main = click.Command.main, catch
    main = types.ModuleType("__main__")
    main.__file__ = os.path.join(tree, script)
    main.__package__ = (
        os.path.dirname(script).replace("/", ".") if script.startswith("tensorrt_llm/") else None
    )
    own_main, sys.modules["__main__"] = sys.modules["__main__"], main
    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        with open(main.__file__, encoding="utf-8") as file:
            exec(compile(file.read(), main.__file__, "exec"), main.__dict__)
    except Caught as caught:
        return caught.parser
    finally:
        argparse.ArgumentParser.parse_args, argparse.ArgumentParser.parse_known_args = kept
        if click:
            click.Command.main = kept_main
        sys.modules["__main__"], sys.stdout = own_main, out
    raise LookupError(f"{script} ended without parsing a command line")


PYTHON_OF = ["tensorrt_llm", "examples", "scripts", "triton_backend"]


def extract(git_dir, commit, into):
    """Writes the Python files of a commit that the tools need into a folder."""
    git = ["git", f"--git-dir={git_dir}"]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    folders = {name.split("/")[0] for name in listed if name.endswith(".py") and "/" in name}
    specs = [f":(glob){folder}/**/*.py" for folder in PYTHON_OF if folder in folders]
    made = subprocess.run(
        [*git, "archive", "--format=tar", commit, "--", *specs], capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as tar:
        tar.extractall(into, filter="data")


def is_click(parser):
    return not isinstance(parser, argparse.ArgumentParser)


def verdict(parser, argv):
    """The result of the real parser for the words: accepted or not, and its last line."""
    stderr = io.StringIO()
    kept, sys.stderr = sys.stderr, stderr
    try:
        if is_click(parser):
            context = parser.make_context(parser.name or "tool", list(argv))
            walk_click(parser, context)
        else:
            parser.parse_args(argv)
        return {"accepted": True, "message": ""}
    except SystemExit as exit:
        return {
            "accepted": exit.code in (0, None),
            "message": stderr.getvalue().strip().split("\n")[-1],
        }
    except Exception as error:
        if type(error).__module__.startswith("click"):
            return {"accepted": False, "message": getattr(error, "message", str(error))}
        raise
    finally:
        sys.stderr = kept


def strip_callbacks(command):
    """Reduces a command to the contents of a record: no unread default (click would convert it), no
    callback of upstream that checks a value."""
    for param in command.params:
        param.callback = None
        if isinstance(param.default, Absent):
            param.default = None
    for sub in getattr(command, "commands", {}).values():
        if not isinstance(sub, Absent):
            strip_callbacks(sub)


def walk_click(command, context):
    """Parses a group's words down to its last command; invokes nothing."""
    rest = [*context._protected_args, *context.args]
    if not hasattr(command, "resolve_command"):
        return
    if not rest:
        context.fail("a command is missing")
    name, sub, words = command.resolve_command(context, rest)
    walk_click(sub, sub.make_context(name, list(words), parent=context))


def answer(tree, tool):
    parser = load_parser(tree, tool)
    if is_click(parser):
        import click

        click.Path.convert = (
            click.File.convert
        ) = lambda self, value, param, context: value  # the files need not exist
        strip_callbacks(parser)
    for line in sys.stdin:
        print(json.dumps(verdict(parser, json.loads(line))), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in SCRIPTS:
        sys.exit(f"usage: upstream.py CHECKOUT TOOL, where TOOL is one of {', '.join(SCRIPTS)}")
    answer(sys.argv[1], sys.argv[2])
