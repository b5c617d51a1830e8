"""What options a tool has, read from what it prints for --help, and whether a command line keeps to
them. Reads the help of argparse, of click and of tritonserver. Starts nothing.
"""
import difflib
import os
import re

# An invocation stands at the margin; what explains it stands far to the right of it, or on lines of
# its own.
INVOCATION = re.compile(r" {1,6}(-[A-Za-z-].*)")
PLAIN = re.compile(r"[\w.-]+")


def parse_help(text):
    """{"--name": {"takes": bool, "choices": [...]}} of every spelling; choices are left out where
    the help does not list them."""
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
    """The tool that a word of a command starts: "build", "quantize", "convert-qwen"; None where it
    starts none."""
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
    """What the first of its tools would not take of a command line, as (word, tool, sentence); None
    if nothing. KNOWN: by tool; OTHERS: words that are not the vendor's, whatever they are called.
    """
    tool = None
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        if begins_program(word):
            tool = None if word in others else key_of(word)
        elif word == ":" or (
            following and begins_program(following[0])
        ):  # what parts one program's line from the next one's
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
        return "it has no such option" + (f"; the nearest that it has is {near[0]}" if near else "")
    option = options[name]
    if equals and not option["takes"]:
        return f"it takes no value and got {value}"
    given = [value] if equals else following
    choices = option.get("choices")
    # Some tools take any case, and a value that begins with a dash may be the next option.
    if (
        choices
        and given
        and not given[0].startswith("-")
        and given[0].lower() not in [one.lower() for one in choices]
    ):
        return f"it takes {', '.join(choices)} and got {given[0]}"
    return None
