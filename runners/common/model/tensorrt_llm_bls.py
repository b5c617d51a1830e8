"""Triton model `tensorrt_llm_bls`: text in, text out, by calling the other three models from
Python.

It does the work of the ensemble and can also send the accumulated text with every event
(`accumulate_tokens`). It knows the tensors of these models; it does not know tokenizers or
engines.
"""
import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import triton_python_backend_utils as pb_utils

from settings import Settings

FINAL = 1  # pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
TO_PREPROCESSING = {
    "text_input": "QUERY",
    "decoder_text_input": "DECODER_QUERY",
    "max_tokens": "REQUEST_OUTPUT_LEN",
    "bad_words": "BAD_WORDS_DICT",
    "stop_words": "STOP_WORDS_DICT",
    "end_id": "END_ID",
    "pad_id": "PAD_ID",
    "embedding_bias_words": "EMBEDDING_BIAS_WORDS",
    "embedding_bias_weights": "EMBEDDING_BIAS_WEIGHTS",
    "prompt_table_extra_id": "PROMPT_TABLE_EXTRA_ID",
}
FROM_PREPROCESSING = {
    "INPUT_ID": "input_ids",
    "REQUEST_INPUT_LEN": "input_lengths",
    "DECODER_INPUT_ID": "decoder_input_ids",
    "REQUEST_DECODER_INPUT_LEN": "decoder_input_lengths",
    "REQUEST_OUTPUT_LEN": "request_output_len",
    "STOP_WORDS_IDS": "stop_words_list",
    "BAD_WORDS_IDS": "bad_words_list",
    "OUT_END_ID": "end_id",
    "EMBEDDING_BIAS": "embedding_bias",
    "OUT_PAD_ID": "pad_id",
    "OUT_PROMPT_TABLE_EXTRA_IDS": "prompt_table_extra_ids",
}
TO_ENGINE = {
    "stream": "streaming",
    "top_k": "runtime_top_k",
    "top_p": "runtime_top_p",
    "length_penalty": "len_penalty",
    **{
        name: name
        for name in [
            "temperature",
            "repetition_penalty",
            "presence_penalty",
            "frequency_penalty",
            "min_length",
            "random_seed",
            "beam_width",
            "num_return_sequences",
            "return_log_probs",
            "return_context_logits",
            "return_generation_logits",
            "prompt_embedding_table",
            "prompt_vocab_size",
        ]
    },
}
NOT_HERE = {
    "num_draft_tokens": "speculative decoding",
    "use_draft_logits": "speculative decoding",
    "image_input": "images",
}
PASSED_ON = [
    "cum_log_probs",
    "output_log_probs",
    "context_logits",
    "generation_logits",
    "batch_index",
    "sequence_index",
]


def renamed(tensors, names):
    """Adds the dimension of 1 that the called models have and some inputs of the template lack."""
    return [
        pb_utils.Tensor(names[name], value.reshape(-1, 1) if value.ndim == 1 else value)
        for name, value in tensors.items()
        if name in names
    ]


def by_name(response):
    return {tensor.name(): tensor.as_numpy() for tensor in response.output_tensors()}


class Failed(Exception):
    """A called model returned an error."""


class TritonPythonModel:
    def initialize(self, args):
        settings = Settings(args)
        self._accumulate = settings.boolean("accumulate_tokens", False)
        self._engine = settings.text("tensorrt_llm_model_name", "tensorrt_llm")
        for name in ("tensorrt_llm_draft_model_name", "multimodal_encoders_name"):
            if settings.text(name):
                raise ValueError(
                    f"tensorrt_llm_bls: {name} is {settings.text(name)!r}; this runner has no such"
                    " model, leave it empty"
                )
        if not pb_utils.using_decoupled_model_transaction_policy(settings.config):
            raise ValueError(
                "tensorrt_llm_bls: decoupled_mode is false; write true, requests without `stream`"
                " still get one answer"
            )
        # One thread for each concurrent request; it only waits for the other models.
        self._threads = ThreadPoolExecutor(max(64, 2 * settings.config["max_batch_size"]), "bls")
        self._ids = itertools.count()
        self._stopping = threading.Event()

    def execute(self, requests):
        for request in requests:
            inputs = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
            self._threads.submit(self._serve, inputs, request.get_response_sender())

    def finalize(self):
        self._stopping.set()
        self._threads.shutdown()

    def _serve(self, inputs, sender):
        try:
            for response in self._answers(inputs, sender):
                sender.send(response)
        except Exception as failure:  # any other error would leave the client waiting forever
            sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(str(failure))))
        sender.send(flags=FINAL)

    def _answers(self, inputs, sender):
        for name, what in NOT_HERE.items():
            if name in inputs and inputs[name].any():
                raise Failed(f"{name} is set: this runner does not do {what}; leave it out")
        prepared = self._call(
            "preprocessing", renamed(inputs, TO_PREPROCESSING), [*FROM_PREPROCESSING]
        )
        tensors = renamed(prepared, FROM_PREPROCESSING) + renamed(inputs, TO_ENGINE)
        id_ = f"bls-{os.getpid()}-{next(self._ids)}"
        so_far = {}
        for answer in self._stream(id_, tensors):
            if sender.is_cancelled() or self._stopping.is_set():
                self._stop(id_)
                return
            yield self._response(
                answer,
                (
                    so_far
                    if self._accumulate and bool(inputs.get("stream", np.zeros(1)).any())
                    else None
                ),
            )

    def _response(self, answer, so_far):
        ids, lengths = answer["output_ids"], answer["sequence_length"]
        if so_far is not None:
            row = int(answer["batch_index"].flat[0])
            so_far.setdefault(row, []).extend(ids[0, 0, : lengths[0, 0]].tolist())
            ids, lengths = np.array([[so_far[row]]], np.int32), np.array(
                [[len(so_far[row])]], np.int32
            )
        text = self._call(
            "postprocessing",
            [pb_utils.Tensor("TOKENS_BATCH", ids), pb_utils.Tensor("SEQUENCE_LENGTH", lengths)],
            ["OUTPUT"],
        )
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor("text_output", text["OUTPUT"]),
                *(pb_utils.Tensor(name, answer[name]) for name in PASSED_ON),
            ]
        )

    def _call(self, model, tensors, outputs):
        response = pb_utils.InferenceRequest(
            model_name=model, inputs=tensors, requested_output_names=outputs
        ).exec()
        if response.has_error():
            raise Failed(response.error().message())
        return by_name(response)

    def _stream(self, id_, tensors):
        request = pb_utils.InferenceRequest(
            model_name=self._engine,
            request_id=id_,
            inputs=tensors,
            requested_output_names=["output_ids", "sequence_length", *PASSED_ON],
        )
        for response in request.exec(decoupled=True):
            if response.has_error():
                raise Failed(response.error().message())
            answer = by_name(response)
            if answer:  # the end of a stream may come as a response without tensors
                yield answer

    def _stop(self, id_):
        """Tells the engine to end the request of this id; its remaining responses are dropped."""
        one = np.ones((1, 1), np.int32)
        for _ in pb_utils.InferenceRequest(
            model_name=self._engine,
            request_id=id_,
            requested_output_names=["output_ids"],
            inputs=[
                pb_utils.Tensor("input_ids", one),
                pb_utils.Tensor("input_lengths", one),
                pb_utils.Tensor("request_output_len", one),
                pb_utils.Tensor("stop", np.ones((1, 1), bool)),
            ],
        ).exec(decoupled=True):
            pass
