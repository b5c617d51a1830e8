"""Reads the options of a tool from its --help and checks command lines against them. It reads
the help of argparse, of click and of tritonserver. It starts no process.
"""
import difflib
import os
import re

# An option starts at the margin; its description is far to the right, or on its own lines.
INVOCATION = re.compile(r" {1,6}(-[A-Za-z-].*)")
PLAIN = re.compile(r"[\w.-]+")


def parse_help(text):
    """{"--name": {"takes": bool, "choices": [...]}} for every spelling; choices are omitted if
    the help does not list them.
    """
    found = {}
    for line in text.splitlines():
        match = INVOCATION.fullmatch(line.rstrip())
        if match:
            found.update(read_invocation(re.split(r"\s{2,}", match.group(1))[0]))
    return found


def read_invocation(text):
    names, value = [], ""
    for part in re.split(r",\s+(?=-)|\s+/\s+(?=-)", text):
        name, _, rest = part.partition(" ")
        names.append(name)
        value = value or rest.strip()
    option = {"takes": bool(value)}
    listed = re.search(r"\{([^{}]+)\}", value) or re.fullmatch(r"\[([^][]+\|[^][]+)\]", value)
    choices = re.split(r"[,|]", listed.group(1)) if listed else []
    if choices and all(PLAIN.fullmatch(one) for one in choices):
        option["choices"] = choices
    return {name: option for name in names if name.startswith("--")}


def key_of(word):
    """The tool that a word of a command starts: "build", "quantize", "convert-qwen"; None for
    other words.
    """
    name = os.path.basename(word)
    programs = {
        "trtllm-build": "build",
        "trtllm-serve": "serve",
        "tritonserver": "tritonserver",
        "quantize.py": "quantize",
        "run.py": "run",
    }
    if name == "convert_checkpoint.py":
        return "convert-" + os.path.basename(os.path.dirname(word))
    return programs.get(name)


def begins_program(word):
    return key_of(word) is not None or os.path.basename(word) in ("mpirun", "env", "python3")


def first_problem(words, known, others):
    """The first word of a command line that its tool would reject, as (word, tool, message);
    None if there is none. KNOWN has the options by tool; OTHERS are programs that are not tools
    of the vendor, whatever their names.
    """
    tool = None
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        if begins_program(word):
            tool = None if word in others else key_of(word)
        elif word == ":" or (
            following and begins_program(following[0])
        ):  # separates the command lines of two programs
            tool = None
        elif tool in known and re.match(r"--[A-Za-z]", word):
            sentence = problem_of(word, following, known[tool])
            if sentence:
                return word.partition("=")[0], tool, sentence
    return None


def problem_of(word, following, options):
    name, equals, value = word.partition("=")
    if name not in options:
        near = difflib.get_close_matches(name, options, 1, 0.6)
        return "it has no such option" + (f"; the most similar one is {near[0]}" if near else "")
    option = options[name]
    if equals and not option["takes"]:
        return f"it takes no value and got {value}"
    given = [value] if equals else following
    choices = option.get("choices")
    # Some tools accept any case, and a value that starts with a dash may be the next option.
    if (
        choices
        and given
        and not given[0].startswith("-")
        and given[0].lower() not in [one.lower() for one in choices]
    ):
        return f"it takes {', '.join(choices)} and got {given[0]}"
    return None
