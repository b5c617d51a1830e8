"""vocabulary.py TARGET DRAFT [--logits] OUT

Compares the tokens of two models: a draft model proposes ids that the target must read as the same
text. Writes OUT/vocabulary.json. It reads tokenizer.json and config.json of both folders and knows
nothing else of models.
"""
import json
import sys
from pathlib import Path

from stage import Failed, run


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failed(f"{path} cannot be read: {error}") from None


def tokens_of(folder):
    """text -> id; None without a tokenizer.json whose form is known."""
    if not (folder / "tokenizer.json").is_file():
        return None
    tokenizer = read(folder / "tokenizer.json")
    vocabulary = (tokenizer.get("model") or {}).get("vocab")
    if isinstance(vocabulary, list):  # of a unigram model: [text, score] in the order of the ids
        vocabulary = {entry[0]: number for number, entry in enumerate(vocabulary)}
    if not isinstance(vocabulary, dict):
        return None
    added = {each["content"]: each["id"] for each in tokenizer.get("added_tokens") or []}
    return {**vocabulary, **added}


def size_of(folder):
    config = read(folder / "config.json")
    return config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size")


def refuse_different_tokens(target, draft, folders):
    if target is None or draft is None:
        without = folders[0] if target is None else folders[1]
        print(f"warning: {without} has no tokenizer.json to compare", file=sys.stderr)
        return
    for text in sorted(set(target) | set(draft), key=lambda each: (target.get(each, -1), each)):
        if target.get(text) != draft.get(text):
            raise Failed(
                f"the draft model has other tokens than the target: {text!r} is"
                f" {draft.get(text, 'no token')} there and {target.get(text, 'no token')} in the"
                " target; choose a draft model of the same family"
            )


def main(arguments):
    logits = "--logits" in arguments
    folders = [Path(each) for each in arguments if each != "--logits"]
    if len(folders) != 3:
        raise Failed("usage: vocabulary.py TARGET DRAFT [--logits] OUT")
    *folders, out = folders
    sizes = [size_of(folder) for folder in folders]
    refuse_different_tokens(*[tokens_of(folder) for folder in folders], folders)
    if logits and sizes[0] != sizes[1]:
        raise Failed(
            f"use_draft_logits compares logits of the same width, and the target has {sizes[0]} and"
            f" the draft model {sizes[1]} (vocab_size); set use_draft_logits to false"
        )
    out.mkdir(parents=True, exist_ok=True)
    (out / "vocabulary.json").write_text(json.dumps({"target": sizes[0], "draft": sizes[1]}) + "\n")


if __name__ == "__main__":
    run(main)
