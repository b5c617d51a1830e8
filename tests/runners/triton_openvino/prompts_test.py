"""Prompts: exactly as long as requested, all different, the same for the same job, for any kind of
tokenizer."""
import json
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from tokenizers import (
    Tokenizer,
    decoders,
    models as kinds,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

import models
from generate import train_tokenizer
from rendering import COMMON

CORPUS = [str(COMMON / "scripts" / "corpus.txt")]


def unigram():
    tokenizer = Tokenizer(kinds.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train(
        CORPUS,
        trainers.UnigramTrainer(
            vocab_size=800, show_progress=False, unk_token="<unk>", special_tokens=["<unk>", "<s>"]
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    return tokenizer


def word_piece():
    tokenizer = Tokenizer(kinds.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train(
        CORPUS,
        trainers.WordPieceTrainer(
            vocab_size=700, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]"]
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def byte_fallback():
    tokenizer = Tokenizer(kinds.BPE(byte_fallback=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    tokenizer.train(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=900,
            show_progress=False,
            max_token_length=12,
            special_tokens=["<unk>", "<s>"],
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def characters():
    tokenizer = Tokenizer(kinds.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=256,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    return tokenizer


class Prompts(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def make(self, tokenizer, *jobs, name="a"):
        tokenizer.save(str(self.folder / "tokenizer.json"))
        base = {"warmup": "4", "blocks": "2", "seed": "1", "requests": "20"}
        jobs = [
            {
                **base,
                "id": str(i),
                "out": str(self.folder / name / str(i)),
                "stream": f"isl={job['isl']}",
                **job,
            }
            for i, job in enumerate(jobs)
        ]
        (self.folder / "jobs.json").write_text(json.dumps(jobs))
        return models.stage(
            "common/scripts/make_prompts",
            "--tokenizer",
            self.folder / "tokenizer.json",
            "--jobs",
            self.folder / "jobs.json",
        )

    def lines(self, index, name="a"):
        return [
            json.loads(line)
            for line in (self.folder / name / str(index) / "prompts.jsonl").read_text().splitlines()
        ]

    def test_every_kind_of_tokenizer_counts_exactly_isl_ids(self):
        for maker in (
            lambda: train_tokenizer(CORPUS[0], 2000),
            unigram,
            word_piece,
            byte_fallback,
            characters,
        ):
            tokenizer = maker()
            code, message = self.make(tokenizer, {"isl": "16"}, {"isl": "33"}, {"isl": "500"})
            self.assertEqual(code, 0, message)
            for index, isl in enumerate([16, 33, 500]):
                lines = self.lines(index)
                self.assertEqual(
                    {
                        len(e.ids)
                        for e in tokenizer.encode_batch([line["text_input"] for line in lines])
                    },
                    {isl},
                )
                self.assertEqual(len({line["text_input"] for line in lines}), 48)
                self.assertEqual({line["isl"] for line in lines}, {isl})

    def test_blocks_have_their_own_warm_up_first(self):
        self.make(train_tokenizer(CORPUS[0], 2000), {"isl": "8"})
        shape = [(line["block"], line["warmup"]) for line in self.lines(0)]
        self.assertEqual(
            shape,
            [
                (block, warm)
                for block in (0, 1)
                for warm, count in ((True, 4), (False, 20))
                for _ in range(count)
            ],
        )

    def test_first_tokens_differ_so_that_no_prefix_is_shared(self):
        tokenizer = train_tokenizer(CORPUS[0], 3000)
        self.make(tokenizer, {"isl": "64", "requests": "40"})
        firsts = [tokenizer.encode(line["text_input"]).ids[0] for line in self.lines(0)]
        self.assertEqual(len(set(firsts)), len(firsts))

    def test_the_same_job_gives_the_same_file_and_another_stream_another(self):
        tokenizer = train_tokenizer(CORPUS[0], 2000)
        self.make(
            tokenizer,
            {"isl": "16"},
            {"isl": "16", "stream": "other"},
            {"isl": "16", "seed": "2"},
            name="a",
        )
        self.make(tokenizer, {"isl": "16"}, name="b")
        self.assertEqual(self.lines(0, "a"), self.lines(0, "b"))
        texts = [{line["text_input"] for line in self.lines(index)} for index in range(3)]
        self.assertFalse(texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])

    def test_an_impossible_job_fails_alone_with_its_reason(self):
        code, message = self.make(
            unigram(), {"isl": "1"}, {"isl": "16"}, {"isl": "2", "requests": "5000"}, {"isl": "x"}
        )
        self.assertEqual(code, 1)
        self.assertIn("3 of 4 jobs failed; the first: 0: isl 1 is too short", message)
        self.assertEqual(len(self.lines(1)), 48)
        self.assertFalse((self.folder / "a" / "2" / "prompts.jsonl").exists())

    def test_thousands_of_prompts_are_made_per_second(self):
        tokenizer = train_tokenizer(CORPUS[0], 3000)
        started = time.monotonic()
        code, message = self.make(tokenizer, {"isl": "128", "requests": "3000", "blocks": "1"})
        self.assertEqual(code, 0, message)
        self.assertLess(time.monotonic() - started, 6)  # measured: 1 s on a busy machine


if __name__ == "__main__":
    unittest.main()
