"""Counts tokens as a server does, and makes up prompts of an exact number of them. Knows the
tokenizer's file, no jobs."""
import random
import re
import sys
from pathlib import Path

try:
    from tokenizers import Tokenizer
except ImportError:  # said when one is needed
    Tokenizer = None

MANY_WORDS = 20000  # enough variety; a large vocabulary need not be measured whole
ENOUGH_WORDS = 64
ADJUSTMENTS = 200
TRIES = 20
CORPUS = Path(__file__).with_name("corpus.txt")


class BadJob(Exception):
    """Names the job, the value that cannot be met and what to change."""


class PromptMaker:
    def __init__(self, path, special=True):
        if Tokenizer is None:
            raise BadJob(
                f"{sys.executable} has no package 'tokenizers', which counts tokens; install it"
                f" with: {sys.executable} -m pip install tokenizers"
            )
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no other
            raise BadJob(f"{path} is no tokenizer.json that can be read: {error}") from None
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
        """Words that cost one token between two others, and what each costs where a text begins."""
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
        """Words that may begin a prompt of this many tokens of text, by the token that they begin
        with."""
        room = min(room, max(self._first.values()))
        if room not in self._groups:
            groups = self._groups.setdefault(room, {})
            for word in self._words:
                if self._first[word] <= room:
                    groups.setdefault(self._first_id[word], []).append(word)
        return self._groups[room]

    def prompts(self, lengths, seed, taken, order, share=0.0, prefix_seed="", near=False):
        """Texts of these lengths that are not in `taken`, as pairs of text and length. `taken` and
        `order`, the first tokens that are still unused, carry on from call to call: first tokens
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
            f"isl {wanted[missing[0]]} gives no {len(lengths)} different prompts with this"
            f" tokenizer (found {len(lengths) - len(missing)}); use a larger isl or fewer requests"
        )

    def _draft(self, rng, order, isl, share, prefix_seed):
        """Words that may come out at isl tokens, and how many of them, in front, are the same in
        all prompts."""
        room = isl - self._overhead
        words, used = self._prefix(self._to_share(isl, share), prefix_seed)
        kept, left = len(words), room - used
        if left > 0:
            first = self._first_word(rng, order, room if not words else max(self._first.values()))
            words, left = words + [first], left - (self._cost if words else self._first)[first]
        while left > 0:
            more = rng.choices(self._words, k=max(1, left // max(self._by_cost)))
            words += more
            left -= sum(self._cost[word] for word in more)
        return words, kept

    def _to_share(self, isl, share):
        """How many tokens of text are to be the same in prompts of this length; special tokens in
        front of them are so anyway."""
        return max(0, min(isl - self._overhead, round(share * isl) - self._lead))

    def unshared(self, isl, share, prefix_seed):
        """How many tokens the shared beginning of a prompt that was made is too short, as no words
        came out at exactly so many."""
        return self._to_share(isl, share) - self._prefix(self._to_share(isl, share), prefix_seed)[1]

    def _first_word(self, rng, order, room):
        groups = self._starts(room)
        if not order:
            order += rng.sample(sorted(groups), len(groups))
        return rng.choice(groups.get(order.pop()) or groups[rng.choice(sorted(groups))])

    def _room_of(self, words):
        return len(self.ids([" ".join(words)], special=False)[0])

    def _prefix(self, tokens, seed):
        """Words of at most this many tokens, and of exactly as many where single words allow it,
        and how many they are; a shorter prefix begins a longer one."""
        if tokens < min(self._first.values()):
            return [], 0
        if (tokens, seed) not in self._prefixes:
            rng = random.Random(seed)
            words = rng.choices(self._words, k=tokens)
            while self._first[words[0]] > tokens:
                words[0] = rng.choice(self._words)
            low, high = 1, len(words)
            while low < high:  # the most of them that fit
                middle = (low + high + 1) // 2
                low, high = (
                    (middle, high) if self._room_of(words[:middle]) <= tokens else (low, middle - 1)
                )
            self._prefixes[tokens, seed] = words[:low], self._room_of(words[:low])
        words, used = self._prefixes[tokens, seed]
        return list(words), used

    def _exact(self, rng, drafts, lengths):
        """For each draft its text, None where it does not come out, and whether nothing of it is
        its own."""
        texts = [" ".join(words) for words, _ in drafts]
        for (words, kept), text, isl, length in zip(drafts, texts, lengths, self._lengths(texts)):
            text = text if length == isl else self._adjusted(rng, words, isl, max(1, kept))
            yield text if text is None or self._keeps(text, words[:kept]) else None, kept == len(
                words
            )

    def _keeps(self, text, prefix):
        """Whether what is shared is the same in tokens, too."""
        if not prefix:
            return True
        [shared], [whole] = self.ids([" ".join(prefix)], special=False), self.ids([text])
        return whole[self._lead : self._lead + len(shared)] == shared

    def _adjusted(self, rng, words, isl, kept):
        """Words do not always add up: take away what is too much and fill the gap with a word that
        fits; None if that never comes out."""
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
