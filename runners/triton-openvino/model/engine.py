"""Drives OpenVINO's continuous batching: any thread submits generations, one thread runs all steps.

It knows token ids and sampling; it does not know Triton, text or responses.
"""
import json
import queue
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import openvino
import openvino_genai

BLOCK_TOKENS = 32  # the engine's own page size of the KV cache on a CPU


class Refused(Exception):
    """The engine cannot serve a request; the message names the input, its value and the remedy."""


@dataclass
class Limits:
    batch_size: int = 8
    kv_tokens: int = 32768
    max_num_tokens: int = 256
    threads: int = 1
    reuse_prefixes: bool = False
    chunk_prompts: bool = True
    cancel_check_s: float = 0.1
    stats_period_s: float = 0.1


@dataclass
class Generation:
    """One prompt in progress. The step thread calls `deliver(tokens, reason)` with new tokens;
    `reason` is None until the last call, then `length`, `stop`, `cancelled` or an error message.
    """

    prompt: np.ndarray
    config: openvino_genai.GenerationConfig
    deliver: object
    cancelled: object = lambda: False
    stop_words: list = field(default_factory=list)
    tokens: list = field(default_factory=list)
    handle: object = None
    ended: bool = False

    def stop_word_reached(self):
        return any(self.tokens[-len(word) :] == word for word in self.stop_words)


class Engine:
    def __init__(self, folder, limits, on_stats=None):
        self.limits = limits
        facts = json.loads((Path(folder) / "config.json").read_text())["pretrained_config"]
        self.vocab_size = facts["vocab_size"]
        self.max_positions = facts.get("max_position_embeddings", 1 << 30)
        self.kv_blocks = max(1, -(-limits.kv_tokens // BLOCK_TOKENS))
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.max_num_seqs = limits.batch_size
        scheduler.max_num_batched_tokens = max(limits.max_num_tokens, limits.batch_size)
        scheduler.num_kv_blocks = self.kv_blocks
        scheduler.dynamic_split_fuse = limits.chunk_prompts
        scheduler.enable_prefix_caching = limits.reuse_prefixes
        # Activations are float32: bfloat16, the default on CPUs that support it, was slower at
        # these sizes, fails with f16 weights, and makes tokens depend on the machine.
        self._pipeline = openvino_genai.ContinuousBatchingPipeline(
            str(folder),
            scheduler,
            "CPU",
            {"INFERENCE_NUM_THREADS": limits.threads, "INFERENCE_PRECISION_HINT": "f32"},
        )
        self._arrivals = queue.SimpleQueue()
        self._active = []
        self._next_id = 0
        self._on_stats = on_stats
        self._next_cancel_check = self._next_stats = 0.0
        self._broken = None
        # Tokens are delivered on this thread, too: step() keeps the interpreter lock, so a second
        # thread would starve.
        self._thread = threading.Thread(target=self._run, name="engine-steps", daemon=True)
        self._thread.start()

    def check(self, prompt_tokens, new_tokens):
        """Raises Refused for a request that could never finish."""
        total = prompt_tokens + new_tokens
        if prompt_tokens < 1:
            raise Refused("the prompt has no tokens; send a text that is not empty")
        if new_tokens < 1:
            raise Refused(
                f"request_output_len (max_tokens) is {new_tokens}; ask for at least 1 token"
            )
        if total > self.max_positions:
            raise Refused(
                f"{prompt_tokens} prompt tokens and {new_tokens} new ones make {total}, and the"
                f" model has {self.max_positions} positions; send a shorter prompt or lower"
                " max_tokens"
            )
        if total > self.kv_blocks * BLOCK_TOKENS:
            raise Refused(
                f"{prompt_tokens} prompt tokens and {new_tokens} new ones make {total}, and the KV"
                f" cache holds {self.kv_blocks * BLOCK_TOKENS}; raise max_tokens_in_paged_kv_cache"
                " or send a shorter prompt"
            )

    def submit(self, generation):
        self._arrivals.put(generation)

    def close(self):
        """Cancels the running generations and waits for the step thread."""
        self._arrivals.put(None)
        self._thread.join()

    def counts(self):
        """(active, waiting) generations; for metrics only."""
        active = len(self._active)
        return active, max(0, active - self.limits.batch_size)

    def cache_usage(self):
        return self._pipeline.get_metrics().cache_usage / 100

    def _run(self):
        closing = False
        while not closing:
            try:
                closing = self._admit()
                if self._active or self._pipeline.has_non_finished_requests():
                    self._pipeline.step()
                    self._read_all()
            except (
                Exception
                # the state of the pipeline is unknown: every current and later request fails
            ) as error:
                self._broken = f"the engine failed: {error}"
                for generation in self._active:
                    self._end(generation, [], self._broken)
                self._active.clear()
        for generation in self._active:
            self._end(generation, [], "cancelled")

    def _admit(self):
        """Accepts new generations; blocks while there are none in progress. Returns True to
        close.
        """
        idle = not self._active and (self._broken or not self._pipeline.has_non_finished_requests())
        if idle:
            self._stats(force=True)
        try:
            while True:
                generation = self._arrivals.get(block=idle)
                idle = False
                if generation is None:
                    return True
                self._add(generation)
        except queue.Empty:
            return False

    def _add(self, generation):
        if self._broken:
            self._end(generation, [], self._broken)
            return
        prompt = openvino.Tensor(np.ascontiguousarray(generation.prompt, np.int64).reshape(1, -1))
        try:
            generation.handle = self._pipeline.add_request(self._next_id, prompt, generation.config)
        except RuntimeError as error:  # rejected by its validation: a bad request, not a bad engine
            self._end(generation, [], f"the engine rejected the request: {error}")
            return
        self._next_id += 1
        self._active.append(generation)

    def _read_all(self):
        now = time.monotonic()
        ask_cancelled = now >= self._next_cancel_check
        if ask_cancelled:
            self._next_cancel_check = now + self.limits.cancel_check_s
        for generation in self._active:
            self._read(generation)
            if ask_cancelled and not generation.ended and generation.cancelled():
                generation.handle.cancel()
                self._end(generation, [], "cancelled")
        self._active = [generation for generation in self._active if not generation.ended]
        self._stats()

    def _read(self, generation):
        handle, fresh, reason = generation.handle, [], None
        while reason is None and handle.can_read():
            for output in handle.read().values():
                for token in output.generated_ids:
                    fresh.append(token)
                    generation.tokens.append(token)
                    if generation.stop_words and generation.stop_word_reached():
                        handle.stop()
                        reason = "stop"
                        break
        if reason is None:
            status = handle.get_status()
            if status == openvino_genai.GenerationStatus.FINISHED:
                reason = (
                    "length"
                    if len(generation.tokens) >= generation.config.max_new_tokens
                    else "stop"
                )
            elif status == openvino_genai.GenerationStatus.IGNORED:
                reason = (
                    "the KV cache is full and the request could not be continued; raise"
                    " max_tokens_in_paged_kv_cache or lower the batch size"
                )
        if reason is not None:
            self._end(generation, fresh, reason)
        elif fresh:
            generation.deliver(fresh, None)

    @staticmethod
    def _end(generation, tokens, reason):
        generation.ended = True
        generation.deliver(tokens, reason)

    def _stats(self, force=False):
        now = time.monotonic()
        if self._on_stats and (force or now >= self._next_stats):
            self._next_stats = now + self.limits.stats_period_s
            self._on_stats(self)
