"""Triton model `postprocessing`: converts token ids to text, one response for each response of the
engine.

It knows the tokenizer and the tensors of its config.pbtxt; it does not know the engine.
"""
import triton_python_backend_utils as pb_utils

import readers
import tokenizer_files
from detokenizer import Detokenizer, as_tensor, is_streamed
from settings import Settings


class TritonPythonModel:
    def initialize(self, args):
        settings = Settings(args)
        self._detokenizer = Detokenizer(
            tokenizer_files.load(settings.required("tokenizer_dir")),
            settings.boolean("skip_special_tokens", True),
        )
        self._seen = readers.table()

    def execute(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        ids = pb_utils.get_input_tensor_by_name(request, "TOKENS_BATCH").as_numpy()
        lengths = pb_utils.get_input_tensor_by_name(request, "SEQUENCE_LENGTH").as_numpy()
        texts = []
        for row, row_lengths in zip(ids, lengths):
            for beam, length in zip(row, row_lengths):
                texts.append(self._detokenizer.text(beam, length))
                if is_streamed(beam, length) and beam[2] >= 0:
                    self._seen[beam[2]] += 1
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("OUTPUT", as_tensor(texts).reshape(lengths.shape))]
        )
