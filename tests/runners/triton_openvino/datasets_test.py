"""Prompts of datasets (counts, samples, lengths) and the members of jobs that only
`orchestrate bench` writes: drawn lengths, shared prefixes."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from generate import train_tokenizer
from rendering import ROOT
from prompts_test import CORPUS, byte_fallback, characters, unigram, word_piece


class PromptJobTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.use(train_tokenizer(CORPUS[0], 2000))

    def use(self, tokenizer):
        self.tokenizer = tokenizer
        tokenizer.save(str(self.folder / "tokenizer.json"))

    def make(self, **job):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        job = {
            "id": "j",
            "out": str(self.folder / "out"),
            "isl": "16",
            "requests": "3",
            "warmup": "1",
            "blocks": "2",
            "seed": "1",
            "stream": "s",
            **job,
        }
        return self.run_jobs({name: value for name, value in job.items() if value is not None})

    def run_jobs(self, *jobs):
        """As the stage runs them: `orchestrate` reads the datasets, then the script the rows."""
        file = self.folder / "jobs.json"
        file.write_text(json.dumps(jobs))
        script = ROOT / "runners" / "common" / "scripts" / "make_prompts.py"
        done = subprocess.run(
            [os.environ["ORCH_BINARY"], "prompts", file, sys.executable, script]
            + ["--tokenizer", self.folder / "tokenizer.json", "--jobs", file],
            capture_output=True,
            text=True,
        )
        return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]

    def lines(self, **job):
        code, message = self.make(**job)
        self.assertEqual(code, 0, message)
        return [
            json.loads(line)
            for line in (self.folder / "out" / "prompts.jsonl").read_text().splitlines()
        ]

    def count(self, text, special=True):
        return len(self.tokenizer.encode(text, add_special_tokens=special).ids)

    def dataset(self, *rows):
        path = self.folder / "data.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return f"local:{path}"


class Datasets(PromptJobTest):
    def test_rows_are_sampled_by_seed_and_stream_and_counted_by_the_tokenizer(self):
        rows = [{"instruction": f"say {i} times hello"} for i in range(40)]
        lines = self.lines(dataset=self.dataset(*rows))
        self.assertEqual(
            [(line["block"], line["warmup"]) for line in lines],
            [(b, w) for b in (0, 1) for w in (True, False, False, False)],
        )
        self.assertEqual(
            [line["isl"] for line in lines], [self.count(line["text_input"]) for line in lines]
        )
        self.assertEqual(len({line["text_input"] for line in lines}), 8)
        self.assertEqual(lines, self.lines(dataset=self.dataset(*rows)))
        self.assertNotEqual(lines, self.lines(dataset=self.dataset(*rows), stream="other"))

    def test_an_unpaired_surrogate_is_counted_and_written_as_the_replacement_character(self):
        conversation = {
            "conversations": [
                {"from": "human", "value": "caf\ud800 a"},
                {"from": "gpt", "value": "b\udc00"},
            ]
        }
        lines = self.lines(dataset=self.dataset(*[conversation] * 8), blocks="1")
        self.assertEqual(
            {(line["text_input"], line["isl"], line["osl"]) for line in lines},
            {("caf\ufffd a", self.count("caf\ufffd a"), self.count("b\ufffd", special=False))},
        )

    def test_a_missing_dataset_fails_only_its_own_job(self):
        jobs = [
            {
                "id": name,
                "out": str(self.folder / name),
                "isl": "16",
                "requests": "3",
                "warmup": "1",
                "blocks": "1",
                "seed": "1",
                "stream": "s",
            }
            for name in "ab"
        ]
        jobs[0]["dataset"] = f"local:{self.folder / 'none'}"
        code, message = self.run_jobs(*jobs)
        self.assertEqual(code, 1)
        self.assertIn(
            (
                f"1 of 2 jobs failed; the first: a: cannot open {self.folder / 'none'}:"
                " No such file or directory"
            ),
            message,
        )
        self.assertEqual(len((self.folder / "b" / "prompts.jsonl").read_text().splitlines()), 4)

    def test_too_few_rows_are_refused_with_the_number_needed(self):
        self.assertEqual(
            self.make(dataset=self.dataset(*[{"input": str(i)} for i in range(7)])),
            (
                1,
                (
                    "make_prompts.py: j: the dataset has 7 prompts, and 2 blocks of 3 measured and"
                    " 1 warm-up requests need 8; add prompts, or lower the number of requests"
                ),
            ),
        )

    def test_prompts_longer_than_isl_are_refused_and_never_truncated(self):
        long = "the river rises " * 9
        rows = [{"input": "a"}] * 7 + [{"input": long}]
        isl = self.count(long)
        self.assertEqual(
            self.make(dataset=self.dataset(*rows)),
            (
                1,
                (
                    "make_prompts.py: j: 1 of 8 prompts of the dataset are longer than isl 16; the"
                    f" longest, on line 8, has {isl} tokens; prompts are not truncated, so set isl"
                    f" to {isl} or remove such rows from the dataset"
                ),
            ),
        )

    def test_a_recorded_answer_sets_the_answer_length(self):
        conversation = {
            "conversations": [
                {"from": "human", "value": "why"},
                {"from": "gpt", "value": "because of the river"},
            ]
        }
        lines = self.lines(dataset=self.dataset(*[conversation] * 8))
        self.assertEqual(
            {line["osl"] for line in lines}, {self.count("because of the river", special=False)}
        )

    def test_conversations_without_a_human_turn_are_left_out_and_counted_in_the_first_line(self):
        asks, silent = {"conversations": [{"from": "human", "value": "why"}]}, {"conversations": []}
        source = self.dataset(silent, *[asks] * 8, silent, silent)
        for job in ({"dataset": source}, {"dataset": source, "requests": None}):
            lines = self.lines(**job)
            self.assertEqual([line.get("left_out") for line in lines], [3] + [None] * 7)
        self.assertEqual(
            self.make(dataset=self.dataset(silent), requests=None)[1],
            (
                f"make_prompts.py: j: {source[6:]}: the file has no prompts: none of its"
                ' conversations (1) has a text from "human" or "user"'
            ),
        )

    def test_a_trace_gets_texts_of_its_lengths_in_its_order(self):
        rows = [{"timestamp": 10 * i, "input_length": 5 + i, "output_length": 3} for i in range(9)]
        lines = self.lines(dataset=self.dataset(*rows))
        self.assertEqual([line["isl"] for line in lines], list(range(5, 13)))
        self.assertEqual([self.count(line["text_input"]) for line in lines], list(range(5, 13)))
        self.assertEqual([line["timestamp"] for line in lines], [10 * i for i in range(8)])

    def test_timestamps_keep_their_unit(self):
        lines = self.lines(
            dataset=self.dataset(
                {"text": "a", "timestamp_s": 0.25}, {"text": "b", "timestamp": 250}
            ),
            requests=None,
        )
        self.assertEqual(
            [(line.get("timestamp_s"), line.get("timestamp")) for line in lines],
            [(0.25, None), (None, 250)],
        )

    def test_rows_of_a_file_keep_their_order_warmup_and_block(self):
        rows = [
            {"text_input": "a b c", "warmup": True, "isl": 99},
            {"text_input": "d", "block": 1, "osl": 4},
            {"input_ids": [3, 4]},
        ]
        source = self.dataset(*rows)
        self.assertEqual(
            self.lines(dataset=source, requests=None, ids=True),
            [
                {
                    "text_input": text,
                    "isl": isl,
                    "warmup": warmup,
                    "block": block,
                    "input_ids": ids,
                    **further,
                }
                for text, isl, warmup, block, ids, further in [
                    ("a b c", self.count("a b c"), True, 0, self.tokenizer.encode("a b c").ids, {}),
                    ("d", self.count("d"), False, 1, self.tokenizer.encode("d").ids, {"osl": 4}),
                    ("", 2, False, 0, [3, 4], {}),
                ]
            ],
        )

    def test_messages_are_kept_beside_their_counted_text(self):
        chat = [
            {"role": "system", "content": "be brief"},
            {"name": "n", "role": "user", "content": [{"type": "text", "text": "h\u00e9llo"}]},
        ]
        source = self.dataset(*[{"body": {"messages": chat}}] * 8)
        lines = self.lines(dataset=source, requests=None)
        self.assertEqual(
            [json.dumps(line["messages"]) for line in lines], [json.dumps(chat)] * 8
        )  # as text: members in their order
        self.assertEqual({line["text_input"] for line in lines}, {"be brief\n\nh\u00e9llo"})
        self.assertEqual(lines[0]["isl"], self.count("be brief\n\nh\u00e9llo"))
        again = self.folder / "again.jsonl"
        again.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(self.lines(dataset=f"local:{again}", requests=None), lines)
        self.assertEqual([line["messages"] for line in self.lines(dataset=source)], [chat] * 8)
        self.assertNotIn(
            "messages",
            self.lines(dataset=self.dataset({"prompt": "a"}), requests=None)[0],
        )

    def test_an_unreadable_row_is_reported_with_its_line(self):
        source = self.dataset({"input": "a"}, {"input": 1})
        self.assertEqual(
            self.make(dataset=source),
            (1, f"make_prompts.py: j: {source[6:]}:2: 'input' is '1'; it must be a JSON string"),
        )


class BenchJobs(PromptJobTest):
    def test_prompts_have_exactly_the_drawn_lengths_with_every_kind_of_tokenizer(self):
        lengths = {"warmup": [9, 30], "measured": [8, 64, 17, 17, 200]}
        for maker in (
            lambda: train_tokenizer(CORPUS[0], 2000),
            unigram,
            word_piece,
            byte_fallback,
            characters,
        ):
            self.use(maker())
            lines = self.lines(blocks="1", lengths=lengths, ids=True)
            self.assertEqual(
                [self.count(line["text_input"]) for line in lines],
                lengths["warmup"] + lengths["measured"],
            )
            self.assertEqual(
                [line["input_ids"] for line in lines],
                [self.tokenizer.encode(line["text_input"]).ids for line in lines],
            )
            self.assertFalse([line for line in lines if "isl_asked" in line])

    def test_an_impossible_length_becomes_the_next_possible_one_and_is_reported(self):
        self.use(word_piece())  # two special tokens
        lines = self.lines(blocks="1", near=True, lengths={"warmup": [], "measured": [1, 8]})
        self.assertEqual(
            [
                (line["isl"], line.get("isl_asked"), self.count(line["text_input"]))
                for line in lines
            ],
            [(3, 1, 3), (8, None, 8)],
        )

    def test_prompts_grow_when_no_different_ones_of_their_length_are_left(self):
        self.use(characters())  # one letter more each
        lines = self.lines(blocks="1", near=True, lengths={"warmup": [], "measured": [2] * 300})
        self.assertEqual(len({line["text_input"] for line in lines}), 300)
        self.assertEqual(
            [line["isl"] for line in lines], [self.count(line["text_input"]) for line in lines]
        )
        self.assertTrue(all(line["isl_asked"] == 2 for line in lines if line["isl"] != 2))

    def test_a_shared_prefix_has_equal_tokens_and_the_rest_differs(self):
        for maker in (lambda: train_tokenizer(CORPUS[0], 3000), unigram, word_piece, byte_fallback):
            self.use(maker())
            lines = self.lines(
                blocks="1",
                warmup="2",
                requests="20",
                shared_prefix=0.75,
                lengths={"warmup": [64] * 2, "measured": [64] * 20},
                ids=True,
            )
            ids = [line["input_ids"] for line in lines]
            self.assertEqual({len(one) for one in ids}, {64})
            self.assertEqual({tuple(one[:48]) for one in ids}, {tuple(ids[0][:48])})
            self.assertEqual(len({line["text_input"] for line in lines}), len(ids))
            self.assertGreater(
                len({one[48] for one in ids}), len(ids) // 2
            )  # words that begin differently may do so with one token
            self.assertFalse([line for line in lines if "unshared" in line])

    def test_a_shared_prefix_that_no_words_fill_is_shorter_and_is_reported(self):
        self.use(characters())
        lines = self.lines(
            blocks="1",
            warmup="2",
            requests="20",
            shared_prefix=0.53,
            lengths={"warmup": [64] * 2, "measured": [64] * 20},
            ids=True,
        )
        [missing] = {line.get("unshared", 0) for line in lines}
        self.assertTrue(0 < missing < 34, missing)
        self.assertEqual(len({tuple(line["input_ids"][: 34 - missing]) for line in lines}), 1)
        self.assertGreater(len({tuple(line["input_ids"][:34]) for line in lines}), 1)

    def test_a_shared_prefix_too_short_for_a_word_is_left_out(self):
        self.use(characters())
        lines = self.lines(
            blocks="1",
            warmup="0",
            requests="5",
            shared_prefix=0.01,
            lengths={"warmup": [], "measured": [100] * 5},
        )
        self.assertEqual({line["unshared"] for line in lines}, {1})

    def test_the_whole_prompt_may_be_shared(self):
        lines = self.lines(blocks="1", shared_prefix=1.0)
        self.assertEqual(
            ({line["isl"] for line in lines}, len({line["text_input"] for line in lines})),
            ({16}, 1),
        )

    def test_a_file_that_is_not_a_tokenizer_is_reported(self):
        (self.folder / "tokenizer.json").write_text("{}")
        code, message = self.make()
        self.assertEqual(code, 1)
        self.assertTrue(
            message.startswith(
                f"make_prompts.py: {self.folder}/tokenizer.json cannot be read as a tokenizer: "
            ),
            message,
        )


if __name__ == "__main__":
    unittest.main()
