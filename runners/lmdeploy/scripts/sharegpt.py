"""sharegpt.py TOKENIZER FILE OUT: writes those conversations of a ShareGPT file that LMDeploy's
benchmark scripts choose from: at least two turns, of which the first has 4 to 1,024 tokens, the
second at least 4, and both at most 2,048. TOKENIZER is a tokenizer.json.

To be called by hand, with a Python that has the package tokenizers. The scripts cut such rows out
by themselves, and our load generator refuses a prompt that is longer than asked for.
"""
import json
from pathlib import Path

from stage import Failed, run

LEAST, MOST_PROMPT, MOST = 4, 1024, 2048


def turns_of(row):
    """The texts of the first two turns, or None."""
    turns = row.get("conversations") if isinstance(row, dict) else None
    texts = [turn.get("value") for turn in (turns or [])[:2] if isinstance(turn, dict)]
    return texts if len(texts) == 2 and all(isinstance(one, str) for one in texts) else None


def fits(prompt, answer):
    return LEAST <= prompt <= MOST_PROMPT and answer >= LEAST and prompt + answer <= MOST


def main(arguments):
    if len(arguments) != 3:
        raise Failed("usage: sharegpt.py TOKENIZER FILE OUT")
    tokenizer, source, out = map(Path, arguments)
    import tokenizers

    encoder = tokenizers.Tokenizer.from_file(str(tokenizer))
    rows = json.loads(source.read_text("utf-8"))
    kept = []
    for row in rows:
        texts = turns_of(row)
        if texts and fits(*(len(encoder.encode(text).ids) for text in texts)):
            kept.append({"conversations": row["conversations"][:2]})
    if not kept:
        raise Failed(f"{source} has no conversation of two turns with such lengths")
    out.write_text(json.dumps(kept, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(kept)} of {len(rows)} conversations")


if __name__ == "__main__":
    run(main, ValueError)
