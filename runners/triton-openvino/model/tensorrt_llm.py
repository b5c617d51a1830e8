"""Triton model `tensorrt_llm`: token ids in, token ids out, with an OpenVINO engine behind the
tensors of the TensorRT-LLM backend.

It knows the requests and responses of Triton; the engine generates the tokens.
"""
import os
import threading

import numpy as np
import triton_python_backend_utils as pb_utils

from detokenizer import streamed
from engine import Engine, Generation, Limits, Refused
from metrics import Metrics
from readers import Readers
from sampling import generation_config, refuse_unsupported, word_list
from settings import Settings

FINAL = 1  # pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
ARRAYS = {
    "input_ids",
    "stop_words_list",
    "bad_words_list",
    "embedding_bias",
    "draft_input_ids",
    "draft_logits",
    "decoder_input_ids",
    "prompt_embedding_table",
    "prompt_table_extra_ids",
    "lora_weights",
    "lora_config",
    "context_phase_params",
}


def error(message, code):
    # pb_utils is complete only once a model is loaded, so nothing of it is used at import time.
    return pb_utils.InferenceResponse(
        error=pb_utils.TritonError(message, getattr(pb_utils.TritonError, code))
    )


class Reply:
    """All responses to one Triton request, which may contain several prompts."""

    def __init__(self, request, rows):
        self.id = request.request_id()
        self._sender = request.get_response_sender()
        self._open_rows = rows
        self._failed = False
        self.stopped = False  # set by a second request with the same id

    def cancelled(self):
        return self.stopped or self._failed or self._sender.is_cancelled()

    def send(self, response):
        if not self._failed:
            self._sender.send(response)

    def end_row(self, response=None):
        """Ends one prompt, with its last response if one is left. Returns True for the last
        prompt of the request: its response also ends the stream, because a final response
        without tensors would reach readers as uninitialised memory.
        """
        self._open_rows -= 1
        last = self._open_rows == 0
        if response is None or self._failed:
            if last:
                self.close()
        elif last:
            self._sender.send(response, flags=FINAL)
        else:
            self._sender.send(response)
        return last

    def fail_row(self, message, code):
        """The first failure is the response; later results of the other prompts are dropped."""
        if not self._failed:
            self._failed = True
            self._sender.send(error(message, code))
        return self.end_row()

    def refuse(self, message):
        """Checks the whole request before any of its prompts starts."""
        self._sender.send(error(message, "INVALID_ARG"), flags=FINAL)

    def close(self):
        self._sender.send(flags=FINAL)


class TritonPythonModel:
    def initialize(self, args):
        settings = Settings(args)
        if not pb_utils.using_decoupled_model_transaction_policy(settings.config):
            raise ValueError(
                "tensorrt_llm: decoupled_mode is false; this engine answers through the stream,"
                " write true"
            )
        if settings.integer("max_beam_width", 1) != 1:
            raise ValueError(
                f"tensorrt_llm: max_beam_width is {settings.text('max_beam_width')}; this engine"
                " has no beam search, write 1"
            )
        self._exclude_input = settings.boolean("exclude_input_in_output", False)
        limits = Limits(
            batch_size=settings.config["max_batch_size"],
            threads=int(os.environ.get("ENGINE_THREADS", 1)),
            max_num_tokens=int(os.environ.get("ENGINE_MAX_NUM_TOKENS", 256)),
            reuse_prefixes=settings.boolean("enable_kv_cache_reuse", False),
            chunk_prompts=settings.boolean("enable_chunked_context", True),
            cancel_check_s=settings.integer("cancellation_check_period_ms", 100) / 1000,
            stats_period_s=settings.integer("stats_check_period_ms", 100) / 1000,
        )
        limits.kv_tokens = settings.integer(
            "max_tokens_in_paged_kv_cache", 4096 * limits.batch_size
        )
        self._metrics = Metrics(settings.model, settings.version)
        self._replies = {}  # by request id, for requests that have one
        self._lock = threading.Lock()
        self._constants = {}
        self._readers = Readers()
        self._engine = Engine(settings.required("gpt_model_path"), limits, self._metrics.show)

    def execute(self, requests):
        for request in requests:
            self._start(request)

    def finalize(self):
        self._engine.close()

    def _start(self, request):
        tensors = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
        rows = tensors["input_ids"].shape[0]
        reply = Reply(request, rows)
        try:
            if tensors.get("stop", np.zeros(1)).any():
                self._stop(request.request_id())
                reply.close()
                return
            generations = [
                self._generation(
                    reply,
                    index,
                    {
                        name: tensor[index] if name in ARRAYS else tensor[index].reshape(-1)[0]
                        for name, tensor in tensors.items()
                    },
                )
                for index in range(rows)
            ]
        except Refused as refusal:
            reply.refuse(str(refusal))
            return
        if reply.id:
            with self._lock:
                self._replies[reply.id] = reply
        for generation in generations:
            self._engine.submit(generation)

    def _stop(self, id_):
        with self._lock:
            if id_ in self._replies:
                self._replies[id_].stopped = True

    def _generation(self, reply, index, inputs):
        prompt = inputs["input_ids"][: int(inputs["input_lengths"])]
        refuse_unsupported(inputs)
        self._engine.check(len(prompt), int(inputs["request_output_len"]))
        if prompt.min() < 0 or prompt.max() >= self._engine.vocab_size:
            raise Refused(
                f"input_ids contains an id outside 0 to {self._engine.vocab_size - 1}, the model's"
                " vocabulary; the tokenizer does not belong to this model"
            )
        stop_words = word_list(inputs["stop_words_list"]) if "stop_words_list" in inputs else []
        streaming = bool(inputs.get("streaming", False))
        prefix = (
            []
            if inputs.get("exclude_input_in_output", self._exclude_input) or streaming
            else prompt.tolist()
        )
        generation = Generation(
            prompt,
            generation_config(inputs, self._engine.vocab_size),
            None,
            reply.cancelled,
            stop_words,
        )
        generation.deliver = (
            self._stream(reply, index, generation)
            if streaming
            else self._collect(reply, index, generation, prefix)
        )
        return generation

    def _stream(self, reply, index, generation):
        sent, watch = [], self._readers.watch()
        generation.cancelled = lambda: reply.cancelled() or watch.abandoned()

        def deliver(tokens, reason):
            held = None
            for position, token in enumerate(tokens):
                ended = reason is not None and position == len(tokens) - 1
                response = self._response(index, streamed(token, sent, ended, watch.slot), 1)
                sent.append(token)
                watch.sent()
                if ended:
                    held = response
                else:
                    reply.send(response)
            if reason is not None:
                watch.close()
                # Before the end of the stream, so that a client that has seen the end finds the
                # request counted.
                self._metrics.finished(len(generation.prompt), len(generation.tokens))
                self._end(reply, reason, held)

        return deliver

    def _collect(self, reply, index, generation, prefix):
        def deliver(tokens, reason):
            if reason is None:
                return
            self._metrics.finished(len(generation.prompt), len(generation.tokens))
            answer = None
            if reason in ("length", "stop") or reply.stopped:
                ids = prefix + generation.tokens
                answer = self._response(index, ids, len(ids))
            self._end(reply, reason, answer)

        return deliver

    def _end(self, reply, reason, response):
        if reason in ("length", "stop") or (reason == "cancelled" and reply.stopped):
            last = reply.end_row(response)
        elif reason == "cancelled":
            last = reply.fail_row("the request was cancelled", "CANCELLED")
        else:
            last = reply.fail_row(reason, "INTERNAL")
        if last and reply.id:
            with self._lock:
                if self._replies.get(reply.id) is reply:
                    del self._replies[reply.id]

    def _response(self, index, ids, length):
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor("output_ids", np.array([[ids]], np.int32)),
                *self._beside(index, length),
            ]
        )

    def _beside(self, index, length):
        """All other outputs of the template. This engine has no values for them, so they are
        zero and never uninitialised memory. Nearly all responses need the same ones, which are
        therefore cached.
        """
        if (index, length) not in self._constants:
            if len(self._constants) > 1000:
                self._constants.clear()

            def zeros(*shape):
                return np.zeros(shape, np.float32)

            self._constants[index, length] = [
                pb_utils.Tensor("sequence_length", np.array([[length]], np.int32)),
                pb_utils.Tensor("batch_index", np.array([[index]], np.int32)),
                pb_utils.Tensor("sequence_index", np.zeros((1, 1), np.int32)),
                pb_utils.Tensor("cum_log_probs", zeros(1, 1)),
                pb_utils.Tensor("output_log_probs", zeros(1, 1, length)),
                pb_utils.Tensor("context_logits", zeros(1, 1, 1)),
                pb_utils.Tensor("generation_logits", zeros(1, 1, 1, 1)),
            ]
        return self._constants[index, length]
