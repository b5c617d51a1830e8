"""Triton model `preprocessing`: converts text to token ids, and the stop, bad and boosted words.

It knows the tokenizer and the tensors of its config.pbtxt; it does not know the engine.
"""
import numpy as np
import triton_python_backend_utils as pb_utils

import tokenizer_files
from settings import Settings


class TritonPythonModel:
    def initialize(self, args):
        settings = Settings(args)
        folder = settings.required("tokenizer_dir")
        if settings.text("visual_model_path"):
            raise ValueError(
                "preprocessing: visual_model_path is set; this runner serves text models only,"
                " leave it empty"
            )
        self._special = settings.boolean("add_special_tokens", True)
        self._tokenizer = tokenizer_files.load(folder)
        self._end_id, self._pad_id = tokenizer_files.end_and_pad_ids(folder, self._tokenizer)

    def execute(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        try:
            return pb_utils.InferenceResponse(
                [pb_utils.Tensor(name, value) for name, value in self._tensors(request)]
            )
        except (ValueError, UnicodeDecodeError) as error:
            return pb_utils.InferenceResponse(
                error=pb_utils.TritonError(str(error), pb_utils.TritonError.INVALID_ARG)
            )

    def _tensors(self, request):
        inputs = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
        query = inputs["QUERY"]
        rows = query.shape[0]
        ids, lengths = self._encode(query, "text_input")
        yield "INPUT_ID", ids
        yield "REQUEST_INPUT_LEN", lengths
        if "DECODER_QUERY" in inputs:
            ids, lengths = self._encode(inputs["DECODER_QUERY"], "decoder_text_input")
        else:
            ids, lengths = np.full((rows, 1), self._pad_id, np.int32), np.ones((rows, 1), np.int32)
        yield "DECODER_INPUT_ID", ids
        yield "REQUEST_DECODER_INPUT_LEN", lengths
        yield "REQUEST_OUTPUT_LEN", inputs["REQUEST_OUTPUT_LEN"]
        yield "STOP_WORDS_IDS", self._word_lists(inputs.get("STOP_WORDS_DICT"), rows)
        yield "BAD_WORDS_IDS", self._word_lists(inputs.get("BAD_WORDS_DICT"), rows)
        yield "EMBEDDING_BIAS", self._bias(
            inputs.get("EMBEDDING_BIAS_WORDS"), inputs.get("EMBEDDING_BIAS_WEIGHTS"), rows
        )
        yield "OUT_END_ID", inputs.get("END_ID", np.full((rows, 1), self._end_id, np.int32))
        yield "OUT_PAD_ID", inputs.get("PAD_ID", np.full((rows, 1), self._pad_id, np.int32))
        # All optional outputs have a value, so that no later model reads uninitialised memory.
        extra = inputs.get("PROMPT_TABLE_EXTRA_ID")
        yield "OUT_PROMPT_TABLE_EXTRA_IDS", np.zeros(
            (rows, 0 if extra is None else 1), np.uint64
        ) + (0 if extra is None else extra)

    def _encode(self, texts, name):
        """Rows padded on the right to equal length, and the original length of each."""
        try:
            texts = [row[0].decode("utf-8") for row in texts]
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not UTF-8: {error}") from None
        encoded = [
            e.ids
            for e in self._tokenizer.encode_batch_fast(texts, add_special_tokens=self._special)
        ]
        ids = np.full((len(encoded), max(map(len, encoded))), self._pad_id, np.int32)
        for row, sequence in zip(ids, encoded):
            row[: len(sequence)] = sequence
        return ids, np.array([[len(sequence)] for sequence in encoded], np.int32)

    def _ids(self, word):
        text = word.decode("utf-8") if isinstance(word, bytes) else word
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def _word_lists(self, words, rows):
        """[row, 0]: the ids of all words in sequence; [row, 1]: the end offset of each word,
        then -1.
        """
        if words is None:
            return np.empty((rows, 2, 0), np.int32)
        flat, ends = [], []
        for row in words:
            encoded = [ids for ids in map(self._ids, row) if ids]
            flat.append([id_ for ids in encoded for id_ in ids])
            ends.append(np.cumsum([len(ids) for ids in encoded]))
        width = max(1, *map(len, flat))
        lists = np.zeros((rows, 2, width), np.int32)
        lists[:, 1] = -1
        for row, (ids, stops) in enumerate(zip(flat, ends)):
            lists[row, 0, : len(ids)] = ids
            lists[row, 1, : len(stops)] = stops
        return lists

    def _bias(self, words, weights, rows):
        if words is None or weights is None:
            return np.empty((rows, 0), np.float32)
        if words.shape != weights.shape:
            raise ValueError(
                f"embedding_bias_words has {words.shape[-1]} entries and embedding_bias_weights "
                f"{weights.shape[-1]}; send one weight for each word"
            )
        bias = np.zeros((rows, self._tokenizer.get_vocab_size()), np.float32)
        for row in range(rows):
            for word, weight in zip(words[row], weights[row]):
                np.add.at(bias[row], self._ids(word), weight)
        return bias
