"""runners/triton-trtllm/scripts/vocabulary.py: which pairs of models it accepts, and what it says
of the others."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = (
    pathlib.Path(__file__).resolve().parents[3]
    / "runners"
    / "triton-trtllm"
    / "scripts"
    / "vocabulary.py"
)


def model(folder, tokens, size=3, added=(), unigram=False):
    folder.mkdir()
    vocabulary = [[token, 0.0] for token in tokens] if unigram else dict(tokens)
    added = [{"id": number, "content": token} for token, number in added]
    tokenizer = {"model": {"vocab": vocabulary}, "added_tokens": added}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"vocab_size": size}))
    return folder


TOKENS = {"a": 0, "b": 1}


class Vocabulary(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.target = model(self.folder / "target", TOKENS)

    def compare(self, draft, *options):
        out = self.folder / "out"
        words = [sys.executable, SCRIPT, self.target, draft, *options, out]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_equal_tokens_are_accepted_whatever_the_padding_of_the_embedding(self):
        self.assertEqual(self.compare(model(self.folder / "draft", TOKENS, size=64)), (0, ""))
        written = json.loads((self.folder / "out" / "vocabulary.json").read_text())
        self.assertEqual(written, {"target": 3, "draft": 64})

    def test_logits_need_equal_widths(self):
        draft = model(self.folder / "draft", TOKENS, size=64)
        code, said = self.compare(draft, "--logits")
        self.assertEqual(code, 1)
        self.assertIn("the target has 3 and the draft model 64 (vocab_size); set", said)

    def test_a_token_with_another_id_is_refused(self):
        code, said = self.compare(model(self.folder / "draft", {"a": 0, "b": 2}))
        self.assertEqual(code, 1)
        self.assertIn("'b' is 2 there and 1 in the target; choose a draft model of", said)

    def test_a_token_that_one_of_them_lacks_is_refused(self):
        code, said = self.compare(model(self.folder / "draft", {"a": 0}))
        self.assertEqual(code, 1)
        self.assertIn("'b' is no token there and 1 in the target", said)

    def test_added_tokens_count(self):
        draft = model(self.folder / "draft", TOKENS, added=[("<end>", 2)])
        self.assertIn("'<end>' is 2 there and no token", self.compare(draft)[1])

    def test_a_unigram_model_lists_its_tokens(self):
        draft = model(self.folder / "draft", ["a", "b"], unigram=True)
        self.assertEqual(self.compare(draft), (0, ""))

    def test_without_a_tokenizer_file_it_warns(self):
        draft = model(self.folder / "draft", TOKENS)
        (draft / "tokenizer.json").unlink()
        code, said = self.compare(draft)
        self.assertEqual((code, said), (0, f"warning: {draft} has no tokenizer.json to compare\n"))

    def test_a_damaged_file_is_named(self):
        draft = model(self.folder / "draft", TOKENS)
        (draft / "config.json").write_text("{")
        code, said = self.compare(draft)
        self.assertEqual(code, 1)
        self.assertIn(f"{draft}/config.json cannot be read: ", said)


if __name__ == "__main__":
    unittest.main()
