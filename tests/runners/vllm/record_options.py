"""record_options.py FOLDER...: writes options.txt, the options of vLLM's API server release by
release, as its sources declare them. Each FOLDER is an unpacked sdist and has the name of its
release; the oldest comes first.

It reads add_argument() calls, and the classes of settings that such calls are made of, without
importing them. What an option does it does not know."""

import ast
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import option_table  # noqa: E402

HEAD = """# `python -m vllm.entrypoints.openai.api_server`, read by record_options.py in the sdists.
"""
FRONTENDS = (
    "entrypoints/openai/cli_args.py",
    "entrypoints/launchers/cli_args.py",
    "entrypoints/common/cli_args.py",
)
SWITCHES = ("BooleanOptionalAction", "StoreBoolean")


def parsed(file):
    return ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])


class Classes:
    """The classes of a source tree's settings: {class: {field: annotation}}, and named types."""

    def __init__(self, trees):
        self.fields, self.types = {}, {}
        for tree in trees:
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    self.add(node)
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.types[node.targets[0].id] = node.value

    def add(self, node):
        fields = {}
        for base in node.bases:
            fields.update(self.fields.get(getattr(base, "id", ""), {}))
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields[item.target.id] = item.annotation
        self.fields[node.name] = fields

    def kind(self, annotation):
        """(kind, whether it is a switch)"""
        text = ast.unparse(annotation)
        node = annotation
        if isinstance(node, ast.Name):
            node = self.types.get(node.id, node)
        for wrapper in ("Optional[", "SkipValidation["):
            text = text.replace(wrapper, "")
        words = text.replace("|", " ").replace("]", " ").split()
        if words and words[0] == "bool":
            return "flag", True
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal":
            values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            texts = [constant(value) for value in values]
            return ("|".join(map(str, texts)) if all(texts) else "str"), False
        many = "+" if "list[" in text.lower() else ""
        plain = [word for word in words if word != "None"]
        return (plain[0] if plain in (["int"], ["float"]) else "str") + many, False


def constant(node):
    return node.value if isinstance(node, ast.Constant) else None


def kind_of_call(call, classes, groups):
    """(kind, whether --no-NAME exists) of an add_argument() call."""
    given = {word.arg: word.value for word in call.keywords}
    action = ast.unparse(given["action"]) if "action" in given else ""
    if "store_true" in action or "store_false" in action:
        return "flag", False
    if action.rpartition(".")[2] in SWITCHES:
        return "flag", "BooleanOptionalAction" in action
    found = "str", False
    spread = given.get(None, ast.Constant(None))
    for part in [one for one in ast.walk(spread) if isinstance(one, ast.Subscript)]:
        settings, field = part.value, constant(part.slice)
        fields = classes.fields.get(groups.get(ast.unparse(settings)), {})
        if field in fields:
            found = classes.kind(fields[field])
    if ast.unparse(given.get("type", ast.Constant(""))) in ("int", "float"):
        found = ast.unparse(given["type"]), False
    if isinstance(given.get("choices"), (ast.List, ast.Tuple)) and found[0] == "str":
        values = [constant(one) for one in given["choices"].elts]
        found = ("|".join(map(str, values)) if all(values) else "str"), False
    if constant(given.get("nargs")) and found[0][-1] != "+":
        found = found[0] + constant(given["nargs"]), False
    return found


def groups_of(tree):
    """{variable: class} of `variable = get_kwargs(class)`"""
    return {
        node.targets[0].id: ast.unparse(node.value.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "get_kwargs"
    }


def named(names, found):
    kind, negated = found
    extra = [name.replace("--", "--no-", 1) for name in names if name.startswith("--")]
    return ",".join(names + (extra if negated else [])), kind


def options_of(folder):
    """{names: kind}"""
    source = pathlib.Path(folder) / "vllm"
    engine = parsed(source / "engine/arg_utils.py")
    frontends = [parsed(source / name) for name in FRONTENDS]
    files = [source / "config.py", *sorted((source / "config").glob("*.py"))]
    classes = Classes([*map(parsed, files), engine, *frontends])
    options = {}
    for tree in (engine, *frontends):
        groups = groups_of(tree)
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            names = [constant(one) for one in call.args]
            names = [one for one in names if isinstance(one, str) and one.startswith("-")]
            if getattr(call.func, "attr", "") == "add_argument" and names:
                name, kind = named(names, kind_of_call(call, classes, groups))
                options.setdefault(name, kind)
    for field, annotation in classes.fields.get("FrontendArgs", {}).items():
        name, kind = named(["--" + field.replace("_", "-")], classes.kind(annotation))
        options.setdefault(name, kind)
    return {**options, "--help,-h": "flag"}


def main(folders):
    rows = {pathlib.Path(folder).name: options_of(folder) for folder in folders}
    (HERE / "options.txt").write_text(HEAD + option_table.text_of(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
