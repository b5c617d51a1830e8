"""Reads README.md and docs/: fenced blocks, links, headings and words set as code. Knows no
commands.

The first line of a fenced block says what the block is:

    ```sh              commands, one per line; a backslash continues a line, # begins a comment
    ```console         lines that begin with "$ " are commands; the lines below are printed by them.
                       Numbers with a decimal point, hashes and blanks may differ; a line "..."
                       stands for any lines
    ```yaml file=NAME  a file: it is written under that name, and checked if it is a matrix
    ```yaml matrix     a part of a matrix of triton-openvino
    ```yaml trtllm     a part of a matrix of triton-trtllm
    ```yaml manifest   a part of a runner.yaml
    ```yaml argv       items of the argv of a measurement
    ```yaml site       a site file
    ```sql             queries that return at least one row; an empty line separates them
    ```text, ```json   not run

A comment "# exit status N" at the end of a command states its exit status; otherwise it is 0.
"""
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {
    "sh": {""},
    "console": {""},
    "yaml": {"matrix", "trtllm", "manifest", "argv", "site"},
    "sql": {""},
    "text": {""},
    "json": {""},
}


def all_pages():
    """The pages that people write; those of docs/reference/ are printed by the program."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@dataclass
class Block:
    page: Path
    line: int  # of the opening fence
    language: str
    words: str  # after the language
    lines: list = field(default_factory=list)

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def is_known(self):
        if self.language == "yaml" and self.words.startswith("file="):
            return True
        return self.words in LANGUAGES.get(self.language, ())


@dataclass
class Command:
    place: str
    text: str
    printed: list  # the lines that the page shows below it
    status: int = 0


def read_blocks(page, text=None):
    """The fenced blocks of a page and its other lines, as pairs of number and line."""
    blocks, others, block = [], [], None
    text = page.read_text(encoding="utf-8") if text is None else text
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"^\s*```(\S*)\s*(.*)$", line)
        if block is None and fence:
            block = Block(page, number, fence[1], fence[2].strip())
            blocks.append(block)
        elif block is not None and fence and not fence[1]:
            block = None
        elif block is not None:
            block.lines.append(line)
        else:
            others.append((number, line))
    if block is not None:
        raise ValueError(f"{block.place}: a block without its end")
    return blocks, others


def read_command(place, text, printed):
    status = re.search(r"\s+# exit status (\d+)$", text)
    words = text[: status.start()] if status else text
    return Command(place, without_comment(words), printed, int(status[1]) if status else 0)


def without_comment(text):
    """TEXT up to a # that begins a word outside quotes."""
    quote = ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (at == 0 or text[at - 1].isspace()):
            return text[:at].rstrip()
    return text.rstrip()


def commands_of(block):
    """The commands of a block of language sh or console, in order."""
    found, prompt = [], block.language == "console"
    lines = iter(enumerate(block.lines, block.line + 1))
    for number, line in lines:
        if prompt and not line.startswith("$ "):
            if not found:
                raise ValueError(f"{block.place}: output before the first command")
            found[-1][2].append(line)
            continue
        text = line[2:] if prompt else line
        while text.endswith("\\"):
            text = text[:-1].rstrip() + " " + next(lines)[1].strip()
        if without_comment(text):
            found.append((f"{block.page.relative_to(ROOT)}:{number}", text, []))
    return [read_command(*each) for each in found]


def statements_of(block):
    """The queries of a block of language sql."""
    parts = re.split(r"\n\s*\n", block.text)
    return [part.strip().rstrip(";") for part in parts if part.strip()]


def code_words(page):
    """Pairs of line number and text of everything that is set as code within a line."""
    _, others = read_blocks(page)
    text = "\n".join(line for _, line in others)
    numbers = [number for number, _ in others]
    for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
        yield numbers[text.count("\n", 0, match.start())], " ".join(match[1].split())


def links(page):
    """Pairs of line number and target of every link."""
    _, others = read_blocks(page)
    for number, line in others:
        for match in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            yield number, match[1]


def anchors(page):
    """The anchors of the headings of a page."""
    found = set()
    for _, line in read_blocks(page)[1]:
        heading = re.match(r"^#+\s+(.*?)\s*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            number = 1
            anchor = name
            while anchor in found:
                anchor, number = f"{name}-{number}", number + 1
            found.add(anchor)
    return found


def words_of(command):
    """The words of a command; the text itself where it is no plain command."""
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()
