"""build.py TOKENIZER COUNT OUT: writes the first COUNT words of a tokenizer.json as a JSON list. A
script takes all its inputs as arguments, writes only below {out}, and prints why it failed as its
last line.
"""
import json
import sys
from pathlib import Path


def words_of(tokenizer, count):
    vocabulary = tokenizer.get("model", {}).get("vocab", {})
    words = [word for word in vocabulary if word.isascii() and word.isalpha()]
    return sorted(words)[:count] or ["word"]


def main(tokenizer, count, out):
    words = words_of(json.loads(Path(tokenizer).read_text(encoding="utf-8")), int(count))
    Path(out).write_text(json.dumps(words), encoding="utf-8")
    print(f"{len(words)} words")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, TypeError, ValueError) as error:
        sys.exit(f"build.py: {error}")
