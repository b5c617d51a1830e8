"""Streams of tokens become streams of text: complete, never early, one text per token."""
import random
import unittest

from tokenizers import Tokenizer, decoders, models as tokenizer_models, pre_tokenizers, trainers

import models  # noqa: F401  (puts the runner on the path)
from detokenizer import ABSENT, CONTEXT, LAST, MORE, Detokenizer, streamed
from generate import train_tokenizer
from rendering import COMMON


def stream(detokenizer, ids):
    texts, before = [], []
    for position, id_ in enumerate(ids):
        texts.append(detokenizer.text(streamed(id_, before, position == len(ids) - 1), 1))
        before.append(id_)
    return texts


class ByteLevelStreams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokenizer = train_tokenizer(COMMON / "scripts" / "corpus.txt", 1024)
        cls.detokenizer = Detokenizer(cls.tokenizer)

    def test_a_streamed_token_comes_first_in_its_layout(self):
        self.assertEqual(
            streamed(5, [1, 2], False), [5, MORE, ABSENT, *[ABSENT] * (CONTEXT - 2), 1, 2]
        )
        self.assertEqual(
            streamed(5, list(range(20)), True, 7), [5, LAST, 7, 14, 15, 16, 17, 18, 19]
        )

    def test_a_character_of_several_tokens_is_sent_with_the_last_of_them(self):
        ids = self.tokenizer.encode("né 中🙂").ids
        texts = stream(self.detokenizer, ids)
        self.assertEqual(len(texts), len(ids))
        self.assertEqual("".join(texts), "né 中🙂")
        self.assertNotIn("\N{REPLACEMENT CHARACTER}", "".join(texts))
        self.assertIn("", texts)

    def test_any_ids_give_the_same_text_streamed_and_whole(self):
        rng = random.Random(1)
        for _ in range(300):
            ids = [
                rng.choice([rng.randrange(3, 259), rng.randrange(1024)])
                for _ in range(rng.randrange(1, 40))
            ]
            self.assertEqual(
                "".join(stream(self.detokenizer, ids)), self.detokenizer.text(ids, len(ids))
            )

    def test_the_tokenizers_own_decoder_agrees(self):
        rng = random.Random(2)
        for _ in range(100):
            ids = [rng.randrange(1024) for _ in range(20)]
            self.assertEqual(self.detokenizer.whole(ids), self.tokenizer.decode(ids))

    def test_special_tokens_are_hidden_or_shown(self):
        self.assertEqual(self.detokenizer.whole([0]), "")
        self.assertEqual(
            Detokenizer(self.tokenizer, skip_special_tokens=False).whole([0]), "<|endoftext|>"
        )


class OtherTokenizers(unittest.TestCase):
    def test_word_pieces_keep_their_spaces_in_a_stream(self):
        tokenizer = Tokenizer(tokenizer_models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        tokenizer.train(
            [str(COMMON / "scripts" / "corpus.txt")],
            trainers.UnigramTrainer(
                vocab_size=600, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"]
            ),
        )
        text = "the river rises and the heron waits"
        self.assertEqual("".join(stream(Detokenizer(tokenizer), tokenizer.encode(text).ids)), text)


if __name__ == "__main__":
    unittest.main()
