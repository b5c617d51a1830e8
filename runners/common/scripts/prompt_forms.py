"""Reads prompt files: JSON objects, one a line, all in one array, or in the array "data" of
perf_analyzer's input files, in the forms of orchestrate's own reader.

One file has one form, that of its first row. Knows no tokenizer.
"""
import json
import os
import re
from math import isfinite
from pathlib import Path

OWN = '{"text_input": "..."}'
MOST_S = 4_000_000_000  # as nanoseconds since another time they still are a number
LARGEST_FILE = 2 << 30
LONGEST_ROW = 16 << 20  # bytes
DEEPEST_ROW = 100  # lists and objects in one another
NEAR = 1 << 16  # most rows are shorter, and need no look at how large they are
BLANKS = " \t\r\n"
SURROGATE = re.compile("[\ud800-\udfff]")  # pairs of them are one character once they are read
STRUCTURE = re.compile(r'\\.|["\[\]{}]', re.S)
MESSAGE_DEPTH = 64  # levels of lists and objects


class NoPrompt(Exception):
    """The row is a conversation in which nobody asks anything."""


class BadRow(Exception):
    """Names the file, the line, what is wrong there and the remedy."""


def no_constant(name):
    raise ValueError(f"{name} is no value of JSON")


def integer(digits):
    """So long ones Python refuses to read; here they only have to be no length."""
    return int(digits) if len(digits) < 4000 else float(digits)


DECODER = json.JSONDecoder(parse_constant=no_constant, parse_int=integer)


def text_of(members, key):
    if not isinstance(members.get(key), str):
        raise BadRow(f"'{key}' is {members.get(key)!r:.60}; it must be a JSON string")
    return whole_characters(members[key])


def whole_characters(text):
    """With U+FFFD for each half of a character that has no other half, which no UTF-8 has and no
    tokenizer takes."""
    return SURROGATE.sub("\ufffd", text)


def whole(members, key, least):
    value = members.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
        raise BadRow(f"'{key}' is {value!r:.60}; it must be a whole number of at least {least}")
    return value


def maps(members, key, holds):
    values = members.get(key)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise BadRow(f"'{key}' is {values!r:.60}; it must be a list of {holds}")
    return values


def is_json(value, levels):
    """Whether it can be written as JSON, of which Python reads more than there is, and is nested no
    deeper than that."""
    if isinstance(value, (dict, list)):
        return levels > 0 and all(
            is_json(each, levels - 1)
            for each in (value.values() if isinstance(value, dict) else value)
        )
    return not isinstance(value, float) or isfinite(value)


def messages_of(members):
    """The messages of a chat as they stand."""
    messages = maps(members, "messages", "messages")
    if not messages:
        raise BadRow("'messages' is []; it must be a list of messages")
    for message in messages:
        if not is_json(message, MESSAGE_DEPTH):
            raise BadRow(
                f"'messages' is {message!r:.60}; it must be JSON, nested at most"
                f" {MESSAGE_DEPTH} deep"
            )
    return messages


def own(members):
    ids = members.get("input_ids")
    if ids is not None and not (
        isinstance(ids, list)
        and ids
        and all(type(value) is int and 0 <= value < 2**31 for value in ids)
    ):
        raise BadRow(f"'input_ids' is {ids!r:.60}; it must be a list of token ids")
    isl = whole(members, "isl", 0)
    if ids and isl not in (None, len(ids)):
        raise BadRow(f"'isl' is {isl}, and there are {len(ids)} 'input_ids'; correct one of them")
    return {
        "text": text_of(members, "text_input") if members.get("text_input") is not None else "",
        "ids": ids,
        "isl": isl,
        "osl": answer_length(members),
        "messages": messages_of(members) if members.get("messages") is not None else None,
    }


def plain(members):
    for key in ("image", "images", "audio", "audios", "video", "videos"):
        if members.get(key) is not None:
            raise BadRow(f"'{key}' is there, and only texts are sent; leave it out")
    return {"text": text_of(members, "text")}


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
    lengths = [
        whole(members, key, 1)
        for key in ("max_completion_tokens", "max_tokens", "request_output_len")
    ]
    return next((length for length in lengths if length is not None), None)


def chat(members):
    messages = messages_of(members)
    text = "\n\n".join(filter(None, map(content_of, messages)))
    if not text:
        raise BadRow("'messages' holds no text")
    return {"text": text, "osl": answer_length(members), "messages": messages}


def completion(members):
    return {"text": text_of(members, "prompt"), "osl": answer_length(members)}


def request(key):
    def read(members):
        inner = members[key]
        for member, read_inner in (("messages", chat), ("prompt", completion)):
            if isinstance(inner, dict) and inner.get(member) is not None:
                return read_inner(inner)
        raise BadRow(f"'{key}' has neither 'messages' nor 'prompt'")

    return read


def turns(key):
    def read(members):
        said = maps(members, key, "turns")
        for place, turn in enumerate(said):
            if turn.get("from") in ("human", "user") and text_of(turn, "value"):
                after = said[place + 1] if place + 1 < len(said) else {}
                answer = after.get("value") if after.get("from") in ("gpt", "assistant") else None
                return {
                    "text": text_of(turn, "value"),
                    "answer": whole_characters(answer) if isinstance(answer, str) else None,
                }
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
    ("body", "messages", request("body")),
    ("payload", "messages", request("payload")),
    ("prompt", "messages", completion),
    ("input", "input", lambda members: {"text": text_of(members, "input")}),
    ("text", "text_input", plain),
    ("input_length", "input_length", trace),
]


def time_of(members, key, unit, most):
    at = members.get(key)
    if at is not None and (
        isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 <= at <= most
    ):
        raise BadRow(f"'{key}' is {at!r:.60}; it must be {unit} from 0 to {most}")
    return at


def unwrapped(members):
    """The row without what perf_analyzer's input files wrap its values in: lists of one, and
    {"content", "shape"}."""
    values = {}
    for key, value in members.items():
        if isinstance(value, dict) and value.get("content") is not None:
            value = value["content"]
        values[key] = (
            value[0]
            if isinstance(value, list) and len(value) == 1 and key != "input_ids"
            else value
        )
    return values


def read_row(members, family):
    """The row, with text None where it has lengths alone, and the family of its form. FAMILY: of
    the file, None yet."""
    if not isinstance(members, dict):
        raise BadRow(f"{members!r:.60} is no prompt; write {OWN}")
    found = next((form for form in FORMS if members.get(form[0]) is not None), None)
    keys = ", ".join(map(repr, list(members)[:10])) or "no members"
    if found is None and family is None:
        raise BadRow(
            f"this is no prompt, it has {keys}; write {OWN} or one of"
            f" {', '.join(form[0] for form in FORMS[1:])}"
        )
    if found is None or family not in (None, found[1]):
        raise BadRow(
            f"this row has {keys}, and the first row has another form: all rows of a file have one"
            " form"
        )
    row = {
        "ids": None,
        "isl": None,
        "answer": None,
        "osl": None,
        "messages": None,
        "timestamp": time_of(members, "timestamp", "milliseconds", MOST_S * 1000),
        "timestamp_s": time_of(members, "timestamp_s", "seconds", MOST_S),
        "warmup": False if members.get("warmup") is None else members["warmup"],
        "block": whole(members, "block", 0) or 0,
        **found[2](members),
    }
    if row["text"] == "" and not row["ids"]:
        raise BadRow("the prompt is empty; give it a text, or leave its row out")
    for key in ("isl", "isl_asked", "unshared", "left_out"):
        whole(members, key, 0)
    for key in ("output_length", "osl"):
        row["osl"] = row["osl"] if members.get(key) is None else whole(members, key, 1)
    if row["timestamp"] is not None and row["timestamp_s"] is not None:
        raise BadRow(
            "the row has 'timestamp', in milliseconds, and 'timestamp_s', in seconds; leave out one"
            " of them"
        )
    if not isinstance(row["warmup"], bool):
        raise BadRow(f"'warmup' is {row['warmup']!r:.60}; it must be true or false")
    return row, found[1]


def refuse_long(size, line, more=""):
    if size > LONGEST_ROW:
        raise BadRow(
            f"{line}: this row has {more}{size / 2 ** 20:.1f} MiB, and a prompt has at most"
            f" {LONGEST_ROW / 2 ** 20:.1f} MiB"
        )


def refuse_monster(text, at, line):
    """Looks at the row that begins there, as far as quotes and brackets tell where it ends, before
    anything is made of it."""
    depth, quoted, end = 0, False, len(text)
    for token in STRUCTURE.finditer(text, at):
        refuse_long(token.start() - at, line, "more than ")
        if token[0] == '"':
            quoted = not quoted
        elif not quoted and token[0] in "[]{}":
            depth += 1 if token[0] in "[{" else -1
            if depth > DEEPEST_ROW:
                raise BadRow(f"{line}: this row is nested more than {DEEPEST_ROW} deep")
        if depth <= 0 and not quoted:
            end = token.end()
            break
    refuse_long(len(text[at:end].encode()), line)


def is_shallow(value, levels):
    """Whether lists and objects stand in one another at most that many LEVELS deep."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return True
    return levels > 0 and all(is_shallow(each, levels - 1) for each in value)


def value_at(text, at, line):
    """What is parsed there, and where it ends."""
    near = text[at : at + NEAR]
    try:
        value, length = DECODER.raw_decode(near)
        if (length < len(near) or at + length == len(text)) and is_shallow(value, DEEPEST_ROW):
            return value, at + length
    except (ValueError, RecursionError):
        pass  # it is longer, or at fault
    refuse_monster(text, at, line)
    try:
        return DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise BadRow(
            f"{line}: {text[at:at + 60]!r:.60} is no JSON at"
            f" {text[error.pos:error.pos + 60]!r:.60}, {error.msg}; write one prompt a line, or all"
            f" in one array: {OWN}"
        ) from None
    except ValueError as error:
        raise BadRow(f"{line}: {text[at:at + 60]!r:.60} is no JSON, {error}") from None


def lines_of(text):
    """Line numbers and what is parsed there, of a file with one object a line."""
    for number, line in enumerate(text.split("\n"), 1):
        row = line.strip(BLANKS)
        if row:
            refuse_long(len(row.encode()) if len(row) > LONGEST_ROW // 4 else 0, number)
            value, end = value_at(row, 0, number)
            if end < len(row):
                raise BadRow(
                    f"{number}: {row!r:.60} is no JSON behind its end, at"
                    f" {row[end:end + 60]!r:.60}; write one prompt a line, or all in one array:"
                    f" {OWN}"
                )
            yield number, value


def behind_blanks(text, at):
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def members_at(text, at, before):
    """Names of the members of an object from there on, behind its brace or a comma, and where their
    values begin. ValueError: it is no JSON to the text's end."""
    at = behind_blanks(text, at)
    while text[at : at + 1] == before:
        key, at = value_at(text, behind_blanks(text, at + 1), 0)
        at = behind_blanks(text, at)
        if not isinstance(key, str) or text[at : at + 1] != ":":
            raise ValueError
        at, before = behind_blanks(text, at + 1), ","
        yield key, at
        at = behind_blanks(text, value_at(text, at, 0)[1])
    if text[at : at + 1] != "}" or behind_blanks(text, at + 1) < len(text):
        raise ValueError


def data_in(text):
    """Where the member "data" of the object that the text begins with opens its array; None: it has
    none."""
    try:
        for key, at in members_at(text, 0, "{"):
            if key == "data":
                return at if text[at : at + 1] == "[" else None
    except (ValueError, BadRow):
        pass
    return None


def items_of(text, opening, nested=False, line=None):
    """The same of an array that opens there, in that line; where NESTED, of arrays that are its
    items as well. Returns the end."""
    at, passed, closed, line = opening + 1, opening, False, line or 1 + text.count("\n", 0, opening)
    empty = behind_blanks(text, at)
    if text[empty : empty + 1] == "]":
        return empty + 1
    while not closed:
        at = behind_blanks(text, at)
        line, passed = line + text.count("\n", passed, at), at
        if text[at : at + 1] in ("", "]"):
            raise BadRow(
                f"{line}: the array of prompts is no JSON behind a comma, or the file was cut short"
            )
        if nested and text[at] == "[":
            end = yield from items_of(text, at, line=line)
        else:
            item, end = value_at(text, at, line)
            yield line, item
        at = behind_blanks(text, end)
        closed = text[at : at + 1] == "]"
        if not closed and text[at : at + 1] != ",":
            line += text.count("\n", passed, at)
            raise BadRow(
                f"{line}: the array of prompts is no JSON behind this item: a comma or its end is"
                " missing, or the file was cut short"
            )
        at += 1
    return at


def array_of(text, opening):
    """The same of a file that is an array."""
    end = behind_blanks(text, (yield from items_of(text, opening)))
    if end < len(text):
        raise BadRow(
            f"{1 + text.count(chr(10), 0, end)}: there is something behind the array of prompts;"
            " give one array with all of them"
        )


def data_of(text, opening):
    """The same of perf_analyzer's input file, whose array opens there."""
    end = yield from items_of(text, opening, nested=True)
    try:
        names = [key for key, at in members_at(text, end, ",")]
    except (ValueError, BadRow):
        raise BadRow(
            " behind 'data' the file is no JSON; give one object with all the prompts in its"
            " 'data', and nothing behind it"
        ) from None
    if "data" in names:
        raise BadRow(
            " the file has 'data' twice; give one object with all the prompts in its 'data'"
        )


def rows_in(text):
    data = data_in(text)
    if data is not None:
        return (
            (line, unwrapped(item) if isinstance(item, dict) else item)
            for line, item in data_of(text, data)
        )
    begin = behind_blanks(text, 0)
    return array_of(text, begin) if text[begin : begin + 1] == "[" else lines_of(text)


def text_in(path):
    size = os.stat(path).st_size
    if size > LARGEST_FILE:
        raise BadRow(f"{path} has {size} bytes; at most {LARGEST_FILE} are read")
    content = Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRow(
            f"{path}:{line_of(error.object, error.start)}: this line has a byte that is not UTF-8;"
            " save the file as UTF-8"
        ) from None
    if "\0" in text:
        raise BadRow(
            f"{path}:{line_of(content, content.index(0))}: this line has a NUL byte, which no JSON"
            " has; save the file as UTF-8"
        )
    return text


def line_of(content, at):
    return 1 + content.count(b"\n", 0, at)


def read_prompts(path, most=None):
    """The rows of the file, in its order, at most the first MOST where that is given, and how many
    conversations were left out because nobody asks in them. A row is {"text", "messages" (whose
    text it is), "ids", "isl", "osl", "answer", "timestamp" (ms) or "timestamp_s", "warmup",
    "block", "line"}.
    """
    text = text_in(path)
    rows, family, left_out = [], None, 0
    try:
        for line, members in rows_in(text):
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
        why = (
            f': none of its conversations ({left_out}) has a text from "human"' if left_out else ""
        )
        raise BadRow(f"{path}: there are no prompts in it{why}")
    return rows, left_out
