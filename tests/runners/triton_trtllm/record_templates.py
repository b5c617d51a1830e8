"""Writes the placeholders of upstream's model templates as data: templates/VERSION.json. It knows
the places of placeholders in a config.pbtxt and the fields that they fill; it does not know which
values are right.

record_templates.py CHECKOUT --version V --repository OWNER/NAME --commit SHA --evidence
verified|neighbour [--out DIR]

CHECKOUT is a work tree, or a git directory; of the latter it reads the files of --commit."""

import argparse
import json
import os
import re
import subprocess

import upstream

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = [
    "all_models/inflight_batcher_llm",
    "triton_backend/all_models/inflight_batcher_llm",
    "all_models/llmapi",
    "triton_backend/all_models/llmapi",
]
PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def is_quoted(line, at):
    return line[:at].count('"') % 2 == 1


def placeholders(text):
    """Placeholder -> {"quoted", "lines", "fills"}; fills is the parameter's key or the field's
    name. Placeholders in comments are marked: fill_template.py fills them too and accepts their
    names."""
    found, key = {}, None
    for number, line in enumerate(text.split("\n"), 1):
        comment = line.startswith("#")
        line = re.sub(r"^#\s?", " ", line)
        named = re.match(r'\s*key:\s*"([^"]+)"', line)
        key = named.group(1) if named else key
        if re.match(r" ?}\s*$", line):  # the end of a parameter, written at the margin
            key = None
        for match in PLACEHOLDER.finditer(line):
            field = re.findall(r"(\w+):\s*[\"\[]?\s*$", line[: match.start()])
            fills = key if field == ["string_value"] else field[0] if field else None
            row = found.setdefault(
                match.group(1), {"quoted": is_quoted(line, match.start()), "lines": [], "fills": []}
            )
            row["lines"].append(number)
            row["comment"] = comment and row.get("comment", True)
            if fills not in row["fills"]:
                row["fills"].append(fills)
            if row["quoted"] != is_quoted(line, match.start()):
                raise ValueError(
                    f"line {number} quotes ${{{match.group(1)}}} and another line does not"
                )
    for row in found.values():
        if not row["comment"]:
            del row["comment"]
    return found


def files_of(checkout, commit):
    """(path, text) of every template in the checkout."""
    if upstream.is_git_dir(checkout):
        git = ["git", f"--git-dir={checkout}"]

        def output(*words):
            words = [*git, *words]
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout

        def read(name):
            return output("show", f"{commit}:{name}")

        names = output("ls-tree", "-r", "--name-only", commit).split("\n")
    else:
        names = [
            os.path.relpath(os.path.join(folder, name), checkout)
            for folder, _, names in os.walk(checkout)
            for name in names
        ]

        def read(name):
            with open(os.path.join(checkout, name), encoding="utf-8") as file:
                return file.read()

    for name in sorted(names):
        family = next((each for each in FAMILIES if name.startswith(each + "/")), None)
        if family and name.endswith("/config.pbtxt"):
            yield family, name[len(family) + 1 : -len("/config.pbtxt")], read(name)


def record(about):
    models, source = {}, None
    for family, model, text in files_of(about.checkout, about.commit):
        model = model if "inflight" in family else "llmapi/" + model
        source = source or {
            "repository": about.repository,
            "commit": about.commit,
            "path": os.path.dirname(family),
        }
        models[model] = placeholders(text)
    if not models:
        raise SystemExit(
            f"{about.checkout} has no templates: none of {', '.join(FAMILIES)} is there"
        )
    os.makedirs(about.out, exist_ok=True)
    with open(os.path.join(about.out, about.version + ".json"), "w", encoding="utf-8") as file:
        file.write(
            laid_out(
                {"version": about.version, "source": source, "evidence": about.evidence}, models
            )
        )


def laid_out(head, models):
    rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    blocks = []
    for model, found in models.items():
        lines = ",\n".join(
            f"      {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()
        )
        blocks.append(f"    {json.dumps(model)}: {{" + (f"\n{lines}\n    }}" if lines else "}"))
    return "{\n" + ",\n".join(rows) + ',\n  "models": {\n' + ",\n".join(blocks) + "\n  }\n}\n"


def main():
    parser = argparse.ArgumentParser(
        description="Write the placeholders of upstream's model templates as data.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "checkout", metavar="CHECKOUT", help="a work tree or a git directory of upstream"
    )
    for name in ("version", "repository", "commit"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--evidence", choices=["verified", "neighbour"], required=True)
    parser.add_argument("--out", default=os.path.join(HERE, "templates"))
    record(parser.parse_args())


if __name__ == "__main__":
    main()
