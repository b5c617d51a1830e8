"""Counts tokens as a server does and makes synthetic prompts of an exact number of tokens. Knows
the file of the tokenizer; does not know jobs."""
import random
import re
import sys
from pathlib import Path

try:
    from tokenizers import Tokenizer
except ImportError:  # reported when a tokenizer is needed
    Tokenizer = None

MANY_WORDS = 20000  # of a large vocabulary; more would only take longer to measure
ENOUGH_WORDS = 64
ADJUSTMENTS = 200
TRIES = 20
CORPUS = Path(__file__).with_name("corpus.txt")


class BadJob(Exception):
    """An impossible job. The message names the value and what to change."""


class PromptMaker:
    def __init__(self, path, special=True):
        if Tokenizer is None:
            raise BadJob(
                f"{sys.executable} has no package 'tokenizers', which counts tokens; make a Python"
                " that has it: python3 -m venv V && V/bin/pip install tokenizers, then give"
                " --python V/bin/python"
            )
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing more specific
            raise BadJob(f"{path} cannot be read as a tokenizer: {error}") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = special
        self._overhead = self._lengths([""])[0]
        begin = self._tokenizer.encode("the", add_special_tokens=special).special_tokens_mask
        self._lead = begin.index(0) if 0 in begin else 0  # special tokens in front
        self._words, self._groups, self._prefixes = [], {}, {}

    def _lengths(self, texts):
        return [len(ids) for ids in self.ids(texts)]

    def ids(self, texts, special=None):
        """Token ids of each text, as the server's tokenizer gives them."""
        special = self._special if special is None else special
        return [
            encoded.ids
            for encoded in self._tokenizer.encode_batch_fast(texts, add_special_tokens=special)
        ]

    def _learn_words(self):
        """Finds words that cost one token between two others, and their cost as a first word."""
        if self._words:
            return
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=False)
        found = {match for text in vocabulary for match in re.findall(r"[A-Za-z]{2,}", text)}
        found |= set(re.findall(r"[A-Za-z]{2,}", CORPUS.read_text(encoding="utf-8")))
        words = sorted(found)
        if len(words) > MANY_WORDS:
            words = sorted(random.Random(0).sample(words, MANY_WORDS))
        pair, between = self._lengths(["the the"])[0], self._lengths(
            [f"the {word} the" for word in words]
        )
        cost = {word: length - pair for word, length in zip(words, between)}
        self._words = [word for word in words if cost[word] == 1]
        if len(self._words) < ENOUGH_WORDS:
            self._words = sorted(words, key=lambda word: (cost[word], word))[
                : max(ENOUGH_WORDS, len(self._words))
            ]
        self._cost = {word: max(1, cost[word]) for word in self._words}
        self._by_cost = {}
        for word in self._words:
            self._by_cost.setdefault(self._cost[word], []).append(word)
        first = self._tokenizer.encode_batch_fast(self._words, add_special_tokens=False)
        self._first = {word: len(encoded.ids) for word, encoded in zip(self._words, first)}
        self._first_id = {word: encoded.ids[0] for word, encoded in zip(self._words, first)}

    def _starts(self, room):
        """Words that may begin a prompt with ROOM tokens of text, grouped by their first token."""
        room = min(room, max(self._first.values()))
        if room not in self._groups:
            groups = self._groups.setdefault(room, {})
            for word in self._words:
                if self._first[word] <= room:
                    groups.setdefault(self._first_id[word], []).append(word)
        return self._groups[room]

    def prompts(self, lengths, seed, taken, order, share=0.0, prefix_seed="", near=False):
        """Texts of these lengths that are not in `taken`, as pairs of text and length. The caller
        keeps `taken` and `order`, the unused first tokens, from call to call, so that first tokens
        repeat only when all have been used.
        """
        self._learn_words()
        rng = random.Random(seed)
        least = self._overhead + min(self._first.values())
        if min(lengths, default=least) < least and not near:
            raise BadJob(
                f"isl {min(lengths)} is too short: with its {self._overhead} special tokens this"
                f" tokenizer's shortest prompt has {least}; use isl {least} or more"
            )
        wanted = [max(length, least) for length in lengths]
        texts, missing = [None] * len(lengths), list(range(len(lengths)))
        for attempt in range(TRIES):
            drafts = [self._draft(rng, order, wanted[i], share, prefix_seed) for i in missing]
            for i, (text, shared) in zip(
                missing, self._exact(rng, drafts, [wanted[i] for i in missing])
            ):
                if text is not None and (shared or text not in taken):
                    taken.add(text)
                    texts[i] = text
            missing = [i for i in missing if texts[i] is None]
            if not missing:
                return list(zip(texts, wanted))
            for i in missing if near and attempt >= TRIES // 2 else []:
                wanted[i] += 1
        raise BadJob(
            f"isl {wanted[missing[0]]} is too short for {len(lengths)} different prompts with"
            f" this tokenizer (found {len(lengths) - len(missing)}); use a larger isl or fewer"
            " requests"
        )

    def _draft(self, rng, order, isl, share, prefix_seed):
        """Words of about ISL tokens, and the number of leading words that all prompts share."""
        room = isl - self._overhead
        words, used = self._prefix(self._shared_len(isl, share), prefix_seed)
        kept, left = len(words), room - used
        if left > 0:
            first = self._first_word(rng, order, room if not words else max(self._first.values()))
            words, left = words + [first], left - (self._cost if words else self._first)[first]
        while left > 0:
            more = rng.choices(self._words, k=max(1, left // max(self._by_cost)))
            words += more
            left -= sum(self._cost[word] for word in more)
        return words, kept

    def _shared_len(self, isl, share):
        """The number of text tokens to share among prompts of this length. Leading special tokens
        are shared anyway."""
        return max(0, min(isl - self._overhead, round(share * isl) - self._lead))

    def unshared(self, isl, share, prefix_seed):
        """The number of tokens by which the shared prefix of a prompt is too short, because no
        words have exactly the requested length."""
        return (
            self._shared_len(isl, share)
            - self._prefix(self._shared_len(isl, share), prefix_seed)[1]
        )

    def _first_word(self, rng, order, room):
        groups = self._starts(room)
        if not order:
            order += rng.sample(sorted(groups), len(groups))
        return rng.choice(groups.get(order.pop()) or groups[rng.choice(sorted(groups))])

    def _length_of(self, words):
        return len(self.ids([" ".join(words)], special=False)[0])

    def _prefix(self, tokens, seed):
        """Words of at most TOKENS tokens, of exactly TOKENS where single words allow it, and their
        number of tokens. A shorter prefix is the beginning of a longer one."""
        if tokens < min(self._first.values()):
            return [], 0
        if (tokens, seed) not in self._prefixes:
            rng = random.Random(seed)
            words = rng.choices(self._words, k=tokens)
            while self._first[words[0]] > tokens:
                words[0] = rng.choice(self._words)
            low, high = 1, len(words)
            while low < high:  # finds the longest prefix that fits
                middle = (low + high + 1) // 2
                low, high = (
                    (middle, high)
                    if self._length_of(words[:middle]) <= tokens
                    else (low, middle - 1)
                )
            self._prefixes[tokens, seed] = words[:low], self._length_of(words[:low])
        words, used = self._prefixes[tokens, seed]
        return list(words), used

    def _exact(self, rng, drafts, lengths):
        """Yields for each draft its text, None if it cannot get its length, and whether all of its
        words are shared."""
        texts = [" ".join(words) for words, _ in drafts]
        for (words, kept), text, isl, length in zip(drafts, texts, lengths, self._lengths(texts)):
            text = text if length == isl else self._adjusted(rng, words, isl, max(1, kept))
            yield text if text is None or self._has_prefix(
                text, words[:kept]
            ) else None, kept == len(words)

    def _has_prefix(self, text, prefix):
        """Whether the shared words also give the same tokens."""
        if not prefix:
            return True
        [shared], [whole] = self.ids([" ".join(prefix)], special=False), self.ids([text])
        return whole[self._lead : self._lead + len(shared)] == shared

    def _adjusted(self, rng, words, isl, kept):
        """The costs of words do not always add up: removes surplus words and fills gaps until the
        text has ISL tokens. None if that fails."""
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
            elif len(words) > kept:
                for _ in range(min(len(words) - kept, max(1, int(-gap / each)))):
                    words.pop(rng.randrange(kept, len(words)))
            elif kept == 1:
                words[0] = rng.choice(self._words)
        return None
