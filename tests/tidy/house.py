#!/usr/bin/env python3
"""Measures the C++ sources: `house.py [ROOT...]` prints one column per tree (default: src).

`house.py --functions FILE...` prints one line per function, separated by tabs: file, line, name,
lines, parameters, "definition" or "declaration". The tidy tests read it.

The scanner reads text that clang-format has laid out. It knows no types: it finds the braces of
namespaces and classes, and takes each declaration between them. A lambda counts as a part of the
function that contains it.
"""
import pathlib
import re
import sys

COMMENT, LITERAL, RAW, DIRECTIVE = "comment", "literal", "raw", "directive"
TOKEN = re.compile(
    r'(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<literal>"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\')'
    r"|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)",
    re.DOTALL | re.MULTILINE,
)
OPERATOR = re.compile(r"\boperator\s*(\(\)|[^\w\s(]+)")
NO_NAMES = {"alignas", "decltype", "explicit", "noexcept", "requires", "static_assert"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


def blank(text, kinds=(COMMENT, LITERAL, RAW, DIRECTIVE)):
    """TEXT with tokens of KINDS replaced by blanks; lines and columns stay."""

    def fill(match):
        if match.lastgroup not in kinds and not (match["raw"] and RAW in kinds):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(fill, text)


def split_groups(text):
    """Yields (depth, index) for each character outside of <...>; depth counts ([{."""
    depth = angle = 0
    for i, c in enumerate(text):
        if c in PAIRS:
            depth += 1
        if c == "<" and i and (text[i - 1].isalnum() or text[i - 1] == "_"):
            angle += 1
        elif c == ">" and angle and text[i - 1] != "-":
            angle -= 1
        elif angle == 0:
            yield depth, i
        if c in PAIRS.values():
            depth -= 1


def parameters_of(group):
    if group.strip() in ("", "void"):
        return 0
    return 1 + sum(group[i] == "," for depth, i in split_groups(group) if depth == 0)


def signature(declaration):
    """(name, parameters) of a function's declaration; None when it declares something else."""
    text = OPERATOR.sub(lambda m: "operator" + "_" * (len(m[0]) - 8), declaration)
    if re.match(r"\s*(using|typedef|friend class|return)\b", text):
        return None
    start = None
    for depth, i in split_groups(text):
        if depth == 0 and text[i] == "=" and start is None:
            return None
        if depth == 1 and text[i] == "(":
            start = i
        if depth == 1 and text[i] == ")" and start is not None:
            name = re.search(r"(\boperator )?[\w:~]+\s*$", text[:start])
            if name and name[0].strip() not in NO_NAMES:
                return declaration[slice(*name.span())].strip(), parameters_of(text[start + 1 : i])
            if not name:
                return None
            start = None
    return None


def matching(text, at):
    """The index of the bracket that closes the one at AT."""
    depth = 0
    for match in re.compile(r"[()\[\]{}]").finditer(text, at):
        depth += 1 if match[0] in PAIRS else -1
        if depth == 0:
            return match.start()
    return len(text) - 1


def opens_scope(declaration):
    text = re.sub(r"^\s*(template\s*<.*>\s*)", "", declaration, flags=re.DOTALL)
    return re.match(r"\s*(inline\s+)?(namespace|extern|class|struct|union)\b", text) is not None


def is_initialiser(declaration):
    """Whether the brace after DECLARATION, a constructor's, initialises one of its members."""
    return re.search(r"\)\s*(noexcept\s*)?:[^:]", declaration) and re.search(
        r"[\w>]\s*$", declaration
    )


def functions_of(text):
    """Yields (line, name, lines, parameters, kind) for every function in TEXT."""
    code = blank(text)
    at = start = 0

    def line_of(index):
        return code.count("\n", 0, index) + 1

    def begin():
        return start + len(code[start:at]) - len(code[start:at].lstrip())

    while at < len(code):
        c = code[at]
        declaration = code[start:at]
        if c in "([":
            at = matching(code, at)
        elif c == ";" or c == "}":
            found = signature(declaration)
            if found:
                yield (line_of(begin()), found[0], 0, found[1], "declaration")
            start = at + 1
        elif c == ":" and declaration.strip() in ("public", "private", "protected"):
            start = at + 1
        elif c == "{":
            found = signature(declaration)
            initialiser = found and is_initialiser(declaration)
            end = matching(code, at)
            if found and not initialiser:
                first = line_of(begin())
                yield (first, found[0], line_of(end) - first + 1, found[1], "definition")
                at, start = end, end + 1
            elif not found and opens_scope(declaration):
                start = at + 1
            else:
                at = end
        at += 1


CLASS = re.compile(r"\bclass\s+(\w+)[^;{}()]*\{")
NO_MEMBER = re.compile(
    r"\s*(using|friend|typedef|static|enum|class|struct|union|template|public|private|protected)\b"
)


def members_of(body):
    """(methods, members) that are declared between the braces of a class, not in nested ones."""
    methods = members = at = start = 0
    nested = False
    while at < len(body):
        declaration = re.sub(r"^\s*(public|private|protected)\s*:(?!:)", "", body[start:at])
        if body[at] in "([":
            at = matching(body, at)
        elif body[at] == "{":
            end = matching(body, at)
            found = signature(declaration)
            is_type = opens_scope(declaration) or re.match(r"\s*enum\b", declaration)
            initialiser = found and is_initialiser(declaration)
            if found and not is_type and not initialiser:
                methods += 1
                start = end + 1
            nested = nested or bool(is_type)
            at = end
        elif body[at] == ";":
            if nested:
                nested = False
            elif signature(declaration):
                methods += 1
            elif declaration.strip() and not NO_MEMBER.match(declaration):
                members += 1 + sum(
                    depth == 0 and declaration[i] == "," for depth, i in split_groups(declaration)
                )
            start = at + 1
        at += 1
    return methods, members


def classes_of(text):
    """Yields (name, methods, members) for every class in TEXT; records (struct) are left out."""
    code = blank(text)
    for match in CLASS.finditer(code):
        if re.search(r"(enum|<|,)\s*$", code[: match.start()]):
            continue
        end = matching(code, match.end() - 1)
        yield (match[1], *members_of(code[match.end() : end]))


def sources(root):
    return sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".cpp"))


def rank(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def spread(values):
    return f"{rank(values, 0.5)} / {rank(values, 0.95)} / {max(values, default=0)}"


def has_text(lines):
    return [line for line in lines if line.strip()]


# Lowest first, as in src/CMakeLists.txt.
DISTRICTS = "core os bench spec plan run results analysis app".split()
TINY = 40


def tiny_share(lengths):
    return f"{100 * sum(n <= TINY for n in lengths) / max(len(lengths), 1):.0f} %"


def upward_includes(root):
    """Includes of a district above; None where there are no districts."""
    if not all((root / district).is_dir() for district in DISTRICTS):
        return None
    count = 0
    for path in sources(root):
        own = path.relative_to(root).parts[0]
        for name in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.M):
            if own in DISTRICTS and name in DISTRICTS:
                count += DISTRICTS.index(name) > DISTRICTS.index(own)
    return count


def over(classes, column, limit):
    large = sorted((c for c in classes if c[column] > limit), key=lambda c: -c[column])
    return f"{len(large)} " + " ".join(f"{c[0]}:{c[column]}" for c in large[:6])


def measure(root):
    """The rows of the table for one tree, in order."""
    lengths, bodies, parameters, widths = [], [], [], []
    comments = asserts = static_asserts = 0
    classes, folders = [], {}
    for path in sources(root):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")[:-1]
        lengths.append(len(lines))
        folder = str(path.parent.relative_to(root))
        folders[folder] = folders.get(folder, 0) + len(lines)
        for _, _, length, count, kind in functions_of(text):
            if kind == "definition":
                bodies.append(length)
                parameters.append(count)
        classes += classes_of(text)
        no_raw = blank(text, (RAW,)).split("\n")
        widths += [len(line) for line in no_raw if not line.lstrip().startswith("#include")]
        uncommented = blank(text, (COMMENT,)).split("\n")
        comments += sum(bool(a.strip()) and not b.strip() for a, b in zip(lines, uncommented))
        code = blank(text)
        asserts += len(re.findall(r"\bassert\(", code))
        static_asserts += len(re.findall(r"\bstatic_assert\(", code))
    total = sum(lengths)
    rows = {
        "lines / files": f"{total} / {len(lengths)}",
        "file median / p95 / max": spread(lengths),
        f"files of at most {TINY} lines": tiny_share(lengths),
        "folders": str(len(folders)),
        "functions": str(len(bodies)),
        "function median / p95 / max": spread(bodies),
        "functions over 60 lines": str(sum(length > 60 for length in bodies)),
        "parameters p95 / max": f"{rank(parameters, 0.95)} / {max(parameters, default=0)}",
        "functions over 5 parameters": str(sum(count > 5 for count in parameters)),
        "classes over 25 methods": over(classes, 1, 25),
        "classes over 12 members": over(classes, 2, 12),
        "width p95 / max": f"{rank(widths, 0.95)} / {max(widths, default=0)}",
        "comment lines": f"{100 * comments / max(total, 1):.0f} %",
        "asserts (+ static)": f"{asserts} (+ {static_asserts})",
    }
    upward = upward_includes(root)
    if upward is not None:
        rows["includes of a district above"] = str(upward)
    for district in DISTRICTS if upward is not None else ():
        inside = [n for f, n in folders.items() if f.split("/")[0] == district]
        rows["lines of " + district] = str(sum(inside))
    for folder in sorted(folders):
        rows["lines of " + (folder if folder != "." else "the root")] = str(folders[folder])
    return rows


def print_table(roots):
    columns = [measure(root) for root in roots]
    names = list(dict.fromkeys(name for column in columns for name in column))
    cells = [[""] + [str(root) for root in roots]]
    cells += [[name] + [column.get(name, "-") for column in columns] for name in names]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main(arguments):
    if arguments[:1] == ["--functions"]:
        for name in arguments[1:]:
            text = pathlib.Path(name).read_text(encoding="utf-8")
            for function in functions_of(text):
                print(name, *function, sep="\t")
        return 0
    roots = [pathlib.Path(name) for name in arguments]
    if not roots:
        roots = [pathlib.Path(__file__).resolve().parents[2] / "src"]
    missing = [str(root) for root in roots if not root.is_dir()]
    if missing:
        print(f"house.py: no such folder: {', '.join(missing)}", file=sys.stderr)
        return 2
    print_table(roots)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
