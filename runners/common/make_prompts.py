"""make_prompts.py --tokenizer FILE --jobs JOBS.json: writes prompts.jsonl for every job, each prompt exactly `isl`
token ids long as this tokenizer counts them, no two alike.

A job is {"id", "out", "isl", "requests", "warmup", "blocks", "seed", "stream"}, all texts. The same job always gives
the same file. Knows the tokenizer's file, nothing of models or servers.
"""
import argparse
import hashlib
import json
import os
import random
import re
import sys
from pathlib import Path

from tokenizers import Tokenizer

from stage import run

MANY_WORDS = 20000  # enough variety; a large vocabulary need not be measured whole
ENOUGH_WORDS = 64
ADJUSTMENTS = 200


class BadJob(Exception):
    """Names the job, the value that cannot be met and what to change."""


class PromptMaker:
    def __init__(self, path, special=True):
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = special
        self._overhead = self._lengths([""])[0]
        self._learn_words(path)

    def _lengths(self, texts):
        return [len(e.ids) for e in self._tokenizer.encode_batch_fast(texts, add_special_tokens=self._special)]

    def _learn_words(self, path):
        """Words that cost one token between two others, and what each costs where a text begins."""
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=False)
        found = {match for text in vocabulary for match in re.findall(r"[A-Za-z]{2,}", text)}
        found |= set(re.findall(r"[A-Za-z]{2,}", Path(__file__).with_name("corpus.txt").read_text(encoding="utf-8")))
        words = sorted(found)
        if len(words) > MANY_WORDS:
            words = sorted(random.Random(0).sample(words, MANY_WORDS))
        pair, between = self._lengths(["the the"])[0], self._lengths([f"the {word} the" for word in words])
        cost = {word: length - pair for word, length in zip(words, between)}
        self._words = [word for word in words if cost[word] == 1]
        if len(self._words) < ENOUGH_WORDS:
            self._words = sorted(words, key=lambda word: (cost[word], word))[:max(ENOUGH_WORDS, len(self._words))]
        self._cost = {word: max(1, cost[word]) for word in self._words}
        self._by_cost = {}
        for word in self._words:
            self._by_cost.setdefault(self._cost[word], []).append(word)
        first = self._tokenizer.encode_batch_fast(self._words, add_special_tokens=False)
        self._first = {word: len(encoded.ids) for word, encoded in zip(self._words, first)}
        self._first_id = {word: encoded.ids[0] for word, encoded in zip(self._words, first)}

    def starts(self, isl):
        """Words that may begin a prompt, by the token that they begin with."""
        groups = {}
        for word in self._words:
            if self._first[word] <= isl - self._overhead:
                groups.setdefault(self._first_id[word], []).append(word)
        if not groups:
            least = self._overhead + min(self._first.values())
            raise BadJob(f"isl {isl} is too short: with its {self._overhead} special tokens this tokenizer's shortest prompt has {least}; use isl {least} or more")
        return groups

    def prompts(self, isl, count, seed, taken, order):
        """`count` texts that are not in `taken`. `taken` and `order`, the first tokens that are still unused, carry
        on from call to call: first tokens repeat only when all have been used."""
        rng = random.Random(seed)
        starts, room = self.starts(isl), isl - self._overhead
        texts = []
        for _ in range(20):
            batch = []
            for _ in range(count - len(texts)):
                if not order:
                    order += rng.sample(sorted(starts), len(starts))
                batch.append(self._draft(rng, rng.choice(starts[order.pop()]), room))
            for text in self._exact(rng, batch, isl):
                if text is not None and text not in taken:
                    taken.add(text)
                    texts.append(text)
            if len(texts) == count:
                return texts
        raise BadJob(f"isl {isl} gives no {count} different prompts with this tokenizer (found {len(texts)}); use a larger isl or fewer requests")

    def _draft(self, rng, first, room):
        words, left = [first], room - self._first[first]
        while left > 0:
            more = rng.choices(self._words, k=max(1, left // max(self._by_cost)))
            words += more
            left -= sum(self._cost[word] for word in more)
        return words

    def _exact(self, rng, drafts, isl):
        texts = [" ".join(words) for words in drafts]
        for words, text, length in zip(drafts, texts, self._lengths(texts)):
            yield text if length == isl else self._adjusted(rng, words, isl)

    def _adjusted(self, rng, words, isl):
        """Words do not always add up: take away what is too much and fill the gap with a word that fits; None if
        that never comes out."""
        for _ in range(ADJUSTMENTS):
            text = " ".join(words)
            length = self._lengths([text])[0]
            if length == isl:
                return text
            gap, each = isl - length, max(1.0, length / len(words))
            if gap > 2 * each:
                words += rng.choices(self._words, k=int(gap / each))
            elif gap > 0:
                words.append(rng.choice(self._by_cost.get(gap) or self._words))
            elif len(words) > 1:
                for _ in range(min(len(words) - 1, max(1, int(-gap / each)))):
                    words.pop(rng.randrange(1, len(words)))
            else:
                words[0] = rng.choice(self._words)
        return None


def stream_seed(job, block, kind):
    text = "\0".join([job["seed"], job["stream"], str(block), kind])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def number(job, name, least):
    try:
        value = int(job[name])
    except (KeyError, ValueError):
        raise BadJob(f"{name} is {job.get(name)!r}; it must be a whole number") from None
    if value < least:
        raise BadJob(f"{name} is {value}; it must be at least {least}")
    return value


def write_job(maker, job):
    isl, requests = number(job, "isl", 1), number(job, "requests", 1)
    warmup, blocks = number(job, "warmup", 0), number(job, "blocks", 1)
    taken, order, lines = set(), [], []
    for block in range(blocks):
        for kind, count in [("warmup", warmup), ("measured", requests)]:
            for text in maker.prompts(isl, count, stream_seed(job, block, kind), taken, order):
                lines.append(json.dumps({"text_input": text, "isl": isl, "warmup": kind == "warmup", "block": block}))
    out = Path(job["out"])
    out.mkdir(parents=True, exist_ok=True)
    part = out / "prompts.jsonl.part"
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(part, out / "prompts.jsonl")


def main(arguments):
    parser = argparse.ArgumentParser(description="Write prompts of an exact number of tokens.")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument("--jobs", required=True, help="a JSON array of jobs")
    parser.add_argument("--no-special-tokens", action="store_true", help="count as a server does that has add_special_tokens false")
    options = parser.parse_args(arguments)
    jobs = json.loads(Path(options.jobs).read_text(encoding="utf-8"))
    maker = PromptMaker(options.tokenizer, not options.no_special_tokens)
    failed = []
    for job in jobs:  # one job that cannot be met leaves the others their prompts
        try:
            write_job(maker, job)
        except BadJob as error:
            failed.append(f"{job.get('id')}: {error}")
            print(failed[-1], file=sys.stderr)
    if failed:
        raise BadJob(f"{len(failed)} of {len(jobs)} jobs failed; the first: {failed[0]}")


if __name__ == "__main__":
    run(main, BadJob, ValueError)
