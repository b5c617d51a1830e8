"""check_scripts.py: reads a JSON list of paths of Python scripts from its standard input, and
prints for each what a check of a runner needs: {"file", "line", "column", "error"} where it cannot
be parsed, else {"file", "imports": [[module, line], ...]}. Runs and writes nothing.
"""
import ast
import json
import sys


def imports_of(tree):
    """The top-level modules that a script imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[0], node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0], node.lineno


def read(path):
    try:
        with open(path, "rb") as script:
            tree = ast.parse(script.read(), path)
    except SyntaxError as error:
        return {"file": path, "line": error.lineno or 0, "column": error.offset or 0,
                "error": error.msg}  # fmt: skip
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        return {"file": path, "line": 0, "column": 0, "error": str(error)}
    return {"file": path, "imports": sorted(set(imports_of(tree)))}


if __name__ == "__main__":
    json.dump([read(path) for path in json.load(sys.stdin)], sys.stdout)
