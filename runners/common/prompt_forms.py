"""Reads prompt files: JSON objects, one a line or all in one array, in the forms of orchestrate's own reader.

One file has one form, that of its first row. Knows no tokenizer.
"""
import json
from pathlib import Path

OWN = '{"text_input": "..."}'
DECODER = json.JSONDecoder()


class NoPrompt(Exception):
    """The row is a conversation in which nobody asks."""


class BadRow(Exception):
    """Names the file, the line, what is wrong there and the remedy."""


def text_of(members, key):
    if not isinstance(members.get(key), str):
        raise BadRow(f"'{key}' is {members.get(key)!r:.60}; it must be a JSON string")
    return members[key]


def whole(members, key, least):
    value = members.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2 ** 31:
        raise BadRow(f"'{key}' is {value!r:.60}; it must be a whole number of at least {least}")
    return value


def maps(members, key, holds):
    values = members.get(key)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise BadRow(f"'{key}' is {values!r:.60}; it must be a list of {holds}")
    return values


def own(members):
    ids = members.get("input_ids")
    if ids is not None and not (isinstance(ids, list) and ids and all(type(value) is int and 0 <= value < 2 ** 31 for value in ids)):
        raise BadRow(f"'input_ids' is {ids!r:.60}; it must be a list of token ids")
    isl = whole(members, "isl", 0)
    if ids and isl not in (None, len(ids)):
        raise BadRow(f"'isl' is {isl}, and there are {len(ids)} 'input_ids'; correct one of them")
    return {"text": text_of(members, "text_input") if members.get("text_input") is not None else "", "ids": ids, "isl": isl}


def instruction(members):
    before = text_of(members, "input") if members.get("input") is not None else ""
    return {"text": before + " " * bool(before) + text_of(members, "instruction")}


def content_of(message):
    if not isinstance(message.get("content"), list):
        return text_of(message, "content")
    for part in maps(message, "content", "texts"):
        if part.get("type") != "text":
            raise BadRow(f"'content' is {part!r:.60}; it must be text: other parts are not sent")
    return "".join(text_of(part, "text") for part in message["content"])


def answer_length(members):
    return next((length for key in ("max_completion_tokens", "max_tokens") if (length := whole(members, key, 1)) is not None), None)


def chat(members):
    text = "\n\n".join(map(content_of, maps(members, "messages", "messages")))
    if not text:
        raise BadRow("'messages' holds no text")
    return {"text": text, "osl": answer_length(members)}


def completion(members):
    return {"text": text_of(members, "prompt"), "osl": answer_length(members)}


def body(members):
    inner = members["body"]
    for key, read in (("messages", chat), ("prompt", completion)):
        if isinstance(inner, dict) and inner.get(key) is not None:
            return read(inner)
    raise BadRow("'body' has neither 'messages' nor 'prompt'")


def turns(key):
    def read(members):
        said = maps(members, key, "turns")
        for place, turn in enumerate(said):
            if turn.get("from") in ("human", "user"):
                after = said[place + 1] if place + 1 < len(said) else {}
                answer = after.get("value") if after.get("from") in ("gpt", "assistant") else None
                return {"text": text_of(turn, "value"), "answer": answer if isinstance(answer, str) else None}
        raise NoPrompt
    return read


def trace(members):
    return {"text": None, "isl": whole(members, "input_length", 1)}


# The member that decides, the family that rows of one file share, and what reads them.
FORMS = [
    ("text_input", "text_input", own),
    ("input_ids", "text_input", own),
    ("instruction", "instruction", instruction),
    ("conversations", "conversations", turns("conversations")),
    ("items", "conversations", turns("items")),
    ("messages", "messages", chat),
    ("body", "messages", body),
    ("prompt", "messages", completion),
    ("input", "input", lambda members: {"text": text_of(members, "input")}),
    ("input_length", "input_length", trace),
]


def read_row(members, family):
    """The row, with text None where it has lengths alone, and the family of its form. FAMILY: of the file, None yet."""
    if not isinstance(members, dict):
        raise BadRow(f"{members!r:.60} is no prompt; write {OWN}")
    found = next((form for form in FORMS if members.get(form[0]) is not None), None)
    keys = ", ".join(map(repr, list(members)[:10])) or "no members"
    if found is None and family is None:
        raise BadRow(f"this is no prompt, it has {keys}; write {OWN} or one of {', '.join(form[0] for form in FORMS[1:])}")
    if found is None or family not in (None, found[1]):
        raise BadRow(f"this row has {keys}, and the first row has another form: all rows of a file have one form")
    row = {"ids": None, "isl": None, "answer": None, "osl": None, "timestamp": members.get("timestamp"), "warmup": members.get("warmup") or False,
           "block": whole(members, "block", 0) or 0, **found[2](members)}
    for key in ("output_length", "osl"):
        row["osl"] = row["osl"] if members.get(key) is None else whole(members, key, 1)
    at = row["timestamp"]
    if at is not None and (isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 <= at < 1e15):
        raise BadRow(f"'timestamp' is {at!r:.60}; it must be milliseconds, at least 0")
    if not isinstance(row["warmup"], bool):
        raise BadRow(f"'warmup' is {row['warmup']!r:.60}; it must be true or false")
    return row, found[1]


def lines_of(text):
    """Line numbers and what is parsed there, of a file with one object a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                raise BadRow(f"{number}: {line.strip()!r:.60} is no complete JSON object; write one prompt a line, or all in one array: {OWN}") from None


def items_of(text):
    """The same of a file that is one array."""
    at, line, passed, closed = text.index("[") + 1, 1, 0, False
    while not closed:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if text[at:at + 1] == "]":
            break
        line, passed = line + text.count("\n", passed, at), at
        try:
            item, at = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise BadRow(f"{line}: the array of prompts is no JSON here, or was cut short") from None
        yield line, item
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        closed = text[at:at + 1] == "]"
        if not closed and text[at:at + 1] != ",":
            raise BadRow(f"{line}: the array of prompts is no JSON behind this item: a comma or its end is missing, or the file was cut short")
        at += 1


def read_prompts(path, most=None):
    """The rows of the file, in its order, at most the first MOST where that is given, and how many conversations were left out
    because nobody asks in them. A row is {"text", "ids", "isl", "osl", "answer", "timestamp" (ms), "warmup", "block", "line"}."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRow(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    rows, family, left_out = [], None, 0
    try:
        for line, members in items_of(text) if text.lstrip()[:1] == "[" else lines_of(text):
            if most is not None and len(rows) == most:
                break
            try:
                row, family = read_row(members, family)
            except NoPrompt:
                left_out, family = left_out + 1, "conversations"
                continue
            except BadRow as error:
                raise BadRow(f"{line}: {error}") from None
            rows.append({**row, "line": line})
    except BadRow as error:
        raise BadRow(f"{path}:{error}") from None
    if not rows:
        why = f": none of its conversations ({left_out}) has a turn from \"human\"" if left_out else ""
        raise BadRow(f"{path}: there are no prompts in it{why}")
    return rows, left_out
