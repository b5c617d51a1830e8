"""record_options.py REPOSITORY TAG...: writes options.txt, the options of text-generation-launcher
release by release, as launcher/src/main.rs has them. REPOSITORY is a git directory of
text-generation-inference; the oldest tag comes first.

It knows the few forms of clap that this file uses, and stops at others; what an option does it does
not know."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import option_table  # noqa: E402

HEAD = """# `text-generation-launcher`, read by record_options.py in launcher/src/main.rs.
"""
FIELD = re.compile(r"((?:#\[[^\n]*\]\n\s*)*)(?:pub )?(\w+): ([\w<>]+),")
# The kinds of Rust types, and what stands around them.
KINDS = {"usize": "int", "u16": "int", "u32": "int", "u64": "int", "f32": "float", "f64": "float",
         "String": "str"}  # fmt: skip


def body_of(keyword, name, text):
    found = re.search(rf"{keyword} {name} \{{\n(.*?)\n\}}", text, re.DOTALL)
    if not found:
        raise LookupError(f"main.rs has no {keyword} {name}")
    lines = [line for line in found.group(1).split("\n") if not line.strip().startswith("//")]
    return "\n".join(lines)


def kebab(variant):
    """As clap does: a letter in upper case begins a word, and digits belong to the word."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", variant).lower()


def choices_of(name, text):
    """The values of an enum; a variant may be named by an attribute above it."""
    values = []
    body = body_of("enum", name, text)
    for attributes, variant in re.findall(r"((?:#\[.*?\]\s*)*)\b(\w+),", body, re.DOTALL):
        given = re.search(r'name = "([^"]+)"', attributes)
        values.append(given.group(1) if given else kebab(variant))
    return "|".join(values)


def kind_of(attributes, type_name, text):
    if type_name == "bool":
        return "flag"
    inner = re.sub(r"^(?:Option<|Vec<)+|>+$", "", type_name)
    if type_name == "Option<bool>":
        return "true|false"
    if "value_delimiter" in attributes:
        return "str"
    return KINDS.get(inner) or choices_of(inner, text)


def options_of(text):
    found = {}
    for attributes, field, type_name in FIELD.findall(body_of("struct", "Args", text)):
        if "long" not in attributes:
            raise LookupError(f"{field} is not an option")
        name = "--" + field.replace("_", "-")
        found[name] = kind_of(attributes, type_name, text)
    fields = re.findall(r"^    \w+: ", body_of("struct", "Args", text), re.MULTILINE)
    if len(found) != len(fields):
        raise LookupError(f"{len(fields)} fields, {len(found)} options")
    return found


def main(repository, *tags):
    rows = {}
    for tag in tags:
        words = ["git", f"--git-dir={repository}", "show", f"{tag}:launcher/src/main.rs"]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        rows[tag.removeprefix("v")] = options_of(text)
    (HERE / "options.txt").write_text(HEAD + option_table.text_of(rows), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
