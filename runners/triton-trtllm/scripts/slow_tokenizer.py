"""slow_tokenizer.py SCRIPT ARGUMENTS...: runs SCRIPT, one of runners/common/scripts that count
tokens, with the tokenizer of the package transformers, for models without a tokenizer.json (Qwen 1,
InternLM, Baichuan): --tokenizer of ARGUMENTS names that file, and its folder is read. The model's
own Python files are run, as the tools of TensorRT-LLM run them.
"""
import os
import runpy
import sys
import tempfile
from pathlib import Path

from stage import Failed, run


class Encoding:
    def __init__(self, ids, mask):
        self.ids = ids
        self.special_tokens_mask = mask


class SlowTokenizer:
    """A tokenizer of transformers with the methods of the package tokenizers that are used."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    @classmethod
    def from_file(cls, path):
        from transformers import AutoTokenizer

        return cls(
            AutoTokenizer.from_pretrained(
                str(Path(path).parent), trust_remote_code=True, local_files_only=True
            )
        )

    def no_truncation(self):
        """Nothing is truncated unless it is asked for; a warning about long texts means nothing."""
        self.tokenizer.model_max_length = int(1e30)

    def no_padding(self):
        """Nothing is padded unless it is asked for."""

    def encode(self, text, add_special_tokens=True):
        ids = self.tokenizer.encode(text, add_special_tokens=add_special_tokens)
        plain = len(self.tokenizer.encode(text, add_special_tokens=False))
        special = set(getattr(self.tokenizer, "all_special_ids", ()))
        # Only tokens that were added count as special, not those that a text spells out.
        lead = next((at for at, one in enumerate(ids) if one not in special), len(ids) - plain)
        lead = min(lead, len(ids) - plain)
        return Encoding(ids, [1] * lead + [0] * plain + [1] * (len(ids) - plain - lead))

    def encode_batch_fast(self, texts, add_special_tokens=True):
        return [
            Encoding(self.tokenizer.encode(text, add_special_tokens=add_special_tokens), [])
            for text in texts
        ]

    def get_vocab(self, with_added_tokens=True):
        # That of tiktoken has bytes.
        return {
            text.decode("latin-1") if isinstance(text, bytes) else text: number
            for text, number in self.tokenizer.get_vocab().items()
        }


def main(arguments):
    if not arguments:
        raise Failed("usage: slow_tokenizer.py SCRIPT ARGUMENTS...")
    script = Path(arguments[0])
    # Where transformers copies the Python files of a model to, even without a network.
    os.environ.setdefault("HF_MODULES_CACHE", tempfile.mkdtemp(prefix="modules-"))
    try:
        import transformers
    except ImportError as error:
        raise Failed(
            f"{sys.executable} has no package transformers ({error}), which reads a tokenizer"
            " without tokenizer.json; save the tokenizer as a fast one and name that folder"
        ) from None
    print(f"tokens are counted by transformers {transformers.__version__}", flush=True)
    sys.path.insert(0, str(script.parent))
    import prompt_maker

    prompt_maker.Tokenizer = SlowTokenizer
    sys.argv = [str(script), *arguments[1:]]
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    run(main)
