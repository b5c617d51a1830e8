"""dataset_rows.py ROWS TOKENS OUT --tokenizer FILE: writes those rows whose prompt and answer have
lengths within TOKENS, a JSON object with "least", "most_in_prompt" and "most", to OUT/rows.

Of a conversation, the first two turns count, whoever speaks, and one without two turns is left out:
so do LMDeploy's and vLLM's benchmark scripts, which take 4 to 1,024 tokens in a prompt and at most
2,048 with its answer. Tokens are counted as there, with those that the tokenizer adds to a text.
"""
import argparse
import json
from pathlib import Path

from prompt_maker import BadJob, PromptMaker
from stage import Failed, run

ROWS = "rows"
TOGETHER = 1000  # rows that are counted at once
PROMPTS = ("text_input", "prompt", "input", "text")
ANSWERS = ("output", "answer", "completion")


def rows_in(path):
    text = path.read_text("utf-8")
    try:
        if text.lstrip().startswith("["):
            return json.loads(text)
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise Failed(f"{path.name}: not JSON or JSON lines: {error}") from None


def turns_of(row):
    for name in ("conversations", "messages"):
        turns = row.get(name)
        if isinstance(turns, list):
            return [
                turn.get("value", turn.get("content"))
                for turn in turns[:2]
                if isinstance(turn, dict)
            ]
    return None


def texts_of(row):
    """(prompt, answer or None) of a row; None if it has no two turns."""
    if not isinstance(row, dict):
        return None
    turns = turns_of(row)
    if turns is not None:
        return tuple(turns) if len(turns) == 2 and all(map(is_text, turns)) else None
    if is_text(row.get("instruction")):
        return row["instruction"] + "\n" + str(row.get("input") or ""), row.get("output")
    prompt = next((row[name] for name in PROMPTS if is_text(row.get(name))), None)
    answer = next((row[name] for name in ANSWERS if is_text(row.get(name))), None)
    return None if prompt is None else (prompt, answer)


def is_text(value):
    return isinstance(value, str)


def two_turns(row, texts):
    """A conversation as native and the other tools read it alike: prompt and answer."""
    if "conversations" not in row:
        return row
    return {
        "conversations": [
            {"from": speaker, "value": text} for speaker, text in zip(("human", "gpt"), texts)
        ]
    }


def fits(limits, prompt, answer):
    least, most = limits.get("least", 1), limits.get("most")
    return (
        prompt >= least
        and (answer is None or answer >= least)
        and prompt <= limits.get("most_in_prompt", prompt)
        and (most is None or prompt + (answer or 0) <= most)
    )


def kept(maker, limits, rows):
    found = []
    pairs = [pair for pair in ((row, texts_of(row)) for row in rows) if pair[1]]
    for at in range(0, len(pairs), TOGETHER):
        some = pairs[at : at + TOGETHER]
        prompts = maker.ids([texts[0] for _, texts in some])
        answers = maker.ids([texts[1] or "" for _, texts in some])
        for (row, texts), prompt, answer in zip(some, prompts, answers):
            if fits(limits, len(prompt), None if texts[1] is None else len(answer)):
                found.append(two_turns(row, texts))
    return found


def main(arguments):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("rows", type=Path)
    parser.add_argument("tokens", type=json.loads)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokenizer", required=True)
    given = parser.parse_args(arguments)
    rows = rows_in(given.rows)
    found = kept(PromptMaker(given.tokenizer), given.tokens, rows)
    if not found:
        raise Failed(
            f"none of {len(rows)} rows of the dataset has such lengths"
            f" ({', '.join(f'{name} {limit}' for name, limit in given.tokens.items())}); change"
            " tokens of the dataset, or choose a file of conversations or prompts"
        )
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / ROWS).write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(found)} of {len(rows)} rows are kept")


if __name__ == "__main__":
    run(main, BadJob, ValueError)
